//! What can be wrong with octets (or a URI), and what can be wrong with a packet to be written.

/// Why octets or a URI were refused, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{kind} at octet {offset}")]
pub struct DecodeError {
    /// Octets from the start of the input to the element (or character) at fault.
    pub offset: usize,
    /// What is wrong with it.
    pub kind: ErrorKind,
}

impl DecodeError {
    /// The same fault, seen from an input that starts `octets` earlier.
    pub(crate) const fn shifted(self, octets: usize) -> Self {
        Self {
            offset: self.offset.saturating_add(octets),
            kind: self.kind,
        }
    }
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
    /// An element that must not be ignored is unknown, repeated, or out of order.
    #[error("critical element unknown, repeated or out of order")]
    Critical,
    /// The element lacks one that it must contain.
    #[error("mandatory element missing")]
    Missing,
    /// Octets follow after the end of the packet.
    #[error("octets after the end of the packet")]
    Trailing,
    /// The packet is longer than [`MAX_PACKET`](crate::MAX_PACKET) octets.
    #[error("packet longer than 8800 octets")]
    TooLong,
    /// `ApplicationParameters` without one `ParametersSha256Digest` in the name, or the reverse.
    #[error("parameters digest in the name does not go with the parameters")]
    ParametersDigest,
    /// `FragIndex`, `FragCount` and `Sequence` contradict one another, or a header stands in a
    /// fragment where it does not belong.
    #[error("fragment header out of range")]
    BadFragment,
    /// A Nack around something else than an Interest.
    #[error("nack around something else than an interest")]
    NackedData,
    /// A URI does not start with `/` or `ndn:/`.
    #[error("name without a leading slash")]
    NoSlash,
    /// A URI segment is empty, `.` or `..`.
    #[error("empty or relative segment")]
    EmptySegment,
    /// A `%` in a URI is not followed by two hexadecimal digits.
    #[error("malformed percent-encoding")]
    BadPercent,
    /// A number in a URI is not decimal, has a sign or leading zeros, or exceeds 64 bits.
    #[error("malformed number")]
    BadNumber,
    /// A digest in a URI is not 64 hexadecimal digits.
    #[error("malformed digest")]
    BadHex,
}

/// Why a packet was not written. Nothing useful is in the buffer then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The buffer is too small.
    #[error("buffer too small, {needed} octets needed")]
    BufferTooSmall {
        /// Octets that the packet takes.
        needed: usize,
    },
    /// A decoder would refuse the packet.
    #[error("packet would be refused: {0}")]
    Invalid(ErrorKind),
}

/// A field of a machine's configuration is out of its range.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {expected}")]
pub struct ConfigError {
    /// Name of the field.
    pub field: &'static str,
    /// What it should be.
    pub expected: &'static str,
}

#[cfg(feature = "alloc")]
impl ConfigError {
    /// The first of `checks` (whether it is good, which field, what it should be) that is not good.
    pub(crate) fn first_of(checks: &[(bool, &'static str, &'static str)]) -> Result<(), Self> {
        let fault = checks.iter().find(|(good, ..)| !good);
        fault.map_or(Ok(()), |&(_, field, expected)| {
            Err(Self { field, expected })
        })
    }
}
