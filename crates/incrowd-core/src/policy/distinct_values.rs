//! What the models have in common that count the different values of a class: distinct ℓ-diversity and p-sensitivity,
//! plain and extended.

use std::cmp::Reverse;

use crate::policy::sensitive::Sensitive;
use crate::{BoundModel, Infeasible, Members, counted, thousands};

/// At least so many different things among the values of a sensitive attribute, in every class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variety {
    /// The position of the attribute.
    pub column: usize,
    /// The fewest different things of a class.
    pub least: u64,
    /// For each code the number of the thing it counts as, below the number of codes.
    pub things: Vec<u32>,
}

impl Variety {
    /// How many rows of a class there are of each thing that occurs, the most frequent first. Rows also when people are
    /// counted: a person may be in several classes, a row is in one, so only rows bound how many classes there can be.
    pub fn frequencies(&self, class: &Members<'_>) -> Vec<(u32, u64)> {
        let mut rows = vec![0u64; self.things.len()];
        class
            .row_counts(self.column)
            .into_iter()
            .for_each(|(code, more)| rows[self.things[code as usize] as usize] += more);
        let mut counts: Vec<(u32, u64)> = (0..).zip(rows).filter(|count| count.1 > 0).collect();
        counts.sort_by_key(|&(thing, rows)| (Reverse(rows), thing));
        counts
    }
}

/// A model that asks for a variety of each of its attributes.
pub(crate) struct Various {
    /// The model's id.
    pub(crate) model: &'static str,
    /// What its parameter is called.
    pub(crate) letter: &'static str,
    /// The fewest different things a class may have.
    pub(crate) least: u64,
    pub(crate) attributes: Vec<Varied>,
}

/// An attribute whose values are told apart.
pub(crate) struct Varied {
    pub(crate) attribute: Sensitive,
    /// For each code the number of the thing it counts as; every value is one of its own when left out.
    pub(crate) of: Option<Vec<u32>>,
}

impl Varied {
    fn thing(&self, code: u32) -> u32 {
        self.of.as_ref().map_or(code, |of| of[code as usize])
    }

    fn distinct(&self, class: &Members<'_>) -> u64 {
        class.distinct(self.attribute.at, self.attribute.codes, |code| self.thing(code))
    }

    /// The rows of each thing, the fewest first.
    fn ascending(&self, class: &Members<'_>) -> Vec<u64> {
        let mut rows = vec![0; self.attribute.codes];
        class.tally(self.attribute.at, |code, more| rows[self.thing(code) as usize] += more);
        rows.retain(|&rows| rows > 0);
        rows.sort_unstable();
        rows
    }
}

impl BoundModel for Various {
    /// A row that joins brings at most one thing that is new.
    fn gap(&self, class: &Members<'_>) -> u64 {
        let lacks = |varied: &Varied| self.least.saturating_sub(varied.distinct(class));
        self.attributes.iter().map(lacks).max().unwrap_or(0)
    }

    /// With d things, the rule breaks when all rows of d − least + 1 of them leave. The fewest rows that do so are those of
    /// the rarest things, and one row less can be spared whichever they are.
    fn spare(&self, class: &Members<'_>) -> u64 {
        let spare = |varied: &Varied| {
            let rows = varied.ascending(class);
            match (rows.len() as u64).checked_sub(self.least) {
                Some(more) => rows.iter().take(more as usize + 1).sum::<u64>().saturating_sub(1),
                None => 0,
            }
        };
        self.attributes.iter().map(spare).min().unwrap_or(u64::MAX)
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let worst = self.attributes.iter().map(|varied| (varied.distinct(whole), varied)).min_by_key(|worst| worst.0);
        let (found, name, grouped) = match worst {
            Some((found, varied)) => (found, varied.attribute.name.clone(), varied.of.is_some()),
            None => (0, String::new(), false),
        };
        let things = if grouped { ("group of values", "groups of values") } else { ("value", "different values") };
        let (letter, least) = (self.letter, thousands(self.least));
        Infeasible {
            model: self.model,
            columns: vec![name.clone()],
            fact: format!("“{name}” has {}, fewer than {letter} = {least}", counted(found, things.0, things.1)),
            way_out: format!("take {letter} of at most {}", thousands(found.max(1))),
        }
    }

    /// Withholding rows brings no value.
    fn excess(&self, _: &Members<'_>) -> Vec<(usize, u32, u64)> {
        Vec::new()
    }

    fn varieties(&self) -> Vec<Variety> {
        let variety = |varied: &Varied| {
            let things = (0..varied.attribute.codes as u32).map(|code| varied.thing(code)).collect();
            Variety { column: varied.attribute.at, least: self.least, things }
        };
        self.attributes.iter().map(variety).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{Attribute, Dictionary, FrequencyTable, Parameters, Policy, Role};

    use super::*;

    #[test]
    fn what_a_policy_asks_for_is_told_once_for_each_attribute_and_grouping() {
        let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu", "hiv"]));
        let table = FrequencyTable::from_tuples(vec![illness], [([0], 3), ([1], 5), ([2], 1)]);
        let p = |p: u64| Parameters::from_iter([("p", p)]);
        let grouped = p(2).with("groups", vec![vec!["flu".to_owned(), "cold".to_owned()]]);
        let policy = Policy::k_anonymity(4)
            .asking("p-sensitive", p(2), &["illness"])
            .asking("distinct-l-diversity", Parameters::from_iter([("l", 3)]), &["illness"])
            .asking("extended-p-sensitive", grouped, &["illness"]);
        let found = policy.bind(&table).unwrap().varieties();
        let plain = Variety { column: 0, least: 3, things: vec![0, 1, 2] };
        assert_eq!(found, [plain, Variety { column: 0, least: 2, things: vec![1, 1, 2] }]);
        let rows = [(0, 3), (1, 5), (2, 1)];
        assert_eq!(found[0].frequencies(&Members::new(&table, &rows)), [(1, 5), (0, 3), (2, 1)]);
        assert_eq!(found[1].frequencies(&Members::new(&table, &rows)), [(1, 8), (2, 1)]);
        assert_eq!(Policy::k_anonymity(4).bind(&table).unwrap().varieties(), []);
    }
}
