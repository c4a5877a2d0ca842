//! What is said of classes with the people who match them, and of populations whose cells are written otherwise.

use std::path::Path;

use serde_json::{Value, json};

use super::*;
use crate::manifest::{Policy, PopulationEntry, Technique};
use crate::models::questions;
use crate::options::Against;
use crate::read::{CellEncoder, MISSING, RowSink};
use crate::release::small::{self, told};

/// Counts these rows as a release; an empty text is the missing value. The texts of `known` have the first codes of each
/// column.
pub(super) fn published(known: &[&str], rows: &[&[&str]]) -> Counter {
    let width = rows.first().map_or(1, |row| row.len());
    let mut counter = Counter::new((0..width).map(|_| CellEncoder::plain()).collect(), width);
    let mut columns = vec![Vec::new(); width];
    for (at, (encoder, column)) in counter.encoders().iter_mut().zip(&mut columns).enumerate() {
        for text in known {
            encoder.texts.intern(text);
        }
        column.extend(rows.iter().map(|row| if row[at].is_empty() { MISSING } else { encoder.texts.intern(row[at]) }));
    }
    counter.add(&columns, rows.len());
    counter
}

/// A column of quasi-identifiers.
pub(super) fn quasi(name: &str, technique: Technique) -> ColumnEntry {
    small::column(name, Role::QuasiIdentifier, technique)
}

/// A population of which only the hierarchies are read.
pub(super) fn population() -> PopulationTable {
    PopulationTable { table: Against::csv("nowhere.csv"), count_column: None }
}

/// The labels of each column of what was published, of a population with these codes; they describe themselves.
pub(super) fn labels(values: &[Vec<u32>], published: &Counter) -> Vec<LabelsOfValues> {
    let (column, population, options) = (quasi("age", Technique::Generalized), population(), Options::default());
    let of = |(at, values): (usize, &Vec<u32>)| {
        LabelsOfValues::new(&column, values, published, at, &population, &options).expect("no hierarchy is read")
    };
    values.iter().enumerate().map(of).collect()
}

fn asked(models: &[(&str, Value)]) -> Vec<ModelQuestion> {
    let rule = |(model, parameters): &(&str, Value)| json!({ "model": model, "parameters": parameters });
    let models: Vec<Value> = models.iter().map(rule).collect();
    let policy: Policy = serde_json::from_value(json!({ "models": models })).expect("a policy");
    let (questions, faults) = questions(&policy);
    assert_eq!(told(&faults), [""; 0]);
    questions
}

#[test]
fn each_demand_on_classes_and_on_the_release_is_told_alone() {
    // In the first column 7 lies under two labels, in the second under one.
    let release = published(&["7"], &[&["[0, 10)", "[0, 10)"], &["[5, 9]", "[0, 10)"]]);
    let mut two = labels(&[vec![1], vec![1]], &release);
    let apart = two.pop().expect("two columns");
    let overlapping = two.pop().expect("two columns");
    assert_eq!((overlapping.overlap(), apart.overlap()), (true, false));
    let (both, of_second) = ([overlapping, apart], labels(&[vec![], vec![1]], &release));
    let only_apart = &of_second[1..];
    let overlap = "published labels overlap, so that a person may be in several classes";
    let delta = |said: &str| format!("Promise: delta-presence: {said}");
    let fails = |model: &str, failing: u64| format!("Promise: {model} does not hold in {failing} of 2 classes");
    let (min, max) = (json!({ "min": "1/2", "max": 1 }), json!({ "max": 1 }));
    let none = |people: u64| delta(&format!("{people} people of the population match no class"));
    for (model, parameters, classes, of_several, of_none, labels, expected) in [
        ("delta-presence", &max, [(2, 4), (2, 2)], 0, 0, only_apart, vec![]),
        ("delta-presence", &max, [(2, 4), (2, 2)], 0, 0, &both[..0], vec![]),
        ("delta-presence", &max, [(2, 4), (2, 2)], 1, 0, only_apart, vec![delta(overlap)]),
        ("delta-presence", &max, [(2, 4), (2, 2)], 1, 0, &both[..0], vec![delta(overlap)]),
        ("delta-presence", &max, [(2, 4), (2, 2)], 0, 0, &both[..], vec![delta(overlap)]),
        ("delta-presence", &max, [(2, 4), (2, 2)], 0, 0, &both[..1], vec![delta(overlap)]),
        ("delta-presence", &max, [(2, 4), (2, 2)], 2, 0, &both[..], vec![delta(overlap)]),
        ("delta-presence", &max, [(2, 4), (2, 2)], 0, 9, only_apart, vec![]),
        ("delta-presence", &min, [(2, 4), (2, 2)], 0, 0, only_apart, vec![]),
        ("delta-presence", &min, [(2, 4), (2, 2)], 0, 1, only_apart, vec![none(1)]),
        (
            "delta-presence",
            &min,
            [(2, 5), (2, 1)],
            1,
            3,
            &both[..],
            vec![fails("delta-presence", 2), delta(overlap), none(3)],
        ),
        ("k-map", &json!({ "k": 2 }), [(2, 4), (1, 2)], 7, 7, &both[..], vec![]),
        ("k-map", &json!({ "k": 3 }), [(2, 4), (1, 2)], 7, 7, &both[..], vec![fails("k-map", 1)]),
        ("k-map", &json!({ "k": 5 }), [(2, 4), (1, 2)], 7, 7, &both[..], vec![fails("k-map", 2)]),
    ] {
        let found = MatchedClasses { classes: classes.to_vec(), of_several, of_none };
        let mut verdict = Verdict::default();
        judge(&asked(&[(model, parameters.clone())]), &found, labels, &mut verdict);
        let case = format!("{model} {parameters} {classes:?} {of_several} {of_none}");
        assert_eq!(told(&verdict.faults), expected, "{case}");
        assert_eq!((verdict.models.len(), verdict.models[0].holds), (1, expected.is_empty()), "{case}");
    }
}

