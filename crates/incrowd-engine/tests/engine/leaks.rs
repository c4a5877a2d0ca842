//! What is not published is nowhere in the bytes: not in the data file, and not in what waited on the disk.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arrow::array::types::Int32Type;
use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, DictionaryArray, Int32Array, Int64Array, StringArray, StringViewArray,
};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use incrowd_core::{Partition, Progress, Stage};
use incrowd_engine::{EngineError, Settings};

use crate::releases::{FORMATS, Job, arrow_batches, by_chance, each_alone};
use crate::support::{Desk, Stopper, files_below, question, refusal};

/// Eight bytes that stand in no table by chance.
const CANARY_NUMBER: i64 = i64::from_le_bytes(*b"ZQX-INTS");

fn holds(bytes: &[u8], text: &str) -> bool {
    memchr::memmem::find(bytes, text.as_bytes()).is_some()
}

/// The bytes, and what is compressed in them.
fn with_compressed(bytes: &[u8]) -> Vec<u8> {
    const FRAME: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();
    let mut all = bytes.to_vec();
    for start in memchr::memmem::find_iter(bytes, &FRAME) {
        let frame = zstd::stream::read::Decoder::new(&bytes[start..]).map(zstd::stream::read::Decoder::single_frame);
        // Four bytes that begin no frame by chance are nothing to read.
        let _ = frame.and_then(|mut frame| std::io::Read::read_to_end(&mut frame, &mut all));
    }
    all
}

/// Looks into the temporary folder when the first rows are written.
struct Spy {
    temp: PathBuf,
    seen: Arc<Mutex<Vec<u8>>>,
}

impl Progress for Spy {
    fn update(&self, stage: Stage, _: u64, _: Option<u64>) {
        let mut seen = self.seen.lock().unwrap();
        if stage == Stage::Write && seen.is_empty() {
            files_below(&self.temp).iter().for_each(|file| seen.extend(std::fs::read(file).unwrap()));
        }
    }
}

#[test]
fn removed_and_generalized_values_are_in_no_file_while_kept_cells_are() {
    let lines: String = (0..100_000)
        .map(|id| format!("ZQX-TOWN-{},{},ZQX-CANARY-{id},ZQX-WHO-{},kept-{id}\n", id % 50, id % 90, id % 7000))
        .collect();
    let csv = format!("town,age,secret,who,note\n{lines}");
    let settings = Settings { memory: Some(6 << 20), threads: Some(2), ..Settings::default() };
    for format in FORMATS {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let desk = Desk::watched(&settings, |temp, _| Arc::new(Spy { temp, seen: seen.clone() }));
        let source = desk.open(&desk.write("t.csv", &csv)).unwrap();
        let job = Job::new(&desk, source, &question(&["town", "age"]), &["note"], Partition::single);
        let (applied, path) = job.publish(&desk, "out", format).unwrap();
        let spilled = seen.lock().unwrap();
        assert!(applied.spilled_bytes > 1_000_000 && spilled.len() as u64 <= applied.spilled_bytes);
        let waited = with_compressed(&spilled);
        assert!(waited.len() > spilled.len(), "rows wait compressed");
        for (bytes, compressed) in [(&waited, false), (&std::fs::read(path).unwrap(), format == FORMATS[1])] {
            assert!(!holds(bytes, "ZQX"), "{format:?}");
            assert!(compressed || holds(bytes, "kept-"), "the bytes were looked at");
        }
        assert!(desk.left_behind().is_empty());
    }
}

/// Columns that carry more than their cells: under nulls, beside views, among unused dictionary entries.
fn hiding() -> Vec<(&'static str, ArrayRef)> {
    let nulls = || Some(NullBuffer::from(vec![true, false, true]));
    let numbers = Int64Array::new(ScalarBuffer::from(vec![1, CANARY_NUMBER, 3]), nulls());
    let texts = "oneZQX-CANARY-17three".as_bytes().into();
    let offsets = OffsetBuffer::new(ScalarBuffer::from(vec![0, 3, 16, 21]));
    let texts = StringArray::new(offsets, texts, nulls());
    let flags = BooleanArray::new(vec![true, true, false].into(), nulls());
    let views = StringViewArray::from(vec!["ZQX-CANARY-17, too long to inline", "two", "three", "four"]).slice(1, 3);
    let entries = StringArray::from(vec!["ZQX-CANARY-17", "used", "ZQX-CANARY-18"]);
    let entries = DictionaryArray::<Int32Type>::new(Int32Array::from(vec![Some(1), None, Some(1)]), Arc::new(entries));
    vec![
        ("town", Arc::new(StringArray::from(vec!["Ulm", "Bonn", "Wien"]))),
        ("numbers", Arc::new(numbers)),
        ("texts", Arc::new(texts)),
        ("flags", Arc::new(flags)),
        ("views", Arc::new(views)),
        ("entries", Arc::new(entries)),
    ]
}

