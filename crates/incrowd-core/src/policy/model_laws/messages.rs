//! What the models say to a person: refusals, reasons and promises.

#![allow(clippy::unwrap_used)]

use super::case::{attributes, table};
use crate::{Attribute, Dictionary, FrequencyTable, MODELS, Members, ModelEntry, ModelError, Parameters, Role, Rule};

fn refused(model: &str, parameters: Parameters) -> String {
    Rule { model: model.into(), parameters, sensitive: Vec::new() }.model().err().unwrap().to_string()
}

fn reason(model: &str, parameters: Parameters) -> String {
    let rows = vec![([0, 0, 0], 6), ([1, 1, 0], 2), ([2, 2, 0], 1), ([3, 0, 1], 1)];
    let table = table(&rows);
    let rule = Rule { model: model.into(), parameters, sensitive: Vec::new() };
    let bound = rule.model().unwrap().bind(&table, &[1, 2]).unwrap();
    assert!(!bound.holds(&Members::whole(&table)));
    bound.infeasible(&Members::whole(&table)).to_string()
}

#[test]
fn an_infeasible_number_is_told_with_the_one_that_would_do() {
    assert_eq!(
        reason("p-sensitive", Parameters::from_iter([("p", 3)])),
        "“salary” has 2 distinct values, fewer than p = 3; use p = 2 or less"
    );
    assert_eq!(
        reason("distinct-l-diversity", Parameters::from_iter([("l", 5)])),
        "“salary” has 2 distinct values, fewer than ℓ = 5; use ℓ = 2 or less"
    );
    assert_eq!(
        reason("frequency-l-diversity", Parameters::from_iter([("l", "1.25")])),
        "the most frequent value of “salary” has 9 of 10 rows; in every release, some class has at least this share, which is more than \
         one in ℓ = 1.25; use an ℓ of at most 1.1111, or allow suppression"
    );
    assert_eq!(
        reason("entropy-l-diversity", Parameters::from_iter([("l", 2)])),
        "the effective number of values of “salary” (exp of entropy) is 1.3841; some class has at most this number, \
         which is below ℓ = 2; use an ℓ of at most 1.3841, or allow suppression"
    );
    assert_eq!(
        reason("recursive-c-l-diversity", Parameters::from_iter([("l", 2), ("c", 3)])),
        "the most frequent value of “salary” has 9 rows, and the values outside of the ℓ − 1 = 1 most frequent have \
         1: at least c = 3 times as many, and then some class violates the rule, too; use a c of at least 9.0001, a \
         smaller ℓ, or allow suppression"
    );
    assert_eq!(
        reason("recursive-c-l-diversity", Parameters::from_iter([("l", 3), ("c", 3)])),
        "“salary” has 2 distinct values, fewer than ℓ = 3; use an ℓ of at most 2"
    );
}

#[test]
fn the_number_that_would_do_does() {
    let rows = vec![([0, 0, 0], 6), ([1, 1, 0], 2), ([2, 2, 0], 1), ([3, 0, 1], 1)];
    let table = table(&rows);
    let refused = [
        ("frequency-l-diversity", Parameters::from_iter([("l", "1.1111")])),
        ("entropy-l-diversity", Parameters::from_iter([("l", "1.3841")])),
        ("recursive-c-l-diversity", Parameters::from_iter([("l", 2)]).with("c", "9.0001")),
    ];
    for (model, parameters) in refused {
        let rule = Rule { model: model.into(), parameters, sensitive: Vec::new() };
        assert!(rule.model().unwrap().bind(&table, &[1, 2]).unwrap().holds(&Members::whole(&table)), "{model}");
    }
}

