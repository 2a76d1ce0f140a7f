//! The consumer against a small local forwarder with delay, loss, reordering, duplication and queues.

mod discovery;
mod host;
mod retrieval;
mod world;
