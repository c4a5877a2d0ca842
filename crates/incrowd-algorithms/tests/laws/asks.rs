//! Models about sensitive values, as plain data, and their definitions on the rows of three values.

use incrowd_core::{Parameters, Policy};
use proptest::prelude::*;

use crate::case::SENSITIVE;

/// A model for one sensitive attribute.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) attribute: usize,
    model: Model,
}

#[derive(Clone, Debug)]
enum Model {
    /// At least so many different values; by which of its names.
    Distinct(u64, &'static str, &'static str),
    /// The same with the first two values as one.
    Extended(u64),
    /// Twice ℓ.
    Frequency(u64),
    /// Twice ℓ.
    Entropy(u64),
    /// Twice c, and ℓ.
    Recursive(u64, u64),
    /// Twenty times t, and how far apart values are.
    Close(u64, Apart),
    /// Four times β, and whether the rule is enhanced.
    Beta(u64, bool),
    /// Four times δ.
    Delta(u64),
}

#[derive(Clone, Debug)]
enum Apart {
    Equal,
    /// The values from the least to the greatest.
    Ordered([usize; 3]),
    /// The first two have an ancestor below the root.
    Hierarchical,
}

pub(crate) fn asks(sensitive: usize) -> impl Strategy<Value = Vec<Ask>> {
    let words = prop_oneof![Just(("p-sensitive", "p")), Just(("distinct-l-diversity", "l"))];
    let apart = prop_oneof![
        Just(Apart::Equal),
        Just(Apart::Ordered([0, 1, 2])),
        Just(Apart::Ordered([0, 2, 1])),
        Just(Apart::Hierarchical),
    ];
    let model = prop_oneof![
        2 => (1u64..4, words).prop_map(|(least, (id, letter))| Model::Distinct(least, id, letter)),
        1 => (1u64..4).prop_map(Model::Extended),
        1 => (2u64..7).prop_map(Model::Frequency),
        2 => (2u64..7).prop_map(Model::Entropy),
        2 => (1u64..9, 1u64..4).prop_map(|(c, l)| Model::Recursive(c, l)),
        3 => (1u64..16, apart).prop_map(|(t, apart)| Model::Close(t, apart)),
        2 => (1u64..9, any::<bool>()).prop_map(|(beta, enhanced)| Model::Beta(beta, enhanced)),
        2 => (1u64..9).prop_map(Model::Delta),
    ];
    let ask = (0..sensitive, model).prop_map(|(attribute, model)| Ask { attribute, model });
    prop::collection::vec(ask, 1..3)
}

impl Ask {
    pub(crate) fn add_to(&self, policy: Policy) -> Policy {
        let over = |above: u64, below: u64| format!("{above}/{below}");
        let number = |name: &str, text: String| Parameters::default().with(name, text.as_str());
        let texts = |values: &[usize]| values.iter().map(|&value| SENSITIVE[value].to_owned()).collect::<Vec<_>>();
        let (id, parameters) = match &self.model {
            Model::Distinct(least, id, letter) => (*id, Parameters::from_iter([(*letter, *least)])),
            Model::Extended(p) => {
                ("extended-p-sensitive", Parameters::from_iter([("p", *p)]).with("groups", vec![texts(&[0, 1])]))
            }
            Model::Frequency(l) => ("frequency-l-diversity", number("l", over(*l, 2))),
            Model::Entropy(l) => ("entropy-l-diversity", number("l", over(*l, 2))),
            Model::Recursive(c, l) => ("recursive-c-l-diversity", number("c", over(*c, 2)).with("l", *l)),
            Model::Close(t, apart) => {
                let t = number("t", over(*t, 20));
                let path = |path: [&str; 3]| path.map(str::to_owned).to_vec();
                let tree = || vec![path(["a", "x", "*"]), path(["b", "x", "*"]), path(["c", "y", "*"])];
                let parameters = match apart {
                    Apart::Equal => t.with("distance", "equal"),
                    Apart::Ordered(order) => t.with("distance", "ordered").with("order", texts(order)),
                    Apart::Hierarchical => t.with("distance", "hierarchical").with("tree", tree()),
                };
                ("t-closeness", parameters)
            }
            Model::Beta(beta, enhanced) => {
                let rule = if *enhanced { "enhanced" } else { "basic" };
                ("beta-likeness", number("beta", over(*beta, 4)).with("rule", rule))
            }
            Model::Delta(delta) => ("delta-disclosure", number("delta", over(*delta, 4))),
        };
        policy.asking(id, parameters, &[&format!("s{}", self.attribute)])
    }

    /// Whether rows of the three values keep the model beside those of the whole.
    pub(crate) fn keeps(&self, class: [u64; 3], whole: [u64; 3]) -> bool {
        let (rows, all) = (class.iter().sum::<u64>(), whole.iter().sum::<u64>());
        let distinct = |counts: &[u64]| counts.iter().filter(|&&own| own > 0).count() as u64;
        let most = class.into_iter().max().unwrap();
        let share = |value: usize| class[value] as f64 / rows as f64;
        let share_of_all = |value: usize| whole[value] as f64 / all as f64;
        let occurring = || (0..3).filter(|&value| whole[value] > 0);
        match &self.model {
            Model::Distinct(least, ..) => distinct(&class) >= *least,
            Model::Extended(p) => distinct(&[class[0] + class[1], class[2]]) >= *p,
            Model::Frequency(l) => most * l <= 2 * rows,
            Model::Entropy(l) => {
                let part = |value: usize| if class[value] == 0 { 0.0 } else { -share(value) * share(value).ln() };
                (0..3).map(part).sum::<f64>() >= (*l as f64 / 2.0).ln() - 1e-12
            }
            Model::Recursive(c, l) => {
                let mut sorted = class;
                sorted.sort_unstable_by(|a, b| b.cmp(a));
                2 * most < c * sorted[*l as usize - 1..].iter().sum::<u64>()
            }
            Model::Close(t, apart) => {
                let off = |values: &[usize]| {
                    let sum = |counts: [u64; 3]| values.iter().map(|&value| counts[value]).sum::<u64>();
                    (sum(class) * all).abs_diff(sum(whole) * rows)
                };
                // The work, and what as much work as can be would be.
                let (work, most) = match apart {
                    Apart::Equal => (off(&[0]) + off(&[1]) + off(&[2]), 2),
                    Apart::Ordered(order) => {
                        let order: Vec<usize> = order.iter().copied().filter(|&value| whole[value] > 0).collect();
                        let steps = 1..order.len();
                        (steps.clone().map(|step| off(&order[..step])).sum::<u64>(), steps.len() as u64)
                    }
                    Apart::Hierarchical => (off(&[0]) + off(&[1]) + off(&[2]) + off(&[0, 1]) + off(&[2]), 4),
                };
                work * 20 <= t * most * rows * all
            }
            Model::Beta(beta, enhanced) => occurring().all(|value| {
                let gain = share(value) / share_of_all(value) - 1.0;
                let bound = *beta as f64 / 4.0;
                gain <= bound.min(if *enhanced { -share_of_all(value).ln() } else { bound }) + 1e-12
            }),
            Model::Delta(delta) => {
                occurring().all(|value| (share(value) / share_of_all(value)).ln().abs() < *delta as f64 / 4.0)
            }
        }
    }
}
