//! The fragmenter.

use super::*;

#[test]
fn a_packet_that_fits_goes_as_it_is() {
    let octets = octets(1_000);
    let bare = LpPacket {
        fragment: &octets,
        ..LpPacket::default()
    };
    let idle = LpPacket {
        header: header(),
        ..LpPacket::default()
    };
    for packet in [bare, with_header(&octets), idle] {
        let len = packet.encoded_len();
        let mut whole = vec![0; len];
        packet.encode(&mut whole).unwrap();
        let config = fragmenter::Config::new(len.max(64));
        assert_eq!(cut(config, &packet), [whole]);
        if len > 64 {
            let config = fragmenter::Config::new(len - 1);
            assert_eq!(cut(config, &packet).len(), 2);
        }
    }
}

#[test]
fn a_packet_that_fits_is_numbered_if_asked_for() {
    let octets = octets(100);
    let mut config = fragmenter::Config::new(200);
    config.number_all = true;
    config.first_sequence = u64::MAX;
    let mut fragmenter = fragmenter(config);
    for sequence in [u64::MAX, 0, 1] {
        send(&mut fragmenter, &with_header(&octets)).unwrap();
        let datagrams = drain(&mut fragmenter);
        let packet = LpPacket::decode(&datagrams[0]).unwrap();
        let header = LinkHeader {
            sequence: Some(sequence),
            ..header()
        };
        assert_eq!(datagrams.len(), 1);
        assert_eq!((packet.header, packet.fragment), (header, &octets[..]));
    }
}

/// A Sequence of the link before is not sent on, nor are numbers that say "one of one". They do not
/// count either: the longest packet still goes.
#[test]
fn numbers_of_another_link_are_not_sent_on() {
    for len in [64, MAX_PACKET] {
        let octets = octets(len);
        let packet = LpPacket {
            header: LinkHeader {
                sequence: Some(7),
                frag_index: Some(0),
                frag_count: Some(1),
                ..LinkHeader::default()
            },
            nack: None,
            fragment: &octets,
        };
        let datagrams = cut(fragmenter::Config::new(len), &packet);
        assert_eq!(datagrams.len(), 1);
        assert_eq!(datagrams[0], octets);
    }
}

#[test]
fn numbers_rise_and_header_fields_stand_in_the_first_fragment() {
    let octets = octets(3_000);
    let mut config = fragmenter::Config::new(1_000);
    config.first_sequence = u64::MAX - 4;
    let mut fragmenter = fragmenter(config);
    let mut sequence = u64::MAX - 4;
    for _ in 0..3 {
        send(&mut fragmenter, &with_header(&octets)).unwrap();
        let datagrams = drain(&mut fragmenter);
        assert_eq!(datagrams.len(), 4);
        let mut payload = Vec::new();
        for (index, datagram) in datagrams.iter().enumerate() {
            assert!(datagram.len() <= 1_000);
            let packet = LpPacket::decode(datagram).unwrap();
            let others = match index {
                0 => header(),
                _ => LinkHeader::default(),
            };
            let expected = LinkHeader {
                sequence: Some(sequence),
                frag_index: Some(index as u64),
                frag_count: Some(4),
                ..others
            };
            assert_eq!(packet.header, expected);
            let nack = (index == 0).then_some(NackReason::NoRoute);
            assert_eq!(packet.nack, nack);
            payload.extend_from_slice(packet.fragment);
            sequence = sequence.wrapping_add(1);
        }
        assert_eq!(payload, octets);
    }
}

/// Every link packet but the last of its message is full: one octet more would not fit.
#[test]
fn fragments_are_full() {
    let octets = octets(MAX_PACKET);
    for mtu in (64..600).chain([1_280, 1_500, 8_000, 8_799]) {
        let config = fragmenter::Config::new(mtu);
        let bare = LpPacket {
            fragment: &octets,
            ..LpPacket::default()
        };
        let datagrams = cut(config, &bare);
        let (last, full) = datagrams.split_last().unwrap();
        assert!(last.len() <= mtu && datagrams.len() <= 200);
        for datagram in full {
            // Where a LENGTH would grow, up to four octets are left.
            let slack = if (255..285).contains(&mtu) { 4 } else { 0 };
            let fits = mtu - slack..=mtu;
            assert!(fits.contains(&datagram.len()), "{mtu} {}", datagram.len());
        }
    }
}

#[test]
fn faults_of_the_sender_change_nothing() {
    use fragmenter::Error::{Fragment, HeaderTooLong, Invalid, TooManyFragments};
    let octets = octets(8_801);
    let packet = |len: usize, header: LinkHeader<'static>| LpPacket {
        header,
        nack: None,
        fragment: &octets[..len],
    };
    let none = LinkHeader::default();
    let numbered = |index, count| LinkHeader {
        sequence: Some(1),
        frag_index: index,
        frag_count: count,
        ..none
    };
    let long = LinkHeader {
        pit_token: PitToken::new(&[7; 32]),
        congestion_mark: Some(u64::MAX),
        ..none
    };
    let table = [
        (packet(8_801, none), Invalid(ErrorKind::TooLong)),
        (packet(8_790, long), Invalid(ErrorKind::TooLong)),
        (
            packet(10, numbered(Some(1), None)),
            Invalid(ErrorKind::BadFragment),
        ),
        (
            packet(10, numbered(None, Some(0))),
            Invalid(ErrorKind::BadFragment),
        ),
        (packet(10, numbered(Some(0), Some(2))), Fragment),
        (packet(8_000, long), HeaderTooLong),
        (packet(4_049, none), TooManyFragments { needed: 93 }),
    ];
    let mut config = fragmenter::Config::new(64);
    config.max_fragments = 92;
    let mut fragmenter = fragmenter(config);
    for (packet, error) in table {
        let before = format!("{fragmenter:?}");
        assert_eq!(send(&mut fragmenter, &packet), Err(error));
        assert_eq!(format!("{fragmenter:?}"), before);
    }
    // The most that is allowed goes: 44 octets of 64 each.
    send(&mut fragmenter, &packet(92 * 44, none)).unwrap();
    assert_eq!(drain(&mut fragmenter).len(), 92);
}

#[test]
fn the_packet_stays_with_the_host() {
    let packet = Rc::new(octets(3_000));
    let mut fragmenter = fragmenter(fragmenter::Config::new(1_000));
    for _ in 0..2 {
        let input = fragmenter::Input::Packet {
            header: &LinkHeader::default(),
            nack: None,
            len: 3_000,
            packet: packet.clone(),
        };
        fragmenter.handle_input(NOW, input).unwrap();
    }
    assert_eq!(Rc::strong_count(&packet), 3);
    assert_eq!(drain(&mut fragmenter).len(), 8);
    assert_eq!(Rc::strong_count(&packet), 1);
}