#[test]
fn parameters_out_of_range_are_refused_in_words() {
    let none = Parameters::default;
    assert_eq!(refused("p-sensitive", none()), "model `p-sensitive` needs `p`: an integer of at least 1");
    let half = || none().with("l", "0.5");
    assert_eq!(refused("entropy-l-diversity", half()), "model `entropy-l-diversity` needs `l`: a number of at least 1");
    assert_eq!(
        refused("frequency-l-diversity", half()),
        "model `frequency-l-diversity` needs `l`: a number of at least 1"
    );
    let t = |t: &str| none().with("t", t);
    assert!(refused("t-closeness", t("1.5")).contains("a share above 0 and at most 1"));
    assert!(refused("t-closeness", t("0.2").with("distance", "far")).contains("`equal`, `ordered` or `hierarchical`"));
    assert!(
        refused("t-closeness", t("0.2").with("distance", "hierarchical")).contains("needs `tree`: for each value once")
    );
    assert!(
        refused("t-closeness", t("0.2").with("order", vec!["a".to_owned()]))
            .contains("unless the distance is `ordered`")
    );
    let order = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<String>>();
    for twice in [order(&["a", "b", "a"]), order(&["a", "a"])] {
        assert!(
            refused("t-closeness", t("0.2").with("distance", "ordered").with("order", twice))
                .contains("each value once")
        );
    }
    let paths = |paths: &[&[&str]]| -> Vec<Vec<String>> {
        paths.iter().map(|path| path.iter().map(|&label| label.to_owned()).collect()).collect()
    };
    for wrong in [
        paths(&[&["a"]]),
        paths(&[&["a", "*"], &["b", "x", "*"]]),
        paths(&[&["a", "*"], &["a", "*"]]),
        paths(&[&["a", "*"], &["b", "+"]]),
        paths(&[&["a", "x", "m", "*"], &["b", "x", "n", "*"]]),
    ] {
        let tree = t("0.2").with("distance", "hierarchical").with("tree", wrong);
        assert!(refused("t-closeness", tree).contains("all paths equally long"));
    }
    let twice = none().with("p", 2).with("groups", paths(&[&["a", "b"], &["b"]]));
    assert!(refused("extended-p-sensitive", twice).contains("no value in two of them"));
    let apart = none().with("p", 2).with("groups", paths(&[&["b", "a"], &["c", "b"]]));
    assert!(refused("extended-p-sensitive", apart).contains("no value in two of them"));
    assert!(refused("delta-disclosure", none().with("delta", "0.0000001")).contains("at least 0.000001"));
    assert!(refused("beta-likeness", none().with("beta", 0)).contains("a number above 0"));
}

#[test]
fn a_column_that_the_parameters_do_not_fit_is_refused_without_a_value() {
    let table = table(&vec![([0, 0, 0], 1), ([0, 1, 1], 1)]);
    let bound = |model: &str, parameters: Parameters, at: usize| {
        let rule = Rule { model: model.into(), parameters, sensitive: Vec::new() };
        rule.model().unwrap().bind(&table, &[at]).err().unwrap()
    };
    let ordered = || Parameters::from_iter([("t", "0.2"), ("distance", "ordered")]);
    assert_eq!(bound("t-closeness", ordered(), 0), ModelError::NoOrder { column: "town".into() });
    let short = ordered().with("order", vec!["10".to_owned(), "20".to_owned()]);
    let message = bound("t-closeness", short, 1).to_string();
    assert_eq!(message, "the order of `illness` does not contain every value of the column: add the missing ones");
    let group = Parameters::from_iter([("p", 2)]).with("groups", vec![vec!["HIV".to_owned()]]);
    assert!(matches!(bound("extended-p-sensitive", group, 1), ModelError::UnknownValue { .. }));
}

#[test]
fn a_single_text_needs_no_order() {
    let column = |texts: &[&str]| {
        let town = Attribute::new("town", Role::Sensitive, Dictionary::of_texts(texts.iter().copied()));
        let table = FrequencyTable::from_tuples(vec![town], [([0], 2)]);
        let model = ModelEntry::find("t-closeness")
            .unwrap()
            .model(&Parameters::from_iter([("t", "0.2"), ("distance", "ordered")]));
        model.unwrap().bind(&table, &[0]).map(|_| ())
    };
    assert_eq!(column(&["a"]), Ok(()));
    assert_eq!(column(&["a", "b"]), Err(ModelError::NoOrder { column: "town".into() }));
}

/// Six people, of whom five have the first value.
fn people() -> FrequencyTable {
    let tuples = (0..6u64).map(|person| ([0, u32::from(person == 0), 0], Some(person), 1 + person % 2));
    FrequencyTable::from_people(attributes(), tuples)
}

