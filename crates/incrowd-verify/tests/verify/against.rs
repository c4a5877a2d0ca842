//! With the original at hand: is every published row true?

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd_verify::{
    Against, Count, FaultKind, Format, Labels, Options, Role, Technique, Verdict, VerifyError, verify, verify_staged,
};
use proptest::prelude::*;

use crate::support::{Draft, ORIGINAL, Row, kinds, row, write_batch, write_table};

const TOWNS: &str = "Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;*\n\"Graz\";Austria;*\n";

pub(crate) fn written(draft: &Draft, name: &str, text: &str) -> PathBuf {
    let path = draft.folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

pub(crate) fn against(draft: &Draft, original: &str) -> Against {
    Against {
        nulls: vec!["?".into()],
        hierarchies: BTreeMap::from([("town".to_string(), written(draft, "town.csv", TOWNS))]),
        ..Against::csv(written(draft, "original.csv", original))
    }
}

pub(crate) fn verified(draft: &Draft, against: Against) -> Verdict {
    verify(&draft.dir(), &Options { against: Some(against), ..Options::default() }).unwrap()
}

/// The faults of a changed but resealed release, held against an original.
pub(crate) fn faults(original: &str, change: impl FnOnce(&mut Draft)) -> Vec<FaultKind> {
    let mut draft = Draft::honest(Format::Csv);
    change(&mut draft);
    draft.write();
    let against = against(&draft, original);
    kinds(&verified(&draft, against))
}

#[test]
fn an_honest_release_is_true_in_every_format() {
    for format in [Format::Csv, Format::Parquet, Format::Arrow, Format::Xlsx] {
        let mut draft = Draft::honest(format);
        draft.write();
        let against = against(&draft, ORIGINAL);
        assert_eq!(verified(&draft, against).faults, [], "{format:?}");
    }
}

#[test]
fn the_original_may_stand_in_every_format() {
    for format in [Format::Parquet, Format::Arrow] {
        let mut draft = Draft::honest(Format::Csv);
        draft.write();
        let mut against = against(&draft, ORIGINAL);
        let mut lines = ORIGINAL.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
        let names = lines.next().unwrap();
        let rows: Vec<Row> =
            lines.map(|line| line.into_iter().map(|cell| (!cell.is_empty()).then_some(cell)).collect()).collect();
        against.path = draft.folder.path().join("original");
        against.format = format;
        write_table(&against.path, format, &names, &rows);
        assert_eq!(verified(&draft, against).faults, [], "{format:?}");
    }
}

#[test]
fn a_null_marker_is_a_missing_value() {
    assert_eq!(faults(&ORIGINAL.replace("Hugo,,", "Hugo,?,"), |_| {}), []);
}

#[test]
fn a_spelling_of_the_original_may_be_published_as_another_of_the_same_word() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let original = ORIGINAL.replacen(",flu,", ",Flu ,", 1);
    let told = |spelled: &str, read_as: &str| {
        let mut against = against(&draft, &original);
        let spellings = BTreeMap::from([(spelled.to_string(), read_as.to_string())]);
        against.spellings = BTreeMap::from([("illness".to_string(), spellings)]);
        verify(&draft.dir(), &Options { against: Some(against), ..Options::default() })
    };
    assert_eq!(told("Flu ", "flu").unwrap().faults, []);
    assert_eq!(kinds(&told("FLU", "flu").unwrap()), [FaultKind::Untruthful], "the spelling is not known");
    assert!(told("Flu ", "cold").is_err(), "another word is no spelling");
}

#[test]
fn sensitive_values_swapped_across_classes_are_untruthful() {
    let swapped = faults(ORIGINAL, |draft| {
        draft.rows[0][2] = Some("flu".into());
        draft.rows[1][2] = Some("cold".into());
        draft.manifest.policy.models.truncate(1);
    });
    assert_eq!(swapped, [FaultKind::Untruthful]);
}

#[test]
fn an_untruthful_generalization_is_told() {
    for (column, from, to) in
        [(0, "[20, 30)", "[20, 29)"), (0, "*", "[40, 50)"), (1, "Austria", "Germany"), (1, "Ulm", "Bon*")]
    {
        let told = faults(ORIGINAL, |draft| {
            for row in &mut draft.rows {
                if row[column].as_deref() == Some(from) && (column == 1 || row[1].as_deref() != Some("Ulm")) {
                    row[column] = Some(to.into());
                }
            }
            draft.manifest.policy.models.truncate(1);
        });
        assert!(told.contains(&FaultKind::Untruthful), "{to}: {told:?}");
    }
}

#[test]
fn lost_and_invented_rows_are_told() {
    let short = ORIGINAL.replace("Gina,47,Wien,cold,b\n", "");
    assert_eq!(faults(&short, |_| {}), [FaultKind::LostOrInvented, FaultKind::Untruthful]);
    assert_eq!(faults(&format!("{ORIGINAL}Ida,45,Wien,flu,a\n"), |_| {}), [FaultKind::LostOrInvented]);
}

