//! What treatments publish of each row, in the order of the table.
//!
//! A release is shuffled. Anyone who holds the table and the keys can compute again what was published of a row: that is
//! how an attack on treated columns is scored.

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::record_batch::RecordBatch;
use incrowd_core::Stage;

use super::apply::kept_columns;
use super::kept_cells::clean_pieces;
use super::recipe::PublishedColumn;
use super::treated_cells::CellTreatment;
use crate::count::scan::scan;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::table::Source;

impl Source {
    /// The published texts of these columns, row by row in the order of the table; nothing is a missing cell. Refused
    /// when the rows do not fit in the memory allowed.
    pub fn treated_rows(
        &self,
        engine: &Engine,
        columns: &[(String, CellTreatment)],
    ) -> Result<Vec<Vec<Option<Box<str>>>>> {
        // A text takes more room than the code that rows are usually kept as.
        self.check_room(engine, 4 * columns.len())?;
        let kept = |(name, treatment): &(String, CellTreatment)| PublishedColumn::Kept {
            name: name.clone(),
            treatment: Some(Box::new(treatment.clone())),
        };
        let published: Vec<PublishedColumn> = columns.iter().map(kept).collect();
        let mut read = Vec::new();
        let (kept, places) = kept_columns(self, &published.iter().collect::<Vec<_>>(), &mut read)?;
        let step = |batches: &mut Vec<RecordBatch>, batch: &RecordBatch| {
            batches.push(batch.clone());
            Ok(())
        };
        let parts = scan(engine, self, &read, Stage::Count, None, |_| Vec::new(), step)?;
        let mut texts = vec![Vec::new(); columns.len()];
        let mut first = 0;
        for batch in parts.into_iter().flatten() {
            let (cells, origin) = places.of_batch(&batch, first);
            first += batch.num_rows() as u64;
            clean_pieces(&kept, &cells, &origin, (0, batch.num_rows()), &mut |_, _, pieces| {
                for ((texts, piece), kept) in texts.iter_mut().zip(&pieces).zip(&kept) {
                    let unpublishable = |_| EngineError::Unpublishable {
                        column: kept.name().into(),
                        kind: piece.data_type().to_string(),
                    };
                    let piece = cast(piece, &DataType::Utf8).map_err(unpublishable)?;
                    texts.extend(piece.as_string::<i32>().iter().map(|text| text.map(Box::from)));
                }
                Ok(())
            })?;
        }
        Ok(texts)
    }
}
