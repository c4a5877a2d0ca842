//! Binary COPY becomes Arrow.
//!
//! The form is described in PostgreSQL's manual, section COPY, "Binary Format": a signature, flags, an extension; then
//! for each row the number of its cells and, for each cell, its length and bytes; then −1. A stream without the −1 was
//! cut.

use std::sync::Arc;

use arrow::array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType,
};
use arrow::array::{ArrayRef, ArrowPrimitiveType, BinaryBuilder, BooleanBuilder, PrimitiveBuilder, StringBuilder};
use arrow::datatypes::DataType;

use crate::runtime::error::CellFault;
use crate::source::postgres::numeric;

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
/// Days and microseconds from 1970, where Arrow begins, to 2000, where PostgreSQL does.
pub(crate) const DAYS: i32 = 10_957;
pub(crate) const MICROSECONDS: i64 = 946_684_800_000_000;

/// Why rows could not be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undecoded {
    /// The bytes are not what the protocol says.
    Form,
    /// A cell of this column cannot be taken.
    Cell(usize, CellFault),
}

enum ColumnBuilder {
    Boolean(BooleanBuilder),
    Int16(PrimitiveBuilder<Int16Type>),
    Int32(PrimitiveBuilder<Int32Type>),
    Int64(PrimitiveBuilder<Int64Type>),
    Float32(PrimitiveBuilder<Float32Type>),
    Float64(PrimitiveBuilder<Float64Type>),
    Decimal(PrimitiveBuilder<Decimal128Type>, i8),
    Date(PrimitiveBuilder<Date32Type>),
    Time(PrimitiveBuilder<Time64MicrosecondType>),
    Instant(PrimitiveBuilder<TimestampMicrosecondType>),
    Text(StringBuilder),
    Bytes(BinaryBuilder),
}

/// Rows on their way into arrays.
pub(crate) struct Decoder {
    builders: Vec<ColumnBuilder>,
    /// Bytes of a row that has not arrived whole.
    pending: Vec<u8>,
    began: bool,
    ended: bool,
    pub(crate) rows: usize,
    /// Bytes of texts in the builders.
    pub(crate) bytes: usize,
}

impl Decoder {
    pub(crate) fn new<'a>(types: impl Iterator<Item = &'a DataType>) -> Decoder {
        let builders = types.map(ColumnBuilder::new).collect();
        Decoder { builders, pending: Vec::new(), began: false, ended: false, rows: 0, bytes: 0 }
    }

    /// Whether the end was seen.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Takes a piece of the stream, wherever it was cut.
    pub(crate) fn take(&mut self, piece: &[u8]) -> Result<(), Undecoded> {
        if self.pending.is_empty() {
            let taken = self.take_rows(piece)?;
            self.pending.extend_from_slice(&piece[taken..]);
        } else {
            let mut pending = std::mem::take(&mut self.pending);
            pending.extend_from_slice(piece);
            let taken = self.take_rows(&pending)?;
            pending.drain(..taken);
            self.pending = pending;
        }
        Ok(())
    }

    /// Takes whole rows and says how many bytes they were.
    fn take_rows(&mut self, bytes: &[u8]) -> Result<usize, Undecoded> {
        let mut taken = 0;
        if !self.began {
            let Some(length) = header(bytes)? else { return Ok(0) };
            (self.began, taken) = (true, length);
        }
        loop {
            let Some((cells, rest)) = bytes[taken..].split_first_chunk::<2>() else { return Ok(taken) };
            let cells = i16::from_be_bytes(*cells);
            if self.ended {
                return Err(Undecoded::Form);
            }
            if cells == -1 {
                self.ended = true;
                return if rest.is_empty() { Ok(bytes.len()) } else { Err(Undecoded::Form) };
            }
            if usize::try_from(cells) != Ok(self.builders.len()) {
                return Err(Undecoded::Form);
            }
            // A row is whole or not touched: builders would be left at different lengths.
            let Some(length) = row_length(rest, self.builders.len())? else { return Ok(taken) };
            let mut row = &rest[..length];
            for (at, builder) in self.builders.iter_mut().enumerate() {
                let (cell, after) = cell(row).ok_or(Undecoded::Form)?;
                row = after;
                self.bytes += cell.map_or(0, <[u8]>::len);
                builder.add(cell).map_err(|fault| fault.map_or(Undecoded::Form, |fault| Undecoded::Cell(at, fault)))?;
            }
            self.rows += 1;
            taken += 2 + length;
        }
    }

    /// The rows so far as arrays of their own.
    pub(crate) fn finish(&mut self) -> Vec<ArrayRef> {
        (self.rows, self.bytes) = (0, 0);
        self.builders.iter_mut().map(ColumnBuilder::finish).collect()
    }
}

