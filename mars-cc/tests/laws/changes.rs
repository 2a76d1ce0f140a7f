//! Capacity that comes and goes, flows that leave, and upstreams that lie.

use crate::net::{MS, Net, SECOND, Wire, utilisation};
use crate::scenes::{ALWAYS, delivered, measure, one_hop, wide_area};

#[test]
fn a_quarter_of_the_capacity_and_back() {
    let mut net = Net::new(1);
    let (_, pipe) = one_hop(&mut net, Wire::new(40, 10 * MS), 5);
    net.set_rate_at(3 * SECOND, pipe, 10);
    net.set_rate_at(6 * SECOND, pipe, 40);
    // Half a second after either step the link is full and the queue short.
    net.run_until(3_500 * MS);
    let slow = measure(&mut net, pipe, 6 * SECOND - 1);
    assert!(slow.utilisation >= 990 && slow.queue.1 <= 20, "{slow:?}");
    net.run_until(6_500 * MS);
    let fast = measure(&mut net, pipe, 8 * SECOND);
    assert!(fast.utilisation >= 990 && fast.queue.1 <= 20, "{fast:?}");
}

/// Ten prefixes, of which nine end at 3 s; idle round trips (in thousandths) of the bottleneck in
/// the twenty that follow.
fn idle_after_nine_left(lower: u64, upper: u64, round_trip: u64) -> u64 {
    let mut net = Net::new(1);
    let (here, middle, far) = (net.node(), net.node(), net.node());
    let (near, _) = net.link(here, middle, Wire::new(lower, round_trip * MS / 2 - 2 * MS));
    let (beyond, _) = net.link(middle, far, Wire::new(upper, 2 * MS));
    for prefix in 0..10 {
        net.route(here, prefix, near);
        net.route(middle, prefix, beyond);
        net.produce(far, prefix, 0);
        let end = if prefix == 0 { ALWAYS } else { 3 * SECOND };
        net.source(here, prefix, 0, end);
    }
    net.run_until(3 * SECOND);
    let before = delivered(&net);
    let span = 20 * round_trip * MS;
    net.run_until(3 * SECOND + span);
    let used = utilisation(delivered(&net) - before, lower.min(upper), span);
    20 * 1_000_u64.saturating_sub(used)
}

#[test]
fn who_stays_takes_what_others_leave() {
    for round_trip in [20, 40, 100] {
        // The shared link is the next one: only the prefix's window has to grow.
        let idle = idle_after_nine_left(40, 100, round_trip);
        assert!(idle <= 1_500, "{round_trip} ms: {idle}");
        // It lies beyond: the growth is felt out by the queue there.
        let idle = idle_after_nine_left(100, 40, round_trip);
        assert!(idle <= 8_000, "{round_trip} ms: {idle}");
    }
}

#[test]
fn a_liar_harms_its_own_face_only() {
    for lie in [0, u16::MAX] {
        let mut net = Net::new(1);
        let (here, liar, honest) = (net.node(), net.node(), net.node());
        let (false_link, false_pipe) = net.link(here, liar, Wire::new(40, 10 * MS));
        let (true_link, true_pipe) = net.link(here, honest, Wire::new(40, 10 * MS));
        net.lie(false_link, lie);
        for (prefix, there, link) in [(0, liar, false_link), (1, honest, true_link)] {
            net.route(here, prefix, link);
            net.produce(there, prefix, 0);
            net.source(here, prefix, 0, ALWAYS);
        }
        net.run_until(5 * SECOND);
        net.reset_counts();
        net.run_until(15 * SECOND);
        let honest = utilisation(net.got[1].data, 40, 10 * SECOND);
        assert!(honest >= 990, "{honest}");
        let (_, p95, _) = crate::net::queue_figures(&net.pipes[true_pipe].found);
        assert!(p95 <= 20);
        // Something still comes over the other, and little of it is lost.
        assert!(net.got[0].data > 100, "{lie}: {}", net.got[0].data);
        let drops = net.pipes[false_pipe].drops;
        assert!(drops * 10 <= net.got[0].data, "{lie}: {drops}");
    }
}

#[test]
fn a_link_that_was_down_is_full_again_at_once() {
    let mut net = Net::new(7);
    let pipes = wide_area(&mut net, 5, 5, 60_000, 0);
    // The home has an access link only, the others one behind it too: the third access link is the
    // fourth of all.
    let (face, pipe) = (3, pipes[2]);
    net.set_link_at(2 * SECOND, face, false);
    net.set_link_at(4 * SECOND, face, true);
    net.run_until(3 * SECOND);
    let without = measure(&mut net, pipes[1], 4 * SECOND);
    let others = without.utilisation * 40 / 160;
    assert!(others >= 990, "{without:?}");
    net.run_until(4_200 * MS);
    net.reset_counts();
    net.run_until(5_200 * MS);
    let found: u64 = net.pipes[pipe].found.iter().sum();
    assert!(utilisation(found, 40, SECOND) >= 950, "{found}");
    assert!(net.slots_match());
}
