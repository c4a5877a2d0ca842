//! A batch of arrow columns becomes columns of codes.
//!
//! The subject column is not kept as text. Each of its cells becomes a keyed 64-bit hash, with the key of the run, and
//! the hash is the last field of the packed key. Two people with the same hash would be counted as one, so a collision
//! can lower k but not raise it. For the same reason all rows without a subject count as one person. A policy about
//! sensitive values refuses such rows: many people who have a value would count as one person.

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;
use arrow::array::types::{Float32Type, Float64Type, Int64Type};
use arrow::array::{AnyDictionaryArray, Array, ArrayRef, AsArray, PrimitiveArray, StringViewArray, make_array};
use arrow::compute::cast;
use arrow::datatypes::DataType;

use crate::count::intern::{INLINE, MISSING, NoCode, SharedDictionary, ThreadDictionary};
use crate::source::coding::Coding;
use crate::source::zones;

/// Codes one column, on one thread.
pub(crate) struct ColumnEncoder {
    coding: Coding,
    codes: ThreadDictionary,
    /// Long texts of the batch at hand by their place in its buffers: a Parquet dictionary repeats places.
    places: HashMap<u128, u32, RandomState>,
    met_missing: bool,
}

impl ColumnEncoder {
    pub(crate) fn new(coding: Coding, shared: Arc<SharedDictionary>) -> Self {
        let mut codes = ThreadDictionary::new(shared);
        // A null marker means the same in a typed file as in a text: −99 is missing in both.
        let markers: Vec<u64> = codes.nulls().filter_map(|null| coding.bits_of(null)).collect();
        markers.into_iter().for_each(|bits| codes.miss(bits));
        ColumnEncoder { coding, codes, places: HashMap::default(), met_missing: false }
    }

    /// Whether a missing cell was met.
    pub(crate) fn met_missing(&self) -> bool {
        self.met_missing
    }

    /// Writes the code of every cell.
    pub(crate) fn encode(&mut self, array: &ArrayRef, codes: &mut Vec<u32>) -> std::result::Result<(), NoCode> {
        codes.clear();
        let coded = self.append(array, codes);
        self.met_missing |= codes.contains(&MISSING);
        coded
    }

    fn append(&mut self, array: &ArrayRef, codes: &mut Vec<u32>) -> std::result::Result<(), NoCode> {
        if let DataType::Dictionary(..) = array.data_type() {
            return self.encode_dictionary(array, codes);
        }
        let local = zones::as_local(array);
        let array = local.as_ref().unwrap_or(array);
        let array = brought_to(array, &self.coding.arrow_type(array.data_type()));
        let own = &mut self.codes;
        match array.data_type() {
            DataType::Utf8View => return self.encode_views(array.as_string_view(), codes),
            DataType::Utf8 => {
                for text in array.as_string::<i32>() {
                    codes.push(text.map_or(Ok(MISSING), |text| own.text(text))?);
                }
            }
            DataType::LargeUtf8 => {
                for text in array.as_string::<i64>() {
                    codes.push(text.map_or(Ok(MISSING), |text| own.text(text))?);
                }
            }
            DataType::Float32 => {
                for number in array.as_primitive::<Float32Type>() {
                    codes.push(
                        number
                            .filter(|number| !number.is_nan())
                            .map_or(Ok(MISSING), |number| own.word(u64::from((number + 0.0).to_bits())))?,
                    );
                }
            }
            DataType::Float64 => {
                for number in array.as_primitive::<Float64Type>() {
                    codes.push(
                        number
                            .filter(|number| !number.is_nan())
                            .map_or(Ok(MISSING), |number| own.word((number + 0.0).to_bits()))?,
                    );
                }
            }
            _ => {
                let wide = cast_to(&array, &DataType::Int64);
                let numbers = wide.as_primitive::<Int64Type>();
                if numbers.null_count() == 0 {
                    for &number in numbers.values() {
                        codes.push(own.word(number as u64)?);
                    }
                } else {
                    for number in numbers {
                        codes.push(number.map_or(Ok(MISSING), |number| own.word(number as u64))?);
                    }
                }
            }
        }
        Ok(())
    }

