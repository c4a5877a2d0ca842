//! How an original may be stored, and which differences in writing a value are no difference in the value.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampSecondArray};
use dta::stata::dta::byte_order::ByteOrder;
use dta::stata::dta::dta_writer::DtaWriter;
use dta::stata::dta::header::Header;
use dta::stata::dta::schema::Schema;
use dta::stata::dta::value::Value;
use dta::stata::dta::variable::Variable;
use dta::stata::dta::variable_type::VariableType;
use incrowd_verify::{Against, FaultKind, Format, Labels, Role, Technique};

use crate::against::{against, faults, is_true, verified, written};
use crate::support::{Draft, ORIGINAL, Row, kinds, row, write_batch, write_table};

#[test]
fn the_original_may_be_a_part_of_one_sheet_of_a_workbook() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let mut workbook = rust_xlsxwriter::Workbook::new();
    workbook.add_worksheet().write_string(0, 0, "remarks").unwrap();
    let sheet = workbook.add_worksheet().set_name("people").unwrap();
    sheet.write_string(0, 0, "a title above the table").unwrap();
    for (at, line) in (2..).zip(ORIGINAL.lines()) {
        for (column, cell) in (1..).zip(line.split(',')).filter(|(_, cell)| !cell.is_empty()) {
            sheet.write_string(at, column, cell).unwrap();
        }
    }
    let path = draft.folder.path().join("original.xlsx");
    workbook.save(&path).unwrap();
    let (sheet, range) = (Some("people".to_string()), Some("B3:F".to_string()));
    let part = Against { path, sheet, range, ..against(&draft, ORIGINAL) };
    assert_eq!(verified(&draft, part).faults, []);
}

#[test]
fn the_original_may_be_a_file_of_a_statistics_package() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let path = draft.folder.path().join("original.dta");
    let mut lines = ORIGINAL.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let column = |name: &str| Variable::builder(VariableType::FixedString(8), name).format("%8s");
    let schema = Schema::builder().variables(lines.next().unwrap().into_iter().map(column).collect()).build().unwrap();
    let header = Header::builder(dta::stata::dta::release::Release::V118, ByteOrder::LittleEndian).build();
    let writer = DtaWriter::new().from_path(&path).unwrap().write_header(header).unwrap();
    let mut rows = writer.write_schema(schema).unwrap().into_record_writer().unwrap();
    for line in lines {
        rows.write_record(&line.into_iter().map(Value::string).collect::<Vec<_>>()).unwrap();
    }
    rows.into_long_string_writer().unwrap().into_value_label_writer().unwrap().finish().unwrap();
    // Such a file always has names of columns.
    let stata = Against { path, header: false, ..against(&draft, ORIGINAL) };
    assert_eq!(verified(&draft, stata).faults, []);
}

#[test]
fn an_empty_text_of_a_typed_file_is_a_missing_value() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let mut lines = ORIGINAL.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<Row> = lines.map(|line| line.into_iter().map(Some).collect()).collect();
    let mut against = against(&draft, ORIGINAL);
    (against.path, against.format) = (draft.folder.path().join("original.arrow"), Format::Arrow);
    write_table(&against.path, against.format, &names, &rows);
    assert_eq!(verified(&draft, against).faults, []);
}

#[test]
fn an_apostrophe_of_the_original_is_part_of_its_value() {
    let published = |note: &str| {
        faults(&ORIGINAL.replace(",a\n", ",'=a\n"), |draft| {
            let notes = draft.rows.iter_mut().map(|row| &mut row[3]).filter(|cell| cell.as_deref() == Some("a"));
            notes.for_each(|cell| *cell = Some(note.to_string()));
        })
    };
    assert_eq!(published("'=a"), []);
    assert_eq!(published("=a"), [FaultKind::Untruthful]);
}

/// Some columns of a release with the role, and cells that are published unchanged.
fn unchanged(format: Format, role: Role, names: &[&str], rows: Vec<Row>) -> Draft {
    let columns: Vec<_> = names.iter().map(|name| (*name, role, Technique::Retained)).collect();
    let mut draft = Draft::new(format, &columns, rows);
    draft.write();
    draft
}

#[test]
fn texts_are_numbers_only_in_a_column_that_the_release_stores_as_numbers() {
    let release = || {
        let rows = vec![row(&["1000", "1"]), row(&["0.5", "007"])];
        let mut draft = unchanged(Format::Arrow, Role::Insensitive, &["share", "code"], rows);
        let share: ArrayRef = Arc::new(Float64Array::from(vec![1000.0, 0.5]));
        let code: ArrayRef = Arc::new(StringArray::from(vec!["1", "007"]));
        write_batch(&draft.data(), &RecordBatch::try_from_iter([("share", share), ("code", code)]).unwrap());
        draft.seal();
        draft
    };
    let is_true_to = |original: &str| {
        let draft = release();
        let against = Against::csv(written(&draft, "original.csv", original));
        is_true(&verified(&draft, against))
    };
    assert!(is_true_to("share,code\n0.50,007\n1e3,1\n"));
    assert!(!is_true_to("share,code\n0.51,007\n1e3,1\n"));
    assert!(!is_true_to("share,code\n0.50,7\n1e3,1\n"), "a code is a text");
}

