//! A release in two tables: each row's class is the same in both, and nothing else joins them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use incrowd_core::{FrequencyTable, Recoding};
use incrowd_engine::{Format, Question, Settings};

use crate::releases::{FORMATS, Job, Published, by_chance, read};
use crate::support::{Desk, Rows, question};

/// Two quasi-identifiers, a protected secret, and a number for each row once for each table.
fn people(rows: usize) -> Rows {
    let mut table = Rows::generate(50, rows, &[7, 5, 3]);
    table.names.extend(["id".into(), "other id".into()]);
    for (id, row) in table.rows.iter_mut().enumerate() {
        row.extend([id.to_string(), id.to_string()]);
    }
    table
}

fn job(desk: &Desk, rows: &Rows) -> Job {
    let source = desk.open(&desk.write("t.csv", rows.csv())).unwrap();
    let asked = Question { sensitive: vec!["c2".into()], ..question(&["c0", "c1"]) };
    let job = Job::new(desk, source, &asked, &[], |table: &FrequencyTable| by_chance(table, 40));
    job.in_two_tables(&["id"], &["c2", "other id"])
}

fn both(desk: &Desk, job: &Job, folder: &str, format: Format) -> [PathBuf; 2] {
    let (applied, _) = job.publish(desk, folder, format).unwrap();
    assert_eq!(applied.files.len(), 2);
    assert!(applied.files.iter().all(|file| file.rows == applied.rows));
    [0, 1].map(|at| Path::new(&desk.path(folder)).join(&applied.files[at].name))
}

fn column<T: std::str::FromStr>((names, rows): &Published, name: &str) -> Vec<T> {
    let at = names.iter().position(|other| other == name).unwrap();
    rows.iter().map(|row| row[at].as_ref().unwrap().parse().ok().unwrap()).collect()
}

#[test]
fn a_row_has_the_same_class_in_both_tables_and_classes_have_their_rows() {
    let (desk, rows) = (Desk::new(), people(3000));
    let job = job(&desk, &rows);
    for format in FORMATS {
        let [first, second] = both(&desk, &job, format.name(), format).map(|path| read(&path));
        assert_eq!(first.0, ["c0", "c1", "id", "class"], "{format:?}");
        assert_eq!(second.0, ["class", "c2", "other id"], "{format:?}");
        let (ids, classes) = (column::<usize>(&first, "id"), column::<u32>(&first, "class"));
        let in_first: BTreeMap<usize, u32> = ids.into_iter().zip(classes).collect();
        let (ids, classes) = (column::<usize>(&second, "other id"), column::<u32>(&second, "class"));
        let in_second: BTreeMap<usize, u32> = ids.into_iter().zip(classes).collect();
        assert_eq!(in_first, in_second, "the class of each row");
        for row in first.1 {
            let original = &rows.rows[row[2].as_ref().unwrap().parse::<usize>().unwrap()];
            assert_eq!([row[0].as_ref(), row[1].as_ref()], [original.first(), original.get(1)], "as it is");
        }
        let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
        in_first.values().for_each(|&class| *sizes.entry(class).or_default() += 1);
        let mut expected = vec![0; job.recoding.classes()];
        for &(class, rows) in (0..job.table.tuples()).flat_map(|tuple| job.recoding.targets(tuple)) {
            if class != Recoding::WITHHELD {
                expected[class as usize] += rows;
            }
        }
        assert_eq!(sizes.keys().copied().collect::<Vec<_>>(), (1..=40).collect::<Vec<_>>());
        let (mut found, in_order) = (sizes.into_values().collect::<Vec<_>>(), expected.clone());
        assert_ne!(found, in_order, "classes are numbered by chance");
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn neither_table_says_how_the_other_or_the_input_is_ordered() {
    let (desk, rows) = (Desk::new(), people(4000));
    let [first, second] = both(&desk, &job(&desk, &rows), "out", Format::Csv).map(|path| read(&path));
    let (one, other) = (column::<usize>(&first, "id"), column::<usize>(&second, "other id"));
    let fixed = |a: &[usize], b: &[usize]| a.iter().zip(b).filter(|(a, b)| a == b).count();
    let mut input = one.clone();
    input.sort_unstable();
    assert_eq!(input.iter().copied().collect::<BTreeSet<_>>(), other.iter().copied().collect::<BTreeSet<_>>());
    let backwards: Vec<usize> = other.iter().rev().copied().collect();
    for (a, b) in [(&one, &other), (&one, &backwards), (&one, &input), (&other, &input)] {
        assert!(fixed(a, b) < 10, "one place in common is expected");
    }
}

#[test]
fn a_key_gives_the_same_two_tables_whatever_the_threads_and_through_the_disk() {
    let rows = people(140_000);
    let mut known: Option<Vec<Vec<u8>>> = None;
    for (threads, memory) in [(1, None), (3, None), (2, Some(6 << 20))] {
        let desk = Desk::with(&Settings { threads: Some(threads), memory, ..Settings::default() });
        let job = job(&desk, &rows);
        let mut bytes = Vec::new();
        for format in FORMATS {
            let (applied, _) = job.publish(&desk, format.name(), format).unwrap();
            assert_eq!(applied.spilled_bytes > 0, memory.is_some());
            let path = |name: &String| Path::new(&desk.path(format.name())).join(name);
            bytes.extend(applied.files.iter().map(|file| std::fs::read(path(&file.name)).unwrap()));
        }
        assert!(*known.get_or_insert(bytes.clone()) == bytes, "{threads} threads, memory {memory:?}");
        assert!(desk.left_behind().is_empty());
    }
}
