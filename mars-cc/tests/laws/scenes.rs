//! Set-ups that several tests share.

use crate::net::{MS, Net, SECOND, Wire, idle, jain, queue_figures, utilisation};

/// For ever.
pub(crate) const ALWAYS: u64 = u64::MAX;

/// What a bottleneck showed over some time. Shares are in parts of 1,000 (Jain of 10,000).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) utilisation: u64,
    pub(crate) jain: u64,
    /// Queue found by Data: mean in tenths, 95th percentile, greatest.
    pub(crate) queue: (u64, usize, usize),
}

/// Figures of `pipe` from now until `end`, one share per prefix.
pub(crate) fn measure(net: &mut Net, pipe: usize, end: u64) -> Figures {
    net.reset_counts();
    let span = end - net.now();
    let mbit = net.pipes[pipe].rate / 1_000_000;
    net.run_until(end);
    let shares: Vec<u64> = net.got.iter().map(|got| got.data).collect();
    Figures {
        utilisation: utilisation(shares.iter().sum(), mbit, span),
        jain: jain(&shares),
        queue: queue_figures(&net.pipes[pipe].found),
    }
}

pub(crate) fn delivered(net: &Net) -> u64 {
    net.got.iter().map(|got| got.data).sum()
}

/// Tenths of a millisecond for which a link of `mbit` stood idle until `end`.
pub(crate) fn idle_until(net: &mut Net, mbit: u64, end: u64) -> u64 {
    net.run_until(end);
    idle(delivered(net), mbit, end)
}

/// One forwarder, one link, producers behind it; every prefix has an endless backlog.
/// Gives link and Data pipe.
pub(crate) fn one_hop(net: &mut Net, wire: Wire, prefixes: usize) -> (usize, usize) {
    let (here, there) = (net.node(), net.node());
    let (link, pipe) = net.link(here, there, wire);
    for prefix in 0..prefixes {
        net.route(here, prefix, link);
        net.produce(there, prefix, 0);
        net.source(here, prefix, 0, ALWAYS);
    }
    (link, pipe)
}

/// Forwarders at several distances (round trips in ms) share one link of `mbit` beyond the next
/// forwarder; each asks for `per` prefixes of its own, or all for the same one. Gives the Data pipe
/// of the shared link.
pub(crate) fn two_hops(
    net: &mut Net,
    mbit: u64,
    round_trips: &[u64],
    per: usize,
    same: bool,
    loss_per_mille: u64,
) -> usize {
    let (middle, far) = (net.node(), net.node());
    let wire = |mbit, delay| Wire {
        loss_per_mille,
        ..Wire::new(mbit, delay)
    };
    let (upper, pipe) = net.link(middle, far, wire(mbit, 2 * MS));
    let mut prefix = 0;
    for &round_trip in round_trips {
        let here = net.node();
        let (lower, _) = net.link(here, middle, wire(100, (round_trip - 4) * MS / 2));
        for _ in 0..per {
            let asked = if same { 0 } else { prefix };
            net.route(here, asked, lower);
            net.source(here, asked, 0, ALWAYS);
            if !same || prefix == 0 {
                net.route(middle, asked, upper);
                net.produce(far, asked, 0);
            }
            prefix += 1;
        }
    }
    pipe
}

/// The main job: `clients` consumers of `chunks` chunks each on one server, `links` access links of
/// 40 Mbit/s and 5 ms, a core that leads to the home of the producers: round trips of 20 ms over
/// the first link and 40 ms over the others. Gives the Data pipes of the access links.
pub(crate) fn wide_area(
    net: &mut Net,
    links: usize,
    clients: usize,
    chunks: u64,
    loss_per_mille: u64,
) -> Vec<usize> {
    let fast = |delay| Wire {
        cap: 1_000,
        ..Wire::new(1_000, delay)
    };
    let access = Wire {
        loss_per_mille,
        ..Wire::new(40, 5 * MS)
    };
    let server = net.node();
    let core: Vec<usize> = (0..links).map(|_| net.node()).collect();
    let home = core[0];
    let mut faces = Vec::new();
    let mut pipes = Vec::new();
    let mut inner = Vec::new();
    for &node in &core {
        let (face, pipe) = net.link(server, node, access);
        faces.push(face);
        pipes.push(pipe);
        inner.push((node != home).then(|| net.link(node, home, fast(10 * MS)).0));
    }
    for prefix in 0..clients {
        let client = net.node();
        let last = net.link(home, client, fast(5 * MS)).0;
        net.route(home, prefix, last);
        net.produce(client, prefix, 0);
        for ((&node, &face), &inner) in core.iter().zip(&faces).zip(&inner) {
            net.route(server, prefix, face);
            if let Some(inner) = inner {
                net.route(node, prefix, inner);
            }
        }
        net.consume(server, prefix, 0, chunks);
    }
    pipes
}

/// Sources over one plain router of `wire` that reports nothing: one face for all prefixes, or one
/// each to a forwarder of its own. With `reports` the far forwarders report their own, empty
/// queues. Gives the Data pipe of the router.
pub(crate) fn plain_router(
    net: &mut Net,
    wire: Wire,
    prefixes: usize,
    faces: usize,
    reports: bool,
) -> usize {
    let here = net.node();
    let (forth, back) = (net.pipe(wire), net.pipe(wire));
    let entry = net.pipe(Wire {
        cap: 1_000,
        ..Wire::new(1_000, 0)
    });
    let ways: Vec<(usize, usize)> = (0..faces)
        .map(|_| {
            let there = net.node();
            let way = net.tunnel(here, there, vec![forth], vec![entry, back], reports);
            (there, way)
        })
        .collect();
    for prefix in 0..prefixes {
        let (there, way) = ways[prefix % faces];
        net.route(here, prefix, way);
        net.produce(there, prefix, 0);
        net.source(here, prefix, 0, ALWAYS);
    }
    back
}

/// Milliseconds, rounded up, after which a bin of one round trip is 95 % full for the first time.
pub(crate) fn time_to_full(net: &mut Net, mbit: u64, round_trip: u64) -> u64 {
    let mut before = 0;
    for bin in 1..200 {
        let end = bin * round_trip * MS;
        net.run_until(end);
        let now = delivered(net);
        if utilisation(now - before, mbit, round_trip * MS) >= 950 {
            return end / MS;
        }
        before = now;
    }
    200 * round_trip
}

/// A warm-up, by the round trip in ms.
pub(crate) fn warm_up(round_trip: u64) -> u64 {
    if round_trip >= 100 {
        2 * SECOND
    } else {
        SECOND
    }
}