    fn encode_views(&mut self, array: &StringViewArray, codes: &mut Vec<u32>) -> std::result::Result<(), NoCode> {
        self.places.clear();
        for (row, &view) in array.views().iter().enumerate() {
            let length = view as u32 as usize;
            codes.push(if array.is_null(row) {
                MISSING
            } else if length <= INLINE {
                self.codes.inline(view, || array.value(row))?
            } else if let Some(&code) = self.places.get(&view) {
                code
            } else {
                let code = self.codes.long(array.value(row))?;
                self.places.insert(view, code);
                code
            });
        }
        Ok(())
    }

    /// Codes the values that occur, each once, then follows the keys.
    fn encode_dictionary(&mut self, array: &ArrayRef, codes: &mut Vec<u32>) -> std::result::Result<(), NoCode> {
        let dictionary = array.as_any_dictionary();
        let keys = keys(dictionary);
        let mut known: Vec<Option<u32>> = vec![None; dictionary.values().len()];
        let mut one = Vec::with_capacity(1);
        for key in &keys {
            let Some(key) = key.map(|key| key as usize) else {
                codes.push(MISSING);
                continue;
            };
            let code = match known[key] {
                Some(code) => code,
                None => {
                    one.clear();
                    self.append(&dictionary.values().slice(key, 1), &mut one)?;
                    *known[key].insert(one[0])
                }
            };
            codes.push(code);
        }
        Ok(())
    }
}

/// Hashes the cells of the subject column: people are distinguished without keeping who they are.
#[derive(Clone)]
pub(crate) struct PersonHasher {
    hasher: RandomState,
    nulls: Vec<String>,
}

impl PersonHasher {
    /// All rows without a subject are treated as one person: k is then never overstated.
    const NOBODY: u64 = incrowd_core::NOBODY;

    pub(crate) fn new(nulls: &[String], key: Option<[u64; 4]>) -> Self {
        let hasher = key.map_or_else(RandomState::new, |[a, b, c, d]| RandomState::with_seeds(a, b, c, d));
        PersonHasher { hasher, nulls: nulls.to_vec() }
    }

    /// Appends one keyed hash per cell.
    pub(crate) fn hash(&self, array: &ArrayRef, hashes: &mut Vec<u64>) {
        match array.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let mut values = Vec::with_capacity(dictionary.values().len());
                self.hash(dictionary.values(), &mut values);
                hashes.extend(keys(dictionary).iter().map(|key| key.map_or(Self::NOBODY, |key| values[key as usize])));
            }
            DataType::Utf8View => self.hash_views(array.as_string_view(), hashes),
            DataType::LargeUtf8 => hashes.extend(array.as_string::<i64>().iter().map(|text| self.person(text))),
            _ => {
                let texts = brought_to(array, &DataType::Utf8);
                hashes.extend(texts.as_string::<i32>().iter().map(|text| self.person(text)));
            }
        }
    }

    /// Long texts are hashed once for each place in the buffers: a Parquet dictionary repeats places.
    fn hash_views(&self, array: &StringViewArray, hashes: &mut Vec<u64>) {
        let mut places: HashMap<u128, u64, RandomState> = HashMap::default();
        for (row, &view) in array.views().iter().enumerate() {
            hashes.push(if array.is_null(row) {
                Self::NOBODY
            } else if view as u32 as usize <= INLINE {
                self.person(Some(array.value(row)))
            } else {
                *places.entry(view).or_insert_with(|| self.person(Some(array.value(row))))
            });
        }
    }

    fn person(&self, text: Option<&str>) -> u64 {
        let known = text.filter(|text| !text.is_empty() && !self.nulls.iter().any(|null| null == text));
        known.map_or(Self::NOBODY, |text| self.hasher.hash_one(text))
    }
}

/// The keys of a dictionary array, whatever their width.
pub(crate) fn keys(dictionary: &dyn AnyDictionaryArray) -> PrimitiveArray<Int64Type> {
    cast_to(&make_array(dictionary.keys().to_data()), &DataType::Int64).as_primitive::<Int64Type>().clone()
}

fn brought_to(array: &ArrayRef, data_type: &DataType) -> ArrayRef {
    if array.data_type() == data_type { array.clone() } else { cast_to(array, data_type) }
}

/// A cast between types that [`Coding::of`] pairs, all of which arrow can cast.
fn cast_to(array: &ArrayRef, data_type: &DataType) -> ArrayRef {
    // Without arrow's own words: they may quote a cell, and a panic's text reaches the users of the library.
    cast(array, data_type).unwrap_or_else(|_| panic!("arrow casts every type that has a coding"))
}
