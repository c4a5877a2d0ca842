//! Rows as CSV: a comma or the delimiter of the dialect, a line feed, quotes where they are needed (RFC 4180), nothing for a missing value.
//!
//! A spreadsheet runs a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return. When formulas are to be
//! escaped, such a cell gets an apostrophe in front, which spreadsheets take for "text follows"; a plain number such as
//! `-5` is none. A cell that already begins with apostrophes before such a letter gets one more, so that taking one
//! away always gives the cell back.
//!
//! Numbers, dates and instants have the form in which a dictionary shows them, so that a value is written alike in a
//! policy, a hierarchy and a release.

use std::borrow::Cow;

use arrow::array::types::{Date32Type, Float32Type, Float64Type, Int64Type};
use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use incrowd_core::date_label;

use super::labels::ColumnLabels;
use super::release_file::TextStyle;
use super::staging::misfit;
use crate::runtime::error::Result;
use crate::source::decimal_mark::with_point;
use crate::source::instants::{instant_label, ticks};

/// One column of some rows.
pub(crate) enum TextColumn<'a> {
    Labels(ColumnLabels<'a>),
    Texts(StringArray),
}

impl TextColumn<'_> {
    /// The texts of the rows; nothing is a missing cell.
    pub(crate) fn texts(&self) -> Box<dyn Iterator<Item = Option<&str>> + '_> {
        match self {
            TextColumn::Labels(labels) => Box::new(labels.texts()),
            TextColumn::Texts(texts) => Box::new(texts.iter()),
        }
    }
}

/// The line of column names.
pub(crate) fn header<'a>(names: impl Iterator<Item = &'a str>, style: &TextStyle) -> Result<Vec<u8>> {
    let mut line = csv::WriterBuilder::new().delimiter(style.dialect.delimiter).from_writer(Vec::new());
    line.write_record(names.map(|name| cell(name, style.escape).into_owned())).map_err(|_| misfit())?;
    line.into_inner().map_err(|_| misfit())
}

/// The lines of some rows.
pub(crate) fn lines(columns: &[TextColumn<'_>], rows: usize, style: &TextStyle) -> Result<Vec<u8>> {
    let mut lines = csv::WriterBuilder::new();
    let lines = lines.delimiter(style.dialect.delimiter).buffer_capacity(1 << 16);
    let mut lines = lines.from_writer(Vec::new());
    let mut cells: Vec<Box<dyn Iterator<Item = Option<&str>> + '_>> = columns.iter().map(TextColumn::texts).collect();
    for _ in 0..rows {
        for column in &mut cells {
            let text = column.next().flatten().unwrap_or_default();
            lines.write_field(cell(text, style.escape).as_bytes()).map_err(|_| misfit())?;
        }
        lines.write_record(None::<&[u8]>).map_err(|_| misfit())?;
    }
    lines.into_inner().map_err(|_| misfit())
}

/// The cell as it is written.
fn cell(text: &str, escape: bool) -> Cow<'_, str> {
    if escape && runs_in_a_spreadsheet(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

fn runs_in_a_spreadsheet(text: &str) -> bool {
    let bare = text.trim_start_matches('\'');
    let is_number = || with_point(bare).parse::<f64>().is_ok();
    bare.starts_with(['=', '+', '-', '@', '\t', '\r']) && (bare.len() < text.len() || !is_number())
}

/// Cells in the one form that their column has. `days` says that the instants of the column are calendar days.
pub(crate) fn texts(array: &ArrayRef, days: bool) -> Result<StringArray> {
    Ok(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().clone(),
        DataType::Float32 => written(array.as_primitive::<Float32Type>().iter(), |number| number.to_string()),
        DataType::Float64 => written(array.as_primitive::<Float64Type>().iter(), |number| number.to_string()),
        DataType::Date32 => written(array.as_primitive::<Date32Type>().iter(), date_label),
        other => match ticks(other) {
            Some(second) => {
                let instants = cast(array, &DataType::Int64).map_err(|_| misfit())?;
                let day = |instant: i64| i32::try_from(instant / second / 86_400).map(date_label);
                let label = |instant: i64| match day(instant) {
                    Ok(label) if days => label,
                    _ => instant_label(instant, second),
                };
                written(instants.as_primitive::<Int64Type>().iter(), label)
            }
            None => cast(array, &DataType::Utf8).map_err(|_| misfit())?.as_string::<i32>().clone(),
        },
    })
}

fn written<T>(cells: impl Iterator<Item = Option<T>>, label: impl Fn(T) -> String) -> StringArray {
    cells.map(|cell| cell.map(&label)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_spreadsheet_would_run_is_escaped() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-x", "'-x"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("-5", "-5"),
            ("+4.5", "+4.5"),
            ("[20, 30)", "[20, 30)"),
            ("435*", "435*"),
            ("'twas", "'twas"),
            ("", ""),
        ] {
            assert_eq!((cell(text, true).as_ref(), cell(text, false).as_ref()), (written, text));
        }
    }
}
