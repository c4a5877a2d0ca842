//! Nodes judged literally: rows in a map by what they publish, and the definitions of the models.

use std::collections::{BTreeMap, BTreeSet};

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, Policy, QuasiIdentifier, Ratio, Role};

/// The hierarchies over the values 0 to 3: for each value what it is on each level.
const HIERARCHIES: [[&str; 4]; 5] = [
    ["0;*", "1;*", "2;*", "3;*"],
    ["0;a;*", "1;a;*", "2;b;*", "3;b;*"],
    ["0;a;*", "1;b;*", "2;b;*", "3;b;*"],
    ["3;a;*", "1;b;*", "2;b;*", "0;a;*"],
    ["0;0;l;*", "1;c;l;*", "2;c;l;*", "3;h;h;*"],
];

const ILLNESSES: [&str; 3] = ["x", "y", "z"];

/// A row: its quasi-identifiers, its illness and the person it belongs to.
pub(crate) type Row = (Vec<u32>, u32, u64);

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) rows: Vec<Row>,
    /// For each quasi-identifier the number of its hierarchy.
    pub(crate) hierarchies: Vec<usize>,
    pub(crate) people: bool,
    /// Whether the sensitive column stands before the quasi-identifiers.
    pub(crate) sensitive_first: bool,
    pub(crate) k: u64,
    /// The share, the protected values (all by themselves when empty) and whether it is refined.
    pub(crate) alpha: Option<(Ratio, Vec<u32>, bool)>,
    pub(crate) suppression: f64,
}

/// A class: who publishes alike, by the place of each row.
pub(crate) type Class = Vec<usize>;

impl Case {
    fn lines(&self, quasi: usize) -> Vec<Vec<&'static str>> {
        HIERARCHIES[self.hierarchies[quasi]].iter().map(|line| line.split(';').collect()).collect()
    }

    pub(crate) fn heights(&self) -> Vec<usize> {
        (0..self.hierarchies.len()).map(|quasi| self.lines(quasi)[0].len() - 1).collect()
    }

    pub(crate) fn problem(&self) -> (FrequencyTable, Vec<QuasiIdentifier>, Policy) {
        let values = || Dictionary::of_texts(["0", "1", "2", "3"]);
        let quasi =
            (0..self.hierarchies.len()).map(|at| Attribute::new(format!("q{at}"), Role::QuasiIdentifier, values()));
        let sensitive = [Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(ILLNESSES))];
        let first = usize::from(self.sensitive_first);
        let attributes: Vec<Attribute> = if self.sensitive_first {
            sensitive.into_iter().chain(quasi).collect()
        } else {
            quasi.chain(sensitive).collect()
        };
        let tuple = |(codes, illness, person): &Row| {
            let mut tuple = codes.clone();
            tuple.insert(if self.sensitive_first { 0 } else { codes.len() }, *illness);
            (tuple, self.people.then_some(*person), 1)
        };
        let table = FrequencyTable::from_people(attributes, self.rows.iter().map(tuple));
        let domain = |(at, &number): (usize, &usize)| {
            let hierarchy = Hierarchy::read(&HIERARCHIES[number].join("\n")).unwrap();
            QuasiIdentifier::new(first + at, &hierarchy, &values()).unwrap()
        };
        let quasi_identifiers = self.hierarchies.iter().enumerate().map(domain).collect();
        let mut policy = Policy::k_anonymity(self.k).suppressing(self.suppression);
        if let Some((alpha, values, refined)) = &self.alpha {
            let values: Vec<&str> = values.iter().map(|&value| ILLNESSES[value as usize]).collect();
            policy = policy.deassociating("illness", *alpha, &values, *refined);
        }
        (table, quasi_identifiers, policy)
    }

    /// Every node.
    pub(crate) fn nodes(&self) -> Vec<Vec<usize>> {
        self.heights().iter().fold(vec![vec![]], |nodes, &height| {
            let longer = |node: Vec<usize>| (0..=height).map(move |level| [&node[..], &[level]].concat());
            nodes.into_iter().flat_map(longer).collect()
        })
    }

    /// The rows of each class of a node, and what the class publishes.
    pub(crate) fn classes(&self, levels: &[usize]) -> BTreeMap<Vec<&'static str>, Class> {
        let mut classes: BTreeMap<Vec<&'static str>, Class> = BTreeMap::new();
        for (at, (codes, ..)) in self.rows.iter().enumerate() {
            let published = |quasi: usize| {
                let text = codes[quasi].to_string();
                self.lines(quasi).iter().find(|line| line[0] == text).unwrap()[levels[quasi]]
            };
            classes.entry((0..codes.len()).map(published).collect()).or_default().push(at);
        }
        classes
    }

    pub(crate) fn keeps(&self, class: &[usize]) -> bool {
        let count = |rows: &[usize]| {
            let people: BTreeSet<u64> = rows.iter().map(|&row| self.rows[row].2).collect();
            if self.people { people.len() as u64 } else { rows.len() as u64 }
        };
        let size = count(class);
        let Some((alpha, values, refined)) = &self.alpha else { return size >= self.k };
        let sets = if values.is_empty() { vec![vec![0], vec![1], vec![2]] } else { vec![values.clone()] };
        let (above, below) = (alpha.numerator(), alpha.denominator());
        size >= self.k
            && sets.iter().all(|set| {
                let having: Vec<usize> = class.iter().copied().filter(|&row| set.contains(&self.rows[row].1)).collect();
                let protected = count(&having);
                if *refined { protected <= (above * size).div_ceil(below) } else { protected * below <= above * size }
            })
    }

    pub(crate) fn budget(&self) -> u64 {
        (self.suppression * self.rows.len() as f64) as u64
    }

    /// The rows that a node withholds, if it holds.
    pub(crate) fn withheld(&self, levels: &[usize]) -> Option<Vec<usize>> {
        let (kept, failing): (Vec<Class>, Vec<Class>) =
            self.classes(levels).into_values().partition(|class| self.keeps(class));
        let failing = failing.concat();
        // A person may be in several classes, so the whole is one more class.
        let whole = !self.people || self.keeps(&kept.concat());
        (!kept.is_empty() && whole && failing.len() as u64 <= self.budget()).then_some(failing)
    }

    /// What a node that withholds these rows loses: levels raised, and the shares of other values, over all cells.
    pub(crate) fn losses(&self, levels: &[usize], withheld: &[usize]) -> (f64, f64) {
        let (mut raised, mut lm) = (0.0, 0.0);
        let kept = |row: &usize| !withheld.contains(row);
        for (quasi, (&level, height)) in levels.iter().zip(self.heights()).enumerate() {
            let lines = self.lines(quasi);
            for row in 0..self.rows.len() {
                let level = if kept(&row) { level } else { height };
                let own = lines.iter().find(|line| line[0] == self.rows[row].0[quasi].to_string()).unwrap()[level];
                raised += level as f64;
                lm += (lines.iter().filter(|line| line[level] == own).count() - 1) as f64 / 3.0;
            }
        }
        (raised, lm)
    }
}
