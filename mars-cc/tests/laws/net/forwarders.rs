//! Forwarders: Interest queues, release by both levels, Data, Nacks, expiry and failed links.

use std::time::Duration;

use mars_cc::Input;
use mars_time::Instant;

use super::{Dest, Event, From, INTEREST_QUEUE, Kind, MS, Net, Packet, Pending, Route};

impl Net {
    pub(super) fn interest(&mut self, packet: Packet) {
        let node = self.links[packet.link].up;
        if let Some(delay) = self.dest(node, packet.prefix).producer {
            if delay == 0 {
                self.answer(packet);
            } else {
                self.at(self.now + delay, Event::Answer(packet));
            }
            return;
        }
        self.admit(node, packet.prefix, packet.id, From::Link(packet.link));
        self.release(node);
    }

    pub(super) fn answer(&mut self, packet: Packet) {
        self.data_sent += 1;
        self.send_down(packet.link, Kind::Data, packet.prefix, packet.id, 0);
    }

    pub(super) fn send_down(
        &mut self,
        link: usize,
        kind: Kind,
        prefix: usize,
        id: u64,
        interests: usize,
    ) {
        let first = self.links[link].back[0];
        let data = self.pipes[first].waiting.len() as u16;
        let interests = interests as u16;
        self.put(
            first,
            Packet {
                kind,
                prefix,
                id,
                link,
                stage: 0,
                interests,
                data,
            },
        );
    }

    /// An Interest joins its queue, or goes back as a Nack.
    pub(super) fn admit(&mut self, node: usize, prefix: usize, id: u64, from: From) {
        if let Some(pending) = self.nodes[node].pending.get_mut(&(prefix, id)) {
            if let Some((link, _)) = pending.out.take() {
                pending.repeated = true;
                self.tell(node, prefix, link, Input::Released);
                self.nodes[node].dests[prefix].queue.push_back(id);
            }
            return;
        }
        if self.nodes[node].dests[prefix].queue.len() >= INTEREST_QUEUE {
            self.got[prefix].nacks += 1;
            match from {
                From::Link(link) => self.send_down(link, Kind::Nack, prefix, id, INTEREST_QUEUE),
                From::Consumer(consumer) => self.consumer_nacked(consumer, id),
                From::Source => unreachable!("sources do not overfill"),
            }
            return;
        }
        let fresh = Pending {
            from,
            out: None,
            repeated: false,
            attempt: 0,
        };
        self.nodes[node].pending.insert((prefix, id), fresh);
        self.nodes[node].dests[prefix].queue.push_back(id);
    }

    pub(super) fn tell(&mut self, node: usize, prefix: usize, link: usize, input: Input) {
        self.tell_both(node, prefix, link, input, input);
    }

    pub(super) fn tell_both(
        &mut self,
        node: usize,
        prefix: usize,
        link: usize,
        face: Input,
        own: Input,
    ) {
        let now = Instant::from_nanos(self.now);
        self.links[link].face.handle_input(now, face).unwrap();
        let routes = &mut self.nodes[node].dests[prefix].routes;
        let route = routes.iter_mut().find(|route| route.link == link).unwrap();
        route.prefix.handle_input(now, own).unwrap();
    }

    /// Lets go what windows and paces allow, prefixes in turn, then sets the next wake-up.
    pub(super) fn release(&mut self, index: usize) {
        let now = Instant::from_nanos(self.now);
        loop {
            let node = &self.nodes[index];
            let mut best: Option<(u64, usize)> = None;
            let mut wake: Option<Instant> = None;
            for (prefix, dest) in node.dests.iter().enumerate() {
                if !self.has_work(dest) {
                    continue;
                }
                let at = dest
                    .routes
                    .iter()
                    .filter_map(|route| self.ready_at(route))
                    .min();
                let Some(at) = at else { continue };
                if at <= now {
                    let time = dest.virtual_time.max(node.virtual_time.saturating_sub(4));
                    if best.is_none_or(|(other, _)| time < other) {
                        best = Some((time, prefix));
                    }
                } else {
                    wake = Some(wake.map_or(at, |wake| wake.min(at)));
                }
            }
            let Some((time, prefix)) = best else {
                if let Some(wake) = wake {
                    let wake = wake.as_nanos();
                    if self.nodes[index].wake.is_none_or(|set| wake < set) {
                        self.nodes[index].wake = Some(wake);
                        self.at(wake, Event::Wake(index));
                    }
                }
                return;
            };
            let node = &mut self.nodes[index];
            node.virtual_time = time;
            node.dests[prefix].virtual_time = time + 1;
            let dest = &self.nodes[index].dests[prefix];
            let link = dest
                .routes
                .iter()
                .filter(|route| self.ready_at(route).is_some_and(|at| at <= now))
                .min_by_key(|route| (self.links[route.link].face.next_send(), route.link))
                .unwrap()
                .link;
            self.let_go(index, prefix, link);
        }
    }

    pub(super) fn has_work(&self, dest: &Dest) -> bool {
        let sourced = dest
            .source
            .is_some_and(|(from, to)| (from..to).contains(&self.now));
        !dest.queue.is_empty() || sourced
    }

