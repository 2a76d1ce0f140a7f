//! The reassembler.

use super::*;

#[test]
fn what_was_never_cut_passes_as_it_came() {
    let mut buffer = [0; 64];
    let acks = Acks::encode(&[1, 2, 3], &mut buffer).unwrap();
    let octets = octets(1_000);
    let numbered = LinkHeader {
        sequence: Some(9),
        frag_index: Some(0),
        frag_count: Some(1),
        acks,
        ..header()
    };
    let mut receiver = Receiver::new(reassembler::Config::default());
    let packets = [
        LpPacket::default(),
        LpPacket {
            fragment: &octets,
            ..LpPacket::default()
        },
        with_header(&octets),
        LpPacket {
            header: numbered,
            ..with_header(&octets)
        },
        LpPacket {
            header: numbered,
            ..LpPacket::default()
        },
    ];
    for packet in packets {
        receiver.input(NOW, reassembler::Input::Packet(&packet));
        assert_eq!(receiver.packets.pop(), Some(whole(&packet)));
    }
    assert_eq!(receiver.counters().passed, 5);
    assert_eq!(receiver.wake, None);
}

/// In all 24 orders, each fragment twice.
#[test]
fn any_order_will_do() {
    let octets = octets(3_000);
    let packet = with_header(&octets);
    let datagrams = cut(fragmenter::Config::new(1_000), &packet);
    let mut receiver = Receiver::new(reassembler::Config::default());
    for order in 0..256_usize {
        let order = [order % 4, order / 4 % 4, order / 16 % 4, order / 64];
        if (0..4).any(|index| !order.contains(&index)) {
            continue;
        }
        let before = receiver.counters();
        for (nth, index) in order.into_iter().enumerate() {
            assert_eq!(receiver.packets, []);
            receiver.datagram(NOW, &datagrams[index]);
            if nth < 3 {
                receiver.datagram(NOW, &datagrams[index]);
            }
        }
        assert_eq!(receiver.packets.pop(), Some(whole(&packet)));
        let after = receiver.counters();
        assert_eq!(after.duplicates - before.duplicates, 3);
        assert_eq!(after.fragments - before.fragments, 4);
        assert_eq!(receiver.machine.messages(), 0);
        assert_eq!(receiver.machine.octets(), 0);
    }
    assert_eq!(receiver.counters().reassembled, 24);
    assert_eq!(receiver.events, []);
}

#[test]
fn header_fields_of_other_fragments_are_ignored() {
    let token = |octet| LinkHeader {
        pit_token: PitToken::new(&[octet]),
        congestion_mark: Some(octet.into()),
        ..LinkHeader::default()
    };
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let mut receiver = Receiver::new(reassembler::Config::default());
        for index in order {
            let octets = [index; 4];
            let piece = Piece(5, index.into(), 3).packet(&octets);
            let fragment = LpPacket {
                header: LinkHeader {
                    sequence: piece.header.sequence,
                    frag_index: piece.header.frag_index,
                    frag_count: piece.header.frag_count,
                    ..token(index)
                },
                nack: Some(NackReason::from_code(100 + u64::from(index))),
                fragment: &octets,
            };
            receiver.input(NOW, reassembler::Input::Packet(&fragment));
        }
        let expected = LpPacket {
            header: token(0),
            nack: Some(NackReason::from_code(100)),
            fragment: &[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2],
        };
        assert_eq!(receiver.packets, [whole(&expected)]);
    }
}

#[test]
fn message_ids_wrap_around() {
    let mut receiver = Receiver::new(reassembler::Config::default());
    let message = u64::MAX - 1;
    for index in [3, 0, 2, 1] {
        receiver.piece(NOW, Piece(message, index, 4));
    }
    assert_eq!(receiver.packets.len(), 1);
    // Index 1 with Sequence 0 is of message 2^64-1.
    receiver.piece(NOW, Piece(0_u64.wrapping_sub(1), 1, 2));
    receiver.piece(NOW, Piece(0, 1, 2));
    assert_eq!(receiver.machine.messages(), 2);
}

