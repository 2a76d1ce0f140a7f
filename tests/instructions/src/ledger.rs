//! Counts beside a recorded baseline: what is said, and what fails.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};

/// Instructions by group and case.
pub type Baseline = BTreeMap<String, BTreeMap<String, u64>>;

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Short name of the crate.
    pub group: String,
    /// What was counted.
    pub case: String,
    /// Instructions of one operation.
    pub count: u64,
    /// The same when the baseline was recorded.
    pub baseline: Option<u64>,
    /// What was promised.
    pub bar: Option<u64>,
    /// Other people's code: never a matter.
    pub peer: bool,
}

/// How a count stands to its baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// At most 5 % away.
    Same,
    /// More than 5 % above: a regression.
    Worse,
    /// More than 5 % below: the baseline is to be recorded again, or the next regression hides.
    Better,
    /// There is no baseline.
    New,
}

impl Entry {
    /// How the count stands to its baseline. Two instructions more or less are never a matter.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.peer {
            return Verdict::Same;
        }
        let Some(baseline) = self.baseline else {
            return Verdict::New;
        };
        let slack = (baseline / 20).max(2);
        if self.count > baseline + slack {
            Verdict::Worse
        } else if self.count + slack < baseline {
            Verdict::Better
        } else {
            Verdict::Same
        }
    }

    /// Whether it takes more than was promised.
    #[must_use]
    pub fn misses_bar(&self) -> bool {
        self.bar.is_some_and(|bar| self.count > bar)
    }

    /// As in `+1.5 %`.
    fn change(&self) -> String {
        let Some(baseline) = self.baseline.and_then(|n| i64::try_from(n).ok()) else {
            return if self.peer { "" } else { "new" }.into();
        };
        let count = i64::try_from(self.count).unwrap_or(i64::MAX);
        let tenths = (count - baseline) * 1000 / baseline.max(1);
        let sign = if tenths < 0 { '-' } else { '+' };
        let tenths = tenths.unsigned_abs();
        format!("{sign}{}.{} %", tenths / 10, tenths % 10)
    }
}

/// The table for people.
#[must_use]
pub fn table(entries: &[Entry]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["", "case", "instructions", "baseline", "change", "bar", ""]);
    for entry in entries {
        let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
        let remark = match (entry.verdict(), entry.misses_bar()) {
            (Verdict::Worse, _) => "REGRESSION",
            (_, true) => "over the bar",
            (Verdict::Better, _) => "better: record it with --bless",
            (Verdict::New, _) => "no baseline: record it with --bless",
            (Verdict::Same, _) => "",
        };
        table.add_row([
            entry.group.clone(),
            entry.case.clone(),
            entry.count.to_string(),
            number(entry.baseline),
            entry.change(),
            number(entry.bar),
            remark.into(),
        ]);
    }
    for column in 2..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// What fails the gate, in words; nothing if it is passed.
#[must_use]
pub fn failures(entries: &[Entry]) -> Vec<String> {
    entries
        .iter()
        .filter_map(|entry| {
            let Entry {
                group, case, count, ..
            } = entry;
            let what = match entry.verdict() {
                Verdict::Worse => "more than 5 % above its baseline",
                Verdict::New => "without a baseline",
                Verdict::Same | Verdict::Better => return None,
            };
            Some(format!("{group}: {case}: {count} instructions, {what}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_percent_either_way() {
        use Verdict::{Better, New, Same, Worse};
        let table = [
            (100, Some(100), Same, "+0.0 %"),
            (105, Some(100), Same, "+5.0 %"),
            (106, Some(100), Worse, "+6.0 %"),
            (95, Some(100), Same, "-5.0 %"),
            (94, Some(100), Better, "-6.0 %"),
            (1051, Some(1000), Worse, "+5.1 %"),
            (1050, Some(1000), Same, "+5.0 %"),
            // One instruction of ten is noise of the loop around them.
            (12, Some(10), Same, "+20.0 %"),
            (13, Some(10), Worse, "+30.0 %"),
            (7, None, New, "new"),
        ];
        for (count, baseline, verdict, change) in table {
            let entry = Entry {
                group: "g".into(),
                case: "c".into(),
                count,
                baseline,
                bar: None,
                peer: false,
            };
            assert_eq!(entry.verdict(), verdict, "{count} {baseline:?}");
            assert_eq!(entry.change(), change, "{count} {baseline:?}");
            let fails = matches!(verdict, Worse | New);
            assert_eq!(!failures(&[entry]).is_empty(), fails);
        }
    }

    #[test]
    fn bars() {
        let entry = |count| Entry {
            group: "g".into(),
            case: "c".into(),
            count,
            baseline: Some(count),
            bar: Some(225),
            peer: false,
        };
        assert!(!entry(225).misses_bar());
        assert!(entry(226).misses_bar());
    }
}
