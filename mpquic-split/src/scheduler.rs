//! The machine.

use core::time::Duration;

use arrayvec::ArrayVec;
use mars_time::Instant;

use crate::ack::Frequency;
use crate::path::Path;
use crate::setting::Setting;
use crate::{
    Config, ConfigError, DataPath, Ecn, Error, Input, Output, PathId, Policy, Received, reactive,
};

/// The decisions of one endpoint of a connection with at most `N` paths.
///
/// One input changes at most where data goes and, of every path, where its ACKs go and whether one
/// is owed: at most `1 + 2 * N` outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheduler<const N: usize = 8> {
    config: Config,
    /// Latest time seen.
    now: Instant,
    frequency: Frequency,
    /// Sequence number of the `ACK_FREQUENCY` frame that `frequency` is from.
    sequence: Option<u64>,
    paths: ArrayVec<Path, N>,
    data: Setting<DataPath>,
    /// Whether some setting may have changed since the last drain.
    changed: bool,
    wake: Option<Instant>,
}

impl<const N: usize> Scheduler<N> {
    /// A scheduler without paths.
    ///
    /// # Errors
    /// A field of `config` out of its range.
    pub fn new(config: Config, now: Instant) -> Result<Self, ConfigError> {
        config.validate()?;
        Ok(Self {
            config,
            now,
            frequency: Frequency {
                threshold: config.ack_threshold,
                max_delay: config.max_ack_delay,
                reordering: config.reordering_threshold,
            },
            sequence: None,
            paths: ArrayVec::new(),
            data: Setting::new(DataPath::Blocked),
            changed: true,
            wake: None,
        })
    }

    /// Takes one input.
    ///
    /// # Errors
    /// Only for faults of the caller; never for what a peer sent.
    pub fn handle_input(&mut self, now: Instant, input: Input) -> Result<(), Error> {
        self.now = self.now.max(now);
        let result = self.learn(input);
        self.decide();
        result
    }

    /// Takes the next changed setting, at last the wake-up time.
    pub fn poll_output(&mut self) -> Output {
        if self.changed {
            if let Some(data) = self.data.untold() {
                return Output::Data(data);
            }
            if let Some(output) = self.paths.iter_mut().find_map(Path::untold) {
                return output;
            }
            self.changed = false;
        }
        Output::Timeout(self.wake)
    }

    /// Where the next data packet goes, as of the latest input.
    #[must_use]
    pub const fn data_path(&self) -> DataPath {
        self.data.value()
    }

    /// Over which path the ACKs for `path` go; `None` if there is no such path or no way back.
    #[must_use]
    pub fn ack_route(&self, path: PathId) -> Option<PathId> {
        self.paths
            .iter()
            .find(|known| known.id == path)?
            .route
            .value()
    }

    /// Whether an ACK for `path` is owed, as of the latest input.
    #[must_use]
    pub fn ack_due(&self, path: PathId) -> bool {
        let mut paths = self.paths.iter();
        paths.any(|known| known.id == path && known.due.value())
    }

    /// Takes the input into account; an error before anything is touched.
    fn learn(&mut self, input: Input) -> Result<(), Error> {
        match input {
            Input::Timeout => {}
            Input::PathAdded { path } => self.add(path)?,
            Input::PathValidated { path } => self.path(path)?.validated = true,
            Input::PathRemoved { path } => {
                let position = self.paths.iter().position(|known| known.id == path);
                self.paths.remove(position.ok_or(Error::UnknownPath(path))?);
            }
            Input::PathStatus { path, by, status } => self.path(path)?.set_status(by, status),
            Input::Metrics { path, metrics } => self.path(path)?.metrics = metrics,
            Input::Received(packet) => self.receive(packet)?,
            Input::AckSent { path } => self.path(path)?.unacked.acked(),
            Input::AckFrequency {
                sequence,
                threshold,
                max_ack_delay,
                reordering_threshold,
            } => self.adopt(sequence, threshold, max_ack_delay, reordering_threshold),
            Input::ImmediateAck { path } => self.path(path)?.unacked.asked(),
        }
        Ok(())
    }

