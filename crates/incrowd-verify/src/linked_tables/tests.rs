//! Several tables of the same people: what is wrong with their folder, and whether people are alike in all of them.

#![allow(clippy::unwrap_used)]

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::manifest::{Role, TableEntry, Technique, Verified};
use crate::release::small::{self, person, told};

/// A row: a person and a value of the quasi-identifier.
type Row = (&'static str, &'static str);

const FIRST: [Row; 4] = [("a", "1"), ("b", "1"), ("c", "2"), ("d", "2")];
/// In another order of people than the first table.
const SECOND: [Row; 5] = [("c", "y"), ("a", "x"), ("b", "x"), ("d", "y"), ("d", "y")];

/// Writes a table.
fn table(dir: &Path, rows: &[Row]) -> TableEntry {
    std::fs::create_dir_all(dir).unwrap();
    let mut manifest = small::manifest();
    manifest.columns =
        vec![small::people("person"), small::column("age", Role::QuasiIdentifier, Technique::Generalized)];
    manifest.policy.models.truncate(1);
    let pseudonym = |letter: &str| if letter.is_empty() { String::new() } else { person(letter) };
    let lines: String = rows.iter().map(|(letter, age)| format!("{},{age}\n", pseudonym(letter))).collect();
    small::write(dir, &mut manifest, &[("data.csv", &format!("person,age\n{lines}"))]);
    entry(dir)
}

/// A table as it stands in the folder.
fn entry(dir: &Path) -> TableEntry {
    let name = dir.file_name().unwrap().to_string_lossy().into_owned();
    TableEntry { name, seal: Manifest::read(dir).unwrap().seal }
}

struct Tables {
    folder: TempDir,
    manifest: TablesManifest,
}

impl Tables {
    fn new(first: &[Row], second: &[Row]) -> Tables {
        let folder = tempfile::tempdir().unwrap();
        let tables = [("first", first), ("second", second)];
        let manifest = TablesManifest {
            incrowd_tables: 1,
            version: String::new(),
            release: String::new(),
            created: String::new(),
            policy: serde_json::from_value(json!({
                "models": [{ "model": "k-anonymity", "parameters": { "k": 2 } }], "known_rows": 2
            }))
            .unwrap(),
            tables: tables.iter().map(|(name, rows)| table(&folder.path().join(name), rows)).collect(),
            verified: Verified { by: "by hand".into(), holds: true },
            seal: String::new(),
        };
        Tables { folder, manifest }
    }

    /// Changes the manifest of a table, and the manifest over the tables with it.
    fn resealed(mut self, at: usize, change: impl FnOnce(&mut Manifest)) -> Tables {
        let dir = self.folder.path().join(&self.manifest.tables[at].name);
        let mut manifest = Manifest::read(&dir).unwrap();
        change(&mut manifest);
        small::seal(&dir, &manifest);
        self.manifest.tables[at] = entry(&dir);
        self
    }

    fn seal(&self) -> &Path {
        std::fs::write(self.folder.path().join(MANIFEST), self.manifest.to_sealed_json()).unwrap();
        self.folder.path()
    }

    fn verify(&self, options: &Options<'_>) -> Verdict {
        crate::verify(self.seal(), options).unwrap()
    }

    fn links(&self, options: &Options<'_>) -> Verdict {
        verify_links(self.seal(), &self.manifest, options).unwrap()
    }
}

/// The faults of sound tables that were changed, and whether people were compared.
fn faults(change: impl FnOnce(&mut Tables)) -> (Vec<String>, bool) {
    let mut tables = Tables::new(&FIRST, &SECOND[..4]);
    change(&mut tables);
    let verdict = tables.verify(&Options::default());
    assert_eq!(verdict.verified, verdict.faults.is_empty());
    let note = ["people were not compared by their rows in all tables, because of these faults"];
    assert_eq!(verdict.notes == note, verdict.models.is_empty());
    assert!(verdict.tables.iter().all(|table| ["first", "second"].contains(&table.name.as_str())));
    (told(&verdict.faults), !verdict.models.is_empty())
}

const PROMISE: &str = "Any 2 published rows of a person in each table, or fewer, are on the quasi-identifiers also rows \
                       of at least 1 other person.";

#[test]
fn sound_tables_are_verified_each_and_together() {
    let tables = Tables::new(&FIRST, &SECOND[..4]);
    let verdict = tables.verify(&Options::default());
    assert_eq!(told(&verdict.faults), [""; 0]);
    assert!(verdict.verified && verdict.notes.is_empty() && verdict.not_checked.is_empty());
    assert_eq!((verdict.rows, verdict.classes, verdict.smallest_class), (8, 4, 2));
    assert_eq!(verdict.bytes, 2 * (11 + 4 * 30));
    let model = ModelVerdict {
        model: "linked-tables".into(),
        sensitive: None,
        holds: true,
        classes_failing: 0,
        promise: PROMISE.into(),
    };
    assert_eq!(verdict.models, [model]);
    let of = |table: &TableVerdict| (table.name.clone(), table.verdict.verified, table.verdict.rows);
    let found: Vec<(String, bool, u64)> = verdict.tables.iter().map(of).collect();
    assert_eq!(found, [("first".to_string(), true, 4), ("second".to_string(), true, 4)]);
    let links = tables.links(&Options::default());
    assert_eq!((links.models, links.faults.len(), links.verified), (verdict.models, 0, true));
    assert_eq!(tables_are_whole(tables.seal(), &tables.manifest, None).unwrap(), []);
}

