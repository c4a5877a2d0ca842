//! Promises about a population: the people who match a class are counted along hierarchies.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_verify::{
    Against, FaultKind, Format, Options, PopulationEntry, PopulationTable, Role, Technique, Verdict, VerifyError,
    population_sha256, verify,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Draft, kinds, row};

const TOWNS: &str = "Ulm,Germany,*\nBonn,Germany,*\nWien,Austria,*\nGraz,Austria,*\n";
/// Three people match the class of Germans, two that of Austrians, two none.
const PEOPLE: &str = "age,town,count\n21,Ulm,1\n25,Bonn,1\n29,Ulm,1\n30,Ulm,1\n41,Wien,1\n50,Graz,1\n33,Paris,1\n";

/// A release of these rows, with a policy of one model and the population of the manifest.
fn draft(rows: &[[&str; 2]], model: &str, parameters: &Value, people: &str) -> (Draft, PopulationTable) {
    let quasi_identifier = |name| (name, Role::QuasiIdentifier, Technique::Generalized);
    let cells = rows.iter().map(|cells| row(cells)).collect();
    let mut draft = Draft::new(Format::Csv, &[quasi_identifier("age"), quasi_identifier("town")], cells);
    draft.manifest.policy =
        serde_json::from_value(json!({ "models": [{ "model": model, "parameters": parameters }] })).unwrap();
    let size = |class: &[&str; 2]| rows.iter().filter(|other| *other == class).count() as u64;
    let classes: BTreeSet<&[&str; 2]> = rows.iter().collect();
    draft.manifest.classes = classes.len() as u64;
    draft.manifest.smallest_class = classes.into_iter().map(size).min().unwrap();
    let (path, towns) = (draft.folder.path().join("people.csv"), draft.folder.path().join("towns.csv"));
    std::fs::write(&path, people).unwrap();
    std::fs::write(&towns, TOWNS).unwrap();
    let rows = people.lines().count() as u64 - 1;
    let sha256 = population_sha256(&path).unwrap();
    draft.manifest.population = Some(PopulationEntry { rows, people: rows, count_column: None, sha256 });
    draft.write();
    let table = Against { hierarchies: BTreeMap::from([("town".to_string(), towns)]), ..Against::csv(path) };
    (draft, PopulationTable { table, count_column: None })
}

fn verdict(draft: &Draft, population: Option<PopulationTable>) -> Verdict {
    verify(&draft.dir(), &Options { population, ..Options::default() }).unwrap()
}

fn judged(rows: &[[&str; 2]], model: &str, parameters: &Value) -> Verdict {
    let (draft, population) = draft(rows, model, parameters, PEOPLE);
    verdict(&draft, Some(population))
}

fn messages(verdict: &Verdict) -> Vec<&str> {
    verdict.faults.iter().map(|fault| fault.message.as_str()).collect()
}

const TWO_CLASSES: [[&str; 2]; 3] = [["[20, 30)", "Germany"], ["[20, 30)", "Germany"], ["*", "Austria"]];

#[test]
fn k_map_counts_the_people_who_match_each_class() {
    let found = judged(&TWO_CLASSES, "k-map", &json!({ "k": 2 }));
    assert!(found.verified && found.models[0].holds && found.notes.is_empty(), "{found:?}");
    let found = judged(&TWO_CLASSES, "k-map", &json!({ "k": 3 }));
    assert_eq!(messages(&found), ["k-map does not hold in 1 of 2 classes"]);
    assert_eq!((found.models[0].holds, found.models[0].classes_failing), (false, 1));
    assert_eq!(kinds(&found), [FaultKind::Promise]);
}

#[test]
fn more_rows_than_people_are_noted() {
    let note = "1 of 2 classes have more rows than people of the population who surely match them: the population is coarser \
                than the table there, or lacks people of it";
    let rows = [["[20, 30)", "Germany"], ["*", "Austria"], ["*", "Austria"], ["*", "Austria"]];
    assert_eq!(judged(&rows, "k-map", &json!({ "k": 1 })).notes, [note]);
    assert!(judged(&rows[..3], "k-map", &json!({ "k": 1 })).notes.is_empty());
}

#[test]
fn presence_is_within_its_bounds_and_everyone_matches_one_class() {
    let apart = [["[20, 30)", "Germany"], ["[20, 30)", "Germany"], ["[40, 60)", "Austria"]];
    // Two rows of three people, and one row of two.
    assert!(judged(&apart, "delta-presence", &json!({ "max": "2/3" })).verified);
    let found = judged(&apart, "delta-presence", &json!({ "max": "3/5" }));
    assert_eq!(messages(&found), ["delta-presence does not hold in 1 of 2 classes"]);
    let found = judged(&apart, "delta-presence", &json!({ "min": "1/2", "max": "2/3" }));
    assert_eq!(messages(&found), ["delta-presence: 2 people of the population match no class"]);
    let all = [["*", "*"]; 5];
    assert!(judged(&all, "delta-presence", &json!({ "min": "5/7", "max": "5/7" })).verified);
    // Someone of Ulm may be in both.
    let rows = [["*", "Germany"], ["*", "Ulm"]];
    let found = judged(&rows, "delta-presence", &json!({ "max": 1 }));
    let why = "delta-presence: published labels overlap, so that a person may be in several classes";
    assert_eq!(messages(&found), [why]);
    assert!(judged(&rows, "k-map", &json!({ "k": 3 })).verified);
}

