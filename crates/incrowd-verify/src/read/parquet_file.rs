//! Parquet: row groups are counted by two threads, texts are read as the dictionaries they are stored as.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use super::{FileColumn, ReadError, Rows, Watch, add_batch, places};
use crate::count::Counter;

/// Rows that are read together. More would cost memory, fewer would look at dictionaries more often.
const ROWS: usize = 1 << 15;

/// Each thread has classes of its own until the end, so more threads cost more memory.
const THREADS: usize = 2;

fn broken(_: impl std::error::Error) -> ReadError {
    ReadError::unreadable("it is not a whole Parquet file")
}

fn open(path: &Path) -> Result<(File, ArrowReaderMetadata), ReadError> {
    let file = File::open(path).map_err(|_| ReadError::unreadable("it cannot be opened"))?;
    // The Arrow schema that a writer may have left in the file is hearsay: what is stored decides.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let about = ArrowReaderMetadata::load(&file, options.clone()).map_err(broken)?;
    if about.parquet_schema().num_columns() != about.schema().fields().len() {
        return Err(ReadError::unreadable("a column is not flat"));
    }
    let fields: Vec<Field> = about.schema().fields().iter().map(|field| as_dictionary(field)).collect();
    let options = options.with_schema(Arc::new(Schema::new(fields)));
    let about = ArrowReaderMetadata::try_new(Arc::clone(about.metadata()), options).map_err(broken)?;
    Ok((file, about))
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

pub(super) fn columns(path: &Path) -> Result<Vec<FileColumn>, ReadError> {
    let (_, about) = open(path)?;
    let column = |field: &Arc<Field>| FileColumn {
        name: field.name().clone(),
        is_float: matches!(field.data_type(), DataType::Float32 | DataType::Float64),
    };
    Ok(about.schema().fields().iter().map(column).collect())
}

pub(super) fn count(path: &Path, wanted: &[usize], counter: &mut Counter, watch: &Watch<'_>) -> Result<(), ReadError> {
    let (_, about) = open(path)?;
    let groups = about.metadata().num_row_groups();
    let next = AtomicUsize::new(0);
    let work = |counter: &mut Counter| -> Result<(), ReadError> {
        loop {
            let group = next.fetch_add(1, Ordering::Relaxed);
            if group >= groups {
                return Ok(());
            }
            read_group(path, &about, group, wanted, counter, watch)?;
        }
    };
    if groups < THREADS {
        return work(counter);
    }
    let siblings: Result<Vec<Counter>, ReadError> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..THREADS)
            .map(|_| {
                let mut sibling = counter.sibling();
                scope.spawn(move || work(&mut sibling).map(|()| sibling))
            })
            .collect();
        let mine = work(counter);
        let theirs = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(ReadError::unreadable("its content is broken"))));
        let theirs: Result<Vec<Counter>, ReadError> = theirs.collect();
        mine.and(theirs)
    });
    siblings?.into_iter().for_each(|sibling| counter.merge(sibling));
    Ok(())
}

/// Row group after row group, by one thread.
pub(super) fn read<R: Rows>(path: &Path, wanted: &[usize], into: &mut R, watch: &Watch<'_>) -> Result<(), ReadError> {
    let (_, about) = open(path)?;
    let groups = 0..about.metadata().num_row_groups();
    groups.into_iter().try_for_each(|group| read_group(path, &about, group, wanted, into, watch))
}

fn read_group<R: Rows>(
    path: &Path,
    about: &ArrowReaderMetadata,
    group: usize,
    wanted: &[usize],
    into: &mut R,
    watch: &Watch<'_>,
) -> Result<(), ReadError> {
    // A file of its own: copies of one share their place in it, and threads would move it under each other.
    let file = File::open(path).map_err(|_| ReadError::unreadable("it cannot be opened"))?;
    let mask = ProjectionMask::roots(about.parquet_schema(), wanted.iter().copied());
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, about.clone())
        .with_projection(mask)
        .with_row_groups(vec![group])
        .with_batch_size(ROWS)
        .build()
        .map_err(broken)?;
    let places = places(wanted);
    let mut columns = vec![Vec::with_capacity(ROWS); wanted.len()];
    for batch in reader {
        let batch = batch.map_err(broken)?;
        add_batch(&batch, &places, into, &mut columns)?;
        watch.step(batch.num_rows())?;
    }
    Ok(())
}
