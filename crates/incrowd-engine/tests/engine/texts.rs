//! Text stays what was written, until every value of a column proves to be something else.

use incrowd_core::{Kind, Values};
use incrowd_engine::{Question, ReadOptions};

use crate::support::{CANARY, Desk, assert_refused, labels, nulls, question, tuples, whole};

/// The kind and the labels of the only column asked for.
fn read(desk: &Desk, content: &str, column: &str) -> (Kind, Vec<String>) {
    let path = desk.write("t.csv", content);
    let answer = desk.count(&path, &[column]).unwrap();
    let table = whole(&answer);
    (table.attributes()[0].dictionary.kind(), labels(table, 0))
}

#[test]
fn a_postcode_keeps_its_leading_zero() {
    let desk = Desk::new();
    assert_eq!(read(&desk, "zip,n\n00501,1\n90210,2\n", "zip"), (Kind::Text, vec!["00501".into(), "90210".into()]));
    assert_eq!(read(&desk, "zip,n\n501,1\n90210,2\n", "zip").0, Kind::Integer);
}

#[test]
fn another_type_after_a_thousand_rows_makes_the_column_text() {
    let desk = Desk::new();
    let rows: String = (0..5000).map(|row| format!("{}\n", row % 10)).collect();
    let (kind, labels) = read(&desk, &format!("age\n{rows}{CANARY}\n"), "age");
    assert_eq!((kind, labels.len(), labels[10].as_str()), (Kind::Text, 11, CANARY));
}

#[test]
fn a_date_in_another_form_than_the_calendar_s_stays_text_until_its_format_is_named() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "born\n03.04.1980\n3.4.1980\n04.03.1980\n");
    let answer = desk.count(&path, &["born"]).unwrap();
    assert_eq!(whole(&answer).attributes()[0].dictionary.kind(), Kind::Text);
    assert_eq!(answer.tuples, 3);
    let named =
        |format: &str| ReadOptions { date_formats: vec![("born".into(), format.into())], ..ReadOptions::default() };
    let table = desk.open_with(&path, named("%d.%m.%Y")).unwrap();
    let answer = table.count(&desk.engine, &question(&["born"])).unwrap();
    assert_eq!(labels(whole(&answer), 0), ["1980-03-04", "1980-04-03"]);
    assert_eq!(answer.sizes.histogram(), [(1, 1), (2, 1)], "two writings of one day are one value");
}

#[test]
fn values_that_do_not_follow_the_named_format_are_counted_and_not_shown() {
    let desk = Desk::new();
    let path = desk.write("t.csv", format!("born\n03.04.1980\n{CANARY}\n31.02.1980\n{CANARY}\n"));
    let named =
        |column: &str| ReadOptions { date_formats: vec![(column.into(), "%d.%m.%Y".into())], ..ReadOptions::default() };
    let words = "column “born”: 2 of its distinct values do not match the date format %d.%m.%Y";
    let hint = "check date_format: %d is the day, %m the month, %Y the year, for example %d.%m.%Y";
    let table = desk.open_with(&path, named("born")).unwrap();
    assert_refused(table.count(&desk.engine, &question(&["born"])), "IC409", words, hint);
    assert_refused(table.profile(&desk.engine), "IC409", words, hint);
    let misspelt = desk.open_with(&path, named("bron"));
    assert_refused(misspelt, "IC407", "column “bron” does not exist", "did you mean “born”?");
}

#[test]
fn an_empty_text_and_nothing_are_one_missing_value() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "a,b\n\"\",1\n,1\nx,1\n");
    let answer = desk.count(&path, &["a"]).unwrap();
    assert_eq!(answer.sizes.histogram(), [(1, 1), (2, 1)]);
    assert_eq!(labels(whole(&answer), 0), ["x", "(missing)"]);
}

#[test]
fn null_markers_are_values_until_they_are_named() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "a\n?\n\"\"\nn/a\n-99\n7\n");
    assert_eq!(desk.count(&path, &["a"]).unwrap().tuples, 5);
    let table = desk.open_with(&path, nulls(&["?", "n/a", "-99"])).unwrap();
    let answer = table.count(&desk.engine, &question(&["a"])).unwrap();
    let dictionary = &whole(&answer).attributes()[0].dictionary;
    assert_eq!(dictionary.values(), &Values::Integers(vec![7]), "the markers no longer keep the column text");
    assert_eq!(answer.sizes.histogram(), [(1, 1), (4, 1)]);
}

