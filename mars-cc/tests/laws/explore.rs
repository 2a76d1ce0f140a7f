use crate::net::*;
use mars_cc::*;

pub fn one_hop(
    f: impl Fn(&mut Net),
    mbit: u64,
    rtt: u64,
    n: usize,
    loss: u64,
    jitter: u64,
    seed: u64,
    stagger: u64,
) -> String {
    let mut net = Net::new(seed);
    f(&mut net);
    let (a, b) = (net.node(), net.node());
    let wire = Wire {
        loss_per_mille: loss,
        jitter,
        ..Wire::new(mbit, rtt * MS / 2)
    };
    let (link, pipe) = net.link(a, b, wire);
    for p in 0..n {
        net.route(a, p, link);
        net.produce(b, p, 0);
        net.source(a, p, p as u64 * stagger, u64::MAX);
    }
    net.run_until(1500 * MS);
    let got: u64 = net.got.iter().map(|g| g.data).sum();
    let idle = idle(got, mbit, 1500 * MS);
    let drops = net.pipes[pipe].drops;
    net.run_until(2 * SECOND);
    net.reset_counts();
    net.run_until(6 * SECOND);
    let shares: Vec<u64> = net.got.iter().map(|g| g.data).collect();
    let (mean, p95, max) = queue_figures(&net.pipes[pipe].found);
    assert!(net.slots_match());
    format!(
        "{mbit:4} {rtt:4} {n:3} {loss:3} | idle {idle:5} drops {drops:4} | util {:5} jain {:5} q {:3} {p95:3} {max:3} W {}",
        utilisation(shares.iter().sum(), mbit, 4 * SECOND),
        jain(&shares),
        mean,
        net.face_of(link).window()
    )
}

#[test]
#[ignore = "prints"]
fn grid() {
    for mbit in [10, 40, 100] {
        for rtt in [5, 20, 50, 100] {
            for n in [1, 5, 20] {
                for loss in [0, 10] {
                    println!("{}", one_hop(|_| {}, mbit, rtt, n, loss, 0, 1, 0));
                }
            }
        }
    }
}
