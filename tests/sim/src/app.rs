//! Applications behind local faces: what hosts a consumer machine, and a producer.

use std::sync::Arc;

use mars_consumer_core as consumer;
use mars_consumer_core::{Consumer, SpecName};
use mars_forwarder_core::Edit;
use mars_time::Instant;
use mars_wire::{MarsHeader, MarsName};
use sha2::{Digest, Sha256};

use crate::meter::Meter;
use crate::packet::{Content, Packet, Trace};

/// An Interest on its way from an application to its forwarder.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) packet: Packet,
    pub(crate) nonce: u32,
    pub(crate) header: MarsHeader,
}

/// What a producer serves.
#[derive(Clone, Debug)]
pub struct ProducerApp {
    /// Octets of the object.
    pub octets: u64,
    /// Octets of content per segment.
    pub chunk: usize,
    /// The object itself; `None`: zeros.
    pub object: Option<Arc<[u8]>>,
    /// Whether every segment names the last one, and not the last alone.
    pub announce: bool,
}

impl ProducerApp {
    /// Segments of the object.
    #[must_use]
    pub fn segments(&self) -> u64 {
        segments(self.octets, self.chunk)
    }

    /// The Data for an Interest, if there is one.
    #[must_use]
    pub fn answer(&self, interest: &Packet) -> Option<Packet> {
        let name = interest.name();
        let (content, last) = match MarsName::parse(name)? {
            MarsName::Discovery { .. } => (Content::Zeros(0), None),
            MarsName::Data { segment, .. } => {
                let last = self.segments().checked_sub(1)?;
                let named = self.announce || segment == last;
                (self.content(segment)?, named.then_some(last))
            }
        };
        Some(Packet::data(name.into(), content, last, interest.trace))
    }

    fn content(&self, segment: u64) -> Option<Content> {
        let start = segment.checked_mul(self.chunk as u64)?;
        let left = self.octets.checked_sub(start).filter(|left| *left > 0)?;
        let len = usize::try_from(left).unwrap_or(usize::MAX).min(self.chunk);
        let start = usize::try_from(start).ok()?;
        Some(match &self.object {
            Some(object) => Content::Part {
                object: Arc::clone(object),
                start,
                len,
            },
            None => Content::Zeros(len),
        })
    }
}

/// Segments of an object.
#[must_use]
pub fn segments(octets: u64, chunk: usize) -> u64 {
    octets.div_ceil(chunk.max(1) as u64)
}

/// A consumer that starts at its time.
#[derive(Debug)]
pub struct ConsumerApp {
    flow: usize,
    dest: u32,
    state: State,
    wake: Option<Instant>,
    /// Digest so far and the one that is expected.
    digest: Option<(Sha256, [u8; 32])>,
}

#[derive(Debug)]
enum State {
    Waiting(Box<consumer::Config>),
    Running(Box<Consumer<Packet>>),
    Refused,
}

impl ConsumerApp {
    /// One that starts at `start`, fetches for flow `flow` from dest number `dest`, and compares
    /// what it gets with `digest`.
    #[must_use]
    pub fn new(
        flow: usize,
        dest: u32,
        start: Instant,
        config: consumer::Config,
        digest: Option<[u8; 32]>,
    ) -> Self {
        Self {
            flow,
            dest,
            state: State::Waiting(Box::new(config)),
            wake: Some(start),
            digest: digest.map(|expected| (Sha256::new(), expected)),
        }
    }

    /// When it wants to be woken.
    #[must_use]
    pub const fn wake(&self) -> Option<Instant> {
        self.wake
    }

    /// Wakes it if it is time; gives the Interests that it sends.
    pub(crate) fn tick(&mut self, now: Instant, meter: &mut Meter, out: &mut Vec<Request>) {
        if self.wake.is_none_or(|wake| wake > now) {
            return;
        }
        if let State::Waiting(config) = &self.state {
            meter.flows[self.flow].start = now;
            self.state = match Consumer::new((**config).clone(), now) {
                Ok(consumer) => State::Running(Box::new(consumer)),
                Err(error) => {
                    meter.note_fault(|| format!("consumer configuration: {error}"));
                    State::Refused
                }
            };
            self.drain(now, meter, out);
        } else {
            self.handle(now, consumer::Input::Timeout, meter, out);
        }
    }

    /// Hands it a packet from its forwarder.
    pub(crate) fn deliver(
        &mut self,
        now: Instant,
        packet: &Packet,
        edit: &Edit,
        meter: &mut Meter,
        out: &mut Vec<Request>,
    ) {
        let name = packet.name();
        let header = *edit.header();
        let input = match *edit {
            Edit::Data { .. } => {
                let Some((final_segment, content)) = packet.data_fields() else {
                    return meter.note_fault(|| "an Interest was sent as a Data".into());
                };
                consumer::Input::Data {
                    data: consumer::Data {
                        name,
                        final_segment,
                        content_len: content.len(),
                        header,
                    },
                    packet: packet.clone(),
                }
            }
            Edit::Nack { nonce, reason, .. } => consumer::Input::Nack {
                nack: consumer::Nack {
                    name,
                    nonce: Some(nonce),
                    reason,
                    header,
                },
            },
            // An Interest for the consumer: nobody registered it as a producer.
            Edit::Interest { .. } => return,
        };
        self.handle(now, input, meter, out);
    }

