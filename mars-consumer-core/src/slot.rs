//! What is known of one segment of the window.

use mars_time::Instant;

/// One segment, from the first Interest for it until the reader is done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Slot<P> {
    /// Asked for; its timer runs.
    Flying(Flight),
    /// Refused; its timer says when it may be asked for again.
    Resting(Ask),
    /// To be asked for again as soon as the window allows.
    Queued(Ask),
    /// Arrived, not delivered.
    Held {
        /// The host's handle.
        packet: P,
        /// What it took so far.
        arrived: Arrived,
    },
    /// Delivered; the reader's verdict is awaited.
    Judged(Arrived),
    /// Accepted, while an earlier segment is not.
    Accepted,
}

/// What asking for a segment took so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ask {
    /// Times that it was sent and not refused for congestion.
    pub(crate) tries: u8,
    /// Times that it was refused.
    pub(crate) refusals: u8,
    /// Earlier transmissions that may yet be answered.
    pub(crate) earlier: Earlier,
}

/// Earlier transmissions of a segment whose answer may still come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// None: the next answer belongs to the transmission in flight.
    #[default]
    Never,
    /// One, sent then.
    Once(Instant),
    /// Several: no answer can be told apart.
    Often,
}

/// An Interest in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flight {
    /// This one included.
    pub(crate) ask: Ask,
    /// Its nonce.
    pub(crate) nonce: u32,
    /// When it was sent.
    pub(crate) sent: Instant,
}

/// What is left of a segment's history once its Data is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    /// Times that it was asked for.
    pub(crate) tries: u8,
    /// The last segment of the object, if its Data named one.
    pub(crate) claim: Option<u64>,
}

impl Flight {
    /// What is known once this flight has timed out: it may be answered late.
    pub(crate) const fn given_up(self) -> Ask {
        let earlier = match self.ask.earlier {
            Earlier::Never => Earlier::Once(self.sent),
            Earlier::Once(_) | Earlier::Often => Earlier::Often,
        };
        Ask {
            earlier,
            ..self.ask
        }
    }
}

impl<P> Slot<P> {
    /// The segment's tries if it is still missing.
    pub(crate) const fn missing(&self) -> Option<Ask> {
        match self {
            Self::Flying(flight) => Some(flight.ask),
            Self::Resting(ask) | Self::Queued(ask) => Some(*ask),
            Self::Held { .. } | Self::Judged(_) | Self::Accepted => None,
        }
    }
}
