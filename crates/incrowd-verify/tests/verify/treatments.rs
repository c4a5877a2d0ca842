//! Treated columns of a release that was written by hand: each lie about them is found.

use incrowd_verify::{Against, FaultKind, Format, Options, Role, Technique, Verdict, verify};

use crate::support::{Draft, ORIGINAL, row};

/// The honest release with its note treated.
fn treated(treatment: &str, cells: [&str; 8]) -> Draft {
    let mut draft = Draft::honest(Format::Csv);
    let note = draft.manifest.columns.last_mut().unwrap();
    (note.technique, note.treatment) = (Technique::Treated, Some(treatment.into()));
    for (row, cell) in draft.rows.iter_mut().zip(cells) {
        row[3] = (!cell.is_empty()).then(|| cell.to_string());
    }
    draft
}

fn verdict(draft: &mut Draft, against: bool) -> Verdict {
    draft.write();
    let original = draft.folder.path().join("original.csv");
    std::fs::write(&original, ORIGINAL).unwrap();
    let hierarchy = draft.folder.path().join("town.csv");
    std::fs::write(&hierarchy, "Ulm;Germany;*\nBonn;Germany;*\nWien;Austria;*\nGraz;Austria;*\n").unwrap();
    let against = against.then(|| {
        let mut against = Against::csv(original);
        against.hierarchies.insert("town".into(), hierarchy);
        against
    });
    verify(&draft.dir(), &Options { against, ..Options::default() }).unwrap()
}

fn kinds(verdict: &Verdict) -> Vec<FaultKind> {
    verdict.faults.iter().map(|fault| fault.kind).collect()
}

#[test]
fn a_blank_column_has_no_cell() {
    assert!(verdict(&mut treated("blank", [""; 8]), true).verified);
    let lie = verdict(&mut treated("blank", ["", "", "b", "", "", "", "", ""]), false);
    assert_eq!(kinds(&lie), [FaultKind::Treatment]);
}

#[test]
fn a_mask_shows_no_more_than_it_says() {
    let honest = ["", "*", "*", "*", "*", "*", "*", "*"];
    assert!(verdict(&mut treated("mask:1", honest), true).verified);
    let mut longer = honest;
    longer[1] = "flu*";
    assert_eq!(kinds(&verdict(&mut treated("mask:1", longer), false)), [FaultKind::Treatment]);
    let mut other = honest;
    other[1] = "b*";
    let verdict = verdict(&mut treated("mask:1", other), true);
    assert_eq!(kinds(&verdict), [FaultKind::Untruthful], "a cell that the original does not give");
}

#[test]
fn a_treatment_that_is_unknown_or_on_the_wrong_column_is_a_fault() {
    assert!(kinds(&verdict(&mut treated("rot13", [""; 8]), false)).contains(&FaultKind::Columns));
    let mut draft = treated("blank", [""; 8]);
    draft.manifest.columns[4].technique = Technique::Retained;
    assert!(kinds(&verdict(&mut draft, false)).contains(&FaultKind::Columns));
    let mut draft = treated("mask:1", ["*"; 8]);
    draft.manifest.columns[4].role = Role::Identifier;
    assert!(kinds(&verdict(&mut draft, false)).contains(&FaultKind::Columns));
    let mut draft = treated("blank", [""; 8]);
    draft.manifest.columns[3].technique = Technique::Treated;
    draft.manifest.columns[3].treatment = Some("blank".into());
    assert!(kinds(&verdict(&mut draft, false)).contains(&FaultKind::Policy), "a rule is about its values");
}

#[test]
fn an_identifier_in_clear_is_no_pseudonym() {
    let cells = ["Fred", "Anna", "Dora", "Emil", "Bert", "Gina", "Cleo", "Hugo"];
    let mut draft = treated("pseudonym", cells);
    draft.manifest.columns[4].role = Role::Identifier;
    assert_eq!(kinds(&verdict(&mut draft, false)), [FaultKind::Treatment]);
}

