//! Text as people have it: five dialects in four encodings are read cell by cell as they were written, and a release
//! made from each is true to it and written like it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd::core::{Parameters, Policy};
use incrowd::query::{ReleaseView, parse_query};
use incrowd::request::PopulationOptions;
use incrowd::{
    AnonymizeOptions, Declared, Engine, OutputDialect, ReadOptions, Settings, Source, TextEncoding, VerifyOptions,
    anonymize, verify,
};
use tempfile::TempDir;

/// One way to write a table.
struct Dialect {
    delimiter: char,
    decimal_comma: bool,
    /// What separates thousands.
    thousands: &'static str,
    line_end: &'static str,
    missing: &'static str,
}

const DIALECTS: [Dialect; 5] = [
    Dialect { delimiter: ',', decimal_comma: false, thousands: "", line_end: "\n", missing: "" },
    Dialect { delimiter: ';', decimal_comma: true, thousands: ".", line_end: "\r\n", missing: "n/a" },
    Dialect { delimiter: '\t', decimal_comma: true, thousands: "", line_end: "\n", missing: "." },
    Dialect { delimiter: ';', decimal_comma: true, thousands: "'", line_end: "\r\n", missing: "" },
    Dialect { delimiter: '|', decimal_comma: false, thousands: "", line_end: "\n", missing: "-99" },
];
const ENCODINGS: [&str; 4] = ["utf-8", "windows-1252", "iso-8859-15", "utf-16le"];
const TOWNS: [&str; 3] = ["Köln", "Béziers", "Málaga"];

/// A row as it is meant: town, weight, income.
type Person = (&'static str, Option<f64>, u32);

fn people() -> Vec<Person> {
    let person = |row: u32| {
        let weight = (!row.is_multiple_of(11)).then_some(f64::from(500 + row * 37 % 400) / 10.0);
        (TOWNS[(row * 7 % 3) as usize], weight, 900 + row * 7919 % 4000)
    };
    (0..80).map(person).collect()
}

fn written(dialect: &Dialect) -> String {
    let number = |number: f64| {
        let text = number.to_string();
        if dialect.decimal_comma { text.replace('.', ",") } else { text }
    };
    let grouped = |number: u32| match number {
        0..1000 => number.to_string(),
        _ => format!("{}{}{:03}", number / 1000, dialect.thousands, number % 1000),
    };
    let line = |(town, weight, income): &Person| {
        let cells = [town.to_string(), weight.map_or_else(|| dialect.missing.into(), number), grouped(*income)];
        cells.join(&dialect.delimiter.to_string()) + dialect.line_end
    };
    let head = ["town", "weight", "income"].join(&dialect.delimiter.to_string()) + dialect.line_end;
    people().iter().fold(head, |text, person| text + &line(person))
}

fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    match encoding {
        "utf-8" => text.into(),
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        // All letters of the table have the same byte in both.
        _ => text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("a letter of Latin-1")).collect(),
    }
}

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

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn open(&self, path: &Path, reading: ReadOptions) -> Result<Source, String> {
        Source::open(&self.engine, path.to_str().unwrap(), reading).map_err(|error| error.to_string())
    }
}

fn reading(dialect: &Dialect, encoding: &str) -> ReadOptions {
    ReadOptions {
        encoding: TextEncoding::named(encoding),
        nulls: vec![dialect.missing.into()],
        decimal_commas: if dialect.decimal_comma { vec!["weight".into(), "income".into()] } else { Vec::new() },
        ..ReadOptions::default()
    }
}

