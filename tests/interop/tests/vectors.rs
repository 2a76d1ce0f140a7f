//! The published vectors through every stack. Where a stack's verdict is not ours stands in a table
//! with the reason, and nowhere else: a row that no longer holds fails, and so does a disagreement
//! without a row.

use std::collections::BTreeMap;

use mars_interop::{Ours, Peer, Stack, vectors};

use Peer::{NdnNdnlp, NdnProtocol, Ndnts, PythonNdn};

/// Vectors on which foreign verdicts differ from ours.
struct Deviation {
    /// Whose.
    peers: &'static [Peer],
    /// Their verdict; ours is the opposite.
    accepts: bool,
    /// Which vectors.
    vectors: &'static [&'static str],
    /// What they do.
    theirs: &'static str,
    /// Why we do otherwise.
    ours: &'static str,
}

const ALL: &[Peer] = &Peer::ALL;
const CRATES: &[Peer] = &[NdnProtocol, NdnNdnlp];
const LINKED: &[Peer] = &[Ndnts, PythonNdn, NdnNdnlp];

const DEVIATIONS: &[Deviation] = &[
    Deviation {
        peers: &[PythonNdn, NdnNdnlp],
        accepts: true,
        vectors: &[
            "LP unk 802+I",
            "LP unk 805+I",
            "LP unk 806+I",
            "LP unk 881+I",
            "LP unk 882+I",
            "LP unk 883+I",
            "LP unk 960+I",
            "LP unk 964+I",
            "LP unk 1000+I",
        ],
        theirs: "pass over every unknown header field",
        ours: "a field outside 800 to 959, or not divisible by four, must be understood",
    },
    Deviation {
        peers: &[Ndnts, PythonNdn],
        accepts: true,
        vectors: &["LP comb after Fragment"],
        theirs: "pass over an unknown field behind the fragment",
        ours: "the fragment is the last element, so that it ends where the datagram does",
    },
    Deviation {
        peers: LINKED,
        accepts: true,
        vectors: &["LP type nonminimal 880 as FE"],
        theirs: "take TYPE in any form",
        ours: "the shortest form is a must: a packet has one spelling",
    },
    Deviation {
        peers: ALL,
        accepts: true,
        vectors: &["I nonminimal name len"],
        theirs: "take LENGTH in any form",
        ours: "the shortest form is a must: names compare as octets",
    },
    Deviation {
        peers: &[Ndnts],
        accepts: true,
        vectors: &["LP frag idx>=cnt", "LP frag cnt 0"],
        theirs: "leaves impossible fragments to the reassembler, and takes none of none for one of one",
        ours: "refused before anything is kept for them",
    },
    Deviation {
        peers: &[Ndnts, PythonNdn],
        accepts: true,
        vectors: &["LP seq 1-byte + I"],
        theirs: "read Sequence as an integer of any size, or not at all",
        ours: "Sequence has 8 octets",
    },
    Deviation {
        peers: ALL,
        accepts: true,
        vectors: &["I empty name"],
        theirs: "take an Interest for the empty name",
        ours: "an Interest names something",
    },
    Deviation {
        peers: ALL,
        accepts: true,
        vectors: &["I unk noncrit before Name"],
        theirs: "pass over an element before the name",
        ours: "nothing comes before the name",
    },
    Deviation {
        peers: ALL,
        accepts: true,
        vectors: &["I CanBePrefix len1"],
        theirs: "do not look into CanBePrefix",
        ours: "it is empty",
    },
    Deviation {
        peers: ALL,
        accepts: true,
        vectors: &["I digest no AppParams", "I two digests"],
        theirs: "do not count digests of parameters",
        ours: "one if there are parameters, none if not",
    },
    Deviation {
        peers: &[PythonNdn, NdnProtocol, NdnNdnlp],
        accepts: true,
        vectors: &["I AppParams no digest"],
        theirs: "leave a missing digest of parameters to the verifier",
        ours: "the name must tell Interests with other parameters apart",
    },
    Deviation {
        peers: &[Ndnts, PythonNdn],
        accepts: true,
        vectors: &["I implicit digest 31"],
        theirs: "take a digest of any length",
        ours: "a digest has 32 octets",
    },
    Deviation {
        peers: ALL,
        accepts: true,
        vectors: &["I fwhint empty"],
        theirs: "take a hint without a name",
        ours: "a hint hints at something",
    },
    Deviation {
        peers: &[PythonNdn],
        accepts: true,
        vectors: &[
            "I dup Nonce",
            "I lifetime before nonce",
            "I unk crit 0x1e-like 0x0e",
            "D sigvalue before siginfo",
            "D content before meta",
        ],
        theirs: "only odd types are critical to it, or it misses nothing",
        ours: "types up to 31 are critical, too, so order and number are fixed",
    },
    Deviation {
        peers: CRATES,
        accepts: true,
        vectors: &[
            "I dup Nonce",
            "I lifetime before nonce",
            "I unk crit 0x1e-like 0x0e",
            "D sigvalue before siginfo",
            "D content before meta",
            "D finalblockid empty",
        ],
        theirs: "stop reading at an element that they did not expect, and miss nothing",
        ours: "what was signed and what was read must be the same",
    },
    Deviation {
        peers: CRATES,
        accepts: true,
        vectors: &["I nonce 5 bytes"],
        theirs: "read the first four octets",
        ours: "a Nonce has four octets",
    },
    Deviation {
        peers: &[PythonNdn, NdnProtocol, NdnNdnlp],
        accepts: true,
        vectors: &["I hoplimit 2 bytes"],
        theirs: "read the first octet, or an integer of two",
        ours: "a HopLimit has one octet",
    },
    Deviation {
        peers: &[PythonNdn],
        accepts: true,
        vectors: &["I comp type 0", "I comp overruns name"],
        theirs: "does not check components",
        ours: "types are 1 to 65535, and a component ends inside its name",
    },
    Deviation {
        peers: &[PythonNdn, NdnProtocol, NdnNdnlp],
        accepts: true,
        vectors: &["D no siginfo", "D no sigvalue", "D siginfo empty"],
        theirs: "take Data without a signature, or without a part of it",
        ours: "Data is signed",
    },
    Deviation {
        peers: CRATES,
        accepts: true,
        vectors: &["I trailing byte"],
        theirs: "read one packet off the front",
        ours: "a datagram is consumed whole; streams have a decoder of their own",
    },
    Deviation {
        peers: &[NdnNdnlp],
        accepts: true,
        vectors: &[
            "LP nackreason 3 bytes",
            "LP nack unk crit sub",
            "LP cong 3 bytes",
        ],
        theirs: "does not look into Nack and CongestionMark",
        ours: "a field that we know is checked",
    },
    Deviation {
        peers: &[Ndnts],
        accepts: false,
        vectors: &["D freshness 2^64-1"],
        theirs: "has no integers above 2^53",
        ours: "any integer of 8 octets is legal",
    },
    Deviation {
        peers: &[PythonNdn, NdnNdnlp],
        accepts: false,
        vectors: &["LP frag 0/2"],
        theirs: "read no fragments",
        ours: "fragments are part of the protocol",
    },
    Deviation {
        peers: &[NdnNdnlp],
        accepts: false,
        vectors: &["LP pit token + I"],
        theirs: "takes a fragment right behind a field below 100 for an illegal field",
        ours: "any header fields may be absent",
    },
];

