//! k-map: every class matches at least k people of a given population.
//!
//! L. Sweeney, "k-anonymity: a model for protecting privacy", 2002, section 4 (k-map is defined in her thesis,
//! "Computational disclosure control", 2001); K. El Emam and F. K. Dankar, "Protecting privacy using k-anonymity", JAMIA
//! 2008. The attacker has the population and does not know who of it is in the sample. What a person of the population
//! must have to match a class is defined by [`GivenPopulation`].

use std::sync::Arc;

use super::ModelEntry;
use crate::policy::samples::whole_numbers;
use crate::policy::{BoundModel, ExcessRows, Infeasible, Model, ModelError, ParameterEntry, Parameters, Survives};
use crate::{Cell, FrequencyTable, GivenPopulation, Members, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Every class matches at least k people of a given population.",
    reference: "L. Sweeney, Computational disclosure control, 2001; K. El Emam and F. K. Dankar, Protecting privacy \
                using k-anonymity, JAMIA 2008",
    parameters: &[K],
    example: || Parameters::from_iter([("k", 12)]),
    samples: |_| whole_numbers("k", 1..5),
    sensitive: false,
    population: true,
    several_values: true,
    tightest: &[],
    new: |given| Ok(Box::new(KMap { k: given.whole(&K)? })),
    worst_class: |_| Ok(None),
    #[cfg(test)]
    definition: |_, _, _| None,
};

const ID: &str = "k-map";
const K: ParameterEntry = ParameterEntry::whole("k", "k", "Minimum number of people of the population per class.");

/// Every class matches at least k people of a population.
///
/// It survives growth, and so merging: rows that join a class only widen the cells that it publishes, and whoever
/// matched the narrower cells matches the wider ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KMap {
    /// The fewest people who match a class.
    pub k: u64,
}

impl Model for KMap {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let people = counted(self.k, "person", "people");
        format!("On the quasi-identifiers, each published row matches at least {people} of the given population.")
    }

    fn breach(&self) -> String {
        format!("that matches fewer people of the population than k = {}", thousands(self.k))
    }

    fn survives(&self) -> Survives {
        Survives::Growth
    }

    fn needs_population(&self) -> bool {
        true
    }

    fn bind<'t>(&self, _: &'t FrequencyTable, _: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        Err(ModelError::NoPopulation { model: ID })
    }

    fn bind_population(&self, population: &Arc<GivenPopulation>) -> Option<Box<dyn BoundModel>> {
        Some(Box::new(BoundKMap { k: self.k, population: Arc::clone(population) }))
    }
}

/// k-map of one table.
struct BoundKMap {
    k: u64,
    population: Arc<GivenPopulation>,
}

impl BoundModel for BoundKMap {
    /// A row that joins may widen the cells by any number of people, so one may be enough.
    fn gap(&self, class: &Members<'_>) -> u64 {
        u64::from(!self.holds(class))
    }

    fn holds(&self, class: &Members<'_>) -> bool {
        self.population.has_matches(class, self.k)
    }

    fn holds_published(&self, _: &Members<'_>, cells: &[Cell]) -> bool {
        self.population.matching_up_to(cells, self.k) >= self.k
    }

    fn looks_at_cells(&self) -> bool {
        true
    }

    fn fails_as_whole(&self, _: &Members<'_>) -> bool {
        self.population.matching_everything() < self.k
    }

    /// Without a row the cells may be narrower.
    fn spare(&self, _: &Members<'_>) -> u64 {
        0
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let (people, k) = (self.population.matching_everything(), thousands(self.k));
        let match_of = |people| counted(people, "person of the population matches", "people of the population match");
        let (fact, remedy) = if people < self.k {
            let matching = match_of(people);
            (format!("{matching} the widest labels, fewer than k = {k}"), people)
        } else {
            let matching = self.population.matching(&self.population.joined(whole));
            let found = match_of(matching);
            let fact = format!("{found} the smallest labels that hold the whole table, fewer than k = {k}");
            (fact, matching)
        };
        let remedy = match (people < self.k, remedy) {
            (true, 0) => "give a population whose values are written as in the table".to_string(),
            (true, most) => format!("use a k of at most {}", thousands(most)),
            (false, _) => "use the algorithm incognito, which can publish labels that hold more people".to_string(),
        };
        Infeasible { model: ID, columns: Vec::new(), fact, remedy }
    }

    fn excess(&self, _: &Members<'_>) -> Vec<ExcessRows> {
        Vec::new()
    }
}
