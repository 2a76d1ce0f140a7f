//! Four forwarders on loopback UDP sockets, a thread each: `a` with a consumer, `b` and `c` side by
//! side, `d` with a producer. The consumer finds both paths and fetches an object over them.
//!
//! `host.rs` is all that it takes to run a forwarder; `app.rs` is what uses it.
#![expect(
    clippy::disallowed_methods,
    reason = "a host is where the clock is read"
)]

mod app;
mod host;

use std::collections::VecDeque;
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant as Clock;

use mars_consumer_core::{self as consumer, Consumer, Object};
use mars_forwarder_core::{Config, FaceId, FaceKind, Forwarder, Input, Route};
use mars_time::Instant;
use mars_wire::NameBuf;

use crate::app::{App, SEGMENTS};
use crate::host::{APP, Host};

type Fault = Box<dyn Error + Send + Sync>;

/// Per node its name, its neighbours, and its next hops to `d`: a neighbour and links to go.
type Node = (&'static str, &'static [usize], &'static [(u32, u32)]);
const NODES: [Node; 4] = [
    ("a", &[1, 2], &[(0, 2), (1, 2)]),
    ("b", &[0, 3], &[(1, 1)]),
    ("c", &[0, 3], &[(1, 1)]),
    ("d", &[1, 2], &[]),
];

fn main() -> Result<(), Fault> {
    let bind = |_| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0));
    let sockets: Vec<UdpSocket> = (0..NODES.len()).map(bind).collect::<Result<_, _>>()?;
    let places: Vec<SocketAddr> = sockets
        .iter()
        .map(UdpSocket::local_addr)
        .collect::<Result<_, _>>()?;
    let done = AtomicBool::new(false);
    let clock = Clock::now();
    let mut hosts = Vec::new();
    for (socket, node) in sockets.into_iter().zip(NODES) {
        hosts.push(host(node, socket, &places, clock)?);
    }
    std::thread::scope(|scope| {
        let run = |mut host: Host| {
            let done = &done;
            scope.spawn(move || {
                let outcome = host.run(done);
                done.store(true, Ordering::Relaxed);
                outcome
            })
        };
        let threads: Vec<_> = hosts.into_iter().map(run).collect();
        let outcomes = threads.into_iter().map(|thread| match thread.join() {
            Ok(outcome) => outcome,
            Err(_) => Err("a host panicked".into()),
        });
        outcomes.collect::<Result<Vec<()>, Fault>>()
    })?;
    println!("{SEGMENTS} segments in {:?}", clock.elapsed());
    Ok(())
}

fn host(
    (name, neighbours, routes): Node,
    socket: UdpSocket,
    places: &[SocketAddr],
    clock: Clock,
) -> Result<Host, Fault> {
    // A secret of each node in earnest; here its port will do.
    let seed = u64::from(socket.local_addr()?.port());
    let now = Instant::ZERO;
    let dest = NameBuf::new().generic(b"d");
    let prefix = dest.as_name();
    let mut forwarder = Forwarder::new(Config::new(seed), now)?;
    for face in (0..).map(FaceId).take(neighbours.len()) {
        forwarder.handle_input(
            now,
            Input::FaceAdded {
                face,
                kind: FaceKind::Mars,
            },
        )?;
    }
    forwarder.handle_input(
        now,
        Input::FaceAdded {
            face: APP,
            kind: FaceKind::Local,
        },
    )?;
    let routes: Vec<Route> = routes
        .iter()
        .map(|(face, hops)| Route {
            face: FaceId(*face),
            hops: *hops,
        })
        .collect();
    let mut app = App::Nothing;
    if name == "d" {
        forwarder.handle_input(now, Input::ProducerRegistered { prefix, face: APP })?;
        app = App::Producer;
    } else {
        forwarder.handle_input(
            now,
            Input::Routes {
                prefix,
                routes: &routes,
            },
        )?;
    }
    if name == "a" {
        let object = Object::Segments(SEGMENTS);
        let config = consumer::Config::new(dest, b"a".to_vec(), seed, object);
        app = App::Consumer(Box::new(Consumer::new(config, now)?));
    }
    Ok(Host {
        name,
        forwarder,
        app,
        socket,
        neighbours: neighbours.iter().map(|node| places[*node]).collect(),
        clock,
        inbox: VecDeque::new(),
    })
}
