//! The objects of an upload: brought, copied and deleted.
//!
//! The library repeats requests that read or write one object, but neither those that delete nor those that begin an upload in
//! parts. After the old release is deleted, a lost answer must not be the end of the new one, so they are repeated here.

use std::fs::File;
use std::path::Path as FilePath;
use std::time::Duration;

use object_store::{Error, ObjectStoreExt};

use crate::publish::object_writer::put_file;
use crate::publish::upload::{CLAIM, DELTA_LOG, MANIFEST, Upload};
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::StoreRemedy;

/// How often is tried what may fail by a lost answer, and the pause in between.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(500);

impl Upload {
    /// Deletes what was brought and what is left of the release that was to be replaced, and the claim if all of it is gone:
    /// otherwise it shows the next run what was left.
    pub(super) async fn clear(&self, files: &[String]) {
        let old = self.found.iter().map(|object| object.name.as_str()).filter(|name| *name != CLAIM);
        for name in files.iter().rev().map(String::as_str).chain(old).chain([CLAIM]) {
            if self.delete(name).await.is_err() {
                return;
            }
        }
    }

    /// Deletes what is left of the release that is replaced, and brings the files.
    pub(super) async fn bring(&self, engine: &Engine, folder: &FilePath, files: &[String]) -> Result<()> {
        let old = self.found.iter().filter(|object| object.name != CLAIM);
        let (log, others): (Vec<_>, Vec<_>) = old.partition(|object| object.name == DELTA_LOG);
        for object in log.into_iter().chain(others) {
            self.delete(&object.name).await?;
        }
        for name in files {
            engine.check_cancelled()?;
            if !self.copied(name, &folder.join(name)).await {
                self.upload(engine, name, &folder.join(name)).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn put_manifest(&self, manifest: &str) -> Result<()> {
        let written = self.bucket.store.put(&self.place(MANIFEST), manifest.as_bytes().to_vec().into()).await;
        written.map(drop).map_err(|error| self.failed(&error))
    }

    /// Deletes an object, if it is there. Asked twice, a store does what it did once.
    pub(super) async fn delete(&self, name: &str) -> Result<()> {
        let mut attempts = ATTEMPTS;
        loop {
            attempts -= 1;
            match self.bucket.store.delete(&self.place(name)).await {
                Ok(()) | Err(Error::NotFound { .. }) => return Ok(()),
                Err(Error::Generic { .. }) if attempts > 0 => tokio::time::sleep(PAUSE).await,
                Err(error) => return Err(self.failed(&error)),
            }
        }
    }

    /// Whether the store copied a file that it has. It need not be able to: a file can be too large to be copied at once.
    async fn copied(&self, name: &str, path: &FilePath) -> bool {
        let Some(from) = self.written.get(name) else { return false };
        let at = self.place(name);
        let copied = self.bucket.store.copy(from, &at).await.is_ok();
        let size = std::fs::metadata(path).map(|file| file.len()).ok();
        copied && self.bucket.store.head(&at).await.is_ok_and(|there| Some(there.size) == size)
    }

    async fn upload(&self, engine: &Engine, name: &str, path: &FilePath) -> Result<()> {
        let mut attempts = ATTEMPTS;
        loop {
            attempts -= 1;
            let file = File::open(path).map_err(|error| EngineError::io(path, error))?;
            let cancelled = || engine.check_cancelled();
            match put_file(&self.bucket.store, &self.place(name), (&self.named, file), cancelled).await {
                Err(EngineError::Store(fault)) if fault.remedy == StoreRemedy::CheckConnection && attempts > 0 => {
                    tokio::time::sleep(PAUSE).await;
                }
                done => return done,
            }
        }
    }
}
