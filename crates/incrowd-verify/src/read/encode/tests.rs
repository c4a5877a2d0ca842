//! Tests of how cells become texts: by the rules of their column, and by the type of it.

use arrow::array::{
    BooleanArray, Date32Array, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array, LargeStringArray,
    ListArray, NullArray, StringArray, StringViewArray, TimestampSecondArray,
};
use arrow::datatypes::{Int8Type, Int32Type};

use super::*;

fn encoder(rules: CellRules) -> CellEncoder {
    CellEncoder::new(ColumnTexts::default(), rules)
}

/// The text of a code; a missing value is a line.
fn shown(encoder: &CellEncoder, code: u32) -> String {
    encoder.texts.text(code).map_or_else(|| "-".to_owned(), ToString::to_string)
}

/// What the cells of a column become.
fn encoded(encoder: &mut CellEncoder, array: impl Array + 'static) -> Result<Vec<String>, String> {
    let mut codes = Vec::new();
    match encoder.encode(&(Arc::new(array) as ArrayRef), &mut codes) {
        Ok(()) => Ok(codes.into_iter().map(|code| shown(encoder, code)).collect()),
        Err(ReadError::Unreadable(why)) => Err(why),
        Err(ReadError::Cancelled) => Err("cancelled".into()),
    }
}

fn plain(array: impl Array + 'static) -> Result<Vec<String>, String> {
    encoded(&mut CellEncoder::plain(), array)
}

fn texts(of: &[&str]) -> Result<Vec<String>, String> {
    Ok(of.iter().map(|&text| text.to_owned()).collect())
}

/// What texts become by the rules of their column.
fn ruled<const N: usize>(rules: CellRules, cells: [&str; N]) -> [String; N] {
    let mut encoder = encoder(rules);
    cells.map(|cell| {
        let code = encoder.code(cell);
        shown(&encoder, code)
    })
}

#[test]
fn a_number_with_a_decimal_comma_is_published_with_a_point() {
    let cases = [
        ("5", "5"),
        ("-5", "-5"),
        ("1.234,50", "1234.5"),
        ("\u{2212}1,5", "-1.5"),
        ("1 000", "1000"),
        ("5,0", "5"),
        ("5,", "5"),
        ("1,05", "1.05"),
        ("-0", "0"),
        ("-0,00", "0"),
        ("-0,10", "-0.1"),
        ("0", "0"),
    ];
    for (text, published) in cases {
        assert_eq!(with_point(text), published);
    }
    let rules = || CellRules { decimal_comma: true, ..CellRules::default() };
    assert_eq!(ruled(rules(), ["1.234,5"]), ["1234.5"]);
    assert_eq!(ruled(CellRules::default(), ["1.234,5"]), ["1.234,5"]);
}

#[test]
fn missing_values_are_those_that_the_rules_name() {
    assert_eq!(ruled(CellRules::default(), ["", "NA", "a"]), ["", "NA", "a"]);
    let empty = CellRules { empty_is_missing: true, ..CellRules::default() };
    assert_eq!(ruled(empty, ["", "NA", "a"]), ["-", "NA", "a"]);
    let nulls = || vec!["NA".to_owned(), "?".to_owned()];
    let named = CellRules { nulls: nulls(), ..CellRules::default() };
    assert_eq!(ruled(named, ["", "NA", "?", "a", "NA?"]), ["", "-", "-", "a", "NA?"]);
    let both = CellRules { nulls: nulls(), empty_is_missing: true, ..CellRules::default() };
    assert_eq!(ruled(both, ["", "NA", "a"]), ["-", "-", "a"]);
}

#[test]
fn texts_are_rewritten_by_rules() {
    let dates = || CellRules { dates: Some("%d.%m.%Y".into()), ..CellRules::default() };
    assert_eq!(ruled(dates(), ["29.02.2024", "30.02.2024", "x"]), ["2024-02-29", "30.02.2024", "x"]);
    let spellings = BTreeMap::from([("m".to_owned(), "man".to_owned()), ("d".to_owned(), "01.02.2020".to_owned())]);
    assert_eq!(ruled(CellRules { spellings, ..dates() }, ["m", "d", "f"]), ["man", "2020-02-01", "f"]);
    let rewrite: TextRewrite = Arc::new(|text| (text != "x").then(|| format!("{text}.50")));
    let float = CellRules { rewrite: Some(rewrite), as_float: true, ..CellRules::default() };
    assert_eq!(ruled(float, ["1", "x", "a"]), ["1.5", "-", "a.50"]);
    assert_eq!(ruled(CellRules::default(), ["1.50"]), ["1.50"]);
    let mut float = encoder(CellRules { as_float: true, ..CellRules::default() });
    let codes = ["1.50", "abc", "1.5", "1e2"].map(|text| float.treated(text));
    assert_eq!((codes, float.code("100")), ([1, 2, 1, 3], 3));
}

