//! Faults of the caller. Nothing that a peer sends can cause one.

/// The caller broke the contract. The consumer is exactly as after [`crate::Input::Timeout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No delivered segment of this number waits for a verdict.
    #[error("segment {0} does not wait for a verdict")]
    NotDelivered(u64),
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
