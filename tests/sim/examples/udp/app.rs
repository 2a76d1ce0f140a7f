//! The applications: a producer, and a consumer that checks what it gets.

use std::collections::VecDeque;

use mars_consumer_core::{self as consumer, Consumer, SpecName};
use mars_time::Instant;
use mars_wire::{Body, Component, Data, Interest, LinkHeader, LinkPacket, MarsName};

use crate::Fault;

/// Segments of the object.
pub(crate) const SEGMENTS: u64 = 2_000;

/// An application, driven like the machines.
pub(crate) struct App {
    role: Role,
    /// For the forwarder.
    packets: VecDeque<Vec<u8>>,
    is_done: bool,
}

pub(crate) enum Role {
    Relay,
    Producer,
    Consumer(Box<Consumer<Vec<u8>>>),
}

impl App {
    pub(crate) const fn new(role: Role) -> Self {
        Self {
            role,
            packets: VecDeque::new(),
            is_done: false,
        }
    }

    /// Whether the object is here.
    pub(crate) const fn is_done(&self) -> bool {
        self.is_done
    }

    /// The next packet for the forwarder.
    pub(crate) fn next_packet(&mut self) -> Option<Vec<u8>> {
        self.packets.pop_front()
    }

    /// Polls the consumer, if there is one; gives the time of its next wake-up.
    pub(crate) fn drain(&mut self) -> Result<Option<Instant>, Fault> {
        let Role::Consumer(consumer) = &mut self.role else {
            return Ok(None);
        };
        loop {
            match consumer.poll_output() {
                consumer::Output::Transmit { spec } => {
                    let name = consumer.name(&spec).to_name_buf();
                    let mut interest = Interest::new(name.as_name())
                        .with_lifetime(spec.lifetime)
                        .with_nonce(spec.nonce);
                    interest.must_be_fresh = matches!(spec.name, SpecName::Discovery { .. });
                    let header = LinkHeader::new(None, spec.header);
                    let body = Body::Interest(interest);
                    self.packets
                        .push_back(encode(&LinkPacket { header, body })?);
                }
                consumer::Output::Deliver { segment, packet } if packet != content(segment) => {
                    return Err(format!("segment {segment} is not what was published").into());
                }
                consumer::Output::Event(consumer::Event::GaveUp { reason }) => {
                    return Err(format!("the consumer gave up: {reason:?}").into());
                }
                consumer::Output::Event(event) => {
                    println!("consumer: {event:?}");
                    self.is_done |= matches!(event, consumer::Event::Completed { .. });
                }
                consumer::Output::Timeout(wake) => return Ok(wake),
                _ => {}
            }
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant) -> Result<(), Fault> {
        if let Role::Consumer(consumer) = &mut self.role {
            consumer.handle_input(now, consumer::Input::Timeout)?;
        }
        Ok(())
    }

    /// A packet from the forwarder.
    pub(crate) fn handle_packet(&mut self, now: Instant, octets: &[u8]) -> Result<(), Fault> {
        let LinkPacket { header, body } = LinkPacket::decode(octets)?;
        let header = header.mars;
        match (&mut self.role, body) {
            (Role::Producer, Body::Interest(interest)) => {
                let own;
                let data = match MarsName::parse(interest.name) {
                    Some(MarsName::Discovery { .. }) => Data::discovery_answer(interest.name),
                    Some(MarsName::Data { segment, .. }) if segment < SEGMENTS => {
                        own = content(segment);
                        Data::new(interest.name, &own)
                    }
                    _ => return Ok(()),
                };
                let (header, body) = (LinkHeader::default(), Body::Data(data));
                // Beside a name that is long enough there is no room for an answer.
                let answer = encode(&LinkPacket { header, body });
                self.packets.extend(answer.ok());
            }
            (Role::Consumer(consumer), Body::Data(data)) => {
                let packet = data.content.unwrap_or_default().to_vec();
                let data = consumer::Data {
                    name: data.name,
                    final_segment: data.final_block_id().and_then(Component::to_segment),
                    content_len: packet.len(),
                    header,
                };
                consumer.handle_input(now, consumer::Input::Data { data, packet })?;
            }
            (Role::Consumer(consumer), Body::Nack(reason, interest)) => {
                let nack = consumer::Nack {
                    name: interest.name,
                    nonce: interest.nonce,
                    reason,
                    header,
                };
                consumer.handle_input(now, consumer::Input::Nack { nack })?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// What a segment holds.
fn content(segment: u64) -> Vec<u8> {
    segment.to_be_bytes().repeat(125)
}

fn encode(packet: &LinkPacket<'_>) -> Result<Vec<u8>, Fault> {
    let mut octets = vec![0; packet.encoded_len()];
    packet.encode(&mut octets)?;
    Ok(octets)
}