#[test]
fn people_who_are_alike_in_each_table_may_be_alike_in_none_together() {
    let tables = Tables::new(&FIRST, &[("a", "x"), ("c", "x"), ("b", "y"), ("d", "y")]);
    let verdict = tables.verify(&Options::default());
    let expected = "Promise: linked-tables: 4 of 4 people have the same rows in all tables as fewer than k people";
    assert_eq!((told(&verdict.faults), verdict.verified), (vec![expected.to_string()], false));
    assert!(!verdict.models[0].holds && verdict.tables.iter().all(|table| table.verdict.verified));
    let links = tables.links(&Options::default());
    assert_eq!(
        (told(&links.faults), links.verified, links.models),
        (vec![expected.to_string()], false, verdict.models)
    );
    // One person has one row more than the other.
    let mut tables = Tables::new(&FIRST, &SECOND);
    let failing = |tables: &Tables| tables.links(&Options::default()).faults;
    assert_eq!(told(&failing(&tables)), [expected.replace("4 of 4", "2 of 4")]);
    tables.manifest.policy.known_rows = Some(json!("all"));
    assert_eq!(failing(&tables).len(), 1);
    let links = Tables::new(&FIRST, &SECOND[..4]).links(&Options::default());
    assert!(links.verified);
    tables = Tables::new(&FIRST, &SECOND[..4]);
    tables.manifest.policy.known_rows = Some(json!("all"));
    let sentence = "On the quasi-identifiers, each person has the same published rows in all tables as at least 1 other \
                    person.";
    assert_eq!(tables.links(&Options::default()).models[0].promise, sentence);
}

#[test]
fn rows_of_all_tables_are_compared_within_the_memory() {
    let tables = Tables::new(&FIRST, &SECOND[..4]);
    let within = |memory| Options { memory: Some(memory), ..Options::default() };
    assert_eq!(tables.links(&within(8 * 32)).models.len(), 1);
    let open = NotChecked { model: "linked-tables".into(), sensitive: None, promise: PROMISE.into() };
    let links = tables.links(&within(8 * 32 - 1));
    assert_eq!((links.models.len(), links.faults.len(), &links.not_checked), (0, 0, &vec![open.clone()]));
    assert_eq!(tables.verify(&within(8 * 32 - 1)).not_checked, [open]);
}

#[test]
fn a_policy_over_tables_promises_something_about_people() {
    let links = |change: fn(&mut Tables)| {
        let mut tables = Tables::new(&FIRST, &SECOND[..4]);
        change(&mut tables);
        let links = tables.links(&Options::default());
        assert!(links.models.is_empty() && !links.verified);
        assert_eq!(tables.verify(&Options::default()).faults, links.faults);
        told(&links.faults)
    };
    let nothing = "Policy: the manifest promises nothing about people by their rows in all tables";
    assert_eq!(links(|tables| tables.manifest.policy.known_rows = None), [nothing]);
    let number = "Policy: known-rows: the number of known rows is neither a whole number of at least 2 nor all";
    assert_eq!(links(|tables| tables.manifest.policy.known_rows = Some(json!(1))), [number]);
}

#[test]
fn rows_without_people_and_files_that_cannot_be_read_are_told() {
    let links = |tables: Tables| {
        let links = tables.links(&Options::default());
        assert!(links.models.is_empty() && !links.verified);
        told(&links.faults)
    };
    let nobody = [("", "x"), ("a", "x"), ("b", "x"), ("c", "y"), ("d", "y"), ("", "y")];
    assert_eq!(
        links(Tables::new(&FIRST, &nobody)),
        ["Promise: linked-tables: 2 rows have no pseudonym, so nothing is known about them"]
    );
    let tables = Tables::new(&FIRST, &SECOND[..4]);
    assert_eq!(
        links(tables.resealed(1, |manifest| manifest.columns[0].role = Role::Identifier)),
        ["Policy: linked-tables: second has no pseudonyms of people, so nothing links its rows to others"]
    );
    let tables = Tables::new(&FIRST, &SECOND[..4]);
    std::fs::write(tables.folder.path().join("second/data.csv"), "age\n1\n").unwrap();
    assert_eq!(links(tables), ["Unreadable: second: its files cannot be read"]);
}

