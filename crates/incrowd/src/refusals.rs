//! The codes of refusals: why there is no answer, and what to do.
//!
//! `IC4xx` are about reading and writing tables, `IC5xx` about what was asked.

use incrowd_core::{CODES, Code, Severity};

/// Every refusal code, in order.
pub const REFUSALS: &[Code] = &[
    refusal("IC401", "cannot-open", "A file could not be found, opened, read or written.", "\
The path names nothing, or the operating system refused it.

Check the path and your permissions. A pattern such as 'data/*.csv' wants quotes, so that incrowd sees the pattern and \
not the shell. In a folder, files whose name begins with `.` or `_` are not taken for data."),
    refusal("IC402", "unknown-format", "The format of a file is not known, or files of one table have different ones.", "\
incrowd reads CSV and TSV (also gzipped or zstd-compressed), Parquet and Arrow IPC. The ending of the name tells which; \
Parquet and Arrow files are also known by their first bytes.

Say --input-format when the name tells nothing. All files of one table need the same format."),
    refusal("IC403", "empty-table", "The table has no rows.", "\
Every promise holds for an empty table, so a check of one would always say yes. It is refused instead: an empty export \
is nearly always a failed one."),
    refusal("IC404", "bad-header", "Column names are missing, repeated or differ between the files of a table.", "\
Columns are known by their names. Two columns of one name would be confused with each other, and one of them could be \
published under the role of the other.

Rename the columns in the file. The message says at which positions they stand."),
    refusal("IC405", "bad-text", "A file or cell is not clean UTF-8 text.", "\
Bytes that are no text are a sign of another encoding (UTF-16, Windows-1252) or of a damaged file. Guessing would turn \
one value into two, or two into one, and the crowds would be counted wrong.

Convert the file with `iconv -f UTF-16 -t UTF-8` or `iconv -f WINDOWS-1252 -t UTF-8`. NUL characters have to be removed \
where they come from."),
    refusal("IC406", "ragged-lines", "A line has too many or too few cells, or a quote is never closed.", "\
When a line does not have as many cells as the header, values stand under the wrong column from there on. An open quote \
swallows all lines to the next quote, and rows are lost without a word.

Look at the line named. Cells that contain the delimiter, a quote or a line break are put in quotes; a quote inside is \
written twice. If the wrong delimiter was taken, name it with --delimiter."),
    refusal("IC407", "unknown-column", "A column was named that the table does not have.", "\
Names are compared letter for letter, with upper and lower case. The message names the closest one there is.

Names with commas cannot be given on the command line; put them into a plan."),
    refusal("IC408", "unsupported-type", "A column holds lists, structures or bytes.", "\
Only plain values can tell rows apart. Flatten the column into plain columns before the table is read, or leave it out."),
    refusal("IC409", "not-in-date-format", "A column does not follow the date format named for it.", "\
Dates other than YYYY-MM-DD are read only by a format you name, because 03.04.1980 is the 3rd of April in one country and \
the 4th of March in another. Every value has to follow it.

The letters: %d day, %m month, %Y year with four digits, %y with two, for example %d.%m.%Y or %m/%d/%Y."),
    refusal("IC410", "too-large", "The question needs more memory than was allowed.", "\
--memory bounds the run. Tuples beyond it go through the disk, but some questions (which column sets, which values) need \
all distinct tuples at once, and dictionaries of distinct values stay in memory.

Raise --memory, or ask about fewer columns. A column with almost as many values as rows is rather an identifier."),
    refusal("IC411", "no-temporary-folder", "The temporary folder could not be used.", "\
Codes that outgrow memory are written to a private folder that is closed to others and removed at the end.

Name a folder with room in it with --temp DIR. A folder that belongs to somebody else is refused: they could read along."),
    refusal("IC412", "stopped", "The work was stopped.", "\
Ctrl-C ends the work at its next step. Temporary files are removed and no file is left half written."),
    refusal("IC413", "engine-failed", "The query engine failed.", "\
The message names what it was doing. Its own words are withheld, because they may quote cells of the table.

Damaged files are the usual cause. If the file is well, please report it with the columns' types, without any data."),
    refusal(
        "IC414",
        "rows-differ",
        "A scan met another number of rows than the file holds.",
        "\
The rows of a table are counted before it is read. A reader that then meets more or fewer has misread something, and a \
person could be missing from every figure.

Check that no other program writes the file at the same time. If the file is well, please report it, without any data.",
    ),
    refusal("IC501", "bad-hierarchy", "A hierarchy does not hold together, or does not fit its column.", "\
A hierarchy file has one line per value: the value, then ever more general labels, then `*`, separated by `;` or `,`. \
Every label has one label above it, and all lines are equally long unless you allow an unbalanced tree.

`incrowd hierarchy check FILE --table TABLE --column COLUMN` says which values are not covered."),
    refusal("IC502", "bad-plan", "The plan could not be read.", "\
A plan is a TOML file. Words that are not known are refused, so that a misspelt promise is never silently dropped.

`incrowd init FILE` drafts one; `incrowd init --schema` prints its JSON Schema, with which editors check it as you type."),
    refusal("IC503", "bad-policy", "A policy cannot be used with this table.", "\
A model has the wrong parameters, names a column that is not there, or is about sensitive columns that were not named.

`incrowd list models` shows every model with an example."),
    refusal("IC504", "bad-roles", "The roles of columns are missing or contradict each other.", "\
Every column has one role. Quasi-identifiers (--qi) are what an outsider may know about a person; sensitive columns are \
what nobody should learn; identifiers name people by themselves; the subject says which rows belong to the same person.

`incrowd check FILE` suggests a role for every column."),
    refusal("IC505", "too-many-sets", "There are too many column sets to look at each.", "\
n columns have 2ⁿ − 1 sets. Above twenty columns that is more than a million.

Use --sets, which finds the borders between safe and dangerous sets without looking at all of them, with --max-columns \
to bound their size, or name fewer columns."),
];

const fn refusal(code: &'static str, name: &'static str, summary: &'static str, explanation: &'static str) -> Code {
    Code { code, name, severity: Severity::Refusal, summary, explanation }
}

/// The finding or refusal with this code or name, in any case.
pub fn explain(code_or_name: &str) -> Option<&'static Code> {
    let same = |text: &str| text.eq_ignore_ascii_case(code_or_name);
    CODES.iter().copied().chain(REFUSALS).find(|code| same(code.code) || same(code.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_never_used_twice() {
        let all: Vec<&Code> = CODES.iter().copied().chain(REFUSALS).collect();
        for (index, code) in all.iter().enumerate() {
            let twice = all[..index].iter().any(|other| other.code == code.code || other.name == code.name);
            assert!(!twice, "{} is used twice", code.code);
        }
    }

    #[test]
    fn every_code_an_error_can_carry_is_explained() {
        let engine = (401..=414).map(|number| format!("IC{number}"));
        let library = (501..=505).map(|number| format!("IC{number}"));
        engine.chain(library).for_each(|code| assert!(explain(&code).is_some(), "{code}"));
    }
}
