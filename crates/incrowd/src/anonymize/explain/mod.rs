//! What is said of a release besides its bytes: which rule forced each level, why rows are suppressed, how many classes
//! any release can have, and what any release must lose.

pub(crate) mod loss_report;
pub(crate) mod most_classes;
pub(crate) mod why;
pub(crate) mod withheld;

use incrowd_algorithms::LowerBound;
use incrowd_core::Measures;
use incrowd_report::dossier::WithheldFor;
use incrowd_risk::attack::Outcome;

use super::prepare::Prepared;
use super::solve::ClassesInMemory;
use super::{MostClasses, Publish, two_tables};
use crate::error::Result;
use crate::release::ColumnWhy;
use loss_report::{BoundOnLoss, Resolution};

/// What was found out about classes whose tuples are in memory.
pub(super) struct Explanations {
    pub(super) measures: Measures,
    pub(super) bound: Option<BoundOnLoss>,
    /// Whether the time limit was over when the search for the bound ended.
    pub(super) bound_stopped: bool,
    pub(super) most_classes: Option<MostClasses>,
    pub(super) withheld_for: Vec<WithheldFor>,
    pub(super) why: Vec<ColumnWhy>,
    pub(super) attacks: Vec<Outcome>,
}

impl Explanations {
    /// Measures and explains the classes. Two tables generalize nothing, so they are attacked instead of explained.
    /// `proven` is a bound that the solver has found on its way.
    pub(super) fn of(
        run: &Prepared<'_>,
        classes: &ClassesInMemory,
        levels: Option<&[usize]>,
        proven: Option<LowerBound>,
    ) -> Result<Explanations> {
        let ClassesInMemory { table, quasi, partition, recoding, .. } = classes;
        let (engine, options, policy) = (run.engine, run.options, &run.options.policy);
        let apart = options.publish == Publish::TwoTables;
        let mut measures = Measures::of(table, quasi, partition, recoding, policy.k());
        if apart {
            measures = measures.with_class_ids(partition, policy.k());
        }
        let (mut bound, mut bound_stopped) = (None, false);
        if run.loss.id == "lm" && options.bound && !apart {
            let resolution = Resolution::new(table, quasi, partition);
            bound = proven.and_then(|proven| loss_report::of_solver(table, proven, (&measures, &resolution)));
            if bound.is_none() {
                let deadline = run.time_limit.deadline;
                bound = loss_report::bound(engine, table, quasi, options, (&measures, &resolution), deadline)?;
                bound_stopped = run.time_limit.is_over();
            }
        }
        let most_classes = most_classes::of(table, policy, partition)?;
        let withheld_for = withheld::explain(table, quasi, policy, partition, levels)?;
        let (mut why, mut attacks) = (Vec::new(), Vec::new());
        if apart {
            attacks = two_tables::attack(engine, table, quasi, policy, partition, run.randomness.solver_seed())?;
        } else {
            why = why::explain(table, quasi, policy, partition, recoding)?;
        }
        Ok(Explanations { measures, bound, bound_stopped, most_classes, withheld_for, why, attacks })
    }
}