#[test]
fn nothing_hides_below_nulls_beside_views_or_in_dictionaries() {
    let desk = Desk::new();
    crate::formats::arrow_file(&desk.path("t.arrow"), hiding());
    let source = std::fs::read(desk.path("t.arrow")).unwrap();
    assert!(holds(&source, "ZQX-CANARY-17") && holds(&source, "ZQX-INTS"), "the table does hide something");
    let source = desk.open(&desk.path("t.arrow")).unwrap();
    let kept = ["numbers", "texts", "flags", "views", "entries"];
    let job = Job::new(&desk, source, &question(&["town"]), &kept, each_alone);
    for format in FORMATS {
        let (_, path) = job.publish(&desk, "out", format).unwrap();
        assert!(!holds(&std::fs::read(&path).unwrap(), "ZQX"), "{format:?}");
    }
    let batches = arrow_batches(desk.path("out/data.arrow").as_ref());
    let numbers = batches[0].column(1).as_primitive::<arrow::datatypes::Int64Type>();
    let below: Vec<i64> = (0..3).filter(|&row| numbers.is_null(row)).map(|row| numbers.values()[row]).collect();
    assert_eq!(below, [0], "a null slot holds zero");
}

#[test]
fn the_metadata_of_the_source_is_not_inherited() {
    use arrow::datatypes::{Field, Schema};
    use arrow::record_batch::RecordBatch;
    let desk = Desk::new();
    let planted = std::collections::HashMap::from([("made by".to_string(), "ZQX-CANARY-17".to_string())]);
    let column: ArrayRef = Arc::new(StringArray::from(vec!["Ulm", "Wien"]));
    let field = |name: &str| Field::new(name, column.data_type().clone(), true).with_metadata(planted.clone());
    let schema = Arc::new(Schema::new_with_metadata(vec![field("town"), field("note")], planted.clone()));
    let batch = RecordBatch::try_new(schema.clone(), vec![column.clone(), column.clone()]).unwrap();
    let file = std::fs::File::create(desk.path("t.parquet")).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let source = desk.open(&desk.path("t.parquet")).unwrap();
    let job = Job::new(&desk, source, &question(&["town"]), &["note"], each_alone);
    for format in FORMATS {
        assert!(!holds(&job.bytes(&desk, "out", format), "ZQX"), "{format:?}");
    }
}

#[test]
fn a_release_that_is_stopped_leaves_nothing_in_the_temporary_folder() {
    let lines: String = (0..300_000).map(|id| format!("{},{},kept-{id}\n", id % 50, id % 90)).collect();
    let csv = format!("town,age,note\n{lines}");
    let settings = Settings { memory: Some(8 << 20), threads: Some(2), ..Settings::default() };
    for (stage, after) in [(Stage::Recode, 1), (Stage::Recode, 250_000), (Stage::Write, 1)] {
        let updates = Arc::new(AtomicU64::new(0));
        let desk =
            Desk::watched(&settings, |_, cancel| Arc::new(Stopper { cancel, stage, after, updates: updates.clone() }));
        let source = desk.open(&desk.write("t.csv", &csv)).unwrap();
        let job = Job::new(&desk, source, &question(&["town", "age"]), &["note"], |table| by_chance(table, 5));
        let error = refusal(job.publish(&desk, "out", FORMATS[0]));
        assert!(matches!(error, EngineError::Cancelled), "{stage:?}: {error}");
        assert!(updates.load(Ordering::Relaxed) > 0);
        assert_eq!(desk.left_behind(), Vec::<PathBuf>::new(), "{stage:?}");
    }
}
