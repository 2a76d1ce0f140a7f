//! What travels on one link beside a network packet: the header fields of `NDNLPv2`.

use crate::pen::Pen;
use crate::tlv::{Element, Reader, element_len, number_element_len};
use crate::types::{
    ACK, CACHE_POLICY, CACHE_POLICY_TYPE, CONGESTION_MARK, FRAG_COUNT, FRAG_INDEX,
    INCOMING_FACE_ID, MARS, NEXT_HOP_FACE_ID, NON_DISCOVERY, PIT_TOKEN, PREFIX_ANNOUNCEMENT,
    SEQUENCE, TX_SEQUENCE,
};
use crate::writer::Writer;
use crate::{Data, DecodeError, EncodeError, ErrorKind, MarsHeader, NackReason, PitToken};

/// The header fields of an `LpPacket`, except Nack, which is a kind of packet
/// ([`Body::Nack`](crate::Body::Nack)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct LinkHeader<'a> {
    /// Number of this link packet (81).
    pub sequence: Option<u64>,
    /// Which fragment this is (82); absent means 0.
    pub frag_index: Option<u64>,
    /// Of how many (83); absent means 1.
    pub frag_count: Option<u64>,
    /// Wanted back with the answer (98).
    pub pit_token: Option<PitToken>,
    /// Face that a packet came in on, told to an application (812).
    pub incoming_face_id: Option<u64>,
    /// Face that an application wants an Interest sent to (816).
    pub next_hop_face_id: Option<u64>,
    /// Whether to cache a Data (820): 1 is "do not".
    pub cache_policy: Option<u64>,
    /// Congestion on the way (832).
    pub congestion_mark: Option<u64>,
    /// Link packets that arrived (836).
    pub acks: Acks<'a>,
    /// Number of this transmission (840).
    pub tx_sequence: Option<u64>,
    /// Not to be used for learning of routes (844).
    pub non_discovery: bool,
    /// A signed announcement of a prefix (848): the octets of one Data.
    pub prefix_announcement: Option<&'a [u8]>,
    /// The MARS link header (928); empty if there was none.
    pub mars: MarsHeader,
}

impl<'a> LinkHeader<'a> {
    /// A PIT token and a MARS header, which is all that MARS itself sends.
    #[must_use]
    pub fn new(pit_token: Option<PitToken>, mars: MarsHeader) -> Self {
        Self {
            pit_token,
            mars,
            ..Self::default()
        }
    }

