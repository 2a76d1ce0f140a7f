//! Each step of the control loop, seen through the controller.

use super::*;

const RTT: Duration = Duration::from_millis(20);

/// A controller with its time, fed one full window per round trip.
struct Bench {
    controller: Controller,
    now: Instant,
}

impl Bench {
    fn new(level: Level) -> Self {
        let now = Instant::from_secs(1);
        let controller = Controller::new(Config::new(level), now).unwrap();
        Self { controller, now }
    }

    fn tell(&mut self, input: Input) {
        self.controller.handle_input(self.now, input).unwrap();
    }

    fn fill(&mut self) {
        while self.controller.in_flight() < self.controller.window() {
            self.tell(Input::Sent);
        }
    }

    /// One round trip: the whole flight is answered, spread evenly, by Data that found `queue`;
    /// what the window lets go follows each.
    fn round(&mut self, queue: u16) {
        self.fill();
        let flight = self.controller.in_flight();
        for _ in 0..flight {
            self.now += RTT / flight;
            let rtt = Some(RTT);
            self.tell(Input::Delivered {
                queue: Some(queue),
                rtt,
            });
            self.fill();
        }
        // The last step may have been rounded down.
        self.now += Duration::from_nanos(u64::from(flight));
    }

    fn window(&self) -> u32 {
        self.controller.window()
    }
}

/// A face in cruise with a queue at its target.
fn cruising() -> Bench {
    let mut bench = Bench::new(Level::Face);
    for _ in 0..4 {
        bench.round(9);
    }
    assert_eq!(bench.controller.phase(), Phase::Cruise);
    bench
}

#[test]
fn startup_grows_fourfold_per_round_trip() {
    let mut bench = Bench::new(Level::Face);
    assert_eq!(bench.window(), 24);
    bench.round(0);
    assert_eq!(bench.window(), 24 + 3 * 24);
    assert_eq!(bench.controller.phase(), Phase::Startup);
}

#[test]
fn queued_data_tell_what_the_link_carries() {
    // A flight of 24 in one burst comes back spaced by 250 us, each having queued behind the
    // one before: 4,000 packets a second, 80 per round trip of 20 ms, and 4 to spare.
    let mut bench = Bench::new(Level::Face);
    bench.fill();
    bench.now += RTT;
    for queue in 0..24 {
        let waited = Duration::from_micros(250) * u32::from(queue);
        let rtt = Some(RTT + waited);
        bench.tell(Input::Delivered {
            queue: Some(queue),
            rtt,
        });
        bench.now += Duration::from_micros(250);
    }
    assert_eq!(bench.window(), 84);
    assert_eq!(bench.controller.phase(), Phase::Cruise);
}

#[test]
fn a_run_of_high_queues_ends_startup_within_a_round_trip() {
    let mut bench = Bench::new(Level::Face);
    // Without the leap, that is by the queue alone.
    bench.controller.config.startup_step = 1;
    bench.round(0);
    bench.fill();
    for _ in 0..4 {
        assert_eq!(bench.controller.phase(), Phase::Startup);
        bench.now += Duration::from_micros(100);
        bench.tell(Input::Delivered {
            queue: Some(30),
            rtt: Some(RTT),
        });
    }
    assert_eq!(bench.controller.phase(), Phase::Cruise);
}

#[test]
fn the_window_moves_once_per_epoch_by_the_queue_found() {
    // (queue found, least and greatest change of a window of 26 within two epochs: one packet
    // each, or the excess in part, or a half each)
    for (queue, least, most) in [(5, 1, 3), (8, 1, 3), (40, -40, -4), (u16::MAX, -20, -18)] {
        let mut bench = cruising();
        let before = i64::from(bench.window());
        bench.round(queue);
        bench.round(queue);
        let change = i64::from(bench.window()) - before;
        assert!(
            (least..=most).contains(&change),
            "{queue}: {before} {change}"
        );
    }
}

#[test]
fn a_lost_packet_changes_nothing_but_its_slot() {
    let mut bench = cruising();
    bench.fill();
    let window = bench.window();
    bench.tell(Input::Lost);
    assert_eq!(bench.window(), window);
    assert_eq!(bench.controller.in_flight(), window - 1);
}

