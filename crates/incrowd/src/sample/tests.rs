//! What the sample is held to.
#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};

use incrowd_core::{Chunk, ChunkColumn, date_label};

use super::generator::{REFERENCE_YEAR, first_of_july};
use super::{Sample, hierarchies};

const QUASI_IDENTIFIERS: [&str; 8] =
    ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];

fn cells<'a>(chunk: &'a Chunk, column: &str) -> &'a ChunkColumn {
    &chunk.columns.iter().find(|(name, _)| name == column).unwrap().1
}

fn codes<'a>(chunk: &'a Chunk, column: &str) -> (&'a [u32], &'a [String]) {
    let ChunkColumn::Labels { codes, labels } = cells(chunk, column) else { panic!("{column} has labels") };
    (codes, labels)
}

fn integers<'a>(chunk: &'a Chunk, column: &str) -> &'a [i64] {
    let ChunkColumn::Integers(cells) = cells(chunk, column) else { panic!("{column} has numbers") };
    cells
}

fn dates<'a>(chunk: &'a Chunk, column: &str) -> &'a [i32] {
    let ChunkColumn::Dates(cells) = cells(chunk, column) else { panic!("{column} has dates") };
    cells
}

/// The table as one chunk.
fn whole(rows: u64, seed: u64) -> Chunk {
    Sample::new(rows, seed).chunks(rows as usize).next().unwrap()
}

/// For each row a number that is equal for equal tuples.
fn tuples(chunk: &Chunk, columns: &[&str]) -> Vec<u128> {
    let mut tuples = vec![0u128; chunk.rows()];
    for column in columns {
        let values: Vec<u128> = match cells(chunk, column) {
            ChunkColumn::Integers(cells) => cells.iter().map(|&cell| cell as u128).collect(),
            ChunkColumn::Dates(cells) => cells.iter().map(|&cell| (cell + 20_000) as u128).collect(),
            ChunkColumn::Labels { codes, .. } => codes.iter().map(|&code| u128::from(code)).collect(),
            ChunkColumn::Texts(_) => panic!("no text among the quasi-identifiers"),
        };
        let radix = values.iter().max().unwrap() + 1;
        tuples.iter_mut().zip(values).for_each(|(tuple, value)| *tuple = *tuple * radix + value);
    }
    tuples
}

fn distinct(tuples: &[u128]) -> usize {
    let mut tuples = tuples.to_vec();
    tuples.sort_unstable();
    tuples.dedup();
    tuples.len()
}

/// The share of rows with `chosen` among the rows that pass `condition`.
fn share(chunk: &Chunk, column: &str, chosen: &str, condition: impl Fn(usize) -> bool) -> f64 {
    let (codes, labels) = codes(chunk, column);
    let rows: Vec<usize> = (0..codes.len()).filter(|&row| condition(row)).collect();
    rows.iter().filter(|&&row| labels[codes[row] as usize] == chosen).count() as f64 / rows.len() as f64
}

#[test]
fn the_same_seed_gives_the_same_table_and_another_seed_another() {
    assert_eq!(whole(2_000, 7), whole(2_000, 7));
    assert_ne!(whole(2_000, 7), whole(2_000, 8));
}

#[test]
fn a_seed_gives_exactly_this_table() {
    let chunk = whole(3, 42);
    let row = |row: usize| {
        let show = |(_, cells): &(String, ChunkColumn)| match cells {
            ChunkColumn::Integers(cells) => cells[row].to_string(),
            ChunkColumn::Dates(cells) => date_label(cells[row]),
            ChunkColumn::Labels { codes, labels } => labels[codes[row] as usize].clone(),
            ChunkColumn::Texts(cells) => cells[row].clone(),
        };
        chunk.columns.iter().map(show).collect::<Vec<_>>().join(",")
    };
    let expected = [
        "P-ETMGTSS0DR,44,Federal-agency,High-school,Separated,Management,Mixed-or-other,Female,Mexico,78146,1980-05-11,\
         M17 Worn knee,<=50K",
        "P-ZSGPYZDVGH,28,Private-company,Grades-7-8,Married,Care-service,White,Male,United-States,84880,1995-11-29,\
         I10 High blood pressure,<=50K",
        "P-G3TZKPJXM9,18,Private-company,High-school,Married,Craft,White,Male,Ireland,52719,2006-04-15,\
         M54 Back pain,<=50K",
    ];
    assert_eq!([row(0), row(1), row(2)], expected);
}

