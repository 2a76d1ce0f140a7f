//! The machine.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use mars_time::Instant;

use super::blocks::{Blocks, Chain};
use super::messages::{Message, Messages, SlotId};
use crate::lp_packet::{wrapped_len, write_wrapper};
use crate::reassembler::{Config, DropReason, Error, Event, Input, Output, RefuseReason};
use crate::writer::Writer;
use crate::{ConfigError, ErrorKind, LinkHeader, LpPacket, MAX_PACKET};

/// Buffers for packets given out that are kept to be used again.
const SPARE: usize = 2;

/// Puts the packets of one face together again.
///
/// One input makes at most [`Config::max_messages`]` + 1` outputs: every message can be dropped,
/// and one packet or refusal comes after that.
#[derive(Clone, Debug)]
pub struct Reassembler {
    config: Config,
    /// Latest time seen.
    now: Instant,
    messages: Messages,
    blocks: Blocks,
    queue: VecDeque<Queued>,
    /// The packet that was given out last.
    given: Vec<u8>,
    spare: Vec<Vec<u8>>,
    /// The header of the first fragment that was stored last.
    header: Vec<u8>,
    counters: Counters,
}

/// An output that is not drained.
#[derive(Clone, Debug)]
enum Queued {
    Packet {
        /// The header as an IDLE packet, then the network packet.
        octets: Vec<u8>,
        /// Octets of the header; none if there are no fields.
        head: usize,
    },
    Event(Event),
}

/// What a reassembler has seen so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counters {
    /// Packets that were never cut.
    pub passed: u64,
    /// Packets put together.
    pub reassembled: u64,
    /// Fragments that were taken in.
    pub fragments: u64,
    /// Fragments that were here already.
    pub duplicates: u64,
    /// Fragments refused.
    pub refused: u64,
    /// Messages dropped, for any reason.
    pub dropped: u64,
}

/// A fragment to be taken in.
struct Fragment<'a> {
    /// Message that it is of.
    message: u64,
    index: u16,
    count: u16,
    /// The header that the packet will have (no fields, unless this is the first fragment), and the
    /// octets.
    packet: LpPacket<'a>,
}

