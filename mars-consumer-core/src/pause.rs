//! How long to wait after a refusal. Asking again at once would make a storm of Nacks.

use core::time::Duration;

use crate::patience::nanos;
use crate::rng::Rng;
use crate::rto::doubled;

const MS: u64 = 1_000_000;

/// Rest of a segment after its refusal number `refusals` (from 1): one round trip, within 10 ms to
/// 500 ms, doubled each time, at most 1 s.
pub(crate) fn after_refusal(refusals: u8, srtt: Option<Duration>) -> Duration {
    let round_trip = srtt.map_or(0, nanos).clamp(10 * MS, 500 * MS);
    let times = u32::from(refusals).saturating_sub(1);
    Duration::from_nanos(doubled(round_trip, times, 1_000 * MS))
}

/// Rest of a probe slot after `refused` refusals in a row with `window` probes in flight. The first
/// round of refusals is answered at once: it may be about crossing probes and no more. Then 10 ms,
/// doubled each round, at most 1 s.
pub(crate) fn between_probes(refused: u32, window: u8) -> Duration {
    match (refused / u32::from(window.max(1))).checked_sub(1) {
        None => Duration::ZERO,
        Some(rounds) => Duration::from_nanos(doubled(10 * MS, rounds, 1_000 * MS)),
    }
}

/// Rest before new generation number `tried` (from 1). The first comes soon; further ones must be
/// more than a second apart, since forwarders take no faster jump. Up to a quarter is random, so
/// that consumers of one producer do not move in step.
pub(crate) fn before_generation(tried: u8, rng: &mut Rng) -> Duration {
    let base = match u32::from(tried).saturating_sub(2) {
        0 if tried <= 1 => 250 * MS,
        later => doubled(1_250 * MS, later, 20_000 * MS),
    };
    Duration::from_nanos(base + rng.next_u64() % (base / 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_segment_rests_from_one_round_trip_to_a_second() {
        let table = [
            (None, 1, 10),
            (Some(3), 1, 10),
            (Some(40), 1, 40),
            (Some(40), 2, 80),
            (Some(40), 5, 640),
            (Some(40), 6, 1_000),
            (Some(40), 255, 1_000),
            (Some(9_000), 1, 500),
        ];
        for (srtt, refusals, rest) in table {
            let srtt = srtt.map(Duration::from_millis);
            assert_eq!(
                after_refusal(refusals, srtt).as_millis(),
                rest,
                "{srtt:?} {refusals}"
            );
        }
    }

    #[test]
    fn probes_rest_from_the_second_round_of_refusals_on() {
        let table = [
            (1, 0),
            (3, 0),
            (4, 10),
            (7, 10),
            (8, 20),
            (12, 40),
            (4_000, 1_000),
        ];
        for (refused, rest) in table {
            assert_eq!(between_probes(refused, 4).as_millis(), rest, "{refused}");
        }
    }

    #[test]
    fn generations_are_more_than_a_second_apart_after_the_first() {
        let table = [(1, 250), (2, 1_250), (3, 2_500), (4, 5_000), (255, 20_000)];
        let mut rng = Rng::new(1);
        for (tried, base) in table {
            let rest = before_generation(tried, &mut rng).as_millis();
            assert!((base..=base + base / 4).contains(&rest), "{tried}: {rest}");
        }
    }
}
