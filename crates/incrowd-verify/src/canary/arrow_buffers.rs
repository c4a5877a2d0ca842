//! Arrow: metadata, unused dictionary entries, slots below a null, and bytes that no slot uses.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, GenericByteArray, GenericByteViewArray, make_array};
use arrow::datatypes::{BinaryType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow::datatypes::{BinaryViewType, ByteArrayType, ByteViewType, DataType, Schema, StringViewType};
use arrow::util::display::{ArrayFormatter, FormatOptions};

use super::search::CanarySearch;
use crate::read::{MemoryBounds, ReadError, batches};

/// What is wrong when an array cannot be looked at.
fn broken(_: impl std::error::Error) -> ReadError {
    ReadError::unreadable("it is not a complete Arrow file, or its compression is not supported")
}

pub(super) fn scan(path: &Path, search: &mut CanarySearch) -> Result<(), ReadError> {
    let (schema, batches) = batches(path, None, &MemoryBounds::new(None))?;
    metadata(&schema, search);
    // The last dictionary of each column: it is the same for many batches.
    let mut dictionaries: Vec<Option<ArrayRef>> = vec![None; schema.fields().len()];
    for batch in batches {
        let batch = batch.map_err(broken)?;
        for (array, last) in batch.columns().iter().zip(&mut dictionaries) {
            match array.as_any_dictionary_opt() {
                Some(dictionary) => {
                    let entries = dictionary.values();
                    if !last.as_ref().is_some_and(|last| last.to_data().ptr_eq(&entries.to_data())) {
                        all_slots(entries, search)?;
                        unseen(entries, search)?;
                        *last = Some(Arc::clone(entries));
                    }
                }
                None => unseen(array, search)?,
            }
        }
    }
    Ok(())
}

/// The texts that a schema carries besides names and types.
pub(super) fn metadata(schema: &Schema, search: &mut CanarySearch) {
    let fields = schema.fields().iter().flat_map(|field| field.metadata());
    for (key, value) in schema.metadata().iter().chain(fields) {
        search.text(key.as_bytes());
        search.text(value.as_bytes());
    }
}

/// Every slot of a dictionary as text: a row may or may not use it.
fn all_slots(array: &ArrayRef, search: &mut CanarySearch) -> Result<(), ReadError> {
    let options = FormatOptions::new();
    let formatter = ArrayFormatter::try_new(array, &options).map_err(broken)?;
    for row in 0..array.len() {
        search.text(formatter.value(row).try_to_string().map_err(broken)?.as_bytes());
    }
    Ok(())
}

/// What an array holds that no reader sees.
fn unseen(array: &ArrayRef, search: &mut CanarySearch) -> Result<(), ReadError> {
    match array.data_type() {
        DataType::Utf8 => unseen_bytes(array.as_bytes::<Utf8Type>(), search),
        DataType::LargeUtf8 => unseen_bytes(array.as_bytes::<LargeUtf8Type>(), search),
        DataType::Binary => unseen_bytes(array.as_bytes::<BinaryType>(), search),
        DataType::LargeBinary => unseen_bytes(array.as_bytes::<LargeBinaryType>(), search),
        DataType::Utf8View => unseen_views(array.as_byte_view::<StringViewType>(), search),
        DataType::BinaryView => unseen_views(array.as_byte_view::<BinaryViewType>(), search),
        _ => return below_nulls(array, search),
    }
    Ok(())
}

fn unseen_bytes<T: ByteArrayType>(array: &GenericByteArray<T>, search: &mut CanarySearch) {
    let place = |at: usize| arrow::datatypes::ArrowNativeType::as_usize(array.value_offsets()[at]);
    let bytes = array.values().as_slice();
    for row in (0..array.len()).filter(|row| array.is_null(*row)) {
        search.text(&bytes[place(row)..place(row + 1)]);
    }
    for gap in [&bytes[..place(0)], &bytes[place(array.len())..]] {
        search.text(gap);
        search.loose(gap);
    }
}

fn unseen_views<T: ByteViewType>(array: &GenericByteViewArray<T>, search: &mut CanarySearch) {
    let mut rests: Vec<Vec<u8>> = array.data_buffers().iter().map(|buffer| buffer.as_slice().to_vec()).collect();
    for (row, view) in array.views().iter().enumerate() {
        // A view is four numbers of 32 bits: the length, the first letters, the buffer, the place in it.
        let [length, _, buffer, from] = [0, 32, 64, 96].map(|bit| ((view >> bit) & 0xffff_ffff) as usize);
        if array.is_null(row) {
            // Short texts stand in the view itself, behind their length; what is longer stands in a buffer.
            search.text(&view.to_le_bytes()[4..]);
            search.loose(&view.to_le_bytes()[4..]);
        } else if length > 12 {
            // What a row shows is not unseen.
            rests[buffer][from..from + length].fill(0);
        }
    }
    for rest in rests {
        search.text(&rest);
        search.loose(&rest);
    }
}

/// Numbers and dates stay below a null as they were. A clean writer leaves zeros, which say nothing.
fn below_nulls(array: &ArrayRef, search: &mut CanarySearch) -> Result<(), ReadError> {
    let data = array.to_data();
    let (Some(width), Some(nulls)) = (array.data_type().primitive_width(), array.nulls()) else { return Ok(()) };
    let is_zero = |row: usize| {
        let from = (data.offset() + row) * width;
        data.buffers()[0][from..from + width].iter().all(|byte| *byte == 0)
    };
    let left: Vec<usize> = (0..array.len()).filter(|row| nulls.is_null(*row) && !is_zero(*row)).collect();
    let bare = make_array(data.clone().into_builder().nulls(None).build().map_err(broken)?);
    let options = FormatOptions::new();
    let formatter = ArrayFormatter::try_new(&bare, &options).map_err(broken)?;
    for row in left {
        search.text(formatter.value(row).try_to_string().map_err(broken)?.as_bytes());
    }
    Ok(())
}
