//! The machine.

use core::time::Duration;

use arrayvec::ArrayVec;
use mars_time::Instant;

use crate::acw::{self, Theta};
use crate::path::ONE;
use crate::subflow::{Growth, Subflow};
use crate::{
    AcwConfig, Config, ConfigError, Coupling, Delay, Error, Input, Loss, Output, Phase, Reset,
    SubflowId, balia, lia, olia, tcp,
};

/// The windows of one connection with at most `N` subflows.
///
/// One input changes the settings of its subflow and, if an update of ACW is due, of the slowest,
/// so it makes at most `2 N` outputs, and all inputs between two drains together no more either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupler<const N: usize = 8> {
    config: Config,
    subflows: ArrayVec<Subflow, N>,
    /// Latest time that was told.
    now: Instant,
    /// Next update of ACW; none while less than two subflows are in use.
    update: Option<Instant>,
    /// Position of the first subflow that may have a setting that was not told.
    untold_from: usize,
}

impl<const N: usize> Coupler<N> {
    /// A coupler without subflows.
    ///
    /// # Errors
    /// A field of `config` out of its range.
    pub fn new(config: Config, now: Instant) -> Result<Self, ConfigError> {
        Ok(Self {
            config: config.validated()?,
            subflows: ArrayVec::new(),
            now,
            update: None,
            untold_from: 0,
        })
    }

    /// Takes one input.
    ///
    /// # Errors
    /// Only for faults of the caller; never for what a peer sent.
    pub fn handle_input(&mut self, now: Instant, input: Input) -> Result<(), Error> {
        self.advance(now);
        match input {
            Input::Timeout => Ok(()),
            Input::SubflowAdded { subflow, mss } => self.add(subflow, mss),
            Input::SubflowRemoved { subflow } => {
                let position = self.position(subflow)?;
                self.subflows.remove(position);
                self.untold_from = 0;
                Ok(())
            }
            Input::Priority { subflow, backup } => {
                self.change(subflow, |subflow, _| subflow.backup = backup)
            }
            Input::Acked {
                subflow,
                bytes,
                rtt,
                one_way,
                in_flight,
            } => self.acked(subflow, bytes, in_flight, (rtt, one_way)),
            Input::Duplicate { subflow, in_flight } => {
                let mut tells = false;
                self.change(subflow, |subflow, config| tells = subflow.duplicate(config))?;
                if tells {
                    self.lost(subflow, Loss::Duplicates, in_flight)?;
                }
                Ok(())
            }
            Input::Lost {
                subflow,
                loss,
                in_flight,
            } => self.lost(subflow, loss, in_flight),
            Input::Recovered { subflow } => self.change(subflow, |subflow, _| subflow.recovered()),
            Input::Idled { subflow } => self.change(subflow, Subflow::idled),
            Input::Penalised { subflow } => self.change(subflow, Subflow::penalised),
        }
    }

    /// Takes the next changed setting, at last the wake-up time.
    pub fn poll_output(&mut self) -> Output {
        while let Some(subflow) = self.subflows.get_mut(self.untold_from) {
            if let Some(output) = subflow.untold(&self.config) {
                return output;
            }
            self.untold_from += 1;
        }
        Output::Timeout(self.update)
    }

    /// Congestion window of a subflow, bytes, rounded down; `None` if there is no such subflow.
    #[must_use]
    pub fn cwnd(&self, subflow: SubflowId) -> Option<u64> {
        Some(self.subflow(subflow)?.cwnd(&self.config))
    }

    /// Slow-start threshold of a subflow, bytes; `None` if there is no such subflow.
    #[must_use]
    pub fn ssthresh(&self, subflow: SubflowId) -> Option<u64> {
        self.subflow(subflow).map(Subflow::ssthresh)
    }

    /// What a subflow is doing about losses; `None` if there is no such subflow. After
    /// [`Input::Duplicate`] it tells whether to retransmit.
    #[must_use]
    pub fn phase(&self, subflow: SubflowId) -> Option<Phase> {
        self.subflow(subflow).map(Subflow::phase)
    }

    /// How often ACW cut a subflow since it last rested; `None` if there is no such subflow.
    #[must_use]
    pub fn cuts(&self, subflow: SubflowId) -> Option<u8> {
        self.subflow(subflow).map(|subflow| subflow.cuts)
    }

    /// Time goes on to `now`: an update that is due is made, as of when it was due.
    fn advance(&mut self, now: Instant) {
        self.now = self.now.max(now);
        let (Some(at), Some(acw)) = (self.update, self.config.acw) else {
            return;
        };
        if at > self.now {
            return;
        }
        self.update = if self.adapt(at, &acw) {
            next_update(at, acw.period, self.now)
        } else {
            None
        };
    }

    /// Makes an update; `false` if there are not two delays to compare.
    fn adapt(&mut self, at: Instant, acw: &AcwConfig) -> bool {
        let spare_backups = self.has_regular();
        let takes_part = |subflow: &&Subflow| {
            let counts = !(subflow.backup && spare_backups);
            counts && subflow.is_adaptable(at, acw)
        };
        let part = || self.subflows.iter().filter(takes_part);
        let one_way = acw.delay == Delay::OneWay && part().all(Subflow::has_one_way);
        let delays = || part().filter_map(|subflow| subflow.delay(one_way));
        let (Some(fastest), Some(slowest)) = (delays().min(), delays().max()) else {
            return false;
        };
        if delays().count() < 2 {
            return false;
        }
        let divisor = acw::divisor(Theta::from_ns(slowest, fastest), acw);
        // Of several that are equally slow none is before the other.
        for subflow in &mut self.subflows {
            let is_slowest = takes_part(&&*subflow) && subflow.delay(one_way) == Some(slowest);
            match (is_slowest, divisor) {
                (true, Some(theta)) => subflow.adapt(theta, acw, &self.config),
                (false, _) if acw.reset == Reset::OnChange => subflow.cuts = 0,
                _ => {}
            }
        }
        self.untold_from = 0;
        true
    }

