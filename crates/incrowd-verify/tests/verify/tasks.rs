//! A release in parts, verified by tasks that see a file or a part of the classes each, gets the verdict of one verifier.

use incrowd_verify::canary::{self, CanaryScan};
use incrowd_verify::tasks::{self, CountedFile, JudgedPart, WholeValues};
use incrowd_verify::{FaultKind, FileEntry, Format, Options, Role, Technique, Verdict, verify_staged};
use sha2::{Digest, Sha256};

use crate::support::{Draft, kinds, row, three_models, write_table};

const PARTS: usize = 4;

/// A value that was removed, and one that is published.
const REMOVED: [&[u8]; 2] = [b"Hieronymus", b"gout"];

/// 120 classes of three rows, in three files that share all of them.
fn draft(format: Format) -> Draft {
    let rows = (0..360u32).map(|at| {
        let class = at % 120;
        let illness = ["flu", "cold", "gout", "~"][(at / 120 + class % 2) as usize];
        row(&[&format!("[{}, {})", class / 10, class / 10 + 1), &format!("town {}", class % 10), illness])
    });
    let columns = [
        ("age", Role::QuasiIdentifier, Technique::Generalized),
        ("town", Role::QuasiIdentifier, Technique::Generalized),
        ("illness", Role::Sensitive, Technique::Retained),
    ];
    let mut draft = Draft::new(format, &columns, rows.collect());
    draft.manifest.policy = three_models();
    (draft.manifest.classes, draft.manifest.smallest_class) = (120, 3);
    draft
}

/// Writes the rows into three files, and a manifest that is right about the bytes.
fn write(draft: &mut Draft) {
    std::fs::create_dir_all(draft.dir()).unwrap();
    let rows = draft.rows.clone();
    draft.manifest.files = rows
        .chunks(rows.len().div_ceil(3))
        .enumerate()
        .map(|(at, rows)| {
            let name = format!("data-{at}");
            write_table(&draft.dir().join(&name), draft.format, &draft.names, rows);
            let bytes = std::fs::read(draft.dir().join(&name)).unwrap();
            let sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            let (format, bytes, rows) = (draft.format, bytes.len() as u64, rows.len() as u64);
            FileEntry { escaped: false, dialect: None, name, format, rows, bytes, sha256 }
        })
        .collect();
}

/// What tasks say, each of which knows only what it was told as text.
fn by_tasks(draft: &Draft) -> (Verdict, CanaryScan) {
    let (dir, manifest) = (draft.dir(), &draft.manifest);
    assert!(tasks::applies(manifest));
    let removed = REMOVED.map(<[u8]>::to_vec);
    let count = |file| tasks::count_file(&dir, (manifest, file), &removed, (PARTS, b"salt"), None).unwrap();
    let (counted, counts): (Vec<CountedFile>, Vec<Vec<Vec<u8>>>) = (0..manifest.files.len()).map(count).unzip();
    let told = serde_json::to_string(&counted).unwrap();
    let counted: Vec<CountedFile> = serde_json::from_str(&told).unwrap();
    let whole = WholeValues::of(&counted);
    let judge = |part: usize| {
        let judged = tasks::judge_part(manifest, &whole, counts.iter().map(|file| Ok(&file[part]))).unwrap();
        serde_json::from_str(&serde_json::to_string(&judged).unwrap()).unwrap()
    };
    let judged: Vec<JudgedPart> = (0..PARTS).map(judge).collect();
    tasks::verdict(&dir, manifest, &removed, &counted, &judged).unwrap()
}

/// The verdict of one verifier, with its faults in the order of their words.
fn sorted(mut verdict: Verdict) -> Verdict {
    verdict.faults.sort_by(|one, other| one.message.cmp(&other.message));
    verdict
}

/// Tasks and one verifier say the same of a draft.
fn agreed(draft: &Draft, what: &str) -> Verdict {
    let one = verify_staged(&draft.dir(), &draft.manifest, &Options::default()).unwrap();
    let (many, scan) = by_tasks(draft);
    assert_eq!(sorted(many), sorted(one.clone()), "{what}");
    let removed = REMOVED.map(<[u8]>::to_vec);
    assert_eq!(scan, canary::scan(&draft.dir(), &draft.manifest.files, &removed).unwrap(), "{what}");
    one
}

