//! SHA-256, where somebody asks for it: `DigestSha256` of a Data or an Interest, and the
//! `ParametersSha256Digest` of an Interest. Nothing else in the crate hashes.

use sha2::{Digest, Sha256};

use crate::{
    Component, Data, DecodeError, EncodeError, Interest, Parameters, SignatureInfo, SignatureType,
};

/// The SHA-256 of `parts`, one after the other.
fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

impl Data<'_> {
    /// Writes it to the front of `out`, signed with `DigestSha256`, whatever its signature fields
    /// say; says how many octets that took.
    ///
    /// # Errors
    /// As [`Self::encode`].
    pub fn encode_digest_signed(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let unsigned = Data {
            signature_info: SignatureInfo::DIGEST_SHA256,
            signature_value: &[0; 32],
            ..*self
        };
        unsigned.encode_with(out, |signed, value| {
            value.copy_from_slice(&sha256(&[signed]));
        })
    }

    /// Whether the bare Data `octets` is signed with `DigestSha256` and its digest is right.
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub fn verify_digest(octets: &[u8]) -> Result<bool, DecodeError> {
        let data = Data::decode(octets)?;
        let signed = Data::signed_portion(octets)?;
        Ok(
            data.signature_info.signature_type == SignatureType::DIGEST_SHA256
                && data.signature_value == sha256(&[signed]),
        )
    }

    /// The `ImplicitSha256Digest` of the bare Data `octets`: that of all of it.
    #[must_use]
    pub fn implicit_digest(octets: &[u8]) -> [u8; 32] {
        sha256(&[octets])
    }
}

impl Parameters<'_> {
    /// The value of the `ParametersSha256Digest` component that goes with these parameters.
    #[must_use]
    pub fn digest(self) -> [u8; 32] {
        sha256(&[self.as_octets()])
    }
}

impl Interest<'_> {
    /// Whether the `ParametersSha256Digest` in the name is right, or none is needed. A producer
    /// checks this; a forwarder does not.
    #[must_use]
    pub fn verify_parameters_digest(&self) -> bool {
        let Some(parameters) = self.parameters else {
            return true;
        };
        self.name
            .components()
            .filter(|c| c.typ() == Component::PARAMETERS_DIGEST)
            .all(|c| c.value() == parameters.digest())
    }

    /// Whether it is signed with `DigestSha256` and the digest is right.
    #[must_use]
    pub fn verify_digest(&self) -> bool {
        let Some(parameters) = self.parameters else {
            return false;
        };
        let digest = sha256(&self.signed_portion());
        parameters
            .signature_info()
            .is_some_and(|info| info.signature_type == SignatureType::DIGEST_SHA256)
            && parameters.signature_value() == Some(&digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Name;

    #[test]
    fn data_signs_and_verifies() {
        let name = Name::from_value(&[8, 1, b'A']).unwrap();
        let mut out = [0; 128];
        let len = Data::new(name, b"content")
            .encode_digest_signed(&mut out)
            .unwrap();
        let octets = &mut out[..len];
        assert_eq!(Data::verify_digest(octets), Ok(true));
        // Every octet of the signed portion and of the value counts.
        for at in 5..octets.len() {
            octets[at] ^= 1;
            assert_ne!(Data::verify_digest(octets), Ok(true), "octet {at}");
            octets[at] ^= 1;
        }
    }

    /// The digest of a published packet: parameters `24 01 78`.
    #[test]
    fn parameters_digest_of_a_known_packet() {
        let parameters = Parameters::from_octets(&[0x24, 1, 0x78]).unwrap();
        let digest = parameters.digest();
        assert_eq!(digest[..4], [0x70, 0x89, 0x43, 0x93]);
        let mut name = [0; 37];
        name[..5].copy_from_slice(&[8, 1, b'A', 2, 32]);
        name[5..].copy_from_slice(&digest);
        let interest = Interest {
            parameters: Some(parameters),
            ..Interest::new(Name::from_value(&name).unwrap())
        };
        assert!(interest.verify_parameters_digest());
        let mut changed = name;
        changed[36] ^= 1;
        let wrong = Interest {
            name: Name::from_value(&changed).unwrap(),
            ..interest
        };
        assert!(!wrong.verify_parameters_digest());
    }

    #[test]
    fn interest_signature_covers_all_of_the_name_but_the_digest() {
        let (mut first, mut last) = ([0; 64], [0; 64]);
        let info = SignatureInfo::DIGEST_SHA256;
        let blank = Parameters::encode(b"p", Some((info, &[0; 32])), &mut first).unwrap();
        let mut signed = [0; 16];
        signed[..3].copy_from_slice(&[8, 1, b'A']);
        let portion = blank.signed_portion();
        signed[3..3 + portion.len()].copy_from_slice(portion);
        let value = sha256(&[&signed[..3 + portion.len()]]);
        let parameters = Parameters::encode(b"p", Some((info, &value)), &mut last).unwrap();
        let mut name = [0; 37];
        name[..5].copy_from_slice(&[8, 1, b'A', 2, 32]);
        name[5..].copy_from_slice(&parameters.digest());
        let interest = Interest {
            parameters: Some(parameters),
            ..Interest::new(Name::from_value(&name).unwrap())
        };
        assert!(interest.verify_digest());
        assert!(interest.verify_parameters_digest());
        let mut changed = name;
        changed[2] = b'B';
        let other = Interest {
            name: Name::from_value(&changed).unwrap(),
            ..interest
        };
        assert!(!other.verify_digest());
    }
}
