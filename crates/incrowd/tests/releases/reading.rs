//! How the original was read, and whose record it is: what a release is held against must be read as it was.

use std::path::{Path, PathBuf};

use incrowd::attack::{AttackOptions, attack};
use incrowd::core::Policy;
use incrowd::query::{QueryOptions, ReadAs, parse_query, query};
use incrowd::report::dossier::InternalDossier;
use incrowd::{AnonymizeOptions, Declared, Engine, ReadOptions, Settings, Source, VerifyOptions, anonymize, verify};
use tempfile::TempDir;

struct Gym {
    folder: TempDir,
    engine: Engine,
}

impl Gym {
    /// Births with points, cells with semicolons, `?` for what is missing.
    fn new() -> Gym {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { temp: Some(folder.path().join("temp")), ..Settings::default() };
        let gym = Gym { engine: Engine::new(&settings).unwrap(), folder };
        let mut text = String::from("birth;joined;town;illness;pay\n");
        for row in 0..60u64 {
            let mixed = row * 7919 % 1009;
            let birth = format!("{:02}.{:02}.{}", 1 + mixed % 28, 1 + mixed % 12, 1950 + mixed % 30);
            let town = ["Ulm", "Bonn", "?"][(mixed % 3) as usize];
            let illness = ["flu", "cold", "?"][(mixed / 7 % 3) as usize];
            text += &format!("{};{birth};{town};{illness};{}\n", if row % 13 == 0 { "?" } else { &birth }, mixed % 4);
        }
        std::fs::write(gym.path("gym.csv"), text).unwrap();
        gym
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn release(&self, name: &str) -> PathBuf {
        let dates = |column: &str| (column.to_owned(), "%d.%m.%Y".to_owned());
        let reading = ReadOptions {
            delimiter: Some(b';'),
            nulls: vec!["?".into()],
            date_formats: vec![dates("birth"), dates("joined")],
            ..ReadOptions::default()
        };
        let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
        let options = AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: names(&["birth", "town"]),
                sensitive: names(&["illness", "pay"]),
                insensitive: names(&["joined"]),
                ..Declared::default()
            },
            policy: Policy::k_anonymity(3),
            algorithm: "mondrian".into(),
            reading: reading.clone(),
            keep_identifying: names(&["joined"]),
            bound: false,
            ..AnonymizeOptions::default()
        };
        let source = Source::open(&self.engine, self.path("gym.csv").to_str().unwrap(), reading).unwrap();
        anonymize(&self.engine, &source, &options, &self.path(name)).unwrap();
        self.path(name)
    }

    fn verified(&self, release: &Path) -> bool {
        let options = VerifyOptions { against: Some(self.path("gym.csv")), ..VerifyOptions::default() };
        verify(release, &options).unwrap().verified
    }
}

#[test]
fn a_release_is_held_against_its_original_as_the_record_says_that_it_was_read() {
    let gym = Gym::new();
    let release = gym.release("release");
    assert!(gym.verified(&release), "dates, delimiter and null markers are those of the record");
    let text = std::fs::read_to_string(gym.path("gym.csv")).unwrap();
    let line = text.lines().nth(5).unwrap();
    let other = line.replacen(".19", ".20", 1);
    assert_ne!(line, other);
    std::fs::write(gym.path("gym.csv"), text.replacen(line, &other, 1)).unwrap();
    assert!(!gym.verified(&release), "a birth of another century");
    // A published value that nobody has.
    std::fs::write(gym.path("gym.csv"), text.replacen("cold", "gout", 1)).unwrap();
    assert!(!gym.verified(&release), "another illness");
}

#[test]
fn the_record_of_another_release_is_not_used() {
    let gym = Gym::new();
    let (one, other) = (gym.release("one"), gym.release("other"));
    std::fs::rename(gym.path("one.internal"), gym.path("kept")).unwrap();
    std::fs::rename(gym.path("other.internal"), gym.path("one.internal")).unwrap();

    let asked = parse_query("SELECT COUNT(*) WHERE birth < '1960-01-01'").unwrap();
    assert_eq!(query(&gym.engine, &one, &asked, &QueryOptions::default()).unwrap_err().code(), "IC610");
    let named = QueryOptions { record: Some(gym.path("kept")), ..QueryOptions::default() };
    let answered = query(&gym.engine, &one, &asked, &named).unwrap();
    assert_eq!(answered.columns[0].read, ReadAs::Record);
    assert_eq!(query(&gym.engine, &other, &asked, &named).unwrap_err().code(), "IC610");

    assert_eq!(attack(&gym.engine, &one, &AttackOptions::default()).unwrap_err().code(), "IC610");
    assert_eq!(incrowd::explain_value(&one, "birth", None).unwrap_err().code(), "IC610");
    let against = VerifyOptions { against: Some(gym.path("gym.csv")), ..VerifyOptions::default() };
    assert_eq!(verify(&one, &against).unwrap_err().code(), "IC610");
    assert!(verify(&one, &VerifyOptions { record: Some(gym.path("kept")), ..against }).unwrap().verified);
}

#[test]
fn the_report_attacks_every_sensitive_column_with_or_without_a_rule() {
    let gym = Gym::new();
    gym.release("release");
    let text = std::fs::read_to_string(gym.path("release.internal/dossier.json")).unwrap();
    let dossier: InternalDossier = serde_json::from_str(&text).unwrap();
    let later = attack(&gym.engine, &gym.path("release"), &AttackOptions::default()).unwrap();
    for (id, column) in [("homogeneity", "illness"), ("inference", "pay"), ("similarity", "pay"), ("background", "pay")]
    {
        let kept = dossier.attacks.iter().find(|one| one.attack == id && one.column == column).expect(id);
        let anew = later.attacks.iter().find(|one| one.attack == id && one.column == column).expect(id);
        assert_eq!(kept, &anew.outcome, "{id}");
    }
    assert!(!dossier.residual_risk.iter().any(|sentence| sentence.contains("No rule is about")));
}

#[test]
fn a_report_leaves_out_sensitive_columns_without_a_rule_that_could_need_more_than_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (table, release) = (folder.path().join("table.csv"), folder.path().join("release"));
    let said = |memory: u64, rows: u64| {
        let text: String = (0..rows).map(|row| format!("{},{}\n", row % 40, row % 3)).collect();
        std::fs::write(&table, format!("age,pay\n{text}")).unwrap();
        let engine = Engine::new(&Settings { memory: Some(memory), ..Settings::default() }).unwrap();
        let names = |name: &str| vec![name.to_owned()];
        let options = AnonymizeOptions {
            declared: Declared { quasi_identifiers: names("age"), sensitive: names("pay"), ..Declared::default() },
            policy: Policy::k_anonymity(3),
            algorithm: "mondrian".into(),
            bound: false,
            force: true,
            ..AnonymizeOptions::default()
        };
        let source = Source::open(&engine, &table.display().to_string(), ReadOptions::default()).unwrap();
        anonymize(&engine, &source, &options, &release).unwrap();
        let text = std::fs::read_to_string(folder.path().join("release.internal/dossier.json")).unwrap();
        let dossier: InternalDossier = serde_json::from_str(&text).unwrap();
        let is_attacked = dossier.attacks.iter().any(|one| one.column == "pay");
        (is_attacked, dossier.residual_risk.iter().any(|sentence| sentence.contains("No rule is about pay")))
    };
    let memory = 16 << 20;
    assert_eq!(said(memory, 1_000), (true, false));
    assert_eq!(said(memory, memory / 64), (false, true), "64 bytes for each row, and the tuples");
}
