//! Discovery.
use mars_consumer_core::{Event, Object};

use crate::host::*;
use crate::world::*;

#[test]
fn walks_the_tiers_and_fetches_beside() {
    let mut host = Host::new(config(Object::Segments(100)), World::new(100));
    host.run(at(60_000));
    host.assert_complete(100);
    assert!(matches!(host.facts()[0], Event::PathFound { .. }));
}
