//! Values that are spelled in several ways and read as one.
//!
//! The spellings are applied to each batch of a scan, so that everything that reads the table sees one value.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;

use crate::source::decimal_mark::with_point;

/// By column, the spellings that are read as another one.
pub type Spellings = BTreeMap<String, BTreeMap<String, String>>;

/// The batch with each cell in the spelling it is read as, and numbers with a decimal comma as with a point in the columns
/// `commas`. Types stay what they are.
pub(crate) fn fold(batch: RecordBatch, spellings: &Spellings, commas: &[String]) -> Result<RecordBatch, ArrowError> {
    if spellings.is_empty() && commas.is_empty() {
        return Ok(batch);
    }
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).map(|(field, array)| match spellings.get(field.name()) {
        Some(spellings) if is_text(array.data_type()) => {
            let read_as = |text: &str| spellings.get(text).map_or_else(|| text.to_owned(), Clone::clone);
            fold_column(array, read_as)
        }
        _ if commas.contains(field.name()) && is_text(array.data_type()) => {
            fold_column(array, |text| with_point(text).into_owned())
        }
        _ => Ok(Arc::clone(array)),
    });
    let columns = columns.collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
    RecordBatch::try_new(schema, columns)
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_text(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        _ => false,
    }
}

fn fold_column(array: &ArrayRef, read_as: impl Fn(&str) -> String) -> Result<ArrayRef, ArrowError> {
    let texts = cast(array, &DataType::Utf8)?;
    let folded: StringArray = texts.as_string::<i32>().iter().map(|text| text.map(&read_as)).collect();
    cast(&(Arc::new(folded) as ArrayRef), array.data_type())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use arrow::array::Int64Array;
    use arrow::datatypes::{Field, Schema};

    use super::*;

    #[test]
    fn cells_are_read_in_one_spelling_whatever_the_type_of_their_column() {
        let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("HIV"), Some("HIV "), None, Some("flu")]));
        let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let one = BTreeMap::from([("HIV ".to_string(), "HIV".to_string())]);
        let spellings = ["a", "b", "n"].map(|name| (name.to_string(), one.clone())).into_iter().collect();
        for kind in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View, dictionary] {
            let fields = [("a", kind.clone()), ("other", kind.clone()), ("n", DataType::Int64)];
            let schema = Schema::new(fields.map(|(name, kind)| Field::new(name, kind, true)).to_vec());
            let column = cast(&texts, &kind).unwrap();
            let columns = vec![column.clone(), column, Arc::new(Int64Array::from(vec![1, 2, 3, 4])) as ArrayRef];
            let folded = fold(RecordBatch::try_new(Arc::new(schema), columns).unwrap(), &spellings, &[]).unwrap();
            let read = |at: usize| cast(folded.column(at), &DataType::Utf8).unwrap();
            assert_eq!(folded.column(0).data_type(), &kind);
            let cells: Vec<Option<String>> =
                read(0).as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect();
            assert_eq!(cells, [Some("HIV".into()), Some("HIV".into()), None, Some("flu".into())]);
            assert_eq!(read(1).as_string::<i32>().value(1), "HIV ");
        }
    }
}
