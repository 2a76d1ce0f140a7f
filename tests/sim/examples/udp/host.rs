//! The host loop: one forwarder, one socket, one application.

use std::collections::VecDeque;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant as Clock};

use mars_consumer_core as consumer;
use mars_forwarder_core::{Edit, FaceId, Forwarder, Input, Output};
use mars_time::Instant;
use mars_wire::{Body, LinkHeader, LinkPacket, MAX_PACKET};

use crate::Fault;
use crate::app::App;

/// Neighbours are faces 0, 1, ...; the application is behind this one.
pub(crate) const APP: FaceId = FaceId(100);

/// The packet handle is the datagram; what the forwarder wants changed is written on the way out.
pub(crate) struct Host {
    pub(crate) name: &'static str,
    pub(crate) forwarder: Forwarder<Vec<u8>>,
    pub(crate) app: App,
    pub(crate) socket: UdpSocket,
    pub(crate) neighbours: Vec<SocketAddr>,
    pub(crate) clock: Clock,
    /// From the application to the forwarder.
    pub(crate) inbox: VecDeque<Vec<u8>>,
}

impl Host {
    pub(crate) fn now(&self) -> Instant {
        Instant::ZERO + self.clock.elapsed()
    }

    /// The host loop: drain, sleep until told or until something arrives, hand in.
    pub(crate) fn run(&mut self, done: &AtomicBool) -> Result<(), Fault> {
        let mut buffer = vec![0; MAX_PACKET + 1];
        while !done.load(Ordering::Relaxed) {
            let wake = self.drain(done)?;
            let rest = wake.map(|wake| wake.saturating_duration_since(self.now()));
            // Look up now and then, to see whether all is done; nought would mean for ever.
            let rest = rest.unwrap_or(Duration::MAX);
            let rest = rest.clamp(Duration::from_micros(1), Duration::from_millis(50));
            self.socket.set_read_timeout(Some(rest))?;
            // An error is a timeout, or news of a datagram that nobody took: neither is ours.
            if let Ok((len, from)) = self.socket.recv_from(&mut buffer)
                && let Some(face) = self.neighbours.iter().position(|other| *other == from)
            {
                self.receive(FaceId(u32::try_from(face)?), &buffer[..len])?;
            }
            self.forwarder.handle_input(self.now(), Input::Timeout)?;
            if let App::Consumer(consumer) = &mut self.app {
                let now = Instant::ZERO + self.clock.elapsed();
                consumer.handle_input(now, consumer::Input::Timeout)?;
            }
        }
        Ok(())
    }

    /// What arrived goes into the forwarder, if it is a packet: anybody may send anything.
    fn receive(&mut self, face: FaceId, octets: &[u8]) -> Result<(), Fault> {
        let packet = match LinkPacket::decode(octets) {
            Ok(packet) => packet,
            Err(error) => {
                eprintln!("{}: face {}: {error}", self.name, face.0);
                return Ok(());
            }
        };
        let header = packet.header.mars;
        let input = match packet.body {
            Body::Interest(interest) => Input::Interest {
                face,
                interest: mars_forwarder_core::Interest {
                    name: interest.name,
                    nonce: interest.nonce,
                    lifetime: interest.lifetime(),
                    hop_limit: interest.hop_limit,
                    pit_token: packet.header.pit_token,
                    must_be_fresh: interest.must_be_fresh,
                    header,
                },
                packet: octets.to_vec(),
            },
            Body::Data(data) => Input::Data {
                face,
                data: mars_forwarder_core::Data {
                    name: data.name,
                    freshness: data
                        .meta
                        .and_then(|meta| meta.freshness_ms)
                        .map(Duration::from_millis),
                    octets: u32::try_from(octets.len())?,
                    header,
                },
                packet: octets.to_vec(),
            },
            Body::Nack(reason, interest) => Input::Nack {
                face,
                nack: mars_forwarder_core::Nack {
                    name: interest.name,
                    nonce: interest.nonce,
                    reason,
                    header,
                },
            },
            _ => return Ok(()),
        };
        Ok(self.forwarder.handle_input(self.now(), input)?)
    }

    /// Polls both machines until neither has anything to say; gives the time of the next wake-up.
    fn drain(&mut self, done: &AtomicBool) -> Result<Option<Instant>, Fault> {
        loop {
            let forwarder_wake = loop {
                match self.forwarder.poll_output() {
                    Output::Transmit { face, edit, packet } => self.send(face, edit, &packet)?,
                    Output::Event(event) => println!("{}: {event:?}", self.name),
                    Output::Timeout(wake) => break wake,
                    _ => {}
                }
            };
            let consumer_wake = self.drain_consumer(done)?;
            match self.inbox.pop_front() {
                Some(octets) => self.receive(APP, &octets)?,
                None => return Ok(forwarder_wake.into_iter().chain(consumer_wake).min()),
            }
        }
    }

    fn send(&mut self, face: FaceId, edit: Edit, packet: &[u8]) -> Result<(), Fault> {
        let octets = match edited(packet, edit) {
            Ok(octets) => octets,
            // A neighbour's packet that grows beyond what a link takes.
            Err(error) => {
                eprintln!("{}: face {}: {error}", self.name, face.0);
                return Ok(());
            }
        };
        if face == APP {
            return self.serve(&octets);
        }
        // What the kernel does not take is lost, as on any link.
        if let Some(to) = self.neighbours.get(face.0 as usize)
            && let Err(error) = self.socket.send_to(&octets, to)
        {
            eprintln!("{}: {to}: {error}", self.name);
        }
        Ok(())
    }
}

/// The datagram with what the forwarder wants written into it.
fn edited(octets: &[u8], edit: Edit) -> Result<Vec<u8>, Fault> {
    let (token, header, body) = match (edit, LinkPacket::decode(octets)?.body) {
        (
            Edit::Interest {
                hop_limit,
                nonce,
                lifetime,
                header,
            },
            Body::Interest(mut interest),
        ) => {
            interest = interest.with_nonce(nonce);
            interest.hop_limit = hop_limit;
            if let Some(lifetime) = lifetime {
                interest = interest.with_lifetime(lifetime);
            }
            (None, header, Body::Interest(interest))
        }
        (Edit::Data { pit_token, header }, body @ Body::Data(_)) => (pit_token, header, body),
        (
            Edit::Nack {
                nonce,
                reason,
                pit_token,
                header,
            },
            Body::Interest(interest),
        ) => {
            let body = Body::Nack(reason, interest.with_nonce(nonce));
            (pit_token, header, body)
        }
        _ => return Err("the edit is for another kind of packet".into()),
    };
    encode(LinkHeader::new(token, header), body)
}

pub(crate) fn encode(header: LinkHeader, body: Body<'_>) -> Result<Vec<u8>, Fault> {
    let packet = LinkPacket { header, body };
    let mut octets = vec![0; packet.encoded_len()];
    packet.encode(&mut octets)?;
    Ok(octets)
}
