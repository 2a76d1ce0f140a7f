//! Changes to an Interest on its way, without decoding it: everything else keeps its octets,
//! elements of later versions of the format included.

use crate::tlv::{Element, Reader, element_len, number_element_len};
use crate::types::{APPLICATION_PARAMETERS, HOP_LIMIT, INTEREST, INTEREST_LIFETIME, NONCE};
use crate::writer::Writer;
use crate::{DecodeError, EncodeError, ErrorKind};

/// What to change in the octets of an Interest. `None` leaves a field as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct InterestEdit {
    /// Write this hop limit, if the Interest has one.
    pub hop_limit: Option<u8>,
    /// Write this nonce; added to an Interest that has none.
    pub nonce: Option<u32>,
    /// Write this lifetime, in milliseconds; added to an Interest that has none.
    pub lifetime_ms: Option<u64>,
}

impl InterestEdit {
    /// Changes the bare Interest `octets` in place, if no element has to change its length. False
    /// if one has to; nothing is changed then, and [`Self::encode`] is the way.
    ///
    /// # Errors
    /// As [`Interest::decode`](crate::Interest::decode), as far as the elements on the outer level
    /// are concerned. Nothing is changed then.
    pub fn patch(&self, octets: &mut [u8]) -> Result<bool, DecodeError> {
        let mut fits = true;
        let mut writes = [None; 3];
        let mut free = writes.iter_mut();
        self.walk(interest(octets)?, |step| match step {
            Step::Replace(element, field) if field.encoded_len() == element.encoded_len() => {
                if let Some(write) = free.next() {
                    *write = Some((element.offset(), field));
                }
            }
            Step::Replace(..) | Step::Insert(_) => fits = false,
            Step::Keep(_) => {}
        })?;
        if fits {
            for (offset, field) in writes.into_iter().flatten() {
                field.write(&mut Writer::new(
                    octets.get_mut(offset..).unwrap_or_default(),
                ));
            }
        }
        Ok(fits)
    }

    /// Octets that [`Self::encode`] writes for the bare Interest `octets`.
    ///
    /// # Errors
    /// As [`Self::patch`].
    pub fn encoded_len(&self, octets: &[u8]) -> Result<usize, DecodeError> {
        Ok(element_len(INTEREST, self.value_len(interest(octets)?)?))
    }

    /// Writes the bare Interest `octets`, changed, to the front of `out`; says how many octets that
    /// took.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`], and [`EncodeError::Invalid`] for what [`Self::patch`]
    /// refuses and above [`MAX_PACKET`](crate::MAX_PACKET) octets.
    pub fn encode(&self, octets: &[u8], out: &mut [u8]) -> Result<usize, EncodeError> {
        let invalid = |error: DecodeError| EncodeError::Invalid(error.kind);
        let packet = interest(octets).map_err(invalid)?;
        let value_len = self.value_len(packet).map_err(invalid)?;
        Writer::packet(element_len(INTEREST, value_len), out, |w| {
            w.head(INTEREST, value_len);
            // The walk succeeded once, for the length.
            let _ = self.walk(packet, |step| match step {
                Step::Keep(octets) => w.put(octets),
                Step::Replace(_, field) | Step::Insert(field) => field.write(w),
            });
        })
    }

    fn value_len(&self, packet: Element<'_>) -> Result<usize, DecodeError> {
        let mut len = 0;
        self.walk(packet, |step| {
            len += match step {
                Step::Keep(octets) => octets.len(),
                Step::Replace(_, field) | Step::Insert(field) => field.encoded_len(),
            };
        })?;
        Ok(len)
    }

    /// Tells `take`, in order, what the value of the new Interest is made of.
    fn walk<'a>(
        &self,
        packet: Element<'a>,
        mut take: impl FnMut(Step<'a>),
    ) -> Result<(), DecodeError> {
        let mut nonce = self.nonce.map(Field::Nonce);
        let mut lifetime = self.lifetime_ms.map(Field::Lifetime);
        let mut hop_limit = self.hop_limit.map(Field::HopLimit);
        let mut reader = packet.inside();
        while !reader.is_empty() {
            let before = reader.rest();
            let element = reader.element()?;
            // What is missing goes before the first element that comes after it in the order.
            if matches!(
                element.typ,
                INTEREST_LIFETIME | HOP_LIMIT | APPLICATION_PARAMETERS
            ) && let Some(field) = nonce.take()
            {
                take(Step::Insert(field));
            }
            if matches!(element.typ, HOP_LIMIT | APPLICATION_PARAMETERS)
                && let Some(field) = lifetime.take()
            {
                take(Step::Insert(field));
            }
            let change = match element.typ {
                NONCE => nonce.take(),
                INTEREST_LIFETIME => lifetime.take(),
                HOP_LIMIT => hop_limit.take(),
                // Everything from here on is covered by the digest in the name.
                APPLICATION_PARAMETERS => {
                    take(Step::Keep(before));
                    return Ok(());
                }
                _ => None,
            };
            take(match change {
                Some(field) => Step::Replace(element, field),
                None => Step::Keep(before.get(..element.encoded_len()).unwrap_or_default()),
            });
        }
        for field in [nonce, lifetime].into_iter().flatten() {
            take(Step::Insert(field));
        }
        Ok(())
    }
}