impl Reassembler {
    /// For one face, at `now`. All memory for messages is taken here.
    ///
    /// # Errors
    /// A field of `config` that is out of its range.
    pub fn new(config: Config, now: Instant) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config,
            now,
            messages: Messages::new(config.max_messages),
            blocks: Blocks::new(config.max_octets),
            queue: VecDeque::new(),
            given: Vec::new(),
            spare: Vec::new(),
            header: Vec::new(),
            counters: Counters::default(),
        })
    }

    /// Takes one input. Messages that are due at `now` expire first.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn handle_input(&mut self, now: Instant, input: Input<'_>) -> Result<(), Error> {
        self.now = self.now.max(now);
        self.expire();
        match input {
            Input::Timeout => Ok(()),
            Input::Packet(packet) => self.packet(packet),
        }
    }

    /// Takes one output. It borrows from the reassembler; the next call makes its octets invalid.
    pub fn poll_output(&mut self) -> Output<'_> {
        match self.queue.pop_front() {
            Some(Queued::Packet { octets, head }) => {
                let drained = mem::replace(&mut self.given, octets);
                if self.spare.len() < SPARE {
                    self.spare.push(drained);
                }
                Output::Packet(view(&self.given, head))
            }
            Some(Queued::Event(event)) => Output::Event(event),
            None => Output::Timeout(self.deadline()),
        }
    }

    /// What it has seen so far.
    #[must_use]
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    /// Messages in progress.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.messages.len()
    }

    /// Octets held of messages in progress, in whole blocks: at most [`Config::max_octets`].
    #[must_use]
    pub const fn octets(&self) -> usize {
        self.blocks.octets()
    }

    fn deadline(&self) -> Option<Instant> {
        let (_, stalest) = self.messages.stalest()?;
        Some(stalest.deadline).filter(|deadline| *deadline < Instant::MAX)
    }

    fn expire(&mut self) {
        while self.deadline().is_some_and(|deadline| deadline <= self.now) {
            self.drop_stalest(DropReason::Expired);
        }
    }

    fn drop_stalest(&mut self, reason: DropReason) {
        let stalest = self.messages.stalest().map(|(slot, _)| slot);
        if let Some(message) = stalest.and_then(|slot| self.messages.remove(slot)) {
            self.blocks.release(message.chain);
            self.counters.dropped += 1;
            self.report(Event::Dropped {
                message: message.id,
                received: message.received,
                count: message.count,
                reason,
            });
        }
    }

    fn report(&mut self, event: Event) {
        self.queue.push_back(Queued::Event(event));
    }

    fn packet(&mut self, packet: &LpPacket<'_>) -> Result<(), Error> {
        packet.header.check().map_err(Error::Invalid)?;
        if packet.encoded_len() > MAX_PACKET {
            return Err(Error::Invalid(ErrorKind::TooLong));
        }
        if packet.header.is_fragmented() {
            self.fragment(packet);
        } else {
            self.pass(packet);
        }
        Ok(())
    }

    /// Gives a packet out as it came.
    fn pass(&mut self, packet: &LpPacket<'_>) {
        let mut octets = self.buffer(packet.encoded_len());
        push_header(packet, &mut octets);
        let head = octets.len();
        octets.extend_from_slice(packet.fragment);
        self.queue.push_back(Queued::Packet { octets, head });
        self.counters.passed += 1;
    }

    fn fragment(&mut self, packet: &LpPacket<'_>) {
        let index = packet.header.frag_index.unwrap_or_default();
        let sequence = packet.header.sequence.unwrap_or_default();
        let message = sequence.wrapping_sub(index);
        match self.judge(packet, message) {
            Ok(Some(fragment)) => self.take(&fragment),
            Ok(None) => self.counters.duplicates += 1,
            Err(reason) => {
                self.counters.refused += 1;
                self.report(Event::Refused { message, reason });
            }
        }
    }

    /// Whether to take a fragment of `message` in; `None` if it is here already. Changes nothing.
    fn judge<'a>(
        &self,
        packet: &LpPacket<'a>,
        message: u64,
    ) -> Result<Option<Fragment<'a>>, RefuseReason> {
        let most = self.config.max_fragments;
        let number = |n: Option<u64>| u16::try_from(n.unwrap_or_default()).ok();
        let count = number(packet.header.frag_count).filter(|count| *count <= most);
        let (Some(count), Some(index)) = (count, number(packet.header.frag_index)) else {
            return Err(RefuseReason::TooManyFragments);
        };
        if packet.fragment.is_empty() {
            return Err(RefuseReason::Empty);
        }
        let fragment = Fragment {
            message,
            index,
            count,
            packet: without_numbers(packet, index),
        };
        let (mut fields, mut octets) = (fragment.fields(), fragment.packet.fragment.len());
        if let Some(held) = self.held(message) {
            if held.count != count {
                return Err(RefuseReason::CountDiffers);
            }
            if self.blocks.contains(&held.chain, fragment.key()) {
                return Ok(None);
            }
            fields += held.fields;
            octets += held.octets;
        }
        if wrapped_len(fields, octets) > MAX_PACKET {
            return Err(RefuseReason::TooLong);
        }
        Ok(Some(fragment))
    }

    fn held(&self, message: u64) -> Option<&Message> {
        self.messages.get(self.messages.find(message)?)
    }

    fn take(&mut self, fragment: &Fragment<'_>) {
        self.counters.fragments += 1;
        let found = self.messages.find(fragment.message);
        let received = found.and_then(|slot| self.messages.get(slot)?.received.checked_add(1));
        match found {
            Some(slot) if received == Some(fragment.count) => self.complete(slot, fragment),
            Some(slot) => self.store(slot, fragment),
            None => {
                let slot = self.open(fragment);
                self.store(slot, fragment);
            }
        }
    }

    /// Begins the message that `fragment` is of.
    fn open(&mut self, fragment: &Fragment<'_>) -> SlotId {
        if self.messages.len() >= self.config.max_messages.into() {
            self.drop_stalest(DropReason::MessageCap);
        }
        self.messages.open(Message {
            id: fragment.message,
            count: fragment.count,
            received: 0,
            octets: 0,
            fields: 0,
            deadline: Instant::MAX,
            chain: Chain::EMPTY,
        })
    }

    /// Keeps `fragment` for its message, which is not complete with it.
    fn store(&mut self, slot: SlotId, fragment: &Fragment<'_>) {
        let deadline = self.now + self.config.lifetime;
        self.messages.touch(slot, deadline);
        self.header.clear();
        push_header(&fragment.packet, &mut self.header);
        let octets = fragment.packet.fragment;
        self.make_room(Blocks::needed(self.header.len()) + Blocks::needed(octets.len()));
        if let Some(message) = self.messages.get_mut(slot) {
            let chain = &mut message.chain;
            self.blocks.insert(chain, 0, &self.header);
            self.blocks.insert(chain, fragment.key(), octets);
            message.received += 1;
            message.octets += octets.len();
            message.fields += fragment.fields();
        }
    }

    /// Drops messages until `needed` blocks are left. The freshest is the one that they are for: it
    /// finds room when it is alone, so it never comes to that.
    fn make_room(&mut self, needed: usize) {
        while self.blocks.left() < needed && self.messages.len() > 1 {
            self.drop_stalest(DropReason::OctetCap);
        }
    }

    /// Gives a message out, of which `last` is the last fragment to arrive.
    fn complete(&mut self, slot: SlotId, last: &Fragment<'_>) {
        let Some(message) = self.messages.remove(slot) else {
            return;
        };
        let fields = message.fields + last.fields();
        let len = message.octets + last.packet.fragment.len();
        let mut octets = self.buffer(wrapped_len(fields, len));
        push_header(&last.packet, &mut octets);
        let chain = message.chain;
        let head = octets.len()
            + self
                .blocks
                .gather(&chain, last.key(), last.packet.fragment, &mut octets);
        self.blocks.release(chain);
        self.queue.push_back(Queued::Packet { octets, head });
        self.counters.reassembled += 1;
    }

    /// A buffer without contents, with room for `octets`.
    fn buffer(&mut self, octets: usize) -> Vec<u8> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer.reserve_exact(octets);
        buffer
    }
}

