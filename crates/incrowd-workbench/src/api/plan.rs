//! The plan: its text, its difference to the file, and the commands that do the same.

use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use incrowd::request::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::blocking;
use super::body::{Body, if_match};
use super::session::Nothing;
use crate::document::{DiffLine, Document};
use crate::errors::{ApiError, ApiResult};
use crate::session::WorkSession;

/// The plan as it is now.
#[derive(Serialize, JsonSchema)]
pub(super) struct PlanView {
    etag: String,
    /// The plan in the words of its schema.
    plan: Value,
    text: String,
    /// The file says the same.
    saved: bool,
    path: String,
    file_exists: bool,
    diff: Vec<DiffLine>,
    undo: bool,
    redo: bool,
    unconfirmed: Unconfirmed,
    commands: PlanCommands,
}

#[derive(Serialize, JsonSchema)]
struct Unconfirmed {
    policy: bool,
    columns: Vec<String>,
}

/// The command lines that do the same, in the session's folder.
#[derive(Serialize, JsonSchema)]
struct PlanCommands {
    check: String,
    confirm: String,
    anonymize: String,
    verify: String,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct PlanRequest {
    /// The whole plan, in the words of its schema.
    plan: Option<Value>,
    /// Or the text of its file.
    text: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
pub(super) struct ConfirmRequest {
    columns: Vec<String>,
    policy: bool,
    all: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SaveRequest {
    path: Option<String>,
    #[serde(default)]
    overwrite: bool,
}

impl IntoResponse for PlanView {
    fn into_response(self) -> Response {
        let etag = HeaderValue::from_str(&format!("\"{}\"", self.etag)).ok();
        let mut response = Json(self).into_response();
        etag.map(|etag| response.headers_mut().insert(header::ETAG, etag));
        response
    }
}

impl PlanView {
    pub(super) fn of(session: &WorkSession, document: &Document) -> ApiResult<PlanView> {
        let plan = document.plan();
        let columns = plan.columns.iter().filter(|column| !column.confirmed).map(|column| column.name.clone());
        Ok(PlanView {
            etag: document.etag(),
            plan: serde_json::to_value(plan).map_err(|_| ApiError::panicked())?,
            text: document.text().into(),
            saved: document.is_saved(),
            path: session.folder().name(document.path()),
            file_exists: document.has_file(),
            diff: document.diff(),
            undo: document.can_undo(),
            redo: document.can_redo(),
            unconfirmed: Unconfirmed { policy: !plan.policy.confirmed, columns: columns.collect() },
            commands: PlanCommands::of(session, document),
        })
    }
}

impl PlanCommands {
    fn of(session: &WorkSession, document: &Document) -> PlanCommands {
        let plan = quoted(&session.folder().name(document.path()));
        let release = document.plan().release.path.clone().unwrap_or_else(|| "release".into());
        let (target, release) = match document.plan().release.path {
            Some(_) => (String::new(), quoted(&release)),
            None => (" -o release".into(), "release".into()),
        };
        PlanCommands {
            check: format!("incrowd check {plan}"),
            confirm: format!("incrowd confirm {plan}"),
            anonymize: format!("incrowd anonymize {plan}{target}"),
            verify: format!("incrowd verify {release}"),
        }
    }
}

/// A word that a shell reads as one.
pub(super) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-,=+:@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

pub(super) async fn view(State(session): State<Arc<WorkSession>>) -> ApiResult<PlanView> {
    let table = session.table()?;
    let document = table.document();
    PlanView::of(&session, &document)
}

/// Changes the document, unless the page has not seen it as it is.
async fn change(
    session: Arc<WorkSession>,
    headers: &HeaderMap,
    change: impl FnOnce(&WorkSession, &mut Document) -> ApiResult<()> + Send + 'static,
) -> ApiResult<PlanView> {
    let etag = if_match(headers).map(str::to_owned);
    blocking(move || {
        let table = session.table()?;
        let mut document = table.document();
        document.expect(etag.as_deref())?;
        change(&session, &mut document)?;
        PlanView::of(&session, &document)
    })
    .await
}

pub(super) async fn put(
    State(session): State<Arc<WorkSession>>,
    headers: HeaderMap,
    Body(request): Body<PlanRequest>,
) -> ApiResult<PlanView> {
    change(session, &headers, move |_, document| match (request.plan, request.text) {
        (Some(plan), None) => {
            let plan = Plan::from_json(&plan.to_string()).map_err(ApiError::invalid)?;
            document.set_plan(&plan)
        }
        (None, Some(text)) => document.set_text(text),
        _ => Err(ApiError::invalid("give either the plan or its text")),
    })
    .await
}

pub(super) async fn confirm(
    State(session): State<Arc<WorkSession>>,
    headers: HeaderMap,
    Body(request): Body<ConfirmRequest>,
) -> ApiResult<PlanView> {
    change(session, &headers, move |_, document| {
        if request.all {
            return document.confirm(&[]);
        }
        if !request.columns.is_empty() {
            document.confirm(&request.columns)?;
        }
        if request.policy {
            let mut plan = document.plan().clone();
            plan.policy.confirmed = true;
            document.set_plan(&plan)?;
        }
        Ok(())
    })
    .await
}

pub(super) async fn undo(
    State(session): State<Arc<WorkSession>>,
    headers: HeaderMap,
    _: Body<Nothing>,
) -> ApiResult<PlanView> {
    change(session, &headers, |_, document| document.undo()).await
}

pub(super) async fn redo(
    State(session): State<Arc<WorkSession>>,
    headers: HeaderMap,
    _: Body<Nothing>,
) -> ApiResult<PlanView> {
    change(session, &headers, |_, document| document.redo()).await
}

pub(super) async fn save(
    State(session): State<Arc<WorkSession>>,
    headers: HeaderMap,
    Body(request): Body<SaveRequest>,
) -> ApiResult<PlanView> {
    change(session, &headers, move |session, document| {
        let name = request.path.clone().unwrap_or_else(|| session.folder().name(document.path()));
        let path = session.folder().place(&name)?;
        if path.extension().is_none_or(|ending| ending != "toml") {
            return Err(ApiError::invalid("the name of a plan ends in .toml"));
        }
        same_folder(document.path(), &path)?;
        document.save(Some(path.clone()), &name, request.overwrite)?;
        session.remember(&path);
        session.note(format!("The plan was saved to {name}."));
        Ok(())
    })
    .await
}

/// Names in a plan are relative to its file, so it is saved under another name only in the same folder.
fn same_folder(before: &Path, after: &Path) -> ApiResult<()> {
    if before.parent() == after.parent() {
        return Ok(());
    }
    Err(ApiError::invalid(
        "a plan can be saved under another name only in its own folder, because its file names are \
                           relative to it",
    ))
}