    fn add(&mut self, id: PathId) -> Result<(), Error> {
        if self.paths.iter().any(|path| path.id == id) {
            return Err(Error::DuplicatePath(id));
        }
        self.paths.try_push(Path::new(id)).map_err(|_| Error::Full)
    }

    fn receive(&mut self, packet: Received) -> Result<(), Error> {
        let (now, frequency) = (self.now, self.frequency);
        let path = self.path(packet.path)?;
        let ce = packet.ecn == Ecn::Ce;
        let unacked = &mut path.unacked;
        unacked.received(now, packet.packet, packet.ack_eliciting, ce, &frequency);
        Ok(())
    }

    /// draft-ietf-quic-ack-frequency, section 4: of the peer's wishes the newest holds.
    fn adopt(&mut self, sequence: u64, threshold: u64, max_delay: Duration, reordering: u64) {
        if self.sequence.is_some_and(|newest| sequence <= newest) {
            return;
        }
        self.sequence = Some(sequence);
        self.frequency = Frequency {
            threshold,
            max_delay: max_delay.max(self.config.min_ack_delay),
            reordering,
        };
    }

    fn path(&mut self, id: PathId) -> Result<&mut Path, Error> {
        let mut paths = self.paths.iter_mut();
        let path = paths.find(|path| path.id == id);
        path.ok_or(Error::UnknownPath(id))
    }

