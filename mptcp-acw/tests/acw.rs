//! The decrease by the ratio of delays, update by update.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use core::time::Duration;

use common::{Host, MSS, acked};
use mptcp_acw::{AcwConfig, Beyond, Config, Delay, Input, Loss, Output, Reset, SubflowId};

/// Two subflows with windows of 64 segments, nothing growing, no validation.
fn host(acw: AcwConfig, subflows: u32) -> Host {
    let mut config = Config::new();
    config.acw = Some(acw);
    config.initial_window = 64;
    config.min_window = 1;
    Host::new(config, subflows)
}

/// An update's worth of samples that change no window, then the update. Wakes exactly then.
fn update(host: &mut Host, delays_ms: &[(u32, u64)]) {
    for (id, delay) in delays_ms {
        host.tell(acked(*id, 0, *delay, u64::MAX));
    }
    let (_, wake) = host.drain();
    host.now = wake.unwrap();
    host.tell(Input::Timeout);
}

#[test]
fn the_slow_window_is_divided_by_the_ratio_every_half_second() {
    let mut host = host(AcwConfig::new(), 2);
    host.tell(acked(0, 0, 30, u64::MAX));
    assert_eq!(host.drain().1, Some(host.now + Duration::from_millis(500)));
    update(&mut host, &[(1, 60)]);
    assert_eq!((host.cwnd(0), host.cwnd(1)), (64 * MSS, 32 * MSS));
    // Not slow start any more, which would undo it.
    assert_eq!((host.ssthresh(0), host.ssthresh(1)), (1 << 30, 32 * MSS));
    assert_eq!(host.drain().1, Some(host.now + Duration::from_millis(500)));
}

#[test]
fn after_three_cuts_it_rests_for_one_update() {
    let mut host = host(AcwConfig::new(), 2);
    let windows: Vec<_> = (0..6)
        .map(|_| {
            update(&mut host, &[(0, 30), (1, 60)]);
            (host.cwnd(1) / MSS, host.cuts(1))
        })
        .collect();
    assert_eq!(windows, [(32, 1), (16, 2), (8, 3), (8, 0), (4, 1), (2, 2)]);
    // The floor, two segments; at it a cut changes nothing and counts.
    update(&mut host, &[(0, 30), (1, 60)]);
    assert_eq!((host.cwnd(1), host.cuts(1)), (2 * MSS, 3));
    assert_eq!(host.cwnd(0), 64 * MSS);
}

#[test]
fn ratios_out_of_bounds_do_nothing() {
    for delays in [[(0, 30), (1, 30)], [(0, 30), (1, 91)]] {
        let mut host = host(AcwConfig::new(), 2);
        update(&mut host, &delays);
        assert_eq!((host.cwnd(1), host.cuts(1)), (64 * MSS, 0));
    }
    let mut acw = AcwConfig::new();
    acw.beyond = Beyond::Limit;
    let mut host = host(acw, 2);
    update(&mut host, &[(0, 30), (1, 300)]);
    assert_eq!(host.cwnd(1), 64 * MSS / 3);
}

#[test]
fn the_threshold_can_be_left_alone() {
    let mut acw = AcwConfig::new();
    acw.lower_ssthresh = false;
    let mut host = host(acw, 2);
    update(&mut host, &[(0, 30), (1, 60)]);
    assert_eq!((host.cwnd(1), host.ssthresh(1)), (32 * MSS, 1 << 30));
}

/// As printed, counts wait for the subflow to be the slowest again; "consecutive" can also be
/// taken to end when another one is.
#[test]
fn the_count_starts_anew_as_the_reset_rule_says() {
    for (reset, cuts) in [(Reset::AfterRest, [3, 1]), (Reset::OnChange, [1, 0])] {
        let mut acw = AcwConfig::new();
        acw.reset = reset;
        acw.delay = Delay::RoundTrip;
        let mut host = host(acw, 2);
        update(&mut host, &[(0, 30), (1, 60)]);
        update(&mut host, &[(0, 30), (1, 60)]);
        // Restarting forgets the delays, so that the others are the slowest at once.
        for id in 0..2 {
            host.tell(Input::Idled {
                subflow: SubflowId(id),
            });
        }
        update(&mut host, &[(0, 60), (1, 30)]);
        assert_eq!(host.cuts(0), 1);
        for id in 0..2 {
            host.tell(Input::Idled {
                subflow: SubflowId(id),
            });
        }
        update(&mut host, &[(0, 30), (1, 60)]);
        assert_eq!([host.cuts(1), host.cuts(0)], cuts, "{reset:?}");
    }
}

fn one_way(id: u32, rtt_ms: u64, one_way_ms: u64) -> Input {
    Input::Acked {
        subflow: SubflowId(id),
        bytes: 0,
        rtt: Some(Duration::from_millis(rtt_ms)),
        one_way: Some(Duration::from_millis(one_way_ms)),
        in_flight: u64::MAX,
    }
}

