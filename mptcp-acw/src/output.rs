//! What a coupler sets. Settings are coalesced: only the latest value of each is reported.

use mars_time::Instant;

use crate::SubflowId;

/// One setting, or the next wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum Output {
    /// Congestion window of a subflow.
    Cwnd {
        /// Which.
        subflow: SubflowId,
        /// Bytes that may be in flight, rounded down.
        bytes: u64,
    },
    /// Slow-start threshold of a subflow.
    Ssthresh {
        /// Which.
        subflow: SubflowId,
        /// Bytes.
        bytes: u64,
    },
    /// Nothing more to report; call again at this time, if any.
    Timeout(Option<Instant>),
}
