//! The two name formats of MARS: discovery `/dest/src/pd/probeIdx/seq`, data `/dest/data/seq`.

#[cfg(feature = "alloc")]
use crate::NameBuf;
use crate::writer::Writer;
use crate::{Component, EncodeError, Name, Number};

const PD: Component<'static> = Component::generic(b"pd");
const DATA: Component<'static> = Component::generic(b"data");

/// A name in one of the two MARS formats, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarsName<'a> {
    /// `/dest/src/pd/probeIdx/seq`.
    Discovery {
        /// The producer, one or more components.
        dest: Name<'a>,
        /// The consumer, one component.
        src: Component<'a>,
        /// The consumer's discovery index (a `SequenceNum` component).
        probe_idx: u64,
        /// Sequence number of the probe (a `SequenceNum` component).
        seq: u64,
    },
    /// `/dest/data/seq`.
    Data {
        /// The producer, one or more components.
        dest: Name<'a>,
        /// Segment of the object (a Segment component).
        segment: u64,
    },
}

impl<'a> MarsName<'a> {
    /// Reads the kind from the end of the name; `None` for any other name.
    #[must_use]
    pub fn parse(name: Name<'a>) -> Option<Self> {
        // Where the last four components start; 0 for one that there is not.
        let mut starts = [0; 4];
        let mut components = name.components();
        loop {
            let at = components.consumed().as_value().len();
            if components.next().is_none() {
                break;
            }
            let [_, second, third, fourth] = starts;
            starts = [second, third, fourth, at];
        }
        let [first, second, third, fourth] = starts;
        // What is before a start, if anything is: the dest is never empty.
        let dest = |at| name.as_value().get(..at).filter(|dest| !dest.is_empty());
        let component = |at| {
            let from_there = name.as_value().get(at..).unwrap_or_default();
            Name::trusted(from_there).components().next()
        };
        let last = component(fourth)?;
        match last.typ() {
            Component::SEGMENT if component(third) == Some(DATA) => Some(Self::Data {
                dest: Name::trusted(dest(third)?),
                segment: last.to_shortest_number()?,
            }),
            Component::SEQUENCE if component(second) == Some(PD) => {
                let probe_idx = component(third).filter(|c| c.typ() == Component::SEQUENCE)?;
                Some(Self::Discovery {
                    dest: Name::trusted(dest(first)?),
                    src: component(first)?,
                    probe_idx: probe_idx.to_shortest_number()?,
                    seq: last.to_shortest_number()?,
                })
            }
            _ => None,
        }
    }

