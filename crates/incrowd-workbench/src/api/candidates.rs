//! Candidates: releases of the plan with other settings, made and verified in a private folder, to look at before one of
//! them is published.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use incrowd::request::{Plan, partial_plan};
use incrowd::{Anonymized, Engine, Source, anonymize, lattice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::body::Body;
use super::plan::PlanView;
use super::session::Nothing;
use super::{accepted, blocking};
use crate::candidate::{MadeCandidate, ReleaseCandidate};
use crate::errors::{ApiError, ApiResult, ErrorBody};
use crate::jobs::{JobKind, JobStatus, Started, lock};
use crate::session::{OpenTable, WorkSession};

/// The settings that a candidate may change.
const SETTINGS: [&str; 7] = ["k", "suppress", "algorithm", "loss", "effort", "time", "seed"];
/// The most candidates that are kept.
const MOST_CANDIDATES: usize = 100;

#[derive(Serialize, JsonSchema)]
pub(super) struct CandidateView {
    id: u64,
    name: String,
    pinned: bool,
    state: JobStatus,
    job: u64,
    settings: Value,
    /// The plan's roles, hierarchies or rules changed since it was made.
    stale: bool,
    figures: Option<Value>,
    /// Another candidate loses less and has no higher risk.
    dominated: bool,
    error: Option<ErrorBody>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CandidateList {
    candidates: Vec<CandidateView>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CandidateRequest {
    name: Option<String>,
    #[serde(default)]
    changes: serde_json::Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CandidatePatch {
    name: Option<String>,
    pinned: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct StartedCandidate {
    job: u64,
    candidate: u64,
}

/// What a candidate depends on besides its settings.
fn basis(plan: &Plan) -> String {
    let mut plan = plan.clone();
    plan.solve = incrowd::request::SolvePlan::default();
    (plan.policy.k, plan.policy.suppress) = (None, None);
    plan.release = incrowd::request::ReleasePlan {
        others: plan.release.others,
        publish: plan.release.publish,
        ..Default::default()
    };
    plan.context = incrowd::request::ContextPlan::default();
    plan.columns.iter_mut().for_each(|column| column.confirmed = true);
    let text = serde_json::to_string(&plan).unwrap_or_default();
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn views(session: &WorkSession, table: &OpenTable) -> Vec<CandidateView> {
    let now = basis(&table.plan().0);
    let candidates = lock(&table.candidates);
    let point = |candidate: &ReleaseCandidate| candidate.made.as_ref().map(|made| (made.loss, made.risk));
    let is_dominated = |candidate: &ReleaseCandidate| {
        let Some((loss, risk)) = point(candidate) else { return false };
        let better = |(l, r): (f64, f64)| l <= loss && r <= risk && (l < loss || r < risk);
        candidates.values().filter(|other| other.basis == candidate.basis).filter_map(point).any(better)
    };
    let view = |(id, candidate): (&u64, &ReleaseCandidate)| {
        let job = session.jobs().find(candidate.job).ok().map(|job| job.view());
        CandidateView {
            id: *id,
            name: candidate.name.clone(),
            pinned: candidate.pinned,
            state: job.as_ref().map_or(JobStatus::Done, |job| job.state),
            job: candidate.job,
            settings: candidate.settings.clone(),
            stale: candidate.basis != now,
            figures: candidate.made.as_ref().map(|made| made.figures.clone()),
            dominated: is_dominated(candidate),
            error: job.and_then(|job| job.error),
        }
    };
    candidates.iter().map(view).collect()
}

pub(super) async fn list(State(session): State<Arc<WorkSession>>) -> ApiResult<Json<CandidateList>> {
    blocking(move || Ok(Json(CandidateList { candidates: views(&session, &*session.table()?) }))).await
}

pub(super) async fn add(
    State(session): State<Arc<WorkSession>>,
    Body(request): Body<CandidateRequest>,
) -> ApiResult<(StatusCode, Json<StartedCandidate>)> {
    blocking(move || start(&session, request).map(|started| (StatusCode::ACCEPTED, Json(started)))).await
}

fn start(session: &Arc<WorkSession>, request: CandidateRequest) -> ApiResult<StartedCandidate> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    if let Some(name) = request.changes.keys().find(|name| !SETTINGS.contains(&name.as_str())) {
        return Err(ApiError::invalid(format!("a candidate cannot change “{name}”")));
    }
    let table = session.table()?;
    if lock(&table.candidates).len() >= MOST_CANDIDATES {
        return Err(ApiError::invalid("there are too many candidates: remove some first"));
    }
    let (plan, _) = table.plan();
    session.refuse_files_outside(&plan, &table.plan_folder())?;
    let changed = plan.clone().seen_from(&table.plan_folder()).overlay(partial_plan(&request.changes)?);
    let settings = settings_of(&changed);
    let name = request.name.filter(|name| !name.is_empty()).unwrap_or_else(|| usual_name(&settings));
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = session.engine().private_folder(&format!("candidate-{id}"))?.join("release");
    let (open, target) = (table.clone(), folder.clone());
    // Locked until the candidate is in the list: a job that ends at once finds it there.
    let mut candidates = lock(&table.candidates);
    let job = session.start(JobKind::Candidate, format!("Candidate {name}"), move |_, engine| {
        let made = make(engine, &open, &changed, &target)?;
        let figures = figures(&made);
        if let Some(candidate) = lock(&open.candidates).get_mut(&id) {
            candidate.made = Some(MadeCandidate {
                loss: made.loss.lm,
                risk: 1.0 / made.smallest_class.max(1) as f64,
                is_repeatable: !made.cut_short,
                figures: figures.clone(),
            });
        }
        Ok(figures)
    })?;
    let candidate = ReleaseCandidate {
        name,
        pinned: false,
        job,
        changes: request.changes,
        settings,
        basis: basis(&plan),
        folder,
        made: None,
    };
    candidates.insert(id, candidate);
    Ok(StartedCandidate { job, candidate: id })
}

/// Makes and verifies a release of the plan in a private folder. It is no release to the outside: no ledger knows it.
fn make(engine: &Engine, table: &OpenTable, plan: &Plan, target: &std::path::Path) -> ApiResult<Anonymized> {
    let source = Source::open(engine, &table.path.display().to_string(), plan.read_options())?;
    let mut confirmed = plan.clone();
    confirmed.policy.confirmed = true;
    confirmed.columns.iter_mut().for_each(|column| column.confirmed = true);
    let mut options = confirmed.options(source.format())?;
    (options.ledger, options.report) = (None, false);
    Ok(anonymize(engine, &source, &options, target)?)
}

fn settings_of(plan: &Plan) -> Value {
    json!({
        "k": plan.policy.k,
        "suppress": plan.policy.suppress.unwrap_or(0.0),
        "algorithm": plan.solve.algorithm.clone().unwrap_or_else(|| "auto".into()),
        "loss": plan.solve.loss,
        "effort": plan.solve.effort,
        "time": plan.solve.time,
        "seed": plan.solve.seed,
    })
}

fn usual_name(settings: &Value) -> String {
    let suppressed = settings["suppress"].as_f64().filter(|share| *share > 0.0);
    let suppressed = suppressed.map(|share| format!(", at most {} % suppressed", share * 100.0)).unwrap_or_default();
    format!("k = {}, {}{suppressed}", settings["k"], settings["algorithm"].as_str().unwrap_or_default())
}

/// What the page shows of a candidate.
pub(super) fn figures(made: &Anonymized) -> Value {
    let mut all = serde_json::to_value(made).unwrap_or_default();
    let published = made.rows - made.suppressed_rows;
    let more = json!({
        "loss_measures": all["loss"],
        "loss": made.loss.lm,
        "bound": made.loss.bound,
        "ratio": made.loss.ratio,
        "columns": all["loss"]["columns"],
        "risk": 1.0 / made.smallest_class.max(1) as f64,
        "mean_risk": made.classes as f64 / published.max(1) as f64,
        "seconds": made.solve_seconds,
    });
    if let (Some(all), Value::Object(more)) = (all.as_object_mut(), more) {
        // Paths of the private folder mean nothing to the page.
        all.remove("release");
        all.remove("report");
        all.extend(more);
    }
    all
}

pub(super) async fn patch(
    State(session): State<Arc<WorkSession>>,
    Path(id): Path<u64>,
    Body(request): Body<CandidatePatch>,
) -> ApiResult<Json<CandidateList>> {
    let table = session.table()?;
    if let Some(candidate) = lock(&table.candidates).get_mut(&id) {
        candidate.name = request.name.filter(|name| !name.is_empty()).unwrap_or(std::mem::take(&mut candidate.name));
        candidate.pinned = request.pinned.unwrap_or(candidate.pinned);
    } else {
        return Err(no_candidate());
    }
    Ok(Json(CandidateList { candidates: views(&session, &table) }))
}

fn no_candidate() -> ApiError {
    ApiError::not_found("there is no such candidate")
}

pub(super) async fn remove(
    State(session): State<Arc<WorkSession>>,
    Path(id): Path<u64>,
    _: Body<Nothing>,
) -> ApiResult<Json<CandidateList>> {
    blocking(move || {
        let table = session.table()?;
        let removed = lock(&table.candidates).remove(&id).ok_or_else(no_candidate)?;
        if let Ok(job) = session.jobs().find(removed.job) {
            job.cancel();
        }
        if let Some(private) = removed.folder.parent() {
            // What cannot be removed now goes with the session.
            let _ = std::fs::remove_dir_all(private);
        }
        Ok(Json(CandidateList { candidates: views(&session, &table) }))
    })
    .await
}

/// The settings of a candidate go into the plan.
pub(super) async fn adopt(
    State(session): State<Arc<WorkSession>>,
    Path(id): Path<u64>,
    _: Body<Nothing>,
) -> ApiResult<PlanView> {
    blocking(move || {
        let table = session.table()?;
        let (changes, basis_then) = {
            let candidates = lock(&table.candidates);
            let candidate = candidates.get(&id).ok_or_else(no_candidate)?;
            (candidate.changes.clone(), candidate.basis.clone())
        };
        let mut document = table.document();
        if basis(document.plan()) != basis_then {
            return Err(ApiError::invalid("the plan changed since this candidate was made: make it again"));
        }
        let said = partial_plan(&changes)?;
        let mut plan = document.plan().clone();
        plan.policy.k = said.policy.k.or(plan.policy.k);
        plan.policy.suppress = said.policy.suppress.or(plan.policy.suppress);
        plan.solve.algorithm = said.solve.algorithm.or(plan.solve.algorithm.take());
        plan.solve.loss = said.solve.loss.or(plan.solve.loss.take());
        plan.solve.effort = said.solve.effort.or(plan.solve.effort.take());
        plan.solve.time = said.solve.time.or(plan.solve.time.take());
        plan.solve.seed = said.solve.seed.or(plan.solve.seed.take());
        document.set_plan(&plan)?;
        PlanView::of(&session, &document)
    })
    .await
}

/// Where the release of a candidate is, once it is made.
pub(crate) fn folder_of(table: &OpenTable, id: u64) -> ApiResult<PathBuf> {
    let candidates = lock(&table.candidates);
    let candidate = candidates.get(&id).ok_or_else(no_candidate)?;
    candidate.made.as_ref().ok_or_else(|| ApiError::invalid("this candidate is not ready"))?;
    Ok(candidate.folder.clone())
}

/// The record of a candidate whose bytes the plan would give again; nothing when it was stopped early. Refused when the
/// plan asks for something else by now.
pub(crate) fn record_for(table: &OpenTable, id: u64, plan: &Plan) -> ApiResult<Option<PathBuf>> {
    let folder = folder_of(table, id)?;
    let candidates = lock(&table.candidates);
    let candidate = candidates.get(&id).ok_or_else(no_candidate)?;
    if candidate.basis != basis(plan) || candidate.settings != settings_of(plan) {
        return Err(ApiError::invalid("the plan asks for something else than this candidate: use its settings first"));
    }
    let is_repeatable = candidate.made.as_ref().is_some_and(|made| made.is_repeatable);
    Ok(is_repeatable.then(|| folder.with_file_name("release.internal")))
}

/// Measures all full-domain recodings.
pub(super) async fn lattice_of(
    State(session): State<Arc<WorkSession>>,
    _: Body<Nothing>,
) -> ApiResult<(StatusCode, Json<Started>)> {
    let table = session.table()?;
    let (plan, folder) = (table.plan().0, table.plan_folder());
    session.refuse_files_outside(&plan, &folder)?;
    let job = session.start(JobKind::Lattice, "Lattice of full-domain recodings", move |_, engine| {
        let found = lattice(engine, &table.live(), &plan, &folder)?;
        serde_json::to_value(found).map_err(|_| ApiError::panicked())
    })?;
    Ok(accepted(job))
}
