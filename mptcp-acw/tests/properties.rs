//! What holds for any sequence of inputs at any times.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use core::time::Duration;

use mars_time::Instant;
use mptcp_acw::{Beyond, Config, Coupler, Coupling, Delay, Input, Loss, Phase, Reset, SubflowId};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const SUBFLOWS: u32 = 4;
const MSS: [u16; 4] = [1, 536, 1_448, 9_000];

/// One thing that happens to a subflow, whatever its number.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Ack(u64, Option<Duration>, Option<Duration>, u64),
    Duplicate(u64),
    Lose(Loss, u64),
    Recover,
    Idle,
    Penalise,
    Back(bool),
}

impl Deed {
    fn input(self, subflow: SubflowId) -> Input {
        match self {
            Self::Ack(bytes, rtt, one_way, in_flight) => Input::Acked {
                subflow,
                bytes,
                rtt,
                one_way,
                in_flight,
            },
            Self::Duplicate(in_flight) => Input::Duplicate { subflow, in_flight },
            Self::Lose(loss, in_flight) => Input::Lost {
                subflow,
                loss,
                in_flight,
            },
            Self::Recover => Input::Recovered { subflow },
            Self::Idle => Input::Idled { subflow },
            Self::Penalise => Input::Penalised { subflow },
            Self::Back(backup) => Input::Priority { subflow, backup },
        }
    }
}

fn delays() -> impl Strategy<Value = Option<Duration>> {
    option::weighted(
        0.8,
        prop_oneof![
            12 => (1..400_u64).prop_map(Duration::from_millis),
            1 => Just(Duration::ZERO),
            1 => Just(Duration::from_nanos(u64::MAX)),
            1 => Just(Duration::MAX),
        ],
    )
}

fn bytes() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..40_000_u64, 1 => Just(u64::MAX), 1 => any::<u64>()]
}

fn deeds() -> impl Strategy<Value = Deed> {
    prop_oneof![
        24 => (bytes(), delays(), delays(), bytes()).prop_map(|(b, r, o, f)| Deed::Ack(b, r, o, f)),
        4 => bytes().prop_map(Deed::Duplicate),
        2 => bytes().prop_map(|flight| Deed::Lose(Loss::Duplicates, flight)),
        1 => bytes().prop_map(|flight| Deed::Lose(Loss::Timeout, flight)),
        3 => Just(Deed::Recover),
        1 => Just(Deed::Idle),
        1 => Just(Deed::Penalise),
        1 => any::<bool>().prop_map(Deed::Back),
    ]
}

/// Pauses before each deed in milliseconds, whom it befalls, and the deed.
fn scripts() -> impl Strategy<Value = Vec<(u64, u32, Deed)>> {
    let pauses = prop_oneof![8 => 0..100_u64, 1 => 400..700_u64, 1 => 0..20_000_u64];
    vec((pauses, 0..SUBFLOWS, deeds()), 0..200)
}

fn couplings() -> impl Strategy<Value = Coupling> {
    prop_oneof![
        Just(Coupling::Lia),
        Just(Coupling::Olia),
        Just(Coupling::Balia),
        Just(Coupling::Uncoupled),
    ]
}

fn configs() -> impl Strategy<Value = Config> {
    let acw = (
        1..=5_u8,
        1..=4_u32,
        prop_oneof![Just(Beyond::Ignore), Just(Beyond::Limit)],
        prop_oneof![Just(Reset::AfterRest), Just(Reset::OnChange)],
        prop_oneof![Just(Delay::OneWay), Just(Delay::RoundTrip)],
        any::<[bool; 3]>(),
    );
    (
        couplings(),
        1..=10_u32,
        any::<bool>(),
        option::weighted(0.8, acw),
    )
        .prop_map(|(coupling, min_window, validate, acw)| {
            let mut config = Config::new();
            config.coupling = coupling;
            config.min_window = min_window;
            config.validate = validate;
            config.acw = acw.map(|(m, floor, beyond, reset, delay, flags)| {
                let mut acw = mptcp_acw::AcwConfig::new();
                (acw.m, acw.floor, acw.beyond, acw.reset, acw.delay) =
                    (m, floor, beyond, reset, delay);
                [
                    acw.theta_min_counts,
                    acw.lower_ssthresh,
                    acw.skip_fast_recovery,
                ] = flags;
                acw
            });
            config
        })
}

