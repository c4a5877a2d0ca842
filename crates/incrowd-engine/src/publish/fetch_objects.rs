//! A release that is in an object store, as a folder that a verifier reads.

use std::fs::File;
use std::io::Write;
use std::path::Path as FilePath;

use futures::TryStreamExt;
use object_store::{Error, ObjectStoreExt};

use crate::publish::upload::{CLAIM, Upload};
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::StoreRemedy;
use crate::runtime::store_fault::StoreFault;
use crate::source::stores::{open, path_of};

/// Writes the objects of a release into a folder. What stands deeper in it is made a folder there, so that a verifier
/// sees it.
pub fn fetch_release(engine: &Engine, named: &str, folder: &FilePath) -> Result<()> {
    let (bucket, path) = open(named)?;
    let release = Upload::to(named, bucket, path_of(named, &path)?);
    engine.block_on(async {
        let there = release.there().await?;
        if there.is_empty() {
            return Err(StoreFault::refusal(named, "the release does not exist", StoreRemedy::CheckName));
        }
        for object in there {
            engine.check_cancelled()?;
            let inside = object.location.as_ref().strip_prefix(release.folder.as_ref()).unwrap_or_default();
            let Some(name) = inside.trim_start_matches('/').split('/').next().filter(|name| !name.is_empty()) else {
                continue;
            };
            if inside.trim_start_matches('/') == CLAIM {
                continue;
            }
            let mut to = folder.join(name);
            let known = release.name(&object);
            if known.is_none_or(|known| known != name) {
                std::fs::create_dir_all(&to).map_err(|error| EngineError::io(&to, error))?;
            }
            let Some(known) = known else { continue };
            to = folder.join(known);
            let failed = |error: Error| release.failed(&error);
            let mut pieces = release.bucket.store.get(&object.location).await.map_err(failed)?.into_stream();
            let mut file = File::create_new(&to).map_err(|error| EngineError::io(&to, error))?;
            while let Some(piece) = pieces.try_next().await.map_err(failed)? {
                file.write_all(&piece).map_err(|error| EngineError::io(&to, error))?;
            }
        }
        Ok(())
    })
}
