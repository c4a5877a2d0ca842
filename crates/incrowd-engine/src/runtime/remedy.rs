//! The stable code of every refusal, and the way out of it in one sentence.

use crate::runtime::error::{CellFault, EngineError};

impl EngineError {
    /// The stable code, for `incrowd explain`.
    pub fn code(&self) -> &'static str {
        match self {
            EngineError::NotFound(_) | EngineError::NothingToRead(_) | EngineError::Io { .. } => "IC401",
            EngineError::UnknownFormat(_) | EngineError::Damaged { .. } | EngineError::MixedFormats { .. } => "IC402",
            EngineError::Empty(_) => "IC403",
            EngineError::DuplicateColumn { .. }
            | EngineError::UnnamedColumn { .. }
            | EngineError::MarkedColumn { .. }
            | EngineError::ColumnsDiffer { .. } => "IC404",
            EngineError::Utf16(_) | EngineError::BadCell { .. } | EngineError::BadValue { .. } => "IC405",
            EngineError::Ragged { .. } | EngineError::OpenQuote { .. } => "IC406",
            EngineError::UnknownColumn { .. } | EngineError::AskedTwice(_) => "IC407",
            EngineError::UnsupportedType { .. } | EngineError::Unpublishable { .. } => "IC408",
            EngineError::NotInFormat { .. } => "IC409",
            EngineError::TooManyValues { .. }
            | EngineError::TooWide
            | EngineError::TooManyColumns { .. }
            | EngineError::TooManyTuples { .. } => "IC410",
            EngineError::OverLimit { .. } => "IC423",
            EngineError::NoHeader { .. } => "IC424",
            EngineError::Incomplete { .. } | EngineError::Trailing { .. } => "IC425",
            EngineError::Temp { .. } => "IC411",
            EngineError::Clock => "IC436",
            EngineError::AddressSpace { .. }
            | EngineError::Files { .. }
            | EngineError::Threads { .. }
            | EngineError::System { .. } => "IC437",
            EngineError::Cancelled => "IC412",
            EngineError::Engine { .. } => "IC413",
            EngineError::RowsDiffer { .. } => "IC414",
            EngineError::Changed(_) => "IC415",
            EngineError::OverSource(_) => "IC616",
            EngineError::OtherOrder(_) => "IC619",
            EngineError::Database(_) => "IC416",
            EngineError::Store(_) => "IC417",
            EngineError::Cluster { .. } => "IC421",
            EngineError::NotOnCluster { .. } => "IC422",
        }
    }

    /// The way out, in one sentence.
    pub fn hint(&self) -> String {
        match self {
            EngineError::Clock => "set the clock".into(),
            EngineError::AddressSpace { .. } => {
                "raise the limit (`ulimit -v unlimited`), or say --threads 1; --memory bounds what a run uses".into()
            }
            EngineError::Files { .. } => "raise the limit (`ulimit -n 1024`)".into(),
            EngineError::Threads { started, .. } => {
                format!("say --threads {}, or raise the limit (`ulimit -u`)", (*started).max(1))
            }
            EngineError::System { .. } => "check the limits of the process (`ulimit -a`)".into(),
            EngineError::NotFound(_) => "check the path; a pattern such as 'data/*.csv' wants quotes".into(),
            EngineError::NothingToRead(_) => {
                "name a file, a folder or a pattern that holds .csv, .tsv, .parquet or .arrow files".into()
            }
            EngineError::Io { .. } => "check that the file can be read and the disk is well".into(),
            EngineError::UnknownFormat(_) => {
                "give the file its usual ending, or say --input-format csv|parquet|arrow".into()
            }
            EngineError::Damaged { .. } => {
                "check that the file was copied whole, or say --input-format csv|parquet|arrow".into()
            }
            EngineError::OverLimit { part, .. } => part.remedy().into(),
            EngineError::NoHeader { .. } => {
                "say --no-header if the file has no line of column names, or --header if the first line is one".into()
            }
            EngineError::Incomplete { .. } => "export or copy the file again, whole".into(),
            EngineError::Trailing { .. } => {
                "write one table to one file; files that were joined are read when they stand apart".into()
            }
            EngineError::MarkedColumn { .. } => "remove the mark from the file: it was written twice".into(),
            EngineError::MixedFormats { .. } => "name the files of one format, for example with a pattern".into(),
            EngineError::Empty(_) => "check that the export wrote its rows".into(),
            EngineError::DuplicateColumn { .. } => {
                "rename one of them in the file; if its first line is a row, say --no-header".into()
            }
            EngineError::UnnamedColumn { .. } => {
                "name it in the header line; if the first line is a row, say --no-header".into()
            }
            EngineError::ColumnsDiffer { .. } => {
                "the files of one table need the same columns in the same order".into()
            }
            EngineError::Utf16(_) => {
                "save it as UTF-8 (in a spreadsheet: “CSV UTF-8”), or run `iconv -f UTF-16 -t UTF-8`".into()
            }
            EngineError::BadCell { fault, .. } | EngineError::BadValue { fault, .. } => match fault {
                CellFault::NotUtf8 => "save the file as UTF-8, or run `iconv -f WINDOWS-1252 -t UTF-8`".into(),
                CellFault::Nul => "remove NUL characters from the file; they usually come from a broken export".into(),
                CellFault::Infinite => {
                    "read the column as text: 'postgres:SELECT …, column::text FROM …', or leave it out".into()
                }
                CellFault::TooLong => "such texts cannot be published safely: drop the column from the table".into(),
            },
            EngineError::Ragged { .. } => {
                "quote cells that contain the delimiter, or name the delimiter with --delimiter".into()
            }
            EngineError::OpenQuote { .. } => "close the quote; a quote inside a quoted cell is written twice".into(),
            EngineError::UnknownColumn { name, known } => match closest(name, known) {
                Some(near) => format!("did you mean “{near}”?"),
                None => format!("the table has: {}", known.join(", ")),
            },
            EngineError::AskedTwice(_) => "give each column one role".into(),
            EngineError::UnsupportedType { .. } => {
                "flatten it into plain columns before the table is read, or leave it out".into()
            }
            EngineError::NotInFormat { .. } => {
                "check --date-format: %d day, %m month, %Y year, for example %d.%m.%Y".into()
            }
            EngineError::TooManyValues { .. } => {
                "a column of so many values is rather an identifier: leave it out, or raise --memory".into()
            }
            EngineError::Cluster { fault, .. } => fault.way_out.into(),
            EngineError::NotOnCluster { .. } => "leave --cluster out: one machine does it".into(),
            EngineError::TooWide | EngineError::TooManyColumns { .. } => "choose fewer columns".into(),
            EngineError::TooManyTuples { .. } => "raise --memory, or choose fewer columns".into(),
            EngineError::Temp { .. } => "name a folder with room in it by --temp DIR".into(),
            EngineError::Cancelled => "nothing was left behind".into(),
            EngineError::RowsDiffer { .. } => {
                "check that nobody writes to the files; if nobody does, report it: no row may be lost".into()
            }
            EngineError::Changed(_) => {
                "let nobody write to the files while they are read, and run again; nothing was published".into()
            }
            EngineError::OverSource(_) => "choose another name: the source of a run is never deleted".into(),
            EngineError::OtherOrder(_) => {
                "let nobody write to the table while it is read; give a query an ORDER BY over a unique column; or \
                 raise --memory so that rows need not be read a third time. Nothing was published"
                    .into()
            }
            EngineError::Unpublishable { .. } => {
                "flatten it into plain columns before the table is read, or let it be removed".into()
            }
            EngineError::Database(fault) => fault.hint.into(),
            EngineError::Store(fault) => fault.hint.into(),
            EngineError::Engine { .. } => {
                "run again with fewer columns to find the one that fails, and report it".into()
            }
        }
    }
}

/// The known name with the fewest edits, if few enough that a slip of the finger explains it.
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

    #[test]
    fn a_misspelt_column_is_answered_with_the_one_meant() {
        let known = vec!["marital-status".to_string(), "sex".to_string()];
        let error = EngineError::UnknownColumn { name: "maritalstatus".into(), known };
        assert_eq!(error.hint(), "did you mean “marital-status”?");
    }

    #[test]
    fn a_column_like_no_other_is_answered_with_the_list() {
        let error = EngineError::UnknownColumn { name: "zodiac".into(), known: vec!["age".into(), "sex".into()] };
        assert_eq!(error.hint(), "the table has: age, sex");
    }
}
