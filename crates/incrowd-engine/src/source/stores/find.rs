//! Which objects are meant by a name: one, those of a folder, or those that a pattern fits.

#[cfg(feature = "cluster")]
use std::path::PathBuf;

use futures::TryStreamExt;
use object_store::{Error, ListResult, ObjectMeta, ObjectStoreExt};
use tokio::runtime::Handle;

use super::delta_table::DeltaFolder;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::store_fault::StoreFault;
use crate::source::delta::{LOG, named_version};
use crate::source::files::{TableFile, by_name};
use crate::source::stores::{Bucket, RemoteFile, open, path_of};

/// Finds the objects, sorted.
pub(crate) fn find(engine: &crate::runtime::engine::Engine, named: &str) -> Result<Vec<TableFile>> {
    let (bucket, path) = open(named)?;
    let handle = engine.handle();
    let mut found = match engine.block_on(objects(&bucket, named, &path))? {
        FoundObjects::Plain(objects) => objects,
        FoundObjects::Delta(table) => table.objects(engine, &bucket, named)?,
    };
    found.sort_by(|a, b| a.location.cmp(&b.location));
    if found.is_empty() {
        return Err(EngineError::NothingToRead(named.into()));
    }
    Ok(found.into_iter().map(|object| table_file(&bucket, object, &handle)).collect())
}

/// What a name means in a bucket.
enum FoundObjects {
    Plain(Vec<ObjectMeta>),
    Delta(DeltaFolder),
}

async fn objects(bucket: &Bucket, named: &str, path: &str) -> Result<FoundObjects> {
    let failed = |error: &Error| StoreFault::of(named, error);
    let is_pattern = path.contains(['*', '?', '[']);
    if !path.is_empty() && !path.ends_with('/') {
        match bucket.store.head(&path_of(named, path)?).await {
            Ok(object) => return Ok(FoundObjects::Plain(vec![object])),
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    if !is_pattern {
        let folder = path_of(named, path)?;
        let listed = bucket.store.list_with_delimiter(Some(&folder)).await.map_err(|error| failed(&error))?;
        let has_log = |listed: &ListResult| listed.common_prefixes.iter().any(|inside| inside.filename() == Some(LOG));
        if has_log(&listed) {
            return Ok(FoundObjects::Delta(DeltaFolder { folder, version: None }));
        }
        if let Some((folder, version)) = named_version(path).filter(|_| listed.objects.is_empty()) {
            let folder = path_of(named, folder)?;
            if has_log(&bucket.store.list_with_delimiter(Some(&folder)).await.map_err(|error| failed(&error))?) {
                return Ok(FoundObjects::Delta(DeltaFolder { folder, version: Some(version) }));
            }
        }
        let is_table = |object: &ObjectMeta| {
            let name = object.location.filename().unwrap_or_default();
            !name.starts_with(['.', '_']) && by_name(name.as_ref()).is_some()
        };
        return Ok(FoundObjects::Plain(listed.objects.into_iter().filter(is_table).collect()));
    }
    let pattern = glob::Pattern::new(path).map_err(|_| EngineError::NothingToRead(named.into()))?;
    let plain = path.find(['*', '?', '[']).and_then(|at| path[..at].rfind('/')).map_or("", |at| &path[..at]);
    let folder = path_of(named, plain)?;
    let options = glob::MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..glob::MatchOptions::new()
    };
    let listed: Vec<ObjectMeta> =
        bucket.store.list(Some(&folder)).try_collect().await.map_err(|error| failed(&error))?;
    let fits = |object: &ObjectMeta| pattern.matches_with(object.location.as_ref(), options);
    Ok(FoundObjects::Plain(listed.into_iter().filter(fits).collect()))
}

/// A file whose size and version are known, for an executor: it is not looked for again.
#[cfg(feature = "cluster")]
pub(crate) fn known_file(address: PathBuf, size: u64, version: Option<String>) -> Result<TableFile> {
    let named = address.to_string_lossy().into_owned();
    let (bucket, path) = super::open_once(&named)?;
    let (location, runtime) = (path_of(&named, &path)?, super::runtime()?);
    let mut url = bucket.url.clone();
    url.set_path(location.as_ref());
    Ok(TableFile::remote(address, url, RemoteFile { store: bucket.store, location, size, version, runtime }))
}

fn table_file(bucket: &Bucket, object: ObjectMeta, runtime: &Handle) -> TableFile {
    let mut url = bucket.url.clone();
    url.set_path(object.location.as_ref());
    let path = format!("{}/{}", bucket.url.as_str().trim_end_matches('/'), object.location);
    let (store, runtime) = (bucket.store.clone(), runtime.clone());
    let remote = RemoteFile { store, location: object.location, size: object.size, version: object.e_tag, runtime };
    TableFile::remote(path.into(), url, remote)
}
