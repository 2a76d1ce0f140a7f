//! A forwarder with many Interests in flight, and one exchange through it.
//!
//! Interests go up over a few upstream faces, each with a dest of its own, and their Data come back
//! in the order of the Interests, one round trip later. The number in flight stays the same: each
//! exchange is an Interest for a new name and the Data of the oldest. Everything is on: discovered
//! paths, windows on both levels, pacing, timers, dead nonces.

use core::time::Duration;
use std::collections::VecDeque;

use mars_forwarder_core::{
    Config, Data, FaceId, FaceKind, Forwarder, Input, Interest, Output, Route,
};
use mars_time::Instant;
use mars_wire::{Component, Label, MarsHeader, MarsName, NameBuf};

const APP: FaceId = FaceId(0);
const ROUND_TRIP: Duration = Duration::from_millis(100);
/// Most that a window can hold is 65,535.
const IN_FLIGHT_PER_DEST: u32 = 1 << 15;

/// How large the tables are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Interests in flight.
    pub(crate) pending: u32,
    /// FIB prefixes.
    pub(crate) prefixes: u32,
    /// Dests with state that the exchanges rotate over, at least.
    pub(crate) dests: u32,
}

impl Size {
    /// So many in flight over one prefix, or as few as can hold them.
    #[must_use]
    pub(crate) const fn pending(pending: u32) -> Self {
        Self {
            pending,
            prefixes: 1,
            dests: 1,
        }
    }

    /// Dests that are in use.
    #[must_use]
    pub(crate) const fn dests(self) -> u32 {
        let least = self.pending.div_ceil(IN_FLIGHT_PER_DEST);
        if self.dests > least {
            self.dests
        } else {
            least
        }
    }

    /// FIB prefixes that there are.
    #[must_use]
    pub(crate) const fn prefixes(self) -> u32 {
        let dests = self.dests();
        if self.prefixes > dests {
            self.prefixes
        } else {
            dests
        }
    }

    /// Names to take turns: more than are ever pending, so that each is free when its turn comes.
    #[must_use]
    pub(crate) fn names(self) -> Vec<NameBuf> {
        let count = u64::from(self.pending) * 9 / 8 + 1_000;
        let dests: Vec<_> = (0..self.dests()).map(dest).collect();
        let of = |i: u64| {
            let dest = dests[usize::try_from(i).unwrap() % dests.len()].as_name();
            // Segments of four octets each, so that all names are of one length.
            let segment = (1 << 16) + i;
            MarsName::Data { dest, segment }.to_name_buf()
        };
        (0..count).map(of).collect()
    }
}

/// The dest with this number: 28 octets.
#[must_use]
pub(crate) fn dest(number: u32) -> NameBuf {
    NameBuf::new().generic(format!("{number:026}").as_bytes())
}

/// The forwarder with its host.
#[derive(Clone, Debug)]
pub(crate) struct Rig {
    forwarder: Forwarder<u32>,
    now: Instant,
    /// Time from one input to the next.
    step: Duration,
    nonce: u32,
    next_name: u32,
    names: u32,
    /// What went up and was not answered: which name, over which face, when.
    in_flight: VecDeque<(u32, FaceId, Instant)>,
}

impl Rig {
    /// With all of `size.pending` in flight.
    ///
    /// # Panics
    /// If the forwarder does not do what it must.
    #[must_use]
    pub(crate) fn new(size: Size, names: &[NameBuf]) -> Self {
        let mut rig = Self::empty(size, u32::try_from(names.len()).unwrap());
        let full = usize::try_from(size.pending).unwrap();
        // The windows grow with what is answered, so the rate rises slowly.
        let mut target = full.min(1_000 * usize::try_from(size.dests()).unwrap());
        while target < full {
            rig.run(names, target, full);
            target = (target + target / 4).min(full);
        }
        for _ in 0..4 {
            rig.run(names, full, full);
        }
        if rig.in_flight.len() == full {
            return rig;
        }
        panic!("{} of {full} in flight", rig.in_flight.len());
    }

    /// A round trip in which `rate` of `full` Interests come.
    fn run(&mut self, names: &[NameBuf], rate: usize, full: usize) {
        let mut credit = 0;
        for _ in 0..full {
            credit += rate;
            if credit >= full {
                credit -= full;
                self.ask(names);
            }
            self.now += self.step;
            self.answer(names);
            self.now += self.step;
        }
    }

