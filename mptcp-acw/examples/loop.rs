//! Hosts a coupler over two simulated links, 4 Mbit/s and 20 ms beside 2 Mbit/s and 40 ms with
//! queues of 33 segments, and prints what each round trip was at the end of every second.
//!
//! ```text
//! cargo run -p mptcp-acw --example loop
//! ```
#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "an example may fail"
)]

use core::time::Duration;
use std::collections::VecDeque;

use mars_time::Instant;
use mptcp_acw::{AcwConfig, Config, Coupler, Error, Input, Loss, Output, SubflowId};

/// The whole host.
fn host(mut coupler: Coupler<2>, net: &mut Net) -> Result<(), Error> {
    loop {
        let wake = loop {
            match coupler.poll_output() {
                Output::Cwnd { subflow, bytes } => net.set_window(subflow, bytes),
                Output::Timeout(wake) => break wake,
                _ => {}
            }
        };
        let Some((now, input)) = net.wait_until(wake) else {
            return Ok(());
        };
        coupler.handle_input(now, input)?;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for acw in [None, Some(AcwConfig::new())] {
        let mut config = Config::new();
        config.acw = acw;
        println!("{}", if acw.is_some() { "with ACW" } else { "plain" });
        host(Coupler::new(config, Instant::ZERO)?, &mut Net::new())?;
    }
    Ok(())
}

const MSS: u16 = 1_450;
/// Segments that wait before a link at most.
const QUEUE: u32 = 33;

/// Everything that is not the coupler: links, and a TCP that always has something to send.
struct Net {
    now: Instant,
    /// The whole second that was printed last.
    second: u64,
    /// What happened and was not told yet.
    news: VecDeque<Input>,
    links: [Link; 2],
}

struct Link {
    id: SubflowId,
    window: u64,
    /// When the last segment that waits has left.
    free: Instant,
    /// Time that a segment takes on the wire; there and back again.
    segment: Duration,
    delay: Duration,
    /// Segments in flight: when the sender learns of each, when it was sent, whether it was dropped.
    flight: VecDeque<(Instant, Instant, bool)>,
    /// Segments until all are acknowledged that were in flight at the last loss.
    recovering: usize,
    rtt: Duration,
}

impl Net {
    fn new() -> Self {
        let link = |id, segment_us, delay_ms| Link {
            id: SubflowId(id),
            window: 0,
            free: Instant::ZERO,
            segment: Duration::from_micros(segment_us),
            delay: Duration::from_millis(delay_ms),
            flight: VecDeque::new(),
            recovering: 0,
            rtt: Duration::ZERO,
        };
        let links = [link(0, 2_900, 40), link(1, 5_800, 80)];
        let added = links.iter().map(|link| Input::SubflowAdded {
            subflow: link.id,
            mss: MSS,
        });
        Self {
            now: Instant::ZERO,
            second: 0,
            news: added.collect(),
            links,
        }
    }

    fn set_window(&mut self, subflow: SubflowId, bytes: u64) {
        let link = self.links.iter_mut().find(|link| link.id == subflow);
        link.expect("only what was added is set").window = bytes;
    }

    /// Sends what may go, and waits for what happens next; `None` after ten seconds.
    fn wait_until(&mut self, wake: Option<Instant>) -> Option<(Instant, Input)> {
        if let Some(input) = self.news.pop_front() {
            return Some((self.now, input));
        }
        self.links.iter_mut().for_each(|link| link.send(self.now));
        let due = self.links.iter_mut().filter(|link| !link.flight.is_empty());
        let link = due.min_by_key(|link| link.flight[0].0)?;
        if let Some(wake) = wake.filter(|wake| *wake < link.flight[0].0) {
            self.now = wake;
            return Some((wake, Input::Timeout));
        }
        self.now = link.flight[0].0;
        self.news.extend(link.receive(self.now));
        if self.now >= Instant::from_secs(self.second + 1) {
            self.second += 1;
            let rtts = self.links.each_ref().map(|link| link.rtt.as_millis());
            println!(
                "{:2} s: round trips of {:3} and {:3} ms",
                self.second, rtts[0], rtts[1]
            );
        }
        (self.second < 10).then_some((self.now, self.news.pop_front()?))
    }
}

impl Link {
    fn in_flight(&self) -> u64 {
        self.flight.len() as u64 * u64::from(MSS)
    }

    fn send(&mut self, now: Instant) {
        while self.in_flight() + u64::from(MSS) <= self.window {
            let waiting = self.free.saturating_duration_since(now);
            let dropped = waiting > self.segment * QUEUE;
            if !dropped {
                self.free = self.free.max(now) + self.segment;
            }
            // A gap shows when the segment behind it would have arrived.
            self.flight
                .push_back((self.free.max(now) + self.delay, now, dropped));
        }
    }

    /// The first segment in flight was acknowledged, or found missing.
    fn receive(&mut self, now: Instant) -> Vec<Input> {
        let Some((_, sent, dropped)) = self.flight.pop_front() else {
            return Vec::new();
        };
        let (subflow, in_flight) = (self.id, self.in_flight());
        let mut news = Vec::new();
        if dropped {
            let loss = Loss::Duplicates;
            news.push(Input::Lost {
                subflow,
                loss,
                in_flight,
            });
            self.recovering = self.recovering.max(self.flight.len());
        } else {
            self.rtt = now.saturating_duration_since(sent);
            news.push(Input::Acked {
                subflow,
                bytes: MSS.into(),
                rtt: Some(self.rtt),
                one_way: None,
                in_flight,
            });
        }
        if self.recovering == 1 {
            news.push(Input::Recovered { subflow });
        }
        self.recovering = self.recovering.saturating_sub(1);
        news
    }
}
