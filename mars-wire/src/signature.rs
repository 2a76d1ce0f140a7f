//! Who signed, and how: `SignatureInfo` and `KeyLocator`.

use crate::pen::Pen;
use crate::tlv::{Element, Reader, element_len, number_element_len};
use crate::types::{
    KEY_DIGEST, KEY_LOCATOR, NAME, NOT_AFTER, NOT_BEFORE, SIGNATURE_INFO, SIGNATURE_NONCE,
    SIGNATURE_SEQ_NUM, SIGNATURE_TIME, SIGNATURE_TYPE, VALIDITY_PERIOD,
};
use crate::usual::Usual;
use crate::writer::Writer;
use crate::{DecodeError, ErrorKind, Name};

/// How a packet was signed, as the number that stands in its `SignatureType`. Any other number is
/// kept too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignatureType(pub u64);

impl SignatureType {
    /// The value is the SHA-256 of the signed portion.
    pub const DIGEST_SHA256: Self = Self(0);
    /// RSA PKCS#1 v1.5 over SHA-256.
    pub const SHA256_WITH_RSA: Self = Self(1);
    /// ECDSA over SHA-256.
    pub const SHA256_WITH_ECDSA: Self = Self(3);
    /// HMAC with SHA-256.
    pub const HMAC_WITH_SHA256: Self = Self(4);
    /// Ed25519.
    pub const ED25519: Self = Self(5);
    /// No signature, empty value: for tests only.
    pub const NULL: Self = Self(200);
}

/// Which key signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyLocator<'a> {
    /// Name of the key or of its certificate.
    Name(Name<'a>),
    /// Digest of the key.
    Digest(&'a [u8]),
}

impl<'a> KeyLocator<'a> {
    /// Decodes it if there is nothing unusual about it.
    #[inline(never)]
    fn usual(value: &'a [u8]) -> Option<Self> {
        let mut inside = Usual::new(value);
        let locator = match inside.small(KEY_DIGEST) {
            Some(digest) => Self::Digest(digest),
            None => Self::Name(inside.name(NAME)?),
        };
        inside.is_empty().then_some(locator)
    }

    fn read(element: Element<'a>) -> Result<Self, DecodeError> {
        let mut reader = element.inside();
        if reader.is_empty() {
            return Err(element.error(ErrorKind::Missing));
        }
        let inner = reader.element()?;
        let locator = match inner.typ {
            NAME => Self::Name(Name::read(inner)?.0),
            KEY_DIGEST => Self::Digest(inner.value),
            _ => return Err(inner.error(ErrorKind::BadType)),
        };
        skip_all(reader)?;
        Ok(locator)
    }

    const fn inner(&self) -> (u32, &'a [u8]) {
        match self {
            Self::Name(name) => (NAME, name.as_value()),
            Self::Digest(digest) => (KEY_DIGEST, digest),
        }
    }

    const fn value_len(&self) -> usize {
        let (typ, value) = self.inner();
        element_len(typ, value.len())
    }
}

/// How a packet was signed, and by which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignatureInfo<'a> {
    /// The scheme.
    pub signature_type: SignatureType,
    /// The key, where the scheme has one.
    pub key_locator: Option<KeyLocator<'a>>,
    /// The elements behind, as they are: `SignatureNonce`, `SignatureTime` and `SignatureSeqNum` of
    /// a signed Interest, `ValidityPeriod` of a certificate. Their sizes and order were checked when
    /// the packet was decoded.
    pub extensions: &'a [u8],
}