#[test]
fn a_sibling_has_the_rules_and_not_the_texts() {
    let mut first = encoder(CellRules { nulls: vec!["NA".into()], ..CellRules::default() });
    assert_eq!((first.code("a"), first.code("b")), (1, 2));
    let mut second = first.sibling();
    assert_eq!((second.code("NA"), second.code("b"), second.texts.codes()), (MISSING, 1, 2));
    let mut third = CellEncoder::new(first.texts.clone(), CellRules::default());
    assert_eq!((third.code("b"), third.code("NA")), (2, 3));
}

#[test]
fn every_type_has_its_text() {
    let cells = vec![Some("a"), None, Some("b"), Some("a")];
    for read in [
        plain(StringArray::from(cells.clone())),
        plain(LargeStringArray::from(cells.clone())),
        plain(StringViewArray::from(cells)),
    ] {
        assert_eq!(read, texts(&["a", "-", "b", "a"]));
    }
    assert_eq!(plain(Int32Array::from(vec![Some(-1), None, Some(7), Some(-1)])), texts(&["-1", "-", "7", "-1"]));
    assert_eq!(plain(Int64Array::from(vec![Some(1 << 60), None])), texts(&["1152921504606846976", "-"]));
    assert_eq!(plain(Int8Array::from(vec![Some(-5), None])), texts(&["-5", "-"]));
    let (large, small) = ("100000000000000000000", "0.1");
    assert_eq!(plain(Float32Array::from(vec![Some(1.0), Some(0.1), None])), texts(&["1", small, "-"]));
    assert_eq!(plain(Float64Array::from(vec![Some(1e20), Some(0.1), None])), texts(&[large, small, "-"]));
    assert_eq!(plain(NullArray::new(2)), texts(&["-", "-"]));
    assert_eq!(plain(BooleanArray::from(vec![Some(true), None])), texts(&["true", "-"]));
    assert_eq!(plain(Date32Array::from(vec![Some(59), None])), texts(&["1970-03-01", "-"]));
    let nested = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
    assert_eq!(plain(nested), Err("a column is not flat".into()));
}

#[test]
fn instants_are_days_where_the_rules_say_so() {
    let times = || TimestampSecondArray::from(vec![Some(86_400), Some(3_600), None]);
    assert_eq!(plain(times()), texts(&["1970-01-02T00:00:00", "1970-01-01T01:00:00", "-"]));
    let mut days = encoder(CellRules { days: true, ..CellRules::default() });
    assert_eq!(encoded(&mut days, times()), texts(&["1970-01-02", "1970-01-01T01:00:00", "-"]));
    assert_eq!(plain(times().with_timezone("nowhere")), Err("a column has an unknown time zone".into()));
}

#[test]
fn a_dictionary_is_looked_at_once_and_again_when_it_is_another() {
    let values = |of: &[Option<&str>]| Arc::new(StringArray::from(of.to_vec())) as ArrayRef;
    let (first, second) = (values(&[Some("a"), None, Some("b")]), values(&[Some("c"), Some("a")]));
    let mut encoder = CellEncoder::plain();
    let keyed = |keys: Vec<Option<i32>>, values: &ArrayRef| {
        DictionaryArray::<Int32Type>::try_new(Int32Array::from(keys), Arc::clone(values)).expect("keys of entries")
    };
    let keys = || vec![Some(2), None, Some(1), Some(0)];
    for _ in 0..2 {
        assert_eq!(encoded(&mut encoder, keyed(keys(), &first)), texts(&["b", "-", "-", "a"]));
    }
    assert_eq!(encoded(&mut encoder, keyed(vec![Some(1), Some(0)], &second)), texts(&["a", "c"]));
    let narrow = |keys: Vec<Option<i8>>, values: &ArrayRef| {
        DictionaryArray::<Int8Type>::try_new(Int8Array::from(keys), Arc::clone(values)).expect("keys of entries")
    };
    let keys = vec![Some(2), None, Some(1), Some(0)];
    assert_eq!(encoded(&mut encoder, narrow(keys, &first)), texts(&["b", "-", "-", "a"]));
    assert_eq!(encoded(&mut encoder, narrow(vec![None, None], &values(&[]))), texts(&["-", "-"]));
    assert_eq!(encoder.texts.codes(), 4);
}
