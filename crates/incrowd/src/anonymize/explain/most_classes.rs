//! How many classes a policy that asks for variety allows: the second necessary condition of p-sensitive k-anonymity, in an
//! answer and in a refusal. See [`ClassBound`].

use incrowd_algorithms::ClassBound;
use incrowd_core::{FrequencyTable, Infeasible, Members, Partition, Policy, counted, thousands};
use serde::Serialize;

use crate::error::Result;

/// The most classes that any release of the published rows can have, and what follows for measures that count classes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MostClasses {
    /// The most classes.
    pub classes: u64,
    /// So AVG, the mean class size divided by k, is at least this.
    pub avg: f64,
    /// So DM, the discernibility, is at least this; a suppressed row counts as many as the table has.
    pub dm: u64,
    /// Why, attribute by attribute.
    pub words: String,
}

/// The bound for what a partition publishes; nothing when the policy asks for no variety.
pub(crate) fn of(table: &FrequencyTable, policy: &Policy, partition: &Partition) -> Result<Option<MostClasses>> {
    if policy.bind(table)?.varieties().is_empty() {
        return Ok(None);
    }
    let published: Vec<(usize, u64)> = partition.classes().flatten().copied().collect();
    let bound = ClassBound::of(table, policy, &Members::new(table, &published))?;
    let least = bound.avg().zip(bound.dm());
    Ok(least.map(|(avg, dm)| MostClasses {
        classes: bound.classes(),
        avg,
        dm: dm + partition.withheld_rows() * table.rows(),
        words: bound.to_string(),
    }))
}

/// The same reasons; where a sensitive attribute has too few values, the remedy says how many classes the largest
/// feasible parameter leaves.
pub(crate) fn advise(table: &FrequencyTable, policy: &Policy, mut reasons: Vec<Infeasible>) -> Vec<Infeasible> {
    let of_k = table.rows() / policy.k().max(1);
    for reason in &mut reasons {
        let rules = policy.models.iter().filter(|rule| rule.model == reason.model);
        let bounds = rules.filter_map(|rule| {
            ClassBound::new(table, &Policy { models: vec![rule.clone()], ..Policy::default() }).ok()
        });
        let attributes = bounds.flat_map(|bound| bound.attributes);
        let mut short = attributes.filter(|one| one.values < one.p && reason.columns.contains(&one.name));
        let classes = short.next().map_or(0, |one| one.classes_of_all.min(of_k));
        if classes > 0 {
            let (classes, k) = (counted(classes, "class", "classes"), thousands(policy.k()));
            reason.remedy += &format!(", which leaves at most {classes} with k = {k}");
        }
    }
    reasons
}