#[test]
fn suppressed_rows_are_what_is_left() {
    let withheld = faults(&format!("{ORIGINAL}Ida,99,Rom,flu,a\n"), |draft| {
        (draft.manifest.source_rows, draft.manifest.suppressed_rows) = (9.into(), 1.into());
        draft.manifest.policy.suppression = 0.12;
    });
    assert_eq!(withheld, []);
}

#[test]
fn the_original_says_exactly_what_the_manifest_tells_coarsely() {
    let withheld = |share: f64| {
        faults(&format!("{ORIGINAL}Ida,99,Rom,flu,a\n"), |draft| {
            draft.manifest.source_rows = Count::between(8, 17).unwrap();
            draft.manifest.suppressed_rows = Count::between(0, 9).unwrap();
            draft.manifest.policy.suppression = share;
        })
    };
    assert_eq!(withheld(0.12), []);
    assert_eq!(withheld(0.1), [FaultKind::Suppression], "1 of 9 rows is more than a tenth");
}

#[test]
fn numbers_are_compared_as_such_when_one_side_stores_them_as_such() {
    use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
    let columns = [("x", Role::QuasiIdentifier, Technique::Generalized), ("y", Role::Insensitive, Technique::Retained)];
    let rows = vec![row(&["[1, 3)", "0.50"]), row(&["[1, 3)", "1e3"])];
    let mut draft = Draft::new(Format::Csv, &columns, rows);
    draft.manifest.policy.models =
        serde_json::from_str(r#"[{ "model": "k-anonymity", "parameters": { "k": 2 } }]"#).unwrap();
    (draft.manifest.classes, draft.manifest.smallest_class) = (1, 2);
    draft.write();
    let x: ArrayRef = std::sync::Arc::new(Int64Array::from(vec![1, 2]));
    let y: ArrayRef = std::sync::Arc::new(Float64Array::from(vec![1000.0, 0.5]));
    let batch = RecordBatch::try_from_iter([("x", x), ("y", y)]).unwrap();
    let path = draft.folder.path().join("original.arrow");
    write_batch(&path, &batch);
    let against = Against { format: Format::Arrow, ..Against::csv(path) };
    assert_eq!(verified(&draft, against).faults, []);
}

#[test]
fn an_original_that_cannot_be_read_gives_no_verdict() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let mut gone = against(&draft, ORIGINAL);
    gone.path = draft.folder.path().join("gone.csv");
    let options = Options { against: Some(gone), ..Options::default() };
    assert!(matches!(verify(&draft.dir(), &options), Err(VerifyError::Original(_))));
    assert_eq!(faults("name,age,town,illness\n", |_| {}), [FaultKind::Columns]);
}

/// One row of an original: an age, a place, what is retained.
type Person = (u8, u8, u8);

const PLACES: [[&str; 3]; 4] = [["111", "11*", "*"], ["112", "11*", "*"], ["121", "12*", "*"], ["122", "12*", "*"]];

fn held_against(original: &[Person], published: Vec<Row>) -> Verdict {
    let columns = [
        ("age", Role::QuasiIdentifier, Technique::Generalized),
        ("place", Role::QuasiIdentifier, Technique::Generalized),
        ("kept", Role::Insensitive, Technique::Retained),
    ];
    let withheld = original.len() - published.len();
    let mut draft = Draft::new(Format::Csv, &columns, published);
    (draft.manifest.source_rows, draft.manifest.suppressed_rows) =
        ((original.len() as u64).into(), (withheld as u64).into());
    draft.write();
    let rows: Vec<Row> = original
        .iter()
        .map(|(age, place, kept)| {
            vec![Some(age.to_string()), Some(PLACES[*place as usize][0].into()), Some(kept.to_string())]
        })
        .collect();
    let path = draft.folder.path().join("original.csv");
    write_table(&path, Format::Csv, &draft.names, &rows);
    let options = Options { against: Some(Against::csv(path)), ..Options::default() };
    verify_staged(&draft.dir(), &draft.manifest, &options).unwrap()
}

pub(crate) fn is_true(verdict: &Verdict) -> bool {
    !kinds(verdict).iter().any(|kind| matches!(kind, FaultKind::Untruthful | FaultKind::LostOrInvented))
}

/// Each class of `size` people in a row recoded to what contains them all.
fn recoded(people: &[Person], size: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for class in people.chunks(size) {
        let (low, high) = (class.iter().map(|p| p.0).min().unwrap(), class.iter().map(|p| p.0).max().unwrap());
        let level = (0..3)
            .find(|&level| class.iter().all(|p| PLACES[p.1 as usize][level] == PLACES[class[0].1 as usize][level]));
        let place = PLACES[class[0].1 as usize][level.unwrap()];
        let age = if low == high { low.to_string() } else { format!("[{low}, {})", high + 1) };
        rows.extend(class.iter().map(|person| row(&[&age, place, &person.2.to_string()])));
    }
    rows
}

