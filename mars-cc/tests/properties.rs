//! What holds for any sequence of inputs at any times.
#![allow(clippy::unwrap_used)]

use core::time::Duration;

use mars_cc::{Config, Controller, Error, Estimate, Input, Level, Output};
use mars_time::Instant;
use proptest::collection::vec;
use proptest::prelude::*;

/// One input after a pause in microseconds.
type Step = (u64, Input);

fn levels() -> impl Strategy<Value = Level> {
    prop_oneof![Just(Level::Face), Just(Level::Prefix), Just(Level::Local)]
}

/// Any valid constants of the law that matter to its bounds.
fn configs() -> impl Strategy<Value = Config> {
    let estimates = prop_oneof![
        Just(Estimate::Unreported),
        Just(Estimate::Off),
        Just(Estimate::Always)
    ];
    (
        levels(),
        1_u32..=1_024,
        1_u16..=1_000,
        1_u16..=212,
        0_u16..=256,
        1_u8..=64,
        estimates,
    )
        .prop_map(|(level, window, target, gain, lead, step, estimate)| {
            let mut config = Config::new(level);
            config.initial_window = window;
            config.queue_target = target;
            config.queue_low = target / 3;
            config.queue_high = target * 3;
            config.cut_gain_q8 = gain;
            config.lead_gain_q8 = lead;
            config.startup_step = step;
            config.estimate = estimate;
            config
        })
}