/// The same Sequences, taken for fragments of other messages.
#[test]
fn interleaved_messages_do_not_mix() {
    let mut receiver = Receiver::new(reassembler::Config::default());
    let count = 5_u8;
    for index in (0..count).rev() {
        for message in 10..20_u8 {
            let fragment = [message * 10 + index; 300];
            let packet = Piece(message.into(), index.into(), count.into()).packet(&fragment);
            receiver.input(NOW, reassembler::Input::Packet(&packet));
        }
    }
    assert_eq!(receiver.events, []);
    for (message, packet) in (10..20).zip(&receiver.packets) {
        let expected = (0..count).map(|index| vec![message * 10 + index; 300]);
        assert_eq!(packet.1, expected.collect::<Vec<_>>().concat());
    }
    assert_eq!(receiver.packets.len(), 10);
}

#[test]
fn what_no_decoder_gave_is_a_fault_of_the_caller() {
    let octets = [7; 10];
    let mut receiver = Receiver::new(reassembler::Config::default());
    receiver.piece(NOW, Piece(1, 0, 3));
    let no_sequence = LpPacket {
        header: LinkHeader {
            frag_count: Some(2),
            ..LinkHeader::default()
        },
        nack: None,
        fragment: &octets,
    };
    let with_mars = LpPacket {
        header: LinkHeader {
            mars: header().mars,
            ..Piece(1, 1, 3).packet(&octets).header
        },
        nack: None,
        fragment: &octets,
    };
    let long = [0; MAX_PACKET];
    let table = [
        (Piece(1, 3, 3).packet(&octets), ErrorKind::BadFragment),
        (
            Piece(1, u64::MAX, 3).packet(&octets),
            ErrorKind::BadFragment,
        ),
        (Piece(1, 0, 0).packet(&octets), ErrorKind::BadFragment),
        (no_sequence, ErrorKind::BadFragment),
        (with_mars, ErrorKind::BadFragment),
        (with_header(&long), ErrorKind::TooLong),
    ];
    for (packet, kind) in table {
        let before = format!("{:?}", receiver.machine);
        let input = reassembler::Input::Packet(&packet);
        let result = receiver.machine.handle_input(NOW, input);
        assert_eq!(result, Err(reassembler::Error::Invalid(kind)));
        assert_eq!(format!("{:?}", receiver.machine), before);
    }
}

#[test]
fn fragments_that_contradict_are_refused_and_change_nothing() {
    let mut config = reassembler::Config::default();
    config.max_fragments = 20;
    let mut receiver = Receiver::new(config);
    let long = [9; 8_700];
    receiver.piece(at(0), Piece(1, 0, 20));
    let table = [
        (Piece(1, 1, 19).packet(&[8; 9]), RefuseReason::CountDiffers),
        (Piece(1, 0, 19).packet(&[8; 9]), RefuseReason::CountDiffers),
        (
            Piece(1, 1, 21).packet(&[8; 9]),
            RefuseReason::TooManyFragments,
        ),
        (
            Piece(1, 1, u64::MAX).packet(&[8; 9]),
            RefuseReason::TooManyFragments,
        ),
        (Piece(1, 1, 20).packet(&[]), RefuseReason::Empty),
        (Piece(1, 1, 20).packet(&long), RefuseReason::TooLong),
        // Of no message yet: none is begun.
        (
            Piece(7, 1, 21).packet(&[8; 9]),
            RefuseReason::TooManyFragments,
        ),
        (Piece(7, 1, 20).packet(&[]), RefuseReason::Empty),
    ];
    for (nth, (packet, reason)) in table.into_iter().enumerate() {
        let message = if nth < 6 { 1 } else { 7 };
        receiver.input(at(100), reassembler::Input::Packet(&packet));
        assert_eq!(receiver.events.pop(), Some(refused(message, reason)));
        assert_eq!(receiver.counters().refused, nth as u64 + 1);
        assert_eq!(receiver.machine.messages(), 1);
        assert_eq!(receiver.machine.octets(), 512);
        // The life of the message is not prolonged.
        assert_eq!(receiver.wake, Some(at(500)));
    }
    for index in (1..20).rev() {
        receiver.piece(at(200), Piece(1, index, 20));
    }
    assert_eq!(receiver.packets.len(), 1);
    assert_eq!(receiver.packets[0].1, [7; 6_000]);
}

