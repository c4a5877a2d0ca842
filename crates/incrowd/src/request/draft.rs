//! Drafting a plan, with the reason on each line.
//!
//! Every entry of a draft has `confirmed = false`, and `Plan::refuse_unconfirmed` stops `anonymize` until each is
//! confirmed. Columns that look alike share an entry (`similar_columns.rs`); a plan that was read has one entry for
//! each column again.

use std::fmt::Write;

use incrowd_core::{Built, ColumnProfile, Hierarchy, Role};
use incrowd_engine::{ReadOptions, Source};
use incrowd_risk::roles::Confidence;

use super::{proposed_treatment, similar_columns};
use crate::roles::ColumnReport;

/// The text of a plan for this table, as far as it can be guessed. Reads like a questionnaire: whoever signs the
/// release goes through the entries and confirms them. The path is the table's as seen from the plan, the options are
/// those it was opened with.
pub fn draft(
    source: &Source,
    path: &str,
    options: &ReadOptions,
    profiles: &[ColumnProfile],
    columns: &[ColumnReport],
    k: u64,
) -> String {
    // The first line is understood by editors.
    let mut text = String::from("#:schema ./incrowd.schema.json\n");
    let _ = writeln!(text, "# The plan for {}, drafted by `incrowd init`.", one_line(source.name()));
    text.push_str(
        "# Roles are guesses. Read and correct every entry; lines marked CONFIRM need a decision. `incrowd anonymize`\n\
         # refuses this plan until every `confirmed` is true: edit it, or run `incrowd confirm` on this file.\n\
         # `incrowd init --schema > incrowd.schema.json` lets editors complete and check it.\n\n",
    );
    text.push_str("version = 1\n\n[source]\n");
    let _ = writeln!(text, "path = {}  # relative to this file", quoted(path));
    if let Some(format) = options.format {
        let _ = writeln!(text, "format = {}", quoted(&format.name().to_lowercase()));
    }
    if let Some(delimiter) = source.delimiter().filter(|&delimiter| delimiter != b',' || options.delimiter.is_some()) {
        let how = if options.delimiter.is_some() { "" } else { "  # detected" };
        let _ = writeln!(text, "delimiter = {}{how}", quoted(&char::from(delimiter).to_string()));
    }
    if let Some(encoding) = source.encoding() {
        let how = if options.encoding.is_some() { "" } else { "  # detected" };
        let _ = writeln!(text, "encoding = {}{how}", quoted(encoding.name()));
    }
    if let Some(workbook) = source.workbook() {
        let how = if options.sheet.sheet.is_some() { "" } else { "  # the only one with content" };
        let _ = writeln!(text, "sheet = {}{how}", quoted(&workbook.sheet));
    }
    if let Some(range) = options.sheet.range {
        let _ = writeln!(text, "range = {}", quoted(&range.to_string()));
    }
    if let Some(header) = options.header {
        let _ = writeln!(text, "header = {header}");
    }
    if !options.nulls.is_empty() {
        let nulls: Vec<String> = options.nulls.iter().map(|null| quoted(null)).collect();
        let _ = writeln!(text, "nulls = [{}]", nulls.join(", "));
    }
    // Each column writes its dates in its own way, and there is one subject.
    let is_single = |column: &ColumnReport| {
        column.role == Role::Subject
            || column.date_format_unknown
            || options.date_formats.iter().any(|(name, _)| *name == column.name)
            || options.decimal_commas.contains(&column.name)
    };
    let groups = similar_columns::groups(profiles, columns, is_single);
    write_policy(&mut text, profiles, columns, &groups, k);
    for group in &groups {
        write_entry(&mut text, options, profiles, columns, group);
    }
    text
}

/// k and suggested bounds, all of which this table can keep.
fn write_policy(
    text: &mut String,
    profiles: &[ColumnProfile],
    columns: &[ColumnReport],
    groups: &[Vec<usize>],
    k: u64,
) {
    text.push_str("\n[policy]\n");
    let (most, who) = people(profiles, columns);
    if k <= most.max(1) {
        let _ = writeln!(text, "k = {k}  # CONFIRM: minimum number of people per class");
    } else {
        let _ = writeln!(
            text,
            "k = {}  # CONFIRM: the table has only {most} {who}, so k = {k} is not possible",
            most.max(1)
        );
    }
    text.push_str("confirmed = false\n");
    text.push_str("suppress = 0.0  # maximum share of rows to suppress so that the others keep more detail\n");
    let subject = columns.iter().any(|column| column.role == Role::Subject);
    for group in groups.iter().filter(|group| columns[group[0]].role == Role::Sensitive) {
        let name = quoted(&columns[group[0]].name);
        let shares: Option<Vec<u64>> = group.iter().map(|&at| largest_share(&profiles[at])).collect();
        match shares.and_then(|shares| shares.into_iter().max()).filter(|_| !subject) {
            Some(share) if share <= 95 => {
                let others = match group.len() {
                    1 => String::new(),
                    n => format!("; repeat it for the other {} columns of this entry", n - 1),
                };
                let _ = writeln!(
                    text,
                    "# [[policy.alpha]]  # CONFIRM: maximum share of one value in a class{others}\n\
                     # column = {name}\n# alpha = {}",
                    share as f64 / 100.0
                );
            }
            Some(_) => {
                let _ = writeln!(
                    text,
                    "# No limit on the share of one value of {name} is suggested: one value has more than 95 % of the \
                     rows, and a release of all rows cannot have a smaller share."
                );
            }
            None => {
                let why =
                    if subject { "several rows may belong to one person" } else { "it has too many values to count" };
                let _ = writeln!(text, "# No limit on the share of one value of {name} is suggested: {why}.");
            }
        }
    }
}