    /// The producer that the name is about.
    #[must_use]
    pub const fn dest(&self) -> Name<'a> {
        match *self {
            Self::Discovery { dest, .. } | Self::Data { dest, .. } => dest,
        }
    }

    /// Octets of the whole name, as the TLV-VALUE of a Name element.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        let numbers = |n: u64| Number::new(n).sequence().encoded_len();
        match *self {
            Self::Discovery {
                dest,
                src,
                probe_idx,
                seq,
            } => {
                dest.as_value().len()
                    + src.encoded_len()
                    + PD.encoded_len()
                    + numbers(probe_idx)
                    + numbers(seq)
            }
            Self::Data { dest, segment } => {
                dest.as_value().len() + DATA.encoded_len() + numbers(segment)
            }
        }
    }

    /// Writes the whole name to the front of `out`, as the TLV-VALUE of a Name element; says how
    /// many octets that took. [`Self::name`] gives the result as a [`Name`].
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`].
    pub fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        Writer::exactly(self.encoded_len(), out, |w| self.write(w))
    }

    /// Writes the whole name to the front of `buffer` and borrows it from there.
    ///
    /// # Errors
    /// [`EncodeError::BufferTooSmall`].
    pub fn name<'b>(&self, buffer: &'b mut [u8]) -> Result<Name<'b>, EncodeError> {
        let len = self.encode(buffer)?;
        Ok(Name::trusted(buffer.get(..len).unwrap_or_default()))
    }

    /// The whole name, on the heap.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn to_name_buf(&self) -> NameBuf {
        match *self {
            Self::Discovery {
                dest,
                src,
                probe_idx,
                seq,
            } => NameBuf::from(dest)
                .with(src)
                .with(PD)
                .sequence(probe_idx)
                .sequence(seq),
            Self::Data { dest, segment } => NameBuf::from(dest).with(DATA).segment(segment),
        }
    }

    fn write(&self, w: &mut Writer<'_>) {
        let component =
            |w: &mut Writer<'_>, c: Component<'_>| w.element(u32::from(c.typ()), c.value());
        match *self {
            Self::Discovery {
                dest,
                src,
                probe_idx,
                seq,
            } => {
                w.put(dest.as_value());
                component(w, src);
                component(w, PD);
                component(w, Number::new(probe_idx).sequence());
                component(w, Number::new(seq).sequence());
            }
            Self::Data { dest, segment } => {
                w.put(dest.as_value());
                component(w, DATA);
                component(w, Number::new(segment).segment());
            }
        }
    }
}

#[cfg(test)]
#[cfg(feature = "alloc")]
mod tests {
    extern crate std;

    use super::*;
    use std::string::ToString;

    fn name(uri: &str) -> NameBuf {
        uri.parse().unwrap()
    }

    #[test]
    fn read_from_the_end_and_written_again() {
        let table = [
            ("/d/s/pd/seq=3/seq=42", Some("discovery of /d by s: 3, 42")),
            (
                "/d/e/s/pd/seq=0/seq=256",
                Some("discovery of /d/e by s: 0, 256"),
            ),
            (
                "/d/32=s/pd/seq=1/seq=1",
                Some("discovery of /d by 32=s: 1, 1"),
            ),
            // The dest may look like anything.
            (
                "/pd/data/pd/seq=1/seq=2",
                Some("discovery of /pd by data: 1, 2"),
            ),
            ("/seq=1/data/seg=9", Some("data of /seq=1: 9")),
            ("/d/data/seg=0", Some("data of /d: 0")),
            ("/d/e/data/seg=70000", Some("data of /d/e: 70000")),
            ("/d/data/data/seg=1", Some("data of /d/data: 1")),
            // No dest.
            ("/s/pd/seq=1/seq=2", None),
            ("/data/seg=0", None),
            // Another type, or none, where a number must be.
            ("/d/s/pd/seg=1/seq=2", None),
            ("/d/s/pd/seq=1/seg=2", None),
            ("/d/s/pd/1/2", None),
            ("/d/data/seq=1", None),
            ("/d/data/1", None),
            ("/d/32=data/seg=1", None),
            ("/d/s/32=pd/seq=1/seq=2", None),
            // A longer form of a number would not be written again as it was.
            ("/d/data/50=%00%01", None),
            ("/d/s/pd/58=%00%01/seq=1", None),
            ("/d/data/50=...", None),
            ("/d", None),
            ("/", None),
        ];
        for (uri, told) in table {
            let name = name(uri);
            let parsed = MarsName::parse(name.as_name());
            let tells = parsed.map(|parsed| match parsed {
                MarsName::Discovery {
                    dest,
                    src,
                    probe_idx,
                    seq,
                } => std::format!("discovery of {dest} by {src}: {probe_idx}, {seq}"),
                MarsName::Data { dest, segment } => std::format!("data of {dest}: {segment}"),
            });
            assert_eq!(tells.as_deref(), told, "{uri}");
            if let Some(parsed) = parsed {
                let mut out = [0; 64];
                assert_eq!(parsed.name(&mut out), Ok(name.as_name()), "{uri}");
                assert_eq!(parsed.encoded_len(), name.as_name().as_value().len());
                assert_eq!(parsed.to_name_buf().to_string(), uri);
            }
        }
    }

    #[test]
    fn too_small_a_buffer() {
        let name = name("/d/data/seg=0");
        let parsed = MarsName::parse(name.as_name()).unwrap();
        let needed = parsed.encoded_len();
        let error = EncodeError::BufferTooSmall { needed };
        assert_eq!(parsed.encode(&mut [0; 11]), Err(error));
        assert_eq!(parsed.encode(&mut [0; 12]), Ok(12));
    }
}
