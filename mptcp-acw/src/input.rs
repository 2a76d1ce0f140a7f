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
///
/// `in_flight` is RFC 5681's `FlightSize`: bytes sent and not yet acknowledged. More than a window
/// counts as a window.
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
    /// A subflow became a backup, or a regular one again (RFC 8684, section 3.3.8). A backup counts
    /// for the others only while no regular subflow is in use.
    Priority {
        /// Which.
        subflow: SubflowId,
        /// Whether it is a backup.
        backup: bool,
    },
    /// An acknowledgement of new data came.
    Acked {
        /// For this subflow.
        subflow: SubflowId,
        /// Bytes that it newly acknowledges; more than a window count as a window.
        bytes: u64,
        /// Round-trip time, `None` if it would be ambiguous (Karn's rule).
        rtt: Option<Duration>,
        /// Delay from sender to receiver, if the host can tell.
        one_way: Option<Duration>,
        /// Bytes outstanding after it.
        in_flight: u64,
    },
    /// A duplicate ACK came. The one that makes [`crate::Config::duplicate_threshold`] is a loss by
    /// duplicates; every one from there on lets a segment more into flight. Only for hosts that do
    /// not count what is in the pipe by SACK (RFC 6675): those report `Lost`.
    Duplicate {
        /// For this subflow.
        subflow: SubflowId,
        /// Bytes outstanding.
        in_flight: u64,
    },
    /// A loss was noticed. Until the subflow has recovered, further ones by duplicates belong to
    /// the same congestion event and change nothing.
    Lost {
        /// On this subflow.
        subflow: SubflowId,
        /// How it was noticed.
        loss: Loss,
        /// Bytes outstanding.
        in_flight: u64,
    },
    /// All that was outstanding when a loss was noticed has been acknowledged (RFC 6582, "recover").
    Recovered {
        /// On this subflow.
        subflow: SubflowId,
    },
    /// Nothing was in flight for longer than a retransmission timeout (RFC 5681, section 4.1). Its
    /// window restarts and its delays are forgotten: what they were says nothing of what they are.
    Idled {
        /// Which.
        subflow: SubflowId,
    },
    /// The subflow holds the segment that blocks the receiver's window, and is to be penalised (see
    /// [`crate::tcp::penalised`]). At most once per round trip, and only in the open phase: the host
    /// knows when.
    Penalised {
        /// Which.
        subflow: SubflowId,
    },
}
