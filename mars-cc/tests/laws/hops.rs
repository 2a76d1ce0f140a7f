//! Controllers in series: the bottleneck lies beyond the next forwarder.

use crate::net::{Net, SECOND, jain, utilisation};
use crate::scenes::{measure, two_hops};

#[test]
fn unequal_round_trips_share_a_link_beyond() {
    for (per, loss, full) in [(1, 0, 990), (4, 0, 990), (1, 10, 970)] {
        let mut net = Net::new(3);
        let pipe = two_hops(&mut net, 40, &[10, 30, 50, 70, 90], per, false, loss);
        net.run_until(3 * SECOND);
        let figures = measure(&mut net, pipe, 13 * SECOND);
        assert!(figures.utilisation >= full, "{figures:?}");
        assert!(figures.jain >= 9_950, "{figures:?}");
        assert!(figures.queue.1 <= 20, "{figures:?}");
        assert!(net.slots_match());
    }
}

#[test]
fn long_paths_to_a_slower_link_settle() {
    for prefixes in [1, 5] {
        let mut net = Net::new(3);
        let pipe = two_hops(&mut net, 40, &[100], prefixes, false, 0);
        net.run_until(3 * SECOND);
        let figures = measure(&mut net, pipe, 13 * SECOND);
        assert!(figures.utilisation >= 990, "{figures:?}");
        let nacks: u64 = net.got.iter().map(|got| got.nacks).sum();
        assert_eq!(nacks, 0);
    }
}

#[test]
fn one_prefix_is_shared_by_near_and_far() {
    let mut net = Net::new(3);
    two_hops(&mut net, 40, &[10, 30, 50, 70], 1, true, 0);
    net.run_until(3 * SECOND);
    net.reset_counts();
    net.run_until(33 * SECOND);
    let shares: Vec<u64> = net.by_node.values().copied().collect();
    assert_eq!(shares.len(), 4);
    assert!(jain(&shares) >= 9_900, "{shares:?}");
    let sum = shares.iter().sum();
    assert!(utilisation(sum, 40, 30 * SECOND) >= 990, "{shares:?}");
}
