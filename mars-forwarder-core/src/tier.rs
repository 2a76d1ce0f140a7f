//! Hop tiers: which next hops take part in discovery, and in which order.

use crate::config::Theta;

impl Theta {
    /// Whether a face of `hops` takes part when the nearest has `least`: an exact comparison of
    /// `hops <= theta * least`.
    #[must_use]
    pub(crate) fn admits(self, hops: u32, least: u32) -> bool {
        u64::from(hops) * u64::from(self.denominator)
            <= u64::from(least) * u64::from(self.numerator)
    }
}

/// The next tier after the one of `current` hops (the first for `None`): the least greater hop
/// count of `hops`.
#[must_use]
pub(crate) fn next_tier(current: Option<u32>, hops: impl Iterator<Item = u32>) -> Option<u32> {
    hops.filter(|h| current.is_none_or(|c| *h > c)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const THETA: Theta = Theta {
        numerator: 3,
        denominator: 2,
    };

    #[test]
    fn theta_is_exact() {
        for (hops, least, expected) in [
            (2, 2, true),
            (3, 2, true),
            (4, 2, false),
            (4, 3, true),
            (5, 3, false),
            (u32::MAX, u32::MAX, true),
            (u32::MAX, 1, false),
        ] {
            assert_eq!(THETA.admits(hops, least), expected, "{hops} of {least}");
        }
    }

    #[test]
    fn tiers_rise() {
        let hops = [2, 3, 3, 5];
        assert_eq!(next_tier(None, hops.into_iter()), Some(2));
        assert_eq!(next_tier(Some(2), hops.into_iter()), Some(3));
        assert_eq!(next_tier(Some(3), hops.into_iter()), Some(5));
        assert_eq!(next_tier(Some(5), hops.into_iter()), None);
    }
}