#[test]
fn cells_are_compared_byte_for_byte() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "a\nx\n x\nX\nx \nx\u{301}\n\"x\"\n");
    assert_eq!(desk.count(&path, &["a"]).unwrap().sizes.histogram(), [(1, 4), (2, 1)]);
}

#[test]
fn texts_around_the_length_that_is_kept_inline_are_distinguished() {
    let desk = Desk::new();
    let cells: Vec<String> = (1..30).flat_map(|length| ["a", "b"].map(|end| "a".repeat(length - 1) + end)).collect();
    let path = desk.write("t.csv", format!("text\n{}\n{}\n", cells.join("\n"), cells.join("\n")));
    let answer = desk.count(&path, &["text"]).unwrap();
    assert_eq!((answer.tuples, answer.sizes.k()), (58, 2));
    assert_eq!(tuples(whole(&answer)).len(), 58);
}

#[test]
fn quoted_cells_keep_delimiters_quotes_and_line_breaks() {
    let desk = Desk::new();
    for end in ["\n", "\r\n"] {
        let path = desk.write(
            "t.csv",
            format!("a,b{end}\"x, y\",1{end}\"say \"\"hi\"\"\",1{end}\"two\nlines\",1{end}5\" pipe,1{end}\"\",1{end}"),
        );
        let answer = desk.count(&path, &["a"]).unwrap();
        assert_eq!(labels(whole(&answer), 0), ["5\" pipe", "say \"hi\"", "two\nlines", "x, y", "(missing)"]);
    }
}

#[test]
fn line_breaks_in_quotes_survive_in_a_file_that_would_be_read_in_ranges() {
    let desk = Desk::new();
    let filler = "one\ntwo,three\n\"\"".repeat(20);
    let mut text = String::from("n,a\r\n");
    (0..36_000).for_each(|row| text.push_str(&format!("{},\"{filler}\"\r\n", row % 9)));
    assert!(text.len() > 11 << 20);
    let answer = desk.count(&desk.write("t.csv", text), &["n", "a"]).unwrap();
    assert_eq!((answer.rows, answer.sizes.histogram()), (36_000, &[(4000, 9)][..]));
}

#[test]
fn lines_that_end_with_a_carriage_return_alone_survive_in_a_large_file() {
    let desk = Desk::new();
    let filler = "x".repeat(300);
    let mut text = String::from("n,a\r");
    (0..40_000).for_each(|row| text.push_str(&format!("{},{filler}\r", row % 8)));
    let answer = desk.count(&desk.write("t.csv", text), &["n"]).unwrap();
    assert_eq!((answer.rows, answer.sizes.histogram()), (40_000, &[(5000, 8)][..]));
}

#[test]
fn columns_that_are_not_there_twice_there_or_too_many_are_refused() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "age,sex\n1,f\n");
    assert_refused(desk.count(&path, &["agee"]), "IC407", "column “agee” does not exist", "did you mean “age”?");
    let hint = "give each column one role";
    assert_refused(desk.count(&path, &["age", "age"]), "IC407", "column “age” is named twice", hint);
    let names: Vec<String> = (0..129).map(|column| format!("c{column}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let path = desk.write("wide.csv", format!("{}\n{}\n", names.join(","), vec!["1"; 129].join(",")));
    let words = "129 columns were requested, but a tuple has at most 128";
    assert_refused(desk.count(&path, &names), "IC410", words, "use fewer columns");
    assert_eq!(desk.count(&path, &names[..128]).unwrap().tuples, 1);
}

#[test]
fn without_quasi_identifiers_there_is_one_class() {
    let desk = Desk::new();
    let path = desk.write("t.csv", "age,sex\n1,f\n2,m\n3,m\n");
    let answer = desk.count(&path, &[]).unwrap();
    assert_eq!((answer.rows, answer.sizes.k()), (3, 3));
}

#[test]
fn two_writings_of_one_day_are_one_class_whether_or_not_the_tuples_are_kept() {
    let desk = Desk::new();
    let path = desk.write("births.csv", "born,sex\n03.04.1980,f\n3.4.1980,f\n21.12.1999,m\n");
    let options = ReadOptions { date_formats: vec![("born".into(), "%d.%m.%Y".into())], ..ReadOptions::default() };
    let source = desk.open_with(&path, options).unwrap();
    for sizes_only in [false, true] {
        let asked = Question { sizes_only, ..question(&["born", "sex"]) };
        let answer = source.count(&desk.engine, &asked).unwrap();
        assert_eq!((answer.tuples, answer.sizes.unique()), (2, 1), "tuples kept: {}", !sizes_only);
    }
}
