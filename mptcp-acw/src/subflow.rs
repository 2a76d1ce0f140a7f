//! One subflow: its window and what the host knows of it.

use core::time::Duration;

use mars_time::Instant;

use crate::acw::Theta;
use crate::olia::{Graded, Losses};
use crate::path::{Path, nanos};
use crate::tcp::WINDOW_BITS;
use crate::{AcwConfig, Config, Coupling, Loss, Output, SubflowId, acw, tcp};

/// What a subflow is doing about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Nothing: it grows.
    Open,
    /// It retransmits what duplicates told of, and does not grow (RFC 5681, section 3.2).
    FastRecovery,
    /// It restarted from one segment, and grows (RFC 5681, section 3.1).
    Timeout,
}

/// [`Phase`] with what belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open {
        /// Duplicate ACKs since the last ACK of new data.
        duplicates: u8,
    },
    FastRecovery {
        /// What duplicates let into flight beside the window, bytes.
        inflation: u64,
        /// What was in flight, bytes: no peer can have duplicates for more.
        limit: u64,
    },
    Timeout {
        /// Whether anything was acknowledged since.
        advanced: bool,
    },
}

const OPEN: State = State::Open { duplicates: 0 };

/// A smoothed delay (RFC 6298, section 2: a new sample counts for an eighth), in eighths of a
/// nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Smoothed(u64);

impl Smoothed {
    fn after(before: Option<Self>, sample: Duration) -> Self {
        let sample = nanos(sample);
        Self(match before {
            None => sample * 8,
            Some(Self(smoothed)) => smoothed - smoothed / 8 + sample,
        })
    }

    const fn ns(self) -> u64 {
        self.0 / 8
    }
}

/// Whether an ACK widens the window, and by which law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    None,
    SlowStart,
    CongestionAvoidance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subflow {
    pub(crate) id: SubflowId,
    pub(crate) mss: u16,
    pub(crate) backup: bool,
    /// As the coupled laws see it; `None` before the first round-trip time. An increase in
    /// congestion avoidance shows with the next ACK.
    pub(crate) path: Option<Path>,
    /// The same with OLIA's grade, under OLIA.
    pub(crate) graded: Option<Graded>,
    /// Whether some setting may have changed since it was last told.
    pub(crate) changed: bool,
    losses: Losses,
    /// Cuts of ACW since the last rest.
    pub(crate) cuts: u8,
    state: State,
    /// In units of 2^-[`WINDOW_BITS`] bytes, without what duplicates add.
    cwnd: u64,
    /// Bytes.
    ssthresh: u64,
    srtt: Option<Smoothed>,
    one_way: Option<Smoothed>,
    /// When the newest round-trip time was measured.
    sampled: Instant,
    /// Window and threshold as last reported; 0, which neither can be, before the first report.
    told: (u64, u64),
}

impl Subflow {
    pub(crate) fn new(id: SubflowId, mss: u16, config: &Config) -> Self {
        Self {
            id,
            mss,
            backup: false,
            path: None,
            graded: None,
            changed: true,
            losses: Losses::default(),
            cuts: 0,
            state: OPEN,
            cwnd: (u64::from(config.initial_window) * u64::from(mss)) << WINDOW_BITS,
            ssthresh: config.max_window,
            srtt: None,
            one_way: None,
            sampled: Instant::ZERO,
            told: (0, 0),
        }
    }

    /// Congestion window without what duplicates add, bytes, rounded down.
    const fn window(&self) -> u64 {
        self.cwnd >> WINDOW_BITS
    }

    /// Bytes that may be in flight, rounded down.
    pub(crate) fn cwnd(&self, config: &Config) -> u64 {
        let inflation = match self.state {
            State::FastRecovery { inflation, .. } => inflation,
            State::Open { .. } | State::Timeout { .. } => 0,
        };
        self.window()
            .saturating_add(inflation)
            .min(config.max_window)
    }

    /// Slow-start threshold, bytes.
    pub(crate) const fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    pub(crate) const fn phase(&self) -> Phase {
        match self.state {
            State::Open { .. } => Phase::Open,
            State::FastRecovery { .. } => Phase::FastRecovery,
            State::Timeout { .. } => Phase::Timeout,
        }
    }

