//! What a scheduler sets. Settings are coalesced: only the latest value of each is reported.

use mars_time::Instant;

use crate::PathId;

/// Where the next data packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DataPath {
    /// Over this path, now.
    Send(PathId),
    /// Nowhere before this time.
    Wait(Instant),
    /// Nowhere until something is acknowledged or a path opens.
    Blocked,
}

/// One setting, or the next wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub enum Output {
    /// Where the next data packet goes.
    Data(DataPath),
    /// Over which path the ACKs for a path go.
    AckRoute {
        /// The path that they acknowledge.
        path: PathId,
        /// The path that carries them; `None` if no path is validated.
        over: Option<PathId>,
    },
    /// Whether an ACK for a path is owed now; no longer so after [`crate::Input::AckSent`].
    AckDue {
        /// The path that it acknowledges.
        path: PathId,
        /// Owed or not.
        due: bool,
    },
    /// Nothing more to report; call again at this time, if any.
    Timeout(Option<Instant>),
}
