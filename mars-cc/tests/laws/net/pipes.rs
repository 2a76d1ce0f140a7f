//! Wires: serialisation, queues, delay, loss and jitter.

use super::{DATA_OCTETS, Event, INTEREST_OCTETS, Kind, Net, Packet, SECOND};

impl Net {
    pub(super) fn put(&mut self, index: usize, packet: Packet) {
        let pipe = &mut self.pipes[index];
        let length = pipe.waiting.len();
        if matches!(packet.kind, Kind::Data) {
            pipe.found[length.min(pipe.cap)] += 1;
        }
        if length >= pipe.cap {
            pipe.drops += 1;
            return;
        }
        pipe.waiting.push_back(packet);
        if !pipe.busy {
            self.serve(index);
        }
    }

    pub(super) fn serve(&mut self, index: usize) {
        let pipe = &mut self.pipes[index];
        let Some(packet) = pipe.waiting.pop_front() else {
            pipe.busy = false;
            return;
        };
        pipe.busy = true;
        let octets = match packet.kind {
            Kind::Data => DATA_OCTETS,
            Kind::Interest | Kind::Nack => INTEREST_OCTETS,
        };
        let done = self.now + octets * 8 * SECOND / pipe.rate;
        let (delay, jitter, loss, last) = (
            pipe.delay,
            pipe.jitter,
            pipe.loss_per_mille,
            pipe.last_arrival,
        );
        self.at(done, Event::Served(index));
        if loss > 0 && self.below(1_000) < loss {
            return;
        }
        let extra = if jitter > 0 { self.below(jitter) } else { 0 };
        let arrival = (done + delay + extra).max(last);
        self.pipes[index].last_arrival = arrival;
        self.at(arrival, Event::Arrived(packet));
    }

    pub(super) fn served(&mut self, index: usize) {
        self.serve(index);
    }

    pub(super) fn arrived(&mut self, mut packet: Packet) {
        let link = &self.links[packet.link];
        let way = match packet.kind {
            Kind::Interest => &link.forth,
            Kind::Data | Kind::Nack => &link.back,
        };
        packet.stage += 1;
        if let Some(&next) = way.get(packet.stage) {
            self.put(next, packet);
            return;
        }
        if !link.is_up {
            return;
        }
        match packet.kind {
            Kind::Interest => self.interest(packet),
            Kind::Data | Kind::Nack => self.data(packet),
        }
    }
}
