//! Arrow becomes binary COPY, the other way round than `decode.rs`.
//!
//! A column is first brought to one of the types that the database has; what has none is written as the text that a CSV
//! release would have.

use arrow::array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType,
};
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, TimeUnit};

use crate::publish::csv_text::texts;
use crate::runtime::error::Result;
use crate::source::postgres::decode::{DAYS, MICROSECONDS};
use crate::source::postgres::numeric;

/// What stands before the first row.
pub(crate) const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// What stands after the last row.
pub(crate) const TRAILER: [u8; 2] = [0xff, 0xff];

/// The type of a column of a release in the database. `days` says that its instants are calendar days,
/// `microseconds` that none is finer.
pub(crate) fn stored_type(data_type: &DataType, days: bool, microseconds: bool) -> DataType {
    match data_type {
        DataType::Int8 | DataType::UInt8 => DataType::Int16,
        DataType::UInt16 => DataType::Int32,
        DataType::UInt32 => DataType::Int64,
        DataType::UInt64 => DataType::Decimal128(20, 0),
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) if *scale >= 0 => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::Decimal128(precision, scale) if (0..=*precision as i8).contains(scale) => data_type.clone(),
        DataType::Date64 | DataType::Timestamp(..) if days => DataType::Date32,
        DataType::Date64 => DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Timestamp(_, zone) if microseconds => {
            DataType::Timestamp(TimeUnit::Microsecond, zone.as_ref().map(|_| "UTC".into()))
        }
        DataType::Time32(_) | DataType::Time64(TimeUnit::Microsecond) => DataType::Time64(TimeUnit::Microsecond),
        DataType::Boolean | DataType::Int16 | DataType::Int32 | DataType::Int64 => data_type.clone(),
        DataType::Float32 | DataType::Float64 | DataType::Date32 => data_type.clone(),
        _ => DataType::Utf8,
    }
}

/// A column in the type in which it is stored.
pub(crate) fn stored(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef> {
    if array.data_type() == data_type {
        return Ok(array.clone());
    }
    match data_type {
        DataType::Utf8 => Ok(std::sync::Arc::new(texts(array, false)?)),
        _ => cast(array, data_type).map_err(|_| crate::publish::staging::misfit()),
    }
}

/// Appends the rows of stored columns.
pub(crate) fn rows(columns: &[ArrayRef], into: &mut Vec<u8>) {
    let cells: Vec<CellWriter<'_>> = columns.iter().map(writer).collect();
    let count = (columns.len() as u16).to_be_bytes();
    for row in 0..columns.first().map_or(0, Array::len) {
        into.extend(count);
        for (column, cell) in columns.iter().zip(&cells) {
            if column.is_null(row) {
                into.extend((-1i32).to_be_bytes());
                continue;
            }
            let start = into.len();
            into.extend([0; 4]);
            cell(row, into);
            let length = (into.len() - start - 4) as i32;
            into[start..start + 4].copy_from_slice(&length.to_be_bytes());
        }
    }
}

/// Appends the bytes of the cell in a row.
type CellWriter<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;

fn writer(column: &ArrayRef) -> CellWriter<'_> {
    macro_rules! numbers {
        ($of:ty) => {{
            let numbers = column.as_primitive::<$of>();
            Box::new(move |row, into| into.extend(numbers.value(row).to_be_bytes()))
        }};
    }
    match column.data_type() {
        DataType::Boolean => {
            let column = column.as_boolean();
            Box::new(|row, into| into.push(u8::from(column.value(row))))
        }
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::Float32 => numbers!(Float32Type),
        DataType::Float64 => numbers!(Float64Type),
        DataType::Time64(_) => numbers!(Time64MicrosecondType),
        DataType::Decimal128(_, scale) => {
            let (numbers, scale) = (column.as_primitive::<Decimal128Type>(), *scale as u8);
            Box::new(move |row, into| numeric::encode(numbers.value(row), scale, into))
        }
        DataType::Date32 => {
            let days = column.as_primitive::<Date32Type>();
            Box::new(|row, into| into.extend(days.value(row).wrapping_sub(DAYS).to_be_bytes()))
        }
        DataType::Timestamp(..) => {
            let instants = column.as_primitive::<TimestampMicrosecondType>();
            Box::new(|row, into| into.extend(instants.value(row).wrapping_sub(MICROSECONDS).to_be_bytes()))
        }
        _ => {
            let texts = column.as_string::<i32>();
            Box::new(|row, into| into.extend(texts.value(row).as_bytes()))
        }
    }
}