impl<'a> SignatureInfo<'a> {
    /// `DigestSha256`, which has no key.
    pub const DIGEST_SHA256: SignatureInfo<'static> = SignatureInfo {
        signature_type: SignatureType::DIGEST_SHA256,
        key_locator: None,
        extensions: &[],
    };

    /// A scheme and a key.
    #[must_use]
    pub const fn new(signature_type: SignatureType, key_locator: Option<KeyLocator<'a>>) -> Self {
        Self {
            signature_type,
            key_locator,
            extensions: &[],
        }
    }

    /// Decodes it if there is nothing unusual about it.
    #[inline(always)]
    pub(crate) fn usual(value: &'a [u8]) -> Option<Self> {
        let mut inside = Usual::new(value);
        match inside.fixed(SIGNATURE_TYPE) {
            Some([typ]) if inside.is_empty() => Some(Self::new(SignatureType(typ.into()), None)),
            _ => Self::usual_with_key(value),
        }
    }

    #[inline(never)]
    fn usual_with_key(value: &'a [u8]) -> Option<Self> {
        let mut inside = Usual::new(value);
        let typ = SignatureType(inside.number(SIGNATURE_TYPE)?);
        let locator = KeyLocator::usual(inside.small(KEY_LOCATOR)?)?;
        inside.is_empty().then_some(Self::new(typ, Some(locator)))
    }

    pub(crate) fn read(element: Element<'a>) -> Result<Self, DecodeError> {
        let mut reader = element.inside();
        if reader.is_empty() {
            return Err(element.error(ErrorKind::Missing));
        }
        let first = reader.element()?;
        if first.typ != SIGNATURE_TYPE {
            return Err(first.error(ErrorKind::Missing));
        }
        let mut info = Self::new(SignatureType(first.number()?), None);
        while !reader.is_empty() {
            let before = reader;
            let element = reader.element()?;
            match element.typ {
                KEY_LOCATOR if info.key_locator.is_none() => {
                    info.key_locator = Some(KeyLocator::read(element)?);
                }
                known if is_extension(known) => {
                    info.extensions = before.rest();
                    check_extensions(before)?;
                    break;
                }
                _ => element.skip()?,
            }
        }
        Ok(info)
    }

    /// Writes that of a Data if there is nothing unusual about it.
    #[inline(always)]
    pub(crate) fn write_usual(&self, pen: &mut Pen<'_>) -> Option<()> {
        let typ = u8::try_from(self.signature_type.0).ok()?;
        if self.key_locator.is_some() || !self.extensions.is_empty() {
            return None;
        }
        pen.array(Pen::short_head(SIGNATURE_INFO, 3)?)?;
        pen.fixed(SIGNATURE_TYPE, [typ])
    }

    #[inline(always)]
    pub(crate) fn value_len(&self) -> usize {
        number_element_len(SIGNATURE_TYPE, self.signature_type.0)
            + self
                .key_locator
                .as_ref()
                .map_or(0, |locator| element_len(KEY_LOCATOR, locator.value_len()))
            + self.extensions.len()
    }

    #[inline(always)]
    pub(crate) fn write(&self, typ: u32, w: &mut Writer<'_>) {
        w.head(typ, self.value_len());
        w.number(SIGNATURE_TYPE, self.signature_type.0);
        if let Some(locator) = &self.key_locator {
            let (typ, value) = locator.inner();
            w.head(KEY_LOCATOR, locator.value_len());
            w.element(typ, value);
        }
        if !self.extensions.is_empty() {
            w.put(self.extensions);
        }
    }

    /// Whether a decoder takes what [`Self::write`] writes.
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), ErrorKind> {
        if self.extensions.is_empty() {
            Ok(())
        } else {
            self.check_extensions()
        }
    }

    #[inline(never)]
    fn check_extensions(&self) -> Result<(), ErrorKind> {
        let mut reader = Reader::new(self.extensions);
        if reader.element().is_ok_and(|e| is_extension(e.typ)) {
            check_extensions(Reader::new(self.extensions)).map_err(|error| error.kind)
        } else {
            Err(ErrorKind::BadType)
        }
    }

    /// `SignatureNonce` (38).
    #[must_use]
    pub fn nonce(&self) -> Option<&'a [u8]> {
        Some(self.extension(SIGNATURE_NONCE)?.value)
    }

    /// `SignatureTime` (40), in milliseconds since 1970.
    #[must_use]
    pub fn time_ms(&self) -> Option<u64> {
        self.extension(SIGNATURE_TIME)?.number().ok()
    }

    /// `SignatureSeqNum` (42).
    #[must_use]
    pub fn sequence(&self) -> Option<u64> {
        self.extension(SIGNATURE_SEQ_NUM)?.number().ok()
    }

    /// `ValidityPeriod` (253): not before, not after, each as `YYYYMMDDThhmmss`.
    #[must_use]
    pub fn validity_period(&self) -> Option<([u8; 15], [u8; 15])> {
        let mut reader = self.extension(VALIDITY_PERIOD)?.inside();
        let not_before = reader.element().ok()?.fixed().ok()?;
        let not_after = reader.element().ok()?.fixed().ok()?;
        Some((not_before, not_after))
    }

    fn extension(&self, typ: u32) -> Option<Element<'a>> {
        let mut reader = Reader::new(self.extensions);
        while let Ok(element) = reader.element() {
            if element.typ == typ {
                return Some(element);
            }
        }
        None
    }
}

/// Elements that may follow the key locator, in their order.
const fn is_extension(typ: u32) -> bool {
    matches!(
        typ,
        SIGNATURE_NONCE | SIGNATURE_TIME | SIGNATURE_SEQ_NUM | VALIDITY_PERIOD
    )
}

/// Checks what follows the key locator: ascending, and of the right sizes.
fn check_extensions(mut reader: Reader<'_>) -> Result<(), DecodeError> {
    let mut last = KEY_LOCATOR;
    while !reader.is_empty() {
        let element = reader.element()?;
        if !is_extension(element.typ) || element.typ <= last {
            element.skip()?;
            continue;
        }
        last = element.typ;
        match element.typ {
            SIGNATURE_TIME | SIGNATURE_SEQ_NUM => drop(element.number()?),
            SIGNATURE_NONCE if element.value.is_empty() => {
                return Err(element.error(ErrorKind::BadLength));
            }
            VALIDITY_PERIOD => check_validity_period(element)?,
            _ => {}
        }
    }
    Ok(())
}

fn check_validity_period(period: Element<'_>) -> Result<(), DecodeError> {
    let mut reader = period.inside();
    for typ in [NOT_BEFORE, NOT_AFTER] {
        if reader.is_empty() {
            return Err(period.error(ErrorKind::Missing));
        }
        let element = reader.element()?;
        if element.typ != typ {
            return Err(element.error(ErrorKind::Missing));
        }
        element.fixed::<15>()?;
    }
    skip_all(reader)
}

/// Passes over what is left, if nothing of it is critical.
pub(crate) fn skip_all(mut reader: Reader<'_>) -> Result<(), DecodeError> {
    while !reader.is_empty() {
        reader.element()?.skip()?;
    }
    Ok(())
}
