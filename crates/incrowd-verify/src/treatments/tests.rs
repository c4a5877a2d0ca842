//! Treatments as manifests name them, and the cells that fit them.

use super::*;

const KEY: [u8; 32] = [9; 32];

#[test]
fn what_a_treatment_writes_fits_it() {
    let rule = NumberRule::read("bottom:0,top:90,round:10").expect("a rule");
    let width = DecimalNumber::read("2.5").expect("a number");
    for treatment in [ColumnTreatment::Number(rule), ColumnTreatment::Bins(width)] {
        for text in ["0", "-7", "44.9", "45", "1e6"] {
            assert!(treatment.fits(&treatment.applied(text, &KEY).expect("a cell")), "{treatment:?} {text}");
        }
        assert!(!treatment.fits("44.9"));
    }
    for treatment in [ColumnTreatment::Blank, ColumnTreatment::Mask(2), ColumnTreatment::Pseudonym] {
        for text in ["", "a", "ab", "abc", "Ärzte", "*"] {
            let written = treatment.applied(text, &KEY);
            assert!(written.is_none_or(|text| treatment.fits(&text)), "{treatment:?} {text}");
        }
    }
}

#[test]
fn an_original_value_does_not_pass_for_a_treated_one() {
    assert!(!ColumnTreatment::Blank.fits("a"));
    for text in ["abc", "abc*", "a*"] {
        assert!(!ColumnTreatment::Mask(2).fits(text), "{text}");
    }
    for text in
        ["person-17", "pAAAAAAAAAAAAAAAAAAAAAAAAAA", "p1111111111111111111111111", "qaaaaaaaaaaaaaaaaaaaaaaaaaa"]
    {
        assert!(!ColumnTreatment::Pseudonym.fits(text), "{text}");
    }
}

#[test]
fn a_moved_date_is_within_its_range() {
    let treatment = ColumnTreatment::Shift(2);
    let mut met = std::collections::BTreeSet::new();
    for row in 0..200 {
        let moved = treatment.drawn("2024-02-29T08:15", &KEY, RowOwner { person: None, row });
        assert!(treatment.fits(&moved));
        met.insert(moved);
    }
    let days = ["02-27", "02-28", "02-29", "03-01", "03-02"];
    assert!(met.iter().map(String::as_str).eq(days.map(|day| format!("2024-{day}T08:15")).iter().map(String::as_str)));
    assert!(!treatment.fits("spring 2024"));
}

fn column(role: Role, technique: Technique, treatment: Option<&str>) -> ColumnEntry {
    ColumnEntry {
        name: "pay".into(),
        role,
        technique,
        treatment: treatment.map(String::from),
        labels: None,
        value_type: None,
    }
}

fn read(text: &str) -> Option<ColumnTreatment> {
    ColumnTreatment::of(&column(Role::Insensitive, Technique::Treated, Some(text)))
}

fn treatment(text: &str) -> ColumnTreatment {
    read(text).expect(text)
}

/// One of each treatment: its text, whether it is in one form, drawn, has a key, and is a pseudonym.
const EACH: [(&str, [bool; 4]); 13] = [
    ("blank", [false, false, false, false]),
    ("mask:3", [false, false, false, false]),
    ("pseudonym", [false, false, true, true]),
    ("pseudonym-digits", [false, false, true, true]),
    ("bottom:0,top:9,round:1", [true, false, false, false]),
    ("top:9", [true, false, false, false]),
    ("random-round:5", [true, true, true, false]),
    ("bins:2.5", [true, false, false, false]),
    ("shift:30", [true, true, true, false]),
    ("microaggregate:3,round:0.5", [true, false, false, false]),
    ("laplace:2,round:1", [true, true, true, false]),
    ("normal:2,round:1", [true, true, true, false]),
    ("items:5,known:2,split:;", [false, false, false, false]),
];

#[test]
fn each_treatment_is_read_and_says_of_which_kind_it_is() {
    let base = |text| DecimalNumber::read(text).expect(text);
    let found: Vec<ColumnTreatment> = EACH.iter().map(|(text, _)| treatment(text)).collect();
    let number = |text| NumberRule::read(text).map(ColumnTreatment::Number).expect(text);
    let noise = |text| NoiseRule::read(text).map(ColumnTreatment::Noise).expect(text);
    let expected = [
        ColumnTreatment::Blank,
        ColumnTreatment::Mask(3),
        ColumnTreatment::Pseudonym,
        ColumnTreatment::PseudonymDigits,
        number("bottom:0,top:9,round:1"),
        number("top:9"),
        number("random-round:5"),
        ColumnTreatment::Bins(base("2.5")),
        ColumnTreatment::Shift(30),
        ColumnTreatment::Microaggregate { k: 3, base: base("0.5") },
        noise("laplace:2,round:1"),
        noise("normal:2,round:1"),
        ItemRule::read("5,known:2,split:;").map(ColumnTreatment::Items).expect("a rule"),
    ];
    assert_eq!(found, expected);
    for (one, (text, said)) in found.iter().zip(EACH) {
        assert_eq!([one.is_in_one_form(), one.is_drawn(), one.has_key(), one.is_pseudonym()], said, "{text}");
    }
}

