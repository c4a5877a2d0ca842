//! δ-presence: how likely it is that a person of the population is in the table stays between two bounds.
//!
//! M. E. Nergiz, M. Atzori and C. Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007. The
//! attacker has the population and asks whether a person is in the sample. Where each column is published on one level,
//! every person matches at most one class, and of the N people who match a class its n rows are as likely to be of any
//! of them: the probability is n / N.
//!
//! - The definition is about every person of the population. A person who matches no class is known to be absent; so with
//!   δmin above 0 everybody has to match a class.
//! - Classes that overlap, as local recoding makes them, would add up: two classes of 5 rows about the same 12 people
//!   are within δmax = 1/2 each, and 10 of 12 are in the table. So the model is kept by full-domain recoding only.
//! - A row that is suppressed belongs to somebody, too. Where its person stands is not known, so none is suppressed.

use std::sync::Arc;

use super::ModelEntry;
use crate::policy::{BoundModel, ExcessRows, Infeasible, Model, ModelError, ParameterEntry, Parameters, Survives};
use crate::{Cell, FrequencyTable, GivenPopulation, Members, Ratio, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "For every person of a given population, the probability of being in the table is between δmin and δmax.",
    reference: "M. E. Nergiz, M. Atzori and C. Clifton, Hiding the presence of individuals from shared databases, \
                SIGMOD 2007",
    parameters: &[MIN, MAX],
    example: || Parameters::from_iter([("max", "1/2")]),
    samples: |_| {
        vec![Parameters::from_iter([("max", "1/2")]), Parameters::from_iter([("min", "1/10"), ("max", "1/3")])]
    },
    sensitive: false,
    population: true,
    several_values: true,
    tightest: &[],
    new: |given| {
        let min = if given.has(&MIN) { Some(given.share(&MIN)?) } else { None };
        let max = given.share(&MAX)?;
        // A lower bound above the upper one could not be kept.
        if min.is_some_and(|min| !max.allows(min.numerator(), min.denominator())) {
            return Err(given.refused(&MIN));
        }
        Ok(Box::new(DeltaPresence { min, max }))
    },
    worst_class: |_| Ok(None),
    #[cfg(test)]
    definition: |_, _, _| None,
};

const ID: &str = "delta-presence";
const MIN: ParameterEntry = ParameterEntry {
    required: false,
    needed: "a share above 0 and at most the maximum, or nothing for 0",
    ..ParameterEntry::share("min", "δmin", "Minimum probability that a person of the population is in the table.")
};
const MAX: ParameterEntry =
    ParameterEntry::share("max", "δmax", "Maximum probability that a person of the population is in the table.");

/// For every class, δmin ≤ rows / matching people ≤ δmax, and with δmin above 0 everybody matches a class.
///
/// Where each column is published on one level it survives merging: people who match two classes are different ones, and
/// the union matches at least all of them, so n₁ + n₂ ≤ δmax · (N₁ + N₂) ≤ δmax · N. With δmin above 0 there is nobody
/// else, N = N₁ + N₂, and the lower bound holds, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeltaPresence {
    /// The smallest probability; nothing is 0.
    pub min: Option<Ratio>,
    /// The largest probability.
    pub max: Ratio,
}

impl Model for DeltaPresence {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let most = format!("at most {}", self.max);
        let between = self.min.map_or(most, |min| format!("between {min} and {}", self.max));
        format!(
            "For an attacker with the given population, the probability that a person of it is in the table is {between}."
        )
    }

    fn breach(&self) -> String {
        let min = self.min.map(|min| format!(" or below δmin = {min}")).unwrap_or_default();
        format!("whose share of the people who match it is above δmax = {}{min}", self.max)
    }

    fn survives(&self) -> Survives {
        Survives::Merging
    }

    fn needs_population(&self) -> bool {
        true
    }

    fn needs_levels(&self) -> bool {
        true
    }

    fn bind<'t>(&self, _: &'t FrequencyTable, _: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        Err(ModelError::NoPopulation { model: ID })
    }

    fn bind_population(&self, population: &Arc<GivenPopulation>) -> Option<Box<dyn BoundModel>> {
        Some(Box::new(BoundDeltaPresence { bounds: *self, population: Arc::clone(population) }))
    }
}

/// δ-presence of one table.
struct BoundDeltaPresence {
    bounds: DeltaPresence,
    population: Arc<GivenPopulation>,
}

impl BoundDeltaPresence {
    fn is_below_max(&self, rows: u64, people: u64) -> bool {
        self.bounds.max.allows(rows, people)
    }

    fn is_above_min(&self, rows: u64, people: u64) -> bool {
        self.bounds.min.is_none_or(|min| rows >= min.ceiling_of(people))
    }
}

impl BoundModel for BoundDeltaPresence {
    fn gap(&self, class: &Members<'_>) -> u64 {
        u64::from(!self.holds(class))
    }

    /// Whatever cells it publishes: at least those that hold its members, and at most everything.
    fn holds(&self, class: &Members<'_>) -> bool {
        let (rows, everyone) = (class.rows(), || self.population.matching_everything() == self.population.people());
        (self.bounds.min.is_none() || everyone())
            && self.is_above_min(rows, self.population.people())
            && self.is_below_max(rows, self.population.matching(&self.population.joined(class)))
    }

    fn holds_published(&self, class: &Members<'_>, cells: &[Cell]) -> bool {
        let (rows, people) = (class.rows(), self.population.matching(cells));
        self.is_above_min(rows, people) && self.is_below_max(rows, people)
    }

    fn holds_for_release(&self, classes: &[Vec<Cell>]) -> bool {
        let matching = || classes.iter().map(|cells| self.population.matching(cells)).sum::<u64>();
        self.bounds.min.is_none() || matching() == self.population.people()
    }

    fn looks_at_cells(&self) -> bool {
        true
    }

    fn fails_as_whole(&self, whole: &Members<'_>) -> bool {
        let (rows, people) = (whole.rows(), self.population.matching_everything());
        let everyone = self.bounds.min.is_none() || people == self.population.people();
        !(everyone && self.is_above_min(rows, people) && self.is_below_max(rows, people))
    }

    /// Without a row the cells may be narrower, and the share may be below the minimum.
    fn spare(&self, _: &Members<'_>) -> u64 {
        0
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let (rows, people) = (whole.rows(), self.population.matching_everything());
        let share = format!("{}/{}", thousands(rows), thousands(people));
        let counts = format!(
            "the table has {}, and {} the widest labels",
            counted(rows, "row", "rows"),
            counted(people, "person of the population matches", "people of the population match")
        );
        let (fact, remedy) = match self.bounds.min {
            _ if !self.is_below_max(rows, people) => {
                let fact = format!("{counts}: more than δmax = {}", self.bounds.max);
                (fact, format!("use a maximum of at least {share}"))
            }
            Some(min) if !self.is_above_min(rows, people) => {
                (format!("{counts}: less than δmin = {min}"), format!("use a minimum of at most {share}"))
            }
            _ => {
                let others = self.population.people() - people;
                let fact = format!("{} no label", counted(others, "person matches", "people match"));
                (fact, "use a minimum of 0, or hierarchies that hold everyone in the population".to_string())
            }
        };
        Infeasible { model: ID, columns: Vec::new(), fact, remedy }
    }

    fn excess(&self, _: &Members<'_>) -> Vec<ExcessRows> {
        Vec::new()
    }
}
