//! What a single TCP asks of the owner of its window (RFC 5681, 6582, 7661), and how the couplings
//! act on several.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use core::time::Duration;

use common::{Host, MSS, acked, plain};
use mars_time::Instant;
use mptcp_acw::{Config, Coupler, Coupling, Error, Input, Loss, Output, Phase, SubflowId};

const SOLE: SubflowId = SubflowId(0);

#[test]
fn slow_start_doubles_a_loss_halves_then_one_segment_per_round_trip() {
    let mut host = Host::new(plain(), 1);
    (0..10).for_each(|_| host.ack(0, 1, 50));
    assert_eq!(host.cwnd(0), 20 * MSS);
    host.lose(0, Loss::Duplicates);
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (10 * MSS, 10 * MSS));
    host.recover(0);
    // Eleven ACKs: the tenth falls short by what the window grew meanwhile.
    (0..11).for_each(|_| host.ack(0, 1, 50));
    assert_eq!(host.cwnd(0) / MSS, 11);
    host.lose(0, Loss::Timeout);
    assert_eq!((host.cwnd(0), host.ssthresh(0) / 500), (MSS, 11));
}

/// RFC 5681, equation 4: half of what was in flight, not of a window that was not used.
#[test]
fn a_loss_halves_what_was_in_flight() {
    let mut host = Host::new(plain(), 1);
    host.tell(Input::Lost {
        subflow: SOLE,
        loss: Loss::Duplicates,
        in_flight: 6 * MSS,
    });
    assert_eq!(host.ssthresh(0), 3 * MSS);
}

#[test]
fn one_congestion_event_per_window() {
    let mut host = Host::new(plain(), 1);
    host.lose(0, Loss::Duplicates);
    assert_eq!(host.phase(0), Phase::FastRecovery);
    host.lose(0, Loss::Duplicates);
    host.ack(0, 3, 50);
    assert_eq!(host.cwnd(0), 5 * MSS, "neither cut nor grown");
    host.recover(0);
    assert_eq!(host.phase(0), Phase::Open);
    host.lose(0, Loss::Duplicates);
    assert_eq!(host.cwnd(0), 5 * MSS / 2);
}

/// RFC 5681, section 3.1: the threshold is held when the same segment times out again.
#[test]
fn a_second_timeout_holds_the_threshold_unless_something_arrived() {
    let mut host = Host::new(plain(), 1);
    host.lose(0, Loss::Timeout);
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (MSS, 5 * MSS));
    host.lose(0, Loss::Timeout);
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (MSS, 5 * MSS));
    // Slow start goes on while the lost are sent again; then another one times out.
    (0..3).for_each(|_| host.ack(0, 1, 50));
    assert_eq!((host.cwnd(0), host.phase(0)), (4 * MSS, Phase::Timeout));
    host.lose(0, Loss::Timeout);
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (MSS, 2 * MSS));
}

#[test]
fn duplicates_in_the_recovery_of_a_timeout_are_no_event() {
    let mut host = Host::new(plain(), 1);
    host.lose(0, Loss::Timeout);
    (0..2).for_each(|_| host.ack(0, 1, 50));
    host.lose(0, Loss::Duplicates);
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (3 * MSS, 5 * MSS));
}

/// RFC 5681, section 3.2: a host without SACK has its duplicates counted.
#[test]
fn duplicates_inflate_and_new_data_deflates() {
    let mut host = Host::new(plain(), 1);
    let duplicate = |host: &mut Host| {
        host.tell(Input::Duplicate {
            subflow: SOLE,
            in_flight: 10 * MSS,
        });
        host.cwnd(0)
    };
    assert_eq!(duplicate(&mut host), 10 * MSS);
    assert_eq!(duplicate(&mut host), 10 * MSS);
    // New data in between: counted anew.
    host.tell(acked(0, 0, 50, 10 * MSS));
    assert_eq!(duplicate(&mut host), 10 * MSS);
    assert_eq!(duplicate(&mut host), 10 * MSS);
    assert_eq!(
        (duplicate(&mut host), host.phase(0)),
        (8 * MSS, Phase::FastRecovery)
    );
    assert_eq!(duplicate(&mut host), 9 * MSS);
    // RFC 6582: a partial ACK of three takes three and gives one.
    host.tell(acked(0, 3 * MSS, 50, 7 * MSS));
    assert_eq!(host.cwnd(0), 7 * MSS);
    // No more duplicates than segments were in flight, whatever the peer sends.
    for _ in 0..50 {
        duplicate(&mut host);
    }
    assert_eq!(host.cwnd(0), 15 * MSS);
    host.recover(0);
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (5 * MSS, 5 * MSS));
}

