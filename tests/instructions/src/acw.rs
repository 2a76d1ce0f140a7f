//! Cases of `mptcp-acw`: one ACK, and the settings drained.

use core::time::Duration;

use mars_time::Instant;
use mptcp_acw::{Config, Coupler, Coupling, Input, Loss, Output, SubflowId};

use crate::{Case, keep};

const MSS: u16 = 1_448;

/// All of them. What was promised is 100 ns for an ACK with eight subflows.
#[must_use]
pub fn cases() -> Vec<Case> {
    let laws = [
        ("LIA", Coupling::Lia),
        ("OLIA", Coupling::Olia),
        ("BALIA", Coupling::Balia),
    ];
    let mut cases = Vec::new();
    for (name, coupling) in laws {
        for subflows in [1, 2, 8] {
            cases.push(Case::new(
                format!("{name}: ACK, {subflows} subflows"),
                move || Host::new(coupling, subflows),
                Host::ack,
            ));
        }
    }
    cases
}

/// A connection in congestion avoidance.
struct Host {
    coupler: Coupler<8>,
    subflows: u32,
    turn: u32,
    now: Instant,
}

impl Host {
    fn new(coupling: Coupling, subflows: u32) -> Self {
        let mut config = Config::new();
        config.coupling = coupling;
        let coupler = Coupler::new(config, Instant::ZERO).expect("the fields are in their ranges");
        let mut host = Self {
            coupler,
            subflows,
            turn: 0,
            now: Instant::ZERO,
        };
        for subflow in (0..subflows).map(SubflowId) {
            host.tell(Input::SubflowAdded { subflow, mss: MSS });
            host.tell(host.acked(subflow, 0));
            host.tell(Input::Lost {
                subflow,
                loss: Loss::Duplicates,
                in_flight: u64::MAX,
            });
            host.tell(Input::Recovered { subflow });
        }
        host
    }

    /// Round-trip times of 30 to 100 ms that differ by subflow and a little by time.
    fn acked(&self, subflow: SubflowId, bytes: u64) -> Input {
        let jitter = Duration::from_nanos(self.now.as_nanos() % 1_000_003);
        Input::Acked {
            subflow,
            bytes,
            rtt: Some(Duration::from_millis(30 + 10 * u64::from(subflow.0)) + jitter),
            one_way: None,
            in_flight: u64::MAX,
        }
    }

    /// The next subflow's turn.
    fn ack(&mut self) {
        self.turn = (self.turn + 1) % self.subflows;
        self.now += Duration::from_micros(100);
        self.tell(self.acked(SubflowId(self.turn), MSS.into()));
        loop {
            let output = self.coupler.poll_output();
            keep(&output);
            if matches!(output, Output::Timeout(_)) {
                return;
            }
        }
    }

    fn tell(&mut self, input: Input) {
        let told = self.coupler.handle_input(self.now, input);
        told.expect("the subflow is known");
    }
}