#[test]
fn a_reason_about_people_counts_people_and_names_the_release_as_a_whole() {
    let table = people();
    let reason = |model: &str, parameters: Parameters| {
        let rule = Rule { model: model.into(), parameters, sensitive: Vec::new() };
        let sensitive: &[usize] = if model == "k-anonymity" { &[] } else { &[1] };
        rule.model().unwrap().bind(&table, sensitive).unwrap().infeasible(&Members::whole(&table)).to_string()
    };
    let (none, third) = (Parameters::default, || Parameters::from_iter([("alpha", "1/3")]));
    let protecting =
        |values: &[&str]| third().with("values", values.iter().map(|&value| value.to_owned()).collect::<Vec<String>>());
    assert_eq!(
        reason("k-anonymity", none().with("k", 1200)),
        "the table has 6 people, fewer than k = 1,200; use a k of at most 6"
    );
    assert_eq!(
        reason("alpha-deassociation", third()),
        "5 of 6 people have the most frequent value of “illness” (83.33 %), more than α = 1/3, and the model must also hold \
         for the release as a whole; use an α of at least 0.8334, or protect single values with their own α, or allow \
         suppression"
    );
    assert_eq!(
        reason("alpha-deassociation", protecting(&["10"])),
        "5 of 6 people have one of the protected values of “illness” (83.33 %), more than α = 1/3, and the model must also \
         hold for the release as a whole; use an α of at least 0.8334, or protect fewer values, or allow suppression"
    );
    assert_eq!(
        reason("frequency-l-diversity", none().with("l", "2.5")),
        "5 of 6 people have the most frequent value of “illness”, more than one in ℓ = 2.5, and the model must also hold for \
         the release as a whole; use an ℓ of at most 1.2, or allow suppression"
    );
    assert_eq!(
        reason("entropy-l-diversity", none().with("l", "2.5")),
        "the effective number of values of “illness” (exp of entropy) is 1.5691, which is below ℓ = 2.5, and the model must \
         also hold for the release as a whole; use an ℓ of at most 1.5691, or allow suppression"
    );
    assert_eq!(
        reason("recursive-c-l-diversity", none().with("l", 2).with("c", 3)),
        "the most frequent value of “illness” has 5 people, and the values outside of the ℓ − 1 = 1 most frequent have 1: at \
         least c = 3 times as many, and the model must also hold for the release as a whole; use a c of at least 5.0001, a \
         smaller ℓ, or allow suppression"
    );
    let rows = table_of_rows();
    let refined = third().with("rule", "refined");
    let model = ModelEntry::find("alpha-deassociation").unwrap();
    let of_rows = |parameters: &Parameters| {
        model.model(parameters).unwrap().bind(&rows, &[1]).unwrap().infeasible(&Members::whole(&rows)).to_string()
    };
    assert_eq!(
        of_rows(&refined),
        "the most frequent value of “illness” has 5 of 6 rows (83.33 %), more than α = 1/3, rounded up, of the whole table; \
         use an α of at least 0.8334, or protect single values with their own α, or allow suppression"
    );
    assert_eq!(
        of_rows(&protecting(&["10"])),
        "the protected values of “illness” have 5 of 6 rows (83.33 %); in every release, some class has at least this share, \
         which is above α = 1/3; use an α of at least 0.8334, or protect fewer values, or allow suppression"
    );
    let k_anonymity = ModelEntry::find("k-anonymity").unwrap().model(&none().with("k", 7)).unwrap();
    assert_eq!(
        k_anonymity.bind(&rows, &[]).unwrap().infeasible(&Members::whole(&rows)).to_string(),
        "the table has 6 rows, fewer than k = 7; use a k of at most 6"
    );
}

/// Six rows, of which five have the first value.
fn table_of_rows() -> FrequencyTable {
    table(&vec![([0, 0, 0], 5), ([1, 1, 0], 1)])
}

#[test]
fn every_promise_is_a_sentence_without_the_name_of_the_model() {
    for entry in MODELS {
        let promise = entry.model(&(entry.example)()).unwrap().promise();
        assert!(promise.len() > 40 && promise.ends_with('.'), "{promise}");
        for term in ["divers", "closeness", "likeness", "disclos", "anonym", "ℓ", "β", "δ", "α"] {
            assert!(!promise.contains(term), "{}: {promise}", entry.id);
        }
    }
}
