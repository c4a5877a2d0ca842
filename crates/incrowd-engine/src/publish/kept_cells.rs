//! Cells that are published unchanged or treated, in arrays that hold nothing else.
//!
//! An array carries more than its cells: a view keeps the buffer it points into, a dictionary its unused entries, a
//! null the value below it. So every array is built anew before a row of it may leave: dictionaries and views become
//! plain texts, and null slots hold zeros. Numbers get their one form: −0.0 is 0, and NaN is missing.

use std::sync::Arc;

use arrow::array::types::{Float32Type, Float64Type};
use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, PrimitiveArray, StringBuilder, new_null_array,
};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::downcast_primitive_array;

use super::treated_cells::{CellTreatment, RowOrigin, TreatedCells};
use crate::count::encode::keys;
use crate::runtime::error::{CellFault, EngineError, Result};
use crate::runtime::limits::MAX_CELL_BYTES;
use crate::source::coding::Coding;
use crate::source::table::Source;
use crate::source::zones;

/// Rows are taken over in pieces of at most this many bytes of text: a dictionary may promise little and hold much.
const PIECE_BYTES: usize = 4 << 20;

/// A column whose cells are published unchanged or treated.
#[derive(Clone, Debug)]
pub(crate) struct KeptColumn {
    name: String,
    data_type: DataType,
    treated: Option<TreatedCells>,
}

impl KeptColumn {
    /// A column of the table; refused when its cells are not plain.
    pub(crate) fn new(source: &Source, name: &str, treatment: Option<&CellTreatment>) -> Result<KeptColumn> {
        let data_type = source.data_type(name)?;
        let unpublishable = || EngineError::Unpublishable { column: name.into(), kind: data_type.to_string() };
        let data_type = published_type(data_type).ok_or_else(unpublishable)?;
        let treated = treatment.map(|treatment| TreatedCells::new(source, name, &data_type, treatment)).transpose()?;
        Ok(KeptColumn { name: name.into(), data_type, treated })
    }

    /// A column of numbers of ours, which waits with the rows.
    #[cfg(feature = "cluster")]
    pub(crate) fn of_numbers(name: &str) -> KeptColumn {
        KeptColumn { name: name.into(), data_type: DataType::UInt32, treated: None }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The type it is published with.
    pub(crate) fn data_type(&self) -> &DataType {
        self.treated.as_ref().map_or(&self.data_type, TreatedCells::data_type)
    }

    /// The cells in an array of their own, treated if they are to be.
    fn published(&self, array: &ArrayRef, origin: &RowOrigin) -> Result<ArrayRef> {
        let clean = self.clean(array)?;
        self.treated.as_ref().map_or_else(|| Ok(clean.clone()), |treated| treated.treat(&clean, origin))
    }

    /// The cells in an array of their own.
    fn clean(&self, array: &ArrayRef) -> Result<ArrayRef> {
        let array = match array.data_type() {
            DataType::Dictionary(_, values) => &self.cast(array, values)?,
            DataType::Null => &new_null_array(&DataType::Utf8, array.len()),
            _ => array,
        };
        let local = zones::as_local(array);
        let array = local.as_ref().unwrap_or(array);
        match array.data_type() {
            DataType::Utf8 => self.texts(array.as_string::<i32>().iter()),
            DataType::LargeUtf8 => self.texts(array.as_string::<i64>().iter()),
            DataType::Utf8View => self.texts(array.as_string_view().iter()),
            DataType::Boolean => Ok(Arc::new(array.as_boolean().iter().collect::<BooleanArray>())),
            DataType::Float16 => self.clean(&self.cast(array, &DataType::Float32)?),
            DataType::Float32 => {
                let numbers = array.as_primitive::<Float32Type>().iter();
                let numbers = numbers.map(|number| number.filter(|number| !number.is_nan()).map(|number| number + 0.0));
                Ok(Arc::new(numbers.collect::<PrimitiveArray<Float32Type>>()))
            }
            DataType::Float64 => {
                let numbers = array.as_primitive::<Float64Type>().iter();
                let numbers = numbers.map(|number| number.filter(|number| !number.is_nan()).map(|number| number + 0.0));
                Ok(Arc::new(numbers.collect::<PrimitiveArray<Float64Type>>()))
            }
            _ => downcast_primitive_array!(
                array => Ok(rebuilt(array)),
                other => Err(EngineError::Unpublishable { column: self.name.clone(), kind: other.to_string() })
            ),
        }
    }

    fn texts<'t>(&self, texts: impl Iterator<Item = Option<&'t str>> + Clone) -> Result<ArrayRef> {
        let bytes = texts.clone().flatten().map(str::len).sum();
        let mut builder = StringBuilder::with_capacity(texts.size_hint().0, bytes);
        texts.for_each(|text| builder.append_option(text));
        if memchr::memchr(0, builder.values_slice()).is_some() {
            return Err(self.faulty(CellFault::Nul));
        }
        Ok(Arc::new(builder.finish()))
    }