#[test]
fn other_texts_are_no_treatments() {
    for text in [
        "",
        "rot13",
        "Blank",
        "blank:",
        "blank:1",
        "pseudonym:",
        "pseudonym-digits:",
        "mask",
        "mask:",
        "mask:x",
        "mask:-1",
        "bins",
        "bins:0",
        "bins:-1",
        "bins:x",
        "shift",
        "shift:0",
        "shift:-1",
        "shift:1.5",
        "microaggregate:3",
        "microaggregate:x,round:1",
        "microaggregate:3,round:0",
        "microaggregate:3,round:-1",
        "microaggregate:3,round:x",
        "items:5",
        "items:1,known:1,split:;",
        "laplace:2",
        "normal:2,round:0",
        "round:0",
        "top:x",
        "sideways:3",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    for technique in [Technique::Retained, Technique::Removed, Technique::Generalized, Technique::Suppressed] {
        assert_eq!(ColumnTreatment::of(&column(Role::Insensitive, technique, Some("blank"))), None, "{technique:?}");
    }
    assert_eq!(ColumnTreatment::of(&column(Role::Insensitive, Technique::Treated, None)), None);
}

#[test]
fn a_cell_fits_its_treatment_at_the_limits() {
    let name = "pz4qufcaolsfepggjxz5tlrnrcu";
    for (text, fitting, other) in [
        ("blank", &[][..], &["", "a", "*"][..]),
        ("mask:2", &["*", "ab*", "Är*", "***"], &["", "a*", "abc*", "ab", "ab*c", "**"]),
        ("mask:0", &["*"], &["", "a*"]),
        (
            "pseudonym",
            &[name, "p27272727272727272727272727"],
            &[
                "",
                "pz4qufcaolsfepggjxz5tlrnrc",
                "pz4qufcaolsfepggjxz5tlrnrcua",
                "qz4qufcaolsfepggjxz5tlrnrcu",
                "pz4qufcaolsfepggjxz5tlrnrc1",
                "pz4qufcaolsfepggjxz5tlrnrc8",
                "pz4qufcaolsfepggjxz5tlrnrcU",
                "pz4qufcaolsfepggjxz5tlrnr-u",
            ],
        ),
        ("pseudonym-digits", &["123456"], &["", "12345", "12345a"]),
        ("bottom:0,top:9,round:3", &["0", "9", "3.0"], &["", "-3", "12", "4", "x"]),
        (
            "bins:2.5",
            &["[0, 2.5)", "[-2.5, 0)"],
            &["", "0", "[0, 2.5]", "(0, 2.5)", "[0,2.5)", "[0.0, 2.5)", "[1, 3.5)", "[0, 5)", "[x, 2)"],
        ),
        ("shift:3", &["2024-02-29", "2024-02-29T08:15"], &["", "2023-02-29", "202é-02-28", "spring"]),
        ("microaggregate:2,round:0.5", &["0", "-1.5", "2"], &["", "0.25", "x"]),
        ("laplace:2,round:2", &["0", "-4"], &["", "3", "x"]),
        ("normal:2,round:2", &["0", "-4"], &["", "3", "x"]),
        ("random-round:2", &["0", "-4"], &["", "3", "x"]),
        ("items:2,known:1,split:;", &["a", "a;b"], &["", "b;a", "a;a"]),
    ] {
        for (cells, fits) in [(fitting, true), (other, false)] {
            for cell in cells {
                assert_eq!(treatment(text).fits(cell), fits, "{text}: {cell}");
            }
        }
    }
}

#[test]
fn a_treatment_makes_of_a_cell_what_its_definition_says() {
    let pseudonym = hmac::pseudonym(&KEY, "ab");
    let digits = ff1::pseudonym(&KEY, "1234567").expect("digits");
    for (text, cell, applied) in [
        ("blank", "a", None),
        ("mask:2", "", Some("*")),
        ("mask:2", "ab", Some("*")),
        ("mask:2", "Äbc", Some("Äb*")),
        ("mask:0", "a", Some("*")),
        ("pseudonym", "ab", Some(pseudonym.as_str())),
        ("pseudonym-digits", "1234567", Some(digits.as_str())),
        ("pseudonym-digits", "12345", Some("12345")),
        ("bottom:0,top:9,round:3", "4.5", Some("6")),
        ("bottom:0,top:9,round:3", "many", Some("many")),
        ("bins:2.5", "3", Some("[2.5, 5)")),
        ("bins:2.5", "many", Some("many")),
        ("shift:3", "2024-02-29", Some("2024-02-29")),
        ("microaggregate:2,round:5", "3", Some("3")),
        ("laplace:2,round:2", "3", Some("3")),
        ("items:2,known:1,split:;", "b;a", Some("b;a")),
    ] {
        assert_eq!(treatment(text).applied(cell, &KEY).as_deref(), applied, "{text}: {cell}");
    }
}

/// Drawn by the definition in `draws.rs` with Python's `hmac`: for six people, then for the first three rows.
#[test]
fn what_was_drawn_for_a_person_or_a_row_is_drawn_again() {
    let people = ["a", "b", "c", "d", "e", "f"].map(|person| RowOwner { person: Some(person), row: 7 });
    let rows = [0, 1, 2].map(|row| RowOwner { person: None, row });
    for (text, cell, of_people, of_rows) in [
        ("shift:1", "2024-02-29", "02-28 02-28 03-01 02-29 02-28 03-01", "02-28 03-01 02-28"),
        ("shift:2", "2024-02-29", "03-02 02-28 02-27 02-29 02-27 03-02", "02-28 02-28 02-29"),
        ("shift:30", "2024-02-29", "02-08 02-04 03-15 02-28 03-06 02-20", "02-14 03-02 03-02"),
        ("shift:30", "spring", "spring spring spring spring spring spring", "spring spring spring"),
        ("laplace:2,round:0.5", "10.3", "11 12 15 5 10.5 12", "10 13 17"),
        ("laplace:2,round:0.5", "-0.25", "6 4.5 0 -5 -2 -2.5", "-1 2 6"),
        ("laplace:2,round:0.5", "7.50", "8 7.5 8 8 9 7", "7 10 14"),
        ("normal:15,round:5", "10.3", "15 25 55 -15 10 25", "5 35 5"),
        ("normal:15,round:5", "-0.25", "20 5 -25 20 -15 -20", "-5 25 -5"),
        ("normal:15,round:5", "7.5", "15 10 20 15 25 5", "5 35 5"),
        ("random-round:2", "1", "2 2 0 2 0 2", "0 2 0"),
        ("random-round:2", "many", "many many many many many many", "many many many"),
        ("mask:1", "abc", "abc abc abc abc abc abc", "abc abc abc"),
    ] {
        let drawn = |owners: &[RowOwner<'_>]| {
            let drawn = owners.iter().map(|owner| treatment(text).drawn(cell, &KEY, *owner).replace("2024-", ""));
            drawn.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(drawn(&people), of_people, "{text}: {cell}");
        assert_eq!(drawn(&rows), of_rows, "{text}: {cell}");
    }
}

#[test]
fn a_column_has_only_treatments_that_its_role_may_have() {
    use Role::{Identifier, Insensitive, QuasiIdentifier, Sensitive, Subject};
    use Technique::{Retained, Treated};
    let unknown = Some("is treated in a way that this verifier does not know");
    let quasi = Some("is a quasi-identifier and treated");
    let parts = Some("identifies people, and parts of its values are published");
    let idle = Some("has a treatment and is not treated");
    for (role, technique, text, why) in [
        (Insensitive, Treated, Some("mask:1"), None),
        (Sensitive, Treated, Some("round:5"), None),
        (Insensitive, Treated, Some("rot13"), unknown),
        (Insensitive, Treated, None, unknown),
        (QuasiIdentifier, Treated, Some("rot13"), unknown),
        (QuasiIdentifier, Treated, Some("blank"), quasi),
        (Identifier, Treated, Some("mask:1"), parts),
        (Subject, Treated, Some("shift:3"), parts),
        (Identifier, Treated, Some("blank"), None),
        (Identifier, Treated, Some("pseudonym"), None),
        (Subject, Treated, Some("pseudonym-digits"), None),
        (Insensitive, Retained, Some("blank"), idle),
        (Identifier, Technique::Removed, Some("pseudonym"), idle),
        (QuasiIdentifier, Technique::Generalized, Some("round:5"), idle),
        (Insensitive, Retained, None, None),
        (Identifier, Technique::Removed, None, None),
    ] {
        let mut faults = Vec::new();
        consistency(&[column(role, technique, text)], &mut faults);
        let expected = why.map(|why| Fault::new(FaultKind::Columns, format!("the column pay {why}")));
        assert_eq!(faults, expected.into_iter().collect::<Vec<_>>(), "{role:?} {technique:?} {text:?}");
    }
    for (text, _) in EACH {
        let hides = matches!(text, "blank" | "pseudonym" | "pseudonym-digits");
        assert_eq!(hides_people(&column(Identifier, Treated, Some(text))), hides, "{text}");
    }
}
