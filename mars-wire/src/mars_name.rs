//! The two name formats of MARS: discovery `/dest/src/pd/probeIdx/seq`, data `/dest/data/seq`.

use crate::{Component, Name};

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
        let pd = Component::generic(b"pd");
        let data = Component::generic(b"data");
        // The last four components, and the part of the name before each.
        let mut last = [(Name::EMPTY, None::<Component<'a>>); 4];
        let mut components = name.components();
        loop {
            let before = components.consumed();
            let Some(component) = components.next() else {
                break;
            };
            last.rotate_left(1);
            if let Some(slot) = last.last_mut() {
                *slot = (before, Some(component));
            }
        }
        let [
            (dest_pd, src),
            (_, kind_pd),
            (dest_data, third),
            (_, fourth),
        ] = last;
        let fourth = fourth?;
        match fourth.typ() {
            Component::SEGMENT if third == Some(data) && !dest_data.is_empty() => {
                Some(Self::Data {
                    dest: dest_data,
                    segment: fourth.to_number()?,
                })
            }
            Component::SEQUENCE if kind_pd == Some(pd) && !dest_pd.is_empty() => {
                let third = third.filter(|c| c.typ() == Component::SEQUENCE)?;
                Some(Self::Discovery {
                    dest: dest_pd,
                    src: src?,
                    probe_idx: third.to_number()?,
                    seq: fourth.to_number()?,
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
}
