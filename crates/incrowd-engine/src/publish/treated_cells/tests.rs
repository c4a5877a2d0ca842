//! What each treatment does to arrays of cells.

use arrow::array::{Float64Array, Int64Array, StringArray};
use incrowd_core::MeanGroups;

use super::*;

fn treated(treatment: Treatment, array: &ArrayRef) -> Result<ArrayRef> {
    let options = ReadOptions { nulls: vec!["?".into()], ..ReadOptions::default() };
    let treatment = CellTreatment { treatment, key: [7; 32], person: None, groups: None };
    let origin = RowOrigin { first: 0, people: None };
    TreatedCells::reading(&options, "id", array.data_type(), &treatment)?.treat(array, &origin)
}

#[test]
fn a_pseudonym_is_the_truncated_hmac_in_base_32() {
    // RFC 4231, test case 2, whose HMAC begins with 5bdcc146 bf60754e 6a042426 089575c7.
    let keyed = Hmac::<Sha256>::new_from_slice(b"Jefe").expect("any key");
    assert_eq!(pseudonym(&keyed, "what do ya want for nothing?"), "plpomcrv7mb2u42qeeqtarflvy4");
}

#[test]
fn equal_values_have_equal_pseudonyms_whatever_their_type() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(17), None, Some(17), Some(18)]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("17"), None, Some("17"), Some("18")]));
    let [a, b] = [numbers, texts].map(|array| treated(Treatment::Pseudonym, &array).expect("treated"));
    assert_eq!(&a, &b);
    let cells = a.as_string::<i32>();
    assert_eq!(cells.value(0), cells.value(2));
    assert_ne!(cells.value(0), cells.value(3));
    assert!(cells.is_null(1));
}

#[test]
fn what_stands_for_a_missing_value_has_no_pseudonym() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["?", "", "17"]));
    assert_eq!(treated(Treatment::Pseudonym, &texts).expect("treated").null_count(), 2);
}

#[test]
fn a_blank_column_keeps_its_type_and_nothing_else() {
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 2.5]));
    let blank = treated(Treatment::Blank, &numbers).expect("treated");
    assert_eq!((blank.data_type(), blank.null_count()), (&DataType::Float64, 2));
}

#[test]
fn numbers_with_a_fraction_have_no_pseudonym() {
    let numbers: ArrayRef = Arc::new(Float64Array::from(vec![1.5]));
    assert!(matches!(treated(Treatment::Pseudonym, &numbers), Err(EngineError::Untreatable { .. })));
}

#[test]
fn numbers_are_rounded_in_their_own_type() {
    let round = || "round:100".parse::<Treatment>().expect("a treatment");
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("149.9"), None, Some("-150")]));
    let expected: ArrayRef = Arc::new(StringArray::from(vec![Some("100"), None, Some("-200")]));
    assert_eq!(&treated(round(), &texts).expect("treated"), &expected);
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![149.9, 1e6]));
    let expected: ArrayRef = Arc::new(Float64Array::from(vec![100.0, 1e6]));
    assert_eq!(&treated(round(), &floats).expect("treated"), &expected);
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![149, 150]));
    let expected: ArrayRef = Arc::new(Int64Array::from(vec![100, 200]));
    assert_eq!(&treated(round(), &whole).expect("treated"), &expected);
}

#[test]
fn a_text_that_is_no_number_is_refused() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["149.9", "many"]));
    for text in ["round:100", "bins:10"] {
        let refused = treated(text.parse().expect("a treatment"), &texts);
        assert!(matches!(refused, Err(EngineError::Untreatable { .. })), "{text}");
    }
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    assert!(treated("round:2.5".parse().expect("a treatment"), &whole).is_err(), "2.5 is no whole number");
}

#[test]
fn the_key_is_not_shown() {
    let shown =
        format!("{:?}", CellTreatment { treatment: Treatment::Pseudonym, key: [7; 32], person: None, groups: None });
    assert!(!shown.contains('7'), "{shown}");
}

/// Dates of the rows from this one on, moved by at most 30 days for the people of these rows.
fn moved(dates: &ArrayRef, first: u64, people: Option<&ArrayRef>) -> Result<ArrayRef> {
    let options = ReadOptions { nulls: vec!["?".into()], ..ReadOptions::default() };
    let treatment = "shift:30".parse().expect("a treatment");
    let treatment = CellTreatment { treatment, key: [7; 32], person: None, groups: None };
    let origin = RowOrigin { first, people: people.cloned() };
    TreatedCells::reading(&options, "day", dates.data_type(), &treatment)?.treat(dates, &origin)
}

fn day(array: &ArrayRef, row: usize) -> i64 {
    let (date, _) = incrowd_core::date_of_text(array.as_string::<i32>().value(row)).expect("a date");
    date.to_epoch_days().into()
}

#[test]
fn dates_of_one_person_move_together_and_intervals_stay() {
    let people: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "a", "?"]));
    let dates: ArrayRef =
        Arc::new(StringArray::from(vec![Some("2024-02-28"), None, Some("2024-03-07"), Some("2024-01-01")]));
    let shifted = moved(&dates, 0, Some(&people)).expect("moved");
    assert_eq!(day(&shifted, 2) - day(&shifted, 0), 8);
    assert!(shifted.is_null(1));
    // The same person elsewhere in the table moves by the same number of days; a row of nobody by its own.
    let again = moved(&dates, 1000, Some(&people)).expect("moved");
    assert_eq!(day(&again, 0), day(&shifted, 0));
    let nobody: Vec<i64> = (0..40).map(|first| day(&moved(&dates, first, Some(&people)).expect("moved"), 3)).collect();
    assert!(nobody.iter().any(|&day| day != nobody[0]));
}

