//! A model of several sensitive attributes is the model of each of them, and says of the worst one why a table cannot keep it.

#![allow(clippy::unwrap_used)]

use super::case::{AskedModel, SampleClass, attributes, holds, whole};
use super::policies::{COLUMNS, asked_model, random_class, random_table};
use super::small_tables::{Numbers, entries, samples};
use crate::{FrequencyTable, Members, Parameter, Parameters};

/// The model for the first attribute, for the second one, and for both.
fn apart_and_together(mut asked: AskedModel) -> [AskedModel; 3] {
    [vec![1], vec![2], vec![1, 2]].map(|sensitive| {
        asked.sensitive = sensitive;
        asked.clone()
    })
}

#[test]
fn a_model_of_two_attributes_is_that_of_each_of_them() {
    let mut numbers = Numbers(37);
    for turn in 0..1500 {
        let table = match turn % 5 {
            // One attribute has many values, the other one.
            0 => FrequencyTable::from_tuples(attributes(), (0..5u32).map(|code| ([0, code, 0], 1 + numbers.below(4)))),
            _ => random_table(&mut numbers, turn % 3 == 0),
        };
        let asked = asked_model(&mut numbers);
        if !asked.entry.sensitive {
            continue;
        }
        let asked = apart_and_together(asked);
        let [one, other, both] = [0, 1, 2].map(|at: usize| asked[at].bind(&table));
        let class = if turn % 2 == 0 { whole(&table) } else { random_class(&mut numbers, &table) };
        let members = Members::new(&table, &class);
        assert_eq!(both.holds(&members), one.holds(&members) && other.holds(&members));
        assert_eq!(both.spare(&members), one.spare(&members).min(other.spare(&members)));
        let gaps = [one.gap(&members), other.gap(&members)];
        // A class that is too small for one attribute lacks no fewer rows because the other one is nearer.
        assert_eq!(both.gap(&members), gaps[0].max(gaps[1]), "{asked:?}");
        assert_eq!(both.excess(&members), [one.excess(&members), other.excess(&members)].concat());
        assert_eq!(both.too_many(&members), [one.too_many(&members), other.too_many(&members)].concat());
        assert_eq!(both.share_limits(), [one.share_limits(), other.share_limits()].concat());
        assert_eq!(both.order_limits(), [one.order_limits(), other.order_limits()].concat());
        assert_eq!(both.varieties(), [one.varieties(), other.varieties()].concat());
        assert_eq!(both.fewest_rows(), one.fewest_rows().max(other.fewest_rows()));
        if !both.holds(&members) {
            let answer = both.infeasible(&members);
            let of = [(&one, gaps[0]), (&other, gaps[1])].map(|(bound, gap)| (bound.infeasible(&members), gap));
            assert!(of.iter().any(|(reason, gap)| *gap > 0 && *reason == answer), "{asked:?}: {answer}");
            let named = |(at, gap): (usize, u64)| gap > 0 && answer.columns == [COLUMNS[at]];
            assert!([1, 2].into_iter().zip(gaps).any(named), "{asked:?}: {answer}");
        }
    }
}

/// The number that a remedy names.
fn named(remedy: &str) -> Option<String> {
    let word = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    let word = remedy.split_whitespace().find(word)?;
    Some(word.trim_end_matches([',', ';', '.']).replace(',', ""))
}

/// A model with the number of the remedy in place of its own.
fn with_remedy(asked: &AskedModel, remedy: &str) -> Option<Parameters> {
    let parameter = match asked.entry.id {
        // What the refined rule allows depends on the classes.
        "alpha-deassociation" if asked.parameters.get("rule") == Some(&"refined".into()) => return None,
        "alpha-deassociation" => "alpha",
        "recursive-c-l-diversity" if remedy.starts_with("use a c") => "c",
        "frequency-l-diversity" | "entropy-l-diversity" => "l",
        "t-closeness" => "t",
        "k-anonymity" => "k",
        "p-sensitive" | "extended-p-sensitive" => "p",
        "distinct-l-diversity" | "recursive-c-l-diversity" => "l",
        _ => return None,
    };
    let number = named(remedy).unwrap();
    let whole = ["k", "p"].contains(&parameter) || ["distinct-l-diversity"].contains(&asked.entry.id);
    let whole = whole || (asked.entry.id == "recursive-c-l-diversity" && parameter == "l");
    Some(match whole {
        true => asked.parameters.clone().with(parameter, number.parse::<u64>().unwrap()),
        false => asked.parameters.clone().with(parameter, number.as_str()),
    })
}

