//! The rank order: choosing a label between two others.
//!
//! Dense-ordinal routing (split labels, Mosko and Garcia-Luna-Aceves) with destination sequence
//! numbers (RFC 3561), applied to probes. Ranks only ever move closer to the producer; a face is a
//! valid upstream only if the closest rank learnt from it is strictly closer than the node's own.

use mars_wire::Label;

/// A label strictly between `low` and `high`: one hop above `low` if that is below `high`, else
/// the midpoint; `None` if nothing lies between.
#[must_use]
pub(crate) fn choose(low: Label, high: Label) -> Option<Label> {
    let (low, high) = (low.to_bits(), high.to_bits());
    if let Some(hop) = low.checked_add(Label::ONE.to_bits())
        && hop < high
    {
        return Some(Label::from_bits(hop));
    }
    let gap = high.checked_sub(low)?;
    (gap >= 2).then(|| Label::from_bits(low + gap / 2))
}

/// The cap under which a node labels itself when an upstream of label `low` answers: the least of
/// the downstream bounds that leave room above `low`, [`Label::MAX`] if there is none.
///
/// A bound that leaves no room is one bystander's, not a reason to refuse everybody else.
#[must_use]
pub(crate) fn cap(low: Label, bounds: impl Iterator<Item = Label>) -> Label {
    bounds
        .filter(|b| b.to_bits().saturating_sub(low.to_bits()) >= 2)
        .min()
        .unwrap_or(Label::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quickcheck::quickcheck;

    fn label(whole: u64, fraction: u64) -> Label {
        Label::from_bits((whole << 32) | fraction)
    }

    #[test]
    fn values() {
        let table = [
            (label(0, 0), Label::MAX, Some(label(1, 0))),
            (label(3, 7), label(9, 0), Some(label(4, 7))),
            (label(0, 0), label(1, 0), Some(label(0, 0x8000_0000))),
            (label(0, 0), label(0, 2), Some(label(0, 1))),
            (label(0, 0), label(0, 1), None),
            (label(5, 0), label(5, 0), None),
            (label(5, 0), label(4, 0), None),
            (Label::MAX, Label::MAX, None),
        ];
        for (low, high, expected) in table {
            assert_eq!(choose(low, high), expected, "{low:?} {high:?}");
        }
    }

    #[test]
    fn an_absurd_bound_does_not_poison_the_cap() {
        let bounds = [label(0, 1), label(7, 0), label(9, 0)];
        assert_eq!(cap(label(2, 0), bounds.into_iter()), label(7, 0));
        assert_eq!(cap(label(9, 0), bounds.into_iter()), Label::MAX);
    }

    quickcheck! {
        fn chosen_lies_strictly_between(low: u64, high: u64) -> bool {
            let (low, high) = (Label::from_bits(low), Label::from_bits(high));
            match choose(low, high) {
                Some(label) => low < label && label < high,
                None => high.to_bits().saturating_sub(low.to_bits()) < 2,
            }
        }

        fn one_hop_is_taken_where_there_is_room_and_half_of_it_elsewhere(low: u64, high: u64) -> bool {
            let Some(label) = choose(Label::from_bits(low), Label::from_bits(high)) else {
                return true;
            };
            let step = label.to_bits() - low;
            let hop = Label::ONE.to_bits();
            if high - low > hop { step == hop } else { step == (high - low) / 2 }
        }

        fn more_room_never_gives_a_smaller_label(low: u64, high: u64, more: u64) -> bool {
            let roomy = high.max(more);
            let [narrow, wide] = [high.min(more), roomy].map(|high| {
                choose(Label::from_bits(low), Label::from_bits(high))
            });
            narrow <= wide
        }

        fn a_label_can_be_halved_thirty_two_times(low: u16) -> bool {
            let low = Label::from_bits(u64::from(low) << 32);
            let mut high = Label::from_bits(low.to_bits() + Label::ONE.to_bits());
            let mut times = 0;
            while let Some(label) = choose(low, high) {
                high = label;
                times += 1;
            }
            times == 32
        }
    }
}
