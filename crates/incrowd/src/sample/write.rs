//! Writing the sample: chunks are made on all cores and written in order.

use incrowd_core::{Cancel, Progress, Stage};
use incrowd_engine::{EngineError, TableWriter};
use rayon::prelude::*;

use super::Sample;
use crate::error::Result;

/// Writes the whole table. Stopped early, it leaves no file.
pub fn write(sample: &Sample, mut writer: TableWriter, cancel: &Cancel, progress: &dyn Progress) -> Result<()> {
    let batch = rayon::current_num_threads() as u64 * 2;
    let mut written = 0;
    for start in (0..sample.chunk_count()).step_by(batch as usize) {
        let indices = start..sample.chunk_count().min(start + batch);
        let chunks: Vec<_> = indices.into_par_iter().map(|index| sample.chunk(index)).collect();
        for chunk in chunks {
            if cancel.is_cancelled() {
                return Err(EngineError::Cancelled.into());
            }
            writer.write(&chunk)?;
            written += chunk.rows() as u64;
            progress.update(Stage::Write, written, Some(sample.rows()));
        }
    }
    cancel.commit(|| Ok(writer.finish()?))
}