/// The same parameters with a number that is stricter by more than it is rounded.
fn stricter(asked: &AskedModel, parameters: &Parameters) -> Parameters {
    let (name, step) = match asked.entry.id {
        "alpha-deassociation" => ("alpha", -0.0002),
        "t-closeness" => ("t", -0.0002),
        "recursive-c-l-diversity" => ("c", -0.0002),
        "frequency-l-diversity" | "entropy-l-diversity" => ("l", 0.0002),
        _ => (asked.entry.parameters[0].name, 1.0),
    };
    match parameters.get(name) {
        Some(&Parameter::Whole(number)) => parameters.clone().with(name, number + 1),
        Some(Parameter::Text(text)) => {
            let number: f64 = text.parse().unwrap();
            parameters.clone().with(name, format!("{:.6}", (number + step).max(0.000_001)).as_str())
        }
        other => panic!("{other:?}"),
    }
}

fn keeps(asked: &AskedModel, parameters: Parameters, table: &FrequencyTable, class: &SampleClass) -> bool {
    let asked = AskedModel { parameters, ..asked.clone() };
    holds(&*asked.bind(table), table, class)
}

#[test]
fn a_class_keeps_the_model_with_the_number_that_the_remedy_names() {
    let mut numbers = Numbers(41);
    let mut tried = 0;
    for turn in 0..3000 {
        let table = random_table(&mut numbers, turn % 3 == 0);
        let mut asked = asked_model(&mut numbers);
        if asked.entry.id == "recursive-c-l-diversity" {
            asked.sensitive.truncate(1);
        }
        let class = random_class(&mut numbers, &table);
        let (bound, members) = (asked.bind(&table), Members::new(&table, &class));
        if bound.holds(&members) {
            continue;
        }
        let reason = bound.infeasible(&members);
        let Some(parameters) = with_remedy(&asked, &reason.remedy) else { continue };
        // Of too few values there is no tail, whatever c is.
        if asked.entry.id == "recursive-c-l-diversity" && parameters.get("l") != asked.parameters.get("l") {
            continue;
        }
        let stricter = stricter(&asked, &parameters);
        assert!(keeps(&asked, parameters, &table, &class), "{:?}: {reason}", asked.parameters);
        assert!(!keeps(&asked, stricter, &table, &class), "{:?}: {reason}", asked.parameters);
        tried += 1;
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn the_samples_of_a_model_have_all_its_forms() {
    let count = |id: &str, text: &str| {
        let samples = samples(entries().find(|entry| entry.id == id).unwrap());
        samples.iter().filter(|asked| serde_json::to_string(&asked.parameters).unwrap().contains(text)).count()
    };
    let forms = [("", 144), ("ordered", 72), ("\"order\"", 54), ("hierarchical", 54), ("node 1", 36), ("node 2", 18)];
    assert_eq!(forms.map(|(text, _)| count("t-closeness", text)), forms.map(|(_, forms)| forms));
    assert_eq!(["", "refined", "values"].map(|text| count("alpha-deassociation", text)), [30, 15, 20]);
    assert_eq!(["", "enhanced"].map(|text| count("beta-likeness", text)), [16, 8]);
    let texts: Vec<String> = ["1", "2", "c"].map(String::from).into();
    let entry = entries().find(|entry| entry.id == "t-closeness").unwrap();
    let own_order = |parameters: &Parameters| {
        parameters.get("order").is_none() && parameters.get("distance") == Some(&"ordered".into())
    };
    assert!(!(entry.samples)(&texts).iter().any(own_order), "texts have no order of their own");
}
