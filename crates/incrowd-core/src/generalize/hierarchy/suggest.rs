//! The hierarchy a column gets when none is given.

use serde::{Deserialize, Serialize};

use super::{Hierarchy, HierarchyError};
use crate::{Dictionary, Kind, Values};

/// Below this many distinct values, levels between a value and `*` are of little use.
const FEW: usize = 8;
/// From this many distinct values on, texts of one length are treated as codes.
const MANY_CODES: usize = 20;

/// How a hierarchy was built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Built {
    /// Every value directly below `*`.
    Flat,
    /// Nested intervals of these widths, from 0.
    Numeric {
        /// The widths, finest first.
        widths: Vec<f64>,
    },
    /// Day, month, quarter, year, decade.
    Dates,
    /// One level per character.
    Prefix,
}

/// A built hierarchy with the reason for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The hierarchy.
    pub hierarchy: Hierarchy,
    /// How it was built.
    pub built: Built,
    /// Why, in one sentence without a value of the column.
    pub reason: String,
}

impl Hierarchy {
    /// The hierarchy chosen by the type of the column and the form of its values.
    ///
    /// ```
    /// use incrowd_core::{Built, Dictionary, Hierarchy, Values};
    /// let ages = Dictionary::new(Values::Integers((17..=90).collect()), false);
    /// let suggestion = Hierarchy::suggest(&ages)?;
    /// assert_eq!(suggestion.built, Built::Numeric { widths: vec![5.0, 10.0, 20.0] });
    /// assert_eq!(suggestion.reason, "74 distinct integers: nested intervals of 5, 10, 20");
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn suggest(dictionary: &Dictionary) -> Result<Suggestion, HierarchyError> {
        let distinct = dictionary.values().len();
        match dictionary.kind() {
            Kind::Date => {
                let reason = "calendar days: months, quarters, years and decades".to_owned();
                return Ok(Suggestion { hierarchy: Self::dates(dictionary)?, built: Built::Dates, reason });
            }
            _ if distinct < FEW => return flat(dictionary, format!("only {distinct} distinct values")),
            Kind::Integer | Kind::Number => {
                // Numbers too large for exact intervals are left without levels.
                let widths = Self::choose_widths(dictionary).unwrap_or_default();
                if let Some(hierarchy) = Self::numeric(dictionary, &widths, 0.0).ok().filter(|_| !widths.is_empty()) {
                    let what = if dictionary.kind() == Kind::Integer { "integers" } else { "numbers" };
                    let list = widths.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
                    let reason = format!("{distinct} distinct {what}: nested intervals of {list}");
                    return Ok(Suggestion { hierarchy, built: Built::Numeric { widths }, reason });
                }
            }
            Kind::Text => {
                if let Some(length) = code_length(dictionary.values()) {
                    let reason = format!("{distinct} distinct codes of {length} characters: one level per character");
                    return Ok(Suggestion { hierarchy: Self::prefix(dictionary, None)?, built: Built::Prefix, reason });
                }
            }
        }
        flat(dictionary, format!("{distinct} distinct values of type {}", dictionary.kind().name()))
    }
}

fn flat(dictionary: &Dictionary, what: String) -> Result<Suggestion, HierarchyError> {
    let reason = what + ": each is published unchanged or as *";
    Ok(Suggestion { hierarchy: Hierarchy::flat(dictionary)?, built: Built::Flat, reason })
}

/// The common length of texts that look like codes: many, 3 to 10 digits or capital letters each.
fn code_length(values: &Values) -> Option<usize> {
    let Values::Texts(texts) = values else { return None };
    let length = texts.first()?.len();
    let code = |text: &str| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
    };
    ((3..=10).contains(&length) && texts.len() >= MANY_CODES && texts.iter().all(|text| code(text))).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(dictionary: &Dictionary) -> Built {
        Hierarchy::suggest(dictionary).expect("a column with values").built
    }

    fn texts(labels: impl IntoIterator<Item = String>) -> Dictionary {
        let labels: Vec<String> = labels.into_iter().collect();
        Dictionary::of_texts(labels.iter().map(String::as_str))
    }

    #[test]
    fn the_kind_of_the_column_decides() {
        assert_eq!(built(&Dictionary::new(Values::Dates(vec![1, 2]), true)), Built::Dates);
        assert_eq!(built(&Dictionary::new(Values::Integers((0..7).collect()), false)), Built::Flat);
        assert_eq!(built(&texts((0..30).map(|n| format!("{:05}", n * 977)))), Built::Prefix);
        assert_eq!(built(&texts((0..19).map(|n| format!("{:05}", n * 977)))), Built::Flat);
        assert_eq!(built(&texts((0..30).map(|n| format!("{n}")))), Built::Flat);
        let halves = (0..40).map(|n| f64::from(n) / 2.0).collect();
        let halves = Dictionary::new(Values::Numbers { values: halves, scale: Some(1) }, false);
        assert_eq!(built(&halves), Built::Numeric { widths: vec![1.0, 5.0] });
    }

    #[test]
    fn numbers_beyond_exact_reach_get_no_levels() {
        let huge = (0..9).map(|n| f64::from(n) * 1e200).collect();
        assert_eq!(built(&Dictionary::new(Values::Numbers { values: huge, scale: None }, false)), Built::Flat);
    }

    #[test]
    fn a_column_without_values_gets_no_hierarchy() {
        assert_eq!(Hierarchy::suggest(&Dictionary::of_texts([])), Err(HierarchyError::NoValues));
    }
}
