//! Small tables with small trees, and policies for them, as plain data.

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, Policy, QuasiIdentifier, Ratio, Role, Values};
use proptest::prelude::*;

use crate::asks::{Ask, asks};

pub(crate) const SENSITIVE: [&str; 3] = ["a", "b", "c"];

/// What a quasi-identifier of so many leaves may become.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) leaves: usize,
    pub(crate) cells: Cells,
}

#[derive(Clone, Debug)]
pub(crate) enum Cells {
    /// The nodes of a tree: for each leaf the labels of its levels.
    Tree(Vec<Vec<usize>>),
    /// Any set of leaves.
    Sets,
    /// Any interval of leaves; the last one may be a missing value, which is in none but the whole.
    Intervals { missing: bool },
}

/// A bound on the share of some values of a sensitive attribute; of every value by itself when none is named.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    pub(crate) attribute: usize,
    pub(crate) values: Vec<u32>,
    pub(crate) alpha: (u64, u64),
    pub(crate) refined: bool,
}

/// One row of the table: codes of the quasi-identifiers, then of the sensitive attributes; the person.
#[derive(Clone, Debug)]
pub(crate) struct Tuple {
    pub(crate) codes: Vec<u32>,
    pub(crate) person: Option<u64>,
    pub(crate) rows: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) sensitive: usize,
    pub(crate) tuples: Vec<Tuple>,
    pub(crate) k: u64,
    pub(crate) shares: Vec<Share>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) suppression: f64,
    /// The place of the measure in the list of measures, counted round and round.
    pub(crate) loss: usize,
}

/// A tree of up to three levels below its root: each level merges some neighbours, so nodes may have a single child and
/// branches may end early.
fn trees() -> impl Strategy<Value = Shape> {
    let levels = |leaves: usize| prop::collection::vec(prop::collection::vec(any::<bool>(), leaves), 0..3);
    (1usize..7).prop_flat_map(move |leaves| levels(leaves).prop_map(move |levels| tree(leaves, &levels)))
}

fn tree(leaves: usize, levels: &[Vec<bool>]) -> Shape {
    let mut lines: Vec<Vec<usize>> = (0..leaves).map(|leaf| vec![leaf]).collect();
    for merges in levels {
        let below: Vec<usize> = lines.iter().map(|line| line[line.len() - 1]).collect();
        for leaf in 0..leaves {
            let stays = leaf > 0 && (merges[leaf] || below[leaf] == below[leaf - 1]);
            let node = if stays { lines[leaf - 1][lines[leaf - 1].len() - 1] } else { leaf };
            lines[leaf].push(node);
        }
    }
    lines.iter_mut().for_each(|line| line.push(0));
    Shape { leaves, cells: Cells::Tree(lines) }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let sets = (1usize..6).prop_map(|leaves| Shape { leaves, cells: Cells::Sets });
    let intervals = (1usize..7, any::<bool>())
        .prop_map(|(leaves, missing)| Shape { leaves, cells: Cells::Intervals { missing: missing && leaves > 1 } });
    prop_oneof![4 => trees(), 1 => sets, 1 => intervals]
}

