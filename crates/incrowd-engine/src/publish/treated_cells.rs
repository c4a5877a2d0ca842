//! Cells that are treated before they are published: blanked, masked, rounded or replaced by pseudonyms.
//!
//! Numbers are treated as the decimal numbers that their texts are, never in floating point. A text that is no number is
//! refused: published unchanged, the column would mix treated and original values.
//!
//! A pseudonym is `p` and 26 characters: the first 128 bits of HMAC-SHA-256 (Krawczyk, Bellare, Canetti: HMAC:
//! Keyed-Hashing for Message Authentication, RFC 2104, 1997) of the cell's text in base 32 (RFC 4648, small letters,
//! without padding). Of n values two get the same pseudonym with a probability below n² / 2¹²⁹. The letter in front keeps
//! readers from taking a pseudonym for a number.

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder, new_null_array};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::DataType;
use hmac::{Hmac, KeyInit, Mac};
use incrowd_core::{Treatment, masked, number_with_comma};
use sha2::Sha256;

use crate::runtime::error::{EngineError, Result};
use crate::source::files::ReadOptions;
use crate::source::table::Source;

/// What is done to each cell of a column, and with which key.
#[derive(Clone, PartialEq, Eq)]
pub struct CellTreatment {
    /// What is done.
    pub treatment: Treatment,
    /// The key of pseudonyms, which no other column and no other release has.
    pub key: [u8; 32],
}

impl fmt::Debug for CellTreatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the key: anyone who has it finds the value of a pseudonym by trying.
        f.debug_struct("CellTreatment").field("treatment", &self.treatment).finish_non_exhaustive()
    }
}

/// The treatment of a column of a type.
#[derive(Clone, Debug)]
pub(crate) struct TreatedCells {
    column: String,
    data_type: DataType,
    /// Texts that mean a missing value.
    nulls: Vec<String>,
    way: TreatmentWay,
}

/// How a cell is treated.
#[derive(Clone)]
enum TreatmentWay {
    Blank,
    Mask(usize),
    Pseudonym(Box<Hmac<Sha256>>),
    Number { treatment: Treatment, decimal_comma: bool },
}

impl fmt::Debug for TreatmentWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TreatmentWay::Blank => "Blank",
            TreatmentWay::Mask(_) => "Mask",
            TreatmentWay::Pseudonym(_) => "Pseudonym",
            TreatmentWay::Number { .. } => "Number",
        })
    }
}

impl TreatedCells {
    /// For a column of plain cells of this type; refused when they have no text that stays the same in every format.
    pub(crate) fn new(
        source: &Source,
        column: &str,
        data_type: &DataType,
        treatment: &CellTreatment,
    ) -> Result<TreatedCells> {
        TreatedCells::reading(source.read_options(), column, data_type, treatment)
    }

    fn reading(
        options: &ReadOptions,
        column: &str,
        data_type: &DataType,
        treatment: &CellTreatment,
    ) -> Result<TreatedCells> {
        let untreatable = || EngineError::Untreatable {
            column: column.into(),
            treatment: treatment.treatment.to_string(),
            kind: data_type.to_string(),
        };
        let has_one_text = *data_type == DataType::Utf8 || data_type.is_integer();
        let is_float = matches!(data_type, DataType::Float32 | DataType::Float64);
        let decimal_comma = options.decimal_commas.iter().any(|name| name == column);
        let number = || TreatmentWay::Number { treatment: treatment.treatment.clone(), decimal_comma };
        let (data_type, way) = match treatment.treatment {
            Treatment::Blank => (data_type.clone(), TreatmentWay::Blank),
            Treatment::Number(_) if has_one_text || is_float => (data_type.clone(), number()),
            Treatment::Bins { .. } if has_one_text || is_float => (DataType::Utf8, number()),
            _ if !has_one_text => return Err(untreatable()),
            Treatment::Mask { first } => (DataType::Utf8, TreatmentWay::Mask(first)),
            Treatment::Pseudonym => {
                let keyed = Hmac::<Sha256>::new_from_slice(&treatment.key).map_err(|_| untreatable())?;
                (DataType::Utf8, TreatmentWay::Pseudonym(Box::new(keyed)))
            }
            Treatment::Number(_) | Treatment::Bins { .. } => return Err(untreatable()),
        };
        Ok(TreatedCells { column: column.into(), data_type, nulls: options.nulls.clone(), way })
    }

    /// The type of treated cells.
    pub(crate) fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// Treats the cells of an array of plain cells. A missing cell stays missing.
    pub(crate) fn treat(&self, array: &ArrayRef) -> Result<ArrayRef> {
        match &self.way {
            TreatmentWay::Blank => Ok(new_null_array(&self.data_type, array.len())),
            TreatmentWay::Mask(first) => self.texts(array, |text| Ok(masked(text, *first))),
            TreatmentWay::Pseudonym(keyed) => self.texts(array, |text| Ok(pseudonym(keyed, text))),
            TreatmentWay::Number { treatment, decimal_comma } => {
                let texts = self.texts(array, |text| {
                    let text = if *decimal_comma { number_with_comma(text) } else { Some(text.into()) };
                    let treated = text.and_then(|text| treatment.of_number(&text));
                    treated.ok_or_else(|| self.not_treated(treatment, "a cell that is not a number"))
                })?;
                // A whole number may not become one with a fraction, nor leave the range of its type.
                let options = CastOptions { safe: false, ..CastOptions::default() };
                cast_with_options(&texts, &self.data_type, &options)
                    .map_err(|_| self.not_treated(treatment, "whole numbers with other results"))
            }
        }
    }