#[test]
fn five_dialects_in_four_encodings_are_read_value_by_value() {
    let desk = Desk::new();
    let columns: Vec<String> = ["town", "weight", "income"].map(String::from).into();
    for (at, dialect) in DIALECTS.iter().enumerate() {
        for encoding in ENCODINGS {
            let path = desk.file(&format!("{encoding}-{at}.csv"), &encoded(&written(dialect), encoding));
            let source = desk.open(&path, reading(dialect, encoding)).unwrap();
            assert_eq!(source.delimiter(), u8::try_from(dialect.delimiter).ok());
            let profiles = source.profile_columns(&desk.engine, &columns).unwrap();
            let values = |column: usize| -> Vec<(String, u64)> {
                let (dictionary, counts) = (&profiles[column].dictionary, &profiles[column].counts);
                let value = |rank: u32| (dictionary.label(rank).into_owned(), counts[rank as usize]);
                (0..u32::try_from(dictionary.values().len()).unwrap()).map(value).collect()
            };
            let meant = |texts: Vec<Option<String>>| {
                let mut counts = std::collections::BTreeMap::<String, u64>::new();
                texts.into_iter().flatten().for_each(|text| *counts.entry(text).or_default() += 1);
                counts
            };
            let of = |text: fn(&Person) -> Option<String>| meant(people().iter().map(text).collect());
            let found = |column: usize| values(column).into_iter().collect::<std::collections::BTreeMap<_, _>>();
            assert_eq!(found(0), of(|person| Some(person.0.into())), "{encoding}, dialect {at}");
            assert_eq!(found(1), of(|person| person.1.map(|number| number.to_string())), "{encoding}, {at}");
            assert_eq!(found(2), of(|person| Some(person.2.to_string())), "{encoding}, {at}");
            assert_eq!(profiles[1].dictionary.kind().name(), "number");
            assert_eq!(profiles[1].missing, people().iter().filter(|person| person.1.is_none()).count() as u64);
        }
    }
}

#[test]
fn a_release_of_each_dialect_is_true_to_its_original() {
    let desk = Desk::new();
    for (at, dialect) in DIALECTS.iter().enumerate() {
        let encoding = ENCODINGS[at % ENCODINGS.len()];
        let path = desk.file(&format!("{at}.csv"), &encoded(&written(dialect), encoding));
        let options = AnonymizeOptions {
            declared: Declared {
                quasi_identifiers: vec!["town".into(), "weight".into()],
                sensitive: vec!["income".into()],
                ..Declared::default()
            },
            policy: Policy::k_anonymity(4),
            algorithm: "mondrian".into(),
            reading: reading(dialect, encoding),
            keep_identifying: vec!["income".into()],
            bound: false,
            ..AnonymizeOptions::default()
        };
        let source = desk.open(&path, options.reading.clone()).unwrap();
        let release = desk.folder.path().join(format!("release-{at}"));
        anonymize(&desk.engine, &source, &options, &release).unwrap();
        let against = VerifyOptions { against: Some(path.clone()), ..VerifyOptions::default() };
        assert!(verify(&release, &against).unwrap().verified, "dialect {at}");
        // A weight that nobody has.
        let other = written(dialect).replacen("Köln", "Ulm", 1);
        std::fs::write(&path, encoded(&other, encoding)).unwrap();
        assert!(!verify(&release, &against).unwrap().verified, "dialect {at} with another town");
    }
}