#[test]
fn a_fault_of_a_table_is_one_of_the_release() {
    let second = |change: fn(&mut Manifest)| {
        faults(|tables| {
            let whole = std::mem::replace(tables, Tables::new(&[], &[]));
            *tables = whole.resealed(1, change);
        })
    };
    let (told, compared) = second(|manifest| manifest.classes = 3);
    assert_eq!(told, ["Classes: second: there are 2 classes, the manifest says 3"]);
    assert!(!compared);
    let (told, compared) = faults(|tables| tables.manifest.verified.holds = false);
    let expected =
        "Manifest: the manifest does not say that the tables were verified together before they were published";
    assert_eq!((told, compared), (vec![expected.to_string()], false));
}

#[test]
fn a_folder_has_the_tables_of_its_manifest_and_no_other() {
    let extra = |name: &str| format!("ExtraFile: {name} is in the folder, but not in the manifest");
    let of = |change: fn(&mut Tables)| faults(change).0;
    assert_eq!(
        of(|tables| drop(tables.manifest.tables.pop())),
        ["Manifest: the manifest lists fewer than two tables".to_string(), extra("second")]
    );
    let not_plain = "FileName: a table name in the manifest is not a plain name".to_string();
    for name in ["./second", "../second", ".", ""] {
        let (told, _) = faults(|tables| tables.manifest.tables[1].name = name.into());
        assert_eq!(told, [not_plain.clone(), extra("second")], "{name}");
    }
    let twice = |name: &str| format!("FileName: {name} is listed twice or is the manifest itself");
    assert_eq!(of(|tables| tables.manifest.tables[1].name = MANIFEST.into()), [twice(MANIFEST), extra("second")]);
    assert_eq!(of(|tables| tables.manifest.tables.push(tables.manifest.tables[0].clone())), [twice("first")]);
    let missing = |name: &str| format!("MissingFile: {name} is not a folder of the release");
    assert_eq!(of(|tables| tables.manifest.tables[1].name = "third".into()), [missing("third"), extra("second")]);
    let file = |tables: &mut Tables| {
        std::fs::write(tables.folder.path().join("third"), "").unwrap();
        tables.manifest.tables[1].name = "third".into();
    };
    assert_eq!(of(file), [missing("third"), extra("second")]);
    assert_eq!(
        of(|tables| tables.manifest.tables[1].seal = tables.manifest.tables[0].seal.clone()),
        ["Seal: second: its manifest is not the one that the release lists"]
    );
    assert_eq!(of(|tables| std::fs::write(tables.folder.path().join("more"), "").unwrap()), [extra("more")]);
    let (found, _) = faults(|tables| std::fs::remove_file(tables.folder.path().join("second/manifest.json")).unwrap());
    assert_eq!(found[0], "Manifest: second: there is no manifest.json: the folder is not a release");
}

#[test]
fn a_manifest_over_tables_is_sealed_and_lists_some() {
    let tables = Tables::new(&FIRST, &SECOND[..4]);
    let dir = tables.seal();
    let text = std::fs::read_to_string(dir.join(MANIFEST)).unwrap();
    let of = |text: String| {
        std::fs::write(dir.join(MANIFEST), text).unwrap();
        let verdict = crate::verify(dir, &Options::default()).unwrap();
        assert!(!verdict.verified && verdict.models.is_empty() && verdict.tables.is_empty());
        told(&verdict.faults)
    };
    assert_eq!(of(text.replace("\"k\": 2", "\"k\": 1")), ["Seal: manifest.json was changed after it was sealed"]);
    assert_eq!(
        of(text.replace("\"incrowd_tables\": 1", "\"incrowd_tables\": 2")),
        ["Manifest: manifest.json has format 2; this verifier supports only format 1"]
    );
    let mut none = Tables::new(&FIRST, &SECOND[..4]);
    none.manifest.tables.clear();
    let verdict = none.verify(&Options::default());
    assert_eq!((verdict.smallest_class, verdict.tables.len(), verdict.verified), (0, 0, false));
    let links = none.links(&Options::default());
    assert_eq!((links.verified, links.models.len(), links.faults.len()), (false, 0, 3));
}

#[test]
fn the_files_of_all_tables_are_held_against_their_checksums() {
    let tables = Tables::new(&FIRST, &SECOND[..4]);
    let dir = tables.seal();
    let whole = |stop: bool| tables_are_whole(dir, &tables.manifest, Some(&AtomicBool::new(stop)));
    assert_eq!(whole(false).unwrap(), []);
    assert!(matches!(whole(true), Err(VerifyError::Cancelled)));
    let path = dir.join("second/data.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen(",y", ",x", 1)).unwrap();
    std::fs::write(dir.join("more"), "").unwrap();
    let expected = [
        "ExtraFile: more is in the folder, but not in the manifest",
        "Checksum: second: data.csv: the SHA-256 differs from the manifest",
    ];
    assert_eq!(told(&whole(false).unwrap()), expected);
}
