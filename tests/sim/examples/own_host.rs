//! Testing a host of one's own: put it behind [`Node`], and let the adversary attack it.
//!
//! `OwnHost` stands for your code around the forwarder. Two of them are attacked: one that keeps the
//! contract, and one that restarts without telling the forwarder ([`Config::restarted`] stays false). The
//! second forgets its rank while neighbours still believe in it; the attack finds that, and shrinks to the
//! few steps that it takes.
//!
//! Run it with `cargo run -p mars-sim --example own_host`.
//!
//! [`Config::restarted`]: mars_forwarder_core::Config

use mars_forwarder_core::RankRule;
use mars_sim::adversary::strategy::{Attack, attacks};
use mars_sim::adversary::{Claims, Frame, MarsNode, Node, Setup, View};
use mars_time::Instant;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

/// Your host: here one that passes everything on. `TELLS`: whether it says that it restarted.
#[derive(Clone, Debug)]
struct OwnHost<const TELLS: bool>(MarsNode);

type Out = Vec<(usize, Frame)>;

impl<const TELLS: bool> Node for OwnHost<TELLS> {
    type Frame = Frame;

    fn boot(setup: &Setup, now: Instant) -> Self {
        let mut setup = setup.clone();
        setup.config.restarted &= TELLS;
        Self(MarsNode::boot(&setup, now))
    }

    fn frame(&mut self, now: Instant, link: usize, frame: Frame, out: &mut Out) {
        self.0.frame(now, link, frame, out);
    }

    fn link_changed(&mut self, now: Instant, link: usize, up: bool, out: &mut Out) {
        self.0.link_changed(now, link, up, out);
    }

    fn routes(&mut self, now: Instant, hops: &[Option<u32>], out: &mut Out) {
        self.0.routes(now, hops, out);
    }

    fn produce(&mut self, now: Instant, present: bool, out: &mut Out) {
        self.0.produce(now, present, out);
    }

    fn tick(&mut self, now: Instant, out: &mut Out) {
        self.0.tick(now, out);
    }

    fn act(&mut self, now: Instant, choice: u32, out: &mut Out) -> bool {
        self.0.act(now, choice, out)
    }

    fn wake(&self) -> Option<Instant> {
        self.0.wake()
    }

    fn view(&self) -> View {
        self.0.view()
    }
}

/// Attacks a kind of host; gives the smallest attack that breaks a claim, if any does.
fn attack<N: Node>(cases: u32) -> Option<(Attack, String)> {
    let mut runner = TestRunner::new(Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&attacks(4, 120), |attack| {
        match attack.run::<N>(RankRule::Enforced, Claims::All) {
            Ok(_) => Ok(()),
            Err((step, violation)) => Err(TestCaseError::fail(format!(
                "{violation:?} after step {step}"
            ))),
        }
    });
    match outcome {
        Err(TestError::Fail(reason, attack)) => Some((attack, reason.to_string())),
        Ok(()) | Err(TestError::Abort(_)) => None,
    }
}

fn main() {
    let honest = attack::<OwnHost<true>>(1_000);
    assert!(honest.is_none(), "{honest:#?}");
    println!("A host that keeps the contract: 1000 attacks, no claim broken.");
    match attack::<OwnHost<false>>(20_000) {
        Some((attack, reason)) => println!("A host that forgets to tell: {reason}\n{attack:#?}"),
        None => println!("A host that forgets to tell got away with it this time."),
    }
}