/// The one element of a bare Interest.
fn interest(octets: &[u8]) -> Result<Element<'_>, DecodeError> {
    let packet = Reader::datagram(octets)?;
    if packet.typ == INTEREST {
        Ok(packet)
    } else {
        Err(packet.error(ErrorKind::BadType))
    }
}

/// A stretch of the new Interest.
enum Step<'a> {
    /// Octets as they were.
    Keep(&'a [u8]),
    /// A field in place of an old element.
    Replace(Element<'a>, Field),
    /// A field that was not there.
    Insert(Field),
}

/// A field with its new value.
#[derive(Clone, Copy, Debug)]
enum Field {
    Nonce(u32),
    Lifetime(u64),
    HopLimit(u8),
}

impl Field {
    const fn encoded_len(self) -> usize {
        match self {
            Self::Nonce(_) => element_len(NONCE, 4),
            Self::Lifetime(ms) => number_element_len(INTEREST_LIFETIME, ms),
            Self::HopLimit(_) => element_len(HOP_LIMIT, 1),
        }
    }

    fn write(self, w: &mut Writer<'_>) {
        match self {
            Self::Nonce(nonce) => w.element(NONCE, &nonce.to_be_bytes()),
            Self::Lifetime(ms) => w.number(INTEREST_LIFETIME, ms),
            Self::HopLimit(hops) => w.element(HOP_LIMIT, &[hops]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interest, Name};

    /// Name `/A`, a nonce, a lifetime, a hop limit, and an unknown element in between.
    const FULL: [u8; 21] = [
        5, 19, 7, 3, 8, 1, b'A', 10, 4, 1, 2, 3, 4, 0x80, 0, 12, 1, 99, 34, 1, 9,
    ];
    const BARE: &[u8] = &[5, 5, 7, 3, 8, 1, b'A'];

    #[test]
    fn in_place() {
        let mut octets = FULL;
        let edit = InterestEdit {
            hop_limit: Some(8),
            nonce: Some(0x0506_0708),
            lifetime_ms: Some(100),
        };
        assert_eq!(edit.patch(&mut octets), Ok(true));
        assert_eq!(
            octets,
            [
                5, 19, 7, 3, 8, 1, b'A', 10, 4, 5, 6, 7, 8, 0x80, 0, 12, 1, 100, 34, 1, 8
            ]
        );
    }

    #[test]
    fn not_in_place_if_a_length_changes() {
        let edit = InterestEdit {
            hop_limit: Some(8),
            lifetime_ms: Some(256),
            ..InterestEdit::default()
        };
        let mut octets = FULL;
        assert_eq!(edit.patch(&mut octets), Ok(false));
        assert_eq!(octets, FULL, "nothing changed");
        let mut out = [0; 32];
        let len = edit.encode(&octets, &mut out).unwrap();
        assert_eq!(Ok(len), edit.encoded_len(&octets));
        assert_eq!(
            out[..len],
            [
                5, 20, 7, 3, 8, 1, b'A', 10, 4, 1, 2, 3, 4, 0x80, 0, 12, 2, 1, 0, 34, 1, 8
            ],
            "the unknown element stays"
        );
    }

    #[test]
    fn adds_what_is_missing_but_a_hop_limit() {
        let edit = InterestEdit {
            hop_limit: Some(8),
            nonce: Some(7),
            lifetime_ms: Some(4000),
        };
        let mut out = [0; 32];
        let len = edit.encode(BARE, &mut out).unwrap();
        let name = Name::from_value(&[8, 1, b'A']).unwrap();
        assert_eq!(
            Interest::decode(&out[..len]),
            Ok(Interest {
                lifetime_ms: Some(4000),
                ..Interest::new(name).with_nonce(7)
            })
        );
        // Between what is there: only the nonce is missing here.
        let octets = [5, 8, 7, 3, 8, 1, b'A', 34, 1, 9];
        let len = edit.encode(&octets, &mut out).unwrap();
        assert_eq!(Interest::decode(&out[..len]).unwrap().hop_limit, Some(8));
    }
}