/// A path that is slow on the way back only is not slow for the data.
#[test]
fn one_way_delays_count_where_all_have_them() {
    let data = |acw: AcwConfig, inputs: &[Input]| {
        let mut host = host(acw, 2);
        for input in inputs {
            host.tell(*input);
        }
        update(&mut host, &[]);
        [host.cwnd(0) / MSS, host.cwnd(1) / MSS]
    };
    let both = [one_way(0, 60, 40), one_way(1, 90, 20)];
    assert_eq!(data(AcwConfig::new(), &both), [32, 64]);
    let mut by_rtt = AcwConfig::new();
    by_rtt.delay = Delay::RoundTrip;
    assert_eq!(data(by_rtt, &both), [64, 42]);
    // Never one kind against the other.
    let mixed = [one_way(0, 60, 40), acked(1, 0, 90, u64::MAX)];
    assert_eq!(data(AcwConfig::new(), &mixed), [64, 42]);
}

#[test]
fn of_three_the_slowest_is_cut_and_equals_are_treated_alike() {
    let mut host = host(AcwConfig::new(), 3);
    update(&mut host, &[(0, 30), (1, 45), (2, 60)]);
    assert_eq!([0, 1, 2].map(|id| host.cwnd(id) / MSS), [64, 64, 32]);
    let mut host = self::host(AcwConfig::new(), 3);
    update(&mut host, &[(0, 60), (1, 30), (2, 60)]);
    assert_eq!([0, 1, 2].map(|id| host.cwnd(id) / MSS), [32, 64, 32]);
}

#[test]
fn a_subflow_that_recovers_is_left_out() {
    let cut = |skip, loss| {
        let mut acw = AcwConfig::new();
        acw.skip_fast_recovery = skip;
        let mut host = host(acw, 2);
        host.lose(1, loss);
        update(&mut host, &[(0, 30), (1, 60)]);
        host.cuts(1)
    };
    assert_eq!(cut(false, Loss::Duplicates), 1);
    assert_eq!(cut(true, Loss::Duplicates), 0);
    assert_eq!(cut(false, Loss::Timeout), 0);
}

/// A path with nothing in flight gives no samples, and its last ones must not decide.
#[test]
fn a_stale_delay_is_left_out() {
    let mut host = host(AcwConfig::new(), 2);
    update(&mut host, &[(0, 30), (1, 60)]);
    update(&mut host, &[(0, 30)]);
    assert_eq!(host.cuts(1), 2, "one second old at most");
    update(&mut host, &[(0, 30)]);
    assert_eq!(host.cuts(1), 2);
    // With one path in use there is nothing to wake for, until both are again.
    assert_eq!(host.drain().1, None);
    host.sleep(5_000);
    update(&mut host, &[(0, 30), (1, 60)]);
    assert_eq!(host.cuts(1), 3);
}

/// On a path whose round trip is longer than any bound of ours, one sample per round trip is all
/// there is.
#[test]
fn a_delay_is_not_stale_within_its_round_trip() {
    let mut host = host(AcwConfig::new(), 2);
    update(&mut host, &[(0, 1_000), (1, 2_000)]);
    for _ in 0..2 {
        update(&mut host, &[(0, 1_000)]);
    }
    assert_eq!(host.cuts(1), 3);
}

/// Waking late is one update, as of when it was due, and moves none of the later ones.
#[test]
fn a_late_wake_is_one_update() {
    let mut host = host(AcwConfig::new(), 2);
    host.tell(acked(0, 0, 30, u64::MAX));
    host.tell(acked(1, 0, 60, u64::MAX));
    host.sleep(10_700);
    assert_eq!((host.cwnd(1), host.cuts(1)), (32 * MSS, 1));
    let (_, wake) = host.drain();
    assert_eq!(wake, Some(host.now + Duration::from_millis(300)));
}

#[test]
fn without_acw_nothing_is_cut_and_nothing_wakes() {
    let mut host = Host::new(common::plain(), 2);
    host.ack(0, 0, 30);
    host.ack(1, 0, 60);
    assert_eq!(host.drain().1, None);
    host.sleep(60_000);
    assert_eq!((host.cwnd(0), host.cwnd(1)), (10 * MSS, 10 * MSS));
}

#[test]
fn a_cut_is_told_like_any_setting() {
    let mut host = host(AcwConfig::new(), 2);
    update(&mut host, &[(0, 30), (1, 60)]);
    let subflow = SubflowId(1);
    let bytes = 32 * MSS;
    let expected = [
        Output::Cwnd { subflow, bytes },
        Output::Ssthresh { subflow, bytes },
    ];
    assert_eq!(host.drain().0, expected);
}