#[test]
fn the_table_is_the_same_whatever_the_size_and_order_of_its_chunks() {
    let rows = Sample::CHUNK_ROWS + 1_000;
    let sample = Sample::new(rows, 3);
    let whole = whole(rows, 3);
    assert_eq!(sample.chunk_count(), 2);
    let (second, first) = (sample.chunk(1), sample.chunk(0));
    assert_eq!((first.rows(), second.rows(), sample.chunk(2).rows()), (65_536, 1_000, 0));
    let small: Vec<Chunk> = sample.chunks(9_999).collect();
    for parts in [vec![first, second], small] {
        for column in QUASI_IDENTIFIERS.iter().skip(1).chain(&["postcode", "diagnosis", "salary-class"]) {
            let joined: Vec<u32> = parts.iter().flat_map(|part| codes(part, column).0.iter().copied()).collect();
            assert_eq!(joined, codes(&whole, column).0, "{column}");
        }
        let births: Vec<i32> = parts.iter().flat_map(|part| dates(part, "birth-date").iter().copied()).collect();
        assert_eq!(births, dates(&whole, "birth-date"));
    }
}

#[test]
fn a_longer_table_starts_with_the_rows_of_a_shorter_one() {
    let (short, long) = (Sample::new(500, 1), Sample::new(5_000, 1));
    assert_eq!(short.chunk(0), long.chunks(500).next().unwrap());
}

#[test]
fn an_empty_table_has_no_chunk() {
    let empty = Sample::new(0, 1);
    assert_eq!((empty.rows(), empty.chunk_count(), empty.chunks(10).count()), (0, 0, 0));
}

#[test]
fn person_ids_are_unique_over_a_million_rows_and_in_no_order() {
    let sample = Sample::new(1_000_000, 5);
    let mut seen = HashSet::new();
    let mut ascents = 0;
    for chunk in sample.chunks(100_000) {
        let ChunkColumn::Texts(ids) = cells(&chunk, "person_id") else { panic!("ids are text") };
        assert!(ids.iter().all(|id| id.len() == 12 && id.starts_with("P-")));
        ascents += ids.windows(2).filter(|pair| pair[0] < pair[1]).count();
        seen.extend(ids.iter().cloned());
    }
    assert_eq!(seen.len(), 1_000_000);
    assert!((490_000..510_000).contains(&ascents), "{ascents}");
}

#[test]
fn everyone_has_the_age_that_follows_from_the_birth_date() {
    assert_eq!(date_label(first_of_july(REFERENCE_YEAR)), "2024-07-01");
    let chunk = whole(100_000, 2);
    for (&age, &birth) in integers(&chunk, "age").iter().zip(dates(&chunk, "birth-date")) {
        assert!((17..=90).contains(&age));
        let birthday = date_label(birth);
        let year: i64 = birthday[..4].parse().unwrap();
        let had_birthday = birthday[5..] <= *"07-01";
        assert_eq!(age, 2024 - year - i64::from(!had_birthday), "{birthday}");
    }
}

#[test]
fn every_label_that_is_not_missing_is_a_leaf_of_its_hierarchy_and_occurs() {
    let chunk = whole(300_000, 4);
    for (column, csv) in hierarchies() {
        let leaves: HashSet<&str> = csv.lines().map(|line| line.split(';').next().unwrap()).collect();
        let (codes, labels) = codes(&chunk, column);
        let labels_present: HashSet<&str> =
            labels.iter().map(String::as_str).filter(|label| !label.is_empty()).collect();
        assert_eq!(leaves, labels_present, "{column}");
        let used: HashSet<u32> = codes.iter().copied().collect();
        assert_eq!(used.len(), labels.len(), "{column}");
    }
}

