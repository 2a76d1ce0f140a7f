//! Nodes, a bag of frames between them, and the adversary's steps.

use std::rc::Rc;
use std::time::Duration;

use mars_time::Instant;

use super::graph::Graph;
use super::judge::{Claims, Judge, Violation};
use super::node::{Node, Setup};

/// Chooses among what is there: taken modulo the number of choices, so that any number is good and
/// smaller is simpler.
pub type Pick = u16;

/// One step of the adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A frame arrives; 0 is the oldest. With none in flight, as [`Step::Wake`].
    Deliver(Pick),
    /// So many frames arrive, the oldest first.
    Run(u8),
    /// A copy of a frame arrives, and it stays in the bag.
    Duplicate(Pick),
    /// A frame is lost.
    Drop(Pick),
    /// Time goes on to the next time that a node wants to be woken, and it is.
    Wake,
    /// So many milliseconds pass, and nobody is woken who did not want to be longer ago than
    /// [`World::max_late`].
    Sleep(u16),
    /// A node is woken, whether it is time or not.
    Tick(Pick),
    /// A link goes down or comes up; what was in flight over it stays in flight.
    Flap(Pick),
    /// A node gets other routes: the true ones for 0, else anything.
    Reroute(Pick, u16),
    /// The producer comes to a node, beside where it was, or leaves it.
    Produce(Pick, bool),
    /// A node loses its state, comes back and says so.
    Restart(Pick),
    /// A node loses its state, comes back and does not say so.
    Crash(Pick),
    /// A node does something of its own accord.
    Act(Pick, u16),
}

/// A frame in the bag.
#[derive(Clone, Debug)]
pub struct Flight<F> {
    /// Where it goes.
    pub node: usize,
    /// Over which link of that node.
    pub link: usize,
    /// What it is.
    pub frame: F,
    /// When it was sent.
    pub sent: Instant,
}

/// Nodes and what is between them. Cloning is cheap: nodes are shared until they change.
#[derive(Clone, Debug)]
pub struct World<N: Node> {
    graph: Rc<Graph>,
    setups: Rc<Vec<Setup>>,
    producer: usize,
    now: Instant,
    nodes: Vec<Rc<N>>,
    up: Vec<bool>,
    bag: Vec<Flight<N::Frame>>,
    restarts: u64,
    judge: Judge,
    /// How much later than it wants a node is woken at most.
    pub max_late: Duration,
    /// Age at which the network loses a frame at the latest: the theorem holds for networks that keep
    /// none for longer than a path lifetime.
    pub max_age: Duration,
    /// Frames that the nodes sent so far.
    pub sent: u64,
}

impl<N: Node> World<N> {
    /// Boots all nodes and tells them the true routes.
    ///
    /// # Panics
    /// When a claim fails before anything happened.
    #[must_use]
    pub fn new(graph: Graph, setups: Vec<Setup>, claims: Claims) -> Self {
        let now = Instant::from_secs(1);
        let producer = setups.iter().position(|s| s.produces).unwrap_or(0);
        let peers = (0..graph.nodes()).map(|n| graph.links_of(n).map(|(_, peer)| peer).collect());
        let mut world = Self {
            producer,
            now,
            nodes: setups
                .iter()
                .map(|setup| Rc::new(N::boot(setup, now)))
                .collect(),
            up: vec![true; graph.links().len()],
            bag: Vec::new(),
            restarts: 0,
            judge: Judge::new(claims, peers.collect()),
            graph: Rc::new(graph),
            setups: Rc::new(setups),
            max_late: Duration::from_secs(1),
            max_age: Duration::from_secs(30),
            sent: 0,
        };
        for node in 0..world.nodes.len() {
            let fault = world.reroute(node, 0);
            assert_eq!(fault, Ok(()), "before the first step");
            let fault = world.with(node, N::tick);
            assert_eq!(fault, Ok(()), "before the first step");
        }
        world
    }

    /// The time.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// The graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The nodes.
    #[must_use]
    pub fn nodes(&self) -> &[Rc<N>] {
        &self.nodes
    }

