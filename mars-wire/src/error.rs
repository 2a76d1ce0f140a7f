//! The one error type of the decoder: where, and what.

/// Why octets were refused, and at which offset from the start of the slice given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{kind} at octet {offset}")]
pub struct DecodeError {
    /// Octets from the start of the input to the element at fault.
    pub offset: usize,
    /// What is wrong with it.
    pub kind: ErrorKind,
}

/// What is wrong with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends inside an element.
    #[error("input ends inside an element")]
    Truncated,
    /// A number is not in its shortest form.
    #[error("number not in its shortest form")]
    NonMinimal,
    /// A type is 0, above 2^32-1, or outside of what its place allows.
    #[error("type not allowed here")]
    BadType,
    /// A fixed-size element has another size.
    #[error("element of a wrong size")]
    BadLength,
}
