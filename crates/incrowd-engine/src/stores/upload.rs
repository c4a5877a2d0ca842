//! A release in an object store: data first, the manifest last. Without a manifest it is no release.
//!
//! A store has no renaming and no transactions, so what makes a release whole is one object: the manifest, which the
//! store makes visible at once. When a release is written over, its manifest goes first.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path as FilePath;

use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStoreExt, WriteMultipart};

use crate::engine::Engine;
use crate::error::{EngineError, Result};
use crate::stores::{Bucket, StoreFault, open, path_of};

const MANIFEST: &str = "manifest.json";
/// What data files of a release are called, before the dot, and the page about it.
const FILES: [&str; 4] = ["data", "quasi_identifiers", "sensitive", "report"];
/// The size of the parts of an upload, and how many are under way at once.
const PART: usize = 8 << 20;
const AT_ONCE: usize = 4;

/// A release on its way into an object store.
#[derive(Debug)]
pub struct Upload {
    named: String,
    bucket: Bucket,
    folder: Path,
}

impl Upload {
    /// Refuses, before any work is done, a folder that holds a release, or something else.
    pub fn begin(engine: &Engine, named: &str, force: bool) -> Result<Upload> {
        let (bucket, path) = open(named)?;
        let folder = path_of(named, &path)?;
        if folder.as_ref().is_empty() {
            let hint = "name a folder in it: s3://bucket/release";
            return Err(StoreFault::refusal(named, "a release does not take a whole bucket", hint));
        }
        let upload = Upload { named: named.into(), bucket, folder };
        let there = engine.block_on(upload.there())?;
        let names: Vec<&str> = there.iter().filter_map(|object| upload.name(object)).collect();
        if names.contains(&MANIFEST) && !force {
            return Err(StoreFault::refusal(
                named,
                "there is a release already",
                "say --force to write over it, or choose another name",
            ));
        }
        // What an upload left that was cut is ours to sweep; anything else is not.
        let ours = |name: &&str| *name == MANIFEST || name.split('.').next().is_some_and(|stem| FILES.contains(&stem));
        if names.len() < there.len() || !names.iter().all(ours) {
            return Err(StoreFault::refusal(
                named,
                "the folder holds something that is no release",
                "name an empty folder",
            ));
        }
        Ok(upload)
    }

    async fn there(&self) -> Result<Vec<ObjectMeta>> {
        self.bucket.store.list(Some(&self.folder)).try_collect().await.map_err(|error| self.failed(&error))
    }

    /// The name of an object that stands directly in the folder.
    fn name<'a>(&self, object: &'a ObjectMeta) -> Option<&'a str> {
        let inside = object.location.as_ref().strip_prefix(self.folder.as_ref())?.strip_prefix('/')?;
        (!inside.contains('/')).then_some(inside)
    }

    fn failed(&self, error: &Error) -> EngineError {
        StoreFault::of(&self.named, error)
    }

    /// Brings the files and then the manifest from a folder.
    pub fn publish(&self, engine: &Engine, folder: &FilePath, files: &[String], manifest: &str) -> Result<()> {
        engine.block_on(async {
            // The manifest first: from here on there is no release, until there is the new one.
            self.delete(MANIFEST).await?;
            for object in self.there().await? {
                self.bucket.store.delete(&object.location).await.map_err(|error| self.failed(&error))?;
            }
            for name in files {
                engine.check_cancelled()?;
                self.upload(engine, name, &folder.join(name)).await?;
            }
            let at = self.folder.clone().join(MANIFEST);
            let written = self.bucket.store.put(&at, manifest.as_bytes().to_vec().into()).await;
            written.map(drop).map_err(|error| self.failed(&error))
        })
    }

    async fn delete(&self, name: &str) -> Result<()> {
        match self.bucket.store.delete(&self.folder.clone().join(name)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed(&error)),
        }
    }

    async fn upload(&self, engine: &Engine, name: &str, path: &FilePath) -> Result<()> {
        let io = |error: std::io::Error| EngineError::io(path, &error);
        let mut file = File::open(path).map_err(io)?;
        let size = file.metadata().map_err(io)?.len();
        let at = self.folder.clone().join(name);
        let upload = self.bucket.store.put_multipart(&at).await.map_err(|error| self.failed(&error))?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
        let mut piece = vec![0; PART];
        loop {
            let read = file.read(&mut piece).map_err(io)?;
            if read == 0 {
                break;
            }
            if let Err(error) = engine.check_cancelled() {
                // Nothing can be done about a failure while giving up; parts that stay are no object.
                let _ = upload.abort().await;
                return Err(error);
            }
            upload.wait_for_capacity(AT_ONCE).await.map_err(|error| self.failed(&error))?;
            upload.write(&piece[..read]);
        }
        upload.finish().await.map_err(|error| self.failed(&error))?;
        let there = self.bucket.store.head(&at).await.map_err(|error| self.failed(&error))?;
        if there.size == size {
            return Ok(());
        }
        Err(StoreFault::refusal(
            &self.named,
            "a file did not arrive whole",
            "run again; there is no manifest, so no release",
        ))
    }
}

/// Writes the objects of a release into a folder. What stands deeper in it is made a folder there, so that a verifier sees it.
pub fn fetch_release(engine: &Engine, named: &str, folder: &FilePath) -> Result<()> {
    let (bucket, path) = open(named)?;
    let release = Upload { named: named.into(), bucket, folder: path_of(named, &path)? };
    engine.block_on(async {
        let there = release.there().await?;
        if there.is_empty() {
            return Err(StoreFault::refusal(named, "there is no such release", "check the name and the bucket"));
        }
        for object in there {
            engine.check_cancelled()?;
            let inside = object.location.as_ref().strip_prefix(release.folder.as_ref()).unwrap_or_default();
            let Some(name) = inside.trim_start_matches('/').split('/').next().filter(|name| !name.is_empty()) else {
                continue;
            };
            let to = folder.join(name);
            if release.name(&object).is_none() {
                std::fs::create_dir_all(&to).map_err(|error| EngineError::io(to, &error))?;
                continue;
            }
            let failed = |error: Error| release.failed(&error);
            let mut pieces = release.bucket.store.get(&object.location).await.map_err(failed)?.into_stream();
            let mut file = File::create_new(&to).map_err(|error| EngineError::io(&to, &error))?;
            while let Some(piece) = pieces.try_next().await.map_err(failed)? {
                file.write_all(&piece).map_err(|error| EngineError::io(&to, &error))?;
            }
        }
        Ok(())
    })
}
