//! Whether a policy can be met at all, before anything is solved.
//!
//! The table as one class is the least that any release can publish. A rule that it breaks, even with the rows suppressed
//! that the policy allows, is infeasible where that is proven, and open where it is not; the figures of the table as one
//! class say which parameters would be feasible.

use incrowd_core::{
    ColumnSet, FrequencyTable, HoldsFor, Infeasible, ModelEntry, Policy, Rule, TightestParameters, Watch,
};
use serde::Serialize;

use crate::error::{Error, Result};

/// Whether a policy can be met by some release of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Feasibility {
    /// Whether all rules together can be met; nothing when neither is proven.
    pub feasible: Option<bool>,
    /// What stands in the way.
    pub reasons: Vec<Infeasible>,
    /// Each rule by itself, in the order of the policy.
    pub rules: Vec<RuleFeasibility>,
}

/// Whether one rule can be met.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleFeasibility {
    /// The model's id.
    pub model: String,
    /// The sensitive columns it is about.
    pub columns: Vec<String>,
    /// What would be promised, in one sentence.
    pub promise: String,
    /// Whether it can be met; nothing when neither is proven.
    pub feasible: Option<bool>,
    /// The nearest parameter that can be met, where this one cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<NearestParameter>,
}

/// A parameter that can be met.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NearestParameter {
    /// Its name.
    pub parameter: &'static str,
    /// Its value.
    pub value: f64,
}

/// Whether the policy can be met by releases of this table, whose tuples hold the sensitive columns.
pub fn feasibility(table: &FrequencyTable, policy: &Policy) -> Result<Feasibility> {
    let (policy, about_population) = without_population(policy);
    let (feasible, reasons) = can_be_met(table, &policy)?;
    // What a population lets be promised is known only with the population.
    let feasible = feasible.filter(|&feasible| !(feasible && about_population));
    let rule = |rule: &Rule| -> Result<RuleFeasibility> {
        let alone = Policy { models: vec![rule.clone()], ..policy.clone() };
        let (feasible, _) = can_be_met(table, &alone)?;
        let model = rule.model()?;
        let promise = if table.counts_people() { model.promise_for_people() } else { model.promise() };
        Ok(RuleFeasibility {
            model: rule.model.clone(),
            columns: rule.sensitive.clone(),
            promise,
            feasible,
            nearest: if feasible == Some(false) { nearest(table, rule)? } else { None },
        })
    };
    Ok(Feasibility { feasible, reasons, rules: policy.models.iter().map(rule).collect::<Result<_>>()? })
}

/// The policy without models about a population, and whether there are such models.
fn without_population(policy: &Policy) -> (Policy, bool) {
    let is_other = |rule: &&Rule| !rule.model().is_ok_and(|model| model.needs_population());
    let models: Vec<Rule> = policy.models.iter().filter(is_other).cloned().collect();
    let fewer = models.len() < policy.models.len();
    (Policy { models, ..policy.clone() }, fewer)
}

fn can_be_met(table: &FrequencyTable, policy: &Policy) -> Result<(Option<bool>, Vec<Infeasible>)> {
    let bound = policy.bind(table)?;
    let budget = policy.budget(table.rows());
    Ok(match bound.withhold(table, budget) {
        Ok(_) => (Some(true), Vec::new()),
        Err(reasons) => (bound.is_proven_infeasible(table, budget).then_some(false), reasons),
    })
}

/// The parameter of a rule that the table meets as one class.
fn nearest(table: &FrequencyTable, rule: &Rule) -> Result<Option<NearestParameter>> {
    if rule.sensitive.is_empty() {
        return Ok(Some(NearestParameter { parameter: "k", value: table.people() as f64 }));
    }
    let Some(entry) = ModelEntry::find(&rule.model)?.tightest.first() else { return Ok(None) };
    let positions: Vec<usize> = rule.sensitive.iter().filter_map(|name| table.position(name)).collect();
    let found = TightestParameters::of(table, ColumnSet::EMPTY, &positions, &Watch::default());
    let found = found.map_err(|_| Error::Engine(incrowd_engine::EngineError::Cancelled))?;
    let figure = |one: &TightestParameters| serde_json::to_value(one).ok()?.get(entry.key)?.as_f64();
    let figures = found.iter().filter_map(figure);
    let value = match entry.holds {
        HoldsFor::UpTo => figures.reduce(f64::min).map(|value| (value * 1e4).floor() / 1e4),
        HoldsFor::From | HoldsFor::Above => figures.reduce(f64::max).map(|value| (value * 1e4).ceil() / 1e4),
    };
    Ok(value.map(|value| NearestParameter { parameter: entry.parameter, value }))
}

#[cfg(test)]
mod tests {
    use incrowd_core::{Attribute, Dictionary, Parameters, Role};

    use super::*;

    fn table() -> FrequencyTable {
        let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu", "gout"]));
        FrequencyTable::from_tuples(vec![illness], [([0], 6), ([1], 3), ([2], 1)])
    }

    fn asked(k: u64, model: &str, parameter: (&str, u64)) -> Feasibility {
        let policy = Policy::k_anonymity(k).asking(model, Parameters::from_iter([parameter]), &["illness"]);
        feasibility(&table(), &policy).expect("an answer")
    }

    #[test]
    fn a_rule_that_the_whole_table_breaks_is_infeasible_and_the_nearest_parameter_is_named() {
        let found = asked(2, "distinct-l-diversity", ("l", 4));
        assert_eq!((found.feasible, found.reasons.len()), (Some(false), 1));
        assert_eq!(found.rules[0].feasible, Some(true));
        let nearest = NearestParameter { parameter: "l", value: 3.0 };
        assert_eq!((found.rules[1].feasible, found.rules[1].nearest.clone()), (Some(false), Some(nearest)));
    }

    #[test]
    fn rules_that_the_whole_table_keeps_are_feasible() {
        let found = asked(10, "distinct-l-diversity", ("l", 3));
        assert_eq!((found.feasible, found.reasons), (Some(true), vec![]));
    }

    #[test]
    fn more_people_than_there_are_cannot_be_asked_for() {
        let found = asked(11, "p-sensitive", ("p", 2));
        assert_eq!(found.rules[0].nearest, Some(NearestParameter { parameter: "k", value: 10.0 }));
    }
}
