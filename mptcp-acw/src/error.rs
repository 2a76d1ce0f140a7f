//! Faults of the caller. Nothing that a peer sends can cause one.

use crate::SubflowId;

/// The caller broke the contract. The coupler is exactly as after [`crate::Input::Timeout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No such subflow.
    #[error("unknown subflow {}", .0.0)]
    UnknownSubflow(SubflowId),
    /// A subflow of this number exists.
    #[error("duplicate subflow {}", .0.0)]
    DuplicateSubflow(SubflowId),
    /// A segment holds at least one byte.
    #[error("subflow {} has an mss of 0", .0.0)]
    ZeroMss(SubflowId),
    /// There are as many subflows as the coupler was built for.
    #[error("no room for another subflow")]
    Full,
}

/// A field of [`crate::Config`] is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {expected}")]
pub struct ConfigError {
    /// Name of the field; `acw.` before those of [`crate::AcwConfig`].
    pub field: &'static str,
    /// What it should be.
    pub expected: &'static str,
}