    /// Whether no field is present.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.is_plain() && self.pit_token.is_none() && self.mars.is_empty()
    }

    /// Whether there is at most a PIT token and a MARS header.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        // All are looked at, because that is faster than to decide after each.
        !(self.sequence.is_some()
            | self.frag_index.is_some()
            | self.frag_count.is_some()
            | self.incoming_face_id.is_some()
            | self.next_hop_face_id.is_some()
            | self.cache_policy.is_some()
            | self.congestion_mark.is_some()
            | !self.acks.as_octets().is_empty()
            | self.tx_sequence.is_some()
            | self.non_discovery
            | self.prefix_announcement.is_some())
    }

    /// Whether the packet is one of several fragments.
    #[must_use]
    pub fn is_fragmented(&self) -> bool {
        self.frag_count.is_some_and(|count| count > 1)
    }

    /// Takes one known field in; false if `element` is none.
    pub(crate) fn read_field(&mut self, element: Element<'a>) -> Result<bool, DecodeError> {
        match element.typ {
            SEQUENCE => self.sequence = Some(u64::from_be_bytes(element.fixed()?)),
            FRAG_INDEX => self.frag_index = Some(element.number()?),
            FRAG_COUNT => self.frag_count = Some(element.number()?),
            PIT_TOKEN => {
                let token = PitToken::new(element.value);
                self.pit_token = Some(token.ok_or(element.error(ErrorKind::BadLength))?);
            }
            INCOMING_FACE_ID => self.incoming_face_id = Some(element.number()?),
            NEXT_HOP_FACE_ID => self.next_hop_face_id = Some(element.number()?),
            CACHE_POLICY => self.cache_policy = Some(read_cache_policy(element)?),
            CONGESTION_MARK => self.congestion_mark = Some(element.number()?),
            TX_SEQUENCE => self.tx_sequence = Some(u64::from_be_bytes(element.fixed()?)),
            NON_DISCOVERY => self.non_discovery = element.empty()?,
            PREFIX_ANNOUNCEMENT => {
                let at = element.inside().offset();
                Data::decode(element.value).map_err(|error| error.shifted(at))?;
                self.prefix_announcement = Some(element.value);
            }
            MARS => self.mars = MarsHeader::read(element)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Octets of all fields, with the Nack.
    #[inline(always)]
    pub(crate) fn encoded_len(&self, nack: Option<NackReason>) -> usize {
        if self.is_plain() && nack.is_none() {
            self.token_len() + self.mars.encoded_len()
        } else {
            self.any_len(nack)
        }
    }

    /// Writes all fields, if there are none but a PIT token and a MARS header.
    #[inline(always)]
    pub(crate) fn write_usual(&self, pen: &mut Pen<'_>) -> Option<()> {
        if !self.is_plain() {
            return None;
        }
        if let Some(token) = &self.pit_token {
            token.write_usual(pen)?;
        }
        self.mars.write_usual(pen)
    }

    #[inline(always)]
    fn token_len(&self) -> usize {
        self.pit_token
            .as_ref()
            .map_or(0, |token| element_len(PIT_TOKEN, token.as_slice().len()))
    }

    #[inline(never)]
    fn any_len(&self, nack: Option<NackReason>) -> usize {
        let number = |typ, n: Option<u64>| n.map_or(0, |n| number_element_len(typ, n));
        self.sequence.map_or(0, |_| element_len(SEQUENCE, 8))
            + number(FRAG_INDEX, self.frag_index)
            + number(FRAG_COUNT, self.frag_count)
            + self.token_len()
            + nack.map_or(0, NackReason::encoded_len)
            + number(INCOMING_FACE_ID, self.incoming_face_id)
            + number(NEXT_HOP_FACE_ID, self.next_hop_face_id)
            + self.cache_policy.map_or(0, |policy| {
                element_len(CACHE_POLICY, number_element_len(CACHE_POLICY_TYPE, policy))
            })
            + number(CONGESTION_MARK, self.congestion_mark)
            + self.acks.as_octets().len()
            + self.tx_sequence.map_or(0, |_| element_len(TX_SEQUENCE, 8))
            + if self.non_discovery {
                element_len(NON_DISCOVERY, 0)
            } else {
                0
            }
            + self
                .prefix_announcement
                .map_or(0, |data| element_len(PREFIX_ANNOUNCEMENT, data.len()))
            + self.mars.encoded_len()
    }

    /// Writes all fields, with the Nack, in ascending order.
    pub(crate) fn write(&self, nack: Option<NackReason>, w: &mut Writer<'_>) {
        fn number(w: &mut Writer<'_>, typ: u32, n: Option<u64>) {
            if let Some(n) = n {
                w.number(typ, n);
            }
        }
        if let Some(sequence) = self.sequence {
            w.element(SEQUENCE, &sequence.to_be_bytes());
        }
        number(w, FRAG_INDEX, self.frag_index);
        number(w, FRAG_COUNT, self.frag_count);
        if let Some(token) = &self.pit_token {
            w.element(PIT_TOKEN, token.as_slice());
        }
        if let Some(reason) = nack {
            reason.write(w);
        }
        number(w, INCOMING_FACE_ID, self.incoming_face_id);
        number(w, NEXT_HOP_FACE_ID, self.next_hop_face_id);
        if let Some(policy) = self.cache_policy {
            w.head(CACHE_POLICY, number_element_len(CACHE_POLICY_TYPE, policy));
            w.number(CACHE_POLICY_TYPE, policy);
        }
        number(w, CONGESTION_MARK, self.congestion_mark);
        w.put(self.acks.as_octets());
        if let Some(sequence) = self.tx_sequence {
            w.element(TX_SEQUENCE, &sequence.to_be_bytes());
        }
        if self.non_discovery {
            w.element(NON_DISCOVERY, &[]);
        }
        if let Some(data) = self.prefix_announcement {
            w.element(PREFIX_ANNOUNCEMENT, data);
        }
        self.mars.write(w);
    }

    /// Whether the fields agree with one another, and stand in a fragment where they belong.
    #[inline(always)]
    pub(crate) fn check_fragment(&self) -> Result<(), ErrorKind> {
        let index = self.frag_index.unwrap_or(0);
        let count = self.frag_count.unwrap_or(1);
        let possible = index < count && (count == 1 || self.sequence.is_some());
        if possible && (index == 0 || self.mars.is_empty()) {
            Ok(())
        } else {
            Err(ErrorKind::BadFragment)
        }
    }

    /// Whether a decoder takes what [`Self::write`] writes.
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), ErrorKind> {
        if self.is_plain() {
            Ok(())
        } else {
            self.check_any()
        }
    }

    #[inline(never)]
    fn check_any(&self) -> Result<(), ErrorKind> {
        if let Some(data) = self.prefix_announcement {
            Data::decode(data).map_err(|error| error.kind)?;
        }
        self.check_fragment()
    }
}

