//! Faults of the caller.

use crate::ErrorKind;

/// The caller broke the contract. The fragmenter is exactly as after
/// [`Input::Timeout`](crate::fragmenter::Input::Timeout); no Sequence is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A decoder would refuse the packet. [`ErrorKind::TooLong`]: it has more than 8800 octets,
    /// header fields included.
    #[error("packet would be refused: {0}")]
    Invalid(ErrorKind),
    /// The packet is a fragment already.
    #[error("packet is a fragment already")]
    Fragment,
    /// The header fields leave no room for anything else in a link packet.
    #[error("header fields do not fit into a link packet")]
    HeaderTooLong,
    /// The packet takes more fragments than allowed.
    #[error("packet takes {needed} fragments, more than allowed")]
    TooManyFragments {
        /// Fragments that it takes.
        needed: usize,
    },
}
