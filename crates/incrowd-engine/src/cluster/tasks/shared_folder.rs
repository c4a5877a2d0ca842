//! Where a job and its tasks leave files for each other: a folder on a disk that all machines see, or one of an object
//! store.
//!
//! An object appears when it was uploaded completely, so it takes its name as a renamed file does. What a task has not
//! completed is on the disk of its machine.
//!
//! A task can still work when its run has ended. On a disk it then finds no folder. A store has no folders, so a run puts a
//! marker among its objects: after each upload a task looks for the marker, and deletes its object if there is none. The run
//! deletes the marker before it lists for the last time what it has to delete. So an object that was put before the list is in
//! it, and a task whose object was put later finds no marker. This assumes that a store lists and finds objects as soon as
//! they are put or deleted.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use object_store::path::Path as ObjectPath;
use object_store::{Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::runtime::Handle;

use super::folder::TaskFolder;
use super::job::TaskCall;
use crate::publish::object_writer::put_file;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::store_fault::StoreFault;
use crate::runtime::temp::RunFolder;
use crate::source::files::ReadSeek;
use crate::source::stores::{self, RemoteFile, is_remote, wait};

/// The marker of a run that has not ended.
const MARKER: &str = "run-has-not-ended";

/// A folder that all machines see.
#[derive(Debug)]
pub enum SharedFolder {
    /// On a disk.
    Disk(PathBuf),
    /// In an object store.
    Store(StoreFolder),
}

/// A folder of an object store.
#[derive(Debug)]
pub struct StoreFolder {
    /// Its address.
    named: String,
    store: Arc<dyn ObjectStore>,
    folder: ObjectPath,
    runtime: Handle,
    /// What is not complete, on this machine.
    local: Arc<SharedFolder>,
    /// Removes it.
    _scratch: RunFolder,
}

impl SharedFolder {
    /// The folder of a task, in the executor that runs it.
    ///
    /// # Errors
    /// The store cannot be opened with what the environment of this process says.
    pub fn of(call: &TaskCall) -> Result<Arc<SharedFolder>> {
        SharedFolder::open(&call.job.folder, call.settings.temp.as_deref())
    }

    /// A folder by its path or its address; files that are not complete are put into a folder of this machine.
    pub(super) fn open(address: &Path, temp: Option<&Path>) -> Result<Arc<SharedFolder>> {
        let Some(named) = address.to_str().filter(|named| is_remote(named)) else {
            return Ok(Arc::new(SharedFolder::Disk(address.into())));
        };
        let (bucket, path) = stores::open_once(named)?;
        let scratch = RunFolder::create(temp)?;
        Ok(Arc::new(SharedFolder::Store(StoreFolder {
            named: named.trim_end_matches('/').into(),
            store: bucket.store,
            folder: stores::path_of(named, &path)?,
            runtime: stores::runtime()?,
            local: Arc::new(SharedFolder::Disk(scratch.path().into())),
            _scratch: scratch,
        })))
    }

    /// Its files.
    pub fn folder(self: &Arc<SharedFolder>) -> TaskFolder<'_> {
        TaskFolder(self)
    }

    /// Its path or its address.
    pub(super) fn address(&self) -> &Path {
        match self {
            SharedFolder::Disk(path) => path,
            SharedFolder::Store(store) => Path::new(&store.named),
        }
    }

    /// The folder of what is not complete.
    pub(super) fn local(self: &Arc<SharedFolder>) -> &Arc<SharedFolder> {
        match &**self {
            SharedFolder::Disk(_) => self,
            SharedFolder::Store(store) => &store.local,
        }
    }

    /// Begins a run: until the folder is cleared, what is put into it stays.
    pub(super) fn begin(&self) -> Result<()> {
        let SharedFolder::Store(store) = self else { return Ok(()) };
        let begun = store.ask(store.store.put(&store.at(MARKER), PutPayload::default()))?;
        begun.map(|_| ()).map_err(|error| StoreFault::of(&store.named, &error))
    }

    /// Gives a file of this machine its name, in the place of one that was there.
    ///
    /// # Errors
    /// It cannot be put there, or the run has ended; then it is not there.
    pub(super) fn put(&self, unfinished: &Path, name: &str) -> Result<()> {
        let path = self.address().join(name);
        match self {
            SharedFolder::Disk(_) => std::fs::rename(unfinished, &path).map_err(|error| EngineError::io(&path, error)),
            SharedFolder::Store(store) => {
                let at = store.at(name);
                let file = File::open(unfinished).map_err(|error| EngineError::io(&path, error))?;
                let put = store.ask(put_file(&store.store, &at, (&store.named, file), || Ok(())))?;
                // An upload that failed for the task may have been completed by the store.
                store.delete_unless_in_a_run(&at)?;
                put?;
                std::fs::remove_file(unfinished).map_err(|error| EngineError::io(&path, error))
            }
        }
    }

    /// Opens a file.
    pub(super) fn open_file(&self, name: &str) -> Result<Box<dyn ReadSeek>> {
        let path = self.address().join(name);
        match self {
            SharedFolder::Disk(_) => Ok(Box::new(File::open(&path).map_err(|error| EngineError::io(&path, error))?)),
            SharedFolder::Store(store) => Ok(Box::new(store.object(name)?.open())),
        }
    }

    /// A file from one byte to another, where both are written in its first bytes at this place; and how many bytes that is.
    pub(super) fn open_stretch(&self, name: &str, place: u64) -> Result<(Box<dyn Read>, u64)> {
        let path = self.address().join(name);
        let failed = |error| EngineError::io(&path, error);
        let mut ends = [0; 16];
        match self {
            SharedFolder::Disk(_) => {
                let mut file = File::open(&path).map_err(failed)?;
                file.seek(SeekFrom::Start(place)).and_then(|_| file.read_exact(&mut ends)).map_err(failed)?;
                let (start, length) = stretch_of(ends).ok_or_else(|| failed(std::io::ErrorKind::InvalidData.into()))?;
                file.seek(SeekFrom::Start(start)).map_err(failed)?;
                Ok((Box::new(file.take(length)), length))
            }
            SharedFolder::Store(store) => {
                let version = store.read_at(name, place, &mut ends)?;
                let (start, length) = stretch_of(ends).ok_or_else(|| failed(std::io::ErrorKind::InvalidData.into()))?;
                // No more than the stretch is asked for.
                let mut file = store.version_of(name, start + length, version).open();
                file.seek(SeekFrom::Start(start)).map_err(failed)?;
                Ok((Box::new(file.take(length)), length))
            }
        }
    }

    /// Whether there is a file of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            SharedFolder::Disk(path) => path.join(name).exists(),
            SharedFolder::Store(store) => store.object(name).is_ok(),
        }
    }

    /// Moves a file to a place on this machine; one of a store is copied.
    pub(super) fn take(&self, name: &str, to: &Path) -> Result<()> {
        let failed = |error| EngineError::io(to, error);
        match self {
            SharedFolder::Disk(path) => std::fs::rename(path.join(name), to).map_err(failed),
            SharedFolder::Store(store) => {
                let mut file = File::create_new(to).map_err(failed)?;
                let object = store.object(name)?;
                let copied = std::io::copy(&mut object.open(), &mut file).map_err(failed)?;
                file.flush().map_err(failed)?;
                if copied == object.size { Ok(()) } else { Err(failed(std::io::ErrorKind::UnexpectedEof.into())) }
            }
        }
    }

    /// Ends the runs that have their files in a folder of a store, and removes all of them. A folder on a disk is removed by
    /// the one who made it.
    pub(super) fn clear(&self) -> Result<()> {
        let SharedFolder::Store(store) = self else { return Ok(()) };
        // First with the markers; then what tasks have put meanwhile, which still found them.
        store.remove_all()?;
        store.remove_all()
    }
}

