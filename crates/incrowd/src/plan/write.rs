//! Writing a first plan, with the reason beside every line.

use std::fmt::Write;

use incrowd_core::{Built, ColumnProfile, Hierarchy, Role};
use incrowd_engine::Source;
use incrowd_risk::roles::Confidence;

use crate::roles::ColumnReport;

/// The text of a plan for this table, as far as it can be guessed. Reads like a questionnaire: whoever signs the
/// release goes through the lines marked CONFIRM.
pub fn draft(source: &Source, path: &str, profiles: &[ColumnProfile], columns: &[ColumnReport], k: u64) -> String {
    let mut text = String::new();
    let unsure = columns.iter().filter(|column| column.confidence == Confidence::Unsure).count();
    let _ = writeln!(text, "# The plan for {}, drafted by `incrowd init`.", one_line(source.name()));
    let _ = writeln!(
        text,
        "# Roles are guesses until you confirm them: {unsure} of {} are marked CONFIRM.\n",
        columns.len()
    );
    text.push_str("version = 1\n\n[source]\n");
    let _ = writeln!(text, "path = {}", quoted(path));
    if let Some(delimiter) = source.delimiter().filter(|&delimiter| delimiter != b',') {
        let _ = writeln!(text, "delimiter = {}  # sniffed", quoted(&char::from(delimiter).to_string()));
    }
    text.push_str("\n[policy]\n");
    let _ = writeln!(text, "k = {k}  # CONFIRM: everybody stands in a crowd of at least {k}");
    text.push_str("suppress = 0.0  # the share of rows that may be withheld to keep the rest finer\n");
    for (column, profile) in columns.iter().zip(profiles) {
        text.push_str("\n[[column]]\n");
        let _ = writeln!(text, "name = {}", quoted(&column.name));
        let confirm = if column.confidence == Confidence::Unsure { "CONFIRM: " } else { "" };
        let _ = writeln!(text, "role = \"{}\"  # {confirm}{}", column.role, one_line(&column.reason));
        if column.reason.contains("format must be told") {
            text.push_str("# date_format = \"%d.%m.%Y\"  # CONFIRM: how dates are written in this column\n");
        }
        if column.role == Role::QuasiIdentifier {
            text.push_str(&hierarchy_line(profile));
        }
    }
    text
}

/// The hierarchy that suits the values, with its reason.
fn hierarchy_line(profile: &ColumnProfile) -> String {
    let Ok(suggestion) = Hierarchy::suggest(&profile.dictionary) else {
        return "# hierarchy = { file = \"…\" }  # CONFIRM: no hierarchy suits the values of this column\n".into();
    };
    let reason = one_line(&suggestion.reason);
    match suggestion.built {
        Built::Flat if profile.distinct() > 8 => {
            format!("hierarchy = {{ build = \"flat\" }}  # CONFIRM: {reason}; a file with levels between loses less\n")
        }
        Built::Flat => format!("hierarchy = {{ build = \"flat\" }}  # {reason}\n"),
        Built::Dates => format!("hierarchy = {{ build = \"dates\" }}  # {reason}\n"),
        Built::Prefix => format!("hierarchy = {{ build = \"prefix\" }}  # {reason}\n"),
        Built::Numeric { widths } => {
            let widths: Vec<String> = widths.iter().map(ToString::to_string).collect();
            format!("hierarchy = {{ intervals = [{}] }}  # {reason}\n", widths.join(", "))
        }
    }
}

/// A text as a TOML string, whatever is in it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.into()).to_string()
}

/// A text that stays inside its comment.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
