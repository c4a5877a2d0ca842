//! A release in an object store: data first, the manifest last. Without a manifest it is no release.
//!
//! A store has no renaming and no transactions, so what makes a release whole is one object: the manifest, which the
//! store makes visible at once. When a release is written over, its manifest goes first.
//!
//! While an upload lasts, the folder holds a claim: an object that only one run can create, and that lists what the run
//! uploads and replaces. It keeps a second run out, and shows after a crash which objects are remains of an upload. Nothing is
//! deleted but what the manifest of the release or the claim lists; and nothing if the folder has changed since that
//! was found out. The log of a Delta table comes last but for the manifest, and goes first after it: readers of such tables
//! look at the log alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path as FilePath;

use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStoreExt, PutMode};
use sha2::{Digest, Sha256};

use crate::publish::publish_outcome::PublishOutcome;
use crate::publish::written_objects::WrittenObjects;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::StoreRemedy;
use crate::runtime::store_fault::StoreFault;
use crate::source::stores::{Bucket, open, path_of};

pub(super) const MANIFEST: &str = "manifest.json";
/// The claim of an upload that is under way, or was cut. Begins like what is never treated as a table.
pub(super) const CLAIM: &str = "_incrowd_upload";
/// The log of a release that is a Delta table, the only object that is not directly in the folder.
pub(super) const DELTA_LOG: &str = "_delta_log/00000000000000000000.json";
/// What became of the release that was to be replaced, when the upload fails.
const IS_DELETED: &str = "the release that was to be replaced is deleted";
const MAY_BE_DELETED: &str = "the release that was to be replaced may be deleted";

/// A release on its way into an object store.
#[derive(Debug)]
pub struct Upload {
    pub(super) named: String,
    pub(super) bucket: Bucket,
    pub(super) folder: Path,
    /// The objects that stood in the folder when the run began, all directly in it, and those that a claim lists.
    pub(super) found: Vec<FoundObject>,
    claimed: Vec<String>,
    /// The text of the manifest among them.
    manifest: Option<String>,
    /// Files that are in the store already, and where: the store copies them.
    pub(super) written: BTreeMap<String, Path>,
}

/// An object of the folder, as it was listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundObject {
    pub(super) name: String,
    size: u64,
    version: Option<String>,
}

impl Upload {
    /// Refuses, before any work is done, a folder that holds a release, an upload that was cut, or something else.
    pub fn begin(engine: &Engine, named: &str, force: bool) -> Result<Upload> {
        let (bucket, path) = open(named)?;
        let folder = path_of(named, &path)?;
        if folder.as_ref().is_empty() {
            let fact = "a release needs a folder in the bucket";
            return Err(StoreFault::refusal(named, fact, StoreRemedy::NameFolder));
        }
        let mut upload = Upload::to(named, bucket, folder);
        engine.block_on(async {
            upload.found = upload.listed().await?;
            let has = |name: &str| upload.found.iter().any(|object| object.name == name);
            if has(MANIFEST) && !force {
                return Err(StoreFault::refusal(named, "a release already exists there", StoreRemedy::ForceOrRename));
            }
            if has(CLAIM) {
                if !force {
                    return Err(upload.taken());
                }
                upload.claimed = upload.text(CLAIM).await?.lines().map(String::from).collect();
            }
            if has(MANIFEST) {
                upload.manifest = Some(upload.text(MANIFEST).await?);
            } else if !upload.found.iter().all(|object| object.name == CLAIM || upload.claimed.contains(&object.name)) {
                return Err(upload.foreign());
            }
            Ok(upload)
        })
    }

    pub(super) fn to(named: &str, bucket: Bucket, folder: Path) -> Upload {
        let (found, claimed, manifest, written) = Default::default();
        Upload { named: named.into(), bucket, folder, found, claimed, manifest, written }
    }

    /// Says that files are in the store already, where executors wrote them.
    pub fn copy_from(&mut self, objects: &WrittenObjects, names: impl Iterator<Item = String>) {
        let bucket = format!("{}/", self.bucket.url.as_str().trim_end_matches('/'));
        let place = |address: String| Path::parse(address.strip_prefix(&bucket)?).ok();
        self.written = names.zip(objects.addresses()).filter_map(|(name, at)| Some((name, place(at)?))).collect();
    }

    /// The manifest of the release that would be replaced.
    pub fn manifest(&self) -> Option<&str> {
        self.manifest.as_deref()
    }

    /// The objects that would be deleted next to that manifest, with their sizes; not those of an upload that was cut.
    pub fn replaced(&self) -> impl Iterator<Item = (&str, u64)> {
        let left = |name: &str| name == MANIFEST || name == CLAIM || self.claimed.iter().any(|claimed| claimed == name);
        let others = self.found.iter().filter(move |object| !left(&object.name));
        others.map(|object| (object.name.as_str(), object.size))
    }

    fn taken(&self) -> EngineError {
        let fact = "another run is uploading to this folder, or was interrupted";
        StoreFault::refusal(&self.named, fact, StoreRemedy::RenameOrForce)
    }