#[test]
fn a_mean_that_is_not_that_of_its_group_or_has_too_few_rows_is_a_fault() {
    let original = "age,pay\n30,10\n30,12\n31,30\n31,35\n";
    let release = |cells: [&str; 4], bounds: &[&str]| {
        let columns =
            [("age", Role::QuasiIdentifier, Technique::Retained), ("pay", Role::Sensitive, Technique::Treated)];
        let rows = ["30", "30", "31", "31"].into_iter().zip(cells).map(|(age, cell)| row(&[age, cell])).collect();
        let mut draft = Draft::new(Format::Csv, &columns, rows);
        draft.manifest.columns[1].treatment = Some("microaggregate:2,round:1".into());
        let policy = r#"{ "models": [{ "model": "k-anonymity", "parameters": { "k": 2 } }], "suppression": 0.0 }"#;
        draft.manifest.policy = serde_json::from_str(policy).unwrap();
        (draft.manifest.classes, draft.manifest.smallest_class) = (2, 2);
        draft.write();
        let path = draft.folder.path().join("original.csv");
        std::fs::write(&path, original).unwrap();
        let mut against = Against::csv(path);
        if !bounds.is_empty() {
            against.group_bounds.insert("pay".into(), bounds.iter().map(|bound| (*bound).into()).collect());
        }
        verify(&draft.dir(), &Options { against: Some(against), ..Options::default() }).unwrap()
    };
    assert!(release(["11", "11", "33", "33"], &["12", "35"]).verified, "65 / 2 = 32.5");
    assert_eq!(kinds(&release(["11", "11", "32", "32"], &["12", "35"])), [FaultKind::Untruthful]);
    assert_eq!(kinds(&release(["33", "33", "11", "11"], &["12", "35"])), [FaultKind::Untruthful]);
    assert!(kinds(&release(["11", "12", "33", "33"], &["12", "35"])).contains(&FaultKind::Treatment), "one row each");
    assert!(kinds(&release(["10.5", "10.5", "33", "33"], &[])).contains(&FaultKind::Treatment), "not rounded");
    let unknown = release(["11", "11", "40", "40"], &[]);
    assert!(unknown.verified && unknown.notes.iter().any(|note| note.contains("not compared")), "{:?}", unknown.notes);
}

#[test]
fn a_number_that_is_not_rounded_as_the_manifest_says_is_a_fault() {
    let original = "age,pay\n30,1249\n30,1250\n31,\n31,99999\n";
    let release = |cells: [&str; 4]| {
        let columns =
            [("age", Role::QuasiIdentifier, Technique::Retained), ("pay", Role::Sensitive, Technique::Treated)];
        let rows = ["30", "30", "31", "31"].into_iter().zip(cells).map(|(age, cell)| row(&[age, cell])).collect();
        let mut draft = Draft::new(Format::Csv, &columns, rows);
        draft.manifest.columns[1].treatment = Some("top:5000,round:500".into());
        let policy = r#"{ "models": [{ "model": "k-anonymity", "parameters": { "k": 2 } }], "suppression": 0.0 }"#;
        draft.manifest.policy = serde_json::from_str(policy).unwrap();
        (draft.manifest.classes, draft.manifest.smallest_class) = (2, 2);
        draft.write();
        let path = draft.folder.path().join("original.csv");
        std::fs::write(&path, original).unwrap();
        verify(&draft.dir(), &Options { against: Some(Against::csv(path)), ..Options::default() }).unwrap()
    };
    assert!(release(["1000", "1500", "~", "5000"]).verified);
    assert_eq!(kinds(&release(["1000", "1000", "~", "5000"])), [FaultKind::Untruthful], "1250 is nearer to 1500");
    assert!(kinds(&release(["1000", "1500", "~", "5500"])).contains(&FaultKind::Treatment), "above the top");
    assert!(kinds(&release(["1000", "1499", "~", "5000"])).contains(&FaultKind::Treatment), "not rounded");
}

