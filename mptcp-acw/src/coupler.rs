//! The machine.

use core::time::Duration;

use arrayvec::ArrayVec;
use mars_time::Instant;

use crate::subflow::{Subflow, WINDOW_BITS};
use crate::{Config, ConfigError, Error, Input, Output, SubflowId, lia, tcp};

/// The windows of one connection with at most `N` subflows.
///
/// One input changes the settings of one subflow, so it makes at most two outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupler<const N: usize = 8> {
    config: Config,
    subflows: ArrayVec<Subflow, N>,
    /// Whether some setting may have changed since the last drain.
    changed: bool,
}

impl<const N: usize> Coupler<N> {
    /// A coupler without subflows.
    ///
    /// # Errors
    /// A field of `config` out of its range.
    pub fn new(config: Config, now: Instant) -> Result<Self, ConfigError> {
        // Nothing in the present law depends on time.
        let _ = now;
        config.validate()?;
        Ok(Self {
            config,
            subflows: ArrayVec::new(),
            changed: false,
        })
    }

    /// Takes one input.
    ///
    /// # Errors
    /// Only for faults of the caller; never for what a peer sent.
    pub fn handle_input(&mut self, now: Instant, input: Input) -> Result<(), Error> {
        let _ = now;
        match input {
            Input::Timeout => return Ok(()),
            Input::SubflowAdded { subflow, mss } => self.add(subflow, mss)?,
            Input::SubflowRemoved { subflow } => {
                let i = self.position(subflow)?;
                self.subflows.remove(i);
            }
            Input::Acked {
                subflow,
                bytes,
                rtt,
                one_way: _,
            } => self.acked(subflow, bytes, rtt)?,
            Input::Lost { subflow, loss } => {
                let config = self.config;
                self.subflow_mut(subflow)?.lose(loss, &config);
            }
        }
        self.changed = true;
        Ok(())
    }

    /// Takes the next changed setting, at last the wake-up time.
    pub fn poll_output(&mut self) -> Output {
        if self.changed {
            if let Some(output) = self.subflows.iter_mut().find_map(Subflow::untold) {
                return output;
            }
            self.changed = false;
        }
        Output::Timeout(None)
    }

    /// Congestion window of a subflow, bytes, rounded down; `None` if there is no such subflow.
    #[must_use]
    pub fn cwnd(&self, subflow: SubflowId) -> Option<u64> {
        let i = self.position(subflow).ok()?;
        self.subflows.get(i).map(Subflow::cwnd)
    }

