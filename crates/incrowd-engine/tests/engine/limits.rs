//! Memory is bounded by what was allowed: beyond it the engine spills or refuses with a number.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arrow::array::{Array, ArrayRef, StringArray};
use arrow::record_batch::RecordBatch;
use incrowd_core::{Progress, Stage};
use incrowd_engine::{EngineError, Question, Settings};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::column::writer::ColumnCloseResult;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;

use crate::support::{
    CANARY, Desk, Rows, Stopper, assert_refused, files_below, question, refusal, remedy, tuples, whole,
};

const SMALL: u64 = 4_000_000;

fn small() -> Settings {
    Settings { memory: Some(SMALL), threads: Some(2), ..Settings::default() }
}

/// Many rows, few distinct tuples of four words, every value beginning with the canary.
fn repeated_rows() -> Rows {
    let few = Rows::generate(30, 10_000, &[60; 30]);
    let canary = |row: &Vec<String>| row.iter().map(|cell| format!("{CANARY}{cell}")).collect();
    let row = |at: usize| canary(&few.rows[at * 7919 % few.rows.len()]);
    Rows { names: few.names.clone(), rows: (0..80_000).map(row).collect() }
}

/// Looks into the temporary folder while the tuples are merged.
struct Spy {
    temp: PathBuf,
    seen: Arc<Mutex<Vec<u8>>>,
}

impl Progress for Spy {
    fn update(&self, stage: Stage, done: u64, _: Option<u64>) {
        if stage == Stage::Merge && done == 0 {
            let mut seen = self.seen.lock().unwrap();
            files_below(&self.temp).iter().for_each(|file| seen.extend(std::fs::read(file).unwrap()));
        }
    }
}

