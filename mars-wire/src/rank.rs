//! Where a node stands in the order that keeps paths free of loops.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generation_first_then_label() {
        let rank = |generation, label| Rank {
            generation,
            label: Label::from_bits(label),
        };
        let table = [
            (rank(2, 9), rank(1, 1), true),
            (rank(1, 1), rank(2, 9), false),
            (rank(1, 1), rank(1, 2), true),
            (rank(1, 2), rank(1, 1), false),
            (rank(1, 1), rank(1, 1), false),
        ];
        for (a, b, closer) in table {
            assert_eq!(a.closer_than(b), closer, "{a:?} {b:?}");
        }
    }
}