    /// What is in flight, the oldest first.
    #[must_use]
    pub fn bag(&self) -> &[Flight<N::Frame>] {
        &self.bag
    }

    /// What was judged last.
    #[must_use]
    pub const fn judge(&self) -> &Judge {
        &self.judge
    }

    /// Whether a link is up.
    #[must_use]
    pub fn is_up(&self, link: usize) -> bool {
        self.up[link]
    }

    /// Takes one step. What cannot be done (no frame in the bag) is left undone.
    ///
    /// # Errors
    /// The first claim that does not hold any more.
    pub fn step(&mut self, step: Step) -> Result<(), Violation> {
        match step {
            Step::Deliver(pick) => match among(pick, self.bag.len()) {
                Some(at) => {
                    let flight = self.bag.remove(at);
                    self.arrive(flight)
                }
                None => self.step(Step::Wake),
            },
            Step::Run(frames) => {
                for _ in 0..frames {
                    self.step(Step::Deliver(0))?;
                }
                Ok(())
            }
            Step::Duplicate(pick) => match among(pick, self.bag.len()) {
                Some(at) => self.arrive(self.bag[at].clone()),
                None => Ok(()),
            },
            Step::Drop(pick) => {
                if let Some(at) = among(pick, self.bag.len()) {
                    self.bag.remove(at);
                }
                Ok(())
            }
            Step::Wake => match self.next_wake() {
                Some((at, node)) => {
                    self.now = self.now.max(at);
                    self.with(node, N::tick)
                }
                None => Ok(()),
            },
            Step::Sleep(millis) => self.sleep(Duration::from_millis(millis.into())),
            Step::Tick(pick) => match among(pick, self.nodes.len()) {
                Some(node) => self.with(node, N::tick),
                None => Ok(()),
            },
            Step::Flap(pick) => match among(pick, self.up.len()) {
                Some(link) => self.flap(link),
                None => Ok(()),
            },
            Step::Reroute(pick, choice) => match among(pick, self.nodes.len()) {
                Some(node) => self.reroute(node, choice),
                None => Ok(()),
            },
            Step::Produce(pick, present) => match among(pick, self.nodes.len()) {
                Some(node) => self.with(node, |node, now, out| node.produce(now, present, out)),
                None => Ok(()),
            },
            Step::Restart(pick) => match among(pick, self.nodes.len()) {
                Some(node) => self.restart(node, true),
                None => Ok(()),
            },
            Step::Crash(pick) => match among(pick, self.nodes.len()) {
                Some(node) => self.restart(node, false),
                None => Ok(()),
            },
            Step::Act(pick, choice) => match among(pick, self.nodes.len()) {
                Some(node) => self.with(node, |node, now, out| {
                    node.act(now, choice.into(), out);
                }),
                None => Ok(()),
            },
        }
    }

    /// Takes steps, at each of which `fate` says what happens to the oldest frame, until the bag is
    /// empty and nobody wants to be woken before `until`. Gives the number of frames that arrived.
    ///
    /// # Errors
    /// The first claim that does not hold any more.
    pub fn settle(
        &mut self,
        until: Instant,
        mut fate: impl FnMut() -> Step,
    ) -> Result<u64, Violation> {
        let mut arrived = 0;
        loop {
            if !self.bag.is_empty() {
                let step = fate();
                arrived += u64::from(!matches!(step, Step::Drop(_)));
                self.step(step)?;
            } else if self.next_wake().is_some_and(|(at, _)| at <= until) {
                self.step(Step::Wake)?;
            } else {
                self.now = self.now.max(until);
                return Ok(arrived);
            }
        }
    }

    /// Who wants to be woken first, and when.
    #[must_use]
    pub fn next_wake(&self) -> Option<(Instant, usize)> {
        let wakes = self.nodes.iter().enumerate();
        wakes.filter_map(|(node, n)| Some((n.wake()?, node))).min()
    }

    fn arrive(&mut self, flight: Flight<N::Frame>) -> Result<(), Violation> {
        let Flight {
            node,
            link,
            frame,
            sent,
        } = flight;
        if sent + self.max_age < self.now {
            return Ok(());
        }
        self.with(node, |node, now, out| node.frame(now, link, frame, out))
    }

