//! Faults that people reported of multipath stacks, as far as the owner of the windows has a part
//! in them. What needs packets, a scheduler or a receiver is for a model of the whole stack:
//! meta-level retransmission (mptcp_net-next 206), buffers that follow the windows (437, 123),
//! completion times (589, 607; mptcp 168, 278, 223).
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod common;

use common::{Host, MSS, acked, plain};
use mptcp_acw::{Config, Input, SubflowId};

const A: SubflowId = SubflowId(0);

/// <https://github.com/multipath-tcp/mptcp_net-next/issues/348>: an idle subflow keeps a stale
/// round-trip time and is never tried again. Path A goes from 20 to 200 ms for 5 s, and back.
#[test]
fn what_an_idle_subflow_was_does_not_bind_it() {
    let mut host = Host::new(Config::new(), 2);
    host.ack(0, 1, 20);
    host.ack(1, 1, 100);
    // A becomes slow, then the host stops using it.
    (0..60).for_each(|_| host.tell(acked(0, 0, 200, u64::MAX)));
    host.sleep(1_600);
    host.tell(Input::Idled { subflow: A });
    // It can be tried at any time: there is a window for it.
    assert!((2 * MSS..=10 * MSS).contains(&host.cwnd(0)));
    let cuts = host.cuts(0);
    for _ in 0..5 {
        host.ack(1, 0, 100);
        host.sleep(500);
    }
    assert_eq!(host.cuts(0), cuts, "200 ms are forgotten");
    // Tried again, it is what it is now: the other one is the slow one (20 ms, by 100 beyond the
    // ratios that act; 60 within).
    for _ in 0..40 {
        host.ack(0, 1, 20);
        host.ack(1, 0, 40);
    }
    host.sleep(500);
    assert_eq!(host.cuts(0), cuts);
    assert!(host.cuts(1) > 0);
}

/// <https://github.com/multipath-tcp/mptcp_net-next/issues/349>: the same to the side. What an
/// idle subflow once had does not hold back the one in use: alone, that is a TCP.
#[test]
fn an_idle_subflow_takes_no_share_of_the_increase() {
    let mut host = Host::new(plain(), 2);
    host.settle(0, 50);
    host.settle(1, 50);
    host.ack(1, 5, 50);
    let coupled = host.cwnd(1) - 5 * MSS;
    assert_eq!(coupled, MSS / 4);
    host.tell(Input::Idled { subflow: A });
    let before = host.cwnd(1);
    host.tell(acked(1, before, 50, 0));
    assert_eq!(host.cwnd(1) - before, MSS);
}

/// RFC 5681, section 4.1: what comes back after a pause does not send a whole old window at once.
#[test]
fn an_idle_subflow_restarts_from_the_initial_window_at_most() {
    let mut host = Host::new(plain(), 1);
    (0..90).for_each(|_| host.ack(0, 1, 50));
    assert_eq!(host.cwnd(0), 100 * MSS);
    host.tell(Input::Idled { subflow: A });
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (10 * MSS, 1 << 30));
    host.settle(0, 50);
    host.tell(Input::Idled { subflow: A });
    assert_eq!((host.cwnd(0), host.ssthresh(0)), (5 * MSS, 5 * MSS));
}

/// <https://github.com/multipath-tcp/mptcp_net-next/issues/581>: a restored subflow is not used.
/// It starts as a new one, whatever its number was before.
#[test]
fn a_subflow_that_comes_back_starts_anew() {
    let mut host = Host::new(Config::new(), 2);
    host.settle(0, 50);
    host.lose(0, mptcp_acw::Loss::Timeout);
    host.tell(Input::SubflowRemoved { subflow: A });
    host.add(0);
    assert_eq!(
        (host.cwnd(0), host.ssthresh(0), host.cuts(0)),
        (10 * MSS, 1 << 30, 0)
    );
    // And is told of as a new one.
    host.drain();
    host.tell(Input::SubflowRemoved { subflow: A });
    host.add(0);
    assert_eq!(host.drain().0.len(), 2);
}

#[test]
fn a_removed_subflow_takes_no_share_of_the_increase() {
    let mut host = Host::new(plain(), 2);
    host.settle(0, 50);
    host.settle(1, 50);
    host.tell(Input::SubflowRemoved { subflow: A });
    host.ack(1, 5, 50);
    assert_eq!(host.cwnd(1), 6 * MSS);
}

/// A backup that waits neither takes a share nor is compared; alone, it is a TCP.
#[test]
fn a_backup_counts_only_when_nothing_else_does() {
    let mut host = Host::new(Config::new(), 2);
    let backup = |backup| Input::Priority { subflow: A, backup };
    host.settle(0, 90);
    host.settle(1, 50);
    host.tell(backup(true));
    host.ack(1, 5, 50);
    assert_eq!(host.cwnd(1), 6 * MSS);
    host.sleep(500);
    assert_eq!(host.cuts(0), 0);
    // The regular one is gone.
    host.tell(Input::Idled {
        subflow: SubflowId(1),
    });
    host.ack(0, 5, 90);
    assert_eq!(host.cwnd(0), 6 * MSS);
    // Both regular again: coupled, and the slow one is cut.
    host.tell(backup(false));
    host.ack(1, 0, 50);
    host.ack(0, 0, 90);
    host.sleep(500);
    assert_eq!(host.cuts(0), 1);
}
