//! Parameters of a wrong kind or out of their range are refused by their name, and the ends of the range are accepted.

#![allow(clippy::unwrap_used)]

use super::small_tables::Numbers;
use crate::{
    Attribute, ClassSizes, Dictionary, FrequencyTable, KnownRows, MODELS, ModelError, Parameter, ParameterKind,
    Parameters, Policy, Role,
};

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.into()).collect()
}

/// Values of all kinds that a parameter does not take.
fn refused(kind: ParameterKind) -> Vec<Parameter> {
    let list = |values: &[&str]| Parameter::List(texts(values));
    let lists = |values: &[&[&str]]| Parameter::Lists(values.iter().map(|list| texts(list)).collect());
    match kind {
        ParameterKind::Whole => vec![0.into(), Parameter::Fraction(2.5), "3".into(), list(&["3"]), lists(&[&["3"]])],
        ParameterKind::Share => {
            vec![0.into(), 2.into(), Parameter::Fraction(1.5), "0".into(), "x".into(), list(&["1"])]
        }
        ParameterKind::Number { least } => {
            let below = format!("{:.18}", least * 0.999_999);
            vec![0.into(), "-1".into(), below.as_str().into(), list(&["3"]), lists(&[&["3"]])]
        }
        ParameterKind::Word(words) => vec![1.into(), "xyzzy".into(), list(words), Parameter::Fraction(0.5)],
        ParameterKind::Values => vec!["a".into(), list(&[]), lists(&[&["a"]]), 1.into()],
        ParameterKind::Groups | ParameterKind::Paths => {
            vec![list(&["a"]), lists(&[]), lists(&[&[]]), lists(&[&["a"], &[]]), "a".into()]
        }
    }
}

/// Values at the ends of the range of a parameter.
fn accepted(kind: ParameterKind) -> Vec<Parameter> {
    match kind {
        ParameterKind::Whole => vec![1.into(), u64::MAX.into()],
        ParameterKind::Share => vec![1.into(), Parameter::Fraction(1.0), "1/1".into()],
        ParameterKind::Number { least } if least >= 1.0 => vec![1.into(), Parameter::Fraction(1.0), "1000000/1".into()],
        ParameterKind::Number { least } => vec![format!("{:.18}", least.max(1e-18)).as_str().into(), 7.into()],
        ParameterKind::Word(words) => {
            words.iter().filter(|word| **word != "hierarchical").map(|&word| word.into()).collect()
        }
        ParameterKind::Values | ParameterKind::Groups | ParameterKind::Paths => Vec::new(),
    }
}

#[test]
fn a_parameter_of_a_wrong_kind_or_out_of_its_range_is_refused_by_its_name() {
    for entry in MODELS {
        for parameter in entry.parameters {
            for value in refused(parameter.kind) {
                let given = (entry.example)().with(parameter.name, value.clone());
                match entry.model(&given).err() {
                    Some(ModelError::Parameter { model, name, .. }) => {
                        assert_eq!((model, name), (entry.id, parameter.name));
                    }
                    other => panic!("{} {} {value:?}: {other:?}", entry.id, parameter.name),
                }
            }
            // A minimum above the example's maximum is refused for being above it.
            for value in accepted(parameter.kind).into_iter().filter(|_| parameter.name != "min") {
                let given = (entry.example)().with(parameter.name, value.clone());
                assert!(entry.model(&given).is_ok(), "{} {} {value:?}", entry.id, parameter.name);
            }
            if let ParameterKind::Word(words) = parameter.kind {
                let first = entry.model(&(entry.example)().with(parameter.name, words[0])).unwrap();
                assert_eq!(format!("{first:?}"), format!("{:?}", entry.model(&(entry.example)()).unwrap()));
            }
        }
    }
}

#[test]
fn parameters_are_read_as_they_are_written() {
    let given = Parameters::from_iter([("a", 0.25)].map(|(name, number)| (name, Parameter::Fraction(number))));
    let given = given.with("b", "0").with("c", Vec::<String>::new()).with("d", texts(&["x"])).with("e", 1);
    assert_eq!(given.share("a"), "1/4".parse().ok());
    assert_eq!((given.share("b"), given.share("d"), given.share("f")), (None, None, None));
    assert_eq!(given.share("e"), "1".parse().ok());
    assert_eq!((given.values("c"), given.values("d"), given.values("e")), (None, Some(&texts(&["x"])[..]), None));
    assert_eq!(given.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
}

#[test]
fn a_policy_says_its_largest_k_and_each_of_its_sensitive_columns_once() {
    let p = |p: u64| Parameters::from_iter([("p", p)]);
    let k = |k: u64| Parameters::from_iter([("k", k)]);
    let policy = Policy::k_anonymity(3).asking("p-sensitive", p(9), &["b", "a"]).asking("k-map", k(20), &[]);
    let policy = policy.asking("k-anonymity", k(7), &[]).asking("p-sensitive", p(4), &["a", "c"]);
    assert_eq!((policy.k(), policy.sensitive()), (7, texts(&["b", "a", "c"])));
    assert_eq!((policy.least_rows(), policy.of_population().count()), (Ok(9), 1));
    assert_eq!((Policy::default().k(), Policy::default().least_rows()), (1, Ok(1)));
    assert_eq!((Policy::k_anonymity(0).k(), policy.survives_merging()), (1, Ok(true)));
    let refined = policy.deassociating("a", "1/2".parse().unwrap(), &[], true);
    assert_eq!(refined.survives_merging(), Ok(false));
    let knowing = Policy::k_anonymity(2).knowing(KnownRows::All);
    assert_eq!((knowing.known_rows, knowing.k()), (Some(KnownRows::All), 2));
}

#[test]
fn the_rows_that_may_be_suppressed_are_a_share_of_all_rows() {
    let mut numbers = Numbers(47);
    for turn in 0..400 {
        // One in twenty is all rows.
        let share = if turn % 20 == 0 { 1.0 } else { numbers.below(1000) as f64 / 1000.0 };
        let rows = numbers.below(3000);
        let policy = Policy::k_anonymity(2).suppressing(share);
        assert_eq!(policy.budget(rows), ClassSizes::budget(share, rows));
        let most = policy.most_withheld(rows);
        if share < 1.0 {
            let fits = |withheld: u64| withheld <= policy.budget(rows + withheld);
            assert!(fits(most) && !fits(most + 1), "{share} {rows} {most}");
        } else {
            assert_eq!(most, u64::MAX - rows, "all rows may be suppressed, however many there were");
        }
    }
    // For nearly all rows, the answer is a number that ends the search.
    let nearly = Policy::k_anonymity(2).suppressing(1.0 - f64::EPSILON / 2.0);
    assert!(nearly.most_withheld(1000) >= u64::MAX / 4 && nearly.most_withheld(1000) < u64::MAX / 2);
}

#[test]
fn a_share_of_suppressed_rows_is_from_0_to_1() {
    let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["0"]));
    let table = FrequencyTable::from_tuples(vec![town], [([0], 3)]);
    let bound = |share: f64| Policy::k_anonymity(2).suppressing(share).bind(&table).is_ok();
    assert_eq!([-0.001, 0.0, 1.0, 1.001, f64::NAN].map(bound), [false, true, true, false, false]);
}