/// The rows of a release in a dialect, sorted, with decimal points in the weights.
fn rows(release: &Path, dialect: &Dialect, encoding: &str) -> Vec<Vec<String>> {
    let bytes = std::fs::read(release.join("data.csv")).unwrap();
    let text = match encoding {
        "utf-8" => String::from_utf8(bytes).unwrap(),
        "utf-16le" => {
            assert_eq!(bytes[..2], [0xff, 0xfe], "a byte order mark");
            let units = bytes[2..].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
            String::from_utf16(&units.collect::<Vec<u16>>()).unwrap()
        }
        _ => bytes.iter().map(|&byte| char::from(byte)).collect(),
    };
    let delimiter = u8::try_from(dialect.delimiter).unwrap();
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap(), ["town", "weight", "income"].as_slice());
    let mut rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| {
            let mut cells: Vec<String> = row.unwrap().iter().map(str::to_owned).collect();
            if dialect.decimal_comma && !cells[1].starts_with('[') {
                assert!(!cells[1].contains('.'), "{}", cells[1]);
                cells[1] = cells[1].replace(',', ".");
            }
            cells
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn a_release_is_written_in_the_dialect_that_was_read_unless_the_usual_one_is_asked_for() {
    let desk = Desk::new();
    for (at, dialect) in DIALECTS.iter().enumerate() {
        for (encoding, k) in ENCODINGS.into_iter().flat_map(|encoding| [(encoding, 1), (encoding, 3)]) {
            let path = desk.file(&format!("{at}-{encoding}.csv"), &encoded(&written(dialect), encoding));
            let options = AnonymizeOptions {
                declared: Declared {
                    quasi_identifiers: vec!["town".into(), "weight".into()],
                    sensitive: vec!["income".into()],
                    ..Declared::default()
                },
                policy: Policy::k_anonymity(k),
                algorithm: "mondrian".into(),
                reading: reading(dialect, encoding),
                treatments: [("income".to_string(), "round:0.5".parse().unwrap())].into(),
                keep_identifying: vec!["income".into()],
                bound: false,
                seed: Some(1),
                ..AnonymizeOptions::default()
            };
            let source = desk.open(&path, options.reading.clone()).unwrap();
            let folder = |name: &str| desk.folder.path().join(format!("{name}-{at}-{encoding}-{k}"));
            let (same, standard) = (folder("same"), folder("standard"));
            anonymize(&desk.engine, &source, &options, &same).unwrap();
            let usual = AnonymizeOptions { dialect: OutputDialect::Standard, ..options };
            anonymize(&desk.engine, &source, &usual, &standard).unwrap();
            let found = rows(&same, dialect, encoding);
            if k == 1 {
                let shown = |(town, weight, income): &Person| {
                    vec![
                        town.to_string(),
                        weight.map_or_else(String::new, |weight| weight.to_string()),
                        income.to_string(),
                    ]
                };
                let mut meant: Vec<Vec<String>> = people().iter().map(shown).collect();
                meant.sort();
                assert_eq!(found, meant, "every cell as it was meant: dialect {at}, {encoding}");
            }
            assert_eq!(found, rows(&standard, &DIALECTS[0], "utf-8"), "dialect {at}, {encoding}");
            let query = parse_query("SELECT COUNT(*), SUM(weight) WHERE weight > 60.5 AND town = 'Köln'").unwrap();
            let answer = |release: &Path| {
                let view = ReleaseView::open(&desk.engine, release, &["weight", "town"], &BTreeMap::new()).unwrap();
                format!("{:?}", view.answer(&query, None).unwrap().answers)
            };
            assert_eq!(answer(&same), answer(&standard), "dialect {at}, {encoding}");
            for release in [same, standard] {
                let against = VerifyOptions { against: Some(path.clone()), ..VerifyOptions::default() };
                let verdict = verify(&release, &against).unwrap();
                assert!(verdict.verified, "dialect {at}, {encoding}: {:?}", verdict.faults);
            }
        }
    }
}

#[test]
fn a_label_that_the_encoding_lacks_is_refused_and_not_replaced() {
    let desk = Desk::new();
    let text = "age;town\n34;Köln\n35;Köln\n71;Köln\n72;Köln\n";
    let path = desk.file("ages.csv", &encoded(text, "windows-1252"));
    desk.file("ages.hierarchy.csv", "34;< 70;*\n35;< 70;*\n71;≥ 70;*\n72;≥ 70;*\n".as_bytes());
    let plan = incrowd::request::HierarchyPlan::File("ages.hierarchy.csv".into());
    let hierarchy = incrowd::HierarchyChoice { plan, folder: desk.folder.path().into() };
    let reading = ReadOptions { encoding: TextEncoding::named("windows-1252"), ..ReadOptions::default() };
    let options = AnonymizeOptions {
        declared: Declared { quasi_identifiers: vec!["age".into(), "town".into()], ..Declared::default() },
        policy: Policy::k_anonymity(2),
        hierarchies: [("age".into(), hierarchy)].into(),
        reading: reading.clone(),
        ..AnonymizeOptions::default()
    };
    let source = desk.open(&path, reading).unwrap();
    let release = desk.folder.path().join("release");
    let refused = anonymize(&desk.engine, &source, &options, &release).unwrap_err();
    assert_eq!(refused.code(), "IC428");
    assert!(refused.to_string().contains("column “age” has a text with a letter that windows-1252 lacks"), "{refused}");
    assert!(!release.exists());
    let usual = AnonymizeOptions { dialect: OutputDialect::Standard, ..options };
    anonymize(&desk.engine, &source, &usual, &release).unwrap();
}

#[test]
fn an_encoding_is_proposed_and_never_assumed() {
    let desk = Desk::new();
    let text = "town,age\nKöln,34\nBéziers,41\nMünchen,35\n";
    let latin = desk.file("latin.csv", &encoded(text, "windows-1252"));
    let refused = desk.open(&latin, ReadOptions::default()).unwrap_err();
    assert!(
        refused.contains("line 2, column 1: the cell is not valid UTF-8; the file looks like windows-1252"),
        "{refused}"
    );
    let marked = desk.file("marked.csv", &[&b"\xff\xfe"[..], &encoded(text, "utf-16le")].concat());
    let source = desk.open(&marked, ReadOptions::default()).unwrap();
    assert_eq!(source.encoding().map(TextEncoding::name), Some("UTF-16LE"), "a byte order mark is the file's own word");
    let utf8 = desk.file("utf8.csv", text.as_bytes());
    let said = ReadOptions { encoding: TextEncoding::named("windows-1252"), ..ReadOptions::default() };
    assert!(desk.open(&utf8, said).unwrap_err().contains("the file is UTF-8, not windows-1252"));
}

#[test]
fn a_column_that_has_no_decimal_commas_is_refused_with_the_number_of_misfits() {
    let desk = Desk::new();
    let path = desk.file("mixed.csv", b"weight;age\n70,5;34\n1.234,5;41\nheavy;35\n70.55;36\n");
    let said = ReadOptions { decimal_commas: vec!["weight".into()], ..ReadOptions::default() };
    let source = desk.open(&path, said).unwrap();
    let refused = source.profile_columns(&desk.engine, &["weight".to_owned()]).unwrap_err().to_string();
    assert_eq!(refused, "column “weight”: 2 of its distinct values are not numbers with a decimal comma");
}

#[test]
fn a_population_is_written_like_the_table_or_in_utf8() {
    let desk = Desk::new();
    let dialect = &DIALECTS[1];
    let table = desk.file("table.csv", &encoded(&written(dialect), "windows-1252"));
    let options = |population: PathBuf| AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: vec!["town".into(), "weight".into()],
            sensitive: vec!["income".into()],
            ..Declared::default()
        },
        policy: Policy::default().asking("k-map", Parameters::from_iter([("k", 6)]), &[]),
        population: Some(PopulationOptions { path: population, count_column: None }),
        algorithm: "mondrian".into(),
        reading: reading(dialect, "windows-1252"),
        keep_identifying: vec!["income".into()],
        bound: false,
        ..AnonymizeOptions::default()
    };
    let source = desk.open(&table, reading(dialect, "windows-1252")).unwrap();
    for (name, encoding) in [("same", "windows-1252"), ("unicode", "utf-8")] {
        let path = desk.file(&format!("{name}.csv"), &encoded(&written(dialect), encoding));
        let release = desk.folder.path().join(name);
        anonymize(&desk.engine, &source, &options(path.clone()), &release).unwrap();
        let with = VerifyOptions { population: Some(path), ..VerifyOptions::default() };
        let verdict = verify(&release, &with).unwrap();
        assert!(verdict.verified && verdict.not_checked.is_empty(), "{name}: {:?}", verdict.faults);
    }
}

