//! Cases: a damaged file through every reader.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use incrowd::core::Policy;
use incrowd::{
    AnonymizeOptions, CheckOptions, Declared, Engine, Format, Manifest, ReadOptions, Settings, Source, VerifyOptions,
    anonymize, check, verify,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::change::damaged;
use super::seeds::{ROWS, Seed, seeds};

/// Panics that no reader caught.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// The share of the cases that a family of formats gets, in percent.
fn cases(share: u64) -> u64 {
    let all = std::env::var("INCROWD_MUTANTS").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500u64);
    all * share / 100
}

struct Bench {
    folder: TempDir,
    engine: Engine,
}

/// What became of the cases.
#[derive(Debug, Default)]
struct Tally {
    cases: u64,
    refused: std::collections::BTreeMap<&'static str, u64>,
    read: u64,
    released: u64,
    verified: u64,
    lost: Vec<String>,
    panicked: Vec<String>,
}

impl Bench {
    fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let temp = Some(folder.path().join("temp"));
        let settings = Settings { memory: Some(256 << 20), threads: Some(2), temp };
        Bench { engine: Engine::new(&settings).unwrap(), folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn open(&self, path: &Path) -> incrowd::Result<Source> {
        // The damage is to be found by what is read, and not by the look of the first line.
        let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
        Ok(Source::open(&self.engine, path.to_str().unwrap(), options)?)
    }

    /// A release of a table under its own columns.
    fn release(&self, source: &Source, name: &str, format: Format) -> incrowd::Result<u64> {
        let columns = source.plain_columns();
        let rest: Vec<String> = columns.iter().skip(2).cloned().collect();
        let options = AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: columns.iter().take(2).cloned().collect(),
                insensitive: rest.clone(),
                ..Declared::default()
            },
            others: incrowd::Others::Remove,
            keep_identifying: rest,
            policy: Policy::k_anonymity(2),
            algorithm: "mondrian".into(),
            bound: false,
            report: false,
            force: true,
            format,
            reading: ReadOptions { header: Some(true), ..ReadOptions::default() },
            ..AnonymizeOptions::default()
        };
        Ok(anonymize(&self.engine, source, &options, &self.path(name))?.rows)
    }

    /// Runs the cases of a family; `every` tells which of the accepted tables are also released.
    fn run(&self, family: &str, cases: u64, every: u64) -> Tally {
        let seeds = seeds(family);
        let releases: Vec<PathBuf> = seeds.iter().map(|seed| self.released(seed)).collect();
        let mut tally = Tally::default();
        for case in 0..cases {
            let at = (case % seeds.len() as u64) as usize;
            let mut draw = ChaCha8Rng::seed_from_u64(case ^ (family.len() as u64) << 40);
            let bytes = damaged(&seeds[at].bytes, seeds[at].name.ends_with(".csv"), &mut draw);
            let name = format!("{} case {case}", seeds[at].name);
            let before = PANICS.load(Ordering::Relaxed);
            let done = catch_unwind(AssertUnwindSafe(|| self.case(&seeds[at], &bytes, case % every == 0, &mut tally)));
            let held = catch_unwind(AssertUnwindSafe(|| self.held(&releases[at], &seeds[at], &bytes, &mut tally)));
            tally.cases += 1;
            if done.is_err() || held.is_err() || PANICS.load(Ordering::Relaxed) > before {
                tally.panicked.push(name.clone());
            }
            if let Ok(Some(rows)) = done {
                tally.lost.push(format!("{name}: {rows}"));
            }
        }
        tally
    }

    /// `check` and `anonymize`; another number of rows than there are.
    fn case(&self, seed: &Seed, bytes: &[u8], release: bool, tally: &mut Tally) -> Option<String> {
        let path = self.path(seed.name);
        std::fs::write(&path, bytes).unwrap();
        let source = self.open(&path).and_then(|source| {
            let found = check(&self.engine, &source, &CheckOptions { max_set_size: 1, ..CheckOptions::default() })?;
            Ok((source, found.diagnosis.rows))
        });
        let (source, rows) = match source {
            Ok(read) => read,
            Err(error) => {
                *tally.refused.entry(error.code()).or_default() += 1;
                // What is refused has a code of its own, and not that of a fault of the program.
                return (error.code() == "IC413" && error.to_string().contains("unexpectedly"))
                    .then(|| error.to_string());
            }
        };
        tally.read += 1;
        let expected = if seed.is_text() { rows_of_text(seed, bytes) } else { Some(ROWS) };
        if expected.is_some_and(|expected| expected != rows) {
            return Some(format!("{rows} rows instead of {expected:?}"));
        }
        if release {
            let format = [Format::Csv, Format::Parquet, Format::Arrow][bytes.len() % 3];
            match self.release(&source, "mutant", format) {
                Ok(released) if released != rows => return Some(format!("{released} rows released of {rows}")),
                Ok(_) => tally.released += 1,
                Err(_) => {}
            }
        }
        None
    }

    /// A release of the seed itself, in the format of the seed.
    fn released(&self, seed: &Seed) -> PathBuf {
        let path = self.path(seed.name);
        std::fs::write(&path, &seed.bytes).unwrap();
        let source = self.open(&path).unwrap();
        let name = format!("release-of-{}", seed.name);
        self.release(&source, &name, source.format()).unwrap();
        self.path(&name)
    }

    /// `verify` of a sound release against a damaged original, and of a release whose data was replaced by it.
    fn held(&self, release: &Path, seed: &Seed, bytes: &[u8], tally: &mut Tally) {
        let path = self.path(seed.name);
        std::fs::write(&path, bytes).unwrap();
        let against = Some(path);
        let memory = Some(256 << 20);
        let held = verify(release, &VerifyOptions { against, memory, ..VerifyOptions::default() });
        if seed.name.ends_with(".gz") {
            return;
        }
        tally.verified += u64::from(held.is_ok_and(|verdict| verdict.verified));
        let changed = self.path("changed");
        let _ = std::fs::remove_dir_all(&changed);
        std::fs::create_dir(&changed).unwrap();
        let mut manifest = Manifest::read(release).unwrap();
        let file = &mut manifest.files[0];
        std::fs::write(changed.join(&file.name), bytes).unwrap();
        file.bytes = bytes.len() as u64;
        file.sha256 = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        std::fs::write(changed.join("manifest.json"), manifest.to_sealed_json()).unwrap();
        let _ = verify(&changed, &VerifyOptions { memory, ..VerifyOptions::default() });
    }
}