#[test]
fn tasks_and_one_verifier_agree_on_an_honest_release_and_on_broken_promises() {
    for format in [Format::Csv, Format::Parquet, Format::Arrow] {
        let mut honest = draft(format);
        write(&mut honest);
        let verdict = agreed(&honest, "honest");
        assert!(verdict.verified && verdict.models.len() == 3, "{format:?}: {:?}", verdict.faults);

        // A class of one row; a class of one illness; an illness that is only in some classes; a wrong count.
        let mut small = draft(format);
        small.rows[7][1] = Some("elsewhere".into());
        write(&mut small);
        assert!(kinds(&agreed(&small, "small")).contains(&FaultKind::Promise));
        let mut alike = draft(format);
        (0..3).for_each(|at| alike.rows[120 * at + 5][2] = Some("gout".into()));
        write(&mut alike);
        let verdict = agreed(&alike, "alike");
        assert!(verdict.models[0].holds && !verdict.models[1].holds && !verdict.models[2].holds);
        let mut wrong = draft(format);
        wrong.manifest.classes = 119;
        write(&mut wrong);
        assert_eq!(kinds(&agreed(&wrong, "wrong")), [FaultKind::Classes]);
    }
}

#[test]
fn tasks_find_a_removed_value_and_what_is_wrong_with_a_file() {
    let mut leaking = draft(Format::Csv);
    leaking.rows[3][2] = Some("Hieronymus".into());
    write(&mut leaking);
    agreed(&leaking, "in a cell");

    let mut draft = draft(Format::Csv);
    write(&mut draft);
    std::fs::write(draft.dir().join("extra.txt"), "what is this?").unwrap();
    assert_eq!(kinds(&agreed(&draft, "extra")), [FaultKind::ExtraFile]);
    std::fs::remove_file(draft.dir().join("extra.txt")).unwrap();

    let text = std::fs::read_to_string(draft.dir().join("data-1")).unwrap();
    std::fs::write(draft.dir().join("data-1"), text.replacen("cold", "cola", 1)).unwrap();
    assert!(kinds(&agreed(&draft, "changed")).contains(&FaultKind::Checksum));
    std::fs::remove_file(draft.dir().join("data-1")).unwrap();
    let (verdict, _) = by_tasks(&draft);
    assert!(!verdict.verified && kinds(&verdict).contains(&FaultKind::MissingFile));
}

#[test]
fn a_part_or_a_file_that_is_left_out_is_a_fault() {
    let mut draft = draft(Format::Parquet);
    write(&mut draft);
    let (dir, manifest) = (draft.dir(), &draft.manifest);
    let count = |file| tasks::count_file(&dir, (manifest, file), &[], (PARTS, b"salt"), None).unwrap();
    let (counted, counts): (Vec<CountedFile>, Vec<Vec<Vec<u8>>>) = (0..3).map(count).unzip();
    let whole = WholeValues::of(&counted);
    let judge = |part: usize| tasks::judge_part(manifest, &whole, counts.iter().map(|file| Ok(&file[part]))).unwrap();
    let judged: Vec<JudgedPart> = (0..PARTS).map(judge).collect();
    let verdict =
        |files: &[CountedFile], parts: &[JudgedPart]| tasks::verdict(&dir, manifest, &[], files, parts).unwrap().0;
    assert!(verdict(&counted, &judged).verified);
    assert!(!verdict(&counted[..2], &judged).verified);
    assert!(!verdict(&counted, &judged[1..]).verified);
    assert!(!verdict(&counted, &[]).verified);
    let twice: Vec<JudgedPart> = judged.iter().chain(&judged[..1]).cloned().collect();
    assert!(!verdict(&counted, &twice).verified);
    assert!(tasks::judge_part(manifest, &whole, [Ok(&counts[0][0][1..])].into_iter()).is_err());
}
