//! Whatever the memory, the verdict is the same: a release is read as often as it takes, and judged as a whole.

use arrow::ipc::writer::FileWriter;
use incrowd_verify::{FaultKind, Format, Options, Role, Technique, Verdict, verify};

use crate::support::{Draft, batch, kinds, row, three_models};

/// 1,200 classes of three rows, of which some break the promises.
fn draft(format: Format) -> Draft {
    let illness = |at: u32| ["flu", "cold", "gout", "flu", "cough"][(at * 7 % 5) as usize];
    let rows = (0..3_600u32).map(|at| {
        let class = at % 1_200;
        // Classes that are divisible by 200 are all of one illness; the last one is split in two.
        let town = if at == 3_599 { "elsewhere".into() } else { format!("town {}", class % 100) };
        row(&[
            &format!("[{}, {})", class / 100, class / 100 + 1),
            &town,
            if class % 200 == 0 { "flu" } else { illness(at) },
        ])
    });
    let mut draft = Draft::new(
        format,
        &[
            ("age", Role::QuasiIdentifier, Technique::Generalized),
            ("town", Role::QuasiIdentifier, Technique::Generalized),
            ("illness", Role::Sensitive, Technique::Retained),
        ],
        rows.collect(),
    );
    draft.manifest.policy = three_models();
    (draft.manifest.classes, draft.manifest.smallest_class) = (1_201, 1);
    draft
}

/// The row groups of a draft are so small that Parquet's writer, which calls itself for each, wants a deep stack.
fn written(mut draft: Draft) -> Draft {
    let writing = std::thread::Builder::new().stack_size(256 << 20).spawn(move || {
        draft.write();
        draft
    });
    writing.unwrap().join().unwrap()
}

fn within(draft: &Draft, memory: Option<u64>) -> Verdict {
    verify(&draft.dir(), &Options { memory, ..Options::default() }).unwrap()
}

#[test]
fn the_verdict_is_the_same_in_one_reading_and_in_many() {
    for format in [Format::Csv, Format::Parquet, Format::Arrow] {
        let draft = written(draft(format));
        let free = within(&draft, None);
        assert_eq!((free.rows, free.classes, free.smallest_class), (3_600, 1_201, 1), "{:?}", free.faults);
        assert_eq!(free.models.len(), 3, "{:?}", free.faults);
        assert!(free.models.iter().all(|model| model.classes_failing > 0), "{:?}", free.models);
        for memory in [10 << 20, 1 << 20, 200_000, 60_000] {
            assert_eq!(within(&draft, Some(memory)), free, "{format:?} in {memory} bytes");
        }
    }
}

#[test]
fn a_manifest_that_speaks_of_few_classes_is_found_out_within_the_memory() {
    let mut draft = draft(Format::Parquet);
    (draft.manifest.classes, draft.manifest.smallest_class) = (1, 3_600);
    let draft = written(draft);
    let (free, limited) = (within(&draft, None), within(&draft, Some(400_000)));
    assert_eq!(limited, free);
    assert!(kinds(&limited).contains(&FaultKind::Classes), "{:?}", limited.faults);
}

#[test]
fn a_fault_of_a_file_is_reported_once_when_the_file_is_read_several_times() {
    let mut draft = draft(Format::Arrow);
    // The verifier plans one reading, because the manifest gives one class, and finds too many in the second batch.
    (draft.manifest.classes, draft.manifest.smallest_class) = (1, 3_600);
    draft.write();
    let batch = batch(&draft.names, &draft.rows);
    let file = std::fs::File::create(draft.data()).expect("the folder is there");
    let mut writer = FileWriter::try_new(file, &batch.schema()).expect("the schema is plain");
    for from in [0, 1_200, 2_400] {
        writer.write(&batch.slice(from, 1_200)).expect("the file can be written");
    }
    writer.finish().expect("the file can be written");
    draft.manifest.files[0].rows = 3_599;
    draft.seal();
    let free = within(&draft, None);
    assert!(free.faults.iter().any(|fault| fault.message.contains("data.arrow has 3600 rows")), "{:?}", free.faults);
    assert!(kinds(&free).contains(&FaultKind::Promise), "{:?}", free.faults);
    for memory in [400_000, 60_000] {
        assert_eq!(within(&draft, Some(memory)), free, "{memory} bytes");
    }
}
