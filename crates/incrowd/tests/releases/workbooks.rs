//! Workbooks in and out: typed cells are read as what they are, what would be misread is refused, and a release as a
//! workbook is verified on its bytes.

use std::path::{Path, PathBuf};

use calamine::{Data, Reader, Xlsx, open_workbook};
use incrowd::core::Policy;
use incrowd::{
    AnonymizeOptions, CheckOptions, Declared, Engine, ReadOptions, Settings, Source, VerifyOptions, anonymize, check,
    verify,
};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet};
use tempfile::TempDir;

const TOWNS: [&str; 3] = ["Köln", "Béziers", "Málaga"];

struct Desk {
    folder: TempDir,
    engine: Engine,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { temp: Some(folder.path().join("temp")), ..Settings::default() };
        Desk { engine: Engine::new(&settings).unwrap(), folder }
    }

    /// A workbook with one sheet.
    fn workbook(&self, name: &str, fill: impl FnOnce(&mut Worksheet)) -> PathBuf {
        let mut workbook = Workbook::new();
        fill(workbook.add_worksheet());
        self.saved(name, &mut workbook)
    }

    fn saved(&self, name: &str, workbook: &mut Workbook) -> PathBuf {
        let path = self.folder.path().join(name);
        workbook.save(&path).unwrap();
        path
    }

    fn open(&self, path: &Path, reading: ReadOptions) -> Result<Source, String> {
        Source::open(&self.engine, path.to_str().unwrap(), reading).map_err(|error| error.to_string())
    }

    fn refusal(&self, path: &Path) -> String {
        self.open(path, ReadOptions::default()).unwrap_err()
    }
}

/// People with a text, a number, a day and a postcode that begins with zeros.
fn people(sheet: &mut Worksheet) {
    let day = Format::new().set_num_format("dd.mm.yyyy");
    for (column, name) in ["town", "weight", "admitted", "postcode", "illness"].into_iter().enumerate() {
        sheet.write_string(0, column as u16, name).unwrap();
    }
    for row in 1..=60u32 {
        sheet.write_string(row, 0, TOWNS[(row % 3) as usize]).unwrap();
        sheet.write_number(row, 1, 50.0 + f64::from(row % 40) / 2.0).unwrap();
        let admitted = ExcelDateTime::from_ymd(2020 + (row % 4) as u16, 1 + (row % 12) as u8, 1 + (row % 28) as u8);
        sheet.write_datetime_with_format(row, 2, admitted.unwrap(), &day).unwrap();
        sheet.write_string(row, 3, format!("0{:04}", row % 7)).unwrap();
        sheet.write_string(row, 4, if row % 2 == 0 { "flu" } else { "gout" }).unwrap();
    }
}

fn options() -> AnonymizeOptions {
    AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: vec!["town".into(), "weight".into(), "admitted".into()],
            identifiers: vec!["postcode".into()],
            sensitive: vec!["illness".into()],
            rows_are_people: true,
            ..Declared::default()
        },
        policy: Policy::k_anonymity(4),
        algorithm: "mondrian".into(),
        format: incrowd::Format::Xlsx,
        bound: false,
        ..AnonymizeOptions::default()
    }
}

#[test]
fn typed_cells_are_read_as_what_they_are() {
    let desk = Desk::new();
    let source = desk.open(&desk.workbook("people.xlsx", people), ReadOptions::default()).unwrap();
    let profiles = source.profile(&desk.engine).unwrap();
    let kinds: Vec<&str> = profiles.iter().map(|profile| profile.dictionary.kind().name()).collect();
    assert_eq!(kinds, ["text", "number", "date", "text", "text"]);
    let labels = |column: usize| {
        let dictionary = &profiles[column].dictionary;
        (0..u32::try_from(dictionary.len()).unwrap())
            .map(|code| dictionary.label(code).into_owned())
            .collect::<Vec<_>>()
    };
    assert!(labels(1).contains(&"50.5".to_string()) && labels(1).contains(&"51".to_string()));
    assert!(labels(2).contains(&"2021-02-02".to_string()), "{:?}", labels(2));
    assert!(labels(3).contains(&"00001".to_string()), "zeros in front stay");
    assert_eq!(source.format(), incrowd::Format::Xlsx);
}

#[test]
fn a_workbook_becomes_a_workbook_that_is_true_to_it() {
    let desk = Desk::new();
    let path = desk.workbook("people.xlsx", people);
    let source = desk.open(&path, ReadOptions::default()).unwrap();
    let release = desk.folder.path().join("release");
    anonymize(&desk.engine, &source, &options(), &release).unwrap();
    let against = VerifyOptions { against: Some(path.clone()), ..VerifyOptions::default() };
    let verdict = verify(&release, &against).unwrap();
    assert!(verdict.verified, "{:?}", verdict.faults);

    let mut workbook: Xlsx<_> = open_workbook(release.join("data.xlsx")).unwrap();
    assert_eq!(workbook.sheet_names(), ["data"]);
    let cells = workbook.worksheet_range("data").unwrap();
    assert_eq!(cells.height(), 61);
    assert!(cells.rows().all(|row| !row.contains(&Data::String("00001".into()))), "an identifier was removed");

    let other = desk.workbook("people.xlsx", |sheet| {
        people(sheet);
        sheet.write_string(7, 0, "Ulm").unwrap();
    });
    let verdict = verify(&release, &VerifyOptions { against: Some(other), ..VerifyOptions::default() }).unwrap();
    assert!(!verdict.verified, "the release is not true to another table");
}