    /// Its number and its path, if that is known.
    pub(crate) fn measured(&self) -> Option<(SubflowId, Path, Option<Graded>)> {
        Some((self.id, self.path?, self.graded))
    }

    /// The delay that ACW compares, nanoseconds.
    pub(crate) fn delay(&self, one_way: bool) -> Option<u64> {
        let delay = if one_way { self.one_way } else { self.srtt };
        delay.map(Smoothed::ns)
    }

    pub(crate) const fn has_one_way(&self) -> bool {
        self.one_way.is_some()
    }

    /// Whether its delays tell of the path as of `at`, and cutting it makes sense.
    pub(crate) fn is_adaptable(&self, at: Instant, acw: &AcwConfig) -> bool {
        let Some(srtt) = self.srtt else {
            return false;
        };
        let in_phase = match self.state {
            State::Open { .. } => true,
            State::FastRecovery { .. } => !acw.skip_fast_recovery,
            State::Timeout { .. } => false,
        };
        let age = at.saturating_duration_since(self.sampled);
        in_phase && age <= acw.stale_after.max(Duration::from_nanos(srtt.ns()))
    }

    /// New data was acknowledged.
    pub(crate) fn acked(&mut self, bytes: u64, in_flight: u64, config: &Config) -> Growth {
        self.losses.acked(bytes);
        match &mut self.state {
            State::Open { duplicates } => *duplicates = 0,
            State::FastRecovery { inflation, .. } => {
                *inflation = tcp::deflated(*inflation, bytes, self.mss);
                return Growth::None;
            }
            State::Timeout { advanced } => *advanced |= bytes > 0,
        }
        let flight = in_flight.saturating_add(bytes);
        if config.validate && !tcp::is_validated(self.window(), flight) {
            Growth::None
        } else if self.window() < self.ssthresh {
            Growth::SlowStart
        } else {
            Growth::CongestionAvoidance
        }
    }

    pub(crate) fn sample(
        &mut self,
        now: Instant,
        rtt: Option<Duration>,
        one_way: Option<Duration>,
    ) {
        if let Some(one_way) = one_way {
            self.one_way = Some(Smoothed::after(self.one_way, one_way));
        }
        if let Some(rtt) = rtt {
            self.srtt = Some(Smoothed::after(self.srtt, rtt));
            self.sampled = now;
        }
    }

    /// The path as the coupled laws see it, from window and round-trip time as they are now.
    pub(crate) fn refresh(&mut self, config: &Config) {
        let window = self.window();
        self.path = self.srtt.map(|srtt| Path::from_ns(window, srtt.ns()));
        if config.coupling == Coupling::Olia {
            self.graded = self.path.map(|path| Graded::new(path, self.losses));
        }
    }

    /// At most a segment, and a segment below the threshold may overshoot it: as RFC 5681.
    pub(crate) fn slow_start(&mut self, acked: u64, config: &Config) {
        let added = tcp::slow_start(acked, self.mss) << WINDOW_BITS;
        self.set(self.cwnd.saturating_add(added), config);
    }

    /// Moves the window by `gain` of what a TCP adds, not below the floor. A window that shrinks
    /// takes the threshold with it: slow start would undo what the law wants.
    pub(crate) fn avoid_congestion(&mut self, acked: u64, gain: i64, config: &Config) {
        let added = tcp::congestion_avoidance(acked, self.mss, self.window(), gain);
        let floor = (self.floor(config) << WINDOW_BITS).min(self.cwnd);
        self.set(self.cwnd.saturating_add_signed(added).max(floor), config);
        self.ssthresh = self.ssthresh.min(self.window());
    }

    /// A duplicate ACK; whether it tells of a loss.
    pub(crate) fn duplicate(&mut self, config: &Config) -> bool {
        match &mut self.state {
            State::Open { duplicates } => {
                *duplicates = duplicates.saturating_add(1);
                *duplicates >= config.duplicate_threshold
            }
            State::FastRecovery { inflation, limit } => {
                *inflation = inflation.saturating_add(u64::from(self.mss)).min(*limit);
                false
            }
            State::Timeout { .. } => false,
        }
    }