#[test]
fn without_the_population_its_promise_is_not_checked() {
    let (with, _) = draft(&TWO_CLASSES, "k-map", &json!({ "k": 9 }), PEOPLE);
    let found = verdict(&with, None);
    assert!(found.verified && found.models.is_empty());
    assert_eq!((found.not_checked.len(), found.not_checked[0].model.as_str(), found.notes.len()), (1, "k-map", 1));
    let (mut without, population) = draft(&TWO_CLASSES, "k-map", &json!({ "k": 1 }), PEOPLE);
    without.manifest.population = None;
    without.seal_as_is();
    assert_eq!(kinds(&verdict(&without, Some(population))), [FaultKind::Policy]);
}

#[test]
fn another_population_is_refused() {
    let empty = tempfile::NamedTempFile::new().unwrap();
    let of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(population_sha256(empty.path()).unwrap(), of_nothing);
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(population_sha256(folder.path()), Err(VerifyError::Population(_))));
    let changed = |change: &dyn Fn(&mut PopulationEntry)| {
        let (mut draft, population) = draft(&TWO_CLASSES, "k-map", &json!({ "k": 2 }), PEOPLE);
        change(draft.manifest.population.as_mut().unwrap());
        draft.seal_as_is();
        let found = verdict(&draft, Some(population));
        assert_eq!(kinds(&found), [FaultKind::Population]);
        found.faults[0].message.clone()
    };
    let bytes = "the population is another one: its bytes are not those of the manifest";
    assert_eq!(changed(&|said| said.sha256 = "0".repeat(64)), bytes);
    let counts = "the population has 7 rows for 7 people, but the manifest says";
    assert_eq!(changed(&|said| said.people = 8), format!("{counts} 7 and 8"));
    assert_eq!(changed(&|said| said.rows = 6), format!("{counts} 6 and 7"));
}

#[test]
fn a_count_column_says_how_many_people_a_row_stands_for() {
    let asked = |people: &str, column: &str, total: u64| {
        let (mut draft, mut population) = draft(&TWO_CLASSES, "k-map", &json!({ "k": 10 }), people);
        draft.manifest.population.as_mut().unwrap().people = total;
        draft.seal_as_is();
        population.count_column = Some(column.to_string());
        verify(&draft.dir(), &Options { population: Some(population), ..Options::default() })
    };
    let people = "age,town,count\n21,Ulm,4\n21,Ulm,4\n25,Bonn,2\n41,Wien,10\n";
    assert!(asked(people, "count", 20).unwrap().verified);
    assert_eq!(asked(&people.replace(",2\n", ",1\n"), "count", 19).unwrap().models[0].classes_failing, 1);
    let missing = asked(people, "people", 20).unwrap();
    assert_eq!(messages(&missing), ["the population has no column people"]);
    let broken = asked(&people.replace(",2\n", ",many\n"), "count", 18);
    assert!(matches!(broken, Err(VerifyError::Population(_))), "{broken:?}");
    let lacking = asked("age,city\n21,Ulm\n", "count", 1).unwrap();
    assert_eq!(messages(&lacking), ["the population does not have all quasi-identifiers of the release as columns"]);
}

/// The labels that contain a town.
fn containing(town: &str) -> Vec<&'static str> {
    let line = TOWNS.lines().find(|line| line.starts_with(town)).unwrap();
    line.split(',').collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn matching_equals_a_double_loop(
        rows in prop::collection::vec((
            prop::sample::select(vec!["1", "2", "[1, 2]", "[1, 5)", "*"]),
            prop::sample::select(vec!["Ulm", "Bonn", "Wien", "Germany", "Austria", "*"]),
        ), 1..12),
        people in prop::collection::vec((1u32..6, prop::sample::select(vec!["Ulm", "Bonn", "Wien", "Graz"])), 1..12),
        k in 1u64..5,
    ) {
        let lines: String = people.iter().map(|(age, town)| format!("{age},{town}\n")).collect();
        let rows: Vec<[&str; 2]> = rows.into_iter().map(|(age, town)| [age, town]).collect();
        let (draft, population) = draft(&rows, "k-map", &json!({ "k": k }), &format!("age,town\n{lines}"));
        let matches = |class: &[&str; 2], (age, town): &(u32, &str)| {
            let of_age = match class[0] {
                "*" => true,
                "[1, 2]" => *age <= 2,
                "[1, 5)" => *age < 5,
                single => single == age.to_string(),
            };
            of_age && containing(town).contains(&class[1])
        };
        let classes: BTreeSet<&[&str; 2]> = rows.iter().collect();
        let matching = |class: &&[&str; 2]| people.iter().filter(|person| matches(class, person)).count() as u64;
        let expected = classes.iter().filter(|class| matching(class) < k).count() as u64;
        prop_assert_eq!(verdict(&draft, Some(population)).models[0].classes_failing, expected);
    }
}
