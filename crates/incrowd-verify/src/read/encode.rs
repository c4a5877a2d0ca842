//! From a cell to the code of its text.
//!
//! Cells of typed columns are compared as texts too: whole numbers plain, dates as `YYYY-MM-DD`, floating-point numbers
//! as the shortest decimal. Where a column is stored as a dictionary, each entry is looked at once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ahash::RandomState;
use arrow::array::{Array, ArrayRef, AsArray, Int32Array};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int32Type, Int64Type};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use chrono::NaiveDate;

use super::ReadError;
use super::instants;
use super::texts::{ColumnTexts, MISSING};

/// What a cell of one column means.
#[derive(Clone, Default)]
pub(crate) struct CellRules {
    /// ColumnTexts that mean a missing value.
    pub(crate) nulls: Vec<String>,
    /// Whether a cell without content is a missing value. In CSV it always is.
    pub(crate) empty_is_missing: bool,
    /// How texts write dates; a text that is such a date is compared as `YYYY-MM-DD`.
    pub(crate) dates: Option<String>,
    /// Whether texts write numbers with a decimal comma; they are compared as written with a point.
    pub(crate) decimal_comma: bool,
    /// Whether texts that are numbers are compared as the same number read from a typed file.
    pub(crate) as_float: bool,
    /// Whether instants are days: all of them are midnight.
    pub(crate) days: bool,
    /// Spellings that are read as another one.
    pub(crate) spellings: BTreeMap<String, String>,
    /// What is compared in place of a text; nothing is the missing value.
    pub(crate) rewrite: Option<TextRewrite>,
}

/// Makes another text of a cell's text, or the missing value.
pub(crate) type TextRewrite = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// A number with a decimal comma as it is published: with a point, without separators and zeros at the end.
fn with_point(text: &str) -> String {
    let digits: String =
        text.replace('\u{2212}', "-").chars().filter(|letter| "-,0123456789".contains(*letter)).collect();
    match digits.split_once(',') {
        None if digits == "-0" => "0".into(),
        None => digits,
        Some((whole, fraction)) => match fraction.trim_end_matches('0') {
            "" if whole == "-0" => "0".into(),
            "" => whole.into(),
            fraction => format!("{whole}.{fraction}"),
        },
    }
}

/// Gives each cell of one column the code of its text.
pub(crate) struct CellEncoder {
    pub(crate) texts: ColumnTexts,
    rules: Arc<CellRules>,
    /// The codes of whole numbers that were rendered before.
    numbers: HashMap<i64, u32, RandomState>,
    /// The last dictionary and the codes of its entries. Holding it keeps its address from being used again.
    dictionary: Option<(ArrayRef, Vec<u32>)>,
}

impl CellEncoder {
    /// An encoder that takes the text of a cell unchanged, and has met none.
    pub(crate) fn plain() -> CellEncoder {
        CellEncoder::new(ColumnTexts::default(), CellRules::default())
    }

    /// An encoder that goes on with the texts of another table.
    pub(crate) fn new(texts: ColumnTexts, rules: CellRules) -> CellEncoder {
        CellEncoder { texts, rules: Arc::new(rules), numbers: HashMap::default(), dictionary: None }
    }

    /// An encoder that reads cells in the same way and has met none.
    pub(crate) fn sibling(&self) -> CellEncoder {
        let rules = Arc::clone(&self.rules);
        CellEncoder { texts: ColumnTexts::default(), rules, numbers: HashMap::default(), dictionary: None }
    }

    /// The code of a cell that has a text.
    pub(crate) fn code(&mut self, text: &str) -> u32 {
        if text.is_empty() && self.rules.empty_is_missing || self.rules.nulls.iter().any(|null| null == text) {
            return MISSING;
        }
        let text = self.rules.spellings.get(text).map_or(text, String::as_str);
        let day = self.rules.dates.as_ref().and_then(|format| NaiveDate::parse_from_str(text, format).ok());
        if let Some(day) = day {
            return self.texts.intern(&day.format("%Y-%m-%d").to_string());
        }
        let with_point = self.rules.decimal_comma.then(|| with_point(text));
        let text = with_point.as_deref().unwrap_or(text);
        let rewritten = self.rules.rewrite.as_ref().map(|rewrite| rewrite(text));
        let text = match &rewritten {
            Some(None) => return MISSING,
            Some(Some(text)) => text,
            None => text,
        };
        interned(&mut self.texts, self.rules.as_float, text)
    }

    /// The code of a text that is compared in place of a cell's text.
    pub(crate) fn treated(&mut self, text: &str) -> u32 {
        interned(&mut self.texts, self.rules.as_float, text)
    }

