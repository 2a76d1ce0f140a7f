//! Once their buffers have grown to size, the machines of `mars-wire` do not allocate.

use mars_fuzz_bodies::counting::{Counting, allocations};
use mars_time::Instant;
use mars_wire::fragmenter::{self, Fragmenter};
use mars_wire::reassembler::{self, Reassembler};
use mars_wire::stream::{self, StreamDecoder};
use mars_wire::{LinkHeader, LpPacket, PitToken};

#[global_allocator]
static COUNTING: Counting = Counting;

const NOW: Instant = Instant::ZERO;

/// Packets of these sizes, cut to 1,280 octets.
fn cut(fragmenter: &mut Fragmenter<()>, link: &mut [Vec<u8>], octets: &[u8]) {
    let header = LinkHeader {
        pit_token: PitToken::new(&[1, 2, 3, 4]),
        ..LinkHeader::default()
    };
    let input = fragmenter::Input::Packet {
        header: &header,
        nack: None,
        len: octets.len(),
        packet: (),
    };
    fragmenter.handle_input(NOW, input).unwrap();
    let mut nth = 0;
    while let fragmenter::Output::Transmit { head, range, .. } = fragmenter.poll_output() {
        let datagram = &mut link[nth];
        datagram.clear();
        datagram.extend_from_slice(head);
        datagram.extend_from_slice(&octets[range]);
        nth += 1;
    }
    link[nth..].iter_mut().for_each(Vec::clear);
}

#[test]
fn cutting_and_putting_together() {
    let octets = [7; 8_700];
    let mut fragmenter = Fragmenter::new(fragmenter::Config::new(1_280)).unwrap();
    let mut reassembler = Reassembler::new(reassembler::Config::default(), NOW).unwrap();
    let mut link = vec![Vec::new(); 8];
    let mut whole = 0;
    let mut round = |len: usize| {
        cut(&mut fragmenter, &mut link, &octets[..len]);
        for datagram in link.iter().rev().filter(|datagram| !datagram.is_empty()) {
            let packet = LpPacket::decode(datagram).unwrap();
            let input = reassembler::Input::Packet(&packet);
            reassembler.handle_input(NOW, input).unwrap();
            while let reassembler::Output::Packet(packet) = reassembler.poll_output() {
                assert_eq!(packet.fragment.len(), len);
                whole += 1;
            }
        }
    };
    let lens = [8_700, 1_000, 3_000, 8_700, 40];
    lens.into_iter().for_each(&mut round);
    let made = allocations(|| {
        for _ in 0..100 {
            lens.into_iter().for_each(&mut round);
        }
    });
    assert_eq!((made, whole), (0, 101 * lens.len()));
}

/// Somebody opens messages without end: what is full stays as it is.
#[test]
fn a_flood() {
    let mut reassembler = Reassembler::new(reassembler::Config::default(), NOW).unwrap();
    let octets = [7; 1_000];
    let mut flood = |from: u64| {
        for nth in from..from + 10_000 {
            let packet = LpPacket {
                header: LinkHeader {
                    sequence: Some(nth.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
                    frag_index: Some(1),
                    frag_count: Some(256),
                    ..LinkHeader::default()
                },
                nack: None,
                fragment: &octets,
            };
            let input = reassembler::Input::Packet(&packet);
            reassembler.handle_input(NOW, input).unwrap();
            while let reassembler::Output::Event(_) = reassembler.poll_output() {}
        }
    };
    flood(0);
    assert_eq!(allocations(|| flood(10_000)), 0);
}

#[test]
fn reading_a_stream() {
    let mut stream = [5, 0].repeat(3_000);
    stream.extend([6, 0xFD, 0x22, 0x5C]);
    stream.resize(stream.len() + 8_796, 0);
    let mut decoder = StreamDecoder::new();
    let mut elements = 0;
    let mut read = || {
        for octets in stream.chunks(1_000) {
            let input = stream::Input::Octets(octets);
            decoder.handle_input(NOW, input).unwrap();
            while let stream::Output::Element { .. } = decoder.poll_output() {
                elements += 1;
            }
        }
    };
    read();
    assert_eq!(allocations(read), 0);
    assert_eq!(elements, 2 * 3_001);
}
