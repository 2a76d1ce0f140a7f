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

pub fn job(
    f: impl Fn(&mut Net),
    groups: usize,
    clients: usize,
    chunks: u64,
    links: usize,
    loss: u64,
) -> String {
    let mut net = Net::new(7);
    f(&mut net);
    let cores: Vec<usize> = (0..links).map(|_| net.node()).collect();
    let mut access = vec![];
    let mut up = vec![];
    for g in 0..groups {
        let a = net.node();
        let home = cores[g % links];
        let faces: Vec<_> = cores
            .iter()
            .map(|&c| {
                let (l, p) = net.link(
                    a,
                    c,
                    Wire {
                        loss_per_mille: loss,
                        ..Wire::new(40, 5 * MS)
                    },
                );
                access.push(p);
                up.push(l);
                l
            })
            .collect();
        let to_home: Vec<_> = cores
            .iter()
            .map(|&c| {
                (c != home).then(|| {
                    net.link(
                        c,
                        home,
                        Wire {
                            cap: 1000,
                            ..Wire::new(1000, 10 * MS)
                        },
                    )
                    .0
                })
            })
            .collect();
        for c in 0..clients {
            let p = g * clients + c;
            let client = net.node();
            let l = net
                .link(
                    home,
                    client,
                    Wire {
                        cap: 1000,
                        ..Wire::new(1000, 5 * MS)
                    },
                )
                .0;
            net.route(home, p, l);
            net.produce(client, p, 0);
            for (i, &core) in cores.iter().enumerate() {
                net.route(a, p, faces[i]);
                if let Some(th) = to_home[i] {
                    net.route(core, p, th);
                }
            }
            net.consume(a, p, 0, chunks);
        }
    }
    let mut trace = String::new();
    let mut last = 0;
    for ms in (20..=400).step_by(20) {
        net.run_until(ms * MS);
        let got: u64 = net.got.iter().map(|g| g.data).sum();
        trace += &format!(
            "{} ",
            utilisation(got - last, 40 * (links * groups) as u64, 20 * MS)
        );
        last = got;
    }
    net.run_until(1000 * MS);
    let got: u64 = net.got.iter().map(|g| g.data).sum();
    let nacks: u64 = net.got.iter().map(|g| g.nacks).sum();
    let idle1 = idle(got, 40 * (links * groups) as u64, 1000 * MS);
    let dbg = format!(
        "WC {} q {} WF {} {} WP {}",
        net.consumer_of(0).window(),
        net.queue_of(links, 0),
        net.face_of(up[0]).window(),
        net.face_of(up[1]).window(),
        net.prefix_of(links, 0, 1).window()
    );
    net.run_until(60 * SECOND);
    let mut f: Vec<u64> = net
        .got
        .iter()
        .map(|g| g.finished.unwrap_or(60 * SECOND) / 100_000)
        .collect();
    f.sort();
    let l = chunks * clients as u64 * 1250 * 8 / (400 * links as u64 / 10) / 100;
    let d: u64 = access.iter().map(|&p| net.pipes[p].drops).sum();
    let (qm, q95, qx) = queue_figures(&net.pipes[access[1]].found);
    format!(
        "links {links} clients {clients} loss {loss}: idle1s {idle1} nacks {nacks} drops {d} | fct -L(.1ms): min {} med {} max {} of {l} | q {qm} {q95} {qx} | {dbg} sent {}\n   {trace}",
        f[0] as i64 - l as i64,
        f[f.len() / 2] as i64 - l as i64,
        f[f.len() - 1] as i64 - l as i64,
        net.data_sent
    )
}

#[test]
#[ignore = "prints"]
fn main_job() {
    println!("{}", job(|_| {}, 1, 10, 30_000, 10, 0));
    println!("{}", job(|_| {}, 1, 10, 30_000, 10, 10));
    println!("{}", job(|_| {}, 1, 1, 300_000, 10, 0));
    println!("{}", job(|_| {}, 1, 2, 150_000, 10, 0));
    println!("{}", job(|_| {}, 1, 5, 15_000, 5, 0));
}

fn jobs(f: impl Fn(&mut Net)) {
    println!("{}", job(&f, 1, 10, 30_000, 10, 0));
    println!("{}", job(&f, 1, 10, 30_000, 10, 10));
    println!("{}", job(&f, 1, 1, 60_000, 10, 0));
    println!("{}", job(&f, 1, 5, 15_000, 5, 0));
}

#[test]
#[ignore = "prints"]
fn variants() {
    for (pg, init, pi, hold) in [
        (320, 24, 32, 4),
        (384, 24, 32, 4),
        (320, 24, 32, 8),
        (320, 32, 32, 4),
        (320, 24, 16, 4),
    ] {
        println!("== prefix growth {pg} init {init} prefix init {pi} hold {hold}");
        jobs(|n| {
            n.face.initial_window = init;
            n.prefix.initial_window = pi;
            n.prefix.prefix_growth_q8 = pg;
            n.prefix.startup_patience = hold;
        });
    }
}

#[test]
#[ignore = "prints"]
fn single() {
    let mut net = Net::new(7);
    let links = 10;
    let a = net.node();
    let cores: Vec<usize> = (0..links).map(|_| net.node()).collect();
    let client = net.node();
    let home = cores[0];
    let lc = net
        .link(
            home,
            client,
            Wire {
                cap: 1000,
                ..Wire::new(1000, 5 * MS)
            },
        )
        .0;
    net.route(home, 0, lc);
    net.produce(client, 0, 0);
    let mut acc = vec![];
    let mut ths = vec![];
    for &c in &cores {
        let l = net.link(a, c, Wire::new(40, 5 * MS)).0;
        acc.push(l);
        net.route(a, 0, l);
        if c != home {
            let t = net
                .link(
                    c,
                    home,
                    Wire {
                        cap: 1000,
                        ..Wire::new(1000, 10 * MS)
                    },
                )
                .0;
            net.route(c, 0, t);
            ths.push(t);
        }
    }
    net.consume(a, 0, 0, 1_000_000);
    let mut last = 0;
    for t in 1..50 {
        net.run_until(t * 10 * MS);
        let got = net.got[0].data;
        println!(
            "{:4} util {:4} nacks {:4} | C W {:4} q {:2} | A F {:3}/{:3} P {:3}/{:3} {:?} | core3 q {:2} F {:3}/{:3} {:?} P {:3}/{:3} {:?} | home q {:2} F {:3}/{:3} {:?} P {:3}/{:3} {:?}",
            t * 10,
            utilisation(got - last, 400, 10 * MS),
            net.got[0].nacks,
            net.consumer_of(0).window(),
            net.queue_of(a, 0),
            net.face_of(acc[3]).in_flight(),
            net.face_of(acc[3]).window(),
            net.prefix_of(a, 0, 3).in_flight(),
            net.prefix_of(a, 0, 3).window(),
            net.prefix_of(a, 0, 3).phase(),
            net.queue_of(cores[3], 0),
            net.face_of(ths[2]).in_flight(),
            net.face_of(ths[2]).window(),
            net.face_of(ths[2]).phase(),
            net.prefix_of(cores[3], 0, 0).in_flight(),
            net.prefix_of(cores[3], 0, 0).window(),
            net.prefix_of(cores[3], 0, 0).phase(),
            net.queue_of(home, 0),
            net.face_of(lc).in_flight(),
            net.face_of(lc).window(),
            net.face_of(lc).phase(),
            net.prefix_of(home, 0, 0).in_flight(),
            net.prefix_of(home, 0, 0).window(),
            net.prefix_of(home, 0, 0).phase()
        );
        last = got;
    }
}
