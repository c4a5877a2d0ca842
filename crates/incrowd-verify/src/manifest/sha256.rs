//! SHA-256 of texts and files, as hexadecimal digits.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// SHA-256 of some bytes.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-256 of a file and how many bytes it has, read piece by piece. `None` when `stop` says so.
pub(crate) fn sha256_of_file(path: &Path, stop: &dyn Fn() -> bool) -> io::Result<Option<(String, u64)>> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; 1 << 20];
    let (mut sum, mut bytes) = (Sha256::new(), 0);
    loop {
        if stop() {
            return Ok(None);
        }
        match file.read(&mut piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(0) => return Ok(Some((hex(&sum.finalize()), bytes))),
            Ok(read) => {
                sum.update(&piece[..read]);
                bytes += read as u64;
            }
        }
    }
}

fn hex(digest: &[u8]) -> String {
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
