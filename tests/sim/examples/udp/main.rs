//! Four forwarders on loopback UDP sockets, a thread each: `a` with a consumer, `b` and `c` side by
//! side, `d` with a producer. The consumer finds both paths and fetches an object over them.
//!
//! `host.rs` is the loop that runs a forwarder, with `packets.rs` between it and the wire; `app.rs`
//! is what uses the network.
#![expect(
    clippy::disallowed_methods,
    reason = "a host is where the clock is read"
)]

mod app;
mod host;
mod packets;

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::time::Instant as Clock;

use mars_consumer_core::{self as consumer, Consumer, Object};
use mars_forwarder_core::{Config, FaceId, FaceKind, Forwarder, Input, Route};
use mars_time::Instant;
use mars_wire::NameBuf;

use crate::app::{App, Role, SEGMENTS};
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
    let clock = Clock::now();
    let (outcome, outcomes) = channel();
    for (socket, node) in sockets.into_iter().zip(NODES) {
        let host = host(node, socket, &places, clock)?;
        let outcome = outcome.clone();
        // A panic is an outcome, too: nobody else would notice while another path is left.
        std::thread::spawn(move || outcome.send(catch_unwind(AssertUnwindSafe(|| host.run()))));
    }
    // The first that comes to an end is the consumer's, or one with a fault; it ends them all.
    outcomes.recv()?.map_err(|_| "a host panicked")??;
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
    let links = (0..).map(FaceId).take(neighbours.len());
    let faces = links.map(|face| (face, FaceKind::Mars));
    for (face, kind) in faces.chain([(APP, FaceKind::Local)]) {
        forwarder.handle_input(now, Input::FaceAdded { face, kind })?;
    }
    let route = |(face, hops): &(u32, u32)| Route {
        face: FaceId(*face),
        hops: *hops,
    };
    let routes = &routes.iter().map(route).collect::<Vec<_>>();
    forwarder.handle_input(now, Input::Routes { prefix, routes })?;
    let role = match name {
        "a" => {
            let object = Object::Segments(SEGMENTS);
            let config = consumer::Config::new(dest, b"a".to_vec(), seed, object);
            Role::Consumer(Box::new(Consumer::new(config, now)?))
        }
        "d" => {
            forwarder.handle_input(now, Input::ProducerRegistered { prefix, face: APP })?;
            Role::Producer
        }
        _ => Role::Relay,
    };
    Ok(Host {
        name,
        forwarder,
        app: App::new(role),
        socket,
        neighbours: neighbours.iter().map(|node| places[*node]).collect(),
        clock,
    })
}
