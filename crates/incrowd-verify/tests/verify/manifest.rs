//! What a manifest says of its columns and files, and its seal.

use incrowd_verify::{Count, FileEntry, Format, Manifest, ManifestError, Role, TablesManifest, Technique, TwoTables};

use crate::support::Draft;

#[test]
fn columns_are_listed_by_role_when_they_are_published() {
    let mut manifest = Draft::honest(Format::Csv).manifest;
    assert_eq!(manifest.published(Role::QuasiIdentifier), ["age", "town"]);
    assert_eq!(manifest.published(Role::Sensitive), ["illness"]);
    assert!(manifest.published(Role::Identifier).is_empty());
    manifest.columns[2].technique = Technique::Treated;
    assert_eq!(manifest.published(Role::QuasiIdentifier), ["age", "town"]);
    assert_eq!(manifest.untreated(Role::QuasiIdentifier), ["age"]);
    assert_eq!(manifest.untreated(Role::Sensitive), ["illness"]);
}

#[test]
fn the_first_table_is_the_one_with_the_quasi_identifiers() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let manifest = &mut draft.manifest;
    let second = FileEntry { name: "sensitive.csv".into(), ..manifest.files[0].clone() };
    manifest.files.push(second);
    let names =
        |manifest: &Manifest| manifest.first_table().iter().map(|file| file.name.clone()).collect::<Vec<_>>().join(" ");
    assert_eq!(names(manifest), "data.csv sensitive.csv");
    manifest.two_tables = Some(TwoTables {
        quasi_identifiers: "data.csv".into(),
        sensitive: "sensitive.csv".into(),
        class_column: "class".into(),
        does_not_hide: String::new(),
    });
    assert_eq!(names(manifest), "data.csv");
}

#[test]
fn a_seal_is_64_digits_of_the_text_with_its_newline() {
    let text = Draft::honest(Format::Csv).manifest.to_sealed_json();
    assert!(text.ends_with("}\n") && Manifest::from_sealed_json(&text).is_ok());
    let is_broken = |text: &str| matches!(Manifest::from_sealed_json(text), Err(ManifestError::Seal));
    assert!(is_broken(text.trim_end()) && is_broken(&format!("{text} ")));
    let seal = Manifest::from_sealed_json(&text).unwrap().seal;
    for claimed in ["", &seal[1..], &format!("{}x", &seal[1..]), &"0".repeat(64)] {
        assert!(is_broken(&text.replace(&seal, claimed)), "{claimed:?}");
    }
}

#[test]
fn a_count_may_be_between_two_equal_ends() {
    assert_eq!(Count::between(3, 3), Some(Count::from(3)));
    assert_eq!((Count::between(3, 4).unwrap().exact(), Count::between(4, 3)), (None, None));
}

#[test]
fn a_manifest_of_several_tables_names_them_and_has_a_seal() {
    let table = |name: &str| serde_json::json!({ "name": name, "seal": "" });
    let mut manifest: TablesManifest = serde_json::from_value(serde_json::json!({
        "incrowd_tables": 1, "policy": { "models": [] }, "tables": [table("people"), table("visits")]
    }))
    .unwrap();
    let text = manifest.to_sealed_json();
    let read = TablesManifest::from_sealed_json(&text).unwrap();
    assert_eq!((read.tables, read.seal.len()), (manifest.tables.clone(), 64));
    let changed = TablesManifest::from_sealed_json(&text.replace("visits", "visit"));
    assert!(matches!(changed, Err(ManifestError::Seal)));
    match Manifest::from_sealed_json(&text) {
        Err(ManifestError::SeveralTables(names)) => assert_eq!(names, ["people", "visits"]),
        other => panic!("{other:?}"),
    }
    manifest.incrowd_tables = 2;
    assert!(matches!(TablesManifest::from_sealed_json(&manifest.to_sealed_json()), Err(ManifestError::Version(2))));
}
