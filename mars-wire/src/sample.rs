//! Packets for other people's tests: valid ones, and ones with a few octets wrong.
//!
//! Every sample is read off a tape of arbitrary octets, on which a zero (or the end) always stands
//! for the simplest choice, so that a shorter or smaller tape makes a simpler packet. That is all
//! that a fuzzer or a shrinking property test needs to know about the format.

use alloc::vec;
use alloc::vec::Vec;

use crate::{
    Acks, Component, Data, Interest, KeyLocator, Label, LinkHeader, LpPacket, MAX_PACKET,
    MarsHeader, MetaInfo, NackDetail, NackReason, NameBuf, Number, Parameters, PitToken,
    SignatureInfo, SignatureType,
};

/// The octets of one datagram that decodes, in the form in which it would be encoded again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ValidPacket {
    /// The octets.
    pub octets: Vec<u8>,
}

/// The octets of one datagram that decodes, then changed in a few places. It may still decode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NearlyValidPacket {
    /// The octets.
    pub octets: Vec<u8>,
}

impl ValidPacket {
    /// The packet that `tape` stands for.
    #[must_use]
    pub fn from_tape(tape: &[u8]) -> Self {
        let octets = link_packet(&mut Tape::new(tape));
        Self { octets }
    }
}

impl NearlyValidPacket {
    /// The packet that `tape` stands for.
    #[must_use]
    pub fn from_tape(tape: &[u8]) -> Self {
        let mut tape = Tape::new(tape);
        let changes = tape.below(4);
        let places: Vec<(u8, usize, u8)> = (0..changes)
            .map(|_| {
                (
                    tape.octet(),
                    tape.number().try_into().unwrap_or(0),
                    tape.octet(),
                )
            })
            .collect();
        let mut octets = link_packet(&mut tape);
        for (kind, place, octet) in places {
            change(&mut octets, kind, place, octet);
        }
        Self { octets }
    }
}

impl NameBuf {
    /// The name that `tape` stands for.
    #[must_use]
    pub fn from_tape(tape: &[u8]) -> Self {
        name(&mut Tape::new(tape))
    }
}

/// Overwrites, flips, inserts, removes or repeats at one place, or cuts off there.
fn change(octets: &mut Vec<u8>, kind: u8, place: usize, octet: u8) {
    let at = place % octets.len().max(1);
    match kind % 6 {
        0 => octets.get_mut(at).into_iter().for_each(|o| *o = octet),
        1 => octets
            .get_mut(at)
            .into_iter()
            .for_each(|o| *o ^= 1 << (octet % 8)),
        2 => octets.insert(at, octet),
        3 if at < octets.len() => drop(octets.remove(at)),
        4 => {
            let end = at.saturating_add(octet.into()).min(octets.len());
            octets.extend_from_within(at..end);
        }
        _ => octets.truncate(at),
    }
}

/// Arbitrary octets, read from the front; zeros behind the end.
struct Tape<'a> {
    rest: &'a [u8],
}

impl<'a> Tape<'a> {
    /// Long enough for every field at once, too short to make a packet that is too long.
    const LONGEST: usize = 2000;

    fn new(octets: &'a [u8]) -> Self {
        let rest = octets.get(..Self::LONGEST).unwrap_or(octets);
        Self { rest }
    }

    fn octet(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else {
            return 0;
        };
        self.rest = rest;
        *first
    }

    /// Less than `limit`.
    fn below(&mut self, limit: u8) -> u8 {
        self.octet() % limit
    }

    fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.yes() { Some(make(self)) } else { None }
    }

    /// A number of any width, with the edges of each width among them.
    fn number(&mut self) -> u64 {
        let width = u32::from(self.below(9));
        (0..width).fold(0, |n, _| n << 8 | u64::from(self.octet()))
    }

    /// Octets of the tape: mostly few, now and then enough for a LENGTH of three octets.
    fn octets(&mut self) -> &'a [u8] {
        let len = match self.octet() {
            long @ 250.. => (usize::from(long) - 249) * 200,
            short => usize::from(short % 16),
        };
        let (octets, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.rest = rest;
        octets
    }

    fn digest(&mut self) -> [u8; 32] {
        core::array::from_fn(|_| self.octet())
    }
}

fn name(tape: &mut Tape<'_>) -> NameBuf {
    let mut name = NameBuf::new();
    for _ in 0..tape.below(8) {
        match tape.below(5) {
            0 => name.push(Component::generic(tape.octets())),
            1 => name = name.segment(tape.number()),
            2 => name = name.sequence(tape.number()),
            3 => {
                let digest = tape.digest();
                name.push(Component::trusted(Component::IMPLICIT_DIGEST, &digest));
            }
            _ => {
                let typ = u16::from_be_bytes([tape.octet(), tape.octet()]);
                let typ = typ.max(Component::GENERIC);
                name.push(Component::trusted(typ, tape.octets()));
            }
        }
    }
    name
}