fn read_cache_policy(policy: Element<'_>) -> Result<u64, DecodeError> {
    let mut reader = policy.inside();
    let mut typ = None;
    while !reader.is_empty() {
        let element = reader.element()?;
        match element.typ {
            CACHE_POLICY_TYPE if typ.is_none() => typ = Some(element.number()?),
            unknown if is_ignorable(unknown) => {}
            _ => return Err(element.error(ErrorKind::Critical)),
        }
    }
    typ.ok_or(policy.error(ErrorKind::Missing))
}

/// Whether an unknown link header may be ignored. This rule is of `NDNLPv2` alone: elsewhere the
/// last bit of the type decides.
pub(crate) const fn is_ignorable(typ: u32) -> bool {
    matches!(typ, 800..=959) && typ.is_multiple_of(4)
}

/// The Ack fields of a link packet: sequence numbers that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Acks<'a> {
    octets: &'a [u8],
}

impl<'a> Acks<'a> {
    /// Checks a run of Ack elements.
    ///
    /// # Errors
    /// The first element that is no Ack of 8 octets, with its offset in `octets`.
    pub fn from_octets(octets: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(octets);
        while !reader.is_empty() {
            let element = reader.element()?;
            if element.typ != ACK {
                return Err(element.error(ErrorKind::BadType));
            }
            element.fixed::<8>()?;
        }
        Ok(Self { octets })
    }

    /// Reads the run of Acks that `reader` stands before, if any.
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let start = reader.rest();
        let mut next = *reader;
        while !next.is_empty() {
            let element = next.element()?;
            if element.typ != ACK {
                break;
            }
            element.fixed::<8>()?;
            *reader = next;
        }
        let len = start.len().saturating_sub(reader.rest().len());
        let octets = start.get(..len).unwrap_or_default();
        Ok(Self { octets })
    }

    /// Writes one Ack element for each of `sequences` to the front of `out`, and borrows them from
    /// there. They take 12 octets each.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`].
    pub fn encode(sequences: &[u64], out: &'a mut [u8]) -> Result<Self, EncodeError> {
        let len = sequences.len().saturating_mul(element_len(ACK, 8));
        Writer::exactly(len, out, |w| {
            for sequence in sequences {
                w.element(ACK, &sequence.to_be_bytes());
            }
        })?;
        let octets = out.get(..len).unwrap_or_default();
        Ok(Self { octets })
    }

    /// The octets of the elements.
    #[must_use]
    pub const fn as_octets(self) -> &'a [u8] {
        self.octets
    }

    /// The sequence numbers, as they came.
    pub fn sequences(self) -> impl Iterator<Item = u64> {
        let mut reader = Reader::new(self.octets);
        core::iter::from_fn(move || Some(u64::from_be_bytes(reader.element().ok()?.fixed().ok()?)))
    }
}