#[test]
fn the_same_key_gives_the_same_workbook() {
    let desk = Desk::new();
    let source = desk.open(&desk.workbook("people.xlsx", people), ReadOptions::default()).unwrap();
    let first = desk.folder.path().join("first");
    let made = anonymize(&desk.engine, &source, &options(), &first).unwrap();
    let again = AnonymizeOptions { repeat: Some(made.record), ..options() };
    let second = desk.folder.path().join("second");
    anonymize(&desk.engine, &source, &again, &second).unwrap();
    let bytes = |release: &Path| std::fs::read(release.join("data.xlsx")).unwrap();
    assert!(bytes(&first) == bytes(&second));
}

#[test]
fn a_sheet_that_is_more_than_a_table_is_refused() {
    let desk = Desk::new();
    let merged = desk.workbook("merged.xlsx", |sheet| {
        people(sheet);
        sheet.merge_range(4, 0, 6, 0, "Köln", &Format::new()).unwrap();
    });
    assert!(desk.refusal(&merged).ends_with("the table has 1 merged cell"), "{}", desk.refusal(&merged));
    let beside = desk.workbook("beside.xlsx", |sheet| {
        people(sheet);
        sheet.write_string(9, 8, "checked by the ward").unwrap();
    });
    assert!(desk.refusal(&beside).ends_with("row 10 has a cell outside of the columns of the first row"));
    let mut several = Workbook::new();
    people(several.add_worksheet().set_name("2023").unwrap());
    people(several.add_worksheet().set_name("2024").unwrap());
    let several = desk.saved("several.xlsx", &mut several);
    assert!(desk.refusal(&several).ends_with("2 sheets with content: “2023”, “2024”"), "{}", desk.refusal(&several));
    let mut named = ReadOptions::default();
    named.sheet.sheet = Some("2024".into());
    assert_eq!(desk.open(&several, named.clone()).unwrap().workbook().unwrap().sheet, "2024");
    named.sheet.sheet = Some("2025".into());
    assert!(desk.open(&several, named).unwrap_err().contains("no sheet “2025”"));
    let text = desk.folder.path().join("text.xlsx");
    std::fs::write(&text, "town,weight\nUlm,70\n").unwrap();
    assert!(desk.refusal(&text).ends_with("the workbook cannot be read"));
}

#[test]
fn a_range_leaves_out_a_title_and_notes() {
    let desk = Desk::new();
    let path = desk.workbook("titled.xlsx", |sheet| {
        sheet.merge_range(0, 0, 0, 4, "Patients of the ward", &Format::new()).unwrap();
        sheet.write_string(2, 1, "town").unwrap();
        sheet.write_string(2, 2, "age").unwrap();
        for row in 3..9 {
            sheet.write_string(row, 1, TOWNS[(row % 3) as usize]).unwrap();
            sheet.write_number(row, 2, f64::from(30 + row)).unwrap();
        }
        sheet.write_string(11, 1, "as of May").unwrap();
    });
    let mut reading = ReadOptions::default();
    reading.sheet.range = "B3:C9".parse().ok();
    let source = desk.open(&path, reading).unwrap();
    assert_eq!(source.columns(), ["town", "age"]);
    assert_eq!(source.profile(&desk.engine).unwrap()[1].rows, 6);
}

#[test]
fn what_a_workbook_hides_is_said() {
    let desk = Desk::new();
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    people(sheet);
    sheet.write_formula(3, 1, rust_xlsxwriter::Formula::new("=1+1").set_result("60")).unwrap();
    sheet.write_string(63, 0, "Köln").unwrap();
    workbook.add_worksheet().set_hidden(true).write_string(0, 0, "names").unwrap();
    let source = desk.open(&desk.saved("hiding.xlsx", &mut workbook), ReadOptions::default()).unwrap();
    let facts = source.workbook().unwrap();
    assert_eq!((facts.hidden_sheets, facts.formulas, facts.empty_rows), (1, 1, 2));
    let checked = check(&desk.engine, &source, &CheckOptions::default()).unwrap();
    let finding = checked.diagnosis.findings.iter().find(|finding| finding.code.code == "IC207").unwrap();
    assert_eq!(
        finding.message,
        "sheet “Sheet1” of the workbook: 1 hidden sheet that was not read, 1 cell with a formula, 2 empty rows that were left out"
    );
}
