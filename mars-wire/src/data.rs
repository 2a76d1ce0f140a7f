//! Data: a named, signed piece of content.

use core::time::Duration;

use crate::name::read_component;
use crate::pen::Pen;
use crate::tlv::{Element, Reader, element_len, number_element_len};
use crate::types::{
    CONTENT, CONTENT_TYPE, DATA, FINAL_BLOCK_ID, FRESHNESS_PERIOD, META_INFO, NAME, SIGNATURE_INFO,
    SIGNATURE_VALUE,
};
use crate::usual::Usual;
use crate::writer::Writer;
use crate::{
    Component, DecodeError, EncodeError, ErrorKind, MAX_PACKET, Name, SignatureInfo, millis,
};

/// What a Data says about its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MetaInfo<'a> {
    /// Kind of the content; absent means 0, a plain blob.
    pub content_type: Option<u64>,
    /// How long it counts as fresh after arrival, in milliseconds; absent means 0.
    pub freshness_ms: Option<u64>,
    /// Last component of the name of the last Data of the object.
    pub final_block_id: Option<Component<'a>>,
}

impl<'a> MetaInfo<'a> {
    /// Decodes it if there is nothing unusual about it.
    #[inline(always)]
    fn usual(value: &'a [u8]) -> Option<Self> {
        let mut inside = Usual::new(value);
        let content_type = inside.number(CONTENT_TYPE);
        let freshness_ms = inside.number(FRESHNESS_PERIOD);
        let final_block_id = match inside.small(FINAL_BLOCK_ID) {
            Some(last) => Some(Usual::new(last).component()?),
            None => None,
        };
        inside.is_empty().then_some(Self {
            content_type,
            freshness_ms,
            final_block_id,
        })
    }

    fn read(element: Element<'a>) -> Result<Self, DecodeError> {
        let mut reader = element.inside();
        let mut meta = Self::default();
        let mut place = 0;
        while !reader.is_empty() {
            let element = reader.element()?;
            match element.typ {
                CONTENT_TYPE if place < 1 => {
                    place = 1;
                    meta.content_type = Some(element.number()?);
                }
                FRESHNESS_PERIOD if place < 2 => {
                    place = 2;
                    meta.freshness_ms = Some(element.number()?);
                }
                FINAL_BLOCK_ID if place < 3 => {
                    place = 3;
                    meta.final_block_id = Some(read_final_block_id(element)?);
                }
                _ => element.skip()?,
            }
        }
        Ok(meta)
    }

    /// Writes it if there is nothing unusual about it.
    #[inline(always)]
    fn write_usual(&self, pen: &mut Pen<'_>) -> Option<()> {
        let head = pen.slot::<2>()?;
        let room = pen.room();
        if let Some(typ) = self.content_type {
            pen.number(CONTENT_TYPE, typ)?;
        }
        if let Some(ms) = self.freshness_ms {
            pen.number(FRESHNESS_PERIOD, ms)?;
        }
        if let Some(last) = self.final_block_id {
            let (Ok(typ), len @ 0..=250) = (u8::try_from(last.typ()), last.value().len()) else {
                return None;
            };
            if typ > 252 {
                return None;
            }
            pen.array(Pen::short_head(FINAL_BLOCK_ID, len.wrapping_add(2))?)?;
            pen.small(typ.into(), last.value())?;
        }
        *head = Pen::short_head(META_INFO, room.wrapping_sub(pen.room()))?;
        Some(())
    }

    #[inline(always)]
    fn value_len(&self) -> usize {
        let number = |typ, n: Option<u64>| n.map_or(0, |n| number_element_len(typ, n));
        number(CONTENT_TYPE, self.content_type)
            + number(FRESHNESS_PERIOD, self.freshness_ms)
            + self
                .final_block_id
                .map_or(0, |c| element_len(FINAL_BLOCK_ID, c.encoded_len()))
    }

    #[inline(always)]
    fn write(&self, w: &mut Writer<'_>) {
        w.head(META_INFO, self.value_len());
        if let Some(typ) = self.content_type {
            w.number(CONTENT_TYPE, typ);
        }
        if let Some(ms) = self.freshness_ms {
            w.number(FRESHNESS_PERIOD, ms);
        }
        if let Some(component) = self.final_block_id {
            w.head(FINAL_BLOCK_ID, component.encoded_len());
            w.element(u32::from(component.typ()), component.value());
        }
    }
}

