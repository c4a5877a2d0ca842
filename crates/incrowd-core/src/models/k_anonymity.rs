//! k-anonymity: everybody stands in a class of at least k.

use crate::{BoundModel, FrequencyTable, Members, Model, ModelEntry, ModelError, Parameter};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Every class has at least k people.",
    reference: "P. Samarati and L. Sweeney, Protecting privacy when disclosing information, 1998",
    example: &[("k", Parameter::Whole(5))],
    new: |parameters| {
        parameters.only(ID, &["k"])?;
        Ok(Box::new(KAnonymity { k: parameters.whole(ID, "k")? }))
    },
};

const ID: &str = "k-anonymity";

/// Every class has at least k people: rows, unless the table has a subject column.
///
/// It survives merging: the people of a union are the people of both parts, so the union has at least as many as the
/// larger part, and that has at least k. (With a subject column a person may be in both parts and is counted once in
/// the union; each part by itself already has k different people.)
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
        format!("Nobody can be told apart from at least {} others by the quasi-identifiers.", self.k.saturating_sub(1))
    }

    fn survives_merging(&self) -> bool {
        true
    }

    fn bind<'t>(&self, _: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        if sensitive.is_empty() { Ok(Box::new(*self)) } else { Err(ModelError::NotAboutSensitive { model: ID }) }
    }
}

impl BoundModel for KAnonymity {
    fn holds(&self, class: &Members<'_>) -> bool {
        class.size() >= self.k
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::{Attribute, Dictionary, Parameters, Role};

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
            let all: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
            let (a, b): (Vec<_>, Vec<_>) = all.iter().partition(|(tuple, _)| side >> tuple & 1 == 1);
            let holds = |members: &[(usize, u64)]| bound.holds(&Members::new(&table, members));
            prop_assert!(!(holds(&a) && holds(&b)) || holds(&all));
        }
    }

    #[test]
    fn people_are_counted_and_not_their_rows() {
        let table = table(&[2, 2, 2, 2], true);
        let members: Vec<(usize, u64)> = (0..table.tuples()).map(|tuple| (tuple, table.count(tuple))).collect();
        let class = Members::new(&table, &members);
        assert_eq!((table.rows(), class.size()), (12, 1));
        assert!(!KAnonymity { k: 2 }.bind(&table, &[]).unwrap().holds(&class));
    }

    #[test]
    fn a_k_that_is_no_crowd_size_is_refused() {
        for k in [Parameter::Whole(0), Parameter::Fraction(2.5)] {
            let refused = (ENTRY.new)(&Parameters::from_iter([("k", k)])).unwrap_err().to_string();
            assert_eq!(refused, "model `k-anonymity` needs `k`: a whole number of at least 1");
        }
    }
}
