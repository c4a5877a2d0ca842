//! Numbers as they are read, compared, rounded and drawn, at their limits.

use super::super::draws::RowOwner;
use super::*;

fn applied(rule: &str, number: &str) -> String {
    let rule = NumberRule::read(rule).expect(rule);
    let number = rule.applied(DecimalNumber::read(number).expect(number)).expect("few digits");
    assert!(rule.allows(number), "{number}");
    number.to_string()
}

#[test]
fn a_number_is_rounded_to_the_nearest_multiple_within_its_bounds() {
    for (number, shown) in [("149.99", "100"), ("150", "200"), ("-150", "-200"), ("-149", "-100"), ("0.04e3", "0")] {
        assert_eq!(applied("round:100", number), shown, "{number}");
    }
    assert_eq!(applied("bottom:0,top:500,round:100", "1e9"), "500");
    assert_eq!(applied("bottom:0,top:500,round:100", "-7"), "0");
    assert_eq!(applied("round:0.1", "0.25"), "0.3");
    assert_eq!(applied("top:90.5", "90.4"), "90.4");
}

#[test]
fn a_number_that_is_not_rounded_or_out_of_bounds_is_not_allowed() {
    let rule = NumberRule::read("bottom:0,top:500,round:100").expect("a rule");
    for number in ["150", "600", "-100", "0.5"] {
        assert!(!rule.allows(DecimalNumber::read(number).expect(number)), "{number}");
    }
}

#[test]
fn an_interval_begins_at_a_multiple_of_its_width() {
    let interval = |number, width| {
        interval(DecimalNumber::read(number).expect(number), DecimalNumber::read(width).expect(width))
            .expect("few digits")
    };
    assert_eq!(interval("29.9", "10"), "[20, 30)");
    assert_eq!(interval("-0.5", "2.5"), "[-2.5, 0)");
}

fn number(text: &str) -> DecimalNumber {
    DecimalNumber::read(text).expect(text)
}

#[test]
fn a_number_is_read_with_a_sign_a_point_and_an_exponent_in_at_most_30_digits() {
    let nines = "9".repeat(30);
    let least = format!("0.{}1", "0".repeat(29));
    for (text, shown) in [
        ("0", "0"),
        ("-0", "0"),
        ("0.000", "0"),
        ("0e5", "0"),
        ("0e99", "0"),
        ("0.00e-7", "0"),
        ("5", "5"),
        ("-5", "-5"),
        ("+5", "5"),
        ("0005", "5"),
        ("10", "10"),
        ("200.00", "200"),
        ("2.50", "2.5"),
        ("-0.05", "-0.05"),
        ("1.05", "1.05"),
        ("1e3", "1000"),
        ("1E+3", "1000"),
        ("12e-1", "1.2"),
        ("1.25e1", "12.5"),
        ("1.25e2", "125"),
        ("1.25e4", "12500"),
        ("-7e2", "-700"),
        (&nines, &nines),
        (&format!("0000{nines}"), &nines),
        ("1e29", &format!("1{}", "0".repeat(29))),
        ("1e-30", &least),
        ("10e-31", &least),
    ] {
        assert_eq!(number(text).to_string(), shown, "{text}");
    }
    let long = format!("1.{}", "0".repeat(30));
    for text in [
        "",
        "-",
        "+",
        ".",
        "5.",
        ".5",
        "1.2.3",
        "1..2",
        "--5",
        "-+5",
        "5a",
        "a5",
        "a",
        "5-",
        "٣",
        "é",
        " 5",
        "5 ",
        "1,5",
        "1e",
        "e1",
        "1e1.5",
        "1ee1",
        "NaN",
        "inf",
        "0x10",
        "1e30",
        "-1e30",
        "1e31",
        "1e-31",
        "1e39",
        "1e2147483647",
        "1e-2147483647",
        "1e-2147483648",
        "0.1e-2147483648",
        "1e2147483648",
        &long,
    ] {
        assert_eq!(DecimalNumber::read(text), None, "{text}");
    }
}

#[test]
fn equal_numbers_are_equal_however_they_are_written() {
    for (one, other) in [("2.00", "2"), ("1e3", "1000"), ("0.0", "-0"), ("150e-2", "1.5")] {
        assert_eq!(number(one), number(other), "{one} {other}");
    }
    assert_eq!(number("0.000"), DecimalNumber::ZERO);
}

