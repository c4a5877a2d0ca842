//! A problem: the table, what its quasi-identifiers may become, what must be kept, and what loss is measured by.

use std::sync::Arc;

use incrowd_core::{
    BoundPolicy, FrequencyTable, KnownRows, Loss, Members, ModelError, Policy, Prices, QuasiIdentifier, Variety,
    Weighted,
};

use super::ClassMembers;
use crate::solver::clock::did;
use crate::{DiversityWeights, WrongWeights};

/// Everything a solver sees.
pub struct Problem<'t> {
    /// The distinct tuples.
    pub table: &'t FrequencyTable,
    /// The quasi-identifiers, each with the cells it may be published as.
    pub quasi_identifiers: &'t [QuasiIdentifier],
    /// The policy, bound to the table.
    pub policy: BoundPolicy<'t>,
    /// The largest k that the policy asks for; 1 when it asks for none.
    pub k: u64,
    /// Of which sensitive attributes the policy wants distinct values in every class.
    pub varieties: Arc<[Variety]>,
    /// The weight of each of them for solvers that measure the diversity of a group; equal unless given.
    pub weights: Arc<[u64]>,
    /// How many rows of a person an attacker may know, for the solver that groups people.
    pub known_rows: Option<KnownRows>,
    /// At most how many rows may be suppressed.
    pub budget: u64,
    /// What each cell loses, quasi-identifier by quasi-identifier.
    pub prices: Arc<Prices>,
    /// For solvers that draw: the same seed gives the same partition.
    pub seed: u64,
    /// Whether classes have an id, so that two that publish the same cells are still two classes.
    pub has_class_ids: bool,
}

impl<'t> Problem<'t> {
    /// Binds a policy and a measure to a table. Refused when they do not fit it.
    pub fn new(
        table: &'t FrequencyTable,
        quasi_identifiers: &'t [QuasiIdentifier],
        policy: &Policy,
        loss: &dyn Loss,
        seed: u64,
    ) -> Result<Self, ModelError> {
        let weighted: Vec<Weighted<'_>> = quasi_identifiers
            .iter()
            .map(|quasi| Weighted::of(table, quasi.column, &quasi.domain, &quasi.leaves))
            .collect();
        let bound = policy.bind(table)?;
        Ok(Problem {
            table,
            quasi_identifiers,
            k: policy.k().max(1),
            weights: bound.varieties().iter().map(|_| 1).collect(),
            varieties: bound.varieties().into(),
            policy: bound,
            known_rows: policy.known_rows,
            budget: policy.budget(table.rows()),
            prices: Arc::new(Prices::compile(loss, &weighted)),
            seed,
            has_class_ids: false,
        })
    }

    /// The same problem with these weights of the sensitive attributes. Refused when they do not fit them.
    pub fn weighing(self, weights: &DiversityWeights) -> Result<Self, WrongWeights> {
        Ok(Problem { weights: weights.of(self.table, &self.varieties)?, ..self })
    }

    /// The same problem for a release in two tables, where an id tells classes apart: none are merged only because they
    /// publish alike.
    pub fn with_class_ids(self) -> Self {
        Problem { has_class_ids: true, ..self }
    }

    /// The same problem when only these rows are published: models that compare classes with the whole compare them
    /// with these.
    pub fn publishing<'c>(&self, classes: impl IntoIterator<Item = &'c [(usize, u64)]>) -> Problem<'t> {
        let published: Vec<Members<'_>> = classes.into_iter().map(|class| Members::new(self.table, class)).collect();
        Problem {
            policy: self.policy.against(&published),
            varieties: Arc::clone(&self.varieties),
            weights: Arc::clone(&self.weights),
            prices: Arc::clone(&self.prices),
            ..*self
        }
    }

    /// The same problem for a part of a table of which no row is suppressed: models that compare classes with the whole
    /// compare them with these rows, which have each value as often as the whole table.
    pub fn within(self, whole: &FrequencyTable) -> Self {
        Problem { policy: self.policy.within(whole), ..self }
    }

    /// All rows of the table, by tuple.
    pub(crate) fn all_rows(&self) -> ClassMembers {
        (0..self.table.tuples()).map(|tuple| (tuple, self.table.count(tuple))).collect()
    }

    /// The leaf of a quasi-identifier that a tuple has.
    pub(crate) fn leaf(&self, tuple: usize, quasi: usize) -> u32 {
        let quasi = &self.quasi_identifiers[quasi];
        quasi.leaves[self.table.code(tuple, quasi.column) as usize]
    }

    /// What a row loses that is published as `*` in every cell.
    pub(crate) fn star_price(&self) -> f64 {
        let quasis = self.quasi_identifiers.iter().enumerate();
        quasis.map(|(at, quasi)| self.prices.price(at, quasi.domain.top())).sum()
    }

    /// Whether these rows keep the policy as one class.
    pub fn holds(&self, class: &[(usize, u64)]) -> bool {
        did(class.len());
        self.policy.holds(&Members::new(self.table, class))
    }

    /// How far these rows are from keeping the policy as one class.
    pub fn gap(&self, class: &[(usize, u64)]) -> u64 {
        did(class.len());
        self.policy.gap(&Members::new(self.table, class))
    }
}

impl std::fmt::Debug for Problem<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Problem")
            .field("tuples", &self.table.tuples())
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
