//! What a forwarder may be told, honest or not, in a form that is easily drawn and made smaller.

use alloc::vec::Vec;
use core::time::Duration;

use mars_time::Instant;
use mars_wire::{Component, Label, MarsHeader, MarsName, NackDetail, NameBuf};
use proptest::prelude::*;

use crate::{Data, FaceId, FaceKind, Forwarder, Input, Interest, Nack, Route};

#[derive(Clone, Debug)]
pub(super) enum Op {
    Pass(u16),
    Flap(u8, bool),
    Remove(u8),
    Routes(u8, Vec<(u8, u8)>),
    Producer(u8, bool),
    Probe {
        face: u8,
        dest: u8,
        idx: u8,
        seq: u8,
        nonce: u8,
        generation: u8,
        bound: Option<u8>,
        lifetime: u8,
    },
    Answer {
        face: u8,
        dest: u8,
        idx: u8,
        seq: u8,
        rank: Option<(u8, u8)>,
        flags: (bool, bool),
    },
    Interest {
        face: u8,
        dest: u8,
        segment: u8,
        nonce: u8,
        lifetime: u8,
    },
    Data {
        face: u8,
        dest: u8,
        segment: u8,
        queues: (u8, u8),
    },
    Nack {
        face: u8,
        dest: u8,
        probe: Option<(u8, u8)>,
        segment: u8,
        detail: u8,
        generation: u8,
    },
}

pub(super) const FACES: u8 = 5;

pub(super) fn op() -> impl Strategy<Value = Op> {
    let face = 0..FACES;
    let dest = 0..2u8;
    prop_oneof![
        2 => any::<u16>().prop_map(Op::Pass),
        1 => (face.clone(), any::<bool>()).prop_map(|(f, up)| Op::Flap(f, up)),
        1 => face.clone().prop_map(Op::Remove),
        1 => (dest.clone(), proptest::collection::vec((face.clone(), 1..4u8), 0..4)).prop_map(|(d, r)| Op::Routes(d, r)),
        1 => (dest.clone(), any::<bool>()).prop_map(|(d, on)| Op::Producer(d, on)),
        8 => (face.clone(), dest.clone(), 0..3u8, 0..4u8, 0..20u8, 0..3u8, proptest::option::of(0..6u8), 1..200u8)
            .prop_map(|(face, dest, idx, seq, nonce, generation, bound, lifetime)| Op::Probe { face, dest, idx, seq, nonce, generation, bound, lifetime }),
        8 => (face.clone(), dest.clone(), 0..3u8, 0..4u8, proptest::option::of((0..3u8, 0..6u8)), any::<(bool, bool)>())
            .prop_map(|(face, dest, idx, seq, rank, flags)| Op::Answer { face, dest, idx, seq, rank, flags }),
        8 => (face.clone(), dest.clone(), 0..12u8, 0..40u8, 1..200u8)
            .prop_map(|(face, dest, segment, nonce, lifetime)| Op::Interest { face, dest, segment, nonce, lifetime }),
        8 => (face.clone(), dest.clone(), 0..12u8, any::<(u8, u8)>())
            .prop_map(|(face, dest, segment, queues)| Op::Data { face, dest, segment, queues }),
        4 => (face, dest, proptest::option::of((0..3u8, 0..4u8)), 0..12u8, 0..6u8, 0..40u8)
            .prop_map(|(face, dest, probe, segment, detail, generation)| Op::Nack { face, dest, probe, segment, detail, generation }),
    ]
}

pub(super) fn dest_name(dest: u8) -> NameBuf {
    let name = NameBuf::new().generic(b"d");
    if dest == 0 {
        name
    } else {
        name.generic(&[dest])
    }
}

fn probe_name(dest: u8, idx: u8, seq: u8) -> NameBuf {
    let (dest, src) = (dest_name(dest), Component::generic(b"s"));
    let (probe_idx, seq) = (idx.into(), seq.into());
    MarsName::Discovery {
        dest: dest.as_name(),
        src,
        probe_idx,
        seq,
    }
    .to_name_buf()
}

fn data_name(dest: u8, segment: u8) -> NameBuf {
    MarsName::Data {
        dest: dest_name(dest).as_name(),
        segment: segment.into(),
    }
    .to_name_buf()
}

fn label(label: u8) -> Label {
    Label::from_bits(u64::from(label) << 32)
}