#[test]
fn numbers_of_different_places_are_compared_exactly_or_not_at_all() {
    for (one, other, exceeds) in [
        ("1", "1", Some(false)),
        ("1.1", "1", Some(true)),
        ("1", "1.1", Some(false)),
        ("0.25", "0.3", Some(false)),
        ("0.3", "0.25", Some(true)),
        ("-1", "-1.5", Some(true)),
        ("-1.5", "-1", Some(false)),
        ("1e29", "1e-8", Some(true)),
        ("1e29", "1e-30", None),
        ("1e-30", "1e29", None),
    ] {
        assert_eq!(number(one).exceeds(number(other)), exceeds, "{one} {other}");
    }
    for (text, is_above) in [("0", false), ("-1", false), ("1", true), ("0.001", true)] {
        assert_eq!(number(text).is_above_zero(), is_above, "{text}");
    }
}

#[test]
fn sums_and_multiples_are_exact() {
    for (one, other, multiple, sum) in
        [("1", "0.25", 3, "1.75"), ("1.75", "0.25", 1, "2"), ("0.5", "2", -4, "-7.5"), ("3", "7", 0, "3")]
    {
        let sum_of = number(one).plus_multiple(number(other), multiple);
        assert_eq!(sum_of, Some(number(sum)), "{one} {other} {multiple}");
    }
    assert_eq!(number("1").plus_times(number("0.5"), 5), Some(number("3.5")));
    assert_eq!(number("1").plus_times(number("1e29"), 10), None, "31 digits");
    assert_eq!(number("9e29").plus_times(number("1e29"), 1), None, "31 digits");
    assert_eq!(number("1").plus_times(number("1e29"), u64::MAX), None);
    for (one, base, times) in [
        ("7.5", "2.5", Some(3)),
        ("-7.5", "2.5", Some(-3)),
        ("0", "2.5", Some(0)),
        ("5", "2", None),
        ("0.3", "0.2", None),
        ("600", "0.02", Some(30_000)),
        ("1e29", "1e-30", None),
    ] {
        assert_eq!(number(one).in_multiples_of(number(base)), times, "{one} {base}");
        assert_eq!(number(one).is_multiple_of(number(base)), times.is_some(), "{one} {base}");
    }
}

#[test]
fn a_rule_names_each_bound_and_one_base_at_most_once() {
    for text in [
        "",
        "round",
        "round:",
        "round:x",
        "round:0",
        "round:-1",
        "bottom:",
        "middle:3",
        "bottom:0,",
        ",top:1",
        "bottom:0,bottom:1",
        "top:1,top:2",
        "round:1,round:2",
        "round:1,random-round:1",
        "random-round:1,round:1",
        "random-round:0",
        "bottom:1;top:2",
    ] {
        assert_eq!(NumberRule::read(text), None, "{text}");
    }
    let whole = NumberRule {
        bottom: Some(number("-1")),
        top: Some(number("9.5")),
        base: Some(number("0.5")),
        at_random: false,
    };
    assert_eq!(NumberRule::read("bottom:-1,top:9.5,round:0.5"), Some(whole));
    assert_eq!(NumberRule::read("round:0.5,top:9.5,bottom:-1"), Some(whole));
    assert_eq!(NumberRule::read("top:9.5,random-round:0.5,bottom:-1"), Some(NumberRule { at_random: true, ..whole }));
    assert_eq!(NumberRule::read("top:3"), Some(NumberRule { top: Some(number("3")), ..NumberRule::default() }));
    assert_eq!(NumberRule::read("bottom:3"), Some(NumberRule { bottom: Some(number("3")), ..NumberRule::default() }));
}

#[test]
fn the_bounds_themselves_are_allowed_and_what_cannot_be_compared_is_not() {
    for (rule, text, is_allowed) in [
        ("bottom:5", "5", true),
        ("bottom:5", "4.9", false),
        ("bottom:5", "6", true),
        ("top:5", "5", true),
        ("top:5", "5.1", false),
        ("top:5", "-4", true),
        ("round:5", "10", true),
        ("round:5", "-10", true),
        ("round:5", "11", false),
        ("bottom:0,top:10,round:5", "5", true),
        ("bottom:0,top:10,round:5", "15", false),
        ("bottom:0,top:10,round:5", "-5", false),
        ("bottom:0,top:10,round:5", "6", false),
        ("bottom:1e-30", "1e29", false),
        ("top:1e29", "1e-30", false),
        ("round:1e-30", "1e29", false),
    ] {
        assert_eq!(NumberRule::read(rule).expect(rule).allows(number(text)), is_allowed, "{rule} {text}");
    }
}

