//! A host in one struct: numbers in, windows out.
#![allow(dead_code, reason = "each test file uses a part")]

use core::time::Duration;

use mars_time::Instant;
use mptcp_acw::{Config, Coupler, Input, Loss, Output, Phase, SubflowId};

/// Segment size in these tests, bytes.
pub(crate) const MSS: u64 = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) coupler: Coupler<8>,
    pub(crate) now: Instant,
}

impl Host {
    /// A connection of `subflows` subflows, numbered from 0.
    pub(crate) fn new(config: Config, subflows: u32) -> Self {
        let coupler = Coupler::new(config, Instant::ZERO).unwrap();
        let mut host = Self {
            coupler,
            now: Instant::ZERO,
        };
        (0..subflows).for_each(|id| host.add(id));
        host
    }

    pub(crate) fn add(&mut self, id: u32) {
        self.tell(Input::SubflowAdded {
            subflow: SubflowId(id),
            mss: 1_000,
        });
    }

    pub(crate) fn tell(&mut self, input: Input) {
        self.coupler.handle_input(self.now, input).unwrap();
    }

    /// An ACK of `segments` on a subflow whose window is full.
    pub(crate) fn ack(&mut self, id: u32, segments: u64, rtt_ms: u64) {
        self.tell(acked(id, segments * MSS, rtt_ms, u64::MAX));
    }

    pub(crate) fn lose(&mut self, id: u32, loss: Loss) {
        let in_flight = self.cwnd(id);
        let subflow = SubflowId(id);
        self.tell(Input::Lost {
            subflow,
            loss,
            in_flight,
        });
    }

    pub(crate) fn recover(&mut self, id: u32) {
        let subflow = SubflowId(id);
        self.tell(Input::Recovered { subflow });
    }

    /// A round-trip time, then a loss and its recovery: congestion avoidance from half a window.
    pub(crate) fn settle(&mut self, id: u32, rtt_ms: u64) {
        self.ack(id, 0, rtt_ms);
        self.lose(id, Loss::Duplicates);
        self.recover(id);
    }

    pub(crate) fn sleep(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
        self.tell(Input::Timeout);
    }

    pub(crate) fn cwnd(&self, id: u32) -> u64 {
        self.coupler.cwnd(SubflowId(id)).unwrap()
    }

    pub(crate) fn ssthresh(&self, id: u32) -> u64 {
        self.coupler.ssthresh(SubflowId(id)).unwrap()
    }

    pub(crate) fn phase(&self, id: u32) -> Phase {
        self.coupler.phase(SubflowId(id)).unwrap()
    }

    pub(crate) fn cuts(&self, id: u32) -> u8 {
        self.coupler.cuts(SubflowId(id)).unwrap()
    }

    /// Takes all settings; gives them and the wake-up time.
    pub(crate) fn drain(&mut self) -> (Vec<Output>, Option<Instant>) {
        let mut settings = Vec::new();
        loop {
            match self.coupler.poll_output() {
                Output::Timeout(wake) => return (settings, wake),
                output => settings.push(output),
            }
        }
    }
}

pub(crate) fn acked(id: u32, bytes: u64, rtt_ms: u64, in_flight: u64) -> Input {
    Input::Acked {
        subflow: SubflowId(id),
        bytes,
        rtt: Some(Duration::from_millis(rtt_ms)),
        one_way: None,
        in_flight,
    }
}

/// Without ACW.
pub(crate) fn plain() -> Config {
    let mut config = Config::new();
    config.acw = None;
    config
}
