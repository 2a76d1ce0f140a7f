//! How many instructions the hot paths of the family take, counted by callgrind: the same on a busy
//! machine as on an idle one, and so fit for a gate that a regression of more than 5 % fails.
//!
//! ```text
//! cargo run --release -p mars-instructions              # count, and compare with baseline.toml
//! cargo run --release -p mars-instructions -- wire      # only cases with this in their names
//! cargo run --release -p mars-instructions -- --bless   # take the counts for the new baseline
//! ```
//!
//! # Adding a case
//!
//! A case is a name, a function that sets up what the work needs, and the work:
//!
//! ```
//! use mars_instructions::{Case, keep};
//!
//! let case = Case::new("sum of 100 octets", || vec![1_u8; 100], |octets| {
//!     keep(&octets.iter().map(|octet| u32::from(*octet)).sum::<u32>());
//! });
//! case.run(1);
//! ```
//!
//! There is one file of cases per crate; [`groups`] lists them. What a case finds in its state when
//! its work starts is what the last round of the work left there, so work that fills a table has to
//! empty it again.
//!
//! # How it counts
//!
//! The program runs itself once under callgrind and goes through all cases there. Each is run twice,
//! few times and many times; the difference, divided by the difference of the times, is the cost of
//! one round without the set-up. The few instructions of the loop around it are part of it.

pub mod acw;
mod callgrind;
mod case;
pub mod ledger;
pub mod wire;
pub mod worst;

pub use callgrind::{CountError, count, run_under_callgrind};
pub use case::{Case, keep};

/// Cases of one crate.
pub struct Group {
    /// Short name of the crate.
    pub name: &'static str,
    /// Its cases.
    pub cases: Vec<Case>,
}

/// Every case there is. A new file of cases is listed here.
#[must_use]
pub fn groups() -> Vec<Group> {
    let group = |name, cases| Group { name, cases };
    vec![
        group("wire", wire::cases()),
        group("worst", worst::cases()),
        group("acw", acw::cases()),
    ]
}