    /// Sets everything that follows from what is known at `now`.
    fn decide(&mut self) {
        let now = self.now;
        let candidates: ArrayVec<_, N> = self.paths.iter().filter_map(Path::candidate).collect();
        let candidates = candidates.iter().copied();
        match self.config.policy {
            Policy::Reactive => {
                self.data.set(reactive::data_path(now, candidates.clone()));
                for path in &mut self.paths {
                    path.route
                        .set(reactive::ack_route(path.id, candidates.clone()));
                }
            }
        }
        for path in &mut self.paths {
            path.due.set(path.unacked.is_due(now));
        }
        let opening = reactive::next_opening(now, candidates);
        let deadlines = self.paths.iter().filter_map(|path| path.deadline(now));
        self.wake = deadlines.chain(opening).min();
        self.changed = true;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;
    use crate::{Metrics, Side, Status};

    fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn metrics(path: u32, srtt_ms: u64, room: u64) -> Input {
        Input::Metrics {
            path: PathId(path),
            metrics: Metrics {
                cwnd: room,
                srtt: Some(Duration::from_millis(srtt_ms)),
                ..Metrics::default()
            },
        }
    }

    fn packet(path: u32, packet: u64) -> Input {
        Input::Received(Received {
            path: PathId(path),
            packet,
            bytes: 1_200,
            ack_eliciting: true,
            ecn: Ecn::NotCe,
        })
    }

    /// Paths 0 (50 ms) and 1 (10 ms), validated, with room; drained.
    fn scheduler() -> Scheduler<2> {
        let mut scheduler = Scheduler::new(Config::new(), ms(0)).unwrap();
        for (path, srtt) in [(0, 50), (1, 10)] {
            let id = PathId(path);
            let inputs = [
                Input::PathAdded { path: id },
                Input::PathValidated { path: id },
                metrics(path, srtt, 12_000),
            ];
            for input in inputs {
                scheduler.handle_input(ms(0), input).unwrap();
            }
        }
        drain(&mut scheduler);
        scheduler
    }

    fn drain<const N: usize>(scheduler: &mut Scheduler<N>) -> (Vec<Output>, Option<Instant>) {
        let mut outputs = Vec::new();
        loop {
            match scheduler.poll_output() {
                Output::Timeout(wake) => return (outputs, wake),
                output => outputs.push(output),
            }
        }
    }

    fn told(scheduler: &mut Scheduler<2>, now: Instant, input: Input) -> Vec<Output> {
        scheduler.handle_input(now, input).unwrap();
        drain(scheduler).0
    }

    #[test]
    fn data_moves_to_the_far_path_when_the_near_one_is_full_or_a_backup() {
        let mut scheduler = scheduler();
        let (far, near) = (PathId(0), PathId(1));
        assert_eq!(scheduler.data_path(), DataPath::Send(near));
        let moved = [Output::Data(DataPath::Send(far))];
        let back = [Output::Data(DataPath::Send(near))];
        assert_eq!(told(&mut scheduler, ms(1), metrics(1, 10, 0)), moved);
        assert_eq!(told(&mut scheduler, ms(1), metrics(1, 10, 9)), back);
        for by in [Side::Local, Side::Peer] {
            let status = |status| Input::PathStatus {
                path: near,
                by,
                status,
            };
            assert_eq!(told(&mut scheduler, ms(2), status(Status::Backup)), moved);
            assert_eq!(told(&mut scheduler, ms(2), status(Status::Available)), back);
        }
        let removed = Input::PathRemoved { path: near };
        assert_eq!(told(&mut scheduler, ms(3), removed), moved);
    }

    #[test]
    fn a_paced_sender_is_woken_to_send() {
        let mut scheduler = scheduler();
        for path in [PathId(0), PathId(1)] {
            let metrics = Metrics {
                cwnd: 12_000,
                next_send: ms(10 + u64::from(path.0)),
                ..Metrics::default()
            };
            let input = Input::Metrics { path, metrics };
            scheduler.handle_input(ms(1), input).unwrap();
        }
        let wait = Output::Data(DataPath::Wait(ms(10)));
        assert_eq!(drain(&mut scheduler), (Vec::from([wait]), Some(ms(10))));
        let sent = told(&mut scheduler, ms(10), Input::Timeout);
        assert_eq!(sent, [Output::Data(DataPath::Send(PathId(0)))]);
    }

    #[test]
    fn each_path_owes_its_own_acks() {
        let mut scheduler = scheduler();
        assert_eq!(told(&mut scheduler, ms(1), packet(0, 0)), []);
        assert_eq!(told(&mut scheduler, ms(2), packet(1, 0)), []);
        let due = |path, due| Output::AckDue {
            path: PathId(path),
            due,
        };
        assert_eq!(told(&mut scheduler, ms(3), packet(0, 1)), [due(0, true)]);
        assert_eq!(drain(&mut scheduler).1, Some(ms(27)));
        let sent = Input::AckSent { path: PathId(0) };
        assert_eq!(told(&mut scheduler, ms(4), sent), [due(0, false)]);
        assert_eq!(told(&mut scheduler, ms(27), Input::Timeout), [due(1, true)]);
        assert_eq!(drain(&mut scheduler).1, None);
    }

    #[test]
    fn the_newest_wish_of_the_peer_holds_for_later_paths_too() {
        let mut scheduler = Scheduler::<2>::new(Config::new(), ms(0)).unwrap();
        let wish = |sequence, threshold| Input::AckFrequency {
            sequence,
            threshold,
            max_ack_delay: Duration::ZERO,
            reordering_threshold: 0,
        };
        scheduler.handle_input(ms(0), wish(5, 3)).unwrap();
        scheduler.handle_input(ms(0), wish(4, 0)).unwrap();
        scheduler.handle_input(ms(0), wish(5, 0)).unwrap();
        let path = PathId(9);
        scheduler
            .handle_input(ms(0), Input::PathAdded { path })
            .unwrap();
        for number in 0..3 {
            scheduler.handle_input(ms(0), packet(9, number)).unwrap();
            assert!(!scheduler.ack_due(path));
        }
        // No sooner than this endpoint can.
        assert_eq!(drain(&mut scheduler).1, Some(ms(1)));
        scheduler.handle_input(ms(0), packet(9, 3)).unwrap();
        assert!(scheduler.ack_due(path));
    }

    #[test]
    fn faults_of_the_caller_are_refused() {
        let mut scheduler = scheduler();
        let (known, unknown) = (PathId(1), PathId(2));
        let mut refused = |input| scheduler.handle_input(ms(1), input).unwrap_err();
        let add = |path| Input::PathAdded { path };
        assert_eq!(refused(add(known)), Error::DuplicatePath(known));
        assert_eq!(refused(add(unknown)), Error::Full);
        assert_eq!(refused(packet(2, 0)), Error::UnknownPath(unknown));
        let sent = Input::AckSent { path: unknown };
        assert_eq!(refused(sent), Error::UnknownPath(unknown));
    }
}