fn shares(sensitive: usize) -> impl Strategy<Value = Vec<Share>> {
    let alpha = prop_oneof![Just((1, 4)), Just((1, 3)), Just((1, 2)), Just((2, 3)), Just((3, 4)), Just((1, 1))];
    let values = prop_oneof![Just(vec![]), Just(vec![0]), Just(vec![0, 2])];
    let share = move |attribute: usize| {
        (alpha.clone(), values.clone(), prop::bool::weighted(0.3)).prop_map(move |(alpha, values, refined)| Share {
            attribute,
            values,
            alpha,
            refined,
        })
    };
    let one = share(0).prop_map(|share| vec![share]);
    let two = (share(0), share(sensitive - 1)).prop_map(|(a, b)| vec![a, b]);
    prop_oneof![1 => Just(vec![]), 4 => one, 2 => two]
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    (prop::collection::vec(shapes(), 1..4), 1usize..3, any::<bool>()).prop_flat_map(|(shapes, sensitive, people)| {
        let codes: Vec<_> = shapes.iter().map(|shape| 0..shape.leaves as u32).chain(vec![0..3; sensitive]).collect();
        let tuple = (codes, 0u64..12, 1u64..5).prop_map(move |(codes, person, rows)| Tuple {
            codes,
            person: people.then_some(person),
            rows,
        });
        let tuples = prop::collection::vec(tuple, 1..31);
        let suppression = prop_oneof![Just(0.0), Just(0.2)];
        // Bounds on shares, other models about sensitive values, or one of each.
        let rules = prop_oneof![
            2 => shares(sensitive).prop_map(|shares| (shares, vec![])),
            3 => asks(sensitive).prop_map(|asks| (vec![], asks)),
            1 => (shares(sensitive), asks(sensitive)),
        ];
        let values = prop::collection::vec([0u32..3, 0..3], 12);
        let case = (tuples, 1u64..5, rules, suppression, any::<usize>(), values);
        let quasi = shapes.len();
        case.prop_map(move |(mut tuples, k, (shares, asks), suppression, loss, values)| {
            // Only bounds on shares are defined for people with several values of one attribute.
            let one_each = tuples.iter_mut().filter(|tuple| tuple.person.is_some() && !asks.is_empty());
            for tuple in one_each {
                let own = values[tuple.person.unwrap() as usize];
                tuple.codes[quasi..].iter_mut().zip(own).for_each(|(code, value)| *code = value);
            }
            Case { shapes: shapes.clone(), sensitive, tuples, k, shares, asks, suppression, loss }
        })
    })
}

impl Case {
    pub(crate) fn table(&self) -> FrequencyTable {
        let quasi = self.shapes.iter().enumerate().map(|(at, shape)| {
            let missing = matches!(shape.cells, Cells::Intervals { missing: true });
            let values = (0..shape.leaves as i64 - i64::from(missing)).collect();
            let dictionary = Dictionary::new(Values::Integers(values), missing);
            Attribute::new(format!("q{at}"), Role::QuasiIdentifier, dictionary)
        });
        let sensitive = (0..self.sensitive)
            .map(|at| Attribute::new(format!("s{at}"), Role::Sensitive, Dictionary::of_texts(SENSITIVE)));
        let tuples = self.tuples.iter().map(|tuple| (tuple.codes.clone(), tuple.person, tuple.rows));
        FrequencyTable::from_people(quasi.chain(sensitive).collect(), tuples)
    }

    pub(crate) fn quasi_identifiers(&self, table: &FrequencyTable) -> Vec<QuasiIdentifier> {
        let bound = |(at, shape): (usize, &Shape)| {
            let dictionary = &table.attributes()[at].dictionary;
            let lines = match &shape.cells {
                Cells::Tree(lines) => lines,
                Cells::Sets => return QuasiIdentifier::sets(at, dictionary).unwrap(),
                Cells::Intervals { .. } => return QuasiIdentifier::intervals(at, dictionary).unwrap(),
            };
            let line = |line: &Vec<usize>| {
                let inner = (1..line.len() - 1).map(|level| format!(";{level}.{}", line[level]));
                format!("{}{};*\n", line[0], inner.collect::<String>())
            };
            let hierarchy = Hierarchy::read(&lines.iter().map(line).collect::<String>()).unwrap();
            QuasiIdentifier::new(at, &hierarchy, dictionary).unwrap()
        };
        self.shapes.iter().enumerate().map(bound).collect()
    }

    pub(crate) fn policy(&self) -> Policy {
        let mut policy = Policy::k_anonymity(self.k).suppressing(self.suppression);
        for share in &self.shares {
            let alpha = Ratio::new(share.alpha.0, share.alpha.1).unwrap();
            let values: Vec<&str> = share.values.iter().map(|&value| SENSITIVE[value as usize]).collect();
            policy = policy.deassociating(&format!("s{}", share.attribute), alpha, &values, share.refined);
        }
        self.asks.iter().fold(policy, |policy, ask| ask.add_to(policy))
    }
}
