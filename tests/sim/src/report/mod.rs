//! What is told of runs: a table for people, JSON and CSV for tools, HTML with plots for both.

mod csv;
mod html;
mod map;
mod plots;
mod summary;
mod survey;
mod table;

pub use self::csv::write_csv;
pub use self::html::write_html;
pub use self::map::map_svg;
pub use self::summary::{Document, FlowRecord, Header, RunRecord, SystemSummary};
pub use self::survey::{PairRecord, SurveyDocument, SurveyRecord, survey_table, write_survey_html};
pub use self::table::{comparison_table, summary_table};

/// Text as it may stand in HTML and SVG.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
