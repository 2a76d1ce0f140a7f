//! Packets as they travel: decoded, with the octets that they would take on the wire.
//!
//! What never changes on the way, name and content, is shared between the hops. What a forwarder
//! writes on the way out is its [`Edit`], and that is what the next node reads on the way in.

use std::sync::Arc;
use std::time::Duration;

use mars_forwarder_core::Edit;
use mars_time::Instant;
use mars_wire::{MarsName, Name, NameBuf};

/// The handle that the machines carry for their host.
#[derive(Clone, Debug)]
pub struct Packet {
    /// What all copies share.
    pub body: Arc<Body>,
    /// Of an Interest: how long the downstream waits.
    pub lifetime: Duration,
    /// Of an Interest: hops left, if it counts them.
    pub hop_limit: Option<u8>,
    /// What the simulator knows of it and no node sees.
    pub trace: Trace,
}

/// What all copies of a packet share.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: NameBuf,
    /// Whether it belongs to discovery.
    pub discovery: bool,
    /// What it is.
    pub kind: Kind,
}

/// Interest or Data.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A request.
    Interest {
        /// Whether stale Data will not do.
        must_be_fresh: bool,
    },
    /// An answer.
    Data {
        /// What it carries.
        content: Content,
        /// `FinalBlockId` as a segment, if it has one.
        final_segment: Option<u64>,
    },
}

/// What a Data carries.
#[derive(Clone, Debug)]
pub enum Content {
    /// That many zeros.
    Zeros(usize),
    /// A part of a shared object.
    Part {
        /// The object.
        object: Arc<[u8]>,
        /// First octet.
        start: usize,
        /// Octets.
        len: usize,
    },
    /// Octets of its own, as they came off the wire.
    Own(Box<[u8]>),
}

impl Content {
    /// Octets.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Zeros(len) | Self::Part { len, .. } => *len,
            Self::Own(octets) => octets.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The octets.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        static ZEROS: [u8; MAX_CONTENT] = [0; MAX_CONTENT];
        match self {
            Self::Zeros(len) => ZEROS.get(..*len).unwrap_or_default(),
            Self::Part { object, start, len } => {
                object.get(*start..*start + *len).unwrap_or_default()
            }
            Self::Own(octets) => octets,
        }
    }
}

/// Most octets of content in one Data, so that the packet stays within 8,800.
pub const MAX_CONTENT: usize = 8_600;

/// What the simulator knows of an Interest and no node sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Number of the dest that it asks for.
    pub dest: u32,
    /// When its consumer sent it.
    pub born: Instant,
    /// A bit per node; two words, since one of 128 bits would pad every packet.
    visited: [u64; 2],
}

impl Trace {
    /// Nodes that can be told apart.
    pub const MAX_NODES: usize = 128;

    /// A fresh one.
    #[must_use]
    pub const fn new(dest: u32, born: Instant) -> Self {
        Self {
            dest,
            born,
            visited: [0; 2],
        }
    }

    /// Notes a visit of a node; whether it was there before.
    pub fn visit(&mut self, mark: u32) -> bool {
        let Some(word) = self.visited.get_mut(mark as usize / 64) else {
            return false;
        };
        let bit = 1 << (mark % 64);
        let again = *word & bit != 0;
        *word |= bit;
        again
    }
}

impl Packet {
    /// An Interest.
    #[must_use]
    pub fn interest(name: NameBuf, lifetime: Duration, trace: Trace) -> Self {
        let discovery = is_discovery(name.as_name());
        let body = Body {
            name,
            discovery,
            kind: Kind::Interest {
                must_be_fresh: discovery,
            },
        };
        Self {
            body: Arc::new(body),
            lifetime,
            hop_limit: Some(HOP_LIMIT),
            trace,
        }
    }

    /// A Data.
    #[must_use]
    pub fn data(name: NameBuf, content: Content, final_segment: Option<u64>, trace: Trace) -> Self {
        let body = Body {
            discovery: is_discovery(name.as_name()),
            name,
            kind: Kind::Data {
                content,
                final_segment,
            },
        };
        Self {
            body: Arc::new(body),
            lifetime: Duration::ZERO,
            hop_limit: None,
            trace,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> Name<'_> {
        self.body.name.as_name()
    }

    /// `FinalBlockId` as a segment and octets of content, if it is a Data.
    #[must_use]
    pub fn data_fields(&self) -> Option<(Option<u64>, &Content)> {
        match &self.body.kind {
            Kind::Data {
                content,
                final_segment,
            } => Some((*final_segment, content)),
            Kind::Interest { .. } => None,
        }
    }
}

/// Hops that an Interest starts with.
const HOP_LIMIT: u8 = 64;

fn is_discovery(name: Name<'_>) -> bool {
    matches!(MarsName::parse(name), Some(MarsName::Discovery { .. }))
}

/// What travels over a link.
#[derive(Clone, Debug)]
pub enum Frame {
    /// Decoded.
    Decoded {
        /// The packet.
        packet: Packet,
        /// What the sender wrote into it.
        edit: Edit,
        /// The tunnel that it travels in, if any.
        tunnel: Option<u32>,
    },
    /// As octets.
    Octets {
        /// An `LpPacket`, or a bare packet.
        octets: Arc<[u8]>,
        /// What no node sees.
        trace: Trace,
        /// The tunnel that it travels in, if any.
        tunnel: Option<u32>,
    },
}

impl Frame {
    /// The tunnel that it travels in, if any.
    #[must_use]
    pub const fn tunnel(&self) -> Option<u32> {
        match self {
            Self::Decoded { tunnel, .. } | Self::Octets { tunnel, .. } => *tunnel,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_visit_is_seen_a_first_is_not() {
        let mut trace = Trace::new(0, Instant::ZERO);
        assert!(!trace.visit(0) && !trace.visit(127));
        assert!(trace.visit(0) && trace.visit(127));
        assert!(
            !trace.visit(128) && !trace.visit(128),
            "nodes without a mark never count"
        );
    }

    #[test]
    fn content_is_what_it_says() {
        let object: Arc<[u8]> = (0..10).collect();
        let part = Content::Part {
            object,
            start: 4,
            len: 3,
        };
        assert_eq!((part.len(), part.as_slice()), (3, &[4, 5, 6][..]));
        assert_eq!(Content::Zeros(5).as_slice(), [0; 5]);
        assert!(Content::Own(Box::default()).is_empty());
    }
}
