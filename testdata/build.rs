//! Unpacks the compressed files into the build folder, beside copies of the others, so that tests read plain files.

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let (here, out) = (std::env::var("CARGO_MANIFEST_DIR")?, std::env::var("OUT_DIR")?);
    let (here, out) = (Path::new(&here), Path::new(&out).join("testdata"));
    for folder in ["arx", "figures", "golden", "hierarchies", "schemas"] {
        unpack(&here.join(folder), &out.join(folder))?;
    }
    unpack_files(here, &out)?;
    println!("cargo::rustc-env=INCROWD_TESTDATA={}", out.display());
    Ok(())
}

/// A folder with its folders.
fn unpack(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        if path.is_dir() {
            unpack(&path, &to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    unpack_files(from, to)
}

/// The files of one folder: tables, hierarchies and JSON.
fn unpack_files(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", from.display());
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("zst") => {
                let mut plain = ruzstd::decoding::StreamingDecoder::new(File::open(&path)?)?;
                io::copy(&mut plain, &mut File::create(to.join(name).with_extension(""))?)?;
            }
            Some("csv" | "json") => {
                fs::copy(&path, to.join(name))?;
            }
            _ => {}
        }
    }
    Ok(())
}
