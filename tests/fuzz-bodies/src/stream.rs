//! Body for the stream decoder of `mars-wire`.

use mars_time::Instant;
use mars_wire::stream::{Input, Output, StreamDecoder, StreamError, element_len};
use mars_wire::{ErrorKind, LinkPacket, MAX_PACKET};

/// Elements with their offsets, the fault, and how many octets are in no element.
#[derive(Debug, PartialEq)]
struct Seen {
    elements: Vec<(u64, Vec<u8>)>,
    failed: Vec<StreamError>,
    ignored: u64,
}

/// Any octets, cut anywhere: the same elements and the same fault as a scan of the whole. The first
/// octet says how many of the next are sizes of chunks.
pub fn stream(tape: &[u8]) {
    let (sizes, octets) = match tape.split_first() {
        Some((count, rest)) => rest.split_at(rest.len().min(usize::from(count % 16))),
        None => (tape, tape),
    };
    let expected = scan(octets);
    assert_eq!(fed([octets], true), expected);
    assert_eq!(fed(octets.chunks(1), true), expected);
    // A decoder that fails is fed on: what comes later is counted, and changes nothing else.
    assert_eq!(fed(chunks(octets, sizes), true), expected);
    assert_eq!(fed(chunks(octets, sizes), false), expected);
    for (_, element) in &expected.elements {
        assert!((2..=MAX_PACKET).contains(&element.len()));
        // The decoder of packets sees the same TYPE and LENGTH.
        let fault = LinkPacket::decode(element).err();
        let of_head = |kind| matches!(kind, ErrorKind::TooLong | ErrorKind::Trailing);
        assert!(fault.is_none_or(|fault| !of_head(fault.kind)), "{fault:?}");
    }
}

/// Chunks of these sizes, over and over.
fn chunks<'a>(octets: &'a [u8], sizes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = octets;
    let mut sizes = sizes.iter().cycle();
    core::iter::from_fn(move || {
        let size = sizes.next().map_or(7, |size| usize::from(*size) * 3 + 1);
        let (chunk, behind) = rest.split_at(size.min(rest.len()));
        rest = behind;
        (!chunk.is_empty()).then_some(chunk)
    })
}

fn fed<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, eager: bool) -> Seen {
    let now = Instant::ZERO;
    let mut decoder = StreamDecoder::new();
    let mut seen = Seen {
        elements: Vec::new(),
        failed: Vec::new(),
        ignored: 0,
    };
    for chunk in chunks {
        decoder.handle_input(now, Input::Octets(chunk)).unwrap();
        // One at a time, so that the decoder is never empty; or all.
        while poll(&mut decoder, &mut seen) && eager {}
    }
    decoder.handle_input(now, Input::End).unwrap();
    while poll(&mut decoder, &mut seen) {}
    seen.ignored = decoder.ignored();
    seen
}

/// Takes one output; false at the end of the drain.
fn poll(decoder: &mut StreamDecoder, seen: &mut Seen) -> bool {
    match decoder.poll_output() {
        Output::Element { offset, octets } => seen.elements.push((offset, octets.to_vec())),
        Output::Failed(error) => seen.failed.push(error),
        Output::Timeout(wake) => {
            assert_eq!(wake, None);
            return false;
        }
        other => panic!("{other:?}"),
    }
    true
}

/// One scan of the whole stream.
fn scan(octets: &[u8]) -> Seen {
    let mut elements = Vec::new();
    let mut at = 0;
    let fault = loop {
        match element_len(&octets[at..]) {
            _ if at == octets.len() => break None,
            Ok(Some(len)) if at + len <= octets.len() => {
                elements.push((at as u64, octets[at..at + len].to_vec()));
                at += len;
            }
            Ok(_) => break Some((at, ErrorKind::Truncated)),
            Err(fault) => break Some((at + fault.offset, fault.kind)),
        }
    };
    let failed = fault.map(|(at, kind)| StreamError {
        offset: at as u64,
        kind,
    });
    Seen {
        elements,
        failed: failed.into_iter().collect(),
        ignored: (octets.len() - at) as u64,
    }
}
