//! Small tables of two sensitive attributes, models for them, and classes, as plain data.

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Parameter, Parameters, Role, Rule, Values};
use proptest::prelude::*;

/// The values of both attributes; a fifth code is the missing value.
pub(crate) const VALUES: [i64; 4] = [10, 20, 30, 40];
pub(crate) const MISSING: u32 = 4;

/// Rows of (town, first attribute, second attribute).
pub(crate) type Rows = Vec<([u32; 3], u64)>;

pub(crate) fn table(rows: &Rows) -> FrequencyTable {
    let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["0", "1", "2", "3"]));
    let dictionary = || Dictionary::new(Values::Integers(VALUES.to_vec()), true);
    let illness = Attribute::new("illness", Role::Sensitive, dictionary());
    let salary = Attribute::new("salary", Role::Sensitive, dictionary());
    FrequencyTable::from_tuples(vec![town, illness, salary], rows.iter().copied())
}

pub(crate) fn rows() -> impl Strategy<Value = Rows> {
    prop::collection::vec(([0u32..4, 0..5, 0..5], 1u64..4), 1..10)
}

/// A model with its parameters, for the first attribute or for both.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) model: &'static str,
    pub(crate) parameters: Parameters,
    pub(crate) sensitive: Vec<usize>,
}

impl Ask {
    pub(crate) fn rule(&self) -> Rule {
        Rule { model: self.model.into(), parameters: self.parameters.clone(), sensitive: Vec::new() }
    }

    /// A parameter as it is written.
    pub(crate) fn get(&self, name: &str) -> Option<Parameter> {
        let json = serde_json::to_value(&self.parameters).unwrap();
        json.get(name).map(|value| serde_json::from_value(value.clone()).unwrap())
    }

    /// A number as a ratio.
    pub(crate) fn ratio(&self, name: &str) -> (u64, u64) {
        match self.get(name).unwrap() {
            Parameter::Whole(number) => (number, 1),
            Parameter::Text(text) => {
                let (above, below) = text.split_once('/').unwrap();
                (above.parse().unwrap(), below.parse().unwrap())
            }
            other => panic!("{other:?}"),
        }
    }
}

fn ratio(above: std::ops::Range<u64>, below: u64) -> impl Strategy<Value = String> {
    above.prop_map(move |above| format!("{above}/{below}"))
}

/// Paths of 1 to 3 levels below the root, each level merging values of the one below.
pub(crate) fn trees() -> impl Strategy<Value = Vec<Vec<String>>> {
    prop::collection::vec(prop::collection::vec(any::<bool>(), 4), 0..3).prop_map(|levels| {
        let mut paths: Vec<Vec<String>> = VALUES.iter().map(|value| vec![value.to_string()]).collect();
        for merges in levels {
            let below: Vec<String> = paths.iter().map(|path| path[path.len() - 1].clone()).collect();
            for at in 0..paths.len() {
                let joins = at > 0 && (merges[at] || below[at] == below[at - 1]);
                let node = if joins { paths[at - 1][paths[at - 1].len() - 1].clone() } else { format!("n{at}") };
                paths[at].push(node);
            }
        }
        paths.iter_mut().for_each(|path| path.push("*".into()));
        paths
    })
}

pub(crate) fn asks() -> impl Strategy<Value = Ask> {
    let texts = |values: &[i64]| values.iter().map(ToString::to_string).collect::<Vec<String>>();
    let p = (1u64..5).prop_map(|p| ("p-sensitive", Parameters::from_iter([("p", p)])));
    let groups = prop_oneof![
        Just(vec![texts(&[10, 20])]),
        Just(vec![texts(&[10, 40, 70]), texts(&[30])]),
        Just(vec![texts(&[10, 20]), texts(&[30, 40])]),
    ];
    let extended = (1u64..5, groups)
        .prop_map(|(p, groups)| ("extended-p-sensitive", Parameters::from_iter([("p", p)]).with("groups", groups)));
    let distinct = (1u64..6).prop_map(|l| ("distinct-l-diversity", Parameters::from_iter([("l", l)])));
    let entropy = ratio(2..9, 2).prop_map(|l| ("entropy-l-diversity", Parameters::from_iter([("l", &l[..])])));
    let frequency = ratio(2..9, 2).prop_map(|l| ("frequency-l-diversity", Parameters::from_iter([("l", &l[..])])));
    let recursive = (ratio(1..9, 2), 1u64..5)
        .prop_map(|(c, l)| ("recursive-c-l-diversity", Parameters::from_iter([("l", l)]).with("c", &c[..])));
    let close = |parameters: Parameters| ("t-closeness", parameters);
    let t = || ratio(1..19, 20).prop_map(|t| Parameters::from_iter([("t", &t[..])]));
    let equal = t().prop_map(close);
    let ordered = t().prop_map(move |t| close(t.with("distance", "ordered")));
    let order = Just(VALUES.to_vec()).prop_shuffle();
    let given = (t(), order).prop_map(move |(t, order)| {
        close(t.with("distance", "ordered").with("order", texts(&[&order[..], &[99]].concat())))
    });
    let trees = (t(), trees()).prop_map(move |(t, tree)| close(t.with("distance", "hierarchical").with("tree", tree)));
    let beta = (ratio(1..9, 4), prop_oneof![Just("basic"), Just("enhanced")])
        .prop_map(|(beta, rule)| ("beta-likeness", Parameters::from_iter([("beta", &beta[..])]).with("rule", rule)));
    let delta = ratio(1..9, 4).prop_map(|delta| ("delta-disclosure", Parameters::from_iter([("delta", &delta[..])])));
    let models =
        prop_oneof![p, extended, distinct, entropy, frequency, recursive, equal, ordered, given, trees, beta, delta,];
    (models, prop_oneof![Just(vec![1]), Just(vec![1, 2])]).prop_map(|((model, parameters), sensitive)| Ask {
        model,
        parameters,
        sensitive,
    })
}
