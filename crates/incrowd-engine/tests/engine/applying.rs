//! A release holds what was decided: every row in its class, in an order that says nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use incrowd_core::{FrequencyTable, Partition, Recoding};
use incrowd_engine::{Question, ReadOptions, Settings};
use sha2::{Digest, Sha256};

use crate::releases::{FORMATS, Job, by_chance, each_alone, read};
use crate::support::{Desk, Dice, Rows, assert_refused, nulls, question, refusal};

/// Two quasi-identifiers, a sensitive column, a number for each row and something to remove, so long that a large table
/// is read in ranges of bytes.
fn people(rows: usize) -> Rows {
    let mut table = Rows::generate(50, rows, &[7, 5, 3]);
    table.names.extend(["id".into(), "secret".into()]);
    for (id, row) in table.rows.iter_mut().enumerate() {
        row.extend([id.to_string(), format!("ZQX-CANARY-{id:070}")]);
    }
    table
}

fn asked() -> Question {
    Question { sensitive: vec!["c2".into()], ..question(&["c0", "c1"]) }
}

/// The tuple of each row, by the labels of its cells.
fn tuples_of(table: &FrequencyTable) -> HashMap<Vec<String>, usize> {
    let label = |tuple, at: usize| table.attributes()[at].dictionary.label(table.code(tuple, at)).into_owned();
    let columns = 0..table.attributes().len();
    (0..table.tuples()).map(|tuple| (columns.clone().map(|at| label(tuple, at)).collect(), tuple)).collect()
}

#[test]
fn rows_of_a_tuple_are_split_over_classes_exactly_as_the_partition_says() {
    let rows = people(3000);
    let desk = Desk::new();
    let source = desk.open(&desk.write("t.csv", rows.csv())).unwrap();
    let job = Job::new(&desk, source, &asked(), &["c2", "id"], |table| by_chance(table, 40));
    let tuples = tuples_of(&job.table);
    for format in FORMATS {
        let (applied, path) = job.publish(&desk, "out", format).unwrap();
        assert_eq!((applied.rows + applied.withheld, applied.spilled_bytes), (3000, 0));
        let (names, published) = read(&path);
        assert_eq!(names, ["c0", "c1", "c2", "id"], "{format:?}");
        assert_eq!(published.len() as u64, applied.rows);
        let mut found: BTreeMap<(usize, [String; 2]), u64> = BTreeMap::new();
        let mut ids = HashSet::new();
        for row in published {
            let row: Vec<String> = row.into_iter().map(Option::unwrap).collect();
            let original = &rows.rows[row[3].parse::<usize>().unwrap()];
            assert!(ids.insert(row[3].clone()), "a row is written once");
            assert_eq!(row[2], original[2], "a kept cell is untouched");
            *found.entry((tuples[&original[..3]], [row[0].clone(), row[1].clone()])).or_default() += 1;
        }
        let mut expected = BTreeMap::new();
        for tuple in 0..job.table.tuples() {
            for &(class, count) in job.recoding.targets(tuple).iter().filter(|target| target.0 != Recoding::WITHHELD) {
                let cells = job.recoding.cells(class);
                let shown = [0, 1].map(|at| job.quasi[at].domain.render(cells[at]).into_owned());
                *expected.entry((tuple, shown)).or_default() += count;
            }
        }
        assert_eq!(found, expected, "{format:?}");
    }
}

#[test]
fn what_is_said_of_a_file_is_true_of_its_bytes() {
    let desk = Desk::new();
    let source = desk.open(&desk.write("t.csv", people(500).csv())).unwrap();
    let job = Job::new(&desk, source, &asked(), &["id"], Partition::single);
    for (format, name) in FORMATS.into_iter().zip(["data.csv", "data.parquet", "data.arrow"]) {
        let (applied, path) = job.publish(&desk, "out", format).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let [file] = &applied.files[..] else { panic!("one file") };
        assert_eq!((file.name.as_str(), file.format, file.rows), (name, format, 500));
        assert_eq!((file.bytes, &file.sha256), (bytes.len() as u64, &sum));
        assert!(path.ends_with(name));
        let words = format!("{}: entity already exists", path.display());
        let hint = "check the permissions of the file, and the disk for errors";
        assert_refused(job.publish(&desk, "out", format), "IC401", &words, hint);
    }
}

/// The table in five files.
fn in_files(desk: &Desk, rows: &Rows) -> String {
    for (number, part) in rows.rows.chunks(rows.rows.len().div_ceil(5)).enumerate() {
        let part = Rows { names: rows.names.clone(), rows: part.to_vec() };
        desk.write(&format!("t/{number}.csv"), part.csv());
    }
    desk.path("t")
}

