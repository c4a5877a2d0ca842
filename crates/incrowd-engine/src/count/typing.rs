//! Distinct values in order of arrival become a sorted dictionary with a kind.
//!
//! Text first: a column of text becomes numbers or dates only when every one of its distinct values comes
//! back letter for letter from the typed form. `00501`, `+5`, `1e3` or a single `n/a` keep a column text. A date in
//! any form but `YYYY-MM-DD` is typed only by a format the user names: `03.04.1980` is never guessed.
//!
//! A column is typed after the scan, by its distinct values. No sample of the first rows decides, so no later row can
//! contradict the type. The cost grows with the number of distinct values, not with the number of rows.

use arrow::datatypes::DataType;
use chrono::NaiveDate;
use incrowd_core::{Dictionary, Values, date_label};

use crate::count::intern::{CellWriting, SharedDictionary};
use crate::runtime::error::{EngineError, Result};
use crate::runtime::narrow::number32;
use crate::source::coding::Coding;
use crate::source::instants::{instant_label, ticks};

/// A column's dictionary, and for each code given out during the scan its rank in it.
pub(crate) struct Ranked {
    pub(crate) dictionary: Dictionary,
    /// `ranks[0]` is the rank of the missing value.
    pub(crate) ranks: Vec<u32>,
    /// The bits behind each code from 1 on, for values of fixed width; nothing for texts.
    pub(crate) bits: Option<Vec<u64>>,
}

/// Sorts and types the values of a column. `missing` says whether a missing cell was met.
pub(crate) fn rank(column: &str, data_type: &DataType, shared: SharedDictionary, missing: bool) -> Result<Ranked> {
    match shared.misfits() {
        Some((CellWriting::Dates(format), count)) => {
            return Err(EngineError::NotInFormat { column: column.into(), format: format.clone(), count });
        }
        Some((_, count)) => return Err(EngineError::NoDecimalComma { column: column.into(), count }),
        None => {}
    }
    let data_type = match data_type {
        DataType::Dictionary(_, values) => values,
        other => other,
    };
    let coding = Coding::of_column(column, data_type)?;
    if coding == Coding::Text {
        return Ok(rank_texts(shared.into_texts(), missing));
    }
    let words = shared.into_words();
    let ranked = match coding {
        Coding::Text | Coding::Whole => rank_whole(data_type, &words, missing),
        Coding::Single => {
            // The shortest text of a single is what its writer meant; its double has a tail of digits.
            let meant = |&bits: &u64| f32::from_bits(bits as u32).to_string().parse().unwrap_or(f64::NAN);
            rank_numbers(words.iter().map(meant).collect(), None, missing)
        }
        Coding::Double => rank_numbers(words.iter().map(|&bits| f64::from_bits(bits)).collect(), None, missing),
    };
    Ok(Ranked { bits: Some(words), ..ranked })
}

fn rank_whole(data_type: &DataType, words: &[u64], missing: bool) -> Ranked {
    let whole: Vec<i64> = words.iter().map(|&word| word as i64).collect();
    let day = match (data_type, ticks(data_type)) {
        (DataType::Date32, _) => 1,
        (_, Some(second)) => second * 86_400,
        _ => return ranked(whole, missing, Values::Integers),
    };
    let as_day = |&instant: &i64| if instant % day == 0 { i32::try_from(instant / day).ok() } else { None };
    if let Some(days) = whole.iter().map(as_day).collect() {
        return ranked(days, missing, Values::Dates);
    }
    let written = |instant: i64| instant_label(instant, day / 86_400).into_boxed_str();
    ranked(whole.into_iter().map(written).collect(), missing, Values::Texts)
}

fn rank_texts(texts: Vec<Box<str>>, missing: bool) -> Ranked {
    if let Some(whole) = every(&texts, as_integer) {
        return ranked(whole, missing, Values::Integers);
    }
    if let Some(days) = every(&texts, as_date) {
        return ranked(days, missing, Values::Dates);
    }
    if let Some((numbers, scale)) = as_numbers(&texts) {
        return rank_numbers(numbers, scale, missing);
    }
    ranked(texts, missing, Values::Texts)
}

/// All values typed, or nothing.
fn every<T>(texts: &[Box<str>], typed: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    if texts.is_empty() { None } else { texts.iter().map(|text| typed(text)).collect() }
}

