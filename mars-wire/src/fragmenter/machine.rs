//! The machine.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use mars_time::Instant;

use super::split::Split;
use crate::fragmenter::{Config, Error, Input, Output};
use crate::lp_packet::{wrapped_len, write_wrapper};
use crate::writer::Writer;
use crate::{ConfigError, ErrorKind, LinkHeader, MAX_PACKET, NackReason};

/// Cuts the packets of one link to its MTU.
///
/// One input makes at most [`Config::max_fragments`] outputs. Nothing is allocated per packet: the
/// few octets of a head are written into buffers that are used again, of which there are as many as
/// there were packets undrained at once.
#[derive(Clone, Debug)]
pub struct Fragmenter<P> {
    config: Config,
    /// Sequence of the next link packet.
    sequence: u64,
    queue: VecDeque<Pending<P>>,
    /// The head that was given out last.
    head: Vec<u8>,
    spare: Vec<Vec<u8>>,
}

/// A packet of which not all fragments are drained.
#[derive(Clone, Debug)]
struct Pending<P> {
    packet: P,
    split: Split,
    /// Fragments, and how many of them are drained.
    count: u8,
    drained: u8,
    /// Sequence of the first one.
    sequence: u64,
    /// Head of the first one.
    head: Vec<u8>,
}

impl<P: Clone> Fragmenter<P> {
    /// For one link.
    ///
    /// # Errors
    /// A field of `config` that is out of its range.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            sequence: config.first_sequence,
            config,
            queue: VecDeque::new(),
            head: Vec::new(),
            spare: Vec::new(),
        })
    }

    /// Takes one input. `now` decides nothing: there are no timers.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn handle_input(&mut self, _now: Instant, input: Input<'_, P>) -> Result<(), Error> {
        match input {
            Input::Timeout => Ok(()),
            Input::Packet {
                header,
                nack,
                len,
                packet,
            } => self.packet(header, nack, len, packet),
        }
    }

    /// Takes one output. It borrows from the fragmenter; the next call makes its head invalid.
    pub fn poll_output(&mut self) -> Output<'_, P> {
        match self.next() {
            Some((packet, range)) => Output::Transmit {
                head: &self.head,
                packet,
                range,
            },
            None => Output::Timeout(None),
        }
    }

    /// The next fragment. Leaves its head in `self.head`.
    fn next(&mut self) -> Option<(P, Range<usize>)> {
        let next = self.queue.front_mut()?;
        let index = next.drained;
        let range = next.split.range(index.into());
        if index == 0 {
            mem::swap(&mut self.head, &mut next.head);
        } else {
            let header = numbered(LinkHeader::default(), next.sequence, index, next.count);
            write_head(&header, None, range.len(), &mut self.head);
        }
        next.drained += 1;
        if next.drained < next.count {
            return Some((next.packet.clone(), range));
        }
        let done = self.queue.pop_front()?;
        self.spare.push(done.head);
        Some((done.packet, range))
    }

    fn packet(
        &mut self,
        header: &LinkHeader<'_>,
        nack: Option<NackReason>,
        len: usize,
        packet: P,
    ) -> Result<(), Error> {
        if header.is_fragmented() {
            return Err(Error::Fragment);
        }
        header.check().map_err(Error::Invalid)?;
        let mut header = LinkHeader {
            sequence: None,
            frag_index: None,
            frag_count: None,
            ..*header
        };
        // What the receiver puts together again must be a packet, too.
        if wrapped_len(header.encoded_len(nack), len) > MAX_PACKET {
            return Err(Error::Invalid(ErrorKind::TooLong));
        }
        header.sequence = self.config.number_all.then_some(self.sequence);
        let fits = wrapped_len(header.encoded_len(nack), len) <= self.config.mtu;
        let (split, count) = if fits {
            (Split::whole(len), 1)
        } else {
            self.cut(&mut header, nack, len)?
        };
        let mut head = self.spare.pop().unwrap_or_default();
        write_head(&header, nack, split.range(0).len(), &mut head);
        let sequence = self.sequence;
        if header.sequence.is_some() {
            self.sequence = sequence.wrapping_add(count.into());
        }
        self.queue.push_back(Pending {
            packet,
            split,
            count,
            drained: 0,
            sequence,
            head,
        });
        Ok(())
    }

    /// How to cut, and into how many fragments; numbers `header` as that of the first.
    fn cut(
        &self,
        header: &mut LinkHeader<'_>,
        nack: Option<NackReason>,
        len: usize,
    ) -> Result<(Split, u8), Error> {
        // One octet each is enough for index and count: the longest packet takes 201 fragments at
        // the least MTU.
        let first = numbered(*header, 0, 0, u8::MAX).encoded_len(nack);
        let other = numbered(LinkHeader::default(), 0, u8::MAX, u8::MAX).encoded_len(None);
        let split = Split::new(len, self.config.mtu, first, other).ok_or(Error::HeaderTooLong)?;
        let needed = split.count();
        let count = u8::try_from(needed).ok();
        let count = count
            .filter(|count| *count <= self.config.max_fragments)
            .ok_or(Error::TooManyFragments { needed })?;
        *header = numbered(*header, self.sequence, 0, count);
        Ok((split, count))
    }
}

/// `header` with the numbers of fragment `index` of a message whose first has this `sequence`.
fn numbered(header: LinkHeader<'_>, sequence: u64, index: u8, count: u8) -> LinkHeader<'_> {
    LinkHeader {
        sequence: Some(sequence.wrapping_add(index.into())),
        frag_index: Some(index.into()),
        frag_count: Some(count.into()),
        ..header
    }
}

/// Writes what stands before a fragment of `len` octets into `head`.
fn write_head(header: &LinkHeader<'_>, nack: Option<NackReason>, len: usize, head: &mut Vec<u8>) {
    let fields = header.encoded_len(nack);
    head.clear();
    head.resize(wrapped_len(fields, len) - len, 0);
    write_wrapper(header, nack, fields, len, &mut Writer::new(head));
}
