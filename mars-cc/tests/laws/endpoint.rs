//! Upstreams that report nothing, and routers between that report nothing.

use crate::net::{MS, Net, SECOND, Wire};
use crate::scenes::{measure, plain_router};

fn wire(loss_per_mille: u64, jitter: u64) -> Wire {
    Wire {
        loss_per_mille,
        jitter,
        ..Wire::new(40, 20 * MS)
    }
}

#[test]
fn one_face_without_reports_is_full_and_fair() {
    for (prefixes, loss, full) in [(1, 0, 990), (10, 0, 990), (1, 10, 960), (10, 10, 960)] {
        let mut net = Net::new(5);
        let pipe = plain_router(&mut net, wire(loss, 0), prefixes, 1, false);
        net.run_until(2 * SECOND);
        let figures = measure(&mut net, pipe, 22 * SECOND);
        assert!(
            figures.utilisation >= full,
            "{prefixes} {loss}: {figures:?}"
        );
        assert!(figures.jain >= 9_950, "{prefixes} {loss}: {figures:?}");
    }
}

#[test]
fn a_little_jitter_is_no_queue() {
    let mut net = Net::new(5);
    let pipe = plain_router(&mut net, wire(0, 2 * MS), 1, 1, false);
    net.run_until(2 * SECOND);
    let figures = measure(&mut net, pipe, 22 * SECOND);
    assert!(figures.utilisation >= 970, "{figures:?}");
}

#[test]
fn a_router_that_nobody_reports_is_seen_all_the_same() {
    // The far forwarders report empty queues, as their own are.
    for faces in [1, 5] {
        let mut net = Net::new(5);
        let pipe = plain_router(&mut net, wire(0, 0), 5, faces, true);
        net.run_until(5 * SECOND);
        let figures = measure(&mut net, pipe, 25 * SECOND);
        assert!(figures.utilisation >= 970, "{faces}: {figures:?}");
        assert!(figures.jain >= 9_900, "{faces}: {figures:?}");
        assert_eq!(net.pipes[pipe].drops, 0, "{faces}");
    }
}
