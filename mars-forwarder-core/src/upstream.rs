//! One next hop of a dest: its standing, how it answers probes, its window.

use core::time::Duration;

use mars_cc::Controller;
use mars_time::Instant;
use mars_wire::Rank;

use crate::face::FaceIx;
use crate::health::Health;

/// Answers without `TierConv` within one tier after which a face no longer holds up convergence.
const MAX_ANSWERS: u8 = 16;
/// Times that a probe is repeated over a face that has lost one before, and the wait before the first;
/// it doubles each time.
const MAX_REPEATS: u8 = 3;
const FIRST_REPEAT: Duration = Duration::from_millis(60);
/// Silent probes in a row after which a face is refused for the round.
const MAX_SILENT: u8 = 4;
/// Duplicate Nacks in a row after which a face is refused for the round.
const MAX_DUPLICATES: u8 = 3;

/// One next hop.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    pub(crate) face: FaceIx,
    pub(crate) hops: u32,
    pub(crate) up: bool,
    pub(crate) standing: Standing,
    /// In `PendingConverged`: the tier is not done before it has answered.
    pub(crate) pending: bool,
    /// Probes in flight.
    pub(crate) probes: u16,
    /// Last Data over it.
    pub(crate) heard: Instant,
    /// When the latest Interest was sent that it has answered. What it told is held true for a path
    /// lifetime from then and not from the answer's arrival: however long that took, the upstream
    /// answered later than it was asked, and keeps its rank for as long from its answer.
    pub(crate) asked: Instant,
    pub(crate) answers: u8,
    silent: u8,
    /// When the last of those that ever fell silent was given up. From the first one on, probes are
    /// repeated.
    gave_up: Option<Instant>,
    duplicates: u8,
    /// Doublings of the time that a probe waits, after silence.
    patience: u8,
    /// Smoothed RTT of probes.
    probe_rtt: Option<Duration>,
    /// Level P of the control law.
    pub(crate) cc: Controller,
    /// Whether the dest stands in the face's rotation.
    pub(crate) waiting: bool,
    /// How it fares with data.
    pub(crate) health: Health,
}

/// What discovery knows of a next hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing yet.
    Unknown,
    /// Not to be used in this round.
    Refused,
    /// Likewise, but only because it was silent: probed again when nothing else is left, since at
    /// heavy loss good faces fall silent too.
    Silent,
    /// In `ValidUpstream`.
    Valid {
        /// Closest rank learnt from it; `None`: it stands outside the order.
        rank: Option<Rank>,
        /// `NodeConv` was heard from it.
        node_conv: bool,
    },
}

impl Upstream {
    pub(crate) fn new(face: FaceIx, hops: u32, up: bool, cc: &Controller) -> Self {
        Self {
            face,
            hops,
            up,
            standing: Standing::Unknown,
            pending: false,
            probes: 0,
            heard: Instant::ZERO,
            asked: Instant::ZERO,
            answers: 0,
            silent: 0,
            gave_up: None,
            duplicates: 0,
            patience: 0,
            probe_rtt: None,
            cc: *cc,
            waiting: false,
            health: Health::GOOD,
        }
    }

    /// In `ValidUpstream`, as discovery sees it.
    pub(crate) const fn is_valid(&self) -> bool {
        self.up && matches!(self.standing, Standing::Valid { .. })
    }

    /// Valid, and not out of use for a while.
    pub(crate) fn is_usable(&self, now: Instant) -> bool {
        self.is_valid() && self.health.until().is_none_or(|until| until <= now)
    }

    /// Whether the dest's own window lets an Interest go over it.
    pub(crate) fn can_send(&self, now: Instant) -> bool {
        self.cc.can_send(now) && self.health.admits(now, self.cc.in_flight())
    }

    /// When its pacing lets the next one go; `None` if it waits for an answer instead.
    pub(crate) fn paced_until(&self, now: Instant) -> Option<Instant> {
        let room = self.cc.in_flight() < self.cc.window();
        (room && self.health.admits(now, self.cc.in_flight())).then(|| self.cc.next_send())
    }