    /// Slow-start threshold of a subflow, bytes; `None` if there is no such subflow.
    #[must_use]
    pub fn ssthresh(&self, subflow: SubflowId) -> Option<u64> {
        let i = self.position(subflow).ok()?;
        self.subflows.get(i).map(Subflow::ssthresh)
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

    fn acked(&mut self, id: SubflowId, acked: u64, rtt: Option<Duration>) -> Result<(), Error> {
        let config = self.config;
        let subflow = self.subflow_mut(id)?;
        if let Some(rtt) = rtt {
            subflow.sample(rtt);
        }
        if subflow.in_slow_start() {
            // At most a segment, and a segment below the threshold may overshoot it: as RFC 5681.
            let added = tcp::slow_start(acked, subflow.mss) << WINDOW_BITS;
            subflow.grow(added, &config);
            return Ok(());
        }
        // Without a round-trip time the coupling cannot be told: it waits for one.
        if subflow.path().is_some() {
            let (cwnd, mss) = (subflow.cwnd(), subflow.mss);
            let paths = self.subflows.iter().filter_map(Subflow::path);
            let total = paths.clone().map(|path| path.cwnd).sum();
            let added = lia::increase(cwnd, mss, acked, total, lia::alpha(paths), WINDOW_BITS);
            self.subflow_mut(id)?.grow(added, &config);
        }
        Ok(())
    }

    fn position(&self, id: SubflowId) -> Result<usize, Error> {
        let position = self.subflows.iter().position(|subflow| subflow.id == id);
        position.ok_or(Error::UnknownSubflow(id))
    }

    fn subflow_mut(&mut self, id: SubflowId) -> Result<&mut Subflow, Error> {
        let mut subflows = self.subflows.iter_mut();
        let subflow = subflows.find(|subflow| subflow.id == id);
        subflow.ok_or(Error::UnknownSubflow(id))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::Loss;

    const MSS: u64 = 1_000;

    fn coupler(subflows: u32) -> Coupler<4> {
        let mut coupler = Coupler::new(Config::new(), Instant::ZERO).unwrap();
        for id in 0..subflows {
            let input = Input::SubflowAdded {
                subflow: SubflowId(id),
                mss: 1_000,
            };
            coupler.handle_input(Instant::ZERO, input).unwrap();
        }
        coupler
    }

    fn ack<const N: usize>(coupler: &mut Coupler<N>, id: u32, bytes: u64, rtt_ms: u64) {
        let input = Input::Acked {
            subflow: SubflowId(id),
            bytes,
            rtt: Some(Duration::from_millis(rtt_ms)),
            one_way: None,
        };
        coupler.handle_input(Instant::ZERO, input).unwrap();
    }

    fn lose<const N: usize>(coupler: &mut Coupler<N>, id: u32, loss: Loss) {
        let subflow = SubflowId(id);
        let input = Input::Lost { subflow, loss };
        coupler.handle_input(Instant::ZERO, input).unwrap();
    }

    #[test]
    fn slow_start_doubles_a_loss_halves_then_one_segment_per_round_trip() {
        let mut coupler = coupler(1);
        let window = |coupler: &Coupler<4>| coupler.cwnd(SubflowId(0)).unwrap() / MSS;
        for _ in 0..10 {
            ack(&mut coupler, 0, MSS, 50);
        }
        assert_eq!(window(&coupler), 20);
        lose(&mut coupler, 0, Loss::Duplicates);
        assert_eq!(window(&coupler), 10);
        // Eleven ACKs: the tenth falls short by what the window grew meanwhile.
        for _ in 0..11 {
            ack(&mut coupler, 0, MSS, 50);
        }
        assert_eq!(window(&coupler), 11);
        lose(&mut coupler, 0, Loss::Timeout);
        assert_eq!(window(&coupler), 1);
        assert_eq!(coupler.ssthresh(SubflowId(0)).unwrap() / 500, 11);
    }

    #[test]
    fn two_equal_subflows_grow_together_by_half_a_segment_per_round_trip() {
        let mut coupler = coupler(2);
        for id in 0..2 {
            ack(&mut coupler, id, 0, 50);
            lose(&mut coupler, id, Loss::Duplicates);
        }
        // Windows of 5 segments; one round trip is five ACKs on each, 5 / (4 * 5) each.
        for _ in 0..5 {
            ack(&mut coupler, 0, MSS, 50);
            ack(&mut coupler, 1, MSS, 50);
        }
        for id in 0..2 {
            let grown = coupler.cwnd(SubflowId(id)).unwrap() - 5 * MSS;
            assert!((240..=250).contains(&grown), "{grown}");
        }
    }

    #[test]
    fn a_fast_path_carries_on_without_a_round_trip_time_of_the_other() {
        let mut coupler = coupler(2);
        ack(&mut coupler, 0, 0, 50);
        lose(&mut coupler, 0, Loss::Duplicates);
        lose(&mut coupler, 1, Loss::Duplicates);
        ack(&mut coupler, 0, 5 * MSS, 50);
        assert_eq!(coupler.cwnd(SubflowId(0)), Some(6 * MSS));
        let unmeasured = Input::Acked {
            subflow: SubflowId(1),
            bytes: 5 * MSS,
            rtt: None,
            one_way: None,
        };
        coupler.handle_input(Instant::ZERO, unmeasured).unwrap();
        assert_eq!(coupler.cwnd(SubflowId(1)), Some(5 * MSS));
    }

    #[test]
    fn no_window_grows_above_the_cap() {
        let mut config = Config::new();
        config.max_window = 1 << 26;
        let mut coupler = Coupler::<1>::new(config, Instant::ZERO).unwrap();
        let subflow = SubflowId(0);
        let added = Input::SubflowAdded {
            subflow,
            mss: u16::MAX,
        };
        coupler.handle_input(Instant::ZERO, added).unwrap();
        // Slow start ends at the cap, 1,024 segments and a bit; congestion avoidance stays there.
        for _ in 0..1_100 {
            ack(&mut coupler, 0, u64::MAX, 50);
        }
        assert_eq!(coupler.cwnd(subflow), Some(1 << 26));
    }

    #[test]
    fn faults_of_the_caller_are_refused() {
        let mut coupler = coupler(4);
        let mut refused = |input| coupler.handle_input(Instant::ZERO, input).unwrap_err();
        let (known, unknown) = (SubflowId(3), SubflowId(4));
        let added = |subflow, mss| Input::SubflowAdded { subflow, mss };
        assert_eq!(refused(added(known, 9)), Error::DuplicateSubflow(known));
        assert_eq!(refused(added(unknown, 0)), Error::ZeroMss(unknown));
        assert_eq!(refused(added(unknown, 9)), Error::Full);
        let removed = Input::SubflowRemoved { subflow: unknown };
        assert_eq!(refused(removed), Error::UnknownSubflow(unknown));
    }

    #[derive(Clone, Copy, Debug)]
    enum Deed {
        Ack(u64, Option<Duration>),
        Lose(Loss),
    }

    fn deed() -> impl Strategy<Value = Deed> {
        let rtt = prop_oneof![
            Just(None),
            Just(Some(Duration::ZERO)),
            Just(Some(Duration::MAX)),
            (1..1_000_u64).prop_map(|ms| Some(Duration::from_millis(ms))),
        ];
        prop_oneof![
            6 => (prop_oneof![0..20_000_u64, any::<u64>()], rtt)
                .prop_map(|(bytes, rtt)| Deed::Ack(bytes, rtt)),
            1 => Just(Deed::Lose(Loss::Duplicates)),
            1 => Just(Deed::Lose(Loss::Timeout)),
        ]
    }

    proptest! {
        /// Whatever happens, windows keep to their bounds; and names do not matter: the same deeds
        /// under other numbers give the same windows.
        #[test]
        fn windows_keep_to_their_bounds(deeds in vec((0..4_u32, deed()), 0..200)) {
            let (mut plain, mut renamed) = (coupler(4), coupler(4));
            for (id, deed) in deeds {
                let input = |subflow| match deed {
                    Deed::Ack(bytes, rtt) => Input::Acked { subflow, bytes, rtt, one_way: None },
                    Deed::Lose(loss) => Input::Lost { subflow, loss },
                };
                let (id, other) = (SubflowId(id), SubflowId(3 - id));
                plain.handle_input(Instant::ZERO, input(id)).unwrap();
                renamed.handle_input(Instant::ZERO, input(other)).unwrap();
                let (cwnd, ssthresh) = (plain.cwnd(id).unwrap(), plain.ssthresh(id).unwrap());
                prop_assert!((MSS..=1 << 30).contains(&cwnd));
                prop_assert!((2 * MSS..=1 << 30).contains(&ssthresh));
                prop_assert_eq!(renamed.cwnd(other), Some(cwnd));
            }
        }
    }
}
