//! The MARS link header: what travels hop by hop beside an NDN packet.

/// A label: unsigned 32.32 fixed point. Its integer part reads like hops to the producer, its
/// fraction leaves room between any two. Smaller is closer to the producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Label(u64);

impl Label {
    /// The producer's own label.
    pub const ZERO: Self = Self(0);
    /// Farther from the producer than any other.
    pub const MAX: Self = Self(u64::MAX);
    /// One hop.
    pub const ONE: Self = Self(1 << 32);

    /// From the raw 32.32 bits.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The raw 32.32 bits.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0
    }
}

/// A node's standing for one dest. A higher generation is closer to the producer; within one, a
/// smaller label is. Always compare the pair: [`Rank::closer_than`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rank {
    /// Discovery round, raised only when nobody has a route.
    pub generation: u32,
    /// Position within the round.
    pub label: Label,
}

impl Rank {
    /// Whether `self` is strictly closer to the producer than `other`.
    #[must_use]
    pub fn closer_than(self, other: Self) -> bool {
        self.generation > other.generation
            || (self.generation == other.generation && self.label < other.label)
    }
}

/// Why an Interest was refused, in MARS terms (flag bit 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NackDetail {
    /// 1: the edge would break the rank order.
    Order,
    /// 2: the sender has no path.
    NoRoute,
    /// 3: the sender saw this nonce on another face.
    Duplicate,
    /// 4: the requester works in an old generation; `generation` carries the current one.
    Stale,
    /// 5: the sender's Interest queue for this dest is full.
    QueueFull,
}

/// The `NackReason` of NDNLPv2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NackReason {
    /// No reason given.
    None,
    /// 50.
    Congestion,
    /// 100.
    Duplicate,
    /// 150.
    NoRoute,
    /// Any other number, kept.
    Other(u64),
}

impl NackDetail {
    /// The NDNLPv2 reason that goes with it, so that plain NDN neighbours understand.
    #[must_use]
    pub const fn reason(self) -> NackReason {
        match self {
            Self::Order | Self::NoRoute => NackReason::NoRoute,
            Self::Duplicate => NackReason::Duplicate,
            Self::Stale | Self::QueueFull => NackReason::Congestion,
        }
    }
}

/// The fields of the MARS link header (type 928). A field that is absent is *unknown*, never zero;
/// a header without any field is not sent at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MarsHeader {
    /// Bit 0: packets in the sender's Interest queue for this dest, saturating.
    pub interest_queue: Option<u16>,
    /// Bit 1: packets in the sender's Data queue towards the receiver, saturating.
    pub data_queue: Option<u16>,
    /// Bit 2: the sender's current tier has converged (discovery Data only).
    pub tier_conv: bool,
    /// Bit 3: the sender's discovery has converged (discovery Data only).
    pub node_conv: bool,
    /// Bit 4: generation.
    pub generation: Option<u32>,
    /// Bit 5: on Interest the exclusive upper bound, on Data the label of the rank.
    pub label: Option<Label>,
    /// Bit 6: why an Interest was refused.
    pub nack_detail: Option<NackDetail>,
}

impl MarsHeader {
    /// Whether no field is present.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Generation and label together, if both are present.
    #[must_use]
    pub fn rank(&self) -> Option<Rank> {
        Some(Rank {
            generation: self.generation?,
            label: self.label?,
        })
    }
}

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