    fn add(&mut self, id: SubflowId, mss: u16) -> Result<(), Error> {
        if self.position(id).is_ok() {
            return Err(Error::DuplicateSubflow(id));
        }
        if mss == 0 {
            return Err(Error::ZeroMss(id));
        }
        let subflow = Subflow::new(id, mss, &self.config);
        self.subflows.try_push(subflow).map_err(|_| Error::Full)
    }

    fn acked(
        &mut self,
        id: SubflowId,
        bytes: u64,
        in_flight: u64,
        (rtt, one_way): (Option<Duration>, Option<Duration>),
    ) -> Result<(), Error> {
        let position = self.position(id)?;
        let (now, config) = (self.now, &self.config);
        let Some(subflow) = self.subflows.get_mut(position) else {
            return Err(Error::UnknownSubflow(id));
        };
        subflow.sample(now, rtt, one_way);
        let growth = subflow.acked(bytes, in_flight, config);
        if growth == Growth::SlowStart {
            subflow.slow_start(bytes, config);
        }
        subflow.refresh(config);
        subflow.changed = true;
        self.untold_from = self.untold_from.min(position);
        if growth == Growth::CongestionAvoidance {
            let gain = self.gain(position);
            if let Some(subflow) = self.subflows.get_mut(position) {
                subflow.avoid_congestion(bytes, gain, &self.config);
            }
        }
        if let (Some(acw), None, Some(_), 2..) =
            (self.config.acw, self.update, rtt, self.subflows.len())
        {
            self.update = Some(now + acw.period).filter(|at| *at > now);
        }
        Ok(())
    }

    fn lost(&mut self, id: SubflowId, loss: Loss, in_flight: u64) -> Result<(), Error> {
        let subflow = self.subflow(id).ok_or(Error::UnknownSubflow(id))?;
        if !subflow.is_event(loss) {
            return Ok(());
        }
        let flight = subflow.flight(in_flight);
        let ssthresh = match (self.config.coupling, subflow.path) {
            (Coupling::Balia, Some(own)) => {
                let paths = self.coupled(id).filter_map(|subflow| subflow.path);
                balia::after_loss(flight, own, paths)
            }
            _ => tcp::halved(flight, 0),
        };
        self.change(id, |subflow, config| {
            subflow.lose(loss, ssthresh, flight, config);
        })
    }

    /// What an ACK on a subflow adds over what a TCP would add, units of 2^-32. Without a
    /// round-trip time the coupling cannot be told: nothing is added until there is one.
    fn gain(&self, position: usize) -> i64 {
        let Some((id, own, graded)) = self.subflows.get(position).and_then(Subflow::measured)
        else {
            return 0;
        };
        let coupled = self.coupled(id);
        let gain = match (self.config.coupling, graded) {
            (Coupling::Lia, _) => lia::gain(own, coupled.filter_map(|subflow| subflow.path)),
            (Coupling::Balia, _) => balia::gain(own, coupled.filter_map(|subflow| subflow.path)),
            (Coupling::Olia, Some(own)) => {
                return olia::gain(own, coupled.filter_map(|subflow| subflow.graded));
            }
            (Coupling::Olia, None) | (Coupling::Uncoupled, _) => ONE,
        };
        i64::try_from(gain).unwrap_or(i64::MAX)
    }

    /// The subflows that share with `own`: all, but backups only where no regular one is in use.
    fn coupled(&self, own: SubflowId) -> impl Iterator<Item = &Subflow> + Clone {
        let spare_backups = self.has_regular();
        let coupled =
            move |subflow: &&Subflow| !(subflow.backup && spare_backups) || subflow.id == own;
        self.subflows.iter().filter(coupled)
    }

    /// Whether a regular subflow is in use.
    fn has_regular(&self) -> bool {
        let mut subflows = self.subflows.iter();
        subflows.any(|subflow| !subflow.backup && subflow.path.is_some())
    }

    fn position(&self, id: SubflowId) -> Result<usize, Error> {
        let position = self.subflows.iter().position(|subflow| subflow.id == id);
        position.ok_or(Error::UnknownSubflow(id))
    }

    fn subflow(&self, id: SubflowId) -> Option<&Subflow> {
        self.subflows.iter().find(|subflow| subflow.id == id)
    }

    /// Changes one subflow.
    fn change(
        &mut self,
        id: SubflowId,
        change: impl FnOnce(&mut Subflow, &Config),
    ) -> Result<(), Error> {
        let position = self.position(id)?;
        if let Some(subflow) = self.subflows.get_mut(position) {
            change(subflow, &self.config);
            subflow.changed = true;
        }
        self.untold_from = self.untold_from.min(position);
        Ok(())
    }
}

/// The first of `at` plus whole periods that is after `now`: an update that comes late moves none
/// of the later ones. `None` at the end of time.
fn next_update(at: Instant, period: Duration, now: Instant) -> Option<Instant> {
    let late = now.saturating_duration_since(at).as_nanos();
    let period_ns = period.as_nanos().max(1);
    let steps = u32::try_from(late / period_ns + 1).unwrap_or(u32::MAX);
    let next = at + period.saturating_mul(steps);
    let next = if next > now { next } else { now + period };
    Some(next).filter(|next| *next > now)
}