#[test]
fn a_key_gives_the_same_bytes_whatever_the_threads_and_whether_or_not_rows_go_through_the_disk() {
    let rows = people(140_000);
    let mut first: Option<Vec<Vec<u8>>> = None;
    for (threads, memory) in [(1, None), (2, None), (3, None), (2, Some(6 << 20))] {
        let desk = Desk::with(&Settings { threads: Some(threads), memory, ..Settings::default() });
        let source = desk.open(&in_files(&desk, &rows)).unwrap();
        let job = Job::new(&desk, source, &asked(), &["c2", "id"], |table| by_chance(table, 9));
        let mut bytes = Vec::new();
        for format in FORMATS {
            let (applied, path) = job.publish(&desk, "out", format).unwrap();
            assert_eq!(applied.spilled_bytes > 0, memory.is_some());
            bytes.push(std::fs::read(path).unwrap());
        }
        assert!(*first.get_or_insert(bytes.clone()) == bytes, "{threads} threads, memory {memory:?}");
        assert!(desk.left_behind().is_empty());
    }
}

#[test]
fn a_table_may_be_counted_on_fewer_threads_than_it_is_written_on() {
    let rows = people(2000);
    let [one, three] = [1, 3].map(|threads| Desk::with(&Settings { threads: Some(threads), ..Settings::default() }));
    let job = |desk: &Desk| {
        let source = desk.open(&in_files(desk, &rows)).unwrap();
        Job::new(desk, source, &asked(), &["c2", "id"], |table| by_chance(table, 9))
    };
    let (of_one, of_three) = (job(&one), job(&three));
    for format in FORMATS {
        assert!(of_one.bytes(&three, "a", format) == of_three.bytes(&one, "b", format));
    }
}

#[test]
fn another_key_gives_another_order_and_no_order_is_that_of_the_input() {
    let rows = people(2000);
    let desk = Desk::new();
    let source = desk.open(&desk.write("t.csv", rows.csv())).unwrap();
    let mut job = Job::new(&desk, source, &asked(), &["id"], each_alone);
    let mut order = |key: [u8; 32], folder: &str| {
        job.key = key;
        let (_, path) = job.publish(&desk, folder, FORMATS[1]).unwrap();
        read(&path).1.into_iter().map(|row| row[2].as_ref().unwrap().parse().unwrap()).collect::<Vec<u64>>()
    };
    let orders = [order([1; 32], "a"), order([2; 32], "b")];
    let fixed = |a: &[u64], b: &[u64]| a.iter().zip(b).filter(|(a, b)| a == b).count();
    let input: Vec<u64> = (0..2000).collect();
    assert!(fixed(&orders[0], &orders[1]) < 10, "one place in common is expected");
    for order in &orders {
        assert!(fixed(order, &input) < 10);
        let mean = 999.5;
        let product = |(place, &id): (usize, &u64)| (place as f64 - mean) * (id as f64 - mean);
        let correlation = order.iter().enumerate().map(product).sum::<f64>() / (2000.0 * 2000.0f64.powi(2) / 12.0);
        assert!(correlation.abs() < 0.1, "the place in the release says where a row stood: {correlation}");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, input, "a permutation");
    }
}

#[test]
fn neither_place_says_which_class_a_row_of_a_split_tuple_got() {
    let desk = Desk::new();
    let lines: String = (0..4000).map(|id| format!("a,{id}\n")).collect();
    let source = desk.open(&desk.write("t.csv", format!("x,id\nb,4000\n{lines}"))).unwrap();
    let job = Job::new(&desk, source, &question(&["x"]), &["id"], |_| {
        let mut partition = Partition::default();
        partition.push([(0, 2000)]);
        partition.push([(0, 2000), (1, 1)]);
        partition
    });
    let (_, rows) = read(&job.publish(&desk, "out", FORMATS[0]).unwrap().1);
    let alone: Vec<bool> = rows.iter().map(|row| row[0].as_deref() == Some("a")).collect();
    assert_eq!(alone.iter().filter(|alone| **alone).count(), 2000);
    let first = alone[..2000].iter().filter(|alone| **alone).count();
    // Hypergeometric: 1,000 expected, with a deviation of 16.
    assert!(first.abs_diff(1000) < 80, "{first}");
    let early = rows.iter().zip(&alone).filter(|(row, alone)| **alone && row[1].as_ref().unwrap().len() < 4).count();
    assert!(early.abs_diff(500) < 80, "{early} of the first 1,000 rows of the input");
}