#[test]
fn days_are_uniform_on_their_range() {
    let texts: Vec<String> = (0..6100).map(|at| format!("person {at}")).collect();
    let people: ArrayRef = Arc::new(StringArray::from(texts));
    let dates: ArrayRef = Arc::new(arrow::array::Date32Array::from(vec![19_000; 6100]));
    let shifted = moved(&dates, 0, Some(&people)).expect("moved");
    let mut counts = [0u32; 61];
    for day in shifted.as_primitive::<arrow::datatypes::Date32Type>().iter().flatten() {
        counts[usize::try_from(day - 19_000 + 30).expect("in the range")] += 1;
    }
    // Of each of 61 numbers of days 100 are expected, with a standard deviation of 10.
    assert!(counts.iter().all(|&count| (50..150).contains(&count)), "{counts:?}");
}

#[test]
fn dates_move_in_their_own_type_and_keep_the_time_of_day() {
    let row_zero = |dates: &ArrayRef| moved(dates, 0, None).expect("moved");
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["2024-02-28T08:15:00"]));
    let shown = row_zero(&texts);
    let days = day(&shown, 0) - 19_781;
    assert!(shown.as_string::<i32>().value(0).ends_with("T08:15:00"));
    let dates: ArrayRef = Arc::new(arrow::array::Date32Array::from(vec![19_781]));
    assert_eq!(i64::from(row_zero(&dates).as_primitive::<arrow::datatypes::Date32Type>().value(0)), 19_781 + days);
    let instants: ArrayRef = Arc::new(arrow::array::TimestampMillisecondArray::from(vec![29_700_000]));
    let instant = row_zero(&instants).as_primitive::<arrow::datatypes::TimestampMillisecondType>().value(0);
    assert_eq!(instant, 29_700_000 + days * 86_400_000);
}

#[test]
fn what_is_no_date_is_not_moved() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["2024-02-28", "spring"]));
    assert!(matches!(moved(&texts, 0, None), Err(EngineError::Untreatable { .. })));
    let late: ArrayRef = Arc::new(arrow::array::Date32Array::from(vec![2_932_896; 64]));
    assert!(moved(&late, 0, None).is_err(), "beyond the year 9999");
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    assert!(moved(&numbers, 0, None).is_err());
}

#[test]
fn numbers_are_published_as_the_means_of_their_groups() {
    let decimal = |text: &str| Decimal::parse(text).expect(text);
    let numbers = [("1", 2), ("4", 1), ("10", 3)].map(|(text, rows)| (decimal(text), rows));
    let groups = MeanGroups::new(&numbers, &[0, 2], decimal("1")).expect("few digits");
    let treatment = "microaggregate:3,round:1".parse().expect("a treatment");
    let treatment =
        CellTreatment { treatment, key: [7; 32], person: None, groups: Some(Arc::new(ValueGroups::Means(groups))) };
    let origin = RowOrigin { first: 0, people: None };
    let treat = |array: &ArrayRef| {
        TreatedCells::reading(&ReadOptions::default(), "pay", array.data_type(), &treatment)?.treat(array, &origin)
    };
    let whole: ArrayRef = Arc::new(Int64Array::from(vec![Some(4), Some(1), None, Some(10)]));
    let expected: ArrayRef = Arc::new(Int64Array::from(vec![Some(2), Some(2), None, Some(10)]));
    assert_eq!(&treat(&whole).expect("treated"), &expected);
    let above: ArrayRef = Arc::new(Int64Array::from(vec![11]));
    assert!(treat(&above).is_err(), "a number that the table did not have");
}

#[test]
fn a_number_is_drawn_once_for_a_person_and_anew_for_each_row_of_nobody() {
    let people: ArrayRef = Arc::new(StringArray::from(vec!["a", "a", "a", "b", "?", "?"]));
    let numbers: ArrayRef = Arc::new(StringArray::from(vec!["1234", "1234.0", "999", "1234", "1234", "1234"]));
    let treat = |treatment: &str, first: u64| {
        let options = ReadOptions { nulls: vec!["?".into()], ..ReadOptions::default() };
        let treatment = treatment.parse().expect("a treatment");
        let treatment = CellTreatment { treatment, key: [7; 32], person: None, groups: None };
        let origin = RowOrigin { first, people: Some(people.clone()) };
        let treated = TreatedCells::reading(&options, "pay", numbers.data_type(), &treatment).expect("a treatment");
        let treated = treated.treat(&numbers, &origin).expect("treated");
        treated.as_string::<i32>().iter().flatten().map(String::from).collect::<Vec<_>>()
    };
    for treatment in ["laplace:1000000,round:1", "normal:1000000,round:1"] {
        let (here, there) = (treat(treatment, 0), treat(treatment, 50));
        assert_eq!(here[0], here[1], "equal numbers of a person");
        assert!(here[0] != here[3] && here[4] != here[5], "{here:?}");
        assert!(here[0] == there[0] && here[4] != there[4]);
        let moved = |at: usize, number: i64| here[at].parse::<i64>().expect("a whole number") - number;
        assert_ne!(moved(0, 1234), moved(2, 999), "noise is not the same for all numbers of a person");
    }
    let drawn: std::collections::BTreeSet<String> =
        (0..20).flat_map(|first| treat("random-round:100", first)[4..].to_vec()).collect();
    assert!(drawn.iter().eq(["1200", "1300"]), "{drawn:?}");
}