    /// Whether a loss begins a congestion event: by duplicates only while none is on, by a
    /// timeout always.
    pub(crate) const fn is_event(&self, loss: Loss) -> bool {
        matches!(
            (loss, self.state),
            (Loss::Timeout, _) | (_, State::Open { .. })
        )
    }

    /// A congestion event, after which `ssthresh` is right; so it is when a segment times out again
    /// (RFC 5681, section 3.1), unless anything was acknowledged in between.
    pub(crate) fn lose(&mut self, loss: Loss, ssthresh: u64, flight: u64, config: &Config) {
        if self.state != (State::Timeout { advanced: false }) {
            self.ssthresh = ssthresh.max(self.floor(config)).min(config.max_window);
            self.losses.lost();
        }
        match loss {
            Loss::Duplicates => {
                // What a host without SACK has counted up to here has left the network (section
                // 3.2, step 3); one with SACK knows the pipe and has nothing to make up for.
                let counted = match self.state {
                    State::Open { duplicates } => u64::from(duplicates),
                    State::FastRecovery { .. } | State::Timeout { .. } => 0,
                };
                self.state = State::FastRecovery {
                    inflation: (counted * u64::from(self.mss)).min(flight),
                    limit: flight,
                };
                self.set(self.ssthresh << WINDOW_BITS, config);
            }
            Loss::Timeout => {
                self.state = State::Timeout { advanced: false };
                self.set(u64::from(self.mss) << WINDOW_BITS, config);
            }
        }
        self.refresh(config);
    }

    pub(crate) fn recovered(&mut self) {
        self.state = OPEN;
    }

    pub(crate) fn idled(&mut self, config: &Config) {
        let initial = u64::from(config.initial_window) * u64::from(self.mss);
        let window = tcp::restarted(self.window(), initial);
        self.cwnd = self.cwnd.min(window << WINDOW_BITS);
        self.state = OPEN;
        (self.srtt, self.one_way) = (None, None);
        self.refresh(config);
    }

    pub(crate) fn penalised(&mut self, config: &Config) {
        let (window, ssthresh) = tcp::penalised(self.window(), self.ssthresh, self.mss);
        self.cwnd = self.cwnd.min(window << WINDOW_BITS);
        self.ssthresh = ssthresh;
        self.refresh(config);
    }

    /// It is the slowest by `theta`.
    pub(crate) fn adapt(&mut self, theta: Theta, acw: &AcwConfig, config: &Config) {
        let cut;
        (cut, self.cuts) = acw::turn(self.cuts, acw.m);
        if !cut {
            return;
        }
        self.changed = true;
        let floor = u64::from(acw.floor) * u64::from(self.mss);
        let window = acw::cut(self.window(), theta, floor);
        self.cwnd = self.cwnd.min(window << WINDOW_BITS);
        if acw.lower_ssthresh {
            self.ssthresh = self.ssthresh.min(window);
        }
        self.refresh(config);
    }

    /// What was in flight, as far as the window allowed it.
    pub(crate) fn flight(&self, in_flight: u64) -> u64 {
        in_flight.min(self.window())
    }

    /// A setting that the host has not been told, if any.
    pub(crate) fn untold(&mut self, config: &Config) -> Option<Output> {
        if !self.changed {
            return None;
        }
        let (cwnd, ssthresh) = (self.cwnd(config), self.ssthresh);
        let subflow = self.id;
        if self.told.0 != cwnd {
            self.told.0 = cwnd;
            return Some(Output::Cwnd {
                subflow,
                bytes: cwnd,
            });
        }
        if self.told.1 != ssthresh {
            self.told.1 = ssthresh;
            return Some(Output::Ssthresh {
                subflow,
                bytes: ssthresh,
            });
        }
        self.changed = false;
        None
    }

    /// Least threshold, bytes.
    fn floor(&self, config: &Config) -> u64 {
        u64::from(config.min_window) * u64::from(self.mss)
    }

    fn set(&mut self, cwnd: u64, config: &Config) {
        self.cwnd = cwnd.min(config.max_window << WINDOW_BITS);
    }
}
