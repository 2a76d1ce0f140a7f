//! Every packet both ways between us and each foreign stack, field by field.

use std::collections::BTreeMap;

use mars_interop::fields::{Fields, flag, hex, text};
use mars_interop::keys::Scheme;
use mars_interop::{Ours, Peer, Stack, fields, made_up};
use serde_json::Value;

mod common;
use common::{Tally, they_read};

/// Random packets for each stack and direction.
const PACKETS: u64 = 500;

/// One packet of each shape, for each scheme where it is signed.
fn cases() -> Vec<Fields> {
    let name = [
        "8=636c69656e7431",
        "8=73657276657231",
        "8=7064",
        "58=03",
        "58=2a",
    ];
    let mut cases = vec![
        fields! { "kind": "interest", "name": ["8=41"], "nonce": "1" },
        fields! { "kind": "interest", "name": name, "nonce": "2711724449", "lifetime": "2000" },
        fields! {
            "kind": "interest", "name": name, "can_be_prefix": true, "must_be_fresh": true,
            "hint": [["8=61", "8=62"], ["8=63"]], "nonce": "16909060", "lifetime": "65536",
            "hop_limit": "32",
        },
        fields! {
            "kind": "interest", "name": ["8=41", "32=6d65746164617461", "54=0001020304050607"],
            "nonce": "4294967295", "lifetime": "0", "hop_limit": "0", "pit_token": "0a0b0c0d",
            "congestion_mark": "1",
        },
        fields! { "kind": "interest", "name": ["8=41"], "nonce": "0", "parameters": "70617261" },
        fields! { "kind": "interest", "name": ["8=41"], "nonce": "9", "parameters": "" },
        fields! { "kind": "nack", "name": name, "nonce": "5", "nack": "150" },
        fields! { "kind": "nack", "name": name, "nonce": "5", "nack": "100", "pit_token": "01" },
        fields! { "kind": "nack", "name": name, "nonce": "5", "nack": "50", "congestion_mark": "2" },
        fields! { "kind": "nack", "name": name, "nonce": "5", "nack": "" },
    ];
    for scheme in Scheme::ALL {
        let sig_type = scheme.signature_type().to_string();
        let signed = [
            fields! {
                "kind": "data", "name": ["8=636c69656e7431", "8=64617461", "50=07"],
                "content": hex(&[0xA5; 1200]), "freshness": "10000", "final_block": "50=2a",
            },
            fields! { "kind": "data", "name": name, "freshness": "0", "pit_token": "01020304" },
            fields! { "kind": "data", "name": ["8=41"], "content": "00", "content_type": "3" },
            fields! { "kind": "interest", "name": name, "nonce": "3", "parameters": "0102" },
            fields! {
                "kind": "interest", "name": name, "nonce": "3", "parameters": "", "hop_limit": "1",
                "sig_nonce": "8001020304050607", "sig_time": "1700000000000", "sig_seq": "70000",
            },
        ];
        for mut case in signed {
            case.insert("sig_type".to_owned(), sig_type.clone().into());
            if scheme != Scheme::Digest {
                let key: Value = vec!["8=6f70", "8=4b4559", "8=01"].into();
                case.insert("key_name".to_owned(), key);
            }
            cases.push(case);
        }
    }
    cases
}

/// Has `peer` write a datagram, reads it, and compares with what it was told to write.
fn they_write(peer: Peer, stack: &mut dyn Stack, fields: &Fields) {
    let told = peer.writes(fields);
    let octets = stack
        .encode(&told)
        .unwrap_or_else(|why| panic!("{peer:?}: {why}: {told:?}"));
    let read = Ours
        .decode(&octets)
        .unwrap_or_else(|why| panic!("{peer:?}: {why}: {told:?} {}", hex(&octets)));
    let context = || format!("{peer:?} {}\n{told:?}\n{read:?}", hex(&octets));
    assert_eq!(
        told.contains_key("sig_type"),
        flag(&read, "verified"),
        "{}",
        context()
    );
    assert_eq!(
        told.contains_key("parameters"),
        flag(&read, "parameters_digest"),
        "{}",
        context()
    );
    assert_eq!(
        peer.sees(&as_told(&read)),
        peer.sees(&peer.writes(&as_told(&told))),
        "{}",
        context()
    );
}

