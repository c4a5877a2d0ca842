//! What is said of a release as a whole, and what rows cannot show.

#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;
use crate::manifest::{Count, MANIFEST, Technique};
use crate::options::Against;
use crate::release::small::{self, DATA, told};

fn written(change: impl FnOnce(&mut Manifest)) -> (tempfile::TempDir, Manifest) {
    let (folder, mut manifest) = (tempfile::tempdir().unwrap(), small::manifest());
    small::write(folder.path(), &mut manifest, &[("data.csv", DATA)]);
    change(&mut manifest);
    small::seal(folder.path(), &manifest);
    (folder, manifest)
}

#[test]
fn a_sealed_release_says_that_it_was_verified_and_searched() {
    let of = |change: fn(&mut Manifest)| {
        let verdict = verify(written(change).0.path(), &Options::default()).unwrap();
        assert_eq!(verdict.verified, verdict.faults.is_empty());
        told(&verdict.faults)
    };
    assert_eq!(of(|_| ()), [""; 0]);
    assert_eq!(of(|manifest| manifest.canaries.values = 1), [""; 0]);
    let canary = "Canary: the manifest says that 1 removed values occur in the files";
    assert_eq!(of(|manifest| manifest.canaries.found = 1), [canary]);
    let verified = "Manifest: the manifest does not say that the release was verified before it was published";
    assert_eq!(of(|manifest| manifest.verified.holds = false), [verified]);
}

#[test]
fn a_folder_without_a_manifest_is_no_release_and_one_that_is_missing_has_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let faults = |dir: &Path| verify(dir, &Options::default()).map(|verdict| told(&verdict.faults));
    let none = "NotARelease: there is no manifest.json: the folder is not a release";
    assert_eq!(faults(folder.path()).unwrap(), [none]);
    assert!(matches!(faults(&folder.path().join("none")), Err(VerifyError::Folder(_))));
    let (folder, _) = written(|_| ());
    let path = folder.path().join(MANIFEST);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"k\": 2", "\"k\": 1")).unwrap();
    assert_eq!(faults(folder.path()).unwrap(), ["Seal: manifest.json was changed after it was sealed"]);
    std::fs::write(&path, text.replace("\"incrowd\": 1", "\"incrowd\": 2")).unwrap();
    let form = "Manifest: manifest.json has format 2; this verifier supports only format 1";
    assert_eq!(faults(folder.path()).unwrap(), [form]);
}

#[test]
fn files_alone_are_held_against_their_checksums() {
    let (folder, manifest) = written(|_| ());
    let whole = |stop: bool| files_are_whole(folder.path(), &manifest, Some(&AtomicBool::new(stop)));
    assert_eq!(whole(false).unwrap(), []);
    assert!(matches!(whole(true), Err(VerifyError::Cancelled)));
    std::fs::write(folder.path().join("data.csv"), DATA.replace("flu", "flo")).unwrap();
    assert_eq!(told(&whole(false).unwrap()), ["Checksum: data.csv: the SHA-256 differs from the manifest"]);
}

/// A manifest whose policy has a model that rows say everything, something and nothing about.
fn three_kinds(counts: Counts) -> Manifest {
    let mut manifest = small::manifest();
    manifest.counts = counts;
    let rule = json!({ "model": "t-closeness", "parameters": { "t": 1 }, "sensitive": ["illness"] });
    manifest.policy.models.push(serde_json::from_value(rule).unwrap());
    manifest
}

/// The notes on a manifest, the models that are left and those that are not checked.
fn limits(manifest: &Manifest, has_original: bool) -> (Vec<String>, Vec<&'static str>, Vec<NotChecked>) {
    let (mut asked, mut verdict) = (questions(&manifest.policy).0, Verdict::default());
    say_limits(manifest, has_original, &mut asked, &mut verdict);
    (verdict.notes, asked.iter().map(|question| question.model).collect(), verdict.not_checked)
}

#[test]
fn of_people_only_what_rows_decide_is_asked() {
    let all = ["k-anonymity", "distinct-l-diversity", "t-closeness"];
    let (notes, models, open) = limits(&three_kinds(Counts::Rows), false);
    assert_eq!((notes.len(), models.as_slice(), open.len()), (0, &all[..], 0));
    let (notes, models, open) = limits(&three_kinds(Counts::People), false);
    assert_eq!((notes, models.as_slice()), (vec![ONLY_ROWS.to_string()], &all[..2]));
    let open: Vec<(&str, Option<&str>)> =
        open.iter().map(|open| (open.model.as_str(), open.sensitive.as_deref())).collect();
    assert_eq!(open, [("k-anonymity", None), ("t-closeness", Some("illness"))]);
    let note = |change: fn(&mut Manifest)| {
        let mut manifest = three_kinds(Counts::People);
        change(&mut manifest);
        limits(&manifest, true).0
    };
    assert_eq!(note(|manifest| manifest.columns[0].role = Role::Subject), [ONLY_ROWS], "it is not published");
    let shown = |manifest: &mut Manifest| manifest.columns[0] = small::people("name");
    assert_eq!(note(shown), [PEOPLE_NOT_COUNTED]);
    assert_eq!(note(|manifest| manifest.columns[0].technique = Technique::Retained), [ONLY_ROWS], "it is no subject");
    assert_eq!(note(|manifest| manifest.policy.known_rows = Some(json!(2))), [ONLY_SHARES]);
}

#[test]
fn a_range_of_suppressed_rows_is_noted_unless_the_original_is_there() {
    let mut manifest = small::manifest();
    manifest.suppressed_rows = Count::between(0, 1).unwrap();
    manifest.source_rows = Count::between(4, 5).unwrap();
    let expected = "the number of suppressed rows is given as a range: the limit of the policy was checked for its lower \
                    end, and can be checked exactly with the original";
    assert_eq!(limits(&manifest, false).0, [expected]);
    assert_eq!(limits(&manifest, true).0, [""; 0]);
    assert_eq!(limits(&small::manifest(), false).0, [""; 0]);
    let (folder, staged) = written(|_| ());
    let staged = Manifest { suppressed_rows: manifest.suppressed_rows, source_rows: manifest.source_rows, ..staged };
    let path = folder.path().with_extension("csv");
    std::fs::write(&path, DATA).unwrap();
    for (against, notes) in [(None, vec![expected]), (Some(Against::csv(&path)), vec![])] {
        let verdict = verify_staged(folder.path(), &staged, &Options { against, ..Options::default() }).unwrap();
        let found = verdict.notes.iter().filter(|note| note.contains("suppressed rows")).collect::<Vec<_>>();
        assert_eq!(found, notes, "{:?}", verdict.faults);
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn an_original_is_csv_with_commas_and_a_header_unless_more_is_said() {
    let against = Against::csv("original.csv");
    assert_eq!((against.delimiter, against.header, against.format), (b',', true, crate::manifest::Format::Csv));
    assert_eq!((against.encoding.as_deref(), against.sheet.as_deref(), against.range.as_deref()), (None, None, None));
    assert_eq!(against.path, Path::new("original.csv"));
    let told = format!("{against:?}");
    assert!(told.contains("original.csv") && !told.contains("keys"), "{told}");
}
