//! Releases as files of Stata and SPSS: written, verified on their bytes, and read back as what they are. Files of the
//! packages themselves are read in `tests/python/real_files.py`.

use std::path::{Path, PathBuf};

use incrowd::core::Policy;
use incrowd::{
    AnonymizeOptions, Declared, Engine, Format, ReadOptions, Settings, Source, VerifyOptions, anonymize, verify,
};
use tempfile::TempDir;

struct Desk {
    folder: TempDir,
    engine: Engine,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { temp: Some(folder.path().join("temp")), ..Settings::default() };
        Desk { engine: Engine::new(&settings).unwrap(), folder }
    }

    fn open(&self, path: &Path) -> Result<Source, String> {
        Source::open(&self.engine, path.to_str().unwrap(), ReadOptions::default()).map_err(|error| error.to_string())
    }

    /// A table with numbers, days, instants, texts and missing values.
    fn people(&self, header: &str) -> PathBuf {
        let path = self.folder.path().join("people.csv");
        let mut text = format!("{header}\n");
        for row in 0..60 {
            let weight = if row % 9 == 0 { String::new() } else { format!("{}.5", 50 + row % 20) };
            let town = ["Köln", "Béziers", "Málaga"][row % 3];
            let moment = format!("2020-01-{:02}T13:{:02}:00", 1 + row % 28, row);
            text += &format!("{},{weight},19{:02}-02-03,{moment},{town},0{row:03}\n", 20 + row % 7, 50 + row % 40);
        }
        std::fs::write(&path, text).unwrap();
        path
    }

    fn released(&self, source: &Path, format: Format) -> Result<PathBuf, String> {
        let release = self.folder.path().join(format.name());
        let text = |name: &str| name.to_owned();
        let options = AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: vec![text("age"), text("born")],
                insensitive: vec![text("weight"), text("moment"), text("code")],
                sensitive: vec![text("town")],
                rows_are_people: true,
                ..Declared::default()
            },
            keep_identifying: vec![text("weight"), text("moment"), text("code")],
            policy: Policy::k_anonymity(4),
            algorithm: "mondrian".into(),
            format,
            bound: false,
            ..AnonymizeOptions::default()
        };
        let table = self.open(source)?;
        anonymize(&self.engine, &table, &options, &release).map_err(|error| error.to_string())?;
        Ok(release)
    }
}

const HEADER: &str = "age,weight,born,moment,town,code";

#[test]
fn a_release_is_a_file_of_the_package_and_true_to_the_table() {
    let desk = Desk::new();
    let people = desk.people(HEADER);
    for (format, name) in [(Format::Dta, "data.dta"), (Format::Sav, "data.sav")] {
        let release = desk.released(&people, format).unwrap();
        let against = VerifyOptions { against: Some(people.clone()), ..VerifyOptions::default() };
        let verdict = verify(&release, &against).unwrap();
        assert!(verdict.verified, "{name}: {:?}", verdict.faults);
        let files = std::fs::read_dir(&release).unwrap().map(|file| file.unwrap().file_name()).collect::<Vec<_>>();
        assert!(files.iter().all(|file| !file.to_string_lossy().starts_with('.')), "{files:?}");
        let profiles = desk.open(&release.join(name)).unwrap().profile(&desk.engine).unwrap();
        let kinds: Vec<(&str, &str)> =
            profiles.iter().map(|profile| (profile.name.as_str(), profile.dictionary.kind().name())).collect();
        assert!(kinds.contains(&("weight", "number")) && kinds.contains(&("code", "text")), "{name}: {kinds:?}");
    }
}

#[test]
fn a_changed_release_is_not_verified() {
    let desk = Desk::new();
    let release = desk.released(&desk.people(HEADER), Format::Sav).unwrap();
    let path = release.join("data.sav");
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    assert!(!verify(&release, &VerifyOptions::default()).unwrap().verified);
}

#[test]
fn a_name_that_a_package_does_not_have_is_refused_with_a_remedy() {
    let desk = Desk::new();
    let people = desk.people("age,weight,born,moment,town,code");
    let spaced = desk.folder.path().join("spaced.csv");
    let text = std::fs::read_to_string(&people).unwrap().replacen("code", "patient code", 1);
    std::fs::write(&spaced, text).unwrap();
    let table = desk.open(&spaced).unwrap();
    let kept = vec!["patient code".to_owned()];
    let options = AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: vec!["age".into()],
            insensitive: kept.clone(),
            rows_are_people: true,
            identifiers: ["weight", "born", "moment", "town"].map(String::from).to_vec(),
            ..Declared::default()
        },
        keep_identifying: kept,
        policy: Policy::k_anonymity(2),
        algorithm: "mondrian".into(),
        format: Format::Dta,
        bound: false,
        ..AnonymizeOptions::default()
    };
    let release = desk.folder.path().join("release");
    let refused = anonymize(&desk.engine, &table, &options, &release).unwrap_err();
    assert_eq!(refused.code(), "IC427");
    assert!(refused.to_string().contains("“patient code”"), "{refused}");
    assert!(!release.exists());
}

#[test]
fn a_file_that_is_cut_off_is_refused() {
    let desk = Desk::new();
    let people = desk.people(HEADER);
    for (format, name) in [(Format::Dta, "data.dta"), (Format::Sav, "data.sav")] {
        let bytes = std::fs::read(desk.released(&people, format).unwrap().join(name)).unwrap();
        let cut = desk.folder.path().join(name);
        for length in (0..bytes.len() - 1).step_by(bytes.len() / 60) {
            std::fs::write(&cut, &bytes[..length]).unwrap();
            assert!(desk.open(&cut).is_err(), "{name} cut at {length}");
        }
    }
}
