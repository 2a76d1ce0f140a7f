//! How soon links are full.

use crate::net::{MS, Net, SECOND, Wire, queue_figures};
use crate::scenes::{idle_until, one_hop, time_to_full, wide_area};

#[test]
fn the_main_job_fills_ten_links_within_three_round_trips_of_idling() {
    let mut net = Net::new(7);
    let pipes = wide_area(&mut net, 10, 10, 30_000, 0);
    // One round trip of 40 ms (one link: 20 ms) is idle by nature.
    let idle = idle_until(&mut net, 400, SECOND);
    assert!(idle <= 1_200, "{idle} tenths of a millisecond");
    let drops: u64 = pipes.iter().map(|&pipe| net.pipes[pipe].drops).sum();
    assert_eq!(drops, 0);
    net.run_until(9 * SECOND);
    let last = net.got.iter().map(|got| got.finished).max().flatten();
    // 10 x 30,000 chunks of 1,250 octets at 400 Mbit/s take 7.5 s.
    assert!(last.is_some_and(|at| at <= 7_650 * MS), "{last:?}");
    for pipe in pipes {
        let (_, p95, _) = queue_figures(&net.pipes[pipe].found);
        assert!(p95 <= 20, "{p95}");
    }
}

#[test]
fn one_consumer_alone_fills_ten_links() {
    let mut net = Net::new(7);
    wide_area(&mut net, 10, 1, 300_000, 0);
    // log2(1,540 / 4) is 8.6 round trips of doubling; 1.5 times that are 516 ms.
    let full = time_to_full(&mut net, 400, 40);
    assert!(full <= 516, "{full} ms");
}

#[test]
fn time_to_full_is_at_most_that_of_doubling() {
    // (Mbit/s, round trip in ms, prefixes, doublings from 4 packets, in tenths)
    for (mbit, round_trip, prefixes, doublings) in [
        (10, 20, 1, 23),
        (40, 40, 1, 53),
        (40, 40, 10, 53),
        (100, 100, 1, 80),
        (100, 100, 10, 80),
        (400, 50, 5, 90),
        (400, 100, 5, 100),
    ] {
        let mut net = Net::new(1);
        one_hop(&mut net, Wire::new(mbit, round_trip * MS / 2), prefixes);
        let full = time_to_full(&mut net, mbit, round_trip);
        let bar = 15 * doublings * round_trip / 100;
        assert!(
            full <= bar,
            "{mbit} Mbit/s, {round_trip} ms: {full} > {bar} ms"
        );
    }
}

#[test]
fn the_start_of_many_prefixes_overflows_no_queue() {
    for (mbit, round_trip) in [(10, 20), (40, 40), (40, 100), (100, 50)] {
        let mut net = Net::new(1);
        let (_, pipe) = one_hop(&mut net, Wire::new(mbit, round_trip * MS / 2), 10);
        net.run_until(2 * SECOND);
        assert_eq!(net.pipes[pipe].drops, 0, "{mbit} Mbit/s, {round_trip} ms");
    }
}
