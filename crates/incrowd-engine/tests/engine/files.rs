//! What the user names: one file, a folder, a pattern; with names as people give them.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, Int64Array};

use crate::support::{Desk, assert_refused};

fn ages(ages: &[i32]) -> ArrayRef {
    Arc::new(Int32Array::from(ages.to_vec()))
}

#[test]
fn a_folder_is_one_table_without_its_hidden_files() {
    let desk = Desk::new();
    desk.write("t/1.csv", "age,sex\n1,f\n");
    desk.write("t/2.csv", "age,sex\n1,f\n2,m\n");
    desk.write("t/.3.csv", "other\n1\n");
    desk.write("t/_4.csv", "other\n1\n");
    desk.write("t/README", "not a table");
    let answer = desk.count(&desk.path("t"), &["age"]).unwrap();
    assert_eq!((answer.rows, answer.sizes.histogram()), (3, &[(1, 1), (2, 1)][..]));
    assert_eq!(desk.open(&desk.path("t")).unwrap().files().len(), 2);
}

#[test]
fn a_pattern_is_one_table_without_hidden_files() {
    let desk = Desk::new();
    for name in ["2024-01.csv", "2024-02.csv", "2025-01.csv", ".2024-03.csv"] {
        desk.write(name, "age\n7\n");
    }
    assert_eq!(desk.count(&desk.path("2024-*.csv"), &["age"]).unwrap().rows, 2);
    assert_eq!(desk.count(&desk.path("*.csv"), &["age"]).unwrap().rows, 3);
    assert_eq!(desk.count(&desk.path("202[45]-01.csv"), &["age"]).unwrap().rows, 2);
}

#[test]
fn several_typed_files_are_one_table() {
    let desk = Desk::new();
    desk.parquet("1.parquet", vec![("age", ages(&[1, 2]))]);
    desk.parquet("2.parquet", vec![("age", ages(&[2]))]);
    for name in ["1.arrow", "2.arrow"] {
        crate::formats::arrow_file(&desk.path(name), vec![("age", ages(&[1, 2]))]);
    }
    assert_eq!(desk.count(&desk.path("*.parquet"), &["age"]).unwrap().sizes.histogram(), [(1, 1), (2, 1)]);
    assert_eq!(desk.count(&desk.path("*.arrow"), &["age"]).unwrap().sizes.histogram(), [(2, 2)]);
}

#[test]
fn file_names_are_taken_letter_for_letter() {
    let desk = Desk::new();
    for name in
        ["with space.csv", "a#1.csv", "100%.csv", "a%20b.csv", "a[1].csv", "a?b.csv", "Zoë.csv", "_x.csv", "x+y&z.CSV"]
    {
        let path = desk.write(&format!("odd folder #%[1]/{name}"), "age\n7\n7\n");
        assert_eq!(desk.count(&path, &["age"]).unwrap().sizes.k(), 2, "{name}");
    }
    let parquet = desk.parquet("a b#%5B[1].parquet", vec![("age", ages(&[7, 7]))]);
    assert_eq!(desk.count(&parquet, &["age"]).unwrap().sizes.k(), 2);
}

#[test]
fn formats_are_not_mixed_in_one_table() {
    let desk = Desk::new();
    let first = desk.write("t/1.csv", "age\n7\n");
    let second = desk.path("t/2.parquet");
    desk.parquet("t/2.parquet", vec![("age", ages(&[7]))]);
    let words = format!("{first} is CSV but {second} is Parquet");
    let hint = "select files of one format, for example with a pattern";
    assert_refused(desk.open(&desk.path("t")), "IC402", &words, hint);
}

