//! What a coupler is told.

use core::time::Duration;

/// The host's number of a subflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubflowId(pub u32);

/// How a loss was noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// By what was acknowledged behind it (duplicate ACKs, SACK): segments still arrive.
    Duplicates,
    /// By the retransmission timer: nothing is known to arrive.
    Timeout,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// Nothing but time.
    Timeout,
    /// A subflow is established.
    SubflowAdded {
        /// Its number, not in use.
        subflow: SubflowId,
        /// Its segment size, bytes, not 0.
        mss: u16,
    },
    /// A subflow is closed.
    SubflowRemoved {
        /// Its number.
        subflow: SubflowId,
    },
    /// An acknowledgement came.
    Acked {
        /// For this subflow.
        subflow: SubflowId,
        /// Bytes that it newly acknowledges; more than a window count as a window.
        bytes: u64,
        /// Round-trip time, `None` if it would be ambiguous (Karn's rule).
        rtt: Option<Duration>,
        /// Delay from sender to receiver, if the host can tell.
        one_way: Option<Duration>,
    },
    /// A window of data lost a segment or several: one congestion event.
    Lost {
        /// On this subflow.
        subflow: SubflowId,
        /// How it was noticed.
        loss: Loss,
    },
}