/// The maximum number of people that can be distinguished, or of rows, and which of the two it is.
fn people(profiles: &[ColumnProfile], columns: &[ColumnReport]) -> (u64, &'static str) {
    let subject = columns.iter().zip(profiles).find(|(column, _)| column.role == Role::Subject);
    match subject {
        Some((_, profile)) if profile.exact => (profile.distinct() + u64::from(profile.missing > 0), "people"),
        _ => (profiles.first().map_or(0, |profile| profile.rows), "rows"),
    }
}

/// The share, in hundredths, that a bound on this column is suggested with: a half, or more when the most frequent
/// value has more. The whole table as one class keeps it, so some release does.
fn largest_share(profile: &ColumnProfile) -> Option<u64> {
    let most = profile.counts.iter().copied().max().filter(|_| profile.exact)?;
    let twentieths = (20 * most).div_ceil(profile.rows.max(1));
    Some((5 * twentieths).max(50))
}

/// The entry of a column, or of several that are alike.
fn write_entry(
    text: &mut String,
    options: &ReadOptions,
    profiles: &[ColumnProfile],
    columns: &[ColumnReport],
    group: &[usize],
) {
    let (column, profile) = (&columns[group[0]], &profiles[group[0]]);
    text.push_str("\n[[column]]\n");
    if group.len() == 1 {
        let _ = writeln!(text, "name = {}", quoted(&column.name));
    } else {
        let names: Vec<String> = group.iter().map(|&at| quoted(&columns[at].name)).collect();
        let _ = writeln!(text, "names = [{}]  # {} similar columns", names.join(", "), group.len());
    }
    let confirm = if column.confidence == Confidence::Unsure { "CONFIRM: " } else { "" };
    let _ = writeln!(text, "role = \"{}\"  # {confirm}{}", column.role, one_line(&column.reason));
    text.push_str("confirmed = false\n");
    let dated = options.date_formats.iter().find(|(name, _)| *name == column.name);
    if let Some((_, format)) = dated {
        let _ = writeln!(text, "date_format = {}", quoted(format));
    } else if options.decimal_commas.contains(&column.name) {
        text.push_str("decimal = \",\"\n");
    } else if column.date_format_unknown {
        text.push_str("# date_format = \"%d.%m.%Y\"  # CONFIRM: date format of this column\n");
    }
    if column.role == Role::QuasiIdentifier {
        let several = group.len() > 1;
        text.push_str(&hierarchy_line(profile, several));
    }
    let has_subject = columns.iter().any(|column| column.role == Role::Subject);
    text.push_str(&proposed_treatment::line(column, profile, has_subject).unwrap_or_default());
}

/// The hierarchy that suits the values, with its reason.
fn hierarchy_line(profile: &ColumnProfile, several: bool) -> String {
    let Ok(suggestion) = Hierarchy::suggest(&profile.dictionary) else {
        return "# hierarchy = { file = \"…\" }  # CONFIRM: no hierarchy suits the values of this column\n".into();
    };
    let reason = if several { "for each of the columns".into() } else { one_line(&suggestion.reason) };
    match suggestion.built {
        Built::Flat if profile.distinct() > 8 => {
            format!(
                "hierarchy = {{ build = \"flat\" }}  # CONFIRM: {reason}; a file with intermediate levels reduces \
                     the loss\n"
            )
        }
        Built::Flat => format!("hierarchy = {{ build = \"flat\" }}  # {reason}\n"),
        Built::Dates => format!("hierarchy = {{ build = \"dates\" }}  # {reason}\n"),
        Built::Prefix => format!("hierarchy = {{ build = \"prefix\" }}  # {reason}\n"),
        Built::Numeric { .. } if several => {
            format!("hierarchy = {{ build = \"intervals\" }}  # nested intervals with widths chosen {reason}\n")
        }
        Built::Numeric { widths } => {
            let widths: Vec<String> = widths.iter().map(ToString::to_string).collect();
            format!("hierarchy = {{ intervals = [{}] }}  # {reason}\n", widths.join(", "))
        }
    }
}

/// A text as a TOML string, whatever is in it. What an editor would obey or hide is written by its number.
fn quoted(text: &str) -> String {
    let escaped = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        _ if hidden(letter) => format!("\\u{:04X}", u32::from(letter)),
        _ => letter.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// A text that stays inside its comment.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if hidden(letter) { ' ' } else { letter }).collect()
}

/// Control characters, and those that turn the order of letters around.
fn hidden(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