/// `FinalBlockId` holds exactly one component.
fn read_final_block_id(element: Element<'_>) -> Result<Component<'_>, DecodeError> {
    let mut reader = element.inside();
    if reader.is_empty() {
        return Err(element.error(ErrorKind::Missing));
    }
    let component = read_component(&mut reader)?;
    if reader.is_empty() {
        Ok(component)
    } else {
        Err(reader.error(ErrorKind::Trailing))
    }
}

/// A Data, decoded or to be encoded.
///
/// Elements that this version of the format does not know are checked (a critical one is an error)
/// and not kept. A forwarder never encodes a Data again: it sends the octets that it got, behind a
/// new link header ([`LpPacket`](crate::LpPacket)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Data<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// About the content.
    pub meta: Option<MetaInfo<'a>>,
    /// The content.
    pub content: Option<&'a [u8]>,
    /// Who signed it, and how.
    pub signature_info: SignatureInfo<'a>,
    /// The signature.
    pub signature_value: &'a [u8],
}

impl<'a> Data<'a> {
    /// A Data with `DigestSha256` and 32 zeros for a value: to be signed while it is encoded
    /// ([`Self::encode_with`]), or with the digest to be filled in.
    #[must_use]
    pub const fn new(name: Name<'a>, content: &'a [u8]) -> Self {
        Self {
            name,
            meta: None,
            content: Some(content),
            signature_info: SignatureInfo::DIGEST_SHA256,
            signature_value: &[0; 32],
        }
    }

    /// A producer's answer to a discovery Interest of this name: `FreshnessPeriod` 0, no content,
    /// signed as [`Self::new`]. What it tells is in the link header that the producer's forwarder
    /// puts before it.
    #[must_use]
    pub const fn discovery_answer(name: Name<'a>) -> Self {
        Self {
            name,
            meta: Some(MetaInfo {
                content_type: None,
                freshness_ms: Some(0),
                final_block_id: None,
            }),
            content: None,
            signature_info: SignatureInfo::DIGEST_SHA256,
            signature_value: &[0; 32],
        }
    }

    /// With this freshness period, rounded up to whole milliseconds.
    #[must_use]
    pub fn with_freshness(mut self, freshness: Duration) -> Self {
        self.meta.get_or_insert_default().freshness_ms = Some(millis(freshness));
        self
    }

    /// With the last component of the last Data of the object. A number is put into a component
    /// with [`Number`](crate::Number).
    #[must_use]
    pub fn with_final_block_id(mut self, component: Component<'a>) -> Self {
        self.meta.get_or_insert_default().final_block_id = Some(component);
        self
    }

    /// How long it counts as fresh after arrival.
    #[must_use]
    pub fn freshness(&self) -> Duration {
        Duration::from_millis(self.meta.and_then(|meta| meta.freshness_ms).unwrap_or(0))
    }