#[test]
fn a_number_is_moved_into_its_bounds_before_it_is_rounded() {
    for (rule, text, shown) in [
        ("bottom:5", "4", "5"),
        ("bottom:5", "5", "5"),
        ("bottom:5", "6", "6"),
        ("top:5", "6", "5"),
        ("top:5", "4", "4"),
        ("round:10", "5", "10"),
        ("round:10", "-5", "-10"),
        ("round:10", "4.999", "0"),
        ("round:10", "-5.001", "-10"),
        ("round:10", "-14.9", "-10"),
        ("round:10", "-15", "-20"),
        ("round:10", "0", "0"),
        ("bottom:2.5,round:5", "1", "5"),
    ] {
        let rule = NumberRule::read(rule).expect(rule);
        assert_eq!(rule.applied(number(text)).map(|number| number.to_string()).as_deref(), Some(shown), "{text}");
    }
    let rule = NumberRule::read("top:1e29").expect("a rule");
    assert_eq!(rule.applied(number("1e-30")), None, "too far apart");
}

/// The multiples were drawn by the definition in `draws.rs` with Python's `hmac` and `fractions`.
#[test]
fn the_multiple_above_or_below_is_drawn() {
    let drawn = |rule: &str, text: &str, owners: &[RowOwner<'_>]| {
        let rule = NumberRule::read(rule).expect(rule);
        let draw = |owner: &RowOwner<'_>| {
            let number = number(text);
            rule.drawn(number, &mut owner.words_for(&number.to_string(), &[9; 32])).expect("few digits").to_string()
        };
        owners.iter().map(draw).collect::<Vec<_>>().join(" ")
    };
    let people = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|person| RowOwner { person: Some(person), row: 0 });
    for (text, shown) in [
        ("1", "2 2 0 2 0 2 0 0"),
        ("3", "4 2 4 4 4 2 2 2"),
        ("-7", "-6 -8 -8 -8 -8 -8 -6 -8"),
        ("0.5", "0 0 0 2 0 0 0 2"),
        ("40", "40 40 40 40 40 40 40 40"),
        ("1e3", "1000 1000 1000 1000 1000 1000 1000 1000"),
    ] {
        assert_eq!(drawn("random-round:2", text, &people), shown, "{text}");
    }
    let rows: Vec<RowOwner<'_>> = (0..8).map(|row| RowOwner { person: None, row }).collect();
    assert_eq!(drawn("random-round:10", "12.5", &rows), "20 10 10 10 20 20 10 10");
    assert_eq!(drawn("bottom:20,random-round:10", "12.5", &rows[..2]), "20 20");
}

#[test]
fn a_mean_is_rounded_to_the_nearest_multiple_and_away_from_zero() {
    for (sum, rows, base, shown) in [
        ("65", 2, "1", Some("33")),
        ("-65", 2, "1", Some("-33")),
        ("64.9", 2, "1", Some("32")),
        ("65.1", 2, "1", Some("33")),
        ("-64.9", 2, "1", Some("-32")),
        ("10", 4, "0.5", Some("2.5")),
        ("10", 3, "0.5", Some("3.5")),
        ("0", 3, "0.5", Some("0")),
        ("10", 0, "0.5", None),
        ("1e29", 1, "1e-30", None),
        ("1", u64::MAX, "1e29", None),
    ] {
        let found = mean(number(sum), rows, number(base)).map(|mean| mean.to_string());
        assert_eq!(found.as_deref(), shown, "{sum} / {rows}");
    }
}

#[test]
fn an_interval_holds_its_lower_bound_and_not_its_upper_one() {
    for (text, width, shown) in [
        ("20", "10", Some("[20, 30)")),
        ("0", "10", Some("[0, 10)")),
        ("-10", "10", Some("[-10, 0)")),
        ("-10.01", "10", Some("[-20, -10)")),
        ("0.26", "0.25", Some("[0.25, 0.5)")),
        ("1e29", "1e-30", None),
        // These are beyond 30 digits, and beyond 128 bits.
        ("999999999999999999999999999999", "10", None),
        ("-170141183460469231731687303715", "123456789012345678901.000000001", None),
        ("170141183460469231731687303715", "123456789012345678901.000000001", None),
    ] {
        assert_eq!(interval(number(text), number(width)).as_deref(), shown, "{text} {width}");
    }
}