    /// When both levels let a packet go, `None` while a window is full.
    pub(super) fn ready_at(&self, route: &Route) -> Option<Instant> {
        let link = &self.links[route.link];
        let (face, own) = (&link.face, &route.prefix);
        let open = link.is_up && face.in_flight() < face.window() && own.in_flight() < own.window();
        open.then(|| face.next_send().max(own.next_send()))
    }

    pub(super) fn let_go(&mut self, node: usize, prefix: usize, link: usize) {
        let dest = &mut self.nodes[node].dests[prefix];
        let id = dest.queue.pop_front().unwrap_or_else(|| {
            dest.next_id += 1;
            dest.next_id
        });
        let pending = self.nodes[node]
            .pending
            .entry((prefix, id))
            .or_insert(Pending {
                from: From::Source,
                out: None,
                repeated: false,
                attempt: 0,
            });
        pending.out = Some((link, self.now));
        pending.attempt += 1;
        let attempt = pending.attempt;
        self.tell(node, prefix, link, Input::Sent);
        let srtt = self.links[link]
            .face
            .srtt()
            .unwrap_or(Duration::from_millis(250));
        let limit = (4 * srtt.as_nanos() as u64).max(60 * MS);
        self.at(
            self.now + limit,
            Event::Expired {
                node,
                prefix,
                id,
                attempt,
            },
        );
        let first = self.links[link].forth[0];
        let kind = Kind::Interest;
        self.put(
            first,
            Packet {
                kind,
                prefix,
                id,
                link,
                stage: 0,
                interests: 0,
                data: 0,
            },
        );
    }

    pub(super) fn data(&mut self, packet: Packet) {
        let Packet {
            kind,
            prefix,
            id,
            link,
            ..
        } = packet;
        let node = self.links[link].down;
        let Some(pending) = self.nodes[node].pending.get(&(prefix, id)) else {
            return;
        };
        let Some((out, sent)) = pending.out else {
            return;
        };
        if out != link {
            return;
        }
        let from = pending.from;
        let rtt = (!pending.repeated).then(|| Duration::from_nanos(self.now - sent));
        self.nodes[node].pending.remove(&(prefix, id));
        let (reports, lie) = (self.links[link].reports, self.links[link].lie);
        match kind {
            Kind::Data => {
                let told = |queue| reports.then_some(lie.unwrap_or(queue));
                let face = Input::Delivered {
                    queue: told(packet.data),
                    rtt,
                };
                let own = Input::Delivered {
                    queue: told(packet.interests),
                    rtt,
                };
                self.tell_both(node, prefix, link, face, own);
            }
            Kind::Interest | Kind::Nack => self.tell(node, prefix, link, Input::Nacked),
        }
        let queued = self.nodes[node].dests[prefix].queue.len();
        match (from, kind) {
            (From::Link(down), _) => self.send_down(down, kind, prefix, id, queued),
            (From::Consumer(consumer), Kind::Nack) => self.consumer_nacked(consumer, id),
            (From::Consumer(consumer), _) => self.consumer_data(consumer, id, queued),
            (From::Source, Kind::Nack) => self.nodes[node].dests[prefix].queue.push_front(id),
            (From::Source, _) => {
                self.got[prefix].data += 1;
                *self.by_node.entry(node).or_default() += 1;
            }
        }
        self.release(node);
    }

    pub(super) fn expired(&mut self, node: usize, prefix: usize, id: u64, attempt: u32) {
        let Some(pending) = self.nodes[node].pending.get_mut(&(prefix, id)) else {
            return;
        };
        if pending.attempt != attempt {
            return;
        }
        let Some((link, _)) = pending.out.take() else {
            return;
        };
        pending.repeated = true;
        let source = pending.from == From::Source;
        if source {
            self.nodes[node].dests[prefix].queue.push_front(id);
        } else {
            self.nodes[node].pending.remove(&(prefix, id));
        }
        self.tell(node, prefix, link, Input::Lost);
        self.release(node);
    }

    pub(super) fn link_state(&mut self, link: usize, is_up: bool) {
        self.links[link].is_up = is_up;
        let node = self.links[link].down;
        let now = Instant::from_nanos(self.now);
        if is_up {
            self.links[link]
                .face
                .handle_input(now, Input::Reset)
                .unwrap();
            for dest in &mut self.nodes[node].dests {
                for route in dest.routes.iter_mut().filter(|route| route.link == link) {
                    route.prefix.handle_input(now, Input::Reset).unwrap();
                }
            }
        } else {
            let mut back: Vec<_> = Vec::new();
            for (&key, pending) in &mut self.nodes[node].pending {
                if pending.out.is_some_and(|(out, _)| out == link) {
                    pending.out = None;
                    pending.repeated = true;
                    back.push(key);
                }
            }
            for (prefix, id) in back.into_iter().rev() {
                self.tell(node, prefix, link, Input::Released);
                self.nodes[node].dests[prefix].queue.push_front(id);
            }
        }
        self.release(node);
    }
}