/// Without what a stack adds to what it was told to write.
fn as_told(fields: &Fields) -> Fields {
    let mut out = fields.clone();
    if flag(&out, "parameters_digest")
        && let Some(Value::Array(name)) = out.get_mut("name")
    {
        let digest = name.pop().expect("a digest");
        assert!(digest.as_str().expect("text").starts_with("2="));
    }
    for added in ["uri", "verified", "parameters_digest", "sig_value"] {
        out.remove(added);
    }
    out
}

#[test]
fn they_read_what_we_write() {
    for peer in Peer::ALL {
        let Some(mut stack) = peer.open() else {
            continue;
        };
        let mut tally = Tally::new();
        for case in cases() {
            let octets = Ours.encode(&case).unwrap();
            let ours = Ours.decode(&octets).unwrap();
            assert_eq!(as_told(&ours), case, "we read what we wrote");
            assert_eq!(case.contains_key("sig_type"), flag(&ours, "verified"));
            they_read(peer, stack.as_mut(), &octets, &mut tally);
        }
        println!("{} reads our cases: {tally:?}", stack.name());
        assert!(tally["same"] >= 19, "{tally:?}");
    }
}

/// Everything that is known to happen to random packets does.
fn outcomes_of_random_packets(peer: Peer) -> &'static [&'static str] {
    match peer {
        Peer::Ndnts => &["a number of more than 53 bits", "same"],
        Peer::PythonNdn => &["fragments are not implemented", "same"],
        Peer::NdnProtocol => &[
            "a component of another type loses its value",
            "a signature type is read as if it were a TYPE",
            "it has no link layer",
            "same",
        ],
        Peer::NdnNdnlp => &[
            "a component of another type loses its value",
            "a signature type is read as if it were a TYPE",
            "same",
        ],
    }
}

#[test]
fn they_read_what_our_generator_makes() {
    for peer in Peer::ALL {
        let Some(mut stack) = peer.open() else {
            continue;
        };
        let mut tally = Tally::new();
        for seed in 0..PACKETS {
            they_read(peer, stack.as_mut(), &made_up::packet(seed), &mut tally);
        }
        println!("{} reads our random packets: {tally:?}", stack.name());
        let outcomes: Vec<_> = tally.keys().copied().collect();
        assert_eq!(outcomes, outcomes_of_random_packets(peer));
    }
}

/// What random packets hardly ever run into.
#[test]
fn what_they_trip_over() {
    let number = fields! { "kind": "interest", "name": ["8=41", "50=010203"], "nonce": "1" };
    let token = fields! {
        "kind": "interest", "name": ["8=41"], "nonce": "1", "pit_token": "01",
    };
    let long = fields! {
        "kind": "interest", "name": ["8=41"], "nonce": "1", "lifetime": "9007199254740992",
    };
    let no_number = "a numbered component that holds no number";
    let low = "the fragment must not follow a header below 800";
    let table = [
        (Peer::NdnProtocol, &number, no_number),
        (Peer::NdnNdnlp, &number, no_number),
        (Peer::NdnNdnlp, &token, low),
        (Peer::Ndnts, &long, "a number of more than 53 bits"),
        (Peer::Ndnts, &number, "same"),
        (Peer::Ndnts, &token, "same"),
        (Peer::PythonNdn, &number, "same"),
        (Peer::PythonNdn, &token, "same"),
        (Peer::PythonNdn, &long, "same"),
    ];
    for (peer, fields, outcome) in table {
        let Some(mut stack) = peer.open() else {
            continue;
        };
        let octets = Ours.encode(fields).unwrap();
        let mut tally = Tally::new();
        they_read(peer, stack.as_mut(), &octets, &mut tally);
        assert_eq!(tally, Tally::from([(outcome, 1)]), "{peer:?}: {fields:?}");
    }
}

#[test]
fn we_read_what_they_write() {
    for peer in Peer::ALL {
        let Some(mut stack) = peer.open() else {
            continue;
        };
        let cases = cases();
        for case in &cases {
            they_write(peer, stack.as_mut(), case);
        }
        println!("we read {} cases of {}", cases.len(), stack.name());
    }
}

#[test]
fn we_read_what_they_make_of_random_fields() {
    for peer in Peer::ALL {
        let Some(mut stack) = peer.open() else {
            continue;
        };
        let mut kinds = BTreeMap::<String, u64>::new();
        for seed in 0..PACKETS {
            let fields = made_up::fields(seed);
            they_write(peer, stack.as_mut(), &fields);
            *kinds
                .entry(text(&fields, "kind").unwrap().to_owned())
                .or_default() += 1;
        }
        println!("we read random packets of {}: {kinds:?}", stack.name());
    }
}