fn as_integer(text: &str) -> Option<i64> {
    let number: i64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

fn as_date(text: &str) -> Option<i32> {
    let days = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.to_epoch_days();
    (date_label(days) == text).then_some(days)
}

/// Numbers that are all written in their shortest form, or all with the same number of decimals.
fn as_numbers(texts: &[Box<str>]) -> Option<(Vec<f64>, Option<u8>)> {
    let plain = |text: &str| {
        text.parse::<f64>().ok().filter(|number| number.is_finite() && (*number != 0.0 || !text.starts_with('-')))
    };
    let numbers = every(texts, plain)?;
    if numbers.iter().zip(texts).all(|(number, text)| number.to_string() == **text) {
        return Some((numbers, None));
    }
    let scale = u8::try_from(texts.first()?.rsplit_once('.')?.1.len()).ok()?;
    let fixed = |number: &f64| format!("{:.*}", usize::from(scale), number);
    numbers.iter().zip(texts).all(|(number, text)| fixed(number) == **text).then_some((numbers, Some(scale)))
}

fn rank_numbers(numbers: Vec<f64>, scale: Option<u8>, missing: bool) -> Ranked {
    let ordered: Vec<TotalOrder> = numbers.into_iter().map(TotalOrder).collect();
    ranked(ordered, missing, |values| Values::Numbers {
        values: values.into_iter().map(|number| number.0).collect(),
        scale,
    })
}

/// A number in its total order; NaN never gets here.
#[derive(Clone, Copy, Default, PartialEq)]
struct TotalOrder(f64);

impl Eq for TotalOrder {}

impl PartialOrd for TotalOrder {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TotalOrder {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

fn ranked<T: Ord + Default>(mut arrived: Vec<T>, missing: bool, values: impl Fn(Vec<T>) -> Values) -> Ranked {
    let mut order: Vec<u32> = (0..number32(arrived.len())).collect();
    order.sort_unstable_by(|&a, &b| arrived[a as usize].cmp(&arrived[b as usize]));
    let mut ranks = vec![0; arrived.len() + 1];
    let mut sorted: Vec<T> = Vec::with_capacity(arrived.len());
    for index in order {
        // Moved, not copied: a dictionary may take most of the memory there is.
        let value = std::mem::take(&mut arrived[index as usize]);
        if sorted.last() != Some(&value) {
            sorted.push(value);
        }
        ranks[index as usize + 1] = number32(sorted.len() - 1);
    }
    ranks[0] = number32(sorted.len());
    Ranked { dictionary: Dictionary::new(values(sorted), missing), ranks, bits: None }
}

#[cfg(test)]
mod tests {
    use incrowd_core::Kind;

    use super::*;

    fn kind(texts: &[&str]) -> Kind {
        let texts = texts.iter().map(|&text| text.into()).collect();
        rank_texts(texts, false).dictionary.kind()
    }

    #[test]
    fn a_postcode_with_a_leading_zero_keeps_its_column_text() {
        assert_eq!(kind(&["00501", "90210"]), Kind::Text);
    }

    #[test]
    fn a_column_is_typed_only_when_every_value_comes_back() {
        assert_eq!(kind(&["9", "10", "-3"]), Kind::Integer);
        assert_eq!(kind(&["9", "+10"]), Kind::Text);
        assert_eq!(kind(&["1.5", "2", "0.25"]), Kind::Number);
        assert_eq!(kind(&["1.50", "2.00"]), Kind::Number);
        assert_eq!(kind(&["1.50", "2.0"]), Kind::Text);
        assert_eq!(kind(&["1e3", "2"]), Kind::Text);
        assert_eq!(kind(&["NaN", "1.5"]), Kind::Text);
        assert_eq!(kind(&["-0", "1"]), Kind::Text);
        assert_eq!(kind(&["1980-04-03", "1999-12-31"]), Kind::Date);
    }

    #[test]
    fn a_date_that_could_be_read_two_ways_stays_text() {
        assert_eq!(kind(&["03.04.1980"]), Kind::Text);
    }

    #[test]
    fn numbers_rank_by_size_and_missing_ranks_last() {
        let ranked = rank_texts(vec!["10".into(), "9".into()], true);
        assert_eq!(ranked.ranks, [2, 1, 0]);
        assert_eq!(ranked.dictionary.missing(), Some(2));
    }
}