#[test]
fn treated_decimals_are_written_with_the_comma_that_was_read() {
    let desk = Desk::new();
    let path = desk.file("pay.csv", "age;pay\n30;1234,56\n30;99,4\n30;1234,4\n31;100\n31;99,76\n31;-0,2\n".as_bytes());
    let options = AnonymizeOptions {
        declared: Declared {
            quasi_identifiers: vec!["age".into()],
            sensitive: vec!["pay".into()],
            ..Declared::default()
        },
        policy: Policy::k_anonymity(3),
        reading: ReadOptions { decimal_commas: vec!["pay".into()], ..ReadOptions::default() },
        treatments: [("pay".to_string(), "round:0.5".parse().unwrap())].into(),
        keep_identifying: vec!["pay".into()],
        bound: false,
        ..AnonymizeOptions::default()
    };
    let source = desk.open(&path, options.reading.clone()).unwrap();
    let release = desk.folder.path().join("release");
    anonymize(&desk.engine, &source, &options, &release).unwrap();
    let text = std::fs::read_to_string(release.join("data.csv")).unwrap();
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["30;1234,5", "30;1234,5", "30;99,5", "31;0", "31;100", "31;100"]);
    let against = VerifyOptions { against: Some(path), ..VerifyOptions::default() };
    assert!(verify(&release, &against).unwrap().verified);
}