    /// With its paths found, but nothing in flight.
    ///
    /// # Panics
    /// If the forwarder does not do what it must.
    #[must_use]
    pub(crate) fn empty(size: Size, names: u32) -> Self {
        let now = Instant::from_secs(1);
        let mut config = Config::new(7);
        config.max_pending = 4 * size.pending + 1_000;
        config.max_prefixes = size.prefixes();
        // One face may open as many as are left free.
        config.max_dests = 2 * size.dests();
        config.max_faces = size.dests() + 1;
        config.interest_queue = u16::MAX;
        config.path_lifetime = Duration::from_hours(1);
        config.face_law.initial_window = 1_024;
        config.dest_law.initial_window = 1_024;
        let mut rig = Self {
            forwarder: Forwarder::new(config, now).unwrap(),
            now,
            step: ROUND_TRIP / (2 * size.pending.max(1)),
            nonce: 0,
            next_name: 0,
            names,
            in_flight: VecDeque::with_capacity(usize::try_from(size.pending).unwrap() + 8),
        };
        let kind = FaceKind::Local;
        rig.input(Input::FaceAdded { face: APP, kind });
        for number in 0..size.dests() {
            let (face, kind) = (FaceId(number + 1), FaceKind::Mars);
            rig.input(Input::FaceAdded { face, kind });
        }
        for number in 0..size.prefixes() {
            let face = FaceId(number % size.dests() + 1);
            let routes = [Route { face, hops: 2 }];
            rig.input(Input::Routes {
                prefix: dest(number).as_name(),
                routes: &routes,
            });
        }
        for number in 0..size.dests() {
            rig.discover(number);
        }
        rig
    }

    /// One probe and its answer.
    fn discover(&mut self, number: u32) {
        let dest = dest(number);
        let probe = MarsName::Discovery {
            dest: dest.as_name(),
            src: Component::generic(b"server1"),
            probe_idx: 0,
            seq: 0,
        };
        let name = probe.to_name_buf();
        self.interest(&name, 0);
        let (_, face, _) = self.in_flight.pop_back().expect("the probe went up");
        self.now += ROUND_TRIP;
        let header = MarsHeader {
            tier_conv: true,
            node_conv: true,
            generation: Some(0),
            label: Some(Label::ONE),
            ..MarsHeader::default()
        };
        self.data(face, &name, header);
    }

    /// One exchange: the next Interest goes up, the Data of the oldest comes back.
    pub(crate) fn exchange(&mut self, names: &[NameBuf]) {
        self.ask(names);
        self.now += self.step;
        self.answer(names);
        self.now += self.step;
    }

    fn ask(&mut self, names: &[NameBuf]) {
        let number = self.next_name;
        self.next_name = (number + 1) % self.names;
        self.interest(&names[usize::try_from(number).unwrap()], number);
    }

    /// The Data that is due, if one is; there is none if a window held its Interest back.
    fn answer(&mut self, names: &[NameBuf]) {
        let now = self.now;
        let due = |at: &mut (u32, FaceId, Instant)| at.2 + ROUND_TRIP <= now;
        let Some((number, face, _)) = self.in_flight.pop_front_if(due) else {
            return;
        };
        let header = MarsHeader {
            interest_queue: Some(0),
            data_queue: Some(0),
            ..MarsHeader::default()
        };
        self.data(face, &names[usize::try_from(number).unwrap()], header);
    }

    fn interest(&mut self, name: &NameBuf, number: u32) {
        self.nonce = self.nonce.wrapping_add(1);
        let interest = Interest {
            name: name.as_name(),
            nonce: Some(self.nonce),
            lifetime: Duration::from_secs(4),
            hop_limit: Some(32),
            pit_token: None,
            must_be_fresh: false,
            header: MarsHeader::default(),
        };
        self.input(Input::Interest {
            face: APP,
            interest,
            packet: number,
        });
    }

    fn data(&mut self, face: FaceId, name: &NameBuf, header: MarsHeader) {
        let name = name.as_name();
        let data = Data {
            name,
            freshness: None,
            octets: 0,
            header,
        };
        self.input(Input::Data {
            face,
            data,
            packet: 0,
        });
    }

    fn input(&mut self, input: Input<'_, u32>) {
        self.forwarder.handle_input(self.now, input).unwrap();
        loop {
            match self.forwarder.poll_output() {
                Output::Transmit { face: APP, .. } => {}
                Output::Transmit { face, packet, .. } => {
                    self.in_flight.push_back((packet, face, self.now));
                }
                Output::Timeout(_) => return,
                _ => {}
            }
        }
    }

    /// Interests pending.
    #[must_use]
    pub(crate) fn pending(&self) -> u32 {
        self.forwarder.pending()
    }
}
