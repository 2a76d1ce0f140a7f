//! PIT tokens.

use crate::pen::Pen;
use crate::types::PIT_TOKEN;

/// A PIT token: 1 to 32 opaque octets that a downstream wants back with the Data or Nack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PitToken {
    len: u8,
    octets: [u8; 32],
}

impl PitToken {
    /// `None` unless `octets` has 1 to 32 octets.
    #[must_use]
    #[inline]
    pub fn new(octets: &[u8]) -> Option<Self> {
        let mut out = [0; 32];
        match octets.len() {
            0 => return None,
            // Most are of 4 or 8 octets, which takes no call to copy.
            4 => *out.first_chunk_mut::<4>()? = *octets.first_chunk()?,
            8 => *out.first_chunk_mut::<8>()? = *octets.first_chunk()?,
            _ => out.get_mut(..octets.len())?.copy_from_slice(octets),
        }
        Some(Self {
            len: u8::try_from(octets.len()).ok()?,
            octets: out,
        })
    }

    #[inline(always)]
    pub(crate) fn write_usual(&self, pen: &mut Pen<'_>) -> Option<()> {
        // Most are of 4 or 8 octets, which takes no call to copy.
        match self.len {
            4 => pen.fixed::<4>(PIT_TOKEN, *self.octets.first_chunk()?),
            8 => pen.fixed::<8>(PIT_TOKEN, *self.octets.first_chunk()?),
            _ => pen.small(PIT_TOKEN, self.as_slice()),
        }
    }

    /// The octets.
    #[must_use]
    #[inline]
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