    /// Appends the codes of a column of a batch.
    pub(crate) fn encode(&mut self, array: &ArrayRef, codes: &mut Vec<u32>) -> Result<(), ReadError> {
        if array.as_any_dictionary_opt().is_some() {
            return self.encode_dictionary(array, codes);
        }
        match array.data_type() {
            DataType::Utf8 => self.encode_texts(array.as_string::<i32>().iter(), codes),
            DataType::LargeUtf8 => self.encode_texts(array.as_string::<i64>().iter(), codes),
            DataType::Utf8View => self.encode_texts(array.as_string_view().iter(), codes),
            DataType::Int32 => self.encode_numbers(array.as_primitive::<Int32Type>().iter(), codes),
            DataType::Int64 => self.encode_numbers(array.as_primitive::<Int64Type>().iter(), codes),
            DataType::Float32 => self.encode_rendered(array.as_primitive::<Float32Type>().iter(), codes),
            DataType::Float64 => self.encode_rendered(array.as_primitive::<Float64Type>().iter(), codes),
            DataType::Timestamp(..) => return self.encode_instants(array, codes),
            DataType::Null => codes.extend(std::iter::repeat_n(MISSING, array.len())),
            other if other.is_nested() => return Err(ReadError::unreadable("a column is not flat")),
            _ => return self.encode_formatted(array, codes),
        }
        Ok(())
    }

    fn encode_dictionary(&mut self, array: &ArrayRef, codes: &mut Vec<u32>) -> Result<(), ReadError> {
        let Some(dictionary) = array.as_any_dictionary_opt() else { return Ok(()) };
        let values = dictionary.values();
        let known = self.dictionary.as_ref().is_some_and(|(last, _)| last.to_data().ptr_eq(&values.to_data()));
        if !known {
            // An entry may be missing too, and entries that no row uses get a code that no row has.
            let mut entries = Vec::with_capacity(values.len());
            self.encode(values, &mut entries)?;
            self.dictionary = Some((Arc::clone(values), entries));
        }
        let entries = self.dictionary.as_ref().map(|(_, entries)| entries.as_slice()).unwrap_or_default();
        let keys = dictionary.keys();
        if let Some(keys) = keys.as_any().downcast_ref::<Int32Array>() {
            let entry = |key: Option<i32>| match key {
                Some(key) => entries.get(usize::try_from(key).ok()?).copied(),
                None => Some(MISSING),
            };
            for key in keys {
                codes.push(entry(key).ok_or_else(|| ReadError::unreadable("a cell is outside of its dictionary"))?);
            }
        } else if entries.is_empty() {
            codes.extend(std::iter::repeat_n(MISSING, keys.len()));
        } else {
            let places = dictionary.normalized_keys();
            codes.extend(
                places.iter().enumerate().map(|(row, &at)| if keys.is_null(row) { MISSING } else { entries[at] }),
            );
        }
        Ok(())
    }

    fn encode_texts<'a>(&mut self, cells: impl Iterator<Item = Option<&'a str>>, codes: &mut Vec<u32>) {
        codes.extend(cells.map(|cell| cell.map_or(MISSING, |text| self.code(text))));
    }

    fn encode_numbers<N: Into<i64>>(&mut self, cells: impl Iterator<Item = Option<N>>, codes: &mut Vec<u32>) {
        for cell in cells {
            codes.push(match cell.map(Into::into) {
                None => MISSING,
                Some(number) => match self.numbers.get(&number) {
                    Some(&code) => code,
                    None => {
                        let code = self.code(&number.to_string());
                        self.numbers.insert(number, code);
                        code
                    }
                },
            });
        }
    }

    fn encode_rendered<N: ToString>(&mut self, cells: impl Iterator<Item = Option<N>>, codes: &mut Vec<u32>) {
        codes.extend(cells.map(|cell| cell.map_or(MISSING, |number| self.code(&number.to_string()))));
    }

    /// Instants as the clock of their zone shows them, or the days alone.
    fn encode_instants(&mut self, array: &ArrayRef, codes: &mut Vec<u32>) -> Result<(), ReadError> {
        let shown = instants::shown(array).ok_or_else(|| ReadError::unreadable("a column has an unknown time zone"))?;
        let days = self.rules.days;
        let told = |text: &str| if days { instants::day(text).to_string() } else { text.to_string() };
        codes.extend(shown.into_iter().map(|text| text.map_or(MISSING, |text| self.code(&told(&text)))));
        Ok(())
    }

    fn encode_formatted(&mut self, array: &ArrayRef, codes: &mut Vec<u32>) -> Result<(), ReadError> {
        let options = FormatOptions::new();
        let unreadable = |_| ReadError::unreadable("a column is of a type that cannot be shown as text");
        let formatter = ArrayFormatter::try_new(array, &options).map_err(unreadable)?;
        for row in 0..array.len() {
            let code = if array.is_null(row) {
                MISSING
            } else {
                let text = formatter.value(row).try_to_string().map_err(unreadable)?;
                self.code(&text)
            };
            codes.push(code);
        }
        Ok(())
    }
}

/// The code of a text, or of the number that it is.
fn interned(texts: &mut ColumnTexts, as_float: bool, text: &str) -> u32 {
    let number = if as_float { text.parse::<f64>().ok() } else { None };
    match number {
        Some(number) => texts.intern(&number.to_string()),
        None => texts.intern(text),
    }
}

#[cfg(test)]
mod tests;
