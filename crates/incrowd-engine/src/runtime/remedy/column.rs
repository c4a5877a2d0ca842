//! Columns: another name, another form, or fewer of them.

use super::{Sentence, Setting};
use crate::runtime::error::EngineError;

/// What to do about a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnRemedy {
    /// A name that is probably a misspelling of another.
    DidYouMean {
        /// The name that is probably meant.
        column: String,
    },
    /// A name like no other.
    NameOneOf {
        /// The columns of the table.
        columns: Vec<String>,
    },
    /// A column was named twice.
    GiveOneRole,
    /// A column of lists, structures or bytes.
    Flatten,
    /// The same, in a release that can leave it out.
    FlattenOrRemove,
    /// Texts do not follow the format of dates.
    CheckDateFormat,
    /// Values are not numbers with a decimal comma.
    CheckDecimalComma,
    /// A column with too many values for the memory.
    LeaveOutIdentifier,
    /// More columns than a tuple holds.
    ChooseFewer,
    /// More tuples than memory holds.
    RaiseMemory,
    /// Values that only the database can write.
    ReadAsText,
    /// Texts that are too long to be published.
    DropLongTexts,
    /// A column that cannot be treated so.
    TreatOtherwise,
    /// A column that cannot be read.
    FindTheOneThatFails,
}

impl ColumnRemedy {
    pub(super) fn of(error: &EngineError) -> Self {
        match error {
            EngineError::UnknownColumn { name, known } => match closest(name, known) {
                Some(near) => ColumnRemedy::DidYouMean { column: near.into() },
                None => ColumnRemedy::NameOneOf { columns: known.clone() },
            },
            EngineError::AskedTwice(_) => ColumnRemedy::GiveOneRole,
            EngineError::UnsupportedType { .. } => ColumnRemedy::Flatten,
            EngineError::Unpublishable { .. } => ColumnRemedy::FlattenOrRemove,
            EngineError::Untreatable { .. } => ColumnRemedy::TreatOtherwise,
            EngineError::NotInFormat { .. } => ColumnRemedy::CheckDateFormat,
            EngineError::NoDecimalComma { .. } => ColumnRemedy::CheckDecimalComma,
            EngineError::TooManyValues { .. } => ColumnRemedy::LeaveOutIdentifier,
            EngineError::TooManyTuples { .. } => ColumnRemedy::RaiseMemory,
            EngineError::Engine { .. } => ColumnRemedy::FindTheOneThatFails,
            _ => ColumnRemedy::ChooseFewer,
        }
    }

    pub(super) fn sentence(&self) -> Sentence {
        let memory = || [Setting::named("memory")];
        match self {
            ColumnRemedy::DidYouMean { column } => Sentence::plain(format!("did you mean “{column}”?")),
            ColumnRemedy::NameOneOf { columns } => Sentence::plain(format!("the table has: {}", columns.join(", "))),
            ColumnRemedy::GiveOneRole => Sentence::plain("give each column one role"),
            ColumnRemedy::Flatten => {
                Sentence::plain("convert it to scalar columns before the table is read, or leave it out")
            }
            ColumnRemedy::FlattenOrRemove => {
                Sentence::plain("convert it to scalar columns before the table is read, or remove it")
            }
            ColumnRemedy::TreatOtherwise => Sentence::about(
                "use {} to publish the column without values, or remove it",
                [Setting::with("treat", "COLUMN=blank")],
            ),
            ColumnRemedy::CheckDateFormat => Sentence::about(
                "check {}: %d is the day, %m the month, %Y the year, for example %d.%m.%Y",
                [Setting::named("date_format")],
            ),
            ColumnRemedy::CheckDecimalComma => Sentence::about(
                "name texts that mean a missing value with {}, correct the values, or leave the column out of {}",
                [Setting::named("null"), Setting::named("decimal_comma")],
            ),
            ColumnRemedy::LeaveOutIdentifier => Sentence::about(
                "a column with this many values is probably an identifier: leave it out, or raise {}",
                memory(),
            ),
            ColumnRemedy::ChooseFewer => Sentence::plain("use fewer columns"),
            ColumnRemedy::RaiseMemory => Sentence::about("raise {}, or use fewer columns", memory()),
            ColumnRemedy::ReadAsText => {
                Sentence::plain("read the column as text: 'postgres:SELECT …, column::text FROM …', or leave it out")
            }
            ColumnRemedy::DropLongTexts => {
                Sentence::plain("remove the column from the table: such long texts cannot be published safely")
            }
            ColumnRemedy::FindTheOneThatFails => {
                Sentence::plain("run again with fewer columns to find the one that fails, and please report it")
            }
        }
    }
}

/// The known name with the fewest edits, if few enough that a typing error explains it.
fn closest<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    let best = known.iter().map(|other| (edits(&name.to_lowercase(), &other.to_lowercase()), other)).min()?;
    (best.0 <= 1 + name.chars().count() / 4).then_some(best.1.as_str())
}

/// The Levenshtein distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remedy(name: &str, known: &[&str]) -> ColumnRemedy {
        let known = known.iter().map(|&known| known.into()).collect();
        ColumnRemedy::of(&EngineError::UnknownColumn { name: name.into(), known })
    }

    #[test]
    fn a_misspelt_column_is_answered_with_the_one_meant() {
        let meant = remedy("maritalstatus", &["marital-status", "sex"]);
        assert_eq!(meant, ColumnRemedy::DidYouMean { column: "marital-status".into() });
    }

    #[test]
    fn a_column_like_no_other_is_answered_with_the_list() {
        let list = remedy("zodiac", &["age", "sex"]);
        assert_eq!(list, ColumnRemedy::NameOneOf { columns: vec!["age".into(), "sex".into()] });
    }
}
