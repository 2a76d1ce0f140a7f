//! Links the published crates into a library that has no std.
//!
//! A program has one panic handler. This one brings its own, so that the build fails with
//! "duplicate lang item" as soon as anything in the graph links std, and the message names what
//! did. Where no heap is promised there is no allocator either, and the build fails as soon as
//! anything links `alloc`. Each crate is driven a little, so that its code is really there.
#![no_std]

#[cfg(feature = "heap")]
extern crate alloc;

use core::panic::PanicInfo;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// Hands out one buffer from front to back and takes nothing back: enough to link.
#[cfg(feature = "heap")]
mod heap {
    use core::alloc::{GlobalAlloc, Layout};
    use core::cell::UnsafeCell;
    use core::ptr;
    use core::sync::atomic::{AtomicUsize, Ordering};

    const SIZE: usize = 1 << 20;

    struct Bump {
        buffer: UnsafeCell<[u8; SIZE]>,
        used: AtomicUsize,
    }

    // SAFETY: `used` gives every byte of `buffer` out once.
    unsafe impl Sync for Bump {}

    // SAFETY: blocks lie within `buffer`, are aligned, and do not overlap.
    unsafe impl GlobalAlloc for Bump {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            let size = layout.size() + layout.align();
            let start = self.used.fetch_add(size, Ordering::Relaxed);
            if start + size > SIZE {
                return ptr::null_mut();
            }
            // SAFETY: `start + size` is within the buffer.
            let block = unsafe { self.buffer.get().cast::<u8>().add(start) };
            // SAFETY: `size` leaves room for the alignment.
            unsafe { block.add(block.align_offset(layout.align())) }
        }

        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }

    #[global_allocator]
    static HEAP: Bump = Bump {
        buffer: UnsafeCell::new([0; SIZE]),
        used: AtomicUsize::new(0),
    };
}

#[cfg(feature = "mars-time")]
#[unsafe(no_mangle)]
pub extern "C" fn mars_time_drive(nanos: u64) -> u64 {
    let now = mars_time::Instant::from_nanos(nanos);
    (now + core::time::Duration::from_secs(1)).as_nanos()
}

#[cfg(feature = "mars-wire")]
#[unsafe(no_mangle)]
pub extern "C" fn mars_wire_drive(octet: u8) -> bool {
    mars_wire::Name::from_value(&[8, 1, octet]).is_ok()
}

#[cfg(feature = "mars-wire-alloc")]
#[unsafe(no_mangle)]
pub extern "C" fn mars_wire_alloc_drive(octet: u8) -> usize {
    let name = mars_wire::NameBuf::new().generic(&[octet]);
    name.as_name().components().count()
}

#[cfg(feature = "mars-wire-alloc")]
#[unsafe(no_mangle)]
pub extern "C" fn mars_wire_fragments_drive(nanos: u64) -> bool {
    use mars_wire::{LinkHeader, LpPacket, fragmenter, reassembler};
    let now = mars_time::Instant::from_nanos(nanos);
    let Ok(mut sender) = fragmenter::Fragmenter::<u32>::new(fragmenter::Config::new(1_280)) else {
        return false;
    };
    let packet = fragmenter::Input::Packet {
        header: &LinkHeader::default(),
        nack: None,
        len: 3_000,
        packet: 0,
    };
    let _ = sender.handle_input(now, packet);
    let fragmenter::Output::Transmit { head, .. } = sender.poll_output() else {
        return false;
    };
    let config = reassembler::Config::default();
    let Ok(mut receiver) = reassembler::Reassembler::new(config, now) else {
        return false;
    };
    let packet = LpPacket::decode(head).unwrap_or_default();
    let _ = receiver.handle_input(now, reassembler::Input::Packet(&packet));
    matches!(receiver.poll_output(), reassembler::Output::Packet(_))
}

#[cfg(feature = "mars-wire-alloc")]
#[unsafe(no_mangle)]
pub extern "C" fn mars_wire_stream_drive(octet: u8) -> bool {
    use mars_wire::stream::{Input, Output, StreamDecoder};
    let now = mars_time::Instant::ZERO;
    let mut decoder = StreamDecoder::new();
    let _ = decoder.handle_input(now, Input::Octets(&[5, 1, octet]));
    matches!(decoder.poll_output(), Output::Element { .. })
}

#[cfg(feature = "mars-cc")]
#[unsafe(no_mangle)]
pub extern "C" fn mars_cc_drive(nanos: u64) -> u32 {
    use mars_cc::{Config, Controller, Input, Level};
    let now = mars_time::Instant::from_nanos(nanos);
    let Ok(mut controller) = Controller::new(Config::new(Level::Prefix), now) else {
        return 0;
    };
    let _ = controller.handle_input(now, Input::Sent);
    let _ = controller.poll_output();
    controller.window()
}

#[cfg(feature = "mars-forwarder-core")]
#[unsafe(no_mangle)]
pub extern "C" fn mars_forwarder_core_drive(nanos: u64) -> bool {
    use mars_forwarder_core::{Config, Forwarder, Input, Output};
    let now = mars_time::Instant::from_nanos(nanos);
    let Ok(mut forwarder) = Forwarder::<u32>::new(Config::new(nanos), now) else {
        return false;
    };
    let _ = forwarder.handle_input(now, Input::Timeout);
    matches!(forwarder.poll_output(), Output::Timeout(_))
}

#[cfg(feature = "mars-consumer-core")]
#[unsafe(no_mangle)]
pub extern "C" fn mars_consumer_core_drive(nanos: u64) -> bool {
    use mars_consumer_core::{Config, Consumer, Input, Object, Output};
    let now = mars_time::Instant::from_nanos(nanos);
    let dest = mars_wire::NameBuf::new().generic(b"p");
    let config = Config::new(dest, alloc::vec![b'c'], nanos, Object::Segments(1));
    let Ok(mut consumer) = Consumer::<u32>::new(config, now) else {
        return false;
    };
    let _ = consumer.handle_input(now, Input::Timeout);
    matches!(consumer.poll_output(), Output::Transmit { .. })
}

#[cfg(feature = "mptcp-acw")]
#[unsafe(no_mangle)]
pub extern "C" fn mptcp_acw_drive(nanos: u64) -> bool {
    use mptcp_acw::{Config, Coupler, Input, Output, SubflowId};
    let now = mars_time::Instant::from_nanos(nanos);
    let Ok(mut coupler) = Coupler::<2>::new(Config::new(), now) else {
        return false;
    };
    let subflow = SubflowId(0);
    let _ = coupler.handle_input(
        now,
        Input::SubflowAdded {
            subflow,
            mss: 1_400,
        },
    );
    matches!(coupler.poll_output(), Output::Cwnd { .. })
}

#[cfg(feature = "mpquic-split")]
#[unsafe(no_mangle)]
pub extern "C" fn mpquic_split_drive(nanos: u64) -> bool {
    use mpquic_split::{Config, Input, Output, PathId, Scheduler};
    let now = mars_time::Instant::from_nanos(nanos);
    let Ok(mut scheduler) = Scheduler::<2>::new(Config::new(), now) else {
        return false;
    };
    let path = PathId(0);
    let _ = scheduler.handle_input(now, Input::PathAdded { path });
    matches!(scheduler.poll_output(), Output::Data(_))
}
