//! An engine that is renewed before its temporary files become many, and the files it reads.

use std::cell::RefCell;
use std::path::PathBuf;

use incrowd::{Engine, Settings};
use tempfile::TempDir;

use super::scratch::folder;

/// An engine is used for this many tables.
const USES: u32 = 64;

thread_local! {
    static FOLDER: TempDir = folder();
    static ENGINE: RefCell<Option<(Engine, TempDir, u32)>> = const { RefCell::new(None) };
}

/// Writes a file into a folder that stays, and gives its path.
pub(super) fn file(name: &str, bytes: &[u8]) -> PathBuf {
    FOLDER.with(|folder| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    })
}

/// Does something with an engine of one thread and 512 MiB.
pub(super) fn with_engine<T>(work: impl FnOnce(&Engine) -> T) -> T {
    ENGINE.with_borrow_mut(|kept| {
        if kept.as_ref().is_none_or(|(.., uses)| *uses >= USES) {
            // The old engine first: its folder goes with it.
            drop(kept.take());
            let temp = folder();
            let settings = Settings { memory: Some(512 << 20), threads: Some(1), temp: Some(temp.path().into()) };
            *kept = Some((Engine::new(&settings).unwrap(), temp, 0));
        }
        let (engine, _, uses) = kept.as_mut().unwrap();
        *uses += 1;
        work(engine)
    })
}

/// The first line of a text with anything in it; everything when it has a quote, because then it may go on. Without the zeros
/// of two-byte encodings.
pub(super) fn first_line(bytes: &[u8]) -> Vec<u8> {
    let text: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
    let begin = text.iter().position(|byte| !b"\r\n".contains(byte)).unwrap_or(text.len());
    let end = text[begin..].iter().position(|byte| b"\r\n".contains(byte)).map_or(text.len(), |end| begin + end);
    if text[..end].contains(&b'"') { text } else { text[..end].to_vec() }
}
