//! A window: packets in fixed point, within fixed bounds.

/// Packets in steps of 1/256, always within 1/4 to 65,535 packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Window(u32);

impl Window {
    /// A quarter of a packet: with pacing, one packet every four round trips.
    pub(crate) const MIN: Self = Self(64);
    pub(crate) const MAX: Self = Self(65_535 << 8);

    /// The window nearest to `q8` 256ths of a packet.
    pub(crate) const fn from_q8(q8: u64) -> Self {
        if q8 < Self::MIN.0 as u64 {
            Self::MIN
        } else if q8 > Self::MAX.0 as u64 {
            Self::MAX
        } else {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "at most MAX, checked above"
            )]
            Self(q8 as u32)
        }
    }

    /// The window nearest to a whole number of packets.
    pub(crate) const fn from_packets(packets: u32) -> Self {
        Self::from_q8((packets as u64) << 8)
    }

    /// 256ths of a packet.
    pub(crate) const fn q8(self) -> u64 {
        self.0 as u64
    }

    /// Whole packets, rounded up, so at least 1.
    pub(crate) const fn packets(self) -> u32 {
        self.0.div_ceil(256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_and_packets_round_up() {
        for (q8, packets) in [
            (0, 1),
            (64, 1),
            (256, 1),
            (257, 2),
            (1_024, 4),
            (u64::MAX, 65_535),
        ] {
            assert_eq!(Window::from_q8(q8).packets(), packets, "{q8}");
        }
        assert_eq!(Window::from_packets(u32::MAX), Window::MAX);
    }
}