    /// Up, but refused for silence.
    pub(crate) const fn is_silent(&self) -> bool {
        self.up && matches!(self.standing, Standing::Silent)
    }

    pub(crate) const fn learnt(&self) -> Option<Rank> {
        match self.standing {
            Standing::Valid { rank, .. } => rank,
            Standing::Unknown | Standing::Refused | Standing::Silent => None,
        }
    }

    pub(crate) const fn node_conv(&self) -> bool {
        match self.standing {
            Standing::Valid {
                node_conv, rank, ..
            } => node_conv || rank.is_none(),
            Standing::Unknown | Standing::Refused | Standing::Silent => false,
        }
    }

    /// Smoothed RTT, from data if there is any, else from probes.
    pub(crate) fn srtt(&self) -> Option<Duration> {
        self.cc.srtt().or(self.probe_rtt)
    }

    /// How long to wait for the answer to a probe if the downstream waits for `left`.
    ///
    /// Four RTTs, at least 60 ms; before a sample 250 ms and another 100 ms for each hop to the
    /// producer; twice as long after each silence. In any case shorter than the downstream, by one
    /// share of what the hops that are still to come divide among themselves, so that of all nodes
    /// on the way the one next to a silence notices it first.
    pub(crate) fn probe_wait(&self, left: Duration) -> Duration {
        let hops = self.hops.min(255);
        let wait = match self.srtt() {
            Some(srtt) => srtt.saturating_mul(4).max(Duration::from_millis(60)),
            None => Duration::from_millis(250) + Duration::from_millis(100) * hops.min(16),
        };
        let wait = wait.saturating_mul(1 << self.patience.min(4));
        wait.min(left / (hops + 3) * (hops + 2))
    }

    /// Whether a probe that was repeated so often may be repeated once more.
    pub(crate) const fn may_repeat(&self, repeats: u8) -> bool {
        self.up && self.gave_up.is_some() && repeats < MAX_REPEATS
    }

    /// How long to wait, of `wait` altogether, until a probe that was repeated so often is repeated.
    /// Not the time of an answer but of a link: the upstream may be at work on it for much longer.
    pub(crate) fn repeat_after(&self, repeats: u8, wait: Duration) -> Duration {
        if self.may_repeat(repeats) {
            wait.min(FIRST_REPEAT.saturating_mul(1 << repeats))
        } else {
            wait
        }
    }

    /// Whether an answer can be here before the downstream gives up in `left`.
    pub(crate) fn may_answer_within(&self, left: Duration) -> bool {
        let guess = Duration::from_millis(20) * self.hops.min(16);
        left > self.srtt().unwrap_or(guess)
    }

    pub(crate) fn sample_probe_rtt(&mut self, rtt: Duration) {
        self.patience = 0;
        self.probe_rtt = Some(match self.probe_rtt {
            Some(old) => (old * 7 + rtt) / 8,
            None => rtt,
        });
    }

    /// A new round: refusals are forgotten, convergence is asked for again.
    pub(crate) fn start_round(&mut self) {
        self.pending = false;
        self.answers = 0;
        self.silent = 0;
        self.duplicates = 0;
        match &mut self.standing {
            Standing::Refused | Standing::Silent => self.standing = Standing::Unknown,
            Standing::Valid { node_conv, .. } => *node_conv = false,
            Standing::Unknown => {}
        }
    }

    /// Any Data over the face: it is alive.
    pub(crate) fn was_heard(&mut self, now: Instant) {
        self.silent = 0;
        self.duplicates = 0;
        self.heard = now;
    }

    /// It answered an Interest that was sent at `sent`.
    pub(crate) fn has_answered(&mut self, sent: Instant) {
        self.asked = self.asked.max(sent);
    }

    /// A probe's answer carried these flags.
    pub(crate) fn answered(&mut self, tier_conv: bool, conv: bool) {
        if let Standing::Valid { node_conv, .. } = &mut self.standing {
            *node_conv |= conv;
        }
        self.answers = self.answers.saturating_add(1);
        if tier_conv || self.answers >= MAX_ANSWERS {
            self.pending = false;
        }
    }