    /// `FinalBlockId`, if there is one.
    #[must_use]
    pub fn final_block_id(&self) -> Option<Component<'a>> {
        self.meta?.final_block_id
    }

    /// Decodes a bare Data, the whole of `octets`.
    ///
    /// # Errors
    /// The first fault and its offset.
    pub fn decode(octets: &'a [u8]) -> Result<Self, DecodeError> {
        match Self::usual(octets) {
            Some(data) => Ok(data),
            None => Self::any(octets),
        }
    }

    /// Decodes it if there is nothing unusual about it.
    #[inline(always)]
    pub(crate) fn usual(octets: &'a [u8]) -> Option<Self> {
        let mut packet = Usual::packet(octets, DATA)?;
        let name = packet.name(NAME)?;
        let meta = match packet.small(META_INFO) {
            Some(meta) => Some(MetaInfo::usual(meta)?),
            None => None,
        };
        let data = Self {
            name,
            meta,
            content: packet.large(CONTENT),
            signature_info: SignatureInfo::usual(packet.small(SIGNATURE_INFO)?)?,
            signature_value: packet.small(SIGNATURE_VALUE)?,
        };
        packet.is_empty().then_some(data)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn any(octets: &'a [u8]) -> Result<Self, DecodeError> {
        let element = Reader::datagram(octets)?;
        if element.typ != DATA {
            return Err(element.error(ErrorKind::BadType));
        }
        Self::read(element)
    }

    fn read(packet: Element<'a>) -> Result<Self, DecodeError> {
        let missing = packet.error(ErrorKind::Missing);
        let mut reader = packet.inside();
        if reader.is_empty() {
            return Err(missing);
        }
        let first = reader.element()?;
        if first.typ != NAME {
            return Err(first.error(ErrorKind::Missing));
        }
        let (name, _) = Name::read(first)?;
        let mut meta = None;
        let mut content = None;
        let mut signature_info = None;
        let mut signature_value = None;
        // Place in the order of the last known element: a smaller or equal one is out of order.
        let mut place = 0;
        while !reader.is_empty() {
            let element = reader.element()?;
            match element.typ {
                META_INFO if place < 1 => {
                    place = 1;
                    meta = Some(MetaInfo::read(element)?);
                }
                CONTENT if place < 2 => {
                    place = 2;
                    content = Some(element.value);
                }
                SIGNATURE_INFO if place < 3 => {
                    place = 3;
                    signature_info = Some(SignatureInfo::read(element)?);
                }
                SIGNATURE_VALUE if place < 4 => {
                    place = 4;
                    signature_value = Some(element.value);
                }
                _ => element.skip()?,
            }
        }
        Ok(Self {
            name,
            meta,
            content,
            signature_info: signature_info.ok_or(missing)?,
            signature_value: signature_value.ok_or(missing)?,
        })
    }

    /// Octets that [`Self::encode`] writes.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        element_len(DATA, self.value_len())
    }

    #[inline(always)]
    pub(crate) fn value_len(&self) -> usize {
        self.signed_len() + element_len(SIGNATURE_VALUE, self.signature_value.len())
    }

    #[inline(always)]
    fn signed_len(&self) -> usize {
        element_len(NAME, self.name.as_value().len())
            + self
                .meta
                .as_ref()
                .map_or(0, |meta| element_len(META_INFO, meta.value_len()))
            + self
                .content
                .map_or(0, |content| element_len(CONTENT, content.len()))
            + element_len(SIGNATURE_INFO, self.signature_info.value_len())
    }

    /// Writes it to the front of `out`; says how many octets that took.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`]; [`EncodeError::Invalid`] for a `SignatureInfo` with
    /// extensions that a decoder would refuse, and above [`MAX_PACKET`](crate::MAX_PACKET) octets.
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        match self.write_usual(&mut Pen::new(out)) {
            Some(len) => Ok(len),
            None => self.encode_any(out),
        }
    }

    /// Writes it if there is nothing unusual about it, with a large content; says how many octets that
    /// took.
    #[inline(always)]
    pub(crate) fn write_usual(&self, pen: &mut Pen<'_>) -> Option<usize> {
        let content = self.content.filter(|content| content.len() > 252)?;
        let room = pen.room();
        let head = pen.slot::<4>()?;
        pen.small(NAME, self.name.as_value())?;
        if let Some(meta) = &self.meta {
            meta.write_usual(pen)?;
        }
        pen.array(Pen::long_head(CONTENT, content.len())?)?;
        pen.put(content)?;
        self.signature_info.write_usual(pen)?;
        pen.small(SIGNATURE_VALUE, self.signature_value)?;
        let len = room.wrapping_sub(pen.room());
        *head = Pen::long_head(DATA, len.wrapping_sub(4))?;
        (len <= MAX_PACKET).then_some(len)
    }

    #[cold]
    #[inline(never)]
    fn encode_any(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        self.check().map_err(EncodeError::Invalid)?;
        let value_len = self.value_len();
        Writer::packet(element_len(DATA, value_len), out, |w| {
            self.write(value_len, w);
        })
    }

    /// As [`Self::encode`], and then calls `sign` with the signed portion (from Name up to, not
    /// including, `SignatureValue`) and the octets of the signature value, to be overwritten. There
    /// are as many of these as `self.signature_value` has.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn encode_with(
        &self,
        out: &mut [u8],
        sign: impl FnOnce(&[u8], &mut [u8]),
    ) -> Result<usize, EncodeError> {
        let len = self.encode(out)?;
        let written = out.get_mut(..len).unwrap_or_default();
        let head = len.saturating_sub(self.value_len());
        let value = self.signature_value.len();
        if let Some((front, value)) = written.split_at_mut_checked(len.saturating_sub(value))
            && let Some(signed) = front.get(head..head.saturating_add(self.signed_len()))
        {
            sign(signed, value);
        }
        Ok(len)
    }

    /// Writes it, the length of its value having been computed before.
    #[inline(always)]
    pub(crate) fn write(&self, value_len: usize, w: &mut Writer<'_>) {
        w.head(DATA, value_len);
        w.element(NAME, self.name.as_value());
        if let Some(meta) = &self.meta {
            meta.write(w);
        }
        if let Some(content) = self.content {
            w.element(CONTENT, content);
        }
        self.signature_info.write(SIGNATURE_INFO, w);
        w.element(SIGNATURE_VALUE, self.signature_value);
    }

    /// Whether a decoder takes what [`Self::write`] writes.
    pub(crate) fn check(&self) -> Result<(), ErrorKind> {
        self.signature_info.check()
    }

    /// What the signature of the bare Data `octets` covers: from Name up to, not including,
    /// `SignatureValue`.
    ///
    /// # Errors
    /// As [`Self::decode`], as far as the elements on the outer level are concerned.
    pub fn signed_portion(octets: &[u8]) -> Result<&[u8], DecodeError> {
        let packet = Reader::datagram(octets)?;
        let start = packet.inside().offset();
        let mut reader = packet.inside();
        while !reader.is_empty() {
            let element = reader.element()?;
            if element.typ == SIGNATURE_VALUE {
                return Ok(octets.get(start..element.offset()).unwrap_or_default());
            }
        }
        Err(packet.error(ErrorKind::Missing))
    }
}