/// What is said of the treatment of the note: faults, then notes that name it.
fn said(treatment: &str, cells: [&str; 8]) -> (Vec<String>, Vec<String>) {
    let verdict = verdict(&mut treated(treatment, cells), false);
    assert!(verdict.faults.iter().all(|fault| fault.kind == FaultKind::Treatment), "{:?}", verdict.faults);
    let notes = verdict.notes.into_iter().filter(|note| note.contains("note")).collect();
    (verdict.faults.into_iter().map(|fault| fault.message).collect(), notes)
}

#[test]
fn cells_that_the_treatment_cannot_have_written_are_counted() {
    let wrong = |count: u64| {
        vec![format!("{count} cells of the column note are not such as the treatment in the manifest writes")]
    };
    for (treatment, cells, faults) in [
        ("mask:1", ["", "*", "a*", "*", "", "*", "*", "*"], Vec::new()),
        ("mask:1", ["", "*", "a*", "a", "", "b", "b", "*"], wrong(3)),
        ("blank", ["", "", "", "", "", "", "", ""], Vec::new()),
        ("blank", ["a", "a", "a", "a", "a", "a", "a", "a"], wrong(8)),
        ("shift:3", ["2024-02-29", "", "", "", "", "", "", ""], Vec::new()),
        // A letter of two bytes where a date has its hyphen hides no other cell.
        ("shift:3", ["202é-02-29", "Anna", "2024-02-29", "", "", "", "", ""], wrong(2)),
    ] {
        assert_eq!(said(treatment, cells), (faults, Vec::new()), "{treatment}: {cells:?}");
    }
}

#[test]
fn published_means_with_too_few_rows_are_counted() {
    let small = "2 published values of the column note occur in fewer than 2 rows".to_string();
    for (cells, faults) in [
        (["1", "1", "2", "2", "2", "3", "3", ""], Vec::new()),
        (["1", "1", "2", "2", "2", "3", "4", ""], vec![small]),
        (["", "", "", "", "", "", "", ""], Vec::new()),
    ] {
        assert_eq!(said("microaggregate:2,round:1", cells).0, faults, "{cells:?}");
    }
}

#[test]
fn combinations_of_labels_that_too_few_rows_have_are_counted() {
    let note = "any 2 or fewer labels that a row has together in note occur together in at least 2 rows";
    let rare = "2 combinations of at most 2 labels of the column note occur in fewer than 2 rows";
    let judged = |cells| said("items:2,known:2,split:;", cells);
    assert_eq!(judged(["a;b", "a;b", "a", "c", "c", "", "", ""]), (Vec::new(), vec![note.to_string()]));
    assert_eq!(
        judged(["a;b", "a", "b", "c", "d;", "d", "c;d", "c"]).0.len(),
        2,
        "rare ones, and a cell that is no set"
    );
    assert_eq!(judged(["a;b", "a", "b", "c", "c", "d", "", ""]), (vec![rare.to_string()], Vec::new()));
    let mut labels: Vec<String> = (0..400).map(|label| label.to_string()).collect();
    labels.sort_unstable();
    let many = said("items:2,known:5,split:;", [&labels.join(";"), "", "", "", "", "", "", ""]);
    let beyond = "the column note has too many combinations of labels to be checked";
    assert_eq!(many, (vec![beyond.to_string()], Vec::new()));
}

#[test]
fn a_note_says_that_rows_with_the_same_pseudonym_are_linked() {
    for (known_rows, checked) in [
        (None, "the models were checked for one row at a time"),
        (Some(1.into()), "models about sensitive columns were checked for one row at a time"),
    ] {
        let mut draft = treated("pseudonym-digits", ["123456"; 8]);
        draft.manifest.policy.known_rows = known_rows;
        let linked = format!("rows with the same pseudonym in note are linked: {checked}");
        let notes = verdict(&mut draft, false).notes;
        assert!(notes.contains(&linked), "{notes:?}");
    }
}
