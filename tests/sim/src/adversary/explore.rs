//! Every interleaving of a small world: clone, branch, and never walk twice through the same state.

use std::collections::BTreeSet;
use std::fmt::{self, Debug, Write};
use std::rc::Rc;

use super::judge::Violation;
use super::node::Node;
use super::world::{Step, World};

/// What the adversary may do besides delivering each frame once in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Frames lost.
    pub drops: u8,
    /// Frames that arrive twice.
    pub duplicates: u8,
    /// Times that the clock goes on to the next time that somebody wants to be woken.
    pub wakes: u8,
    /// States after which the walk ends unfinished.
    pub states: u64,
}

/// What was walked through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Different states.
    pub states: u64,
    /// Steps from one to another.
    pub transitions: u64,
    /// States with nothing left to do.
    pub ends: u64,
    /// The longest schedule without a state that was known.
    pub depth: usize,
    /// Whether all was seen.
    pub complete: bool,
}

impl Coverage {
    /// Adds what was seen elsewhere.
    pub fn add(&mut self, other: Self) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.ends += other.ends;
        self.depth = self.depth.max(other.depth);
        self.complete &= other.complete;
    }
}

struct Place<N: Node> {
    world: World<N>,
    left: Budget,
    trail: Option<Rc<Trail>>,
    depth: usize,
}

/// The way to a state, its last step first.
struct Trail {
    step: Step,
    before: Option<Rc<Trail>>,
}

/// Walks through all that the adversary can do to `world` within `budget`.
///
/// # Errors
/// A schedule after which a claim does not hold, and the claim.
pub fn explore<N: Node + Debug>(
    world: World<N>,
    budget: Budget,
) -> Result<Coverage, (Vec<Step>, Violation)> {
    let mut coverage = Coverage {
        complete: true,
        ..Coverage::default()
    };
    let mut known = BTreeSet::new();
    let mut prints = Prints::default();
    known.insert(prints.of(&world, budget));
    let mut open = vec![Place {
        world,
        left: budget,
        trail: None,
        depth: 0,
    }];
    while let Some(place) = open.pop() {
        coverage.states += 1;
        coverage.depth = coverage.depth.max(place.depth);
        let choices = choices(&place.world, place.left);
        coverage.ends += u64::from(choices.is_empty());
        if coverage.states >= budget.states {
            coverage.complete = false;
            break;
        }
        for (step, left) in choices {
            coverage.transitions += 1;
            let mut world = place.world.clone();
            let trail = Some(Rc::new(Trail {
                step,
                before: place.trail.clone(),
            }));
            if let Err(violation) = world.step(step) {
                return Err((schedule(trail), violation));
            }
            if known.insert(prints.of(&world, left)) {
                open.push(Place {
                    world,
                    left,
                    trail,
                    depth: place.depth + 1,
                });
            }
        }
    }
    Ok(coverage)
}

/// What can be done, and the budget that is left then.
fn choices<N: Node>(world: &World<N>, left: Budget) -> Vec<(Step, Budget)> {
    let mut choices = Vec::new();
    for number in 0..world.bag().len() {
        let pick = u16::try_from(number).unwrap_or(u16::MAX);
        choices.push((Step::Deliver(pick), left));
        if let Some(drops) = left.drops.checked_sub(1) {
            choices.push((Step::Drop(pick), Budget { drops, ..left }));
        }
        if let Some(duplicates) = left.duplicates.checked_sub(1) {
            choices.push((Step::Duplicate(pick), Budget { duplicates, ..left }));
        }
    }
    if let Some(wakes) = left.wakes.checked_sub(1)
        && world.next_wake().is_some()
    {
        choices.push((Step::Wake, Budget { wakes, ..left }));
    }
    for (number, node) in world.nodes().iter().enumerate() {
        let pick = u16::try_from(number).unwrap_or(u16::MAX);
        for choice in 0..2 {
            let mut node = N::clone(node);
            if node.act(world.now(), choice.into(), &mut Vec::new()) {
                choices.push((Step::Act(pick, choice), left));
            }
        }
    }
    choices
}

fn schedule(trail: Option<Rc<Trail>>) -> Vec<Step> {
    let mut steps: Vec<Step> = std::iter::successors(trail, |at| at.before.clone())
        .map(|at| at.step)
        .collect();
    steps.reverse();
    steps
}

/// 128 bits of what a value's `Debug` output says. Everything that a machine holds is in there, so two
/// states with the same one behave alike, but for a chance of 2^-128 per pair.
#[must_use]
pub fn fingerprint(value: &impl Debug) -> u128 {
    let mut print = Fingerprint::default();
    let written = write!(print, "{value:?}");
    debug_assert!(written.is_ok());
    print.finish()
}

/// A hash that is written to.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u128);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0x6C62_272E_07BB_0142_62B8_2175_6295_C58D)
    }
}

impl Fingerprint {
    /// The hash of what was written.
    #[must_use]
    pub const fn finish(self) -> u128 {
        self.0
    }

    const fn mix(&mut self, word: u128) {
        let mixed = (self.0 ^ word).wrapping_mul(0xDA94_2042_E4DD_58B5_9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 61);
    }
}

impl Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word).into());
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last).into());
        self.mix(text.len() as u128);
        Ok(())
    }
}

/// Fingerprints of nodes that were seen lately: a step changes one node, the others need no new look.
struct Prints<N> {
    recent: Vec<(Rc<N>, u128)>,
    next: usize,
}

impl<N> Default for Prints<N> {
    fn default() -> Self {
        Self {
            recent: Vec::new(),
            next: 0,
        }
    }
}

impl<N: Node + Debug> Prints<N> {
    const KEPT: usize = 64;

    /// Of a whole world: nodes in their order, the bag in any.
    fn of(&mut self, world: &World<N>, left: Budget) -> u128 {
        let mut whole = Fingerprint::default();
        for node in world.nodes() {
            let print = self.of_node(node);
            whole.mix(print);
        }
        let flights = world.bag().iter();
        let bag = flights.map(|f| fingerprint(&(f.node, f.link, &f.frame)));
        let bag = bag.fold(0_u128, u128::wrapping_add);
        whole.mix(bag);
        for count in [left.drops, left.duplicates, left.wakes] {
            whole.mix(count.into());
        }
        whole.finish()
    }

    fn of_node(&mut self, node: &Rc<N>) -> u128 {
        let known = self.recent.iter().find(|(seen, _)| Rc::ptr_eq(seen, node));
        if let Some((_, print)) = known {
            return *print;
        }
        let print = fingerprint(&**node);
        let entry = (Rc::clone(node), print);
        if self.recent.len() < Self::KEPT {
            self.recent.push(entry);
        } else {
            self.recent[self.next] = entry;
            self.next = (self.next + 1) % Self::KEPT;
        }
        print
    }
}
