//! PIT tokens.

/// A PIT token: 1 to 32 opaque octets that a downstream wants back with the Data or Nack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PitToken {
    len: u8,
    octets: [u8; 32],
}

impl PitToken {
    /// `None` unless `octets` has 1 to 32 octets.
    #[must_use]
    pub fn new(octets: &[u8]) -> Option<Self> {
        let mut out = [0; 32];
        if octets.is_empty() {
            return None;
        }
        out.get_mut(..octets.len())?.copy_from_slice(octets);
        Some(Self {
            len: u8::try_from(octets.len()).ok()?,
            octets: out,
        })
    }

    /// The octets.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        self.octets.get(..usize::from(self.len)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_32_octets() {
        let octets = core::array::from_fn::<u8, 33, _>(|i| u8::try_from(i).unwrap());
        for len in 0..=33 {
            let token = PitToken::new(&octets[..len]);
            assert_eq!(token.is_some(), (1..=32).contains(&len), "{len}");
            if let Some(token) = token {
                assert_eq!(token.as_slice(), &octets[..len]);
            }
        }
        // Zeros at the end count.
        assert_ne!(PitToken::new(&[1]), PitToken::new(&[1, 0]));
    }
}
