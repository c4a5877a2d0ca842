//! A frame in memory and the same rows in a Parquet file are one table.

use std::fs::File;
use std::sync::Arc;

use arrow::array::types::Int32Type;
use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int8Array, StringArray,
    StringViewArray,
};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use incrowd::{
    AnonymizeOptions, CheckOptions, Declared, DiagnoseOptions, EngineError, Format, ReadOptions, Source, anonymize,
    check, diagnose,
};
use parquet::arrow::ArrowWriter;
use serde::Serialize;
use serde_json::Value;

use super::support::Desk;

/// Patients with columns of many types, in one batch.
fn patients() -> RecordBatch {
    let mixed: Vec<i64> = (0..240).map(|row| row * 7919 % 1009).collect();
    let texts = |cell: &dyn Fn(i64) -> String| mixed.iter().map(|&mixed| Some(cell(mixed))).collect::<Vec<_>>();
    let towns = texts(&|mixed| ["Ulm", "Bonn am Rhein im Winter", "Wien", "Graz"][(mixed / 7 % 4) as usize].into());
    let jobs = texts(&|mixed| ["baker", "cook", "clerk"][(mixed % 3) as usize].into());
    let jobs: DictionaryArray<Int32Type> = jobs.iter().map(|job| job.as_deref()).collect();
    let ages = mixed.iter().map(|mixed| (mixed % 13 != 0).then_some((20 + mixed % 40) as i8));
    let incomes = StringArray::from(texts(&|mixed| format!("{}.50", mixed % 9)));
    let columns: [(&str, ArrayRef); 9] = [
        ("name", Arc::new(StringArray::from(texts(&|mixed| format!("ZQX-PERSON-{mixed:04}"))))),
        ("town", Arc::new(StringViewArray::from_iter(towns))),
        ("job", Arc::new(jobs)),
        ("age", Arc::new(Int8Array::from_iter(ages))),
        ("height", Arc::new(Float64Array::from_iter(mixed.iter().map(|mixed| Some((mixed % 5) as f64 / 4.0))))),
        ("seen", Arc::new(Date32Array::from_iter(mixed.iter().map(|mixed| Some((mixed % 6) as i32))))),
        ("member", Arc::new(BooleanArray::from_iter(mixed.iter().map(|mixed| Some(mixed % 2 == 0))))),
        ("income", cast(&incomes, &DataType::Decimal128(6, 2)).unwrap()),
        ("photo", Arc::new(BinaryArray::from_iter_values(mixed.iter().map(|mixed| mixed.to_le_bytes())))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

/// The rows as a frame of uneven batches, and as a Parquet file.
fn both(desk: &Desk) -> [Source; 2] {
    let batch = patients();
    let path = desk.path("patients.parquet");
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let pieces = [(0, 7), (7, 0), (7, 200), (207, 33)].map(|(start, rows)| batch.slice(start, rows));
    let frame = Source::of_batches("frame", &batch.schema(), pieces.to_vec()).unwrap();
    [frame, Source::open(&desk.engine, path.to_str().unwrap(), ReadOptions::default()).unwrap()]
}

/// An answer without what names the source or reads a clock.
fn told(answer: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(answer).unwrap();
    let object = value.as_object_mut().unwrap();
    ["source", "format", "release", "report", "solve_seconds"].iter().for_each(|word| drop(object.remove(*word)));
    value
}

fn roles() -> Declared {
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
    Declared {
        quasi_identifiers: names(&["town", "job", "age", "seen"]),
        sensitive: names(&["income"]),
        identifiers: names(&["name", "photo"]),
        insensitive: names(&["height", "member"]),
        ..Declared::default()
    }
}

#[test]
fn a_frame_is_checked_diagnosed_and_anonymized_as_the_same_rows_in_a_file() {
    let desk = Desk::new();
    let sources = both(&desk);
    let [frame, file] = &sources;
    assert_eq!((frame.stored(), frame.format(), frame.files().len()), ("memory", Format::Arrow, 0));
    assert_eq!(frame.columns(), file.columns());
    let checked = sources.each_ref().map(|source| check(&desk.engine, source, &CheckOptions::default()).unwrap());
    assert_eq!(told(&checked[0]), told(&checked[1]));
    let asked = DiagnoseOptions { declared: roles(), sets: true, curve: Some(20), ..DiagnoseOptions::default() };
    let diagnosed = sources.each_ref().map(|source| diagnose(&desk.engine, source, &asked).unwrap());
    assert_eq!(told(&diagnosed[0]), told(&diagnosed[1]));
    for format in [Format::Csv, Format::Arrow] {
        let keep_identifying = roles().insensitive;
        let declared = roles();
        let options =
            AnonymizeOptions { declared, keep_identifying, seed: Some(7), format, ..AnonymizeOptions::default() };
        let first = desk.path(&format!("first-{}", format.name()));
        anonymize(&desk.engine, file, &options, &first).unwrap();
        let options = AnonymizeOptions { repeat: Some(first), ..options };
        let made = [("frame", frame), ("file", file)].map(|(name, source)| {
            let release = desk.path(&format!("{name}-{}", format.name()));
            let made = anonymize(&desk.engine, source, &options, &release).unwrap();
            assert!(made.verified && desk.verdict(&release).verified);
            let data = format!("data.{}", format.name().to_lowercase());
            (told(&made), std::fs::read(release.join(data)).unwrap())
        });
        assert_eq!(made[0], made[1], "{}", format.name());
    }
}

#[test]
fn a_frame_whose_names_or_batches_lie_is_refused() {
    let batch = patients();
    let renamed = |names: &[(usize, &str)]| {
        let mut fields: Vec<Field> = batch.schema().fields().iter().map(|field| field.as_ref().clone()).collect();
        names.iter().for_each(|&(at, name)| fields[at] = fields[at].clone().with_name(name));
        Source::of_batches("frame", &Schema::new(fields), vec![batch.clone()])
    };
    let twice = renamed(&[(3, "town")]).unwrap_err();
    assert!(matches!(twice, EngineError::DuplicateColumn { first: 2, second: 4, .. }));
    assert!(matches!(renamed(&[(0, "")]).unwrap_err(), EngineError::UnnamedColumn { position: 1, .. }));
    let fewer = batch.project(&[0, 1]).unwrap();
    let refused = Source::of_batches("frame", &batch.schema(), vec![batch.clone(), fewer]).unwrap_err();
    assert_eq!(refused.to_string(), "frame, batch 2: column 3 differs from the schema of frame");
    let desk = Desk::new();
    let empty = Source::of_batches("frame", &batch.schema(), vec![]).unwrap();
    let refused = check(&desk.engine, &empty, &CheckOptions::default()).unwrap_err();
    assert_eq!(refused.to_string(), "frame: the table has no rows");
    let dates = ReadOptions { date_formats: vec![("born".into(), "%Y".into())], ..ReadOptions::default() };
    assert!(matches!(empty.reading(dates).unwrap_err(), EngineError::UnknownColumn { .. }));
}

#[test]
fn a_table_that_cannot_be_looked_into_is_refused_and_not_called_safe() {
    let photos = patients().project(&[8]).unwrap();
    let frame = Source::of_batches("frame", &photos.schema(), vec![photos]).unwrap();
    let refused = check(&Desk::new().engine, &frame, &CheckOptions::default()).unwrap_err();
    assert_eq!(refused.code(), "IC408");
}
