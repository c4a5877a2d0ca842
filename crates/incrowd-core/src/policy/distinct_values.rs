//! What the models share that count the distinct values of a class: distinct ℓ-diversity and p-sensitivity, plain and
//! extended.
//!
//! When people are counted, each person has one value: a table in which some people have several is refused. Three people
//! who all have the same two values would have two distinct values among them, and anyone would know both of each.

use std::cmp::Reverse;

use super::sensitive::Sensitive;
use super::tightest::{ExaminedClass, ExaminedColumn, TightestValue, WorstClass};
use super::{BoundModel, ExcessRows, Infeasible, ModelError};
use crate::{FrequencyTable, Members, counted, thousands};

/// A minimum number of different things among the values of a sensitive attribute, in every class.
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

/// A model that requires a number of different things of each of its attributes.
pub(crate) struct DistinctValues {
    /// The model's id.
    pub(crate) model: &'static str,
    /// The symbol of its parameter.
    pub(crate) symbol: &'static str,
    /// The fewest different things a class may have.
    pub(crate) least: u64,
    pub(crate) attributes: Vec<CountedAttribute>,
}

/// An attribute whose different things are counted.
pub(crate) struct CountedAttribute {
    pub(crate) attribute: Sensitive,
    /// For each code the number of the thing it counts as; when left out, every value is a thing of its own.
    pub(crate) things: Option<Vec<u32>>,
}

impl CountedAttribute {
    fn thing(&self, code: u32) -> u32 {
        self.things.as_ref().map_or(code, |things| things[code as usize])
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

impl DistinctValues {
    /// A model that counts every value of these attributes; refused when some people have several values.
    pub(crate) fn of_values(
        model: &'static str,
        symbol: &'static str,
        least: u64,
        table: &FrequencyTable,
        sensitive: &[usize],
    ) -> Result<Box<dyn BoundModel>, ModelError> {
        let counted = |attribute| CountedAttribute { attribute, things: None };
        let attributes = Sensitive::one_each(model, table, sensitive)?.into_iter().map(counted).collect();
        Ok(Box::new(DistinctValues { model, symbol, least, attributes }))
    }
}

impl BoundModel for DistinctValues {
    /// A row that joins brings at most one thing that is new.
    fn gap(&self, class: &Members<'_>) -> u64 {
        let lacks = |counted: &CountedAttribute| self.least.saturating_sub(counted.distinct(class));
        self.attributes.iter().map(lacks).max().unwrap_or(0)
    }

    /// With d things, the rule breaks when all rows of d − least + 1 of them leave. The fewest rows that do so are those of
    /// the rarest things, and one row less can be spared whichever they are.
    fn spare(&self, class: &Members<'_>) -> u64 {
        let spare = |counted: &CountedAttribute| {
            let rows = counted.ascending(class);
            let least = usize::try_from(self.least).unwrap_or(usize::MAX);
            match rows.len().checked_sub(least) {
                Some(more) => rows.iter().take(more + 1).sum::<u64>().saturating_sub(1),
                None => 0,
            }
        };
        self.attributes.iter().map(spare).min().unwrap_or(u64::MAX)
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let worst = self.attributes.iter().map(|counted| (counted.distinct(whole), counted));
        let (found, name, grouped) = match worst.min_by_key(|worst| worst.0) {
            Some((found, counted)) => (found, counted.attribute.name.clone(), counted.things.is_some()),
            None => (0, String::new(), false),
        };
        let things = if grouped { ("group of values", "groups of values") } else { ("value", "distinct values") };
        let (symbol, least) = (self.symbol, thousands(self.least));
        Infeasible {
            model: self.model,
            columns: vec![name.clone()],
            fact: format!("“{name}” has {}, fewer than {symbol} = {least}", counted(found, things.0, things.1)),
            remedy: format!("use {symbol} = {} or less", thousands(found.max(1))),
        }
    }

    /// Suppressing rows brings no value.
    fn excess(&self, _: &Members<'_>) -> Vec<ExcessRows> {
        Vec::new()
    }

    fn varieties(&self) -> Vec<Variety> {
        let variety = |counted: &CountedAttribute| {
            let things = (0..).take(counted.attribute.codes).map(|code| counted.thing(code)).collect();
            Variety { column: counted.attribute.at, least: self.least, things }
        };
        self.attributes.iter().map(variety).collect()
    }
}

/// The class with the fewest different things.
pub(crate) struct FewestDistinct {
    counted: CountedAttribute,
    fewest: u64,
}

impl FewestDistinct {
    /// Counting every value of the attribute; nothing where people have several values.
    pub(crate) fn of_values(column: &ExaminedColumn<'_>) -> Option<Box<dyn WorstClass>> {
        (column.several == 0).then(|| FewestDistinct::of_things(column, None))
    }

    /// Counting the things that the codes of the attribute count as.
    pub(crate) fn of_things(column: &ExaminedColumn<'_>, things: Option<Vec<u32>>) -> Box<dyn WorstClass> {
        let counted = CountedAttribute { attribute: column.attribute.clone(), things };
        Box::new(FewestDistinct { counted, fewest: u64::MAX })
    }
}

impl WorstClass for FewestDistinct {
    fn examine(&mut self, class: &ExaminedClass<'_>) {
        let distinct = match self.counted.things {
            None => class.by_code.len() as u64,
            Some(_) => self.counted.distinct(class.members),
        };
        self.fewest = self.fewest.min(distinct);
    }

    fn figures(&self) -> Vec<Option<TightestValue>> {
        vec![Some(TightestValue::Whole(self.fewest))]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::{Attribute, Dictionary, Parameters, Policy, Role};

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
