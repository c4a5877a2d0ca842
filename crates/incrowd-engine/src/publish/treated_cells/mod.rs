//! Cells that are treated before they are published: blanked, masked, rounded, moved, generalized item by item or replaced
//! by pseudonyms.
//!
//! Numbers are treated as the decimal numbers that their texts are, never in floating point. A text that is no number is
//! refused: published unchanged, the column would mix treated and original values.
//!
//! A pseudonym is `p` and 26 characters: the first 128 bits of HMAC-SHA-256 (Krawczyk, Bellare, Canetti: HMAC:
//! Keyed-Hashing for Message Authentication, RFC 2104, 1997) of the cell's text in base 32 (RFC 4648, small letters,
//! without padding). Of n values two get the same pseudonym with a probability below n² / 2¹²⁹. The letter in front keeps
//! readers from taking a pseudonym for a number.
//!
//! What is drawn at random for a person or row follows from the key, too (`keyed_draws`).

mod digit_pseudonyms;
mod keyed_draws;
mod moved_dates;

use std::fmt;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringBuilder, new_null_array};
use arrow::compute::{CastOptions, cast, cast_with_options};
use arrow::datatypes::DataType;
use hmac::{Hmac, KeyInit, Mac};
use incrowd_core::{Decimal, Treatment, ValueGroups, masked, number_with_comma};
use sha2::Sha256;

use crate::runtime::error::{EngineError, Result};
use crate::source::coding::Coding;
use crate::source::files::ReadOptions;
use crate::source::table::Source;

use digit_pseudonyms::DigitCipher;
use keyed_draws::DrawKey;
pub(crate) use keyed_draws::RowOrigin;

/// What is done to each cell of a column, and with which key.
#[derive(Clone, PartialEq, Eq)]
pub struct CellTreatment {
    /// What is done.
    pub treatment: Treatment,
    /// The key of pseudonyms and of what is drawn, which no other release has.
    pub key: [u8; 32],
    /// The column that says which rows belong to one person, if what is drawn depends on it.
    pub person: Option<String>,
    /// What was made of all cells of the column, if the treatment looks at all of them.
    pub groups: Option<Arc<ValueGroups>>,
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
    Digits(Box<DigitCipher>),
    Items { treatment: Treatment, labels: Arc<ValueGroups> },
    Number { treatment: Treatment, groups: Option<Arc<ValueGroups>>, key: Option<DrawKey>, decimal_comma: bool },
    Dates { treatment: Treatment, key: DrawKey, form: Option<String> },
}

