//! What a Nack says, whichever stack it came from.

use mars_wire::{MarsHeader, NackDetail, NackReason};

/// Why an Interest was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Congestion: a queue is full.
    Busy,
    /// No path, or none that the rank order allows.
    NoRoute,
    /// The nonce was seen elsewhere.
    Duplicate,
    /// The Interest works in an older generation than this one.
    Stale(u32),
    /// Anything else.
    Other,
}

/// Reads a Nack: the MARS detail if there is one, else the `NDNLPv2` reason.
pub(crate) fn refusal(reason: NackReason, header: &MarsHeader) -> Refusal {
    match (header.nack_detail, reason) {
        (Some(NackDetail::Stale), _) => header.generation.map_or(Refusal::Other, Refusal::Stale),
        (Some(NackDetail::Order | NackDetail::NoRoute), _) | (None, NackReason::NoRoute) => {
            Refusal::NoRoute
        }
        (Some(NackDetail::Duplicate), _) | (None, NackReason::Duplicate) => Refusal::Duplicate,
        (Some(NackDetail::QueueFull), _) | (None, NackReason::Congestion) => Refusal::Busy,
        // Details and reasons that are yet to be invented.
        (_, _) => Refusal::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detail_wins_over_the_reason() {
        let table = [
            (None, NackReason::Congestion, Refusal::Busy),
            (None, NackReason::NoRoute, Refusal::NoRoute),
            (None, NackReason::Duplicate, Refusal::Duplicate),
            (None, NackReason::None, Refusal::Other),
            (None, NackReason::Other(7), Refusal::Other),
            (
                Some(NackDetail::Order),
                NackReason::NoRoute,
                Refusal::NoRoute,
            ),
            (
                Some(NackDetail::NoRoute),
                NackReason::None,
                Refusal::NoRoute,
            ),
            (
                Some(NackDetail::Duplicate),
                NackReason::None,
                Refusal::Duplicate,
            ),
            (Some(NackDetail::QueueFull), NackReason::None, Refusal::Busy),
            (
                Some(NackDetail::Stale),
                NackReason::Congestion,
                Refusal::Stale(9),
            ),
        ];
        for (nack_detail, reason, means) in table {
            let header = MarsHeader {
                nack_detail,
                generation: Some(9),
                ..MarsHeader::default()
            };
            assert_eq!(
                refusal(reason, &header),
                means,
                "{nack_detail:?} {reason:?}"
            );
        }
        let no_generation = MarsHeader {
            nack_detail: Some(NackDetail::Stale),
            ..MarsHeader::default()
        };
        assert_eq!(
            refusal(NackReason::Congestion, &no_generation),
            Refusal::Other
        );
    }
}