#[test]
fn the_duplicates_that_tell_of_a_loss_can_be_two() {
    let mut config = plain();
    config.duplicate_threshold = 2;
    let mut host = Host::new(config, 1);
    for phase in [Phase::Open, Phase::FastRecovery] {
        host.tell(Input::Duplicate {
            subflow: SOLE,
            in_flight: 10 * MSS,
        });
        assert_eq!(host.phase(0), phase);
    }
    assert_eq!(host.cwnd(0), 7 * MSS);
}

/// RFC 7661: what the application or the receiver limits must not grow.
#[test]
fn a_window_less_than_half_in_use_keeps_still() {
    let mut host = Host::new(plain(), 1);
    host.tell(acked(0, MSS, 50, 3 * MSS));
    assert_eq!(host.cwnd(0), 10 * MSS);
    host.tell(acked(0, MSS, 50, 4 * MSS));
    assert_eq!(host.cwnd(0), 11 * MSS);
    let mut config = plain();
    config.validate = false;
    let mut host = Host::new(config, 1);
    host.tell(acked(0, MSS, 50, 0));
    assert_eq!(host.cwnd(0), 11 * MSS);
}

#[test]
fn a_penalty_halves() {
    let mut host = Host::new(plain(), 1);
    host.tell(Input::Penalised { subflow: SOLE });
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (5 * MSS, 1 << 30));
    host.settle(0, 50);
    host.tell(Input::Penalised { subflow: SOLE });
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (1_250, 2 * MSS));
}

#[test]
fn no_window_grows_above_the_cap() {
    let mut config = plain();
    config.max_window = 1 << 26;
    let mut coupler = Coupler::<1>::new(config, Instant::ZERO).unwrap();
    let mut tell = |input| coupler.handle_input(Instant::ZERO, input).unwrap();
    tell(Input::SubflowAdded {
        subflow: SOLE,
        mss: u16::MAX,
    });
    // Slow start ends at the cap, 1,024 segments and a bit; congestion avoidance stays there.
    for _ in 0..1_100 {
        tell(acked(0, u64::MAX, 50, u64::MAX));
    }
    assert_eq!(coupler.cwnd(SOLE), Some(1 << 26));
}

/// Growth in congestion avoidance of windows of 5 segments, in thousandths of a segment, when
/// each has one window acknowledged in one go.
fn growth(coupling: Coupling, rtts_ms: &[u64]) -> Vec<u64> {
    let mut config = plain();
    config.coupling = coupling;
    let ids = || (0..).zip(rtts_ms.iter().copied());
    let mut host = Host::new(config, u32::try_from(rtts_ms.len()).unwrap());
    ids().for_each(|(id, rtt)| host.settle(id, rtt));
    let before: Vec<u64> = ids().map(|(id, _)| host.cwnd(id)).collect();
    ids().for_each(|(id, rtt)| host.ack(id, 5, rtt));
    let after = ids().map(|(id, _)| host.cwnd(id));
    after
        .zip(before)
        .map(|(after, before)| after - before)
        .collect()
}

/// The laws have tables of their own; here, that the machine applies the right one. Two
/// digits, as fractions of bytes are rounded down. BALIA's loss leaves a quarter of the far window,
/// 2.5 segments: rates of 5 and 0.25, shares of 20/21 and 1/21.
#[test]
fn each_coupling_applies_its_law() {
    let percent = |growth: Vec<u64>| -> Vec<u64> { growth.iter().map(|g| g / 10).collect() };
    assert_eq!(percent(growth(Coupling::Uncoupled, &[50, 50])), [100, 100]);
    assert_eq!(percent(growth(Coupling::Lia, &[50])), [100]);
    assert_eq!(percent(growth(Coupling::Lia, &[50, 50])), [25, 25]);
    assert_eq!(percent(growth(Coupling::Lia, &[10, 100])), [82, 82]);
    assert_eq!(percent(growth(Coupling::Olia, &[50, 50]))[0], 25);
    assert_eq!(percent(growth(Coupling::Balia, &[50, 50]))[0], 25);
    // (20/21)^2.
    assert_eq!(percent(growth(Coupling::Balia, &[10, 100]))[0], 90);
}

#[test]
fn balia_cuts_the_slow_path_by_three_quarters() {
    let mut config = plain();
    config.coupling = Coupling::Balia;
    let mut host = Host::new(config, 2);
    host.ack(0, 0, 10);
    host.ack(1, 0, 100);
    host.lose(1, Loss::Duplicates);
    host.lose(0, Loss::Duplicates);
    assert_eq!((host.cwnd(0), host.cwnd(1)), (5 * MSS, 2_500));
}