/// The length of the header; nothing when it has not arrived whole.
fn header(bytes: &[u8]) -> Result<Option<usize>, Undecoded> {
    let known = bytes.len().min(SIGNATURE.len());
    if bytes[..known] != SIGNATURE[..known] {
        return Err(Undecoded::Form);
    }
    let Some(flags) = bytes.get(11..15) else { return Ok(None) };
    // The higher half are flags that a reader must know; none is known to us.
    if flags[..2] != [0, 0] {
        return Err(Undecoded::Form);
    }
    let Some(extension) = bytes.get(15..19).and_then(|length| length.try_into().ok()).map(u32::from_be_bytes) else {
        return Ok(None);
    };
    let length = 19 + extension as usize;
    Ok((bytes.len() >= length).then_some(length))
}

fn row_length(bytes: &[u8], cells: usize) -> Result<Option<usize>, Undecoded> {
    let mut at = 0;
    for _ in 0..cells {
        let Some(length) = bytes.get(at..at + 4).and_then(|length| length.try_into().ok()) else { return Ok(None) };
        let length = i32::from_be_bytes(length);
        if length < -1 {
            return Err(Undecoded::Form);
        }
        at += 4 + usize::try_from(length).unwrap_or(0);
    }
    Ok((bytes.len() >= at).then_some(at))
}

fn cell(bytes: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    match usize::try_from(i32::from_be_bytes(*length)) {
        Ok(length) => rest.split_at_checked(length).map(|(cell, rest)| (Some(cell), rest)),
        Err(_) => Some((None, rest)),
    }
}

impl ColumnBuilder {
    fn new(data_type: &DataType) -> ColumnBuilder {
        match data_type {
            DataType::Boolean => ColumnBuilder::Boolean(BooleanBuilder::new()),
            DataType::Int16 => ColumnBuilder::Int16(PrimitiveBuilder::new()),
            DataType::Int32 => ColumnBuilder::Int32(PrimitiveBuilder::new()),
            DataType::Int64 => ColumnBuilder::Int64(PrimitiveBuilder::new()),
            DataType::Float32 => ColumnBuilder::Float32(PrimitiveBuilder::new()),
            DataType::Float64 => ColumnBuilder::Float64(PrimitiveBuilder::new()),
            DataType::Decimal128(_, scale) => {
                ColumnBuilder::Decimal(PrimitiveBuilder::new().with_data_type(data_type.clone()), *scale)
            }
            DataType::Date32 => ColumnBuilder::Date(PrimitiveBuilder::new()),
            DataType::Time64(_) => ColumnBuilder::Time(PrimitiveBuilder::new()),
            DataType::Timestamp(..) => {
                ColumnBuilder::Instant(PrimitiveBuilder::new().with_data_type(data_type.clone()))
            }
            DataType::Binary => ColumnBuilder::Bytes(BinaryBuilder::new()),
            _ => ColumnBuilder::Text(StringBuilder::new()),
        }
    }

