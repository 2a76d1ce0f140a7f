//! Path discovery at one node: what it does with a probe, an answer, a refusal, a silence.
//!
//! Safety is one comparison, made wherever a face becomes valid or the node's rank changes: the
//! closest rank ever learnt from a valid face is strictly closer to the producer than the node's
//! own. Everything else here decides how fast and how many paths are found, never whether the
//! union of valid edges stays acyclic.

mod answer;
mod probe;
mod refusal;

pub(crate) use probe::spend_hop;
pub(crate) use refusal::detail_of;
