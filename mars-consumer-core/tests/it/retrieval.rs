//! Retrieval.
use mars_consumer_core::Object;

use crate::host::*;
use crate::world::*;

#[test]
fn ten_thousand_segments_at_ten_percent_loss() {
    let mut world = World::new(10_000);
    world.loss = 100;
    let mut host = Host::new(data_only(Object::Segments(10_000)), world);
    host.run(at(600_000));
    host.assert_complete(10_000);
    println!("{:?} {:?}", host.completed(), host.consumer.counters());
}