// One arm per kind of input.
#[allow(clippy::too_many_lines)]
pub(super) fn apply(forwarder: &mut Forwarder<u8>, now: &mut Instant, op: &Op) {
    let id = |face: u8| FaceId(face.into());
    if let Op::Pass(ms) = op {
        *now += Duration::from_millis(u64::from(ms % 1_000));
    }
    let mut give = |input: Input<'_, u8>| {
        // Some break the contract (a producer behind a face that is not local): nothing may change.
        let _ = forwarder.handle_input(*now, input);
    };
    match *op {
        Op::Pass(_) => give(Input::Timeout),
        Op::Flap(face, true) => give(Input::FaceUp { face: id(face) }),
        Op::Flap(face, false) => give(Input::FaceDown { face: id(face) }),
        Op::Remove(face) => {
            give(Input::FaceRemoved { face: id(face) });
            let kind = if face == 0 {
                FaceKind::Local
            } else {
                FaceKind::Mars
            };
            give(Input::FaceAdded {
                face: id(face),
                kind,
            });
        }
        Op::Routes(dest, ref routes) => {
            let routes: Vec<Route> = routes
                .iter()
                .map(|(f, h)| Route {
                    face: id(*f),
                    hops: (*h).into(),
                })
                .collect();
            give(Input::Routes {
                prefix: dest_name(dest).as_name(),
                routes: &routes,
            });
        }
        Op::Producer(dest, true) => give(Input::ProducerRegistered {
            prefix: dest_name(dest).as_name(),
            face: id(0),
        }),
        Op::Producer(dest, false) => give(Input::ProducerWithdrawn {
            prefix: dest_name(dest).as_name(),
            face: id(0),
        }),
        Op::Probe {
            face,
            dest,
            idx,
            seq,
            nonce,
            generation,
            bound,
            lifetime,
        } => {
            let name = probe_name(dest, idx, seq);
            let header = MarsHeader {
                generation: Some(generation.into()),
                label: bound.map(label),
                ..MarsHeader::default()
            };
            let interest = interest(&name, nonce, lifetime, header);
            give(Input::Interest {
                face: id(face),
                interest,
                packet: 1,
            });
        }
        Op::Answer {
            face,
            dest,
            idx,
            seq,
            rank,
            flags,
        } => {
            let name = probe_name(dest, idx, seq);
            let header = MarsHeader {
                tier_conv: flags.0,
                node_conv: flags.1,
                generation: rank.map(|r| r.0.into()),
                label: rank.map(|r| label(r.1)),
                ..MarsHeader::default()
            };
            give(Input::Data {
                face: id(face),
                data: Data {
                    name: name.as_name(),
                    freshness: Some(Duration::from_millis(200)),
                    octets: 8,
                    header,
                },
                packet: 2,
            });
        }
        Op::Interest {
            face,
            dest,
            segment,
            nonce,
            lifetime,
        } => {
            let name = data_name(dest, segment);
            let interest = interest(&name, nonce, lifetime, MarsHeader::default());
            give(Input::Interest {
                face: id(face),
                interest,
                packet: 3,
            });
        }
        Op::Data {
            face,
            dest,
            segment,
            queues,
        } => {
            let name = data_name(dest, segment);
            let header = MarsHeader {
                interest_queue: Some(queues.0.into()),
                data_queue: Some(queues.1.into()),
                ..MarsHeader::default()
            };
            give(Input::Data {
                face: id(face),
                data: Data {
                    name: name.as_name(),
                    freshness: Some(Duration::from_millis(200)),
                    octets: 8,
                    header,
                },
                packet: 4,
            });
        }
        Op::Nack {
            face,
            dest,
            probe,
            segment,
            detail,
            generation,
        } => {
            let name = probe.map_or_else(
                || data_name(dest, segment),
                |(idx, seq)| probe_name(dest, idx, seq),
            );
            let detail = [
                NackDetail::Order,
                NackDetail::NoRoute,
                NackDetail::Duplicate,
                NackDetail::Stale,
                NackDetail::QueueFull,
            ]
            .get(usize::from(detail))
            .copied();
            let header = MarsHeader {
                nack_detail: detail,
                generation: Some(generation.into()),
                ..MarsHeader::default()
            };
            let reason = detail.map_or(mars_wire::NackReason::None, NackDetail::reason);
            let nack = Nack {
                name: name.as_name(),
                nonce: None,
                reason,
                header,
            };
            give(Input::Nack {
                face: id(face),
                nack,
            });
        }
    }
}

fn interest(name: &NameBuf, nonce: u8, lifetime: u8, header: MarsHeader) -> Interest<'_> {
    Interest {
        name: name.as_name(),
        nonce: Some(nonce.into()),
        lifetime: Duration::from_millis(u64::from(lifetime) * 10),
        hop_limit: None,
        pit_token: None,
        must_be_fresh: nonce.is_multiple_of(2),
        header,
    }
}
