//! Faults of the caller. Nothing that a peer sends can cause one.

use crate::ErrorKind;

/// The caller broke the contract. The reassembler is exactly as after
/// [`Input::Timeout`](crate::reassembler::Input::Timeout).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No decoder gave the packet: [`LpPacket::decode`](crate::LpPacket::decode) refuses it, for
    /// this reason. [`ErrorKind::BadFragment`]: `FragIndex` is not below `FragCount`, or there are
    /// several fragments but no Sequence.
    #[error("packet would be refused: {0}")]
    Invalid(ErrorKind),
}