    /// A probe sent at `sent` stayed without an answer; true if that was once too often. A face
    /// that has answered a later one is not silent: that one probe was lost. Probes that were in
    /// flight together count once: what lies behind a good face may be farther away than what
    /// answered so far, and the next probe, which waits twice as long, is to find that out.
    pub(crate) fn fell_silent(&mut self, sent: Instant, now: Instant) -> bool {
        if self.heard > sent || self.gave_up.is_some_and(|at| sent < at) {
            return false;
        }
        self.gave_up = Some(now);
        self.silent = self.silent.saturating_add(1);
        self.patience = self.patience.saturating_add(1);
        self.silent >= MAX_SILENT
    }

    /// It said that it could not answer now, without fault of its own.
    pub(crate) fn was_busy(&mut self) {
        self.patience = self.patience.saturating_add(1);
        self.answered(false, false);
    }

    /// It had seen the probe before; true if that was once too often.
    pub(crate) fn was_duplicate(&mut self) -> bool {
        self.duplicates = self.duplicates.saturating_add(1);
        self.duplicates >= MAX_DUPLICATES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mars_cc::{Config, Level};

    fn upstream(hops: u32) -> Upstream {
        let law = Config::new(Level::Prefix);
        let cc = Controller::new(law, Instant::ZERO).unwrap();
        Upstream::new(1, hops, true, &cc)
    }

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn a_probe_waits_longer_the_farther_the_producer_and_shorter_than_the_downstream() {
        let long = Duration::from_mins(1);
        for (hops, left, expected) in [
            (1, long, ms(350)),
            (2, long, ms(450)),
            (16, long, ms(1_850)),
            (40, long, ms(1_850)),
            (1, ms(100), ms(75)),
            (7, ms(100), ms(90)),
            (97, ms(100), ms(99)),
        ] {
            assert_eq!(
                upstream(hops).probe_wait(left),
                expected,
                "{hops} hops, {left:?}"
            );
        }
    }

    #[test]
    fn a_probe_waits_four_round_trips_and_twice_as_long_after_each_silence() {
        let mut upstream = upstream(2);
        let long = Duration::from_mins(1);
        upstream.sample_probe_rtt(ms(10));
        assert_eq!(upstream.probe_wait(long), ms(60));
        upstream.sample_probe_rtt(ms(90));
        assert_eq!(upstream.srtt(), Some(ms(20)));
        assert_eq!(upstream.probe_wait(long), ms(80));
        for wait in [160, 320, 640, 1_280, 1_280] {
            upstream.fell_silent(Instant::ZERO, Instant::ZERO);
            assert_eq!(upstream.probe_wait(long), ms(wait));
        }
    }

    #[test]
    fn four_silences_in_a_row_are_too_many_but_not_of_probes_sent_before_an_answer() {
        let mut upstream = upstream(2);
        let at = Instant::from_millis;
        let silence = |upstream: &mut Upstream, sent| upstream.fell_silent(at(sent), at(sent));
        assert_eq!(
            [1, 2, 3, 4].map(|t| silence(&mut upstream, t)),
            [false, false, false, true]
        );
        upstream.was_heard(at(10));
        assert_eq!([6, 7, 8, 9].map(|t| silence(&mut upstream, t)), [false; 4]);
        assert_eq!(
            [10, 11, 12, 13].map(|t| silence(&mut upstream, t)),
            [false, false, false, true]
        );
    }

    #[test]
    fn probes_in_flight_together_fall_silent_once() {
        let mut upstream = upstream(2);
        let at = Instant::from_millis;
        let mut given_up = |now| [1, 2, 3, 4].map(|sent| upstream.fell_silent(at(sent), at(now)));
        assert_eq!(given_up(60), [false; 4]);
        assert_eq!(given_up(61), [false; 4]);
        assert_eq!((upstream.silent, upstream.patience), (1, 1));
        assert_eq!(
            [60, 180, 420].map(|sent| upstream.fell_silent(at(sent), at(sent * 2))),
            [false, false, true]
        );
    }
}