    fn cast(&self, array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
        cast(array, to)
            .map_err(|_| EngineError::Unpublishable { column: self.name.clone(), kind: array.data_type().to_string() })
    }

    fn faulty(&self, fault: CellFault) -> EngineError {
        EngineError::BadValue { column: self.name.clone(), fault }
    }
}

/// Dictionaries become plain; all texts have one type.
fn published_type(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Dictionary(_, values) => published_type(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => Some(DataType::Utf8),
        DataType::Float16 => Some(DataType::Float32),
        other => Coding::of(other).map(|_| zones::local_type(other)),
    }
}

/// Zeros below nulls. Without nulls there is nothing below, and every cell is copied when rows are put in order.
fn rebuilt<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>) -> ArrayRef {
    if array.null_count() == 0 {
        return Arc::new(array.clone());
    }
    Arc::new(array.iter().collect::<PrimitiveArray<T>>().with_data_type(array.data_type().clone()))
}

/// Hands out the cells of some rows in clean arrays, a piece at a time: where it starts, its rows and its columns.
/// `origin` says which rows they are.
pub(crate) fn clean_pieces(
    kept: &[KeptColumn],
    columns: &[ArrayRef],
    origin: &RowOrigin,
    (start, rows): (usize, usize),
    take: &mut dyn FnMut(usize, usize, Vec<ArrayRef>) -> Result<()>,
) -> Result<()> {
    let mut bytes = 0;
    for (kept, column) in kept.iter().zip(columns) {
        let (all, longest) = text_bytes(&column.slice(start, rows));
        if longest > MAX_CELL_BYTES {
            return Err(kept.faulty(CellFault::TooLong));
        }
        bytes += all;
    }
    if bytes > PIECE_BYTES && rows > 1 {
        let half = rows / 2;
        clean_pieces(kept, columns, origin, (start, half), take)?;
        return clean_pieces(kept, columns, origin, (start + half, rows - half), take);
    }
    let origin = origin.slice(start, rows);
    let clean = |(kept, column): (&KeptColumn, &ArrayRef)| kept.published(&column.slice(start, rows), &origin);
    take(start, rows, kept.iter().zip(columns).map(clean).collect::<Result<_>>()?)
}

/// The bytes that the texts of an array take when written out, and those of the longest.
fn text_bytes(array: &ArrayRef) -> (usize, usize) {
    let add = |(all, longest): (usize, usize), length: usize| (all + length, longest.max(length));
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().flatten().map(str::len).fold((0, 0), add),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().flatten().map(str::len).fold((0, 0), add),
        DataType::Utf8View => array.as_string_view().iter().flatten().map(str::len).fold((0, 0), add),
        DataType::Dictionary(_, values) if published_type(values) == Some(DataType::Utf8) => {
            let dictionary = array.as_any_dictionary();
            let lengths = |at: usize| text_bytes(&dictionary.values().slice(at, 1)).0;
            let mut known = vec![None; dictionary.values().len()];
            keys(dictionary).iter().flatten().fold((0, 0), |sum, key| {
                let key = key as usize;
                add(sum, *known[key].get_or_insert_with(|| lengths(key)))
            })
        }
        _ => (0, 0),
    }
}
