//! A file on its way into an object store, in parts.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, WriteMultipart};

use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::StoreRemedy;
use crate::runtime::steady_file::SteadyFile;
use crate::runtime::store_fault::StoreFault;

/// The size of the parts of an upload, and how many are under way at once.
const PART: usize = 8 << 20;
const AT_ONCE: usize = 4;

/// Uploads a file. The object appears when all of it has arrived; `check` says before each part whether to go on.
pub(crate) async fn put_file(
    store: &Arc<dyn ObjectStore>,
    at: &Path,
    (named, file): (&str, File),
    check: impl Fn() -> Result<()>,
) -> Result<()> {
    let io = |error: std::io::Error| EngineError::io(named, error);
    let failed = |error: Error| StoreFault::of(named, &error);
    let size = file.metadata().map_err(io)?.len();
    let mut file = SteadyFile(file);
    let mut piece = vec![0; PART.min(usize::try_from(size).unwrap_or(PART).max(1))];
    if size <= PART as u64 {
        let read = filled(&mut file, &mut piece).map_err(io)?;
        piece.truncate(read);
        store.put(at, piece.into()).await.map_err(failed)?;
    } else {
        let upload = store.put_multipart(at).await.map_err(failed)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
        loop {
            let read = file.read(&mut piece).map_err(io)?;
            if read == 0 {
                break;
            }
            if let Err(error) = check() {
                // Nothing can be done about a failure while giving up; parts that stay are no object.
                let _ = upload.abort().await;
                return Err(error);
            }
            upload.wait_for_capacity(AT_ONCE).await.map_err(failed)?;
            upload.write(&piece[..read]);
        }
        upload.finish().await.map_err(failed)?;
    }
    let there = store.head(at).await.map_err(failed)?;
    if there.size == size {
        return Ok(());
    }
    Err(StoreFault::refusal(named, "a file was transferred incompletely", StoreRemedy::RunAgain))
}

/// Reads until the buffer is full or the file ends.
fn filled(file: &mut impl Read, into: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < into.len() {
        match file.read(&mut into[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}