/// The rows of a damaged text, counted by another reader. Nothing where that one does not read it either.
fn rows_of_text(seed: &Seed, bytes: &[u8]) -> Option<u64> {
    let mut text = Vec::new();
    if seed.name.ends_with(".gz") {
        std::io::Read::read_to_end(&mut flate2::read::MultiGzDecoder::new(bytes), &mut text).ok()?;
    } else {
        text = bytes.to_vec();
    }
    let mut reader = csv::ReaderBuilder::new().from_reader(&text[..]);
    reader.byte_records().try_fold(0, |rows, record| record.map(|_| rows + 1)).ok()
}

fn holds(family: &str, share: u64) {
    std::panic::set_hook(Box::new(|panic| {
        if !incrowd::panic_is_caught() {
            PANICS.fetch_add(1, Ordering::Relaxed);
            println!("panic at {:?}", panic.location());
        }
    }));
    let every = if std::env::var_os("INCROWD_MUTANTS").is_some() { 1 } else { 10 };
    let tally = Bench::new().run(family, cases(share), every);
    let _ = std::panic::take_hook();
    println!(
        "{family}: {} cases, refused {:?}, {} read, {} released, {} verified against, {} with rows lost, {} panics",
        tally.cases,
        tally.refused,
        tally.read,
        tally.released,
        tally.verified,
        tally.lost.len(),
        tally.panicked.len()
    );
    assert!(tally.panicked.is_empty(), "{:?}", tally.panicked);
    assert!(tally.lost.is_empty(), "{:?}", tally.lost);
}

#[test]
fn a_damaged_parquet_file_is_read_whole_or_refused() {
    holds("parquet", 40);
}

#[test]
fn a_damaged_arrow_file_or_stream_is_read_whole_or_refused() {
    holds("arrow", 40);
}

#[test]
fn a_damaged_text_is_read_whole_or_refused() {
    holds("csv", 20);
}
