//! The places for probes in flight.

use alloc::vec::Vec;

use mars_time::Instant;

/// As many places as probes may be in flight, at most 255.
#[derive(Clone, Debug)]
pub(crate) struct ProbeWindow {
    slots: Vec<ProbeSlot>,
}

/// One place in the probe window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProbeSlot {
    Free,
    Flying(Probe),
    /// Refused; its timer says when it is free.
    Resting,
}

/// A probe in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) seq: u64,
    pub(crate) nonce: u32,
    pub(crate) generation: u32,
    pub(crate) sent: Instant,
}

impl ProbeWindow {
    pub(crate) fn new(places: u8) -> Self {
        let mut slots = Vec::new();
        slots.resize(usize::from(places), ProbeSlot::Free);
        Self { slots }
    }

    /// Every place with what is in it.
    fn iter(&self) -> impl Iterator<Item = (u8, &ProbeSlot)> {
        (0..=u8::MAX).zip(&self.slots)
    }

    /// Whether no probe is in flight and no place rests.
    pub(crate) fn is_idle(&self) -> bool {
        self.slots.iter().all(|slot| *slot == ProbeSlot::Free)
    }

    /// The first free place.
    pub(crate) fn free(&self) -> Option<u8> {
        self.iter()
            .find_map(|(place, slot)| (*slot == ProbeSlot::Free).then_some(place))
    }

    /// The probe with this number, if it is in flight, and its place.
    pub(crate) fn flying(&self, seq: u64) -> Option<(u8, Probe)> {
        self.iter().find_map(|(place, slot)| match slot {
            ProbeSlot::Flying(probe) if probe.seq == seq => Some((place, *probe)),
            ProbeSlot::Flying(_) | ProbeSlot::Free | ProbeSlot::Resting => None,
        })
    }

    /// Fills a place. Gives what was in it; `None` if there is no such place.
    pub(crate) fn set(&mut self, place: u8, slot: ProbeSlot) -> Option<ProbeSlot> {
        let entry = self.slots.get_mut(usize::from(place))?;
        Some(core::mem::replace(entry, slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flying(seq: u64) -> ProbeSlot {
        ProbeSlot::Flying(Probe {
            seq,
            nonce: 1,
            generation: 2,
            sent: Instant::ZERO,
        })
    }

    #[test]
    fn a_place_is_free_flying_or_resting() {
        let mut window = ProbeWindow::new(3);
        assert!(window.is_idle());
        assert_eq!(window.set(0, flying(7)), Some(ProbeSlot::Free));
        assert_eq!(window.set(1, ProbeSlot::Resting), Some(ProbeSlot::Free));
        assert!(!window.is_idle());
        assert_eq!(window.free(), Some(2));
        assert_eq!(window.set(2, flying(8)), Some(ProbeSlot::Free));
        assert_eq!(window.free(), None);
        assert_eq!(window.flying(8).map(|(place, _)| place), Some(2));
        assert_eq!(window.flying(9), None);
        assert_eq!(window.set(0, ProbeSlot::Free), Some(flying(7)));
        assert_eq!(window.free(), Some(0));
        assert_eq!(window.flying(7), None);
    }

    #[test]
    fn there_is_no_place_beyond_the_last() {
        let mut window = ProbeWindow::new(u8::MAX);
        assert_eq!(window.iter().count(), 255);
        assert_eq!(window.set(255, ProbeSlot::Resting), None);
        assert!(window.is_idle());
    }
}