#[test]
fn a_null_marker_is_missing_where_a_column_is_recoded_and_stays_where_it_is_kept() {
    let desk = Desk::new();
    let path = desk.write(
        "t.csv",
        "town,born,born too,note\nUlm,03.04.1980,03.04.1980,?\n?,3.4.1980,3.4.1980,\"a, \"\"b\"\"\n\"\n,?,?,\n",
    );
    let dates = vec![("born".to_string(), "%d.%m.%Y".to_string())];
    let options = ReadOptions { date_formats: dates, ..nulls(&["?"]) };
    let source = desk.open_with(&path, options).unwrap();
    let job = Job::new(&desk, source, &question(&["town", "born"]), &["note", "born too"], each_alone);
    for format in FORMATS {
        let (_, mut rows) = read(&job.publish(&desk, "out", format).unwrap().1);
        rows.sort();
        let row = |cells: [&str; 4]| cells.map(|cell| Some(cell.to_string()).filter(|cell| !cell.is_empty())).to_vec();
        let first = row(["", "", "", "?"]);
        let second = row(["", "1980-04-03", "a, \"b\"\n", "3.4.1980"]);
        assert_eq!(rows, [first, second, row(["Ulm", "1980-04-03", "?", "03.04.1980"])], "{format:?}");
    }
}

#[test]
fn a_subject_column_routes_rows_by_person() {
    let mut dice = Dice(9);
    let people: Vec<(u64, u64)> = (0..3000).map(|_| (dice.roll(400), dice.roll(3))).collect();
    let lines: String = people.iter().enumerate().map(|(id, (who, x))| format!("p{who},x{x},{id}\n")).collect();
    for (threads, memory) in [(2, None), (3, Some(6 << 20))] {
        let desk = Desk::with(&Settings { threads: Some(threads), memory, ..Settings::default() });
        let source = desk.open(&desk.write("t.csv", format!("who,x,id\n{lines}"))).unwrap();
        let of_people = Question { subject: Some("who".into()), ..question(&["x"]) };
        // Persons alternate between a class that tells x and one that does not.
        let job = Job::new(&desk, source, &of_people, &["id"], |table| {
            let all: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
            let mut partition = Partition::default();
            for x in 0..3 {
                partition.push(all.iter().copied().filter(|&(tuple, _)| tuple % 2 == 0 && table.code(tuple, 0) == x));
            }
            partition.push(all.iter().copied().filter(|&(tuple, _)| tuple % 2 == 1));
            partition
        });
        let (_, rows) = read(&job.publish(&desk, "out", FORMATS[1]).unwrap().1);
        assert_eq!(rows.len(), 3000);
        let mut shown: HashMap<(u64, u64), HashSet<String>> = HashMap::new();
        for row in rows {
            let person = people[row[1].as_ref().unwrap().parse::<usize>().unwrap()];
            shown.entry(person).or_default().insert(row[0].clone().unwrap());
        }
        assert!(shown.values().all(|labels| labels.len() == 1), "all rows of a person and x are in one class");
        assert!(shown.iter().filter(|(_, labels)| labels.contains("*")).count().abs_diff(shown.len() / 2) < 3);
    }
}

#[test]
fn a_table_that_changed_since_it_was_counted_is_refused() {
    let desk = Desk::new();
    let before = "town,sex,note\nUlm,f,1\nUlm,m,2\nWien,m,3\n,m,4\n";
    let path = desk.write("t.csv", before);
    let source = desk.open(&path).unwrap();
    let job = Job::new(&desk, source, &question(&["town", "sex"]), &["note"], |table| by_chance(table, 2));
    let words = format!("{path}: the table changed while it was read");
    let hint = "make sure that no other program writes to the files, and run again; nothing was published";
    for after in [
        "town,sex,note\nUlm,f,1\nUlm,m,2\nSECRET-CANARY-77,m,3\n,m,4\n",
        "town,sex,note\nUlm,f,1\nUlm,m,2\nWien,f,3\n,m,4\n",
        "town,sex,note\nUlm,f,1\nUlm,m,2\nWien,,3\n,m,4\n",
        "town,sex,note\nUlm,f,1\nUlm,f,2\nWien,m,3\n,m,4\n",
        "town,sex,note\nUlm,f,1\nUlm,m,2\nWien,m,3\n,m,4\nUlm,f,5\n",
    ] {
        desk.write("t.csv", after);
        assert_refused(job.publish(&desk, "out", FORMATS[0]), "IC415", &words, hint);
        std::fs::remove_dir_all(desk.path("out")).unwrap();
    }
    desk.write("t.csv", before.trim_end_matches(",m,4\n"));
    assert_eq!(refusal(job.publish(&desk, "out", FORMATS[0])).code(), "IC414");
    desk.write("t.csv", before);
    std::fs::remove_dir_all(desk.path("out")).unwrap();
    assert!(job.publish(&desk, "out", FORMATS[0]).is_ok());
}
