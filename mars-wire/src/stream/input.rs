//! What a stream decoder is told.

/// One thing that happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Input<'a> {
    /// Nothing but time.
    Timeout,
    /// The next octets of the stream, any number of them.
    Octets(&'a [u8]),
    /// The stream has ended. Nothing may follow.
    End,
}
