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

#[cfg(test)]
mod tests {
    use arrow::array::{BinaryViewArray, DictionaryArray, Int32Array, Int64Array, StringViewArray};
    use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer};
    use arrow::datatypes::Field;
    use arrow::ipc::writer::FileWriter;
    use arrow::record_batch::RecordBatch;
    use tempfile::NamedTempFile;

    use super::*;

    /// A value that is found although letters are around it, because it is long; and both.
    const LONG: (&str, &str) = ("Zoe-Leaked", "xZoe-Leakedx");

    /// A value that is found as a word only; and the words.
    const SHORT: (&str, &str) = ("Zoe1", "of Zoe1");

    fn is_unseen_in(array: &ArrayRef, value: &str) -> bool {
        let mut search = CanarySearch::of_texts(&[value]);
        unseen(array, &mut search).expect("a whole array");
        search.leaks() == 1
    }

    /// One text that a row shows, and others that no row shows.
    fn between_gaps<T: ByteArrayType>(front: &str, back: &str) -> ArrayRef {
        let lengths = OffsetBuffer::<T::Offset>::from_lengths([front.len(), "shown".len()]);
        let values = Buffer::from([front, "shown", back].concat().into_bytes());
        Arc::new(GenericByteArray::<T>::new(lengths, values, None).slice(1, 1))
    }

    fn below_null<T: ByteArrayType>(hidden: &str) -> ArrayRef {
        let lengths = OffsetBuffer::<T::Offset>::from_lengths(["shown".len(), hidden.len()]);
        let values = Buffer::from(["shown", hidden].concat().into_bytes());
        Arc::new(GenericByteArray::<T>::new(lengths, values, Some(NullBuffer::from(vec![true, false]))))
    }

    /// The same cells, of which the last one is missing.
    fn last_missing<T: ByteViewType>(array: &GenericByteViewArray<T>) -> ArrayRef {
        let nulls = (1..=array.len()).map(|row| row < array.len()).collect::<Vec<bool>>();
        let buffers = array.data_buffers().to_vec();
        Arc::new(GenericByteViewArray::<T>::new(array.views().clone(), buffers, Some(NullBuffer::from(nulls))))
    }

    #[test]
    fn a_text_below_a_null_is_found_in_each_type_of_texts_and_bytes() {
        for array in [
            below_null::<Utf8Type>(SHORT.1),
            below_null::<LargeUtf8Type>(SHORT.1),
            below_null::<BinaryType>(SHORT.1),
            below_null::<LargeBinaryType>(SHORT.1),
            last_missing(&StringViewArray::from(vec!["shown", SHORT.1])),
            last_missing(&BinaryViewArray::from(vec![b"shown".as_slice(), SHORT.1.as_bytes()])),
        ] {
            assert!(is_unseen_in(&array, SHORT.0), "{}", array.data_type());
            assert!(!is_unseen_in(&array, "shown"), "{}", array.data_type());
        }
    }

    #[test]
    fn a_text_before_or_behind_all_cells_is_found() {
        for (value, hidden) in [LONG, SHORT] {
            for (front, back) in [(hidden, ""), ("", hidden)] {
                let array = between_gaps::<Utf8Type>(front, back);
                assert!(is_unseen_in(&array, value), "{value}");
                assert!(!is_unseen_in(&array, "shown"), "{value}");
            }
        }
    }

    #[test]
    fn a_part_of_a_short_text_below_a_null_is_found_in_views() {
        let array = last_missing(&StringViewArray::from(vec!["shown", "xZoe-Lex"]));
        assert!(is_unseen_in(&array, "Zoe-Le"));
    }

    #[test]
    fn a_text_that_no_view_shows_is_found() {
        for (value, hidden) in [LONG, SHORT] {
            let hidden = format!("what nobody sees {hidden}");
            let array: ArrayRef =
                Arc::new(StringViewArray::from(vec![hidden.as_str(), "what is published"]).slice(1, 1));
            assert!(is_unseen_in(&array, value), "{value}");
        }
    }

    #[test]
    fn two_texts_that_views_show_do_not_make_a_value() {
        let array: ArrayRef = Arc::new(StringViewArray::from(vec!["it was seen by Zoe", "-Leaked is no name"]));
        assert!(!is_unseen_in(&array, "Zoe-Leaked"));
    }

    #[test]
    fn a_text_of_twelve_bytes_is_in_its_view() {
        // The longest text that has no place in a buffer.
        let array: ArrayRef = Arc::new(StringViewArray::from(vec!["twelve bytes"]));
        assert!(!is_unseen_in(&array, "twelve bytes"));
    }

    #[test]
    fn a_number_below_a_null_is_found_and_zero_is_no_number_there() {
        let nulls = Some(NullBuffer::from(vec![true, false, false]));
        let array: ArrayRef = Arc::new(Int64Array::new(vec![5, 170_680, 0].into(), nulls));
        assert_eq!(["5", "170680", "0"].map(|number| is_unseen_in(&array, number)), [false, true, false]);
    }

    #[test]
    fn a_text_below_a_null_of_a_dictionary_is_found() {
        let column: ArrayRef =
            Arc::new(DictionaryArray::new(Int32Array::from(vec![0]), below_null::<Utf8Type>(SHORT.1)));
        let batch = RecordBatch::try_from_iter([("column", column)]).expect("one column");
        let file = NamedTempFile::new().expect("a temporary file");
        let mut writer = FileWriter::try_new(&file, &batch.schema()).expect("the disk has room");
        writer.write(&batch).expect("the schema is that of the batch");
        writer.finish().expect("the disk has room");
        let mut search = CanarySearch::of_texts(&[SHORT.0]);
        scan(file.path(), &mut search).expect("a whole file");
        assert_eq!(search.leaks(), 1);
    }

    #[test]
    fn keys_and_values_of_metadata_are_searched() {
        let entry = |key: &str, value: &str| [(key.to_string(), value.to_string())].into();
        let field = Field::new("column", DataType::Utf8, true).with_metadata(entry("Anna", "Bert"));
        let schema = Schema::new(vec![field]).with_metadata(entry("Cleo", "Dora"));
        for value in ["Anna", "Bert", "Cleo", "Dora"] {
            let mut search = CanarySearch::of_texts(&[value]);
            metadata(&schema, &mut search);
            assert_eq!(search.leaks(), 1, "{value}");
        }
    }
}