#[test]
fn a_table_that_is_spilled_is_the_table_that_is_not_and_its_files_hold_no_value() {
    let rows = repeated_rows();
    let csv = rows.csv();
    let roomy = Desk::new();
    let expected = roomy.count(&roomy.write("t.csv", &csv), &rows.columns()).unwrap();
    assert_eq!((expected.spilled_bytes, expected.rows), (0, 80_000));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let desk = Desk::watched(&small(), |temp, _| Arc::new(Spy { temp, seen: seen.clone() }));
    let answer = desk.count(&desk.write("t.csv", &csv), &rows.columns()).unwrap();
    assert!(answer.spilled_bytes > 0, "it was spilled");
    assert_eq!((&answer.sizes, answer.rows, answer.tuples), (&expected.sizes, expected.rows, expected.tuples));
    assert!(answer.table == expected.table, "the table is the same");
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len() as u64, answer.spilled_bytes, "the spilled bytes were looked at");
    assert!(!seen.windows(6).any(|bytes| bytes == b"CANARY"), "a value stands in a temporary file");
    assert_eq!(desk.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn tuples_that_do_not_fit_in_memory_leave_class_sizes_correct_and_report_what_they_need() {
    let rows = Rows::generate(31, 75_000, &[120; 24]);
    let desk = Desk::with(&small());
    let path = desk.write("t.csv", rows.csv());
    let asked = Question { sensitive: rows.names[3..].to_vec(), ..question(&["c0", "c1", "c2"]) };
    let answer = desk.open(&path).unwrap().count(&desk.engine, &asked).unwrap();
    assert!(answer.table.is_none() && answer.spilled_bytes > 0);
    assert_eq!((answer.rows, answer.tuples), (75_000, rows.tuples().len() as u64));
    assert_eq!(answer.sizes, rows.class_sizes(3));
    assert_eq!(desk.left_behind(), Vec::<PathBuf>::new());
    let needed = answer.tuples * 16 * 5;
    let words = format!(
        "{} distinct tuples need {}, which is more than --memory {} allows",
        incrowd_core::thousands(answer.tuples),
        incrowd_core::size(needed),
        incrowd_core::size(SMALL)
    );
    let hint = "raise memory, or use fewer columns";
    assert_refused(answer.into_table(&desk.engine), "IC410", &words, hint);
}

#[test]
fn people_are_counted_right_when_they_are_spilled() {
    let rows = Rows::generate(32, 200_000, &[9, 7, 1500]);
    let asked = Question { subject: Some("c2".into()), ..question(&["c0", "c1"]) };
    let csv = rows.csv();
    let count = |desk: &Desk| {
        let path = desk.write("t.csv", &csv);
        desk.open(&path).unwrap().count(&desk.engine, &asked).unwrap()
    };
    let (roomy, desk) = (Desk::new(), Desk::with(&small()));
    let (expected, answer) = (count(&roomy), count(&desk));
    assert!(answer.spilled_bytes > 0 && expected.spilled_bytes == 0);
    assert_eq!((answer.sizes, answer.tuples), (expected.sizes.clone(), expected.tuples));
    assert_eq!(tuples(whole(&expected)).values().sum::<u64>(), 200_000);
}

#[test]
fn a_dictionary_that_does_not_fit_in_memory_is_refused_with_the_limit() {
    let desk = Desk::with(&small());
    let rows: String = (0..40_000).map(|row| format!("{CANARY}{row},1\n")).collect();
    let path = desk.write("t.csv", format!("name,n\n{rows}"));
    let words = "the distinct values of the columns need more than the 800,000 bytes that --memory allows for them; \
                 “name” was read last";
    let hint = "a column with this many values is probably an identifier: leave it out, or raise memory";
    assert_refused(desk.count(&path, &["name"]), "IC410", words, hint);
    assert_eq!(desk.count(&path, &["n"]).unwrap().sizes.k(), 40_000);
}

#[test]
fn dictionaries_share_the_memory_that_is_allowed_for_them() {
    let desk = Desk::with(&small());
    let rows = Rows::generate(33, 2000, &[1_000_000; 6]);
    let path = desk.write("t.csv", rows.csv());
    assert_eq!(desk.count(&path, &["c0"]).unwrap().rows, 2000);
    assert_eq!(refusal(desk.count(&path, &rows.columns())).code(), "IC410");
}

#[test]
fn work_that_is_stopped_leaves_nothing_behind() {
    let rows = Rows::generate(34, 75_000, &[120; 24]);
    let csv = rows.csv();
    for (stage, after) in [(Stage::Probe, 1), (Stage::Count, 1), (Stage::Count, 60_000), (Stage::Merge, 100)] {
        let updates = Arc::new(AtomicU64::new(0));
        let desk =
            Desk::watched(&small(), |_, cancel| Arc::new(Stopper { cancel, after, stage, updates: updates.clone() }));
        let path = desk.write("t.csv", &csv);
        let error = refusal(desk.count(&path, &rows.columns()));
        assert!(matches!(error, EngineError::Cancelled), "{stage:?}: {error}");
        assert_eq!((error.to_string().as_str(), remedy(&error).as_str()), ("stopped", "no files were left behind"));
        assert!(updates.load(Ordering::Relaxed) > 0);
        assert_eq!(desk.left_behind(), Vec::<PathBuf>::new(), "{stage:?}");
    }
}

/// A Parquet file whose one row group is repeated, without ever holding the whole.
fn bomb(desk: &Desk, texts: &StringArray, groups: usize, dictionary: bool) -> String {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let properties = properties
        .set_dictionary_enabled(dictionary)
        .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None);
    let batch = RecordBatch::try_from_iter([("note", Arc::new(texts.clone()) as ArrayRef)]).unwrap();
    let one = desk.path("one");
    let mut writer =
        ArrowWriter::try_new(File::create(&one).unwrap(), batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let source = File::open(&one).unwrap();
    let reader = SerializedFileReader::new(source.try_clone().unwrap()).unwrap();
    let metadata = reader.metadata();
    let path = desk.path("bomb.parquet");
    let root = metadata.file_metadata().schema_descr().root_schema_ptr();
    let mut bomb = SerializedFileWriter::new(File::create(&path).unwrap(), root, Default::default()).unwrap();
    for _ in 0..groups {
        let mut group = bomb.next_row_group().unwrap();
        let column = metadata.row_group(0).column(0);
        let result = ColumnCloseResult {
            bytes_written: column.compressed_size() as u64,
            rows_written: texts.len() as u64,
            metadata: column.clone(),
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        group.append_column(&source, result).unwrap();
        group.close().unwrap();
    }
    bomb.close().unwrap();
    path
}

/// The most memory this process ever had, in MiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? >> 10)
}

#[test]
fn a_dictionary_of_one_long_text_is_read_without_writing_it_out_for_every_row() {
    let desk = Desk::new();
    let text = "x".repeat(200 << 10);
    let path = bomb(&desk, &StringArray::from(vec![text.as_str(); 500]), 400, true);
    assert!(std::fs::metadata(&path).unwrap().len() < 10 << 20, "a small file that promises 40 GB");
    let answer = desk.count(&path, &["note"]).unwrap();
    assert_eq!((answer.rows, answer.sizes.k()), (200_000, 200_000));
    let people = Question { subject: Some("note".into()), ..Question::default() };
    assert_eq!(desk.open(&path).unwrap().count(&desk.engine, &people).unwrap().sizes.k(), 1);
    assert!(peak_memory().is_none_or(|peak| peak < 400), "{:?} MiB", peak_memory());
}

#[test]
fn long_texts_that_compress_well_are_read_a_few_at_a_time() {
    let desk = Desk::new();
    let texts: Vec<String> = (0..32).map(|row| char::from(b'a' + row % 2).to_string().repeat(1 << 20)).collect();
    let path = bomb(&desk, &StringArray::from(texts), 24, false);
    let answer = desk.count(&path, &["note"]).unwrap();
    assert_eq!((answer.rows, answer.sizes.histogram()), (768, &[(384, 2)][..]));
    assert!(peak_memory().is_none_or(|peak| peak < 400), "{:?} MiB", peak_memory());
}

#[test]
fn long_rows_of_a_compressed_text_are_read_a_few_at_a_time() {
    let desk = Desk::new();
    // Enough that differs from row to row for no limit on what a compressed text becomes.
    let noise =
        |row: u64| (0..400u64).map(move |at| format!("{:x}", (row * 400 + at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let row = |row: u64| format!("1,{}{}\n", noise(row).collect::<String>(), "x".repeat(1 << 20));
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    std::io::Write::write_all(&mut encoder, b"n,note\n").unwrap();
    (0..800).for_each(|at| std::io::Write::write_all(&mut encoder, row(at).as_bytes()).unwrap());
    let path = desk.write("t.csv.zst", encoder.finish().unwrap());
    assert_eq!(desk.count(&path, &["n"]).unwrap().sizes.k(), 800);
    assert!(peak_memory().is_none_or(|peak| peak < 400), "{:?} MiB", peak_memory());
}

#[cfg(unix)]
#[test]
fn a_folder_named_for_temporary_files_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let open_to_all = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open_to_all).unwrap();
    let engine =
        incrowd_engine::Engine::new(&Settings { temp: Some(folder.path().into()), ..Settings::default() }).unwrap();
    assert_eq!(std::fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o755);
    drop(engine);
}
