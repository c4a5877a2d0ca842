//! Each column on its own: what is counted, and where counting stops.

use std::collections::HashMap;

use incrowd_engine::{MOST_DISTINCT, Question, Settings};

use crate::support::{Desk, Rows, question};

#[test]
fn every_value_is_counted_as_a_hash_map_counts_it() {
    let mut rows = Rows::generate(40, 6000, &[3, 700, 40]);
    rows.rows.iter_mut().step_by(10).for_each(|row| row[2].clear());
    for threads in [1, 4] {
        let desk = Desk::with(&Settings { threads: Some(threads), ..Settings::default() });
        for (file, part) in rows.rows.chunks(1700).enumerate() {
            let part = Rows { names: rows.names.clone(), rows: part.to_vec() };
            desk.write(&format!("t/{file}.csv"), part.csv());
        }
        let profiles = desk.open(&desk.path("t")).unwrap().profile(&desk.engine).unwrap();
        assert_eq!(profiles.len(), 3);
        for (column, profile) in profiles.iter().enumerate() {
            let mut expected: HashMap<&str, u64> = HashMap::new();
            rows.rows.iter().for_each(|row| *expected.entry(row[column].as_str()).or_default() += 1);
            assert_eq!((profile.rows, profile.rows_counted, profile.exact), (6000, 6000, true));
            assert_eq!(profile.missing, expected.remove("").unwrap_or(0));
            assert_eq!(profile.distinct(), expected.len() as u64);
            for (value, count) in expected {
                let code = profile.dictionary.code(value).expect("every value has a code");
                assert_eq!(profile.counts[code as usize], count);
            }
            assert_eq!(profile.counts.iter().sum::<u64>(), 6000);
        }
    }
}

#[test]
fn counting_stops_at_a_column_of_too_many_values_and_only_there() {
    let desk = Desk::new();
    let rows = MOST_DISTINCT + 40_000;
    let csv: String = (0..rows).map(|row| format!("{row},{}\n", row % 5)).collect();
    let profiles = desk.open(&desk.write("t.csv", format!("id,n\n{csv}"))).unwrap().profile(&desk.engine).unwrap();
    let [id, n] = &profiles[..] else { panic!("two columns") };
    assert_eq!((id.rows, id.distinct(), id.exact), (rows as u64, MOST_DISTINCT as u64, false));
    assert!((MOST_DISTINCT as u64..rows as u64).contains(&id.rows_counted), "{}", id.rows_counted);
    assert_eq!(id.distinct_share(), 1.0);
    assert_eq!((n.rows, n.rows_counted, n.distinct(), n.exact), (rows as u64, rows as u64, 5, true));
}

#[test]
fn as_many_values_as_are_counted_are_all_counted() {
    let desk = Desk::new();
    let csv: String = (0..MOST_DISTINCT).map(|row| format!("{row}\n")).collect();
    let profiles = desk.open(&desk.write("t.csv", format!("id\n{csv}{csv}"))).unwrap().profile(&desk.engine).unwrap();
    assert_eq!((profiles[0].distinct(), profiles[0].exact, profiles[0].k()), (MOST_DISTINCT as u64, true, 2));
}

#[test]
fn a_profile_under_a_memory_limit_stops_counting_instead_of_growing() {
    let desk = Desk::with(&Settings { memory: Some(4_000_000), threads: Some(2), ..Settings::default() });
    let csv: String = (0..50_000).map(|row| format!("{row},{}\n", row % 5)).collect();
    let profiles = desk.open(&desk.write("t.csv", format!("id,n\n{csv}"))).unwrap().profile(&desk.engine).unwrap();
    assert!(!profiles[0].exact && profiles[0].distinct() < 10_000);
    assert!(profiles[1].exact && profiles[1].distinct() == 5);
}

#[test]
fn one_scan_that_profiles_and_counts_gives_what_two_scans_give() {
    let desk = Desk::new();
    let rows: String = (0..5000).map(|row| format!("p{},{},{}\n", row / 2, row % 7, row % 3)).collect();
    let path = desk.write("visits.csv", format!("person,age,ill\n{rows}"));
    let source = desk.open(&path).unwrap();
    for subject in [None, Some("person".to_string())] {
        let asked = Question { subject, ..question(&["age"]) };
        let (profiles, answer) = source.profile_and_count(&desk.engine, &source.columns(), &asked).unwrap();
        assert_eq!(profiles, source.profile(&desk.engine).unwrap());
        assert_eq!(answer.sizes, source.count(&desk.engine, &asked).unwrap().sizes);
    }
}

#[test]
fn the_head_of_a_table_is_profiled_without_reading_the_rest() {
    let desk = Desk::new();
    let path = desk.write("ages.csv", format!("age\n{}", "34\n".repeat(50_000)));
    let head = desk.open(&path).unwrap().profile_head(&desk.engine, &["age".into()], 100).unwrap();
    assert_eq!((head[0].rows, head[0].distinct()), (100, 1));
}
