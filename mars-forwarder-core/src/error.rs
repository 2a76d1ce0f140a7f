//! Faults of the caller. Nothing that a peer sends can cause one.

use crate::FaceId;

/// The caller broke the contract. The forwarder is exactly as after [`crate::Input::Timeout`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No such face.
    #[error("unknown face {}", .0.0)]
    UnknownFace(FaceId),
    /// A face of this number exists.
    #[error("duplicate face {}", .0.0)]
    DuplicateFace(FaceId),
    /// A producer sits behind local faces only.
    #[error("face {} is not local", .0.0)]
    NotLocal(FaceId),
    /// A route names a face twice.
    #[error("face {} twice in one route set", .0.0)]
    DuplicateRoute(FaceId),
    /// Hops are at least 1.
    #[error("route over face {} has 0 hops", .0.0)]
    ZeroHops(FaceId),
    /// A table is at its cap.
    #[error("table of {0} is full")]
    Full(&'static str),
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
