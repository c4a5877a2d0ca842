//! Releases that are repeated with the key of their record, and what cannot be repeated or undone without it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use incrowd::algorithms::Effort;
use incrowd::report::dossier::Repeatability;
use incrowd::{AnonymizeOptions, Format, Publish, Record};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};

use super::support::Desk;

/// The data files of a release with their bytes.
fn files(release: &Path) -> BTreeMap<String, Vec<u8>> {
    let of_record =
        |file: &incrowd::RecordedFile| (file.name.clone(), std::fs::read(release.join(&file.name)).unwrap());
    Record::of(release).unwrap().unwrap().files.iter().map(of_record).collect()
}

/// The generalized cells and the diagnosis of each row, sorted. Visits are kept, and when rows of one tuple go to several
/// classes, the key draws which.
pub(crate) fn sorted_lines(release: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(release.join("data.csv")).unwrap();
    let cells = |line: &str| {
        let [diagnosis, _, generalized] = line.rsplitn(3, ',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        format!("{generalized},{diagnosis}")
    };
    let mut lines: Vec<String> = text.lines().map(cells).collect();
    lines.sort_unstable();
    lines
}

/// Releases of every kind that a run can take another way for.
fn kinds(desk: &Desk) -> Vec<(&'static str, AnonymizeOptions)> {
    let options = || AnonymizeOptions { effort: Some(Effort::LOW), ..desk.options() };
    let mut people = options();
    people.declared.identifiers.clear();
    people.declared.subject = Some("name".into());
    vec![
        ("seeded", options()),
        ("unseeded", AnonymizeOptions { seed: None, ..options() }),
        ("parquet", AnonymizeOptions { format: Format::Parquet, ..options() }),
        ("two-tables", AnonymizeOptions { publish: Publish::TwoTables, ..options() }),
        ("people", people),
        ("shards", AnonymizeOptions { algorithm: "mondrian".into(), at_once: Some(50), ..options() }),
    ]
}

#[test]
fn a_repeated_release_has_the_same_bytes_and_says_so() {
    let desk = Desk::new();
    for (name, options) in kinds(&desk) {
        let made = desk.release(name, &options).unwrap();
        assert_eq!((made.repeatability, &made.repeats), (Repeatability::Exact, &None), "{name}");
        let (record, again) = (desk.path(&format!("{name}.internal")), format!("{name}-again"));
        for record in [record.clone(), record.join("record.json"), desk.path(name)] {
            let repeated = AnonymizeOptions { repeat: Some(record), force: true, seed: None, ..options.clone() };
            let made = desk.release(&again, &repeated).unwrap();
            assert_eq!(files(&desk.path(name)), files(&desk.path(&again)), "{name}");
            let first = Record::of(&desk.path(name)).unwrap().unwrap();
            assert_eq!(made.repeats.as_ref(), Some(&first.release), "{name}");
            let second = Record::of(&desk.path(&again)).unwrap().unwrap();
            assert_eq!(second.randomness, first.randomness, "{name}");
            assert_ne!(second.release, first.release, "{name}: a release of its own");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_classes_and_every_release_its_own_order() {
    let desk = Desk::new();
    let make = |name: &str, seed| {
        desk.release(name, &AnonymizeOptions { seed, ..desk.options() }).unwrap();
        (sorted_lines(&desk.path(name)), files(&desk.path(name)))
    };
    let (a, b) = (make("a", Some(1)), make("b", Some(1)));
    assert_eq!(a.0, b.0, "the same rows");
    assert_ne!(a.1, b.1, "in another order");
    let keys = ["a", "b"].map(|name| Record::of(&desk.path(name)).unwrap().unwrap().randomness.key);
    assert_ne!(keys[0], keys[1]);
}

/// The order in which rows of the table stand in a release whose key this is.
fn order(key: &[u8], rows: usize) -> Vec<usize> {
    let shuffle: [u8; 32] = Sha256::digest([key, b"shuffle"].concat()).into();
    let mut stream = ChaCha20Rng::from_seed(shuffle);
    stream.set_stream(u64::from_le_bytes(*b"row bits"));
    let mut bits: Vec<(u64, usize)> = Vec::new();
    for row in 0..rows {
        bits.push((stream.next_u64(), row));
        stream.next_u64();
    }
    bits.sort_unstable();
    bits.into_iter().map(|(_, row)| row).collect()
}

/// An adversary who knows the table, the program and that seeds are small numbers. Where keys followed from seeds, the
/// guess of the seed put every row in its place.
#[test]
fn an_attacker_who_guesses_the_seed_does_not_learn_which_row_is_whose() {
    let desk = Desk::new();
    let release = desk.path("release");
    desk.release("release", &AnonymizeOptions { seed: Some(7), algorithm: "mondrian".into(), ..desk.options() })
        .unwrap();
    // Visits and diagnosis are published unchanged, and are the last columns of both.
    let kept = |file: &Path| -> Vec<[String; 2]> {
        let text = std::fs::read_to_string(file).unwrap();
        let cells = |line: &str| {
            let mut cells = line.rsplit(',').map(String::from);
            std::array::from_fn(|_| cells.next().unwrap())
        };
        text.lines().skip(1).map(cells).collect()
    };
    let (original, published) = (kept(&desk.path("patients.csv")), kept(&release.join("data.csv")));
    assert_eq!(original.len(), published.len());
    let right = |key: &[u8]| {
        let order = order(key, original.len());
        order.iter().zip(&published).filter(|(row, published)| original[**row] == **published).count()
    };
    let guesses = (0..1000u64).map(|seed| Sha256::digest([b"incrowd seed ".as_slice(), &seed.to_le_bytes()].concat()));
    let best = guesses.map(|key| right(&key)).max().unwrap();
    assert!(best < original.len() / 3, "{best} of {} rows are in the place that a guess gives", original.len());
    // The attack is a real one: with the key of the record it finds every row.
    let key = Record::of(&release).unwrap().unwrap().randomness.key;
    let key: Vec<u8> = (0..32).map(|at| u8::from_str_radix(&key[2 * at..][..2], 16).unwrap()).collect();
    assert_eq!(right(&key), original.len());
}

#[test]
fn what_a_time_limit_stopped_is_told_and_cannot_be_repeated() {
    let desk = Desk::new();
    let options = AnonymizeOptions { time: Some(Duration::ZERO), ..desk.options() };
    let made = desk.release("release", &options).unwrap();
    assert!(made.cut_short && made.repeatability == Repeatability::TimeLimit);
    let told = "The time limit stopped the search for classes, the search for a lower bound and the loss–k curve of the \
                report. A second run may find other classes: this release cannot be repeated exactly.";
    assert!(made.notes.iter().any(|note| note == told), "{:?}", made.notes);
    let page = std::fs::read_to_string(desk.path("release").join("report.html")).unwrap();
    assert!(page.contains("this release cannot be repeated exactly") && !page.contains("byte for byte"));
    let again = AnonymizeOptions { repeat: Some(desk.path("release.internal")), ..desk.options() };
    let refused = desk.release("again", &again).unwrap_err();
    assert_eq!(refused.code(), "IC540");
    assert!(refused.to_string().contains("its search was stopped before its end"), "{refused}");
    assert!(!desk.path("again").exists());
}

#[test]
fn a_key_is_never_used_for_other_bytes() {
    let desk = Desk::new();
    desk.release("release", &desk.options()).unwrap();
    let repeat = Some(desk.path("release.internal"));
    let coarser = AnonymizeOptions { policy: incrowd::core::Policy::k_anonymity(20), ..desk.options() };
    for other in [coarser, AnonymizeOptions { format: Format::Arrow, ..desk.options() }] {
        let refused = desk.release("other", &AnonymizeOptions { repeat: repeat.clone(), ..other }).unwrap_err();
        assert_eq!(refused.code(), "IC613", "{refused}");
        assert!(!desk.path("other").exists() && !desk.path("other.internal").exists());
    }
    let nowhere = AnonymizeOptions { repeat: Some(desk.path("nowhere.internal")), ..desk.options() };
    assert_eq!(desk.release("other", &nowhere).unwrap_err().code(), "IC605");
}

/// Enters the checksum of a file of a record, as it is now, into the list of the record's files.
fn list_anew(record: &Path, name: &str) {
    let path = record.join("contents.json");
    let mut list: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let digest = Sha256::digest(std::fs::read(record.join(name)).unwrap());
    let files = list["files"].as_array_mut().unwrap();
    let entry = files.iter_mut().find(|file| file["name"] == name).unwrap();
    entry["sha256"] = digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
    std::fs::write(path, list.to_string()).unwrap();
}

#[test]
fn the_record_of_an_earlier_version_is_refused() {
    let desk = Desk::new();
    desk.release("release", &desk.options()).unwrap();
    let file = desk.path("release.internal").join("record.json");
    let mut record: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    record.as_object_mut().unwrap().remove("files");
    record["randomness"].as_object_mut().unwrap().remove("repeatability");
    std::fs::write(&file, record.to_string()).unwrap();
    list_anew(&desk.path("release.internal"), "record.json");
    let refused = desk.release("again", &AnonymizeOptions { repeat: Some(file), ..desk.options() }).unwrap_err();
    assert_eq!(refused.code(), "IC540");
}
