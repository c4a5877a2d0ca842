//! One change at a time to a release of two tables, and the fault it must give.

use incrowd_verify::{FaultKind, Format, Manifest, Options, Rule, Technique, sql, verify, verify_staged};

use crate::pair::{FORMATS, Pair};
use crate::support::kinds;

fn small(format: Format) -> Pair {
    Pair::sound(format, 3, 5)
}

/// The faults of a release that was changed and then made right about its bytes again.
fn resealed(change: impl FnOnce(&mut Pair)) -> Vec<FaultKind> {
    let mut pair = small(Format::Csv);
    change(&mut pair);
    kinds(&pair.write().verify())
}

/// The faults of a release whose manifest was changed and sealed again.
fn redeclared(change: impl FnOnce(&mut Manifest)) -> Vec<FaultKind> {
    let mut pair = small(Format::Csv);
    pair.write();
    change(pair.manifest());
    kinds(&pair.seal_as_is().verify())
}

/// The faults of a release that was changed after it was sealed.
fn changed(change: impl FnOnce(&mut Pair)) -> Vec<FaultKind> {
    let mut pair = small(Format::Csv);
    pair.write();
    change(&mut pair);
    kinds(&pair.verify())
}

fn lines(pair: &Pair, table: usize, change: impl FnOnce(&mut Vec<String>)) {
    let text = std::fs::read_to_string(pair.data(table)).unwrap();
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    change(&mut lines);
    std::fs::write(pair.data(table), lines.concat()).unwrap();
}

#[test]
fn a_sound_release_is_verified_in_every_format() {
    for format in FORMATS {
        for classes in [3, 150] {
            let mut pair = Pair::sound(format, classes, 5);
            let verdict = pair.write().verify();
            assert_eq!(verdict.faults, [], "{format:?}");
            assert!(verdict.verified);
            assert_eq!(
                (verdict.rows, verdict.classes, verdict.smallest_class),
                (4 * classes as u64, classes as u64, 4)
            );
            assert!(verdict.models.len() == 2 && verdict.models.iter().all(|model| model.holds));
            assert_eq!(verdict.models[0].promise, "Each class number occurs in at least 2 rows of each table.");
            let bytes: u64 = [0, 1].map(|table| std::fs::metadata(pair.data(table)).unwrap().len()).iter().sum();
            assert_eq!(verdict.bytes, bytes);
            assert!(verdict.notes[0].contains("do not hide who is in them"));
            let small = verdict.notes.iter().any(|note| note.contains("too small to test"));
            let searched = verdict.notes.iter().any(|note| note.contains("this is not a proof"));
            assert_eq!((small, searched), (classes == 3, classes == 150), "{:?}", verdict.notes);
        }
    }
}

