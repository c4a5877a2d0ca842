//! The table of a request and how it is read.

use incrowd_engine::{CellRange, Format, TextEncoding};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{FORMATS, OptionEntry, OptionPlace, OptionValue};

/// The table and how it is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourcePlan {
    /// A file, a folder or a pattern, relative to the plan.
    pub path: String,
    /// `csv`, `parquet`, `arrow`, `xlsx`, `dta` or `sav` (default: from the file name).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Delimiter of a CSV file (default: detected).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Encoding of a CSV file, such as `windows-1252` (default: `utf-8`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Sheet of a workbook (default: the only visible one with content).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// Cells of a workbook that are the table, such as `B3:F200` (default: all cells of the sheet).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// Whether the first line of a CSV file contains the column names (default: detected).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// Texts that mean a missing value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nulls: Vec<String>,
    /// Whether each row is a different person, although an identifier has repeated values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rows_are_people: bool,
}

const READING: OptionEntry = OptionEntry { heading: "Reading", ..OptionEntry::EMPTY };

/// The options about reading a table.
pub(super) const OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: "delimiter",
        flag: Some("delimiter"),
        place: OptionPlace::Plan("source.delimiter"),
        value: OptionValue::Delimiter,
        value_name: "CHAR",
        help: "Delimiter of a CSV file",
        default: Some("detected"),
        example: ";",
        ..READING
    },
    OptionEntry {
        name: "encoding",
        flag: Some("encoding"),
        place: OptionPlace::Plan("source.encoding"),
        value: OptionValue::Text,
        value_name: "ENCODING",
        help: "Encoding of a CSV file, such as windows-1252 or utf-16le",
        default: Some("utf-8"),
        example: "windows-1252",
        ..READING
    },
    OptionEntry {
        name: "sheet",
        flag: Some("sheet"),
        place: OptionPlace::Plan("source.sheet"),
        value: OptionValue::Text,
        value_name: "SHEET",
        help: "Sheet of a workbook (.xlsx, .xls, .ods)",
        default: Some("the only visible one with content"),
        example: "Patients",
        ..READING
    },
    OptionEntry {
        name: "range",
        flag: Some("range"),
        place: OptionPlace::Plan("source.range"),
        value: OptionValue::Text,
        value_name: "RANGE",
        help: "Cells of a workbook that are the table, such as B3:F200",
        default: Some("all cells of the sheet"),
        example: "B3:F200",
        ..READING
    },
    OptionEntry {
        name: "header",
        flag: Some("header"),
        place: OptionPlace::Plan("source.header"),
        value: OptionValue::OnOrOff,
        help: "Read the first line of a CSV file as column names, even if it looks like data",
        example: "true",
        ..READING
    },
    OptionEntry {
        name: "null",
        flag: Some("null"),
        place: OptionPlace::Plan("source.nulls"),
        value: OptionValue::Texts,
        value_name: "TEXT",
        help: "Text that means a missing value, such as '?'",
        example: "? NA",
        ..READING
    },
    OptionEntry {
        name: "date_format",
        flag: Some("date-format"),
        place: OptionPlace::ByColumn("date_format"),
        value: OptionValue::TextByColumn,
        value_name: "COLUMN=FORMAT",
        help: "Date format of a column, such as birth=%d.%m.%Y",
        example: "birth=%d.%m.%Y",
        ..READING
    },
    OptionEntry {
        name: "decimal_comma",
        flag: Some("decimal-comma"),
        place: OptionPlace::EachColumn("decimal", "\",\""),
        value: OptionValue::Columns,
        value_name: "COLUMNS",
        help: "Columns with numbers such as 1.234,5; a CSV release of a CSV file writes them with a comma, too",
        example: "age",
        ..READING
    },
    OptionEntry {
        name: "input_format",
        flag: Some("input-format"),
        place: OptionPlace::Plan("source.format"),
        value: FORMATS,
        value_name: "FORMAT",
        help: "Format of the file",
        default: Some("from its name"),
        example: "parquet",
        ..READING
    },
    OptionEntry {
        name: "connection",
        flag: Some("connection"),
        python: false,
        place: OptionPlace::Call("connection"),
        value: OptionValue::Path,
        value_name: "FILE",
        help: "File with the PostgreSQL connection settings",
        default: Some("DATABASE_URL, PGSERVICE, PGHOST, …"),
        example: "connection.toml",
        ..READING
    },
];

impl SourcePlan {
    pub(super) fn overlay(self, said: SourcePlan) -> SourcePlan {
        SourcePlan {
            path: if said.path.is_empty() { self.path } else { said.path },
            format: said.format.or(self.format),
            delimiter: said.delimiter.or(self.delimiter),
            encoding: said.encoding.or(self.encoding),
            sheet: said.sheet.or(self.sheet),
            range: said.range.or(self.range),
            header: said.header.or(self.header),
            nulls: [self.nulls, said.nulls].concat(),
            rows_are_people: said.rows_are_people || self.rows_are_people,
        }
    }

    /// What is invalid.
    pub(super) fn fault(&self) -> Option<String> {
        if let Some(word) = self.format.as_deref().filter(|word| format_named(word).is_none()) {
            return Some(format!("unknown format “{word}”; use csv, parquet, arrow, xlsx, dta or sav"));
        }
        if let Some(word) = self.encoding.as_deref().filter(|word| TextEncoding::named(word).is_none()) {
            return Some(format!(
                "unknown encoding “{word}”; use a name such as windows-1252, iso-8859-15 or utf-16le"
            ));
        }
        if let Some(text) = self.range.as_deref().filter(|text| text.parse::<CellRange>().is_err()) {
            return Some(format!("“{text}” is no range of cells; use one such as B3:F200 or B3:F"));
        }
        if self.delimiter.is_some_and(|delimiter| !delimiter.is_ascii()) {
            return Some("the delimiter has to be an ASCII character".into());
        }
        if self.delimiter.is_some_and(|delimiter| "\"\r\n\0".contains(delimiter)) {
            return Some("the delimiter cannot be a quote, a line break or NUL".into());
        }
        None
    }
}

/// A format by its word.
pub fn format_named(word: &str) -> Option<Format> {
    let formats = [Format::Csv, Format::Parquet, Format::Arrow, Format::Xlsx, Format::Dta, Format::Sav];
    formats.into_iter().find(|format| format.name().eq_ignore_ascii_case(word))
}
