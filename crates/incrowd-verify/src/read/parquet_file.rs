//! Parquet: row groups are counted by two threads, texts are read as the dictionaries they are stored as.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::ParquetMetaDataReader;

use super::parquet_sizes::{check_footer, check_pages};
use super::{
    FileColumn, MemoryBounds, MergeableSink, ReadError, ReadProgress, RowSink, TableFile, add_batch, guarded, places,
};

/// Rows that are read together. More would cost memory, fewer would look at dictionaries more often.
const ROWS: usize = 1 << 15;

/// Each thread has classes of its own until the end, so more threads cost more memory.
const THREADS: usize = 2;

fn broken(_: impl std::error::Error) -> ReadError {
    ReadError::unreadable("it is not a complete Parquet file")
}

/// Refuses a file that promises more than it has.
pub(crate) fn check(path: &Path, bounds: &MemoryBounds) -> Result<(), ReadError> {
    let mut file = File::open(path).map_err(|_| ReadError::unreadable("it cannot be opened"))?;
    check_footer(&mut file, bounds)?;
    let about = ParquetMetaDataReader::new().parse_and_finish(&file).map_err(broken)?;
    check_pages(path, &about, bounds)
}

fn open(path: &Path, bounds: &MemoryBounds) -> Result<(File, ArrowReaderMetadata), ReadError> {
    check(path, bounds)?;
    let file = File::open(path).map_err(|_| ReadError::unreadable("it cannot be opened"))?;
    // The Arrow schema that a writer may have left in the file is not trusted: what is stored decides.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let about = ArrowReaderMetadata::load(&file, options.clone()).map_err(broken)?;
    if about.parquet_schema().num_columns() != about.schema().fields().len() {
        return Err(ReadError::unreadable("a column is not flat"));
    }
    let zones = zones(&file);
    let field = |field: &Arc<Field>| {
        as_dictionary(&zones.get(field.name()).map_or_else(|| Field::clone(field), |zone| in_zone(field, zone)))
    };
    let fields: Vec<Field> = about.schema().fields().iter().map(field).collect();
    let options = options.with_schema(Arc::new(Schema::new(fields)));
    let about = ArrowReaderMetadata::try_new(Arc::clone(about.metadata()), options).map_err(broken)?;
    Ok((file, about))
}

/// The time zones of columns of instants. The format itself stores universal time and no zone, so that of the writer's
/// schema is taken: by it the table means its days.
fn zones(file: &File) -> HashMap<String, Arc<str>> {
    let about = ArrowReaderMetadata::load(file, ArrowReaderOptions::new());
    let fields = about.map(|about| about.schema().fields().clone()).unwrap_or_default();
    let zone = |field: &Arc<Field>| match field.data_type() {
        DataType::Timestamp(_, Some(zone)) => Some((field.name().clone(), Arc::clone(zone))),
        _ => None,
    };
    fields.iter().filter_map(zone).collect()
}

fn in_zone(field: &Field, zone: &Arc<str>) -> Field {
    match field.data_type() {
        DataType::Timestamp(unit, Some(_)) => {
            field.clone().with_data_type(DataType::Timestamp(*unit, Some(Arc::clone(zone))))
        }
        _ => field.clone(),
    }
}

fn as_dictionary(field: &Field) -> Field {
    match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let texts = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
            field.clone().with_data_type(texts)
        }
        _ => field.clone(),
    }
}

pub(super) fn columns(path: &Path, bounds: &MemoryBounds) -> Result<Vec<FileColumn>, ReadError> {
    let (_, about) = open(path, bounds)?;
    let column = |field: &Arc<Field>| FileColumn {
        name: field.name().clone(),
        is_float: matches!(field.data_type(), DataType::Float32 | DataType::Float64),
        is_instant: matches!(field.data_type(), DataType::Timestamp(..)),
    };
    Ok(about.schema().fields().iter().map(column).collect())
}

/// Row groups by several threads, each into a sink of its own until the end.
pub(super) fn read_in_parallel<R: MergeableSink>(
    table: &TableFile<'_>,
    wanted: &[usize],
    into: &mut R,
    progress: &ReadProgress<'_>,
) -> Result<(), ReadError> {
    let (path, bounds) = (table.path, &table.bounds);
    let (_, about) = open(path, bounds)?;
    let groups = about.metadata().num_row_groups();
    let next = AtomicUsize::new(0);
    let work = |into: &mut R| -> Result<(), ReadError> {
        loop {
            let group = next.fetch_add(1, Ordering::Relaxed);
            if group >= groups {
                return Ok(());
            }
            read_group(path, &about, group, wanted, into, progress)?;
        }
    };
    if groups < THREADS {
        return work(into);
    }
    let siblings: Result<Vec<R>, ReadError> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..THREADS)
            .map(|_| {
                let mut sibling = into.sibling();
                scope.spawn(move || guarded(|| work(&mut sibling)).map(|()| sibling))
            })
            .collect();
        let mine = work(into);
        let theirs = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(ReadError::unreadable("its content is broken"))));
        let theirs: Result<Vec<R>, ReadError> = theirs.collect();
        mine.and(theirs)
    });
    siblings?.into_iter().for_each(|sibling| into.merge(sibling));
    Ok(())
}

/// Row group after row group, by one thread.
pub(super) fn read<R: RowSink>(
    table: &TableFile<'_>,
    wanted: &[usize],
    into: &mut R,
    progress: &ReadProgress<'_>,
) -> Result<(), ReadError> {
    let path = table.path;
    let (_, about) = open(path, &table.bounds)?;
    let groups = 0..about.metadata().num_row_groups();
    groups.into_iter().try_for_each(|group| read_group(path, &about, group, wanted, into, progress))
}

fn read_group<R: RowSink>(
    path: &Path,
    about: &ArrowReaderMetadata,
    group: usize,
    wanted: &[usize],
    into: &mut R,
    progress: &ReadProgress<'_>,
) -> Result<(), ReadError> {
    // A file of its own: copies of one share their place in it, and threads would move it under each other.
    let file = File::open(path).map_err(|_| ReadError::unreadable("it cannot be opened"))?;
    let mask = ProjectionMask::roots(about.parquet_schema(), wanted.iter().copied());
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, about.clone())
        .with_projection(mask)
        .with_row_groups(vec![group])
        .with_batch_size(MemoryBounds::rows(wanted.len(), ROWS))
        .build()
        .map_err(broken)?;
    let places = places(wanted);
    let mut columns = vec![Vec::new(); wanted.len()];
    for batch in reader {
        let batch = batch.map_err(broken)?;
        add_batch(&batch, &places, into, &mut columns)?;
        progress.step(batch.num_rows())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
