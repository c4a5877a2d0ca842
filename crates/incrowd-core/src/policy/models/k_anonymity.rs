//! k-anonymity: every class has at least k people.
//!
//! P. Samarati and L. Sweeney, "Protecting privacy when disclosing information: k-anonymity and its enforcement through
//! generalization and suppression", 1998.

use super::ModelEntry;
use crate::policy::samples::whole_numbers;
use crate::policy::{BoundModel, ExcessRows, Infeasible, Model, ModelError, ParameterEntry, Parameters, Survives};
use crate::{FrequencyTable, Members, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Every class has at least k people: on the quasi-identifiers, each person is indistinguishable from at \
              least k − 1 others.",
    reference: "P. Samarati and L. Sweeney, Protecting privacy when disclosing information, 1998",
    parameters: &[K],
    example: || Parameters::from_iter([("k", 5)]),
    samples: |_| whole_numbers("k", 1..5),
    sensitive: false,
    population: false,
    several_values: true,
    tightest: &[],
    new: |given| Ok(Box::new(KAnonymity { k: given.whole(&K)? })),
    worst_class: |_| Ok(None),
    #[cfg(test)]
    definition: |asked, class, _| Some(class.total() >= asked.ratio("k").0),
};

const ID: &str = "k-anonymity";
const K: ParameterEntry = ParameterEntry::whole("k", "k", "Minimum number of people per class.");

/// Every class has at least k people: rows, unless the table has a subject column.
///
/// It survives merging: the people of a union are the people of both parts, so the union has at least as many as the
/// larger part, and that has at least k. (With a subject column a person may be in both parts and is counted once in
/// the union; each part already has k different people.) It survives growth for the same reason: rows that
/// join a class take no one out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KAnonymity {
    /// The smallest class allowed.
    pub k: u64,
}

impl Model for KAnonymity {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        match self.k {
            0 | 1 => "Nothing: classes of one person are allowed.".into(),
            2 => "On the quasi-identifiers, each person is indistinguishable from at least one other.".into(),
            k => format!(
                "On the quasi-identifiers, each person is indistinguishable from at least {} others.",
                thousands(k - 1)
            ),
        }
    }

    fn breach(&self) -> String {
        format!("of fewer than k = {}", thousands(self.k))
    }

    fn survives(&self) -> Survives {
        Survives::Growth
    }

    fn least_rows(&self) -> u64 {
        self.k
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        if !sensitive.is_empty() {
            return Err(ModelError::NotAboutSensitive { model: ID });
        }
        Ok(Box::new(BoundKAnonymity { k: self.k, counts_people: table.counts_people() }))
    }
}

/// k-anonymity of one table.
struct BoundKAnonymity {
    k: u64,
    counts_people: bool,
}

impl BoundModel for BoundKAnonymity {
    fn gap(&self, class: &Members<'_>) -> u64 {
        self.k.saturating_sub(class.size())
    }

    fn spare(&self, class: &Members<'_>) -> u64 {
        // A row that leaves takes at most one person with it.
        class.size().saturating_sub(self.k)
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let size = whole.size();
        let who = if self.counts_people { ("person", "people") } else { ("row", "rows") };
        Infeasible {
            model: ID,
            columns: Vec::new(),
            fact: format!("the table has {}, fewer than k = {}", counted(size, who.0, who.1), thousands(self.k)),
            remedy: format!("use a k of at most {}", thousands(size)),
        }
    }

    fn excess(&self, _: &Members<'_>) -> Vec<ExcessRows> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::{Attribute, Dictionary, Parameter, Role, TupleRows};

    fn table(people: &[u64], counts_people: bool) -> FrequencyTable {
        let a = Attribute::new("a", Role::QuasiIdentifier, Dictionary::of_texts(["0", "1", "2", "3"]));
        let tuple = |(at, &person): (usize, &u64)| ([at as u32 % 4], counts_people.then_some(person), 1 + person % 3);
        FrequencyTable::from_people(vec![a], people.iter().enumerate().map(tuple))
    }

    proptest! {
        #[test]
        fn the_union_of_two_conforming_classes_conforms(
            people in prop::collection::vec(0u64..6, 2..30),
            counts_people in any::<bool>(),
            k in 1u64..5,
            side in any::<u32>(),
        ) {
            let table = table(&people, counts_people);
            let bound = KAnonymity { k }.bind(&table, &[]).unwrap();
            let all: Vec<TupleRows> = table.tuple_rows().collect();
            let (a, b): (Vec<_>, Vec<_>) = all.iter().partition(|(tuple, _)| side >> tuple & 1 == 1);
            let holds = |members: &[TupleRows]| bound.holds(&Members::new(&table, members));
            prop_assert!(!(holds(&a) && holds(&b)) || holds(&all));
            prop_assert!(!holds(&a) || holds(&all), "a person who joins removes no one");
        }
    }

    #[test]
    fn people_are_counted_and_not_their_rows() {
        let table = table(&[2, 2, 2, 2], true);
        let members: Vec<TupleRows> = table.tuple_rows().collect();
        let class = Members::new(&table, &members);
        assert_eq!((table.rows(), class.size()), (12, 1));
        assert!(!KAnonymity { k: 2 }.bind(&table, &[]).unwrap().holds(&class));
    }

    #[test]
    fn a_k_that_is_no_class_size_is_refused() {
        for k in [Parameter::Whole(0), Parameter::Fraction(2.5)] {
            let refused = ENTRY.model(&Parameters::from_iter([("k", k)])).unwrap_err().to_string();
            assert_eq!(refused, "model `k-anonymity` needs `k`: an integer of at least 1");
        }
    }
}