/// Where a stretch begins, and its bytes.
fn stretch_of(ends: [u8; 16]) -> Option<(u64, u64)> {
    let (ends, _) = ends.as_chunks::<8>();
    let [start, end] = [ends[0], ends[1]].map(u64::from_le_bytes);
    Some((start, end.checked_sub(start)?))
}

impl StoreFolder {
    /// The place of a file.
    fn at(&self, name: &str) -> ObjectPath {
        self.folder.clone().join(name)
    }

    /// Deletes an object if its run has ended; this is then the error.
    fn delete_unless_in_a_run(&self, put: &ObjectPath) -> Result<()> {
        match self.ask(self.store.head(&self.at(MARKER)))? {
            Ok(_) => Ok(()),
            Err(Error::NotFound { .. }) => match self.ask(self.store.delete(put))? {
                Ok(()) | Err(Error::NotFound { .. }) => Err(EngineError::Cancelled),
                Err(error) => Err(StoreFault::of(&self.named, &error)),
            },
            Err(error) => Err(StoreFault::of(&self.named, &error)),
        }
    }

    /// Removes all objects of the folder.
    fn remove_all(&self) -> Result<()> {
        let all = self.store.list(Some(&self.folder)).map_ok(|object| object.location).boxed();
        let removed = self.store.delete_stream(all).filter(|removed| {
            // What is gone already need not be removed.
            let is_there = !matches!(removed, Err(Error::NotFound { .. }));
            async move { is_there }
        });
        let removed = self.ask(removed.try_for_each(|_| async { Ok(()) }))?;
        removed.map_err(|error| StoreFault::of(&self.named, &error))
    }

    fn ask<T: Send>(&self, question: impl Future<Output = T> + Send) -> Result<T> {
        wait(&self.runtime, question)
            .ok_or_else(|| EngineError::io(self.named.as_str(), std::io::ErrorKind::ConnectionAborted.into()))
    }

    /// An object, with its size.
    fn object(&self, name: &str) -> Result<RemoteFile> {
        let at = self.at(name);
        let found = self.ask(self.store.head(&at))?;
        let found = found.map_err(|error| StoreFault::of(&format!("{}/{name}", self.named), &error))?;
        Ok(self.version_of(name, found.size, found.e_tag))
    }

    /// An object that is read up to this byte, as long as it is this version of it: a task that runs again puts another
    /// one in its place, with the same content in another order.
    fn version_of(&self, name: &str, size: u64, version: Option<String>) -> RemoteFile {
        let (store, location) = (self.store.clone(), self.at(name));
        RemoteFile { store, location, size, version, runtime: self.runtime.clone() }
    }

    /// Reads some bytes of an object, and says which version of it they are of.
    fn read_at(&self, name: &str, place: u64, into: &mut [u8]) -> Result<Option<String>> {
        let at = self.at(name);
        let range = Some(GetRange::Bounded(place..place + into.len() as u64));
        let options = GetOptions { range, ..GetOptions::default() };
        let got = self.ask(async {
            let got = self.store.get_opts(&at, options).await?;
            let version = got.meta.e_tag.clone();
            Ok((got.bytes().await?, version))
        })?;
        let shown = || format!("{}/{name}", self.named);
        let (bytes, version) = got.map_err(|error: Error| StoreFault::of(&shown(), &error))?;
        if bytes.len() != into.len() {
            return Err(EngineError::io(shown(), std::io::ErrorKind::UnexpectedEof.into()));
        }
        into.copy_from_slice(&bytes);
        Ok(version)
    }
}
