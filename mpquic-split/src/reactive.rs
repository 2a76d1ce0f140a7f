//! The minRTT choice, as functions of what is known of all paths.

use core::time::Duration;

use mars_time::Instant;

use crate::{DataPath, PathId};

/// Round-trip time that a path counts with before its first sample (RFC 9002, section 6.2.2).
const INITIAL_RTT: Duration = Duration::from_millis(333);

/// A validated path as the law sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number.
    pub path: PathId,
    /// Whether a side calls it a backup.
    pub backup: bool,
    /// Whether its window has room.
    pub room: bool,
    /// Earliest time at which pacing lets the next packet go.
    pub next_send: Instant,
    /// Smoothed round-trip time, if known.
    pub srtt: Option<Duration>,
}

/// Where the next data packet goes at `now`. Backups count only if there is nothing else, full or
/// not. Equal round-trip times: the lesser number.
#[must_use]
pub fn data_path(now: Instant, candidates: impl Iterator<Item = Candidate> + Clone) -> DataPath {
    let usable = preferred(candidates.clone()).filter(|path| path.room);
    let ready = usable.filter(|path| path.next_send <= now);
    match ready.min_by_key(distance) {
        Some(nearest) => DataPath::Send(nearest.path),
        None => next_opening(now, candidates).map_or(DataPath::Blocked, DataPath::Wait),
    }
}

/// The earliest time after `now` at which pacing opens a path: the choice may then be another.
#[must_use]
pub fn next_opening(
    now: Instant,
    candidates: impl Iterator<Item = Candidate> + Clone,
) -> Option<Instant> {
    let usable = preferred(candidates).filter(|path| path.room);
    let openings = usable.map(|path| path.next_send);
    openings.filter(|opening| *opening > now).min()
}

/// Over which path the ACKs for `path` go: over itself while it is validated, else over the
/// nearest.
#[must_use]
pub fn ack_route(
    path: PathId,
    candidates: impl Iterator<Item = Candidate> + Clone,
) -> Option<PathId> {
    if candidates.clone().any(|candidate| candidate.path == path) {
        return Some(path);
    }
    preferred(candidates)
        .min_by_key(distance)
        .map(|candidate| candidate.path)
}

/// All but the backups, or the backups if they are all.
fn preferred(
    candidates: impl Iterator<Item = Candidate> + Clone,
) -> impl Iterator<Item = Candidate> {
    let only_backups = candidates.clone().all(|path| path.backup);
    candidates.filter(move |path| path.backup == only_backups)
}

fn distance(candidate: &Candidate) -> (Duration, PathId) {
    (candidate.srtt.unwrap_or(INITIAL_RTT), candidate.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::from_millis(100);

    /// A path with room, `srtt` milliseconds away, 0 for unknown.
    fn path(id: u32, srtt: u64) -> Candidate {
        Candidate {
            path: PathId(id),
            backup: false,
            room: true,
            next_send: Instant::ZERO,
            srtt: (srtt > 0).then(|| Duration::from_millis(srtt)),
        }
    }

    fn full(candidate: Candidate) -> Candidate {
        Candidate {
            room: false,
            ..candidate
        }
    }

    fn backup(candidate: Candidate) -> Candidate {
        Candidate {
            backup: true,
            ..candidate
        }
    }

    fn paced(candidate: Candidate, until: u64) -> Candidate {
        Candidate {
            next_send: Instant::from_millis(until),
            ..candidate
        }
    }

    #[test]
    fn data_goes_to_the_nearest_path_with_room() {
        use DataPath::{Blocked, Send, Wait};
        let (near, far) = (path(7, 10), path(3, 50));
        let table: &[(&[Candidate], DataPath)] = &[
            (&[], Blocked),
            (&[far, near], Send(near.path)),
            (&[near, far], Send(near.path)),
            (&[full(near), far], Send(far.path)),
            (&[full(near), full(far)], Blocked),
            // Equally near: the lesser number.
            (&[path(5, 10), path(2, 10)], Send(PathId(2))),
            // Unknown counts as 333 ms.
            (&[path(1, 0), path(2, 332)], Send(PathId(2))),
            (&[path(1, 0), path(2, 334)], Send(PathId(1))),
            // Backups only for want of others, and not because the others are full.
            (&[backup(near), far], Send(far.path)),
            (&[backup(near), full(far)], Blocked),
            (&[backup(near), backup(far)], Send(near.path)),
            // Due at the very time that pacing names, not before.
            (&[paced(near, 100), far], Send(near.path)),
            (&[paced(near, 101), far], Send(far.path)),
            (
                &[paced(near, 103), paced(far, 102)],
                Wait(Instant::from_millis(102)),
            ),
            (
                &[paced(near, 103), full(far)],
                Wait(Instant::from_millis(103)),
            ),
        ];
        for (candidates, expected) in table {
            let chosen = data_path(NOW, candidates.iter().copied());
            assert_eq!(chosen, *expected, "{candidates:?}");
        }
    }

    #[test]
    fn a_choice_holds_until_pacing_opens_another_path() {
        let opening = |candidates: &[Candidate]| next_opening(NOW, candidates.iter().copied());
        let (near, far) = (path(7, 10), path(3, 50));
        let at = Instant::from_millis;
        assert_eq!(opening(&[near, far]), None);
        assert_eq!(opening(&[paced(near, 105), far]), Some(at(105)));
        assert_eq!(opening(&[paced(near, 100), paced(far, 104)]), Some(at(104)));
        assert_eq!(opening(&[paced(full(near), 105), far]), None);
        assert_eq!(opening(&[paced(backup(near), 105), far]), None);
    }

    #[test]
    fn acks_go_back_where_the_packets_came_from() {
        let route = |id, candidates: &[Candidate]| {
            let route = ack_route(PathId(id), candidates.iter().copied());
            route.map(|path| path.0)
        };
        let (near, far) = (path(7, 10), path(3, 50));
        assert_eq!(route(3, &[near, far]), Some(3));
        assert_eq!(route(3, &[near, backup(far)]), Some(3));
        assert_eq!(route(9, &[near, far]), Some(7));
        assert_eq!(route(9, &[backup(near), far]), Some(3));
        assert_eq!(route(9, &[]), None);
    }
}