/// OLIA takes from the widest and gives to the best, until that is the widest.
#[test]
fn olia_moves_the_window() {
    let mut config = plain();
    config.coupling = Coupling::Olia;
    let mut host = Host::new(config, 2);
    host.settle(0, 100);
    host.settle(1, 10);
    host.lose(1, Loss::Duplicates);
    host.ack(1, 50, 10);
    host.recover(1);
    assert_eq!((host.cwnd(0), host.cwnd(1)), (5 * MSS, 2_500));
    // Rates of 50 and 250 bytes a millisecond, a share of 1/6: 1/36 - 1/2 is lost per window.
    host.ack(0, 5, 100);
    assert_eq!(host.cwnd(0), 5 * MSS - 473);
    (0..40).for_each(|_| host.ack(0, 5, 100));
    assert!((2 * MSS..2_500).contains(&host.cwnd(0)), "{}", host.cwnd(0));
    // 25/36 + 1/2 for the other, while it was the narrower.
    (0..5).for_each(|_| host.ack(1, 5, 10));
    assert!(host.cwnd(1) > 2_500 + 5 * 25 * MSS / 36);
}

#[test]
fn a_path_without_a_round_trip_time_waits_and_is_not_waited_for() {
    let mut host = Host::new(plain(), 2);
    host.settle(0, 50);
    host.lose(1, Loss::Duplicates);
    host.recover(1);
    host.ack(0, 5, 50);
    assert_eq!(host.cwnd(0), 6 * MSS);
    host.tell(Input::Acked {
        subflow: SubflowId(1),
        bytes: 5 * MSS,
        rtt: None,
        one_way: None,
        in_flight: u64::MAX,
    });
    assert_eq!(host.cwnd(1), 5 * MSS);
}

/// 100 Gbit/s and 10 s: 125 GB in flight. A window that large still grows, and by one segment per
/// round trip, less what is rounded down.
#[test]
fn the_longest_and_fattest_path_grows_by_a_segment_per_round_trip() {
    let mut config = plain();
    config.max_window = 1 << 39;
    let mut coupler = Coupler::<1>::new(config, Instant::ZERO).unwrap();
    let mut tell = |input| coupler.handle_input(Instant::ZERO, input).unwrap();
    let mss = 9_000_u64;
    tell(Input::SubflowAdded {
        subflow: SOLE,
        mss: 9_000,
    });
    // 14 million ACKs of slow start would be exact, but take a while.
    for _ in 0..200_000 {
        tell(acked(0, mss, 10_000, u64::MAX));
    }
    tell(Input::Lost {
        subflow: SOLE,
        loss: Loss::Duplicates,
        in_flight: u64::MAX,
    });
    tell(Input::Recovered { subflow: SOLE });
    let acks = 100_005;
    for _ in 0..acks {
        tell(acked(0, mss, 10_000, u64::MAX));
    }
    let grown = coupler.cwnd(SOLE).unwrap() - 100_005 * mss;
    assert!((mss - 1..=mss).contains(&grown), "{grown}");
}

#[test]
fn faults_of_the_caller_are_refused_and_change_nothing() {
    let mut coupler = Coupler::<2>::new(Config::new(), Instant::ZERO).unwrap();
    let added = |id, mss| Input::SubflowAdded {
        subflow: SubflowId(id),
        mss,
    };
    for id in 0..2 {
        coupler.handle_input(Instant::ZERO, added(id, 9)).unwrap();
    }
    let before = coupler.clone();
    let unknown = SubflowId(2);
    let lost = Input::Lost {
        subflow: unknown,
        loss: Loss::Timeout,
        in_flight: 0,
    };
    let table = [
        (added(1, 9), Error::DuplicateSubflow(SubflowId(1))),
        (added(2, 0), Error::ZeroMss(unknown)),
        (added(2, 9), Error::Full),
        (
            Input::SubflowRemoved { subflow: unknown },
            Error::UnknownSubflow(unknown),
        ),
        (
            Input::Recovered { subflow: unknown },
            Error::UnknownSubflow(unknown),
        ),
        (
            Input::Idled { subflow: unknown },
            Error::UnknownSubflow(unknown),
        ),
        (
            Input::Penalised { subflow: unknown },
            Error::UnknownSubflow(unknown),
        ),
        (acked(2, 1, 1, 1), Error::UnknownSubflow(unknown)),
        (lost, Error::UnknownSubflow(unknown)),
    ];
    for (input, error) in table {
        assert_eq!(coupler.handle_input(Instant::ZERO, input), Err(error));
        assert_eq!(coupler, before);
    }
}

#[test]
fn settings_are_told_once_and_coalesced() {
    let mut host = Host::new(plain(), 2);
    let (first, wake) = host.drain();
    assert_eq!((first.len(), wake), (4, None));
    (0..5).for_each(|_| host.ack(0, 1, 50));
    let (settings, _) = host.drain();
    let subflow = SOLE;
    assert_eq!(
        settings,
        [Output::Cwnd {
            subflow,
            bytes: 15 * MSS
        }]
    );
    assert_eq!(host.drain().0, []);
    host.sleep(Duration::from_hours(1).as_millis().try_into().unwrap());
    assert_eq!(host.drain(), (vec![], None));
}
