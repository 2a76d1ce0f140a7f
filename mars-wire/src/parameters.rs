//! `ApplicationParameters` and the signature of an Interest.

use crate::tlv::{Element, Reader, element_len};
use crate::types::{APPLICATION_PARAMETERS, INTEREST_SIGNATURE_INFO, INTEREST_SIGNATURE_VALUE};
use crate::writer::Writer;
use crate::{DecodeError, EncodeError, ErrorKind, SignatureInfo};

/// Everything from `ApplicationParameters` to the end of an Interest: the octets that the
/// `ParametersSha256Digest` in its name covers, and therefore kept to the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameters<'a> {
    octets: &'a [u8],
}

impl<'a> Parameters<'a> {
    /// Checks octets that start with an `ApplicationParameters` element.
    ///
    /// # Errors
    /// The first fault, with its offset in `octets`.
    pub fn from_octets(octets: &'a [u8]) -> Result<Self, DecodeError> {
        Self::read(Reader::new(octets))
    }

    pub(crate) fn read(mut reader: Reader<'a>) -> Result<Self, DecodeError> {
        let parameters = Self {
            octets: reader.rest(),
        };
        let missing = reader.error(ErrorKind::Missing);
        if reader.is_empty() || reader.element()?.typ != APPLICATION_PARAMETERS {
            return Err(missing);
        }
        let mut info = None;
        let mut value = None;
        while !reader.is_empty() {
            let element = reader.element()?;
            match element.typ {
                INTEREST_SIGNATURE_INFO if info.is_none() && value.is_none() => {
                    SignatureInfo::read(element)?;
                    info = Some(element);
                }
                INTEREST_SIGNATURE_VALUE if value.is_none() => value = Some(element),
                _ => element.skip()?,
            }
        }
        match (info, value) {
            (None, None) | (Some(_), Some(_)) => Ok(parameters),
            (Some(alone), None) | (None, Some(alone)) => Err(alone.error(ErrorKind::Missing)),
        }
    }

    /// The octets, from the TYPE of `ApplicationParameters` to the end of the Interest.
    #[must_use]
    pub const fn as_octets(self) -> &'a [u8] {
        self.octets
    }

    /// The value of `ApplicationParameters`.
    #[must_use]
    pub fn application(self) -> &'a [u8] {
        self.find(APPLICATION_PARAMETERS)
            .map_or(&[], |element| element.value)
    }

    /// `InterestSignatureInfo`, in a signed Interest.
    #[must_use]
    pub fn signature_info(self) -> Option<SignatureInfo<'a>> {
        SignatureInfo::read(self.find(INTEREST_SIGNATURE_INFO)?).ok()
    }

    /// `InterestSignatureValue`, in a signed Interest.
    #[must_use]
    pub fn signature_value(self) -> Option<&'a [u8]> {
        Some(self.find(INTEREST_SIGNATURE_VALUE)?.value)
    }

    /// What a signature covers besides the components of the name: from `ApplicationParameters` up
    /// to, not including, `InterestSignatureValue`.
    #[must_use]
    pub fn signed_portion(self) -> &'a [u8] {
        let end = self
            .find(INTEREST_SIGNATURE_VALUE)
            .map_or(self.octets.len(), Element::offset);
        self.octets.get(..end).unwrap_or_default()
    }

    fn find(self, typ: u32) -> Option<Element<'a>> {
        let mut reader = Reader::new(self.octets);
        core::iter::from_fn(|| reader.element().ok()).find(|element| element.typ == typ)
    }

    /// Octets that [`Self::encode`] writes for these parts.
    #[must_use]
    pub fn encoded_len(application: &[u8], signature: Option<(SignatureInfo<'_>, &[u8])>) -> usize {
        element_len(APPLICATION_PARAMETERS, application.len())
            + signature.map_or(0, |(info, value)| {
                element_len(INTEREST_SIGNATURE_INFO, info.value_len())
                    + element_len(INTEREST_SIGNATURE_VALUE, value.len())
            })
    }

    /// Makes them from their parts in `out`: the digest of the result goes into the name of the
    /// Interest.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`], and [`EncodeError::Invalid`] for a `SignatureInfo` that a
    /// decoder would refuse.
    pub fn encode(
        application: &[u8],
        signature: Option<(SignatureInfo<'_>, &[u8])>,
        out: &'a mut [u8],
    ) -> Result<Self, EncodeError> {
        if let Some((info, _)) = signature {
            info.check().map_err(EncodeError::Invalid)?;
        }
        let len = Self::encoded_len(application, signature);
        Writer::exactly(len, out, |w| {
            w.element(APPLICATION_PARAMETERS, application);
            if let Some((info, value)) = signature {
                info.write(INTEREST_SIGNATURE_INFO, w);
                w.element(INTEREST_SIGNATURE_VALUE, value);
            }
        })?;
        Ok(Self {
            octets: out.get(..len).unwrap_or_default(),
        })
    }
}