impl fmt::Debug for TreatmentWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TreatmentWay::Blank => "Blank",
            TreatmentWay::Mask(_) => "Mask",
            TreatmentWay::Pseudonym(_) => "Pseudonym",
            TreatmentWay::Digits(_) => "Digits",
            TreatmentWay::Items { .. } => "Items",
            TreatmentWay::Number { .. } => "Number",
            TreatmentWay::Dates { .. } => "Dates",
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
        if let Some(person) = &treatment.person {
            let found = source.data_type(person)?;
            let is_named = Coding::of(found) == Some(Coding::Text) || found.is_integer();
            if !is_named {
                let (treatment, kind) = (treatment.treatment.to_string(), found.to_string());
                return Err(EngineError::Untreatable { column: person.clone(), treatment, kind });
            }
        }
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
        let number = || {
            let (groups, is_drawn) = (treatment.groups.clone(), treatment.treatment.is_drawn());
            let key = DrawKey::new(&treatment.key).filter(|_| is_drawn);
            TreatmentWay::Number { treatment: treatment.treatment.clone(), groups, key, decimal_comma }
        };
        let (data_type, way) = match treatment.treatment {
            Treatment::Blank => (data_type.clone(), TreatmentWay::Blank),
            Treatment::Number(_) | Treatment::Microaggregate { .. } | Treatment::Noise(_)
                if has_one_text || is_float =>
            {
                (data_type.clone(), number())
            }
            Treatment::Bins { .. } if has_one_text || is_float => (DataType::Utf8, number()),
            Treatment::Shift { .. } if moved_dates::can_move(data_type) => {
                let form = options.date_formats.iter().find(|(name, _)| name == column).map(|(_, form)| form.clone());
                let key = DrawKey::new(&treatment.key).ok_or_else(untreatable)?;
                (data_type.clone(), TreatmentWay::Dates { treatment: treatment.treatment.clone(), key, form })
            }
            _ if !has_one_text => return Err(untreatable()),
            Treatment::Mask { first } => (DataType::Utf8, TreatmentWay::Mask(first)),
            Treatment::PseudonymDigits => {
                (DataType::Utf8, TreatmentWay::Digits(Box::new(DigitCipher::new(&treatment.key))))
            }
            Treatment::Pseudonym => {
                let keyed = Hmac::<Sha256>::new_from_slice(&treatment.key).map_err(|_| untreatable())?;
                (DataType::Utf8, TreatmentWay::Pseudonym(Box::new(keyed)))
            }
            Treatment::Items(_) => {
                let labels = treatment.groups.clone().ok_or_else(untreatable)?;
                (DataType::Utf8, TreatmentWay::Items { treatment: treatment.treatment.clone(), labels })
            }
            Treatment::Number(_)
            | Treatment::Microaggregate { .. }
            | Treatment::Noise(_)
            | Treatment::Bins { .. }
            | Treatment::Shift { .. } => return Err(untreatable()),
        };
        Ok(TreatedCells { column: column.into(), data_type, nulls: options.nulls.clone(), way })
    }

    /// The type of treated cells.
    pub(crate) fn data_type(&self) -> &DataType {
        &self.data_type
    }

    /// Treats the cells of an array of plain cells, which are those of the rows of `origin`. A missing cell stays missing.
    pub(crate) fn treat(&self, array: &ArrayRef, origin: &RowOrigin) -> Result<ArrayRef> {
        match &self.way {
            TreatmentWay::Blank => Ok(new_null_array(&self.data_type, array.len())),
            TreatmentWay::Mask(first) => self.texts(array, |_, text| Ok(masked(text, *first))),
            TreatmentWay::Pseudonym(keyed) => self.texts(array, |_, text| Ok(pseudonym(keyed, text))),
            TreatmentWay::Digits(cipher) => self.texts(array, |_, text| {
                let refused = || self.not_treated(&Treatment::PseudonymDigits, "a cell that is not 6 to 56 digits");
                cipher.encrypt(&[], text).ok_or_else(refused)
            }),
            TreatmentWay::Items { treatment, labels } => self.texts(array, |_, text| {
                let published = match &**labels {
                    ValueGroups::Items(labels) => labels.published(text),
                    ValueGroups::Means(_) => None,
                };
                published.ok_or_else(|| self.not_treated(treatment, "a cell without a known item"))
            }),
            TreatmentWay::Number { treatment, groups, key, decimal_comma } => {
                let owners = key.as_ref().and_then(|key| key.owners(origin, &self.nulls));
                let texts = self.texts(array, |row, text| {
                    let text = if *decimal_comma { number_with_comma(text) } else { Some(text.into()) };
                    let treated = text.and_then(|text| match (groups.as_deref(), &owners) {
                        (Some(ValueGroups::Means(groups)), _) => {
                            Some(groups.mean_of(Decimal::parse(&text)?)?.to_string())
                        }
                        (Some(ValueGroups::Items(_)), _) => None,
                        (None, Some(owners)) => {
                            let mut words = owners.words_for(row, &Decimal::parse(&text)?.to_string());
                            treatment.drawn_number(&text, &mut || words.next())
                        }
                        // Without anybody to draw for, nothing is published in place of a draw.
                        (None, None) if key.is_some() => None,
                        (None, None) => treatment.of_number(&text),
                    });
                    treated.ok_or_else(|| self.not_treated(treatment, "a cell that is not a number"))
                })?;
                // A whole number may not become one with a fraction, nor leave the range of its type.
                let options = CastOptions { safe: false, ..CastOptions::default() };
                cast_with_options(&texts, &self.data_type, &options)
                    .map_err(|_| self.not_treated(treatment, "whole numbers with other results"))
            }
            TreatmentWay::Dates { treatment, key, form } => {
                let owners = key.owners(origin, &self.nulls);
                let moved = owners.and_then(|owners| {
                    let days = |row: usize| {
                        let mut words = owners.words(row);
                        treatment.drawn_days(&mut || words.next())
                    };
                    moved_dates::moved(array, form.as_deref(), |text| self.is_there(text), days)
                });
                moved.ok_or_else(|| self.not_treated(treatment, "a cell that is not a date from year 1 to 9999"))
            }
        }
    }

    fn not_treated(&self, treatment: &Treatment, kind: &str) -> EngineError {
        let (column, treatment) = (self.column.clone(), treatment.to_string());
        EngineError::Untreatable { column, treatment, kind: kind.into() }
    }

    /// The texts of an array, each treated with the number of its row in the array.
    fn texts(&self, array: &ArrayRef, treated: impl Fn(usize, &str) -> Result<String>) -> Result<ArrayRef> {
        let kind = || array.data_type().to_string();
        let texts = cast(array, &DataType::Utf8)
            .map_err(|_| EngineError::Unpublishable { column: self.column.clone(), kind: kind() })?;
        let mut cells = StringBuilder::new();
        for (row, text) in texts.as_string::<i32>().iter().enumerate() {
            let text = text.filter(|text| self.is_there(text));
            cells.append_option(text.map(|text| treated(row, text)).transpose()?);
        }
        Ok(Arc::new(cells.finish()))
    }

    /// Whether a text is no missing value.
    fn is_there(&self, text: &str) -> bool {
        !text.is_empty() && !self.nulls.iter().any(|null| null == text)
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
mod tests;