    fn foreign(&self) -> EngineError {
        let fact = "the folder contains something other than a release";
        StoreFault::refusal(&self.named, fact, StoreRemedy::NameEmptyFolder)
    }

    /// The objects of the folder by name; refused when some stand deeper.
    async fn listed(&self) -> Result<Vec<FoundObject>> {
        let mut found = Vec::new();
        for object in self.there().await? {
            let name = self.name(&object).ok_or_else(|| self.foreign())?.to_string();
            found.push(FoundObject { name, size: object.size, version: object.e_tag });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The text of an object.
    async fn text(&self, name: &str) -> Result<String> {
        let got = self.bucket.store.get(&self.place(name)).await.map_err(|error| self.failed(&error))?;
        let bytes = got.bytes().await.map_err(|error| self.failed(&error))?;
        String::from_utf8(bytes.into()).map_err(|_| self.foreign())
    }

    pub(super) async fn there(&self) -> Result<Vec<ObjectMeta>> {
        self.bucket.store.list(Some(&self.folder)).try_collect().await.map_err(|error| self.failed(&error))
    }

    /// The name of an object that is directly in the folder, or of the log of a Delta table.
    pub(super) fn name<'a>(&self, object: &'a ObjectMeta) -> Option<&'a str> {
        let inside = object.location.as_ref().strip_prefix(self.folder.as_ref())?.strip_prefix('/')?;
        (!inside.contains('/') || inside == DELTA_LOG).then_some(inside)
    }

    pub(super) fn failed(&self, error: &Error) -> EngineError {
        StoreFault::of(&self.named, error)
    }

    /// Where an object of this name is.
    pub(super) fn place(&self, name: &str) -> Path {
        name.split('/').fold(self.folder.clone(), Path::join)
    }

    /// Brings the files and then the manifest from a folder.
    pub fn publish(
        &self,
        engine: &Engine,
        folder: &FilePath,
        files: &[String],
        manifest: &str,
    ) -> Result<PublishOutcome> {
        engine.block_on(async {
            self.claim(files, manifest).await?;
            // The old manifest first: from here on there is no release, until there is the new one.
            if let Err(error) = self.delete(MANIFEST).await {
                // It may be deleted or not. The claim stays: without it nothing would say what the other objects are.
                return Err(self.with_old_one(error, MAY_BE_DELETED));
            }
            let mut brought = self.bring(engine, folder, files).await;
            let is_manifest_sent = brought.is_ok();
            if is_manifest_sent {
                brought = self.put_manifest(manifest).await;
            }
            let Err(error) = brought else {
                // Next to a manifest the claim means nothing, and the next run takes it away.
                let _ = self.delete(CLAIM).await;
                return Ok(PublishOutcome::Published);
            };
            if is_manifest_sent && self.delete(MANIFEST).await.is_err() {
                // It may have arrived. The claim stays and shows the next run what there is.
                return Ok(PublishOutcome::Unknown);
            }
            self.clear(files).await;
            Err(self.with_old_one(error, IS_DELETED))
        })
    }

    /// Says what became of the release that was to be replaced, if there was one.
    fn with_old_one(&self, error: EngineError, end: &'static str) -> EngineError {
        match error {
            EngineError::Store(fault) if self.manifest.is_some() => {
                StoreFault::refusal(&fault.named, format!("{}; {end}", fault.fact), fault.remedy)
            }
            other => other,
        }
    }

    /// Creates the claim, unless another run has, and sees that the folder is what it was when the run began.
    async fn claim(&self, files: &[String], manifest: &str) -> Result<()> {
        // What it replaces is listed, too: once the old manifest is gone, nothing else says what these objects are.
        let old = self.found.iter().map(|object| object.name.as_str()).filter(|name| *name != CLAIM);
        let names: BTreeSet<&str> = files.iter().map(String::as_str).chain(old).chain([MANIFEST]).collect();
        // No object has such a name: it shows whose claim it is.
        let sum: String = Sha256::digest(manifest).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut text = format!("manifest SHA-256 {sum}\n");
        text.extend(names.into_iter().map(|name| format!("{name}\n")));
        let at = self.folder.clone().join(CLAIM);
        let claimed = self.found.iter().any(|object| object.name == CLAIM);
        let mode = if claimed { PutMode::Overwrite } else { PutMode::Create };
        let created = self.bucket.store.put_opts(&at, text.clone().into_bytes().into(), mode.into()).await;
        if let Err(error) = created {
            // It may have been created, and only the answer was lost.
            let is_ours = self.text(CLAIM).await.is_ok_and(|there| there == text);
            match error {
                _ if is_ours => {}
                Error::AlreadyExists { .. } | Error::Precondition { .. } => return Err(self.taken()),
                error => return Err(self.failed(&error)),
            }
        }
        let others =
            |found: &[FoundObject]| found.iter().filter(|object| object.name != CLAIM).cloned().collect::<Vec<_>>();
        if others(&self.listed().await?) == others(&self.found) {
            return Ok(());
        }
        if !claimed {
            self.delete(CLAIM).await?;
        }
        let fact = "the folder changed during the run";
        Err(StoreFault::refusal(&self.named, fact, StoreRemedy::KeepUnchanged))
    }
}