#[test]
fn classes_with_more_rows_than_people_are_counted_once_for_all_models() {
    let questions = asked(&[("k-map", json!({ "k": 1 })), ("k-map", json!({ "k": 2 }))]);
    for (classes, lacking) in
        [(vec![], 0), (vec![(2, 2), (2, 3)], 0), (vec![(2, 2), (3, 2)], 1), (vec![(3, 2), (2, 2), (4, 3), (9, 0)], 3)]
    {
        let (all, mut verdict) = (classes.len(), Verdict::default());
        judge(&questions, &MatchedClasses { classes, of_several: 0, of_none: 0 }, &[], &mut verdict);
        let note = format!(
            "{lacking} of {all} classes have more rows than people of the population who surely match them: the \
             population is coarser than the table there, or lacks people of it"
        );
        assert_eq!(verdict.notes, vec![note; usize::from(lacking > 0)]);
        assert_eq!(verdict.models.len(), 2);
    }
}

/// What is said of a release of these days and sizes, whose population is read so.
fn said(dir: &Path, people: &str, read: impl FnOnce(PopulationTable) -> PopulationTable, k: u64) -> Verdict {
    let mut manifest = small::manifest();
    manifest.columns = vec![quasi("born", Technique::Generalized), quasi("size", Technique::Generalized)];
    let data = "born,size\n1984-05,\"[1, 2)\"\n1984-05,\"[1, 2)\"\n1990s,*\n";
    small::write(dir, &mut manifest, &[("data.csv", data)]);
    let path = dir.join("people");
    std::fs::write(&path, people).expect("the disk has room");
    let sha256 = population_sha256(&path).expect("it was just written");
    manifest.population = Some(PopulationEntry { rows: 3, people: 3, count_column: None, sha256 });
    let table = Against { delimiter: b';', ..Against::csv(path) };
    let population = Some(read(PopulationTable { table, count_column: None }));
    let release = Release::new(dir, &manifest, manifest.files.iter().collect(), None);
    let (options, mut verdict) = (Options { population, ..Options::default() }, Verdict::default());
    check(&release, &asked(&[("k-map", json!({ "k": k }))]), &options, &mut verdict).expect("a population");
    verdict
}

#[test]
fn dates_and_decimal_commas_of_a_population_are_read_as_it_writes_them() {
    let people = "size;born\n1,5;31.05.1984\n1,75;01.05.1984\n7;02.03.1991\n";
    let folder = tempfile::tempdir().expect("a folder");
    let in_its_form = |mut population: PopulationTable| {
        population.table.date_formats.insert("born".into(), "%d.%m.%Y".into());
        population.table.decimal_commas.insert("size".into());
        population
    };
    let verdict = said(folder.path(), people, in_its_form, 1);
    assert_eq!((told(&verdict.faults), verdict.notes), (vec![], vec![]));
    let verdict = said(folder.path(), people, in_its_form, 2);
    assert_eq!(told(&verdict.faults), ["Promise: k-map does not hold in 1 of 2 classes"]);
    let verdict = said(folder.path(), people, |population| population, 1);
    assert_eq!(told(&verdict.faults), ["Promise: k-map does not hold in 2 of 2 classes"]);
}

#[test]
fn another_number_of_rows_or_people_is_told_with_both_numbers() {
    let folder = tempfile::tempdir().expect("a folder");
    for (people, rows) in [("size;born\n1;1984-05-31\n", 1), ("size;born\n1;1984-05-31\n2;1990-01-01\n;\n;\n", 4)] {
        let expected =
            format!("Population: the population has {rows} rows for {rows} people, but the manifest says 3 and 3");
        let verdict = said(folder.path(), people, |population| population, 1);
        assert_eq!(told(&verdict.faults)[..1], [expected]);
    }
}