    fn not_treated(&self, treatment: &Treatment, kind: &str) -> EngineError {
        let (column, treatment) = (self.column.clone(), treatment.to_string());
        EngineError::Untreatable { column, treatment, kind: kind.into() }
    }

    fn texts(&self, array: &ArrayRef, treated: impl Fn(&str) -> Result<String>) -> Result<ArrayRef> {
        let kind = || array.data_type().to_string();
        let texts = cast(array, &DataType::Utf8)
            .map_err(|_| EngineError::Unpublishable { column: self.column.clone(), kind: kind() })?;
        let mut cells = StringBuilder::new();
        let is_there = |text: &&str| !text.is_empty() && !self.nulls.iter().any(|null| null == text);
        for text in texts.as_string::<i32>().iter() {
            cells.append_option(text.filter(is_there).map(&treated).transpose()?);
        }
        Ok(Arc::new(cells.finish()))
    }
}

/// The pseudonym of a text.
fn pseudonym(keyed: &Hmac<Sha256>, text: &str) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let mut keyed = keyed.clone();
    keyed.update(text.as_bytes());
    let bytes: [u8; 32] = keyed.finalize().into_bytes().into();
    let bits = bytes[..16].iter().fold(0u128, |bits, &byte| bits << 8 | u128::from(byte));
    // 26 groups of 5 bits are 130: two zeros are appended.
    let letter = |at: u32| {
        let shift = 123i32 - 5 * at.cast_signed();
        let group = if shift >= 0 { bits >> shift } else { bits << -shift };
        char::from(LETTERS[(group & 31) as usize])
    };
    std::iter::once('p').chain((0..26).map(letter)).collect()
}

#[cfg(test)]
mod tests {
    use arrow::array::{Float64Array, Int64Array, StringArray};

    use super::*;

    fn treated(treatment: Treatment, array: &ArrayRef) -> Result<ArrayRef> {
        let options = ReadOptions { nulls: vec!["?".into()], ..ReadOptions::default() };
        let treatment = CellTreatment { treatment, key: [7; 32] };
        TreatedCells::reading(&options, "id", array.data_type(), &treatment)?.treat(array)
    }

    #[test]
    fn a_pseudonym_is_the_truncated_hmac_in_base_32() {
        // RFC 4231, test case 2, whose HMAC begins with 5bdcc146 bf60754e 6a042426 089575c7.
        let keyed = Hmac::<Sha256>::new_from_slice(b"Jefe").expect("any key");
        assert_eq!(pseudonym(&keyed, "what do ya want for nothing?"), "plpomcrv7mb2u42qeeqtarflvy4");
    }

    #[test]
    fn equal_values_have_equal_pseudonyms_whatever_their_type() {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(17), None, Some(17), Some(18)]));
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("17"), None, Some("17"), Some("18")]));
        let [a, b] = [numbers, texts].map(|array| treated(Treatment::Pseudonym, &array).expect("treated"));
        assert_eq!(&a, &b);
        let cells = a.as_string::<i32>();
        assert_eq!(cells.value(0), cells.value(2));
        assert_ne!(cells.value(0), cells.value(3));
        assert!(cells.is_null(1));
    }

    #[test]
    fn what_stands_for_a_missing_value_has_no_pseudonym() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["?", "", "17"]));
        assert_eq!(treated(Treatment::Pseudonym, &texts).expect("treated").null_count(), 2);
    }

    #[test]
    fn a_blank_column_keeps_its_type_and_nothing_else() {
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 2.5]));
        let blank = treated(Treatment::Blank, &numbers).expect("treated");
        assert_eq!((blank.data_type(), blank.null_count()), (&DataType::Float64, 2));
    }

    #[test]
    fn numbers_with_a_fraction_have_no_pseudonym() {
        let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.5]));
        assert!(matches!(treated(Treatment::Pseudonym, &numbers), Err(EngineError::Untreatable { .. })));
    }

    #[test]
    fn numbers_are_rounded_in_their_own_type() {
        let round = || "round:100".parse::<Treatment>().expect("a treatment");
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("149.9"), None, Some("-150")]));
        let expected: ArrayRef = Arc::new(StringArray::from(vec![Some("100"), None, Some("-200")]));
        assert_eq!(&treated(round(), &texts).expect("treated"), &expected);
        let floats: ArrayRef = Arc::new(Float64Array::from(vec![149.9, 1e6]));
        let expected: ArrayRef = Arc::new(Float64Array::from(vec![100.0, 1e6]));
        assert_eq!(&treated(round(), &floats).expect("treated"), &expected);
        let whole: ArrayRef = Arc::new(Int64Array::from(vec![149, 150]));
        let expected: ArrayRef = Arc::new(Int64Array::from(vec![100, 200]));
        assert_eq!(&treated(round(), &whole).expect("treated"), &expected);
    }

    #[test]
    fn a_text_that_is_no_number_is_refused() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["149.9", "many"]));
        for text in ["round:100", "bins:10"] {
            let refused = treated(text.parse().expect("a treatment"), &texts);
            assert!(matches!(refused, Err(EngineError::Untreatable { .. })), "{text}");
        }
        let whole: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        assert!(treated("round:2.5".parse().expect("a treatment"), &whole).is_err(), "2.5 is no whole number");
    }

    #[test]
    fn the_key_is_not_shown() {
        let shown = format!("{:?}", CellTreatment { treatment: Treatment::Pseudonym, key: [7; 32] });
        assert!(!shown.contains('7'), "{shown}");
    }
}
