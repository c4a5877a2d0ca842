//! A table, its release, and hands to change one.

use std::path::{Path, PathBuf};

use incrowd::core::{Policy, Ratio};
use incrowd::{
    AnonymizeOptions, Anonymized, Declared, Engine, Format, Manifest, ReadOptions, Settings, Source, Verdict,
    VerifyOptions, anonymize, verify,
};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A folder with a table of made-up patients, an identifier among its columns.
pub(crate) struct Desk {
    folder: TempDir,
    pub(crate) engine: Engine,
}

pub(crate) const DIAGNOSES: [&str; 4] = ["flu", "cold", "gout", "HIV"];

impl Desk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { temp: Some(folder.path().join("temp")), ..Settings::default() };
        let engine = Engine::new(&settings).unwrap();
        let desk = Desk { folder, engine };
        let mut text = String::from("name,age,town,visits,diagnosis\n");
        for row in 0..240u64 {
            // Multiplying by a prime spreads values without a generator.
            let mixed = row * 7919 % 1009;
            let (age, town) = (20 + mixed % 40, ["Ulm", "Bonn", "Wien", "Graz"][(mixed / 7 % 4) as usize]);
            let diagnosis = DIAGNOSES[(if mixed % 11 == 0 { 3 } else { mixed % 3 }) as usize];
            text += &format!("ZQX-PERSON-{row:04},{age},{town},{},{diagnosis}\n", mixed % 5);
        }
        std::fs::write(desk.path("patients.csv"), text).unwrap();
        std::fs::write(desk.path("towns.csv"), "Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;*\nGraz;Austria;*\n")
            .unwrap();
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// (α, k)-anonymity of the patients.
    pub(crate) fn options(&self) -> AnonymizeOptions {
        let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
        let plan = incrowd::request::HierarchyPlan::File("towns.csv".into());
        let town = incrowd::HierarchyChoice { plan, folder: self.folder.path().into() };
        AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: names(&["age", "town"]),
                sensitive: names(&["diagnosis"]),
                identifiers: names(&["name"]),
                insensitive: names(&["visits"]),
                ..Declared::default()
            },
            // Visits tell rows of a class apart, and the tests look at what a retained column becomes.
            keep_identifying: names(&["visits"]),
            policy: Policy::k_anonymity(3).deassociating("diagnosis", Ratio::new(1, 2).unwrap(), &["HIV"], false),
            hierarchies: [("town".into(), town)].into(),
            seed: Some(7),
            ..AnonymizeOptions::default()
        }
    }

    pub(crate) fn source(&self, name: &str) -> Source {
        Source::open(&self.engine, self.path(name).to_str().unwrap(), ReadOptions::default()).unwrap()
    }

    pub(crate) fn release(&self, name: &str, options: &AnonymizeOptions) -> incrowd::Result<Anonymized> {
        anonymize(&self.engine, &self.source("patients.csv"), options, &self.path(name))
    }

    /// A fresh release to tamper with, as CSV.
    pub(crate) fn made(&self) -> PathBuf {
        self.release("release", &AnonymizeOptions { format: Format::Csv, ..self.options() }).unwrap();
        self.path("release")
    }

    pub(crate) fn verdict(&self, release: &Path) -> Verdict {
        verify(release, &VerifyOptions::default()).unwrap()
    }

    pub(crate) fn verdict_against(&self, release: &Path) -> Verdict {
        let against = Some(self.path("patients.csv"));
        verify(release, &VerifyOptions { against, ..VerifyOptions::default() }).unwrap()
    }
}

/// Changes the lines of a release's CSV, header included.
pub(crate) fn change_lines(release: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let path = release.join("data.csv");
    let mut lines: Vec<String> = std::fs::read_to_string(&path).unwrap().lines().map(Into::into).collect();
    change(&mut lines);
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
}

/// Changes the manifest and seals it anew, with the checksums and lengths of the files as they are now, and enters the
/// seal into the record: what is left to find is what only the rows themselves can tell.
pub(crate) fn reseal(release: &Path, change: impl FnOnce(&mut Manifest)) {
    let text = std::fs::read_to_string(release.join("manifest.json")).unwrap();
    let mut manifest: Manifest = serde_json::from_str(&text).unwrap();
    for file in &mut manifest.files {
        let bytes = std::fs::read(release.join(&file.name)).unwrap();
        file.bytes = bytes.len() as u64;
        file.sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    }
    change(&mut manifest);
    let sealed = manifest.to_sealed_json();
    std::fs::write(release.join("manifest.json"), &sealed).unwrap();
    let contents = release.with_extension("internal").join("contents.json");
    if let Ok(text) = std::fs::read_to_string(&contents) {
        let mut list: serde_json::Value = serde_json::from_str(&text).unwrap();
        list["manifest_seal"] = Manifest::from_sealed_json(&sealed).unwrap().seal.into();
        std::fs::write(contents, list.to_string()).unwrap();
    }
}
