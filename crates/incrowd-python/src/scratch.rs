//! A private place for what must stand in a file for a moment: in memory where the system has such a place, closed to
//! others, and gone afterwards.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use incrowd::Error;

use crate::frame::Frame;

/// A place in memory, on systems that have one.
const IN_MEMORY: &str = "/dev/shm";

/// A folder that is removed when it is dropped.
pub(crate) struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// A private folder with room for this many bytes.
    pub(crate) fn new(bytes: usize) -> incrowd::Result<ScratchFolder> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        // Nothing is asked of the system about free room: a small table fits everywhere, a large one goes to the disk.
        let small = bytes < 64 << 20 && Path::new(IN_MEMORY).is_dir();
        let root = if small { PathBuf::from(IN_MEMORY) } else { std::env::temp_dir() };
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = root.join(format!("incrowd-{}-{number}", std::process::id()));
        incrowd::platform::create_private_folder(&path).map_err(|error| Error::file(&path, &error))?;
        Ok(ScratchFolder(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // Nothing can be done about a failure here.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Reads an Arrow file as a whole.
pub(crate) fn read_arrow(path: &Path) -> incrowd::Result<(SchemaRef, Vec<RecordBatch>)> {
    let file = File::open(path).map_err(|error| Error::file(path, &error))?;
    let broken = |_| Error::file(path, &std::io::ErrorKind::InvalidData.into());
    let reader = FileReader::try_new(file, None).map_err(broken)?;
    let schema = reader.schema();
    Ok((schema, reader.collect::<Result<_, _>>().map_err(broken)?))
}

/// Writes a frame as an Arrow file, its dictionaries as plain columns: a file cannot change a dictionary midway.
pub(crate) fn write_arrow(frame: &Frame, path: &Path) -> incrowd::Result<()> {
    let plain = |field: &arrow::datatypes::FieldRef| match field.data_type() {
        DataType::Dictionary(_, values) => Field::new(field.name(), values.as_ref().clone(), true),
        other => Field::new(field.name(), other.clone(), true),
    };
    let schema: SchemaRef =
        std::sync::Arc::new(Schema::new(frame.schema.fields().iter().map(plain).collect::<Vec<_>>()));
    let file = File::create_new(path).map_err(|error| Error::file(path, &error))?;
    let failed = |_| Error::file(path, &std::io::ErrorKind::Other.into());
    let mut writer = FileWriter::try_new(file, &schema).map_err(failed)?;
    for batch in &frame.batches {
        let column = |(array, field): (&ArrayRef, &arrow::datatypes::FieldRef)| match array.data_type() {
            same if same == field.data_type() => Ok(array.clone()),
            _ => cast(array, field.data_type()),
        };
        let columns = batch.columns().iter().zip(schema.fields()).map(column).collect::<Result<Vec<_>, _>>();
        let batch = columns.and_then(|columns| RecordBatch::try_new(schema.clone(), columns)).map_err(failed)?;
        writer.write(&batch).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}