fn deviation(peer: Peer, vector: &str) -> Option<&'static Deviation> {
    let mut rows = DEVIATIONS
        .iter()
        .filter(|row| row.peers.contains(&peer) && row.vectors.contains(&vector));
    let row = rows.next();
    assert!(rows.next().is_none(), "two rows for {peer:?} and {vector}");
    row
}

#[test]
fn every_verdict_of_every_stack() {
    for peer in Peer::ALL {
        let Some(mut stack) = peer.open() else {
            continue;
        };
        let mut reasons = BTreeMap::<&str, (usize, &str)>::new();
        let mut agreed = 0;
        for (name, octets, accepted) in vectors() {
            // It has no link layer.
            if peer == NdnProtocol && octets.first() == Some(&100) {
                continue;
            }
            let theirs = stack.decode(&octets);
            let row = deviation(peer, &name);
            let expected = row.map_or(accepted, |row| row.accepts);
            assert_eq!(theirs.is_ok(), expected, "{peer:?}: {name}: {theirs:?}");
            match (row, theirs) {
                (Some(row), _) => {
                    assert_ne!(row.accepts, accepted, "{name}: {}", row.theirs);
                    reasons.entry(row.theirs).or_insert((0, row.ours)).0 += 1;
                }
                (None, Ok(seen)) => {
                    let ours = Ours.decode(&octets).expect("we take it");
                    assert_eq!(peer.sees(&seen), peer.sees(&ours), "{peer:?}: {name}");
                    agreed += 1;
                }
                (None, Err(_)) => agreed += 1,
            }
        }
        println!("{}: agrees on {agreed} vectors; otherwise:", stack.name());
        for (theirs, (count, ours)) in reasons {
            println!("{count:4} it: {theirs}\n     we: {ours}");
        }
    }
}

/// A row about a vector that does not exist would never be checked.
#[test]
fn every_row_is_about_a_vector() {
    let vectors = vectors();
    for row in DEVIATIONS {
        for named in row.vectors {
            assert!(vectors.iter().any(|(name, ..)| name == named), "{named}");
        }
    }
}