/// 8800 octets, header fields included, and not one more, whichever fragment comes first.
#[test]
fn a_packet_can_have_8800_octets() {
    let half = [1; 4_400];
    let first = |fragment| LpPacket {
        header: LinkHeader {
            congestion_mark: Some(1),
            ..Piece(1, 0, 2).packet(&[]).header
        },
        nack: None,
        fragment,
    };
    // TYPE and LENGTH of `LpPacket` and Fragment, and the congestion mark.
    let around = 4 + 4 + 5;
    for (less, good) in [(around, true), (around - 1, false)] {
        let (a, b) = (first(&half), Piece(1, 1, 2).packet(&half[less..]));
        for pieces in [[a, b], [b, a]] {
            let mut receiver = Receiver::new(reassembler::Config::default());
            for packet in pieces {
                receiver.input(NOW, reassembler::Input::Packet(&packet));
            }
            let events: &[Event] = &[refused(1, RefuseReason::TooLong)];
            assert_eq!(receiver.packets.len(), usize::from(good));
            assert_eq!(receiver.events, if good { &[] } else { events });
        }
    }
}

#[test]
fn the_first_copy_counts() {
    let mut receiver = Receiver::new(reassembler::Config::default());
    for (index, octet) in [(0, 1), (0, 2), (1, 3)] {
        let octets = [octet; 3];
        let packet = Piece(4, index, 2).packet(&octets);
        receiver.input(NOW, reassembler::Input::Packet(&packet));
    }
    assert_eq!(receiver.packets[0].1, [1, 1, 1, 3, 3, 3]);
    assert_eq!(receiver.counters().duplicates, 1);
}

#[test]
fn a_message_expires_exactly() {
    let mut receiver = Receiver::new(reassembler::Config::default());
    receiver.piece(at(0), Piece(1, 0, 3));
    receiver.piece(at(10), Piece(2, 2, 3));
    assert_eq!(receiver.wake, Some(NOW + LIFETIME));
    // A new fragment prolongs, a copy does not.
    receiver.piece(at(100), Piece(1, 1, 3));
    receiver.piece(at(200), Piece(2, 2, 3));
    assert_eq!(receiver.wake, Some(at(510)));
    let just_before = at(510).saturating_sub(Duration::from_nanos(1));
    receiver.input(just_before, reassembler::Input::Timeout);
    assert_eq!(receiver.events, []);
    receiver.input(at(510), reassembler::Input::Timeout);
    assert_eq!(receiver.events, [dropped(2, 1, 3, DropReason::Expired)]);
    assert_eq!(receiver.wake, Some(at(600)));
    // At its deadline the last fragment comes too late, and begins another message.
    receiver.piece(at(600), Piece(1, 2, 3));
    assert_eq!(
        receiver.events[1..],
        [dropped(1, 2, 3, DropReason::Expired)]
    );
    assert_eq!(receiver.packets, []);
    assert_eq!(receiver.wake, Some(at(1_100)));
}

#[test]
fn a_late_wake_drops_each_message_once_in_order() {
    let mut receiver = Receiver::new(reassembler::Config::default());
    for (millis, message) in [(1, 7), (3, 5), (3, 9), (7, 1)] {
        receiver.piece(at(millis), Piece(message, 0, 2));
    }
    receiver.input(at(1_000_000), reassembler::Input::Timeout);
    let order = [7, 5, 9, 1];
    assert_eq!(
        receiver.events,
        order.map(|id| dropped(id, 1, 2, DropReason::Expired))
    );
    receiver.input(at(2_000_000), reassembler::Input::Timeout);
    assert_eq!((receiver.events.len(), receiver.wake), (4, None));
}

#[test]
fn at_the_end_of_time_nothing_expires() {
    let mut receiver = Receiver::new(reassembler::Config::default());
    receiver.piece(Instant::MAX, Piece(1, 0, 2));
    assert_eq!(receiver.wake, None);
    receiver.piece(Instant::MAX, Piece(1, 1, 2));
    assert_eq!(receiver.packets.len(), 1);
}

fn small() -> reassembler::Config {
    let mut config = reassembler::Config::default();
    config.max_messages = 4;
    config.max_fragments = 10;
    config.max_octets = 256 * 48;
    config
}

