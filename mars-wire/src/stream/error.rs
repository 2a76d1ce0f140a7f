//! What can be wrong with a stream, and with its caller.

use crate::ErrorKind;

/// Why a stream was given up, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{kind} at octet {offset} of the stream")]
pub struct StreamError {
    /// Octets from the start of the stream to the fault: to the LENGTH if that is not in its
    /// shortest form, to the element if anything else is wrong with it.
    pub offset: u64,
    /// [`ErrorKind::BadType`], [`ErrorKind::NonMinimal`], [`ErrorKind::TooLong`] with its TYPE and
    /// LENGTH counted in, or [`ErrorKind::Truncated`] for a stream that ends inside the element.
    pub kind: ErrorKind,
}

/// The caller broke the contract. The decoder is exactly as after
/// [`Input::Timeout`](crate::stream::Input::Timeout).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something came after [`Input::End`](crate::stream::Input::End).
    #[error("input after the end of the stream")]
    AfterEnd,
}