/// The seconds from 1970 to the beginning of 1980-04-03, and to a quarter past eight of that day.
const MIDNIGHT: i64 = 323_568_000;
const MORNING: i64 = MIDNIGHT + 8 * 3600 + 15 * 60;

fn instants(cells: [Option<i64>; 2]) -> RecordBatch {
    let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let seen: ArrayRef = Arc::new(TimestampSecondArray::from(cells.to_vec()));
    RecordBatch::try_from_iter([("name", names), ("seen", seen)]).unwrap()
}

#[test]
fn instants_of_a_quasi_identifier_are_days_when_all_of_them_are_midnight() {
    let is_true_to = |cells: [Option<i64>; 2], role: Role, [one, other]: [&str; 2]| {
        let draft = unchanged(Format::Csv, role, &["name", "seen"], vec![row(&["a", one]), row(&["b", other])]);
        let path = draft.folder.path().join("original.arrow");
        write_batch(&path, &instants(cells));
        is_true(&verified(&draft, Against { format: Format::Arrow, ..Against::csv(path) }))
    };
    let [day, midnight, morning] = ["1980-04-03", "1980-04-03T00:00:00", "1980-04-03T08:15:00"];
    let days = [Some(MIDNIGHT), None];
    assert!(is_true_to(days, Role::QuasiIdentifier, [day, "~"]));
    assert!(!is_true_to(days, Role::QuasiIdentifier, [midnight, "~"]));
    assert!(is_true_to(days, Role::Insensitive, [midnight, "~"]), "other columns keep the time of day");
    assert!(!is_true_to(days, Role::Insensitive, [day, "~"]));
    let times = [Some(MIDNIGHT), Some(MORNING)];
    assert!(is_true_to(times, Role::QuasiIdentifier, [midnight, morning]));
    assert!(!is_true_to(times, Role::QuasiIdentifier, [day, morning]));
}

#[test]
fn a_text_with_a_time_of_day_equals_the_instant_that_the_release_stores() {
    let rows = vec![row(&["a", "~"]), row(&["b", "~"])];
    let mut draft = unchanged(Format::Arrow, Role::QuasiIdentifier, &["name", "seen"], rows);
    write_batch(&draft.data(), &instants([Some(MIDNIGHT), Some(MORNING)]));
    draft.seal();
    let original = "name,seen\na,1980-04-03T00:00:00\nb,1980-04-03T08:15:00\n";
    let against = Against::csv(written(&draft, "original.csv", original));
    assert!(is_true(&verified(&draft, against)));
}

#[test]
fn a_date_of_a_retained_column_has_to_be_published_as_the_original_writes_it() {
    let published = |day: &str| {
        let mut draft = Draft::honest(Format::Csv);
        let notes = draft.rows.iter_mut().map(|row| &mut row[3]).filter(|cell| cell.as_deref() == Some("a"));
        notes.for_each(|cell| *cell = Some(day.to_string()));
        draft.write();
        let mut against = against(&draft, &ORIGINAL.replace(",a\n", ",03.04.1980\n"));
        against.date_formats.insert("note".into(), "%d.%m.%Y".into());
        kinds(&verified(&draft, against))
    };
    assert_eq!(published("03.04.1980"), []);
    assert_eq!(published("1980-04-03"), [FaultKind::Untruthful]);
}

#[test]
fn a_suppressed_row_may_come_first_and_have_retained_values_of_its_own() {
    let withheld = faults(&ORIGINAL.replacen('\n', "\nIda,99,Rom,gout,c\n", 1), |draft| {
        (draft.manifest.source_rows, draft.manifest.suppressed_rows) = (9.into(), 1.into());
        draft.manifest.policy.suppression = 0.12;
    });
    assert_eq!(withheld, []);
}

#[test]
fn labels_of_a_hierarchy_may_describe_themselves() {
    let mut draft = Draft::honest(Format::Csv);
    draft.manifest.columns[1].labels = Some(Labels::SelfDescribing);
    draft.write();
    let line = |age: u32| format!("{age};[{}, {});*\n", age / 10 * 10, age / 10 * 10 + 10);
    let ages: String = [23, 25, 27, 29, 41, 44, 47].into_iter().map(line).collect();
    let mut against = against(&draft, ORIGINAL);
    against.hierarchies.insert("age".into(), written(&draft, "age.csv", &ages));
    assert_eq!(verified(&draft, against).faults, []);
}

#[test]
fn spellings_that_are_published_as_another_one_are_noted() {
    let mut draft = Draft::honest(Format::Csv);
    draft.write();
    let mut spelled = against(&draft, &ORIGINAL.replacen(",flu,", ",Flu ,", 1));
    spelled.spellings.entry("illness".into()).or_default().insert("Flu ".into(), "flu".into());
    let note = "spellings of illness that are published as another spelling of the same value: 1";
    assert_eq!(verified(&draft, spelled).notes, [note]);
    let plain = against(&draft, ORIGINAL);
    assert_eq!(verified(&draft, plain).notes, [""; 0]);
}