    /// Adds a cell; the error is nothing when its bytes are not those of the type.
    fn add(&mut self, cell: Option<&[u8]>) -> Result<(), Option<CellFault>> {
        match self {
            ColumnBuilder::Boolean(builder) => match cell {
                Some([byte]) => builder.append_value(*byte != 0),
                Some(_) => return Err(None),
                None => builder.append_null(),
            },
            ColumnBuilder::Int16(builder) => number(builder, cell, |bytes| Ok(i16::from_be_bytes(bytes)))?,
            ColumnBuilder::Int32(builder) => number(builder, cell, |bytes| Ok(i32::from_be_bytes(bytes)))?,
            ColumnBuilder::Int64(builder) => number(builder, cell, |bytes| Ok(i64::from_be_bytes(bytes)))?,
            ColumnBuilder::Float32(builder) => number(builder, cell, |bytes| Ok(f32::from_be_bytes(bytes)))?,
            ColumnBuilder::Float64(builder) => number(builder, cell, |bytes| Ok(f64::from_be_bytes(bytes)))?,
            ColumnBuilder::Decimal(builder, scale) => match cell {
                // NaN is missing, as it is among floats.
                Some(bytes) => builder.append_option(numeric::decode(bytes, *scale).ok_or(None)?),
                None => builder.append_null(),
            },
            ColumnBuilder::Date(builder) => number(builder, cell, |bytes| match i32::from_be_bytes(bytes) {
                i32::MIN | i32::MAX => Err(CellFault::Infinite),
                days => days.checked_add(DAYS).ok_or(CellFault::Infinite),
            })?,
            ColumnBuilder::Time(builder) => number(builder, cell, |bytes| Ok(i64::from_be_bytes(bytes)))?,
            ColumnBuilder::Instant(builder) => number(builder, cell, |bytes| match i64::from_be_bytes(bytes) {
                i64::MIN | i64::MAX => Err(CellFault::Infinite),
                instant => instant.checked_add(MICROSECONDS).ok_or(CellFault::Infinite),
            })?,
            ColumnBuilder::Text(builder) => match cell {
                Some(bytes) => {
                    builder.append_value(simdutf8::basic::from_utf8(bytes).map_err(|_| CellFault::NotUtf8)?);
                }
                None => builder.append_null(),
            },
            ColumnBuilder::Bytes(builder) => builder.append_option(cell),
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            ColumnBuilder::Boolean(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Int16(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Int32(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Int64(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Float32(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Float64(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Decimal(builder, _) => Arc::new(builder.finish()),
            ColumnBuilder::Date(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Time(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Instant(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Text(builder) => Arc::new(builder.finish()),
            ColumnBuilder::Bytes(builder) => Arc::new(builder.finish()),
        }
    }
}

fn number<T: ArrowPrimitiveType, const N: usize>(
    builder: &mut PrimitiveBuilder<T>,
    cell: Option<&[u8]>,
    read: impl FnOnce([u8; N]) -> Result<T::Native, CellFault>,
) -> Result<(), Option<CellFault>> {
    match cell {
        Some(bytes) => builder.append_value(read(bytes.try_into().map_err(|_| None)?)?),
        None => builder.append_null(),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;

    use super::*;

    /// Two rows: 7 and `Zoë`; nothing and nothing.
    fn stream() -> Vec<u8> {
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([0; 8]);
        bytes.extend([0, 2, 0, 0, 0, 4, 0, 0, 0, 7, 0, 0, 0, 4]);
        bytes.extend("Zoë".as_bytes());
        bytes.extend([0, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255]);
        bytes
    }

    fn decoder() -> Decoder {
        Decoder::new([DataType::Int32, DataType::Utf8].iter())
    }

    #[test]
    fn rows_are_the_same_wherever_the_stream_is_cut() {
        let bytes = stream();
        for cut in 0..=bytes.len() {
            let mut decoder = decoder();
            decoder.take(&bytes[..cut]).expect("a part");
            decoder.take(&bytes[cut..]).expect("the rest");
            assert!(decoder.ended() && decoder.rows == 2, "cut at {cut}");
            let arrays = decoder.finish();
            assert_eq!(arrays[0].as_primitive::<Int32Type>().iter().collect::<Vec<_>>(), [Some(7), None]);
            assert_eq!(arrays[1].as_string::<i32>().iter().collect::<Vec<_>>(), [Some("Zoë"), None]);
        }
    }

    #[test]
    fn bytes_that_break_the_form_are_refused_and_a_cut_stream_never_ends() {
        let whole = stream();
        for cut in 0..whole.len() - 1 {
            let mut decoder = decoder();
            decoder.take(&whole[..cut]).expect("a part");
            assert!(!decoder.ended());
        }
        let broken = |at: usize, byte: u8| {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            decoder().take(&bytes)
        };
        assert_eq!(broken(0, b'X'), Err(Undecoded::Form));
        assert_eq!(broken(11, 1), Err(Undecoded::Form), "a flag that nobody knows");
        assert_eq!(broken(20, 3), Err(Undecoded::Form), "three cells");
        assert_eq!(broken(36, 0xff), Err(Undecoded::Cell(1, CellFault::NotUtf8)));
        let after = [whole.as_slice(), &[0, 2]].concat();
        assert_eq!(decoder().take(&after), Err(Undecoded::Form), "something after the end");
    }
}
