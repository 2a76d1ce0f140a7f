//! What a stack is to these tests.

use crate::fields::Fields;

/// A stack that reads and writes packets, ours or another.
pub trait Stack {
    /// Its name and version.
    fn name(&self) -> &'static str;

    /// What it reads in a datagram.
    ///
    /// # Errors
    /// Why it refuses it, in its own words.
    fn decode(&mut self, octets: &[u8]) -> Result<Fields, String>;

    /// The datagram that it writes for these fields. It signs with the key that all stacks share if
    /// there is a `sig_type`, and adds the digest of the parameters to the name.
    ///
    /// # Errors
    /// Why it cannot.
    fn encode(&mut self, fields: &Fields) -> Result<Vec<u8>, String>;
}
