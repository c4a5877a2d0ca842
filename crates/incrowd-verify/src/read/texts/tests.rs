//! Tests of the numbers that texts get.

use super::*;

fn texts(of: &[&str]) -> ColumnTexts {
    let mut texts = ColumnTexts::default();
    for text in of {
        texts.intern(text);
    }
    texts
}

#[test]
fn texts_are_numbered_from_one_as_they_come() {
    let mut texts = ColumnTexts::default();
    assert_eq!(texts.codes(), 1);
    assert_eq!(["b", "a", "", "b", "c"].map(|text| texts.intern(text)), [1, 2, 3, 1, 4]);
    assert_eq!(["a", "b", "", "c", "d"].map(|text| texts.code(text)), [Some(2), Some(1), Some(3), Some(4), None]);
    assert_eq!((texts.codes(), super::ColumnTexts::default().labels()), (5, vec![None]));
    let text = |code: u32| texts.text(code).map(ToString::to_string);
    assert_eq!([0, 1, 4, 5].map(text), [None, Some("b".into()), Some("c".into()), None]);
    let labels = [None, Some("b"), Some("a"), Some(""), Some("c")].map(|text| text.map(Arc::from));
    assert_eq!(texts.labels(), labels);
}

#[test]
fn texts_are_listed_from_any_code() {
    let texts = texts(&["b", "a", "c"]);
    let from = |code: usize| texts.texts_from(code).map(|text| text.unwrap_or("-")).collect::<Vec<_>>().concat();
    assert_eq!([0, 1, 2, 3, 4, 5].map(from), ["-bac", "bac", "ac", "c", "", ""]);
}

#[test]
fn codes_of_another_list_are_translated() {
    let (mut ours, theirs) = (texts(&["a", "b"]), texts(&["c", "b", "d"]));
    assert_eq!(ours.translate(&theirs), [MISSING, 3, 2, 4]);
    assert_eq!((ours.code("d"), ours.codes()), (Some(4), 5));
    assert_eq!(ours.translate(&ColumnTexts::default()), [MISSING]);
}
