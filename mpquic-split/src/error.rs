//! Faults of the caller. Nothing that a peer sends can cause one.

use crate::PathId;

/// The caller broke the contract. The scheduler is exactly as after [`crate::Input::Timeout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No such path.
    #[error("unknown path {}", .0.0)]
    UnknownPath(PathId),
    /// A path of this number exists.
    #[error("duplicate path {}", .0.0)]
    DuplicatePath(PathId),
    /// There are as many paths as the scheduler was built for.
    #[error("no room for another path")]
    Full,
}

/// A field of [`crate::Config`] is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {expected}")]
pub struct ConfigError {
    /// Name of the field.
    pub field: &'static str,
    /// What it should be.
    pub expected: &'static str,
}
