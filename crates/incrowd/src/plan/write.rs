//! Writing a first plan, with the reason beside every line.

use std::fmt::Write;

use incrowd_core::{Built, ColumnProfile, Hierarchy, Role};
use incrowd_engine::{ReadOptions, Source};
use incrowd_risk::roles::Confidence;

use crate::roles::ColumnReport;

/// The text of a plan for this table, as far as it can be guessed. Reads like a questionnaire: whoever signs the
/// release goes through the lines marked CONFIRM. The path is the table's as seen from the plan, the options are those
/// it was opened with.
pub fn draft(
    source: &Source,
    path: &str,
    options: &ReadOptions,
    profiles: &[ColumnProfile],
    columns: &[ColumnReport],
    k: u64,
) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "# The plan for {}, drafted by `incrowd init`.", one_line(source.name()));
    text.push_str("# Roles are guesses. Go through them all; the lines marked CONFIRM need a decision.\n\n");
    text.push_str("version = 1\n\n[source]\n");
    let _ = writeln!(text, "path = {}  # as seen from this file", quoted(path));
    if let Some(format) = options.format {
        let _ = writeln!(text, "format = {}", quoted(&format.name().to_lowercase()));
    }
    if let Some(delimiter) = source.delimiter().filter(|&delimiter| delimiter != b',' || options.delimiter.is_some()) {
        let how = if options.delimiter.is_some() { "" } else { "  # sniffed" };
        let _ = writeln!(text, "delimiter = {}{how}", quoted(&char::from(delimiter).to_string()));
    }
    if !options.nulls.is_empty() {
        let nulls: Vec<String> = options.nulls.iter().map(|null| quoted(null)).collect();
        let _ = writeln!(text, "nulls = [{}]", nulls.join(", "));
    }
    text.push_str("\n[policy]\n");
    let _ = writeln!(text, "k = {k}  # CONFIRM: everybody stands in a crowd of at least {k}");
    text.push_str("suppress = 0.0  # the share of rows that may be withheld to keep the rest finer\n");
    for column in columns.iter().filter(|column| column.role == Role::Sensitive) {
        text.push_str(
            "# [[policy.alpha]]  # CONFIRM: in no class may one value have more than this share of the rows\n",
        );
        let _ = writeln!(text, "# column = {}\n# alpha = 0.5", quoted(&column.name));
    }
    for (column, profile) in columns.iter().zip(profiles) {
        text.push_str("\n[[column]]\n");
        let _ = writeln!(text, "name = {}", quoted(&column.name));
        let confirm = if column.confidence == Confidence::Unsure { "CONFIRM: " } else { "" };
        let _ = writeln!(text, "role = \"{}\"  # {confirm}{}", column.role, one_line(&column.reason));
        let dated = options.date_formats.iter().find(|(name, _)| *name == column.name);
        if let Some((_, format)) = dated {
            let _ = writeln!(text, "date_format = {}", quoted(format));
        } else if column.reason.contains("format must be told") {
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