#[test]
fn class_ids_may_be_stored_as_numbers() {
    use arrow::array::{ArrayRef, Int64Array, RecordBatch};
    let mut pair = small(Format::Arrow);
    pair.write();
    for (table, at) in [(0, 3), (1, 0)] {
        let batch = crate::support::batch(&pair.names[table], &pair.rows[table]);
        let ids: Int64Array =
            pair.rows[table].iter().map(|row| row[at].as_ref().unwrap().parse::<i64>().unwrap()).collect();
        let mut columns: Vec<(String, ArrayRef)> =
            pair.names[table].iter().cloned().zip(batch.columns().iter().cloned()).collect();
        columns[at].1 = std::sync::Arc::new(ids);
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let file = std::fs::File::create(pair.data(table)).unwrap();
        let mut writer = arrow::ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
    assert_eq!(pair.seal().verify().faults, []);
}

#[test]
fn a_staged_release_is_judged_without_its_manifest() {
    let mut pair = small(Format::Parquet);
    pair.write();
    std::fs::remove_file(pair.dir().join("manifest.json")).unwrap();
    let dir = pair.dir();
    assert!(verify_staged(&dir, pair.manifest(), &Options::default()).unwrap().verified);
    assert_eq!(kinds(&pair.verify()), [FaultKind::NotARelease]);
}

#[test]
fn a_changed_cell_a_removed_and_a_doubled_row_break_the_checksum_of_either_table() {
    for table in [0, 1] {
        assert!(changed(|pair| lines(pair, table, |lines| lines.swap(1, 2))).contains(&FaultKind::Checksum));
        let removed = changed(|pair| lines(pair, table, |lines| drop(lines.remove(1))));
        let expected = [FaultKind::Bytes, FaultKind::Checksum, FaultKind::Rows, FaultKind::ClassIds];
        assert!(expected.iter().all(|kind| removed.contains(kind)), "{removed:?}");
        let doubled = changed(|pair| lines(pair, table, |lines| lines.push(lines[1].clone())));
        assert!(expected.iter().all(|kind| doubled.contains(kind)), "{doubled:?}");
    }
}

#[test]
fn a_row_more_in_one_table_is_told_though_the_manifest_says_so() {
    for table in [0, 1] {
        let more = |pair: &mut Pair| pair.rows[table].push(pair.rows[table][0].clone());
        assert_eq!(resealed(more), [FaultKind::Rows, FaultKind::ClassIds]);
    }
}

#[test]
fn sizes_that_differ_between_the_tables_are_told_in_every_format() {
    for format in FORMATS {
        let mut pair = small(format);
        pair.move_a_row(0);
        let verdict = pair.write().verify();
        assert_eq!(kinds(&verdict), [FaultKind::ClassIds], "{format:?}");
        assert!(verdict.faults[0].message.starts_with("2 of 3 classes have different numbers of rows"));
    }
}

#[test]
fn an_id_in_one_table_only_is_told_in_every_format() {
    for (format, table) in FORMATS.into_iter().zip([0, 1, 0]) {
        let mut pair = small(format);
        pair.renumber(table, "2", Some("4"));
        let verdict = pair.write().verify();
        assert_eq!(kinds(&verdict), [FaultKind::ClassIds], "{format:?}");
        assert!(verdict.faults[0].message.starts_with("2 of 4 class numbers occur in only one"));
    }
}

#[test]
fn ids_are_the_whole_numbers_from_one_to_the_number_of_classes() {
    let renamed =
        |to: Option<&str>| resealed(|pair| [0, 1].into_iter().for_each(|table| pair.renumber(table, "2", to)));
    for to in ["4", "0", "-2", "02", "+2", "2.0", "b", " 2", "99999999999999999999"] {
        assert_eq!(renamed(Some(to)), [FaultKind::ClassIds], "{to}");
    }
    assert_eq!(renamed(None), [FaultKind::ClassIds]);
    assert_eq!(renamed(Some("2")), []);
}

#[test]
fn a_class_below_k_is_found_by_judgement_alone_in_every_format() {
    for format in FORMATS {
        let mut pair = small(format);
        pair.manifest().policy.models.truncate(1);
        for row in 1..pair.class_of.len() {
            pair.class_of[row] = pair.class_of[row].min(1);
        }
        pair.class_of[0] = 2;
        let verdict = pair.fill().write().verify();
        assert_eq!(kinds(&verdict), [FaultKind::Promise], "{format:?}");
        assert_eq!((verdict.smallest_class, verdict.models[0].classes_failing), (1, 1));
    }
}

#[test]
fn a_sensitive_value_that_breaks_the_policy_is_found_by_judgement_alone_in_every_format() {
    for format in FORMATS {
        let mut pair = small(format);
        let class = pair.rows[1][0][0].clone();
        pair.rows[1].iter_mut().filter(|row| row[0] == class).for_each(|row| row[1] = Some("flu".into()));
        let verdict = pair.write().verify();
        assert_eq!(kinds(&verdict), [FaultKind::Promise], "{format:?}");
        assert!(verdict.models[0].holds && verdict.models[1].classes_failing == 1);
        // The model is judged also when it is the only one of the policy.
        pair.manifest().policy.models.remove(0);
        let verdict = pair.seal_as_is().verify();
        assert_eq!(kinds(&verdict), [FaultKind::Promise], "{format:?}");
        assert_eq!(verdict.models[0].classes_failing, 1);
    }
}

#[test]
fn a_truncated_table_is_unreadable_or_shorter_in_every_format() {
    for (format, table) in FORMATS.into_iter().flat_map(|format| [(format, 0), (format, 1)]) {
        let mut pair = small(format);
        pair.write();
        let bytes = std::fs::read(pair.data(table)).unwrap();
        std::fs::write(pair.data(table), &bytes[..bytes.len() / 2]).unwrap();
        let faults = kinds(&pair.verify());
        assert!(faults.contains(&FaultKind::Bytes) && faults.contains(&FaultKind::Checksum), "{format:?}");
        let faults = kinds(&pair.seal().verify());
        assert!(faults.contains(&FaultKind::Rows) || faults.contains(&FaultKind::Unreadable), "{format:?} {faults:?}");
    }
}

#[test]
fn a_missing_an_extra_and_a_renamed_file_are_told() {
    for table in [0, 1] {
        assert_eq!(changed(|pair| std::fs::remove_file(pair.data(table)).unwrap()), [FaultKind::MissingFile]);
    }
    assert_eq!(changed(|pair| std::fs::write(pair.dir().join("more.csv"), "x").unwrap()), [FaultKind::ExtraFile]);
    for name in ["../people.csv", "/etc/hostname", "manifest.json", ""] {
        let faults = redeclared(|manifest| {
            manifest.files[0].name = name.into();
            manifest.two_tables.as_mut().unwrap().quasi_identifiers = name.into();
        });
        assert!(faults.contains(&FaultKind::FileName) && faults.contains(&FaultKind::ExtraFile), "{name} {faults:?}");
    }
}

#[test]
fn an_edited_manifest_breaks_the_seal() {
    let faults = changed(|pair| {
        let path = pair.dir().join("manifest.json");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace("\"class_column\": \"class\"", "\"class_column\": \"age\"")).unwrap();
    });
    assert_eq!(faults, [FaultKind::Seal]);
}

