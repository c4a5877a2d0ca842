//! Delta tables in an object store: the files of the log that make the version are fetched into a private folder and read there.

use std::collections::BTreeMap;
use std::path::Path as FilePath;

use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt};

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, LakehouseFault, Result};
use crate::runtime::limits::ReadLimits;
use crate::runtime::store_fault::StoreFault;
use crate::source::delta::{DeltaLog, LOG, LogSteps};
use crate::source::stores::Bucket;

/// A Delta table in a bucket.
pub(super) struct DeltaFolder {
    pub(super) folder: Path,
    pub(super) version: Option<u64>,
}

impl DeltaFolder {
    /// The objects that are the table, sorted.
    pub(super) fn objects(&self, engine: &Engine, bucket: &Bucket, named: &str) -> Result<Vec<ObjectMeta>> {
        let failed = |error: object_store::Error| StoreFault::of(named, &error);
        let listed = engine.block_on(bucket.store.list(Some(&self.folder)).try_collect::<Vec<_>>()).map_err(failed)?;
        let log = self.folder.clone().join(LOG);
        let is_in_log = |object: &&ObjectMeta| {
            let inside = object.location.as_ref().strip_prefix(log.as_ref()).and_then(|rest| rest.strip_prefix('/'));
            inside.is_some_and(|name| !name.contains('/'))
        };
        let names = listed.iter().filter(is_in_log).filter_map(|object| object.location.filename());
        let steps = DeltaLog::of(names.map(String::from)).steps(FilePath::new(named), self.version)?;
        let here = fetch(engine, bucket, named, &log, &steps)?;
        let read = steps.files(&here, FilePath::new(named), &ReadLimits::of(engine));
        // The run's folder is removed as a whole later.
        let _ = std::fs::remove_dir_all(&here);
        let mut there: BTreeMap<String, ObjectMeta> =
            listed.into_iter().map(|object| (object.location.as_ref().to_owned(), object)).collect();
        let object = |(_, inside): (std::path::PathBuf, std::path::PathBuf)| {
            let parts = inside.iter().map(|part| part.to_string_lossy());
            let key = parts.fold(self.folder.as_ref().to_owned(), |key, part| format!("{key}/{part}"));
            let gone = || EngineError::Lakehouse { path: named.into(), fault: LakehouseFault::Damaged };
            there.remove(key.trim_start_matches('/')).ok_or_else(gone)
        };
        read?.into_iter().map(object).collect()
    }
}

/// Writes files of a log into the log of a private folder.
fn fetch(engine: &Engine, bucket: &Bucket, named: &str, log: &Path, steps: &LogSteps) -> Result<std::path::PathBuf> {
    let mut here = engine.private_file("delta", LOG)?;
    std::fs::create_dir(&here).map_err(|error| EngineError::temp(&here, error))?;
    for name in steps.names() {
        engine.check_cancelled()?;
        let to = here.join(name);
        let fetched = engine.block_on(async { bucket.store.get(&log.clone().join(name)).await?.bytes().await });
        let bytes = fetched.map_err(|error| StoreFault::of(named, &error))?;
        std::fs::write(&to, bytes).map_err(|error| EngineError::temp(&to, error))?;
    }
    here.pop();
    Ok(here)
}
