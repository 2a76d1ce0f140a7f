//! What has happened so far, in numbers.

/// Packets and incidents since the start. All saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Data Interests sent, retransmissions included.
    pub interests: u64,
    /// Data Interests sent for a segment that was asked for before.
    pub retransmissions: u64,
    /// Data Interests that stayed unanswered for their timeout.
    pub timeouts: u64,
    /// Timeouts that were needless: the first transmission was answered after the second was sent.
    pub needless_timeouts: u64,
    /// Data Interests refused for congestion or a full queue.
    pub congestion_nacks: u64,
    /// Data Interests refused for want of a route (or for the rank order).
    pub no_route_nacks: u64,
    /// Data Interests refused as duplicates.
    pub duplicate_nacks: u64,
    /// Data Interests refused for any other reason.
    pub other_nacks: u64,
    /// Nacks that belong to no Interest in flight (late, or with another nonce).
    pub stray_nacks: u64,
    /// Data for a segment that was here already.
    pub duplicate_data: u64,
    /// Data for a segment that was not asked for, or is beyond the end, and Data for unsent probes.
    pub unsolicited_data: u64,
    /// Data and Nacks whose name is not one of this consumer's.
    pub foreign: u64,
    /// `FinalBlockId`s that contradicted what was known.
    pub contradictory_finals: u64,
    /// Segments that the host refused.
    pub rejected: u64,
    /// Probes sent.
    pub probes: u64,
    /// Probes that stayed unanswered for their timeout.
    pub probe_timeouts: u64,
    /// Probes refused, for any reason.
    pub probe_nacks: u64,
    /// Probes answered after their timeout (the answer counts all the same).
    pub late_probes: u64,
    /// Generations adopted because a forwarder reported them.
    pub adopted_generations: u64,
}

/// Counts one more.
pub(crate) const fn bump(counter: &mut u64) {
    *counter = counter.saturating_add(1);
}