#[test]
fn columns_in_the_wrong_table_or_order_are_told() {
    let swapped = |table: usize, one: usize, other: usize| {
        resealed(|pair| {
            pair.names[table].swap(one, other);
            pair.rows[table].iter_mut().for_each(|row| row.swap(one, other));
        })
    };
    assert_eq!([swapped(0, 0, 3), swapped(0, 0, 1), swapped(1, 0, 1), swapped(1, 1, 2)], [[FaultKind::Columns]; 4]);
    for table in [0, 1] {
        let faults = resealed(|pair| {
            pair.names[table].push("name".into());
            pair.rows[table].iter_mut().for_each(|row| row.push(Some("Anna".into())));
        });
        assert_eq!(faults, [FaultKind::Columns]);
    }
}

#[test]
fn a_manifest_that_contradicts_itself_is_told() {
    let two = |change: fn(&mut incrowd_verify::TwoTables)| {
        redeclared(|manifest| change(manifest.two_tables.as_mut().unwrap()))
    };
    assert_eq!(two(|two| two.sensitive = "other.csv".into()), [FaultKind::Manifest]);
    assert!(two(|two| two.sensitive = two.quasi_identifiers.clone()).contains(&FaultKind::Manifest));
    assert!(two(|two| std::mem::swap(&mut two.sensitive, &mut two.quasi_identifiers)).contains(&FaultKind::Columns));
    assert_eq!(two(|two| two.class_column = "id".into()), [FaultKind::Columns; 2]);
    assert!(two(|two| two.class_column = "name".into()).len() == 3);
    let column = |at: usize, technique: Technique| redeclared(|manifest| manifest.columns[at].technique = technique);
    for (at, technique) in [(1, Technique::Generalized), (1, Technique::MovedToSecondTable), (2, Technique::Retained)] {
        assert!(column(at, technique).contains(&FaultKind::Columns), "{at} {technique:?}");
    }
    assert!(column(0, Technique::Retained).contains(&FaultKind::Columns));
    assert!(redeclared(|manifest| manifest.two_tables = None).contains(&FaultKind::Columns));
    assert!(redeclared(|manifest| manifest.files.push(manifest.files[0].clone())).contains(&FaultKind::Manifest));
}

#[test]
fn wrong_counts_and_too_many_suppressed_rows_are_reported() {
    assert_eq!(redeclared(|manifest| manifest.classes = 4), [FaultKind::Classes]);
    assert_eq!(redeclared(|manifest| manifest.smallest_class = 3), [FaultKind::Classes]);
    assert!(redeclared(|manifest| (manifest.rows, manifest.source_rows) = (24, 24.into())).contains(&FaultKind::Rows));
    assert!(redeclared(|manifest| manifest.source_rows = u64::MAX.into()).contains(&FaultKind::Rows));
    let withheld = |manifest: &mut Manifest| (manifest.source_rows, manifest.suppressed_rows) = (13.into(), 1.into());
    assert_eq!(redeclared(withheld), [FaultKind::Suppression]);
}

#[test]
fn a_policy_that_is_not_known_is_not_vouched_for_and_an_empty_release_is_a_fault() {
    let rule = Rule { model: "differential-privacy".into(), ..Rule::default() };
    assert_eq!(redeclared(|manifest| manifest.policy.models.push(rule)), [FaultKind::Policy]);
    assert_eq!(redeclared(|manifest| manifest.policy.models[1].sensitive[0] = "age".into()), [FaultKind::Policy]);
    let mut pair = Pair::sound(Format::Csv, 0, 1);
    assert_eq!(kinds(&pair.write().verify()), [FaultKind::Empty]);
}

#[test]
fn a_cancelled_verification_has_no_verdict_and_no_message_holds_a_cell() {
    let mut pair = small(Format::Csv);
    pair.rows[0][0][0] = Some("Secretville".into());
    pair.rows[1][0] = ["Secret7", "Secretitis", "1"].map(|cell| Some(cell.to_string())).into();
    let verdict = pair.write().verify_against();
    assert!(!verdict.verified && !serde_json::to_string(&verdict).unwrap().contains("Secret"));
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let options = Options { cancel: Some(&cancel), ..Options::default() };
    assert!(matches!(verify(&pair.dir(), &options), Err(incrowd_verify::VerifyError::Cancelled)));
}

#[test]
fn queries_group_the_second_table_by_class_id() {
    let mut pair = small(Format::Csv);
    pair.write();
    let found: Vec<String> = sql(pair.manifest()).into_iter().map(|query| query.sql).collect();
    let small = r#"SELECT "class", COUNT(*) FROM "release" GROUP BY "class" HAVING COUNT(*) < 2"#;
    let protected = r#"SUM(CASE WHEN "illness" IN ('flu') THEN 1 ELSE 0 END)"#;
    let many = format!(
        r#"SELECT "class", {protected}, COUNT(*) FROM "release" GROUP BY "class" HAVING {protected} * 2 > 1 * COUNT(*)"#
    );
    assert_eq!(found, [small.to_string(), many]);
}
