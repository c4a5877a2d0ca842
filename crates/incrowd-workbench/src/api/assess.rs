//! Before and after, and attacks: of a candidate, or of a release.

use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use incrowd::attack::{AttackOptions, attack};
use incrowd::compare::{CompareOptions, Workload, compare};
use incrowd::query::{QueryOptions, original_options, parse_query, query};
use incrowd::{Engine, ReadOptions, Source};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::accepted;
use super::body::Body;
use super::candidates;
use crate::errors::{ApiError, ApiResult};
use crate::jobs::{JobKind, Started};
use crate::session::WorkSession;

/// How many questions are asked unless said otherwise.
const USUAL_QUERIES: usize = 200;
/// The most questions.
const MOST_QUERIES: usize = 10_000;

/// A candidate or a release.
#[derive(Deserialize, JsonSchema)]
pub(super) struct AssessTarget {
    /// The id of a candidate.
    candidate: Option<u64>,
    /// The folder of a release.
    release: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct CompareRequest {
    #[serde(flatten)]
    of: AssessTarget,
    queries: Option<usize>,
    /// A column that a classifier is to guess.
    #[serde(rename = "target")]
    guessed: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct AttackRequest {
    #[serde(flatten)]
    of: AssessTarget,
    /// Whether the original is used, where it is at hand.
    against: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryRequest {
    release: String,
    sql: String,
}

impl AssessTarget {
    pub(super) fn path(&self, session: &WorkSession) -> ApiResult<PathBuf> {
        match (self.candidate, &self.release) {
            (Some(id), None) => candidates::folder_of(&*session.table()?, id),
            (None, Some(name)) => session.folder().existing(name),
            _ => Err(ApiError::invalid("name a candidate or a release")),
        }
    }
}

/// The original of a release: the open table, or the file that the record names if it is below the folder.
pub(super) fn original(session: &WorkSession, engine: &Engine, release: &std::path::Path) -> ApiResult<Option<Source>> {
    let path = match session.table() {
        Ok(table) => Some(table.path.clone()),
        Err(_) => recorded_original(session, release),
    };
    let Some(path) = path else { return Ok(None) };
    let options = original_options(release, None, ReadOptions::default())?;
    Ok(Some(Source::open(engine, &path.display().to_string(), options)?))
}

/// The table that the record of a release names, if it is still there and below the folder.
pub(super) fn recorded_original(session: &WorkSession, release: &std::path::Path) -> Option<PathBuf> {
    let opened = incrowd::OpenedRelease::open(release, None).ok()?;
    let file = opened.record()?.reading.files.first()?;
    let resolved = std::path::Path::new(file).canonicalize().ok()?;
    session.folder().existing(&session.folder().name(&resolved)).ok()
}

pub(super) async fn compare_target(
    State(session): State<Arc<WorkSession>>,
    Body(request): Body<CompareRequest>,
) -> ApiResult<(StatusCode, Json<Started>)> {
    let release = request.of.path(&session)?;
    let revealed = session.table().map(|table| table.revealed()).unwrap_or_default();
    let job = session.start(JobKind::Compare, "Compare with the original", move |session, engine| {
        let original = original(session, engine, &release)?.ok_or_else(no_original)?;
        let queries = request.queries.unwrap_or(USUAL_QUERIES).min(MOST_QUERIES);
        let options = CompareOptions {
            workload: Workload { queries, ..Workload::default() },
            target: request.guessed,
            distributions: Some(revealed),
            ..CompareOptions::default()
        };
        answer(&compare(engine, &original, &[release], &options)?)
    })?;
    Ok(accepted(job))
}

fn no_original() -> ApiError {
    ApiError::invalid("the original table is not open").with_remedy("open the table or the plan of this release")
}

fn answer(found: &impl serde::Serialize) -> ApiResult<Value> {
    serde_json::to_value(found).map_err(|_| ApiError::panicked())
}

pub(super) async fn attack_target(
    State(session): State<Arc<WorkSession>>,
    Body(request): Body<AttackRequest>,
) -> ApiResult<(StatusCode, Json<Started>)> {
    let release = request.of.path(&session)?;
    let limits = session.table().map(|table| table.plan().0.limits()).unwrap_or_default();
    let job = session.start(JobKind::Attack, "Attack the release", move |session, engine| {
        let original = match request.against {
            Some(false) => None,
            _ => original(session, engine, &release)?,
        };
        let options = AttackOptions { against: original.as_ref(), thresholds: limits, ..AttackOptions::default() };
        answer(&attack(engine, &release, &options)?)
    })?;
    Ok(accepted(job))
}

pub(super) async fn ask(
    State(session): State<Arc<WorkSession>>,
    Body(request): Body<QueryRequest>,
) -> ApiResult<(StatusCode, Json<Started>)> {
    let release = session.folder().existing(&request.release)?;
    let job = session.start(JobKind::Query, "Query the release", move |_, engine| {
        let asked = parse_query(&request.sql).map_err(incrowd::Error::from)?;
        answer(&query(engine, &release, &asked, &QueryOptions::default())?)
    })?;
    Ok(accepted(job))
}
