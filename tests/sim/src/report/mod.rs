//! What is told of runs: a table for people, JSON and CSV for tools, HTML with plots for both.

mod csv;
mod html;
mod plots;
mod summary;
mod table;

pub use self::csv::write_csv;
pub use self::html::write_html;
pub use self::summary::{Document, FlowRecord, Header, RunRecord, SystemSummary};
pub use self::table::{comparison_table, summary_table};
