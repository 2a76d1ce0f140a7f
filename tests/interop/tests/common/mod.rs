//! What the tests of several files share.

use std::collections::BTreeMap;

use mars_interop::fields::hex;
use mars_interop::{Ours, Peer, Stack, Trouble};
use mars_wire::LpPacket;

/// What a stack is given of a datagram of ours: `ndn-protocol` has no link layer.
fn given(peer: Peer, octets: &[u8]) -> &[u8] {
    if peer == Peer::NdnProtocol {
        LpPacket::decode(octets).expect("ours").fragment
    } else {
        octets
    }
}

/// Counts of packets, by what became of them.
pub type Tally = BTreeMap<&'static str, u64>;

/// Has `peer` read a datagram that we take, and compares.
pub fn they_read(peer: Peer, stack: &mut dyn Stack, octets: &[u8], tally: &mut Tally) {
    let ours = Ours.decode(octets).expect("we take it");
    let theirs = stack.decode(given(peer, octets));
    let context = || format!("{peer:?} {}\n{ours:?}\n{theirs:?}", hex(octets));
    let outcome = match peer.trouble(&ours) {
        None => {
            let seen = theirs.as_ref().unwrap_or_else(|_| panic!("{}", context()));
            assert_eq!(peer.sees(seen), peer.sees(&ours), "{}", context());
            "same"
        }
        Some(Trouble::Refuses(why)) => {
            assert!(theirs.is_err(), "not refused: {why}: {}", context());
            why
        }
        Some(Trouble::Misreads(why)) => {
            let same = theirs
                .as_ref()
                .is_ok_and(|seen| peer.sees(seen) == peer.sees(&ours));
            assert!(!same, "not misread: {why}: {}", context());
            why
        }
    };
    *tally.entry(outcome).or_default() += 1;
}
