//! Treated columns beside the original: with what the internal record keeps every cell is compared, and without it a note
//! says that it is not.

use std::collections::BTreeMap;

use incrowd_verify::{Against, FaultKind, Format, Role, Technique, Verdict};

use crate::against::verified;
use crate::support::{Draft, Row, kinds, row, write_table};

const KEY: [u8; 32] = [7; 32];

/// A release in one class. Its treated column was treated like this.
fn release(columns: &[(&str, Role, Technique)], treatment: &str, rows: Vec<Row>) -> Draft {
    let mut draft = Draft::new(Format::Csv, columns, rows);
    for column in draft.manifest.columns.iter_mut().filter(|column| column.technique == Technique::Treated) {
        column.treatment = Some(treatment.into());
    }
    let policy = r#"{ "models": [{ "model": "k-anonymity", "parameters": { "k": 2 } }], "suppression": 0.0 }"#;
    draft.manifest.policy = serde_json::from_str(policy).unwrap();
    (draft.manifest.classes, draft.manifest.smallest_class) = (1, draft.manifest.rows);
    draft.write();
    draft
}

/// The verdict on a release beside these rows, with what else is known of the original.
fn beside(draft: &Draft, names: &[&str], rows: &[Row], format: Format, know: impl FnOnce(&mut Against)) -> Verdict {
    let path = draft.folder.path().join("original");
    write_table(&path, format, &names.iter().map(ToString::to_string).collect::<Vec<_>>(), rows);
    let mut against = Against { format, ..Against::csv(path) };
    know(&mut against);
    verified(draft, against)
}

/// The notes on columns that were not compared.
fn not_compared(verdict: &Verdict) -> Vec<&str> {
    verdict.notes.iter().map(String::as_str).filter(|note| note.contains("not compared")).collect()
}

/// The days were moved by the definition in `treatments/draws.rs` with Python's `hmac`: those of Anna by 20 days, those of
/// the third and the fourth row by 30 and 12.
#[test]
fn a_moved_day_is_that_which_was_drawn_for_its_person_or_else_for_its_row() {
    let columns = [
        ("person", Role::Subject, Technique::Removed),
        ("age", Role::QuasiIdentifier, Technique::Retained),
        ("day", Role::Insensitive, Technique::Treated),
    ];
    let released = |days: [&str; 5]| {
        release(&columns, "shift:30", days.into_iter().map(|day| row(&["30", day])).collect::<Vec<_>>())
    };
    let days = [["Anna", "2024-01-31"], ["Anna", "2024-02-29"], ["", "2024-03-31"], ["", "2024-03-31"], ["Bert", ""]];
    let rows = days.map(|[person, day]| row(&[person, "30", day]));
    let judged = |published: [&str; 5], format: Format, key: Option<[u8; 32]>| {
        beside(&released(published), &["person", "age", "day"], &rows, format, |against| {
            against.treatment_keys.extend(key.map(|key| ("day".to_string(), key)));
        })
    };
    let honest = ["~", "2024-04-30", "2024-02-20", "2024-04-12", "2024-03-20"];
    for format in [Format::Csv, Format::Arrow, Format::Parquet] {
        let verdict = judged(honest, format, Some(KEY));
        assert_eq!(verdict.faults, [], "{format:?}");
        assert!(not_compared(&verdict).is_empty(), "{:?}", verdict.notes);
    }
    let mut changed = honest;
    changed[4] = "2024-03-21";
    assert_eq!(kinds(&judged(changed, Format::Csv, Some(KEY))), [FaultKind::Untruthful]);
    assert_eq!(kinds(&judged(honest, Format::Csv, Some([8; 32]))), [FaultKind::Untruthful], "another key");
    let unknown = judged(changed, Format::Csv, None);
    assert_eq!(unknown.faults, []);
    let note = "the cells of day were not compared with the original: their key is in the internal record";
    assert_eq!(not_compared(&unknown), [note]);
}