#[test]
fn silence_halves_the_window_now_and_then() {
    let mut bench = cruising();
    bench.fill();
    let window = bench.window();
    for (wait_ms, halvings) in [(299, 0), (2, 1), (50, 1), (60, 2)] {
        bench.now += Duration::from_millis(wait_ms);
        bench.tell(Input::Lost);
        bench.tell(Input::Sent);
        let expected = window >> halvings;
        assert!(bench.window().abs_diff(expected) <= 1, "after {wait_ms} ms");
    }
    assert_eq!(bench.controller.phase(), Phase::Startup);
}

#[test]
fn silence_on_a_long_path_halves_once_per_round_trip() {
    let mut bench = Bench::new(Level::Face);
    bench.fill();
    bench.tell(Input::Delivered {
        queue: Some(0),
        rtt: Some(Duration::from_secs(1)),
    });
    bench.fill();
    let window = bench.window();
    for (wait_ms, halvings) in [(2_000, 1), (500, 1), (500, 2)] {
        bench.now += Duration::from_millis(wait_ms);
        bench.tell(Input::Lost);
        assert!(bench.window().abs_diff(window >> halvings) <= 1);
    }
}

#[test]
fn packets_held_back_are_no_silence() {
    // All that is in flight is lost while the window lets nothing go: nothing was asked for
    // since the last Data.
    let mut bench = cruising();
    bench.fill();
    bench.tell(Input::Delivered {
        queue: Some(9),
        rtt: Some(RTT),
    });
    let window = bench.window();
    for _ in 0..10 {
        bench.now += Duration::from_secs(1);
        bench.tell(Input::Lost);
    }
    assert_eq!(bench.window(), window);
}

#[test]
fn each_nack_takes_one_packet_of_a_prefix_and_none_of_a_face() {
    for (level, taken) in [(Level::Face, 0), (Level::Prefix, 1), (Level::Local, 1)] {
        let mut bench = Bench::new(level);
        bench.fill();
        let window = bench.window();
        bench.now += Duration::from_millis(1);
        bench.tell(Input::Nacked);
        assert_eq!(bench.window(), window - taken);
    }
}

#[test]
fn a_local_queue_is_filled_to_its_target_and_drained_from_above() {
    let mut bench = Bench::new(Level::Local);
    // (queue found, change of the window)
    for (queue, change) in [(0, 8), (5, 3), (8, 0), (9, -1), (40, -1)] {
        bench.fill();
        let before = i64::from(bench.window());
        bench.tell(Input::Delivered {
            queue: Some(queue),
            rtt: Some(RTT),
        });
        assert_eq!(i64::from(bench.window()) - before, change, "{queue}");
    }
    assert_eq!(
        bench.controller.next_send(),
        Instant::ZERO + Duration::from_secs(1)
    );
}

#[test]
fn a_reset_starts_afresh_with_the_slots_taken() {
    let mut bench = cruising();
    bench.fill();
    let held = bench.controller.in_flight();
    bench.tell(Input::Reset);
    assert_eq!(bench.window(), 24);
    assert_eq!(bench.controller.phase(), Phase::Startup);
    assert_eq!(bench.controller.in_flight(), held);
    assert_eq!(bench.controller.srtt(), None);
}

#[test]
fn settings_are_told_once_and_the_wake_up_is_the_pace() {
    let mut bench = cruising();
    while !matches!(bench.controller.poll_output(), Output::Timeout(_)) {}
    assert_eq!(bench.controller.poll_output(), Output::Timeout(None));
    // A burst of two goes at once, the third waits for its gap.
    for _ in 0..3 {
        bench.tell(Input::Released);
    }
    bench.now += Duration::from_secs(1);
    for _ in 0..2 {
        assert!(bench.controller.can_send(bench.now));
        bench.tell(Input::Sent);
    }
    assert!(!bench.controller.can_send(bench.now));
    let next = bench.controller.next_send();
    assert_eq!(bench.controller.poll_output(), Output::Timeout(Some(next)));
    assert!(bench.controller.can_send(next));
}