#[test]
fn at_the_cap_of_messages_the_stalest_goes() {
    let mut receiver = Receiver::new(small());
    for message in [10, 20, 30, 40] {
        receiver.piece(at(message), Piece(message, 0, 3));
    }
    // 10 is older than 20, but not as stale.
    receiver.piece(at(50), Piece(10, 1, 3));
    receiver.piece(at(60), Piece(20, 0, 3));
    assert_eq!(receiver.events, []);
    receiver.piece(at(70), Piece(50, 0, 3));
    assert_eq!(receiver.events, [dropped(20, 1, 3, DropReason::MessageCap)]);
    receiver.piece(at(80), Piece(10, 2, 3));
    assert_eq!(receiver.packets.len(), 1);
}

#[test]
fn at_the_cap_of_octets_the_stalest_go() {
    let mut receiver = Receiver::new(small());
    let long = [1; 3_000];
    // 13 blocks each, of 48.
    for message in [1, 2, 3] {
        let packet = Piece(message, 0, 3).packet(&long);
        receiver.input(at(message), reassembler::Input::Packet(&packet));
    }
    assert_eq!(receiver.machine.octets(), 39 * 256);
    let packet = Piece(1, 1, 3).packet(&long);
    receiver.input(at(4), reassembler::Input::Packet(&packet));
    assert_eq!(receiver.events, [dropped(2, 1, 3, DropReason::OctetCap)]);
    let packet = Piece(9, 2, 3).packet(&long);
    receiver.input(at(5), reassembler::Input::Packet(&packet));
    assert_eq!(
        receiver.events[1..],
        [dropped(3, 1, 3, DropReason::OctetCap)]
    );
    assert_eq!(receiver.machine.octets(), 39 * 256);
    // The last fragment of a message takes no room.
    let packet = Piece(1, 2, 3).packet(&[1; 2_800]);
    receiver.input(at(6), reassembler::Input::Packet(&packet));
    assert_eq!(receiver.packets[0].1, [1; 8_800]);
    assert_eq!(receiver.machine.octets(), 13 * 256);
}

/// All blocks can be used, and one octet more takes one block too many.
#[test]
fn the_cap_of_octets_is_exact() {
    for (more, drops) in [(0, 0), (1, 1)] {
        let mut receiver = Receiver::new(small());
        for (message, blocks) in (1..).zip([17, 18, 13 + more]) {
            let octets = octets(blocks * 248);
            let packet = Piece(message, 0, 3).packet(&octets);
            receiver.input(NOW, reassembler::Input::Packet(&packet));
        }
        assert_eq!(receiver.events.len(), drops);
        assert!(receiver.machine.octets() <= 48 * 256);
    }
}

/// With the least memory that a configuration may have, the most awkward message still fits.
#[test]
fn one_message_always_fits() {
    for extra in 0..4_usize {
        let mut receiver = Receiver::new(small());
        receiver.piece(at(0), Piece(99, 0, 2));
        let lens = [249, 249, 249, 249, 249, 249, 249, 249, 249];
        let rest = MAX_PACKET - 9 * 249 - 300 - extra;
        let lens = lens.into_iter().chain([rest]);
        for (index, len) in (0..).zip(lens) {
            let octets = octets(len);
            let mut packet = Piece(1, index, 10).packet(&octets);
            if index == 0 {
                packet.header.pit_token = PitToken::new(&[7; 32]);
                packet.nack = Some(NackReason::Duplicate);
            }
            receiver.input(at(1), reassembler::Input::Packet(&packet));
        }
        assert_eq!(receiver.packets.len(), 1);
    }
}

/// Somebody opens messages without end. An honest one completes as long as fewer link packets than
/// there is room for come between two of its fragments, however many in all.
#[test]
fn a_flood_of_messages_spares_those_that_get_on() {
    let mut receiver = Receiver::new(small());
    let mut forged = 1 << 40;
    let mut flood = |receiver: &mut Receiver, packets: u64| {
        for _ in 0..packets {
            receiver.piece(at(1), Piece(forged, 1, 9));
            forged += 7;
            assert!(receiver.machine.messages() <= 4);
            assert!(receiver.machine.octets() <= small().max_octets);
        }
    };
    flood(&mut receiver, 100);
    for index in 0..10 {
        receiver.piece(at(1), Piece(1, index, 10));
        flood(&mut receiver, 3);
    }
    assert_eq!(receiver.packets.len(), 1);
    receiver.piece(at(1), Piece(2, 0, 2));
    flood(&mut receiver, 4);
    receiver.piece(at(1), Piece(2, 1, 2));
    assert_eq!(receiver.packets.len(), 1, "that was too long a wait");
}