fn inputs() -> impl Strategy<Value = Input> {
    let queues = prop_oneof![
        2 => Just(None),
        4 => (0_u16..64).prop_map(Some),
        1 => Just(Some(u16::MAX)),
        1 => any::<u16>().prop_map(Some),
    ];
    let times = prop_oneof![
        1 => Just(None),
        4 => (0_u64..200_000).prop_map(|micros| Some(Duration::from_micros(micros))),
        1 => Just(Some(Duration::ZERO)),
        1 => Just(Some(Duration::MAX)),
    ];
    prop_oneof![
        8 => Just(Input::Sent),
        8 => (queues, times).prop_map(|(queue, rtt)| Input::Delivered { queue, rtt }),
        1 => Just(Input::Timeout),
        1 => Just(Input::Nacked),
        1 => Just(Input::Lost),
        1 => Just(Input::Released),
        1 => Just(Input::Reset),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pauses = prop_oneof![
        8 => 0_u64..20_000,
        1 => Just(0),
        1 => 0_u64..5_000_000,
        1 => Just(u64::MAX / 2_000),
    ];
    vec((pauses, inputs()), 0..400)
}

/// Feeds every step and shows machine, time and input after each.
fn run(
    config: Config,
    steps: &[Step],
    mut look: impl FnMut(&Controller, &Controller, Instant, Input),
) {
    let mut controller = Controller::new(config, Instant::ZERO).unwrap();
    let mut now = Instant::ZERO;
    for &(pause, input) in steps {
        now += Duration::from_micros(pause);
        let before = controller;
        let _ = controller.handle_input(now, input);
        look(&before, &controller, now, input);
    }
}

/// A full window that is answered packet by packet as `answer` says, one round trip after the
/// last.
fn saturate(
    controller: &mut Controller,
    rounds: u64,
    rtt: Duration,
    answer: impl Fn(u64) -> Input,
) -> Instant {
    let mut now = Instant::ZERO;
    for round in 0..rounds {
        while controller.in_flight() < controller.window() {
            controller.handle_input(now, Input::Sent).unwrap();
        }
        let flight = controller.in_flight();
        for packet in 1..=u64::from(flight) {
            let at = now + rtt * u32::try_from(packet).unwrap() / flight;
            controller.handle_input(at, answer(round)).unwrap();
        }
        now += rtt;
    }
    now
}

proptest! {
    #[test]
    fn windows_stay_in_bounds(config in configs(), steps in steps()) {
        run(config, &steps, |_, controller, _, _| {
            assert!((1..=65_535).contains(&controller.window()));
        });
    }

    #[test]
    fn in_flight_is_sent_less_returned(config in configs(), steps in steps()) {
        let mut now = Instant::ZERO;
        let mut controller = Controller::new(config, now).unwrap();
        let mut held = 0_u32;
        for (pause, input) in steps {
            now += Duration::from_micros(pause);
            let expected = match input {
                Input::Timeout | Input::Reset => Ok(()),
                Input::Sent => {
                    held += 1;
                    Ok(())
                }
                _ if held == 0 => Err(Error::NothingInFlight),
                _ => {
                    held -= 1;
                    Ok(())
                }
            };
            prop_assert_eq!(controller.handle_input(now, input), expected);
            prop_assert_eq!(controller.in_flight(), held);
        }
    }

    #[test]
    fn a_refused_input_is_a_tick(config in configs(), steps in steps()) {
        let mut now = Instant::ZERO;
        let mut controller = Controller::new(config, now).unwrap();
        for (pause, input) in steps {
            now += Duration::from_micros(pause);
            let mut ticked = controller;
            ticked.handle_input(now, Input::Timeout).unwrap();
            if controller.handle_input(now, input) == Err(Error::NothingInFlight) {
                prop_assert_eq!(ticked.in_flight(), 0);
                prop_assert_eq!(controller, ticked);
            }
        }
    }

    #[test]
    fn ticks_change_nothing(config in configs(), steps in steps()) {
        let mut now = Instant::ZERO;
        let mut plain = Controller::new(config, now).unwrap();
        let mut ticked = plain;
        for (pause, input) in steps {
            for _ in 0..3 {
                now += Duration::from_micros(pause / 3);
                ticked.handle_input(now, Input::Timeout).unwrap();
            }
            let results = (plain.handle_input(now, input), ticked.handle_input(now, input));
            prop_assert_eq!(results.0, results.1);
            prop_assert_eq!(plain, ticked);
        }
    }

    #[test]
    fn time_never_runs_back(config in configs(), steps in steps(), back in 0_u64..1_000_000) {
        let mut now = Instant::ZERO;
        let mut plain = Controller::new(config, now).unwrap();
        let mut shaken = plain;
        for (pause, input) in steps {
            now += Duration::from_micros(pause);
            let _ = plain.handle_input(now, input);
            shaken.handle_input(now, Input::Timeout).unwrap();
            let _ = shaken.handle_input(now.saturating_sub(Duration::from_micros(back)), input);
            prop_assert_eq!(plain, shaken);
        }
    }

    #[test]
    fn a_drain_ends_and_wakes_later(config in configs(), steps in steps()) {
        let mut now = Instant::ZERO;
        let mut controller = Controller::new(config, now).unwrap();
        for (pause, input) in steps {
            now += Duration::from_micros(pause);
            let _ = controller.handle_input(now, input);
            let mut settings = 0;
            loop {
                match controller.poll_output() {
                    Output::Timeout(wake) => {
                        prop_assert!(wake.is_none_or(|at| at > now));
                        break;
                    }
                    Output::Window(window) => prop_assert_eq!(window, controller.window()),
                    _ => {}
                }
                settings += 1;
                prop_assert!(settings <= 2);
            }
        }
    }

    /// The window is shown in whole packets, so a cut shows as a fall by more than the one packet
    /// that a Nack takes.
    #[test]
    fn one_round_trip_brings_at_most_one_cut(
        config in configs().prop_filter("follows without delay", |c| c.level != Level::Local),
        steps in steps(),
    ) {
        let mut last: Option<Instant> = None;
        run(config, &steps, |before, controller, now, input| {
            if input == Input::Reset {
                last = None;
            } else if controller.window() + 1 < before.window() {
                let rtt = controller.srtt().unwrap_or(config.epoch_limit);
                assert!(last.is_none_or(|last| now >= last + rtt), "{last:?} {now:?} {rtt:?}");
                last = Some(now);
            }
        });
    }

    #[test]
    fn nothing_grows_without_data(config in configs(), steps in steps()) {
        run(config, &steps, |before, controller, _, input| {
            let is_evidence = matches!(input, Input::Delivered { .. } | Input::Reset);
            assert!(is_evidence || controller.window() <= before.window());
        });
    }

    /// A source that never has more than `held` packets in flight.
    #[test]
    fn nothing_grows_far_beyond_its_use(level in levels(), held in 1_u32..200, rtt in 1_u64..300) {
        let config = Config::new(level);
        let mut controller = Controller::new(config, Instant::ZERO).unwrap();
        let rtt = Duration::from_millis(rtt);
        let mut now = Instant::ZERO;
        for _ in 0..200 {
            while controller.in_flight() < held.min(controller.window()) {
                controller.handle_input(now, Input::Sent).unwrap();
            }
            let flight = controller.in_flight();
            for packet in 1..=flight {
                let answer = Input::Delivered { queue: Some(0), rtt: Some(rtt) };
                controller.handle_input(now + rtt * packet / flight, answer).unwrap();
            }
            now += rtt;
        }
        let most = (2 * held + 16).max(config.initial_window);
        prop_assert!(controller.window() <= most, "{} > {most}", controller.window());
    }

    #[test]
    fn a_hostile_queue_leaves_a_trickle(level in levels(), rtt in 1_u64..300) {
        let mut controller = Controller::new(Config::new(level), Instant::ZERO).unwrap();
        let rtt = Duration::from_millis(rtt);
        saturate(&mut controller, 300, rtt, |_| Input::Delivered {
            queue: Some(u16::MAX),
            rtt: Some(rtt),
        });
        // A prefix knows better, as its packets do not wait: it stays where the least share, 1/128,
        // of half its window is the least increase, a quarter of a packet.
        let most = if level == Level::Prefix { 65 } else { 4 };
        prop_assert!(controller.window() <= most, "{}", controller.window());
        // One packet now and then still goes, so that a truth told later is heard.
        prop_assert!(controller.can_send(Instant::MAX));
    }
}

#[test]
fn a_truth_told_later_is_heard() {
    let rtt = Duration::from_millis(20);
    for level in [Level::Face, Level::Prefix, Level::Local] {
        let mut controller = Controller::new(Config::new(level), Instant::ZERO).unwrap();
        saturate(&mut controller, 200, rtt, |round| Input::Delivered {
            queue: Some(if round < 100 { u16::MAX } else { 0 }),
            rtt: Some(rtt),
        });
        assert!(
            controller.window() > 100,
            "{level:?}: {}",
            controller.window()
        );
    }
}