/// A coupler whose subflows were added in the order of `ids`, each with the segment size that its
/// place in `MSS` says.
fn coupler(config: Config, ids: [u32; 4], order: [usize; 4]) -> Coupler<4> {
    let mut coupler = Coupler::new(config, Instant::ZERO).unwrap();
    for place in order {
        let added = Input::SubflowAdded {
            subflow: SubflowId(ids[place]),
            mss: MSS[place],
        };
        coupler.handle_input(Instant::ZERO, added).unwrap();
    }
    coupler
}

fn mss(id: u32) -> u64 {
    MSS[usize::try_from(id).unwrap()].into()
}

proptest! {
    /// No window is ever below a segment or above the cap; nothing but a timeout or a penalty goes
    /// below the floors; thresholds keep to theirs.
    #[test]
    fn windows_keep_to_their_bounds(config in configs(), script in scripts()) {
        let mut coupler = coupler(config, [0, 1, 2, 3], [0, 1, 2, 3]);
        let cut_floor = config.acw.map_or(u32::MAX, |acw| acw.floor);
        let floor = config.min_window.min(cut_floor).min(config.initial_window);
        // The subflows that a timeout or a penalty took below.
        let mut below = [false; 4];
        let mut now = Instant::ZERO;
        for (pause, id, deed) in script {
            now += Duration::from_millis(pause);
            if matches!(deed, Deed::Lose(Loss::Timeout, _) | Deed::Penalise) {
                below[usize::try_from(id).unwrap()] = true;
            }
            coupler.handle_input(now, deed.input(SubflowId(id))).unwrap();
            for (id, below) in (0..).zip(below) {
                let floor = if below { 1 } else { floor };
                let cwnd = coupler.cwnd(SubflowId(id)).unwrap();
                let ssthresh = coupler.ssthresh(SubflowId(id)).unwrap();
                prop_assert!((u64::from(floor) * mss(id)..=config.max_window).contains(&cwnd), "{cwnd}");
                let least = u64::from(floor.min(2)) * mss(id);
                prop_assert!((least..=config.max_window).contains(&ssthresh), "{ssthresh}");
            }
        }
    }

    /// RFC 6356, goal 2: an ACK adds no more to a window than it would to that of a TCP.
    #[test]
    fn lia_is_on_no_path_more_aggressive_than_a_tcp(script in scripts()) {
        let mut config = Config::new();
        config.acw = None;
        let mut coupled = coupler(config, [0, 1, 2, 3], [0, 1, 2, 3]);
        let mut now = Instant::ZERO;
        for (pause, id, deed) in script {
            now += Duration::from_millis(pause);
            let id = SubflowId(id);
            // From the same state, the same ACK under no coupling at all.
            let (before, mss) = (coupled.cwnd(id).unwrap(), mss(id.0));
            coupled.handle_input(now, deed.input(id)).unwrap();
            let after = coupled.cwnd(id).unwrap();
            if let (Deed::Ack(bytes, ..), Some(Phase::Open | Phase::Timeout)) = (deed, coupled.phase(id)) {
                let alone = if before < coupled.ssthresh(id).unwrap() {
                    bytes.min(mss)
                } else {
                    // Whole bytes are shown, hence one for the fraction that was there before.
                    u64::try_from(u128::from(bytes.min(before)) * u128::from(mss) / u128::from(before)).unwrap() + 1
                };
                prop_assert!(after <= before + alone, "{before} {after} {alone}");
            }
        }
    }

    /// Time alone never raises a window, cuts the same one at most m times running, and not below
    /// the floor.
    #[test]
    fn updates_never_raise_and_rest_after_m(config in configs(), script in scripts()) {
        let Some(acw) = config.acw else {
            return Ok(());
        };
        let mut coupler = coupler(config, [0, 1, 2, 3], [0, 1, 2, 3]);
        let mut running = [0; 4];
        let mut now = Instant::ZERO;
        for (pause, id, deed) in script {
            now += Duration::from_millis(pause);
            let windows = |coupler: &Coupler<4>| {
                [0, 1, 2, 3].map(|id| (coupler.cwnd(SubflowId(id)).unwrap(), coupler.ssthresh(SubflowId(id)).unwrap()))
            };
            let (before, wake) = (windows(&coupler), wake(&mut coupler));
            coupler.handle_input(now, Input::Timeout).unwrap();
            let after = windows(&coupler);
            for (place, (old, new)) in before.into_iter().zip(after).enumerate() {
                prop_assert!(new.0 <= old.0 && new.1 <= old.1);
                if new.0 < old.0 {
                    prop_assert!(wake.is_some_and(|wake| wake <= now));
                    prop_assert!(new.0 >= u64::from(acw.floor) * u64::from(MSS[place]));
                    running[place] += 1;
                } else if wake.is_some_and(|wake| wake <= now) {
                    running[place] = 0;
                }
                prop_assert!(running[place] <= acw.m);
            }
            coupler.handle_input(now, deed.input(SubflowId(id))).unwrap();
        }
    }

    /// Neither the numbers of the subflows nor the order in which they were added matter.
    #[test]
    fn names_and_order_do_not_matter(
        config in configs(),
        script in scripts(),
        ids in Just([0, 1, 2, 3]).prop_shuffle(),
        order in Just([0, 1, 2, 3]).prop_shuffle(),
    ) {
        let mut plain = coupler(config, [0, 1, 2, 3], [0, 1, 2, 3]);
        let mut renamed = coupler(config, ids, order);
        let mut now = Instant::ZERO;
        for (pause, id, deed) in script {
            now += Duration::from_millis(pause);
            let other = ids[usize::try_from(id).unwrap()];
            plain.handle_input(now, deed.input(SubflowId(id))).unwrap();
            renamed.handle_input(now, deed.input(SubflowId(other))).unwrap();
            for (id, other) in (0..).zip(ids).map(|(a, b)| (SubflowId(a), SubflowId(b))) {
                prop_assert_eq!(plain.cwnd(id), renamed.cwnd(other));
                prop_assert_eq!(plain.ssthresh(id), renamed.ssthresh(other));
                prop_assert_eq!(plain.cuts(id), renamed.cuts(other));
            }
            prop_assert_eq!(wake(&mut plain), wake(&mut renamed));
        }
    }

    /// A path whose round-trip times are absurd does not stop the others: they grow as fast as with
    /// none beside them, or at their share.
    #[test]
    fn an_absurd_path_harms_itself_only(
        coupling in couplings(),
        absurd in prop_oneof![Just(Duration::ZERO), Just(Duration::MAX), Just(Duration::from_nanos(u64::MAX))],
    ) {
        let mut config = Config::new();
        config.coupling = coupling;
        let mut coupler = coupler(config, [0, 1, 2, 3], [0, 1, 2, 3]);
        let sane = Some(Duration::from_millis(50));
        let mut now = Instant::ZERO;
        for id in [1, 2, 3].map(SubflowId) {
            let rtt = if id.0 == 3 { Some(absurd) } else { sane };
            coupler.handle_input(now, Deed::Ack(0, rtt, None, u64::MAX).input(id)).unwrap();
            coupler.handle_input(now, Deed::Lose(Loss::Duplicates, u64::MAX).input(id)).unwrap();
            coupler.handle_input(now, Deed::Recover.input(id)).unwrap();
        }
        let before = coupler.cwnd(SubflowId(2)).unwrap();
        for _ in 0..1_000 {
            now += Duration::from_millis(5);
            coupler.handle_input(now, Deed::Ack(1_448, sane, None, u64::MAX).input(SubflowId(2))).unwrap();
            let rtt = Some(absurd);
            coupler.handle_input(now, Deed::Ack(9_000, rtt, None, u64::MAX).input(SubflowId(3))).unwrap();
        }
        let after = coupler.cwnd(SubflowId(2)).unwrap();
        if absurd == Duration::ZERO {
            // The near path is all there is, as far as shares go; the far one is not cut for it.
            prop_assert!(after >= before);
        } else {
            prop_assert!(after > before + 1_448, "{after}");
        }
    }
}

fn wake(coupler: &mut Coupler<4>) -> Option<Instant> {
    loop {
        if let mptcp_acw::Output::Timeout(wake) = coupler.poll_output() {
            return wake;
        }
    }
}
