//! Faults of the caller.

/// The caller broke the contract. The controller is as after [`crate::Input::Timeout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A slot was given back that nobody holds.
    #[error("no packet is in flight")]
    NothingInFlight,
}

/// A field of [`crate::Config`] is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A field is out of its range.
    #[error("{field} must be {expected}")]
    OutOfRange {
        /// Name of the field.
        field: &'static str,
        /// What it should be.
        expected: &'static str,
    },
}