impl Fragment<'_> {
    /// Octets of the header fields that the packet gets from it.
    fn fields(&self) -> usize {
        self.packet.header.encoded_len(self.packet.nack)
    }

    /// Where it lies in the chain of its message: 0 is the header.
    const fn key(&self) -> u16 {
        self.index + 1
    }
}

/// What the whole packet gets from fragment `index`: all header fields but the numbers from the
/// first, none from the others.
fn without_numbers<'a>(packet: &LpPacket<'a>, index: u16) -> LpPacket<'a> {
    if index != 0 {
        return LpPacket {
            fragment: packet.fragment,
            ..LpPacket::default()
        };
    }
    LpPacket {
        header: LinkHeader {
            sequence: None,
            frag_index: None,
            frag_count: None,
            ..packet.header
        },
        ..*packet
    }
}

/// Appends the header of `packet` as an IDLE packet: the one form in which every field can be kept
/// and read again. Nothing if there are no fields.
fn push_header(packet: &LpPacket<'_>, octets: &mut Vec<u8>) {
    let fields = packet.header.encoded_len(packet.nack);
    if fields > 0 {
        octets.resize(wrapped_len(fields, 0), 0);
        write_wrapper(
            &packet.header,
            packet.nack,
            fields,
            0,
            &mut Writer::new(octets),
        );
    }
}

/// What [`push_header`] wrote into the first `head` of `octets`, and the network packet behind it.
fn view(octets: &[u8], head: usize) -> LpPacket<'_> {
    let (head, fragment) = octets.split_at_checked(head).unwrap_or_default();
    LpPacket {
        fragment,
        // Nothing else was written there, so it decodes; no head is no fields.
        ..LpPacket::decode(head).unwrap_or_default()
    }
}
