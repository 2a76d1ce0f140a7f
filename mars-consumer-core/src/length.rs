//! How long the object is, as far as is known.

/// Where the object ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// The caller said so; nothing that arrives changes it.
    Given {
        /// Segments in all.
        segments: u64,
    },
    /// Not known yet.
    Open,
    /// A Data said so.
    Final {
        /// The last segment.
        last: u64,
        /// The segment whose Data said so and awaits its verdict; `None`: it is vouched for.
        by: Option<u64>,
    },
}

impl Length {
    /// The first segment that is not part of the object; `u64::MAX` while that is open.
    pub(crate) const fn end(self) -> u64 {
        match self {
            Self::Given { segments } => segments,
            Self::Open => u64::MAX,
            Self::Final { last, .. } => last.saturating_add(1),
        }
    }

    /// Whether the end is known.
    pub(crate) const fn is_known(self) -> bool {
        !matches!(self, Self::Open)
    }

    /// Whether a claim that segment `last` is the last one agrees.
    pub(crate) fn agrees(self, claim: u64) -> bool {
        match self {
            Self::Given { segments } => claim.checked_add(1) == Some(segments),
            Self::Open => true,
            Self::Final { last, .. } => last == claim,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn end_and_agreement() {
        let table = [
            (Length::Given { segments: 3 }, 3, 2, true),
            (Length::Given { segments: 3 }, 3, 3, false),
            (Length::Given { segments: 0 }, 0, u64::MAX, false),
            (Length::Open, u64::MAX, 9, true),
            (Length::Final { last: 9, by: None }, 10, 9, true),
            (
                Length::Final {
                    last: 9,
                    by: Some(1),
                },
                10,
                8,
                false,
            ),
            (
                Length::Final {
                    last: u64::MAX,
                    by: None,
                },
                u64::MAX,
                0,
                false,
            ),
        ];
        for (length, end, claim, agrees) in table {
            assert_eq!(
                (length.end(), length.agrees(claim)),
                (end, agrees),
                "{length:?}"
            );
        }
    }
}
