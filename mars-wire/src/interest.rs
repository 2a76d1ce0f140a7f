//! Interest: a request for one Data.

use core::time::Duration;

use crate::pen::Pen;
use crate::tlv::{Element, Reader, element_len, number_element_len};
use crate::types::{
    APPLICATION_PARAMETERS, CAN_BE_PREFIX, FORWARDING_HINT, HOP_LIMIT, INTEREST, INTEREST_LIFETIME,
    INTEREST_SIGNATURE_INFO, INTEREST_SIGNATURE_VALUE, MUST_BE_FRESH, NAME, NONCE,
};
use crate::usual::{Usual, is_plain_name};
use crate::writer::Writer;
use crate::{
    Component, DecodeError, EncodeError, ErrorKind, ForwardingHint, Name, Parameters, millis,
};

/// An Interest, decoded or to be encoded. It is `Copy`: to send it on with another hop limit, nonce
/// or lifetime, encode a changed copy.
///
/// Elements that this version of the format does not know are checked (a critical one is an error)
/// and not kept, except behind `ApplicationParameters`, where a digest covers them. To change an
/// Interest and keep every element of it, use [`InterestEdit`](crate::InterestEdit).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interest<'a> {
    /// What is asked for; at least one component.
    pub name: Name<'a>,
    /// Whether Data with a longer name answers too.
    pub can_be_prefix: bool,
    /// Whether Data must be within its freshness period.
    pub must_be_fresh: bool,
    /// Where to look for a producer, if the name alone does not say.
    pub forwarding_hint: Option<ForwardingHint<'a>>,
    /// Tells copies of one Interest from another with the same name.
    pub nonce: Option<u32>,
    /// How long the downstream waits, in milliseconds; see [`Self::lifetime`].
    pub lifetime_ms: Option<u64>,
    /// Hops left.
    pub hop_limit: Option<u8>,
    /// Parameters for the producer, and the signature.
    pub parameters: Option<Parameters<'a>>,
}

impl<'a> Interest<'a> {
    /// The lifetime of an Interest that does not say.
    pub const DEFAULT_LIFETIME: Duration = Duration::from_secs(4);

    /// An Interest for exactly `name`, without any other element.
    #[must_use]
    pub const fn new(name: Name<'a>) -> Self {
        Self {
            name,
            can_be_prefix: false,
            must_be_fresh: false,
            forwarding_hint: None,
            nonce: None,
            lifetime_ms: None,
            hop_limit: None,
            parameters: None,
        }
    }

    /// With this nonce.
    #[must_use]
    pub const fn with_nonce(mut self, nonce: u32) -> Self {
        self.nonce = Some(nonce);
        self
    }

