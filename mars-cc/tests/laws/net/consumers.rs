//! Consumers: a window of chunks beside a forwarder, and again what was lost.

use std::time::Duration;

use mars_cc::Input;
use mars_time::Instant;

use super::{Event, From, MS, Net};

impl Net {
    pub(super) fn express(&mut self, index: usize) {
        let now = Instant::from_nanos(self.now);
        loop {
            let consumer = &mut self.consumers[index];
            let pending = !consumer.again.is_empty() || consumer.next_id < consumer.total;
            let controller = &consumer.controller;
            if self.now < consumer.start
                || !pending
                || controller.in_flight() >= controller.window()
            {
                return;
            }
            if controller.next_send() > now {
                let wake = controller.next_send().as_nanos();
                if consumer.wake.is_none_or(|set| wake < set) {
                    consumer.wake = Some(wake);
                    self.at(wake, Event::ConsumerWake(index));
                }
                return;
            }
            let (id, repeated) = if let Some(id) = consumer.again.pop_front() {
                (id, true)
            } else {
                consumer.next_id += 1;
                (consumer.next_id, false)
            };
            consumer.controller.handle_input(now, Input::Sent).unwrap();
            consumer.out.insert(id, (self.now, repeated));
            let srtt = consumer
                .controller
                .srtt()
                .unwrap_or(Duration::from_millis(250));
            let limit = (4 * srtt.as_nanos() as u64).max(200 * MS);
            let (node, prefix) = (consumer.node, consumer.prefix);
            let sent = self.now;
            self.at(
                sent + limit,
                Event::ConsumerExpired {
                    consumer: index,
                    id,
                    sent,
                },
            );
            self.admit(node, prefix, id, From::Consumer(index));
            self.release(node);
        }
    }

    pub(super) fn consumer_takes(
        &mut self,
        index: usize,
        id: u64,
        input: impl FnOnce(u64, bool) -> Input,
    ) -> bool {
        let now = Instant::from_nanos(self.now);
        let consumer = &mut self.consumers[index];
        let Some((sent, repeated)) = consumer.out.remove(&id) else {
            return false;
        };
        consumer
            .controller
            .handle_input(now, input(sent, repeated))
            .unwrap();
        true
    }

    pub(super) fn consumer_data(&mut self, index: usize, id: u64, queued: usize) {
        let now = self.now;
        let fresh = self.consumer_takes(index, id, |sent, repeated| Input::Delivered {
            queue: Some(queued as u16),
            rtt: (!repeated).then(|| Duration::from_nanos(now - sent)),
        });
        if fresh {
            let consumer = &self.consumers[index];
            let (prefix, total) = (consumer.prefix, consumer.total);
            self.got[prefix].data += 1;
            if self.got[prefix].data == total {
                self.got[prefix].finished = Some(now);
            }
        }
        self.at(self.now, Event::ConsumerWake(index));
    }

    pub(super) fn consumer_nacked(&mut self, index: usize, id: u64) {
        if self.consumer_takes(index, id, |_, _| Input::Nacked) {
            self.consumers[index].again.push_back(id);
        }
        // Not within this very call: a full queue would answer at once, for ever.
        self.at(self.now + MS, Event::ConsumerWake(index));
    }

    pub(super) fn consumer_expired(&mut self, index: usize, id: u64, sent: u64) {
        if self.consumers[index]
            .out
            .get(&id)
            .is_none_or(|&(at, _)| at != sent)
        {
            return;
        }
        self.consumer_takes(index, id, |_, _| Input::Lost);
        self.consumers[index].again.push_back(id);
        self.express(index);
    }
}