/// A name with a component at least.
fn some_name(tape: &mut Tape<'_>) -> NameBuf {
    match name(tape) {
        name if name.as_name().is_empty() => name.generic(b"x"),
        name => name,
    }
}

/// The elements of names, one after the other.
fn names(tape: &mut Tape<'_>) -> Vec<u8> {
    let mut octets = Vec::new();
    for _ in 0..=tape.below(3) {
        element(
            &mut octets,
            crate::types::NAME,
            name(tape).as_name().as_value(),
        );
    }
    octets
}

fn element(out: &mut Vec<u8>, typ: u32, value: &[u8]) {
    let at = out.len();
    out.resize(at + crate::tlv::element_len(typ, value.len()), 0);
    let room = out.get_mut(at..).unwrap_or_default();
    crate::writer::Writer::new(room).element(typ, value);
}

/// Writes into a buffer that is large enough for anything here, and cuts it to size.
fn encoded<E>(encode: impl FnOnce(&mut [u8]) -> Result<usize, E>) -> Vec<u8> {
    let mut out = vec![0; MAX_PACKET];
    let len = encode(&mut out).unwrap_or(0);
    out.truncate(len);
    out
}

/// A signature: calls `then` with its information and its value.
fn signature<R>(
    tape: &mut Tape<'_>,
    extensions: &[u8],
    then: impl FnOnce(SignatureInfo<'_>, &[u8]) -> R,
) -> R {
    let typ = SignatureType(tape.number());
    let key_name = name(tape);
    let locator = match tape.below(3) {
        0 => None,
        1 => Some(KeyLocator::Name(key_name.as_name())),
        _ => Some(KeyLocator::Digest(tape.octets())),
    };
    let info = SignatureInfo {
        extensions,
        ..SignatureInfo::new(typ, locator)
    };
    then(info, tape.octets())
}

fn interest_extensions(tape: &mut Tape<'_>) -> Vec<u8> {
    use crate::types::{SIGNATURE_NONCE, SIGNATURE_SEQ_NUM, SIGNATURE_TIME};
    let mut octets = Vec::new();
    if tape.yes() {
        element(&mut octets, SIGNATURE_NONCE, &[tape.octet(); 8]);
    }
    for typ in [SIGNATURE_TIME, SIGNATURE_SEQ_NUM] {
        if tape.yes() {
            element(&mut octets, typ, Number::new(tape.number()).as_slice());
        }
    }
    octets
}

fn data_extensions(tape: &mut Tape<'_>) -> Vec<u8> {
    use crate::types::{NOT_AFTER, NOT_BEFORE, VALIDITY_PERIOD};
    let mut octets = Vec::new();
    if tape.yes() {
        let mut period = Vec::new();
        element(&mut period, NOT_BEFORE, b"20200101T000000");
        element(&mut period, NOT_AFTER, b"20300101T000000");
        element(&mut octets, VALIDITY_PERIOD, &period);
    }
    octets
}

fn parameters(tape: &mut Tape<'_>) -> Vec<u8> {
    let application = tape.octets();
    encoded(|out| {
        if tape.yes() {
            let extensions = interest_extensions(tape);
            signature(tape, &extensions, |info, value| {
                Parameters::encode(application, Some((info, value)), out)
            })
        } else {
            Parameters::encode(application, None, out)
        }
        .map(|parameters| parameters.as_octets().len())
    })
}

fn interest(tape: &mut Tape<'_>) -> Vec<u8> {
    let mut name = some_name(tape);
    let hint = tape.maybe(names);
    let parameters = tape.maybe(parameters);
    if parameters.is_some() {
        name.push(Component::trusted(
            Component::PARAMETERS_DIGEST,
            &tape.digest(),
        ));
    }
    let interest = Interest {
        name: name.as_name(),
        can_be_prefix: tape.yes(),
        must_be_fresh: tape.yes(),
        forwarding_hint: hint
            .as_deref()
            .and_then(|names| crate::ForwardingHint::from_value(names).ok()),
        nonce: tape.maybe(|tape| u32::from_be_bytes(core::array::from_fn(|_| tape.octet()))),
        lifetime_ms: tape.maybe(Tape::number),
        hop_limit: tape.maybe(Tape::octet),
        parameters: parameters
            .as_deref()
            .and_then(|octets| Parameters::from_octets(octets).ok()),
    };
    encoded(|out| interest.encode(out))
}

fn data(tape: &mut Tape<'_>) -> Vec<u8> {
    let name = name(tape);
    let last = self::name(tape);
    let meta = tape.maybe(|tape| MetaInfo {
        content_type: tape.maybe(Tape::number),
        freshness_ms: tape.maybe(Tape::number),
        final_block_id: tape.maybe(|_| last.as_name().last()).flatten(),
    });
    let content = tape.maybe(Tape::octets);
    let extensions = data_extensions(tape);
    signature(tape, &extensions, |signature_info, signature_value| {
        let data = Data {
            name: name.as_name(),
            meta,
            content,
            signature_info,
            signature_value,
        };
        encoded(|out| data.encode(out))
    })
}

fn mars_header(tape: &mut Tape<'_>) -> MarsHeader {
    MarsHeader {
        interest_queue: tape.maybe(|tape| u16::from(tape.octet())),
        data_queue: tape.maybe(|tape| u16::from(tape.octet()) << 8),
        tier_conv: tape.yes(),
        node_conv: tape.yes(),
        generation: tape.maybe(|tape| u32::from(tape.octet())),
        label: tape.maybe(|tape| Label::from_bits(tape.number())),
        nack_detail: NackDetail::from_code(tape.below(6)),
    }
}

/// Header fields around a packet, or around a piece of one, or around nothing.
fn link_packet(tape: &mut Tape<'_>) -> Vec<u8> {
    let kind = tape.below(6);
    let packet = match kind {
        0 | 1 => interest(tape),
        2 | 3 => data(tape),
        _ => Vec::new(),
    };
    let nack = if kind == 1 {
        Some(NackReason::from_code(tape.number()))
    } else {
        None
    };
    let acks: Vec<u64> = (0..tape.below(3)).map(|_| tape.number()).collect();
    let mut ack_octets = [0; 24];
    let announcement = if tape.below(8) == 7 {
        Some(data(tape))
    } else {
        None
    };
    let mut header = LinkHeader {
        pit_token: tape.maybe(Tape::octets).and_then(PitToken::new),
        sequence: tape.maybe(Tape::number),
        incoming_face_id: tape.maybe(Tape::number),
        next_hop_face_id: tape.maybe(Tape::number),
        cache_policy: tape.maybe(Tape::number),
        congestion_mark: tape.maybe(Tape::number),
        acks: Acks::encode(&acks, &mut ack_octets).unwrap_or_default(),
        tx_sequence: tape.maybe(Tape::number),
        non_discovery: tape.yes(),
        prefix_announcement: announcement.as_deref(),
        mars: mars_header(tape),
        ..LinkHeader::default()
    };
    let mut fragment = packet.as_slice();
    if kind == 5 {
        fragment = tape.octets();
        if fragment.is_empty() {
            fragment = b"piece";
        }
        header.sequence = header.sequence.or(Some(0));
        header.frag_count = Some(u64::from(tape.below(7)) + 2);
        header.frag_index = Some(u64::from(tape.below(2)));
        if header.frag_index != Some(0) {
            header.mars = MarsHeader::default();
        }
    }
    let packet = LpPacket {
        header,
        nack,
        fragment,
    };
    encoded(|out| packet.encode(out))
}

#[cfg(feature = "arbitrary")]
mod arbitrary_samples {
    use arbitrary::{Arbitrary, Result, Unstructured};

    use super::{NameBuf, NearlyValidPacket, ValidPacket};

    /// Takes all octets that are left for its tape.
    impl<'a> Arbitrary<'a> for ValidPacket {
        fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
            Ok(Self::from_tape(u.bytes(u.len())?))
        }
    }

    /// Takes all octets that are left for its tape.
    impl<'a> Arbitrary<'a> for NearlyValidPacket {
        fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
            Ok(Self::from_tape(u.bytes(u.len())?))
        }
    }

    /// Takes all octets that are left for its tape.
    impl<'a> Arbitrary<'a> for NameBuf {
        fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
            Ok(Self::from_tape(u.bytes(u.len())?))
        }
    }
}

