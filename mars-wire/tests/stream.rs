//! The stream decoder: whatever the chunks, the same elements and the same fault.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use mars_time::Instant;
use mars_wire::ErrorKind::{self, BadType, NonMinimal, TooLong, Truncated};
use mars_wire::sample::ValidPacket;
use mars_wire::stream::{Error, Input, Output, StreamDecoder, StreamError};
use mars_wire::{LinkPacket, MAX_PACKET};
use proptest::prelude::*;

const NOW: Instant = Instant::ZERO;

/// Elements with their offsets, and the fault.
#[derive(Debug, Default, PartialEq, Clone)]
struct Seen {
    elements: Vec<(u64, Vec<u8>)>,
    failed: Vec<StreamError>,
}

impl Seen {
    fn drain(&mut self, decoder: &mut StreamDecoder) {
        loop {
            match decoder.poll_output() {
                Output::Element { offset, octets } => {
                    assert_eq!(self.failed, [], "no element behind the fault");
                    self.elements.push((offset, octets.to_vec()));
                }
                Output::Failed(error) => self.failed.push(error),
                Output::Timeout(wake) => break assert_eq!(wake, None),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Feeds the chunks, drains after each or only at the end, then ends the stream.
fn feed<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, eager: bool) -> (Seen, StreamDecoder) {
    let mut decoder = StreamDecoder::new();
    let mut seen = Seen::default();
    for chunk in chunks {
        decoder.handle_input(NOW, Input::Octets(chunk)).unwrap();
        if eager {
            seen.drain(&mut decoder);
        }
    }
    decoder.handle_input(NOW, Input::End).unwrap();
    seen.drain(&mut decoder);
    (seen, decoder)
}

fn error(offset: u64, kind: ErrorKind) -> Vec<StreamError> {
    vec![StreamError { offset, kind }]
}

/// An element of this many octets in all, 4 of them TYPE and LENGTH.
fn long(octets: usize) -> Vec<u8> {
    let [high, low] = u16::try_from(octets - 4).unwrap().to_be_bytes();
    let mut element = vec![7; octets];
    element[..4].copy_from_slice(&[6, 0xFD, high, low]);
    element
}

#[test]
fn elements_come_in_order_with_their_offsets() {
    let elements = [vec![5, 0], long(8800), vec![6, 3, 1, 2, 3], long(257)];
    let stream = elements.concat();
    for size in [1, 2, 3, 7, 1_500, 8_799, 8_800, 8_801, 100_000] {
        for eager in [true, false] {
            let (seen, decoder) = feed(stream.chunks(size), eager);
            let offsets = [0, 2, 8_802, 8_807];
            let expected: Vec<_> = offsets.into_iter().zip(elements.clone()).collect();
            assert_eq!(seen.elements, expected, "{size}");
            assert_eq!((seen.failed, decoder.ignored()), (vec![], 0));
        }
    }
}

/// Each fault behind two good elements of 7 octets: its offset behind them, its kind, and the octets
/// of it that show it.
#[test]
fn every_fault_is_told_once_with_its_offset() {
    let table: [(&[u8], u64, ErrorKind); 13] = [
        (&[0], 0, BadType),
        (&[0xFF, 0, 0, 0, 1, 0, 0, 0, 0], 0, BadType),
        (&[0xFF, 255, 255, 255, 255, 255, 255, 255, 255], 0, BadType),
        (&[0xFD, 0, 5], 0, NonMinimal),
        (&[0xFE, 0, 0, 1, 0], 0, NonMinimal),
        (&[0xFF, 0, 0, 0, 0, 1, 0, 0, 0], 0, NonMinimal),
        (&[5, 0xFD, 0, 252], 1, NonMinimal),
        (&[5, 0xFE, 0, 0, 255, 255], 1, NonMinimal),
        (&[0xFD, 3, 32, 0xFF, 0, 0, 0, 0, 0, 0, 0, 9], 3, NonMinimal),
        (&[5, 0xFD, 0x22, 0x5D], 0, TooLong),
        (&[0xFD, 3, 32, 0xFD, 0x22, 0x5B], 0, TooLong),
        (&[5, 0xFE, 255, 255, 255, 255], 0, TooLong),
        (
            &[5, 0xFF, 255, 255, 255, 255, 255, 255, 255, 255],
            0,
            TooLong,
        ),
    ];
    let good = [5, 1, 9, 6, 2, 8, 8];
    for (octets, offset, kind) in table {
        let stream = [&good, octets, &[5, 0, 5, 0]].concat();
        let expected = error(7 + offset, kind);
        for size in [1, 2, 3, 5, 100] {
            let (seen, decoder) = feed(stream.chunks(size), size % 2 == 0);
            assert_eq!(seen.elements.len(), 2);
            assert_eq!(seen.failed, expected, "{octets:02x?} by {size}");
            assert_eq!(decoder.ignored(), octets.len() as u64 + 4);
        }
        // As soon as the last octet that shows it is there, and not before.
        let mut decoder = StreamDecoder::new();
        let (last, before) = octets.split_last().unwrap();
        let before = [&good, before].concat();
        decoder.handle_input(NOW, Input::Octets(&before)).unwrap();
        let mut seen = Seen::default();
        seen.drain(&mut decoder);
        assert_eq!(seen.failed, []);
        decoder.handle_input(NOW, Input::Octets(&[*last])).unwrap();
        seen.drain(&mut decoder);
        assert_eq!(seen.failed, expected);
    }
}

#[test]
fn a_failed_stream_stays_failed() {
    let mut decoder = StreamDecoder::new();
    let mut seen = Seen::default();
    decoder
        .handle_input(NOW, Input::Octets(&[5, 0, 0]))
        .unwrap();
    for _ in 0..3 {
        decoder.handle_input(NOW, Input::Octets(&[5, 0])).unwrap();
        decoder.handle_input(NOW, Input::End).unwrap();
        seen.drain(&mut decoder);
    }
    assert_eq!(seen.elements.len(), 1);
    assert_eq!(seen.failed, error(2, BadType));
    assert_eq!(decoder.ignored(), 1 + 3 * 2);
}

#[test]
fn an_end_inside_an_element_is_a_fault_of_that_element() {
    let stream = [&[5, 0][..], &long(300)].concat();
    for len in 0..=stream.len() {
        let (seen, decoder) = feed([&stream[..len]], true);
        let (failed, ignored) = match len {
            0 | 2 | 302 => (vec![], 0),
            1 => (error(0, Truncated), 1),
            _ => (error(2, Truncated), len as u64 - 2),
        };
        assert_eq!((seen.failed, decoder.ignored()), (failed, ignored), "{len}");
    }
}

#[test]
fn nothing_may_follow_the_end() {
    let mut decoder = StreamDecoder::new();
    decoder.handle_input(NOW, Input::Octets(&[5, 0])).unwrap();
    decoder.handle_input(NOW, Input::End).unwrap();
    for late in [Input::Octets(&[5, 0]), Input::Octets(&[]), Input::End] {
        assert_eq!(decoder.handle_input(NOW, late), Err(Error::AfterEnd));
    }
    decoder.handle_input(NOW, Input::Timeout).unwrap();
    let mut seen = Seen::default();
    seen.drain(&mut decoder);
    assert_eq!(seen.elements, [(0, vec![5, 0])]);
}

/// Bad inside, good outside: the fault of one packet, not of the stream.
#[test]
fn what_is_inside_is_not_looked_into() {
    let elements: [&[u8]; 4] = [&[5, 2, 7, 9], &[9, 0], &[100, 3, 80, 1, 0], &[5, 1, 0]];
    let stream = elements.concat();
    let (seen, _) = feed([&stream[..]], true);
    assert_eq!(seen.failed, []);
    for ((_, octets), element) in seen.elements.iter().zip(elements) {
        assert_eq!(octets, element);
        assert!(LinkPacket::decode(octets).is_err());
    }
}

/// What a byte-at-a-time reader of the whole stream would say.
fn by_hand(stream: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let mut at = 0;
    while at < stream.len() {
        match mars_wire::stream::element_len(&stream[at..]) {
            Ok(Some(len)) if at + len <= stream.len() => {
                seen.elements
                    .push((at as u64, stream[at..at + len].to_vec()));
                at += len;
            }
            Ok(_) => {
                seen.failed = error(at as u64, Truncated);
                break;
            }
            Err(fault) => {
                seen.failed = error((at + fault.offset) as u64, fault.kind);
                break;
            }
        }
    }
    seen
}

/// Cuts `stream` where the sizes say, then at its end.
fn chunks(stream: &[u8], sizes: Vec<usize>) -> Vec<&[u8]> {
    let mut rest = stream;
    let mut chunks = Vec::new();
    for size in sizes {
        let (chunk, behind) = rest.split_at(size.min(rest.len()));
        chunks.push(chunk);
        rest = behind;
    }
    chunks.push(rest);
    chunks
}

proptest! {
    #[test]
    fn packets_survive_any_chunking(
        packets: Vec<ValidPacket>,
        sizes in prop::collection::vec(0..400_usize, 0..40),
        eager: bool,
    ) {
        let octets: Vec<_> = packets.into_iter().map(|packet| packet.octets).collect();
        let stream = octets.concat();
        let (seen, _) = feed(chunks(&stream, sizes), eager);
        prop_assert_eq!(seen.failed, vec![]);
        let elements: Vec<_> = seen.elements.into_iter().map(|(_, octets)| octets).collect();
        prop_assert_eq!(elements, octets);
    }

    #[test]
    fn any_octets_give_the_same_in_any_chunking(
        octets in prop::collection::vec(prop_oneof![4 => 0..8_u8, 1 => 250..=255_u8, 1 => any::<u8>()], 0..200),
        sizes in prop::collection::vec(0..20_usize, 0..40),
        eager: bool,
    ) {
        let (seen, decoder) = feed(chunks(&octets, sizes), eager);
        let whole: usize = seen.elements.iter().map(|(_, octets)| octets.len()).sum();
        if seen.failed.is_empty() {
            prop_assert_eq!(whole, octets.len());
        } else {
            prop_assert_eq!(decoder.ignored(), (octets.len() - whole) as u64);
        }
        prop_assert!(seen.elements.iter().all(|(_, octets)| octets.len() <= MAX_PACKET));
        prop_assert_eq!(seen, by_hand(&octets));
    }
}