/// Whether some assignment makes every published row true, by trying all.
fn brute(people: &mut Vec<Person>, published: &[Row]) -> bool {
    let Some((first, rest)) = published.split_first() else { return true };
    (0..people.len()).any(|at| {
        let person = people[at];
        let [age, place, kept] = [0, 1, 2].map(|column| first[column].as_deref().unwrap());
        let age_fits = match age.strip_prefix('[').and_then(|rest| rest.strip_suffix(')')) {
            Some(bounds) => {
                let (low, high) = bounds.split_once(", ").unwrap();
                (low.parse().unwrap()..high.parse().unwrap()).contains(&person.0)
            }
            None => age == person.0.to_string(),
        };
        let fits = age_fits && PLACES[person.1 as usize].contains(&place) && kept == person.2.to_string();
        fits && {
            people.remove(at);
            let found = brute(people, rest);
            people.insert(at, person);
            found
        }
    })
}

fn people(most: usize) -> impl Strategy<Value = Vec<Person>> {
    prop::collection::vec((0u8..6, 0u8..4, 0u8..2), 2..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn an_honest_local_recoding_is_always_accepted(mut original in people(60), size in 1usize..5, withheld in 0usize..2) {
        let mut published = recoded(&original[withheld..], size);
        published.sort();
        original.reverse();
        prop_assert!(is_true(&held_against(&original, published)));
    }

    #[test]
    fn a_retained_value_that_no_person_has_is_refused(original in people(40), size in 1usize..5, at in any::<prop::sample::Index>()) {
        let mut published = recoded(&original, size);
        let at = at.index(published.len());
        published[at][2] = Some("9".into());
        prop_assert!(kinds(&held_against(&original, published)).contains(&FaultKind::Untruthful));
    }

    #[test]
    fn a_changed_recoding_is_accepted_exactly_when_some_assignment_exists(
        original in people(7),
        size in 1usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..3),
    ) {
        let mut published = recoded(&original, size);
        for (one, other) in changes {
            // Retained values swapped between two rows: sometimes another assignment makes it true again.
            let (one, other) = (one.index(published.len()), other.index(published.len()));
            let kept = published[one][2].clone();
            published[one][2] = published[other][2].clone();
            published[other][2] = kept;
        }
        let expected = brute(&mut original.clone(), &published);
        prop_assert_eq!(is_true(&held_against(&original, published)), expected);
    }
}

/// The town is read as a date, so that its labels are dates, and the original writes them in a form of its own.
#[test]
fn dates_of_the_original_are_read_as_they_are_written_there() {
    let dated = |draft: &mut Draft| {
        for row in &mut draft.rows {
            row[1] = row[1].as_deref().map(|town| match town {
                "Ulm" => "1980-04-03".into(),
                "Bonn" => "[1980-01-01, 1980-12-31]".into(),
                _ => "[1990-01-01, 1990-12-31]".into(),
            });
        }
    };
    let original = [("Ulm", "03.04.1980"), ("Bonn", "31.12.1980"), ("Wien", "02.01.1990"), ("Graz", "01.10.1990")]
        .iter()
        .fold(ORIGINAL.to_string(), |text, (town, day)| text.replace(town, day));
    let faults = |format: Option<&str>, original: &str| {
        let mut draft = Draft::honest(Format::Csv);
        dated(&mut draft);
        draft.write();
        let mut against = against(&draft, original);
        against.hierarchies.clear();
        against.date_formats.extend(format.map(|format| ("town".to_string(), format.to_string())));
        kinds(&verified(&draft, against))
    };
    assert_eq!(faults(Some("%d.%m.%Y"), &original), []);
    assert_eq!(faults(None, &original), [FaultKind::Untruthful]);
    assert_eq!(faults(Some("%m.%d.%Y"), &original), [FaultKind::Untruthful]);
    assert_eq!(faults(Some("%d.%m.%Y"), &original.replace("31.12.1980", "31.12.1981")), [FaultKind::Untruthful]);
}

#[test]
fn labels_that_are_said_to_describe_themselves_must() {
    let declared =
        |at: usize| faults(ORIGINAL, |draft| draft.manifest.columns[at].labels = Some(Labels::SelfDescribing));
    assert_eq!(declared(1), [], "ages are intervals");
    assert_eq!(declared(2), [FaultKind::Untruthful], "Austria is a name");
    assert_eq!(faults(ORIGINAL, |draft| draft.manifest.columns[2].labels = Some(Labels::Names)), []);
}