#[cfg(feature = "proptest")]
mod proptest_samples {
    use alloc::vec::Vec;

    use proptest::arbitrary::Arbitrary;
    use proptest::collection::vec;
    use proptest::prelude::{BoxedStrategy, Strategy, any};

    use super::{NameBuf, NearlyValidPacket, ValidPacket};

    /// Longer than the tape of most packets.
    fn tape() -> impl Strategy<Value = Vec<u8>> {
        vec(any::<u8>(), 0..400)
    }

    impl Arbitrary for ValidPacket {
        type Parameters = ();
        type Strategy = BoxedStrategy<Self>;

        fn arbitrary_with((): ()) -> Self::Strategy {
            tape().prop_map(|tape| Self::from_tape(&tape)).boxed()
        }
    }

    impl Arbitrary for NearlyValidPacket {
        type Parameters = ();
        type Strategy = BoxedStrategy<Self>;

        fn arbitrary_with((): ()) -> Self::Strategy {
            tape().prop_map(|tape| Self::from_tape(&tape)).boxed()
        }
    }

    impl Arbitrary for NameBuf {
        type Parameters = ();
        type Strategy = BoxedStrategy<Self>;

        fn arbitrary_with((): ()) -> Self::Strategy {
            tape().prop_map(|tape| Self::from_tape(&tape)).boxed()
        }
    }
}