#[test]
fn files_with_different_columns_are_not_one_table() {
    let desk = Desk::new();
    let hint = "the files of one table need the same columns in the same order";
    let first = desk.write("t/1.csv", "age,sex\n7,f\n");
    for header in ["age,gender", "sex,age", "age", "age,sex,town"] {
        let second = desk.write("t/2.csv", format!("{header}\n{}\n", header.replace(char::is_alphabetic, "1")));
        let at = if header == "sex,age" { 1 } else { header.split(',').count().clamp(2, 3) };
        let words = format!("{second}: column {at} differs from {first}");
        assert_refused(desk.open(&desk.path("t")), "IC404", &words, hint);
    }
}

#[test]
fn typed_files_with_different_columns_are_not_filled_or_cast() {
    let desk = Desk::new();
    let hint = "the files of one table need the same columns in the same order";
    std::fs::create_dir_all(desk.path("t")).unwrap();
    let first = desk.parquet("t/1.parquet", vec![("age", ages(&[1])), ("n", ages(&[1]))]);
    let wide: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let others: [(usize, Vec<(&str, ArrayRef)>); 4] = [
        (2, vec![("age", ages(&[1]))]),
        (1, vec![("n", ages(&[1])), ("age", ages(&[1]))]),
        (3, vec![("age", ages(&[1])), ("n", ages(&[1])), ("sex", ages(&[1]))]),
        (2, vec![("age", ages(&[1])), ("n", wide)]),
    ];
    for (at, columns) in others {
        let second = desk.parquet("t/2.parquet", columns);
        let words = format!("{second}: column {at} differs from {first}");
        assert_refused(desk.open(&desk.path("t")), "IC404", &words, hint);
    }
}

#[test]
fn nothing_there_is_said_so() {
    let desk = Desk::new();
    let path = desk.path("no.csv");
    let hint = "check the path; a pattern such as 'data/*.csv' needs quotes";
    assert_refused(desk.open(&path), "IC401", &format!("{path}: no such file or folder"), hint);
    let hint =
        "name a file, a folder or a pattern with .csv, .tsv, .xlsx, .ods, .dta, .sav, .xpt, .parquet or .arrow files";
    let pattern = desk.path("no*.csv");
    assert_refused(desk.open(&pattern), "IC401", &format!("{pattern}: no table files found"), hint);
    std::fs::create_dir(desk.path("empty")).unwrap();
    let folder = desk.path("empty");
    assert_refused(desk.open(&folder), "IC401", &format!("{folder}: no table files found"), hint);
    let below_a_file = format!("{}/x.csv", desk.write("file.csv", "age\n1\n"));
    assert_eq!(crate::support::refusal(desk.open(&below_a_file)).code(), "IC401");
}

#[test]
fn a_repeated_or_empty_name_in_a_typed_file_is_refused() {
    let desk = Desk::new();
    let schema = |names: [&str; 2]| {
        let field = |name: &str| arrow::datatypes::Field::new(name, ages(&[]).data_type().clone(), true);
        Arc::new(arrow::datatypes::Schema::new(names.map(field).to_vec()))
    };
    for (names, words) in [(["a", "a"], "columns 1 and 2 have the same name"), (["a", ""], "column 2 has no name")] {
        let columns = vec![ages(&[1]), ages(&[2])];
        let batch = arrow::record_batch::RecordBatch::try_new(schema(names), columns).unwrap();
        let path = desk.path("t.arrow");
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = arrow::ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        let error = crate::support::refusal(desk.open(&path));
        assert_eq!((error.to_string(), error.code()), (format!("{path}: {words}"), "IC404"));
    }
}

#[test]
fn a_file_that_changes_between_the_first_look_and_the_scan_is_refused() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "age\n1\n1\n");
    let table = desk.open(&path).unwrap();
    desk.write("t.csv", format!("age\n1\n1\n{}\n", crate::support::CANARY));
    let words = format!("{path}: 3 rows were read, but the files contain 2");
    let hint = "check that no other program writes to the files; otherwise please report this: rows may be lost";
    let changed = table.count(&desk.engine, &crate::support::question(&["age"]));
    assert_refused(changed, "IC414", &words, hint);
}