    fn handle(
        &mut self,
        now: Instant,
        input: consumer::Input<'_, Packet>,
        meter: &mut Meter,
        out: &mut Vec<Request>,
    ) {
        if let State::Running(consumer) = &mut self.state
            && let Err(error) = consumer.handle_input(now, input)
        {
            meter.note_fault(|| format!("consumer of flow {}: {error}", self.flow));
        }
        self.drain(now, meter, out);
    }

    fn drain(&mut self, now: Instant, meter: &mut Meter, out: &mut Vec<Request>) {
        let State::Running(consumer) = &mut self.state else {
            self.wake = None;
            return;
        };
        loop {
            match consumer.poll_output() {
                consumer::Output::Transmit { spec } => {
                    let flow = &mut meter.flows[self.flow];
                    match spec.name {
                        SpecName::Discovery { .. } => flow.probes += 1,
                        SpecName::Data { .. } => {
                            flow.interests += 1;
                            flow.first_data_interest.get_or_insert(now);
                        }
                    }
                    let name = consumer.name(&spec).to_name_buf();
                    let trace = Trace::new(self.dest, now);
                    out.push(Request {
                        packet: Packet::interest(name, spec.lifetime, trace),
                        nonce: spec.nonce,
                        header: spec.header,
                    });
                }
                consumer::Output::Deliver { packet, .. } => {
                    let content = packet.data_fields().map(|(_, content)| content);
                    let flow = &mut meter.flows[self.flow];
                    flow.segments += 1;
                    flow.octets += content.map_or(0, Content::len) as u64;
                    if let (Some((digest, _)), Some(content)) = (&mut self.digest, content) {
                        digest.update(content.as_slice());
                    }
                }
                consumer::Output::Event(event) => {
                    note_event(event, self.flow, &mut self.digest, meter);
                }
                consumer::Output::Timeout(wake) => {
                    self.wake = wake;
                    break;
                }
                other => meter.note_fault(|| format!("unknown output of a consumer: {other:?}")),
            }
        }
    }
}

fn note_event(
    event: consumer::Event,
    flow: usize,
    digest: &mut Option<(Sha256, [u8; 32])>,
    meter: &mut Meter,
) {
    let flow = &mut meter.flows[flow];
    match event {
        consumer::Event::PathFound { after } => {
            flow.first_path.get_or_insert(after);
        }
        consumer::Event::Discovered { after, .. } => {
            flow.discovered.get_or_insert(after);
        }
        consumer::Event::Completed { after, .. } => {
            flow.completed = Some(after);
            flow.verified = digest
                .take()
                .map(|(digest, expected)| <[u8; 32]>::from(digest.finalize()) == expected);
        }
        consumer::Event::GaveUp { reason } => flow.gave_up = Some(format!("{reason:?}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mars_wire::NameBuf;

    use super::*;

    fn producer(octets: u64) -> ProducerApp {
        ProducerApp {
            octets,
            chunk: 4,
            object: Some((0..=255).collect()),
            announce: false,
        }
    }

    fn ask(app: &ProducerApp, segment: u64) -> Option<(Option<u64>, Vec<u8>)> {
        let name = NameBuf::new()
            .generic(b"p")
            .generic(b"data")
            .segment(segment);
        let interest = Packet::interest(name, Duration::from_secs(4), Trace::new(0, Instant::ZERO));
        let data = app.answer(&interest)?;
        assert_eq!(data.name(), interest.name());
        let (last, content) = data.data_fields().unwrap();
        Some((last, content.as_slice().to_vec()))
    }

    #[test]
    fn segments_cut_the_object() {
        let app = producer(10);
        assert_eq!(app.segments(), 3);
        assert_eq!(ask(&app, 0), Some((None, vec![0, 1, 2, 3])));
        assert_eq!(ask(&app, 2), Some((Some(2), vec![8, 9])));
        assert_eq!(ask(&app, 3), None);
        assert_eq!(ask(&app, u64::MAX), None);
        assert_eq!(ask(&producer(8), 1), Some((Some(1), vec![4, 5, 6, 7])));
        assert_eq!(ask(&producer(8), 2), None);
    }

    #[test]
    fn all_segments_name_the_last_if_told_to() {
        let app = ProducerApp {
            announce: true,
            ..producer(10)
        };
        assert_eq!(ask(&app, 0).map(|(last, _)| last), Some(Some(2)));
    }
}