/// The pseudonyms were computed by RFC 2104 and RFC 4648 with Python's `hmac` and `base64`.
#[test]
fn a_pseudonym_is_that_of_a_name_of_the_original() {
    let [anna, bert] = ["pz4qufcaolsfepggjxz5tlrnrcu", "pcjiqttqujbhaei6mdmmsnnstsa"];
    let columns = [("name", Role::Identifier, Technique::Treated), ("age", Role::QuasiIdentifier, Technique::Retained)];
    let judged = |published: [&str; 2], key: Option<[u8; 32]>| {
        let draft = release(&columns, "pseudonym", published.map(|name| row(&[name, "30"])).to_vec());
        let rows = ["Anna", "Bert"].map(|name| row(&[name, "30"]));
        beside(&draft, &["name", "age"], &rows, Format::Csv, |against| {
            against.treatment_keys.extend(key.map(|key| ("name".to_string(), key)));
        })
    };
    let verdict = judged([bert, anna], Some(KEY));
    assert!(verdict.verified && not_compared(&verdict).is_empty(), "{verdict:?}");
    assert_eq!(kinds(&judged([anna, anna], Some(KEY))), [FaultKind::Untruthful]);
    let unknown = judged([anna, anna], None);
    let note = "the pseudonyms of name were not compared with the original: their key is in the internal record";
    assert!(unknown.verified, "{unknown:?}");
    assert_eq!(not_compared(&unknown), [note]);
}

#[test]
fn a_set_has_the_labels_of_the_items_of_its_row() {
    let columns =
        [("age", Role::QuasiIdentifier, Technique::Retained), ("illnesses", Role::Insensitive, Technique::Treated)];
    let labels = [("flu", "infection"), ("cold", "infection"), ("gout", "gout")];
    let labels: BTreeMap<_, _> = labels.map(|(item, label)| (item.to_string(), label.to_string())).into();
    let judged = |published: [&str; 4], is_known: bool| {
        let rows = published.map(|set| row(&["30", set])).to_vec();
        let draft = release(&columns, "items:2,known:1,split:;", rows);
        let rows = ["flu;gout", "gout; cold", "cold;flu", "flu"].map(|set| row(&["30", set]));
        beside(&draft, &["age", "illnesses"], &rows, Format::Csv, |against| {
            against.item_labels.extend(is_known.then(|| ("illnesses".to_string(), labels.clone())));
        })
    };
    let honest = judged(["infection", "infection", "gout;infection", "gout;infection"], true);
    assert!(honest.verified && not_compared(&honest).is_empty(), "{honest:?}");
    let lie = ["gout", "infection", "gout;infection", "gout;infection"];
    assert_eq!(kinds(&judged(lie, true)), [FaultKind::Untruthful]);
    let unknown = judged(lie, false);
    let note = "the sets of illnesses were not compared with the original: the labels of their items are in the internal record";
    assert!(unknown.verified, "{unknown:?}");
    assert_eq!(not_compared(&unknown), [note]);
}

#[test]
fn numbers_with_a_decimal_comma_are_read_as_numbers_before_they_are_treated() {
    let columns = [("age", Role::QuasiIdentifier, Technique::Retained), ("pay", Role::Sensitive, Technique::Treated)];
    let judged = |treatment: &str, published: [&str; 4], bounds: &[&str]| {
        let draft = release(&columns, treatment, published.map(|pay| row(&["30", pay])).to_vec());
        let rows = ["10,5", "12,5", "30,0", "35"].map(|pay| row(&["30", pay]));
        beside(&draft, &["age", "pay"], &rows, Format::Csv, |against| {
            against.decimal_commas.insert("pay".into());
            if !bounds.is_empty() {
                against.group_bounds.insert("pay".into(), bounds.iter().map(ToString::to_string).collect());
            }
        })
    };
    let means = |published: [&str; 4], bounds: &[&str]| judged("microaggregate:2,round:0.5", published, bounds);
    let (honest, bounds) = (["32.5", "11.5", "11.5", "32.5"], ["12.5", "35"]);
    let compared = means(honest, &bounds);
    assert!(compared.verified && not_compared(&compared).is_empty(), "{compared:?}");
    assert_eq!(kinds(&means(["32.5", "11", "11", "32.5"], &bounds)), [FaultKind::Untruthful]);
    let unknown = means(["32.5", "11", "11", "32.5"], &[]);
    let note = "the means of pay were not compared with the original: their groups are in the internal record";
    assert!(unknown.verified, "{unknown:?}");
    assert_eq!(not_compared(&unknown), [note]);

    assert!(judged("round:5", ["10", "15", "30", "35"], &[]).verified, "12.5 is as near to 10 as to 15");
    assert_eq!(kinds(&judged("round:5", ["10", "10", "30", "35"], &[])), [FaultKind::Untruthful]);
}
