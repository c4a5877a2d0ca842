//! What can be promised: the lists of models, and whether the plan's policy can be met.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use incrowd::algorithms::ALGORITHMS;
use incrowd::core::{LOSSES, MODELS, ModelEntry, ParameterKind};
use incrowd::feasibility;
use incrowd::risk::attack::ATTACKS;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::blocking;
use crate::errors::ApiResult;
use crate::session::WorkSession;

#[derive(Serialize, JsonSchema)]
pub(super) struct Lists {
    models: Vec<ModelView>,
    losses: Vec<ListedView>,
    algorithms: Vec<AlgorithmView>,
    attacks: Vec<ListedView>,
}

#[derive(Serialize, JsonSchema)]
struct ModelView {
    id: &'static str,
    sentence: &'static str,
    parameters: Vec<ParameterView>,
    needs_sensitive: bool,
    /// Where a plan says it: `k`, `alpha` or `rule`.
    how: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct ParameterView {
    name: &'static str,
    symbol: &'static str,
    kind: &'static str,
    words: Vec<&'static str>,
    required: bool,
    help: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct ListedView {
    id: &'static str,
    summary: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct AlgorithmView {
    id: &'static str,
    summary: &'static str,
    full_domain: bool,
}

pub(super) async fn lists() -> Json<Lists> {
    let listed = |id, summary| ListedView { id, summary };
    let algorithm = |entry: &incrowd::algorithms::AlgorithmEntry| AlgorithmView {
        id: entry.id,
        summary: entry.summary,
        full_domain: entry.traits.full_domain,
    };
    Json(Lists {
        models: MODELS.iter().map(model_view).collect(),
        losses: LOSSES.iter().map(|entry| listed(entry.id, entry.summary)).collect(),
        algorithms: ALGORITHMS.iter().map(algorithm).collect(),
        attacks: ATTACKS.iter().map(|entry| listed(entry.id, entry.summary)).collect(),
    })
}

fn model_view(entry: &ModelEntry) -> ModelView {
    let how = match entry.id {
        "k-anonymity" => "k",
        "alpha-deassociation" => "alpha",
        _ => "rule",
    };
    let parameter = |entry: &incrowd::core::ParameterEntry| {
        let (kind, words) = match entry.kind {
            ParameterKind::Whole => ("whole", vec![]),
            ParameterKind::Share => ("share", vec![]),
            ParameterKind::Number { .. } => ("number", vec![]),
            ParameterKind::Word(words) => ("word", words.to_vec()),
            ParameterKind::Values => ("values", vec![]),
            ParameterKind::Groups => ("groups", vec![]),
            ParameterKind::Paths => ("paths", vec![]),
        };
        let (name, symbol, required, help) = (entry.name, entry.symbol, entry.required, entry.help);
        ParameterView { name, symbol, kind, words, required, help }
    };
    ModelView {
        id: entry.id,
        sentence: entry.summary,
        parameters: entry.parameters.iter().map(parameter).collect(),
        needs_sensitive: entry.sensitive,
        how,
    }
}

/// Whether the plan's policy can be met.
pub(super) async fn feasible(State(session): State<Arc<WorkSession>>) -> ApiResult<Json<Value>> {
    blocking(move || feasible_of(&session).map(Json)).await
}

fn feasible_of(session: &WorkSession) -> ApiResult<Value> {
    let table = session.table()?;
    let (plan, etag) = table.plan();
    let live = table.live();
    let open = |why: &str| Ok(json!({ "etag": etag, "ready": false, "why": why }));
    let Some(tuples) = live.tuples() else { return open("the tuples of this table do not fit in memory") };
    if plan.policy.k.is_none() {
        return open("the plan has no k");
    }
    session.refuse_files_outside(&plan, &table.plan_folder())?;
    let policy = plan.policy(&table.plan_folder())?;
    if let Some(missing) = policy.sensitive().iter().find(|name| tuples.position(name).is_none()) {
        return open(&format!("column “{missing}” has too many values to say it at once"));
    }
    let found = feasibility(tuples, &policy)?;
    let columns = plan.declared().sensitive;
    let limit = |name: &String| {
        let profile = live.profiles().iter().find(|profile| profile.name == *name).filter(|profile| profile.exact)?;
        let most = profile.counts.iter().max().copied().unwrap_or(0);
        let share = most as f64 / profile.rows.max(1) as f64;
        Some(json!({ "column": name, "most_distinct": profile.dictionary.len(), "largest_share": share }))
    };
    let limits: Vec<Value> = columns.iter().filter_map(limit).collect();
    let rules: Vec<Value> = found
        .rules
        .iter()
        .zip(&policy.models)
        .filter_map(|(found, rule)| {
            let mut view = serde_json::to_value(found).ok()?;
            let of = if found.columns.is_empty() { String::new() } else { format!(" of {}", found.columns.join(", ")) };
            view["rule"] = format!("{}{of}", found.model).into();
            view["parameters"] = serde_json::to_value(&rule.parameters).ok()?;
            Some(view)
        })
        .collect();
    let reasons: Vec<String> = found.reasons.iter().map(ToString::to_string).collect();
    Ok(json!({
        "etag": etag, "ready": true, "feasible": found.feasible, "reasons": reasons, "rules": rules, "limits": limits,
    }))
}
