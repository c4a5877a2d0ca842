//! Releases as the verifier reads them: every format of data files, and manifests.

use std::path::Path;

use incrowd_verify::{
    Against, Canaries, ColumnEntry, Counts, DELTA_LOG, DeltaEntry, FaultKind, FileEntry, Format, Manifest, Options,
    Policy, Role, Technique, Verified, canary, files_are_whole, sql, verify_staged,
};
use sha2::{Digest, Sha256};

use super::scratch::{assert_silent, folder};

/// Memory that a verification may take.
pub(super) const MEMORY: u64 = 256 << 20;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn two_anonymous() -> Policy {
    let rule = serde_json::json!({ "models": [{ "model": "k-anonymity", "parameters": { "k": 2 } }] });
    serde_json::from_value(rule).unwrap()
}

/// A manifest that is right about the bytes of one file, whose columns are published unchanged.
pub(super) fn manifest_of(name: &str, format: Format, bytes: &[u8]) -> Manifest {
    let column = |(name, role): (&str, Role)| ColumnEntry {
        name: name.into(),
        role,
        technique: Technique::Retained,
        treatment: None,
        labels: None,
        value_type: None,
    };
    let columns = [("age", Role::QuasiIdentifier), ("sex", Role::QuasiIdentifier), ("diagnosis", Role::Sensitive)];
    let entry = FileEntry {
        dialect: None,
        name: name.into(),
        format,
        rows: 4,
        bytes: bytes.len() as u64,
        sha256: hex(&Sha256::digest(bytes)),
        escaped: matches!(format, Format::Csv),
    };
    Manifest {
        incrowd: 1,
        version: "0.1.0".into(),
        release: "9f0c4be2a1d94c5e8f7a6b5c4d3e2f10".into(),
        created: "2026-11-15T05:00:00Z".into(),
        algorithm: "none".into(),
        loss_minimized: "none".into(),
        policy: two_anonymous(),
        counts: Counts::Rows,
        source_rows: 4.into(),
        rows: 4,
        suppressed_rows: 0.into(),
        classes: 2,
        smallest_class: 2,
        columns: columns.map(column).into(),
        files: vec![entry],
        two_tables: None,
        population: None,
        delta: None,
        report: None,
        loss: serde_json::json!({ "lm": 0.1 }),
        canaries: Canaries::default(),
        verified: Verified { by: "by hand".into(), holds: true },
        seal: String::new(),
    }
}

/// The original that is the file itself.
fn itself(path: &Path, format: Format) -> Against {
    Against { format, ..Against::csv(path) }
}

/// Verifies the file, also against itself, and searches it for a removed value.
fn read(name: &str, format: Format, bytes: &[u8]) -> bool {
    let folder = folder();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let manifest = manifest_of(name, format, bytes);
    if let Err(error) = canary::scan(folder.path(), &manifest.files, &[b"removed value".to_vec()]) {
        assert_silent(&error.to_string(), b"");
    }
    let options = Options { against: Some(itself(&path, format)), memory: Some(MEMORY), ..Options::default() };
    match verify_staged(folder.path(), &manifest, &options) {
        Ok(verdict) => {
            verdict.faults.iter().for_each(|fault| assert_silent(&fault.message, b""));
            // An apostrophe before a formula is no part of the value in a released CSV file, and is one in an original.
            let is_plain = matches!(format, Format::Parquet | Format::Arrow);
            let is_untrue = verdict.faults.iter().any(|fault| fault.kind == FaultKind::Untruthful);
            assert!(!(is_plain && is_untrue), "a file differs from itself");
            verdict.faults.is_empty()
        }
        Err(error) => {
            assert_silent(&error.to_string(), b"");
            false
        }
    }
}

pub(super) fn csv(data: &[u8]) -> bool {
    read("data.csv", Format::Csv, data)
}

pub(super) fn parquet(data: &[u8]) -> bool {
    read("data.parquet", Format::Parquet, data)
}

pub(super) fn arrow(data: &[u8]) -> bool {
    read("data.arrow", Format::Arrow, data)
}

pub(super) fn workbook(data: &[u8]) -> bool {
    read("data.xlsx", Format::Xlsx, data)
}

pub(super) fn stata(data: &[u8]) -> bool {
    read("data.dta", Format::Dta, data)
}

pub(super) fn spss(data: &[u8]) -> bool {
    read("data.sav", Format::Sav, data)
}

/// The log of a Delta table whose only file is listed with any bytes: the log is compared, and no row is read.
pub(super) fn delta(data: &[u8]) -> bool {
    let folder = folder();
    std::fs::create_dir(folder.path().join("_delta_log")).unwrap();
    std::fs::write(folder.path().join(DELTA_LOG), data).unwrap();
    std::fs::write(folder.path().join("data.parquet"), b"").unwrap();
    let mut manifest = manifest_of("data.parquet", Format::Parquet, b"");
    manifest.delta = Some(DeltaEntry { bytes: data.len() as u64, sha256: hex(&Sha256::digest(data)) });
    match files_are_whole(folder.path(), &manifest, None) {
        Ok(faults) => {
            faults.iter().for_each(|fault| assert_silent(&fault.message, b""));
            faults.is_empty()
        }
        Err(error) => {
            assert_silent(&error.to_string(), b"");
            false
        }
    }
}

const ROWS: &str = "age,sex,diagnosis\n34,f,flu\n34,f,cold\n71,m,flu\n71,m,cold\n";

/// A manifest is parsed with its seal and without, sealed again, and judged with a fixed file of data.
pub(super) fn manifest(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    if let Err(error) = Manifest::from_sealed_json(text) {
        assert_silent(&error.to_string(), b"");
    }
    let Ok(mut manifest) = serde_json::from_str::<Manifest>(text) else { return false };
    if manifest.incrowd == 1 {
        let sealed = manifest.to_sealed_json();
        assert!(Manifest::from_sealed_json(&sealed).is_ok(), "a manifest that was sealed here is not accepted");
    }
    let _ = sql(&manifest);
    let (folder, elsewhere) = (folder(), folder());
    let name = "data.csv";
    std::fs::write(folder.path().join(name), ROWS).unwrap();
    if let Some(first) = manifest.files.first_mut().filter(|file| file.name == name) {
        (first.bytes, first.sha256) = (ROWS.len() as u64, hex(&Sha256::digest(ROWS)));
    }
    let original = elsewhere.path().join("original.csv");
    let against = data.len().is_multiple_of(2).then(|| itself(&original, Format::Csv));
    std::fs::write(&original, ROWS).unwrap();
    let options = Options { against, memory: Some(MEMORY), ..Options::default() };
    verify_staged(folder.path(), &manifest, &options).is_ok_and(|verdict| verdict.faults.is_empty())
}
