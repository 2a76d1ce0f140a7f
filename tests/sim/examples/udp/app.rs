//! The applications: a producer, and a consumer that checks what it gets.

use std::sync::atomic::{AtomicBool, Ordering};

use mars_consumer_core::{self as consumer, Consumer, SpecName};
use mars_time::Instant;
use mars_wire::{Body, Data, Interest, LinkHeader, LinkPacket, MarsName};

use crate::Fault;
use crate::host::{Host, encode};

/// Segments of the object.
pub(crate) const SEGMENTS: u64 = 2_000;

pub(crate) enum App {
    Nothing,
    Producer,
    Consumer(Box<Consumer<Vec<u8>>>),
}

/// What a segment holds.
fn content(segment: u64) -> Vec<u8> {
    segment.to_be_bytes().repeat(125)
}

impl Host {
    /// Polls the consumer, if there is one; gives the time of its next wake-up.
    pub(crate) fn drain_consumer(&mut self, done: &AtomicBool) -> Result<Option<Instant>, Fault> {
        let App::Consumer(consumer) = &mut self.app else {
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
                    self.inbox
                        .push_back(encode(header, Body::Interest(interest))?);
                }
                consumer::Output::Deliver { segment, packet } if packet != content(segment) => {
                    return Err(format!("segment {segment} is not what was published").into());
                }
                consumer::Output::Event(event) => {
                    println!("consumer: {event:?}");
                    if let consumer::Event::GaveUp { reason } = event {
                        return Err(format!("the consumer gave up: {reason:?}").into());
                    }
                    if matches!(event, consumer::Event::Completed { .. }) {
                        done.store(true, Ordering::Relaxed);
                    }
                }
                consumer::Output::Timeout(wake) => return Ok(wake),
                _ => {}
            }
        }
    }

    /// The application gets a packet from its forwarder.
    pub(crate) fn serve(&mut self, octets: &[u8]) -> Result<(), Fault> {
        let LinkPacket { header, body } = LinkPacket::decode(octets)?;
        let now = self.now();
        match (&mut self.app, body) {
            (App::Producer, Body::Interest(interest)) => {
                let own;
                let data = match MarsName::parse(interest.name) {
                    Some(MarsName::Discovery { .. }) => Data::discovery_answer(interest.name),
                    Some(MarsName::Data { segment, .. }) if segment < SEGMENTS => {
                        own = content(segment);
                        Data::new(interest.name, &own)
                    }
                    _ => return Ok(()),
                };
                self.inbox
                    .push_back(encode(LinkHeader::default(), Body::Data(data))?);
            }
            (App::Consumer(consumer), Body::Data(data)) => {
                let packet = data.content.unwrap_or_default().to_vec();
                let last = data.final_block_id();
                let data = consumer::Data {
                    name: data.name,
                    final_segment: last.and_then(mars_wire::Component::to_segment),
                    content_len: packet.len(),
                    header: header.mars,
                };
                consumer.handle_input(now, consumer::Input::Data { data, packet })?;
            }
            (App::Consumer(consumer), Body::Nack(reason, interest)) => {
                let nack = consumer::Nack {
                    name: interest.name,
                    nonce: interest.nonce,
                    reason,
                    header: header.mars,
                };
                consumer.handle_input(now, consumer::Input::Nack { nack })?;
            }
            _ => {}
        }
        Ok(())
    }
}