    /// With this lifetime, rounded up to whole milliseconds.
    #[must_use]
    pub const fn with_lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime_ms = Some(millis(lifetime));
        self
    }

    /// With this many hops left.
    #[must_use]
    pub const fn with_hop_limit(mut self, hops: u8) -> Self {
        self.hop_limit = Some(hops);
        self
    }

    /// How long the downstream waits.
    #[must_use]
    pub const fn lifetime(&self) -> Duration {
        match self.lifetime_ms {
            Some(ms) => Duration::from_millis(ms),
            None => Self::DEFAULT_LIFETIME,
        }
    }

    /// Decodes a bare Interest, the whole of `octets`.
    ///
    /// # Errors
    /// The first fault and its offset.
    pub fn decode(octets: &'a [u8]) -> Result<Self, DecodeError> {
        match Self::usual(octets) {
            Some(interest) => Ok(interest),
            None => Self::any(octets),
        }
    }

    /// Decodes it if there is nothing unusual about it.
    #[inline(always)]
    pub(crate) fn usual(octets: &'a [u8]) -> Option<Self> {
        let mut packet = Usual::small_packet(octets, INTEREST)?;
        let interest = Self {
            name: packet.name(NAME)?,
            can_be_prefix: packet.fixed::<0>(CAN_BE_PREFIX).is_some(),
            must_be_fresh: packet.fixed::<0>(MUST_BE_FRESH).is_some(),
            forwarding_hint: None,
            nonce: packet.fixed(NONCE).map(u32::from_be_bytes),
            lifetime_ms: packet.number(INTEREST_LIFETIME),
            hop_limit: packet.fixed(HOP_LIMIT).map(|[hops]| hops),
            parameters: None,
        };
        (packet.is_empty() && !interest.name.is_empty()).then_some(interest)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn any(octets: &'a [u8]) -> Result<Self, DecodeError> {
        let element = Reader::datagram(octets)?;
        if element.typ != INTEREST {
            return Err(element.error(ErrorKind::BadType));
        }
        Self::read(element)
    }

    fn read(packet: Element<'a>) -> Result<Self, DecodeError> {
        let mut reader = packet.inside();
        if reader.is_empty() {
            return Err(packet.error(ErrorKind::Missing));
        }
        let first = reader.element()?;
        if first.typ != NAME {
            return Err(first.error(ErrorKind::Missing));
        }
        let (name, digests) = Name::read(first)?;
        if name.is_empty() {
            return Err(first.error(ErrorKind::Missing));
        }
        let mut interest = Self::new(name);
        // Place in the order of the last known element: a smaller or equal one is out of order.
        let mut place = 0;
        while !reader.is_empty() {
            let before = reader;
            let element = reader.element()?;
            match element.typ {
                CAN_BE_PREFIX if place < 1 => {
                    place = 1;
                    interest.can_be_prefix = element.empty()?;
                }
                MUST_BE_FRESH if place < 2 => {
                    place = 2;
                    interest.must_be_fresh = element.empty()?;
                }
                FORWARDING_HINT if place < 3 => {
                    place = 3;
                    interest.forwarding_hint = Some(ForwardingHint::read(element)?);
                }
                NONCE if place < 4 => {
                    place = 4;
                    interest.nonce = Some(u32::from_be_bytes(element.fixed()?));
                }
                INTEREST_LIFETIME if place < 5 => {
                    place = 5;
                    interest.lifetime_ms = Some(element.number()?);
                }
                HOP_LIMIT if place < 6 => {
                    place = 6;
                    let [hops] = element.fixed()?;
                    interest.hop_limit = Some(hops);
                }
                APPLICATION_PARAMETERS => {
                    interest.parameters = Some(Parameters::read(before)?);
                    break;
                }
                // A signature without parameters must not pass for no signature.
                INTEREST_SIGNATURE_INFO | INTEREST_SIGNATURE_VALUE => {
                    return Err(element.error(ErrorKind::Missing));
                }
                _ => element.skip()?,
            }
        }
        if digests == usize::from(interest.parameters.is_some()) {
            Ok(interest)
        } else {
            Err(first.error(ErrorKind::ParametersDigest))
        }
    }

    /// What the signature of a signed Interest covers, in three parts to be taken one after the
    /// other: the components of the name before its `ParametersSha256Digest`, those behind, and
    /// [`Parameters::signed_portion`].
    #[must_use]
    pub fn signed_portion(&self) -> [&'a [u8]; 3] {
        let mut components = self.name.components();
        let mut before = components.consumed();
        while let Some(component) = components.next() {
            if component.typ() == Component::PARAMETERS_DIGEST {
                break;
            }
            before = components.consumed();
        }
        [
            before.as_value(),
            components.remaining().as_value(),
            self.parameters.map_or(&[], Parameters::signed_portion),
        ]
    }

    /// Octets that [`Self::encode`] writes.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        element_len(INTEREST, self.value_len())
    }

    #[inline(always)]
    pub(crate) fn value_len(&self) -> usize {
        let flag = |present| if present { 2 } else { 0 };
        element_len(NAME, self.name.as_value().len())
            + flag(self.can_be_prefix)
            + flag(self.must_be_fresh)
            + self.forwarding_hint.map_or(0, |hint| {
                element_len(FORWARDING_HINT, hint.as_value().len())
            })
            + self.nonce.map_or(0, |_| 6)
            + self
                .lifetime_ms
                .map_or(0, |ms| number_element_len(INTEREST_LIFETIME, ms))
            + self.hop_limit.map_or(0, |_| 3)
            + self.parameters.map_or(0, |p| p.as_octets().len())
    }

    /// Writes it to the front of `out`; says how many octets that took.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`]; [`EncodeError::Invalid`] for a name without components, for
    /// parameters without their digest in the name or the reverse, and above
    /// [`MAX_PACKET`](crate::MAX_PACKET) octets.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        match self.write_usual(&mut Pen::new(out)) {
            Some(len) => Ok(len),
            None => self.encode_any(out),
        }
    }

    /// Writes it if there is nothing unusual about it; says how many octets that took.
    #[inline(always)]
    pub(crate) fn write_usual(&self, pen: &mut Pen<'_>) -> Option<usize> {
        /// Longest name with which the value of an Interest is no longer than 252 octets.
        const MAX_NAME: usize = 252 - 25;
        let name = self.name.as_value();
        let usual = self.forwarding_hint.is_none() & self.parameters.is_none();
        if !usual || !matches!(name.len(), 1..=MAX_NAME) || !is_plain_name(name) {
            return None;
        }
        let room = pen.room();
        let head = pen.slot::<2>()?;
        pen.small(NAME, name)?;
        if self.can_be_prefix {
            pen.fixed(CAN_BE_PREFIX, [])?;
        }
        if self.must_be_fresh {
            pen.fixed(MUST_BE_FRESH, [])?;
        }
        if let Some(nonce) = self.nonce {
            pen.fixed(NONCE, nonce.to_be_bytes())?;
        }
        if let Some(ms) = self.lifetime_ms {
            pen.number(INTEREST_LIFETIME, ms)?;
        }
        if let Some(hops) = self.hop_limit {
            pen.fixed(HOP_LIMIT, [hops])?;
        }
        let len = room.wrapping_sub(pen.room());
        *head = Pen::short_head(INTEREST, len.wrapping_sub(2))?;
        Some(len)
    }

    #[cold]
    #[inline(never)]
    fn encode_any(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        self.check().map_err(EncodeError::Invalid)?;
        let value_len = self.value_len();
        Writer::packet(element_len(INTEREST, value_len), out, |w| {
            self.write(value_len, w);
        })
    }

    /// Writes it, the length of its value having been computed before.
    #[inline(always)]
    pub(crate) fn write(&self, value_len: usize, w: &mut Writer<'_>) {
        w.head(INTEREST, value_len);
        w.element(NAME, self.name.as_value());
        if self.can_be_prefix {
            w.fixed(CAN_BE_PREFIX, []);
        }
        if self.must_be_fresh {
            w.fixed(MUST_BE_FRESH, []);
        }
        if let Some(hint) = self.forwarding_hint {
            w.element(FORWARDING_HINT, hint.as_value());
        }
        if let Some(nonce) = self.nonce {
            w.fixed(NONCE, nonce.to_be_bytes());
        }
        if let Some(ms) = self.lifetime_ms {
            w.number(INTEREST_LIFETIME, ms);
        }
        if let Some(hops) = self.hop_limit {
            w.fixed(HOP_LIMIT, [hops]);
        }
        if let Some(parameters) = self.parameters {
            w.put(parameters.as_octets());
        }
    }

    /// Whether a decoder takes what [`Self::write`] writes.
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), ErrorKind> {
        if self.name.is_empty() {
            return Err(ErrorKind::Missing);
        }
        if self.name.parameters_digests() == usize::from(self.parameters.is_some()) {
            Ok(())
        } else {
            Err(ErrorKind::ParametersDigest)
        }
    }
}