    fn sleep(&mut self, span: Duration) -> Result<(), Violation> {
        let until = self.now + span;
        while let Some((at, node)) = self
            .next_wake()
            .filter(|(at, _)| *at + self.max_late < until)
        {
            self.now = self.now.max(at + self.max_late);
            self.with(node, N::tick)?;
        }
        self.now = until;
        Ok(())
    }

    fn flap(&mut self, link: usize) -> Result<(), Violation> {
        self.up[link] = !self.up[link];
        for end in self.graph.clone().links()[link] {
            let (up, place) = (self.up[link], self.place(end, link));
            self.with(end, |node, now, out| node.link_changed(now, place, up, out))?;
        }
        Ok(())
    }

    fn reroute(&mut self, node: usize, choice: u16) -> Result<(), Violation> {
        let hops = match choice {
            0 => self.graph.routes(node, self.producer, |_| true),
            _ => wrong_routes(self.graph.links_of(node).count(), choice),
        };
        self.with(node, |node, now, out| node.routes(now, &hops, out))
    }

    fn restart(&mut self, node: usize, honest: bool) -> Result<(), Violation> {
        self.restarts += 1;
        let mut setup = self.setups[node].clone();
        setup.config.restarted = honest;
        setup.config.seed ^= self.restarts << 32;
        self.nodes[node] = Rc::new(N::boot(&setup, self.now));
        self.judge.forget(node);
        self.reroute(node, 0)?;
        let links: Vec<usize> = self.graph.links_of(node).map(|(link, _)| link).collect();
        for (place, link) in links.into_iter().enumerate() {
            if !self.up[link] {
                self.with(node, |node, now, out| {
                    node.link_changed(now, place, false, out);
                })?;
            }
        }
        Ok(())
    }

    /// The node's own number of a link.
    fn place(&self, node: usize, link: usize) -> usize {
        self.graph
            .links_of(node)
            .position(|(at, _)| at == link)
            .unwrap_or(0)
    }

    /// Lets something happen at a node, puts what it sends into the bag, and looks at it.
    fn with(
        &mut self,
        at: usize,
        happen: impl FnOnce(&mut N, Instant, &mut Vec<(usize, N::Frame)>),
    ) -> Result<(), Violation> {
        let mut out = Vec::new();
        let node = Rc::make_mut(&mut self.nodes[at]);
        happen(node, self.now, &mut out);
        let view = node.view();
        self.sent += out.len() as u64;
        for (place, frame) in out {
            let Some((link, peer)) = self.graph.links_of(at).nth(place) else {
                continue;
            };
            if self.up[link] {
                let link = self.place(peer, link);
                self.bag.push(Flight {
                    node: peer,
                    link,
                    frame,
                    sent: self.now,
                });
            }
        }
        self.look_at_sleepers(at)?;
        self.judge.look(at, view)
    }

    /// A node that is overdue acts on nothing before it has noticed the time: an edge that will be gone
    /// then does not count any more.
    fn look_at_sleepers(&mut self, awake: usize) -> Result<(), Violation> {
        for at in 0..self.nodes.len() {
            let overdue = self.nodes[at].wake().is_some_and(|wake| wake <= self.now);
            if at != awake && overdue {
                let mut node = N::clone(&self.nodes[at]);
                node.tick(self.now, &mut Vec::new());
                let then = node.view().valid;
                let mut view = self.nodes[at].view();
                view.valid
                    .retain(|edge| then.iter().any(|left| left.link == edge.link));
                self.judge.look(at, view)?;
            }
        }
        Ok(())
    }
}

fn among(pick: Pick, count: usize) -> Option<usize> {
    usize::from(pick).checked_rem(count)
}

/// Any table: per link no route, or one to four hops.
fn wrong_routes(links: usize, choice: u16) -> Vec<Option<u32>> {
    let mut left = u32::from(choice);
    let mut draw = || {
        left = left.wrapping_mul(0x9E37_79B1).rotate_left(13);
        left % 5
    };
    (0..links)
        .map(|_| Some(draw()).filter(|hops| *hops > 0))
        .collect()
}