#[test]
fn a_hierarchy_is_a_tree_of_equal_depth_under_one_top() {
    for (column, csv) in hierarchies() {
        let mut above: HashMap<(usize, &str), &str> = HashMap::new();
        let depth = csv.lines().next().unwrap().split(';').count();
        for line in csv.lines() {
            let nodes: Vec<&str> = line.split(';').collect();
            assert_eq!((nodes.len(), *nodes.last().unwrap()), (depth, "*"), "{line}");
            for (level, pair) in nodes.windows(2).enumerate() {
                assert_eq!(*above.entry((level, pair[0])).or_insert(pair[1]), pair[1], "{column}: {line}");
            }
        }
    }
}

#[test]
fn the_table_is_far_from_anonymous() {
    let chunk = whole(1_000_000, 1);
    let narrow = tuples(&chunk, &QUASI_IDENTIFIERS);
    assert!((50_000..80_000).contains(&distinct(&narrow[..100_000])), "{}", distinct(&narrow[..100_000]));
    assert!((330_000..480_000).contains(&distinct(&narrow)), "{}", distinct(&narrow));
    let wide = tuples(&chunk, &[&QUASI_IDENTIFIERS[..], &["postcode", "birth-date"]].concat());
    assert!(distinct(&wide) > 970_000, "{}", distinct(&wide));
}

#[test]
fn there_are_ten_thousand_postcodes_of_five_digits_and_some_start_with_zero() {
    let chunk = whole(300_000, 1);
    let (codes, labels) = codes(&chunk, "postcode");
    assert_eq!(labels.iter().collect::<HashSet<_>>().len(), 10_000);
    assert!(labels.iter().all(|label| label.len() == 5 && label.bytes().all(|byte| byte.is_ascii_digit())));
    let mut counts = vec![0u32; labels.len()];
    codes.iter().for_each(|&code| counts[code as usize] += 1);
    let leading_zero: u32 = (0..labels.len()).filter(|&at| labels[at].starts_with('0')).map(|at| counts[at]).sum();
    assert!(leading_zero > 12_000);
    counts.sort_unstable();
    assert!(counts[9_999] > 20 * counts[5_000].max(1), "large towns are much larger than the median one");
}

#[test]
fn a_half_percent_of_work_and_country_is_missing_and_nothing_else() {
    let chunk = whole(200_000, 6);
    for (column, cells) in &chunk.columns {
        let ChunkColumn::Labels { .. } = cells else { continue };
        let missing = share(&chunk, column, "", |_| true);
        let expected =
            if ["workclass", "occupation", "native-country"].contains(&column.as_str()) { 0.005 } else { 0.0 };
        assert!((missing - expected).abs() < 0.002, "{column}: {missing}");
    }
}

#[test]
fn columns_depend_on_each_other_as_in_a_census() {
    let chunk = whole(200_000, 9);
    let ages = integers(&chunk, "age");
    let is = |column: &str, label: &str| {
        let (codes, labels) = codes(&chunk, column);
        let code = labels.iter().position(|other| other == label).unwrap() as u32;
        codes.iter().map(|&other| other == code).collect::<Vec<bool>>()
    };
    let (doctors, pupils, women) = (is("education", "Doctorate"), is("education", "Grade-10"), is("sex", "Female"));
    let rich = |condition: &dyn Fn(usize) -> bool| share(&chunk, "salary-class", ">50K", condition);
    assert!(rich(&|row| doctors[row]) > 4.0 * rich(&|row| pupils[row]));
    assert!(rich(&|row| women[row]) < 0.8 * rich(&|row| !women[row]));
    let widowed = |condition: &dyn Fn(usize) -> bool| share(&chunk, "marital-status", "Widowed", condition);
    assert!(widowed(&|row| ages[row] >= 70) > 10.0 * widowed(&|row| ages[row] < 50));
    assert_eq!(share(&chunk, "diagnosis", "O80 Birth", |row| !women[row]), 0.0);
    let dementia = |condition: &dyn Fn(usize) -> bool| share(&chunk, "diagnosis", "F03 Dementia", condition);
    assert!(dementia(&|row| ages[row] >= 70) > 20.0 * dementia(&|row| ages[row] < 70));
}
