//! What a scheduler is told.

use core::time::Duration;

use mars_time::Instant;

/// The connection's number of a path (draft-ietf-quic-multipath: path identifier).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub u32);

/// An end of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// This one.
    Local,
    /// The other one.
    Peer,
}

/// What a side says about a path: a preference, not an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Use it.
    Available,
    /// Use it if there is no other.
    Backup,
}

/// What the QUIC stack measures on a path. Start from the default, set what is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Metrics {
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Bytes in flight.
    pub in_flight: u64,
    /// Earliest time at which pacing lets the next packet go.
    pub next_send: Instant,
    /// Smoothed round-trip time, `None` before the first sample.
    pub srtt: Option<Duration>,
}

/// Congestion mark of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ecn {
    /// Any codepoint but the next.
    NotCe,
    /// Congestion was experienced.
    Ce,
}

/// A packet that was decrypted and is no duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The path in whose packet-number space it is.
    pub path: PathId,
    /// Its packet number.
    pub packet: u64,
    /// Its length, bytes.
    pub bytes: u32,
    /// Whether it must be acknowledged.
    pub ack_eliciting: bool,
    /// Its congestion mark.
    pub ecn: Ecn,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// Nothing but time.
    Timeout,
    /// A path is being opened.
    PathAdded {
        /// Its number, not in use.
        path: PathId,
    },
    /// The peer answers on a path: it may carry data.
    PathValidated {
        /// Its number.
        path: PathId,
    },
    /// A path is gone.
    PathRemoved {
        /// Its number.
        path: PathId,
    },
    /// A side says what it thinks of a path.
    PathStatus {
        /// Its number.
        path: PathId,
        /// Who.
        by: Side,
        /// What.
        status: Status,
    },
    /// What the stack measures on a path has changed.
    Metrics {
        /// Its number.
        path: PathId,
        /// All of it, replacing what was told before.
        metrics: Metrics,
    },
    /// A packet arrived.
    Received(Received),
    /// An ACK for all that was received in a path's packet-number space left.
    AckSent {
        /// The path that it acknowledges.
        path: PathId,
    },
    /// The peer's `ACK_FREQUENCY` frame arrived: it holds for all paths, also for later ones.
    AckFrequency {
        /// Its sequence number; one not above an earlier one is out of date and ignored.
        sequence: u64,
        /// Ack-Eliciting Threshold.
        threshold: u64,
        /// Requested Max Ack Delay; below `Config::min_ack_delay` it counts as that (the QUIC
        /// stack closes the connection for it).
        max_ack_delay: Duration,
        /// Reordering Threshold.
        reordering_threshold: u64,
    },
    /// The peer's `IMMEDIATE_ACK` frame arrived in a packet that was reported before.
    ImmediateAck {
        /// The path in whose packet-number space the packet was.
        path: PathId,
    },
}
