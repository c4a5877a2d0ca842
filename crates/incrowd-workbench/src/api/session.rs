//! The session itself.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::Body;
use crate::errors::ApiResult;
use crate::session::{LogEntry, WorkSession};

/// What is open.
#[derive(Serialize, JsonSchema)]
pub(super) struct SessionView {
    version: &'static str,
    folder: String,
    opened: Option<OpenedView>,
    /// The columns whose values are shown.
    revealed: Vec<String>,
    /// The tuples are in memory: questions about roles are answered at once.
    counted: bool,
    /// The plan has entries that are not confirmed.
    draft: bool,
    /// Minutes without a request after which the server ends.
    idle_minutes: u64,
    /// The job that opens a table now.
    opening: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct OpenedView {
    kind: &'static str,
    path: String,
    name: String,
}

/// An empty body.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Nothing {}

#[derive(Serialize, JsonSchema)]
pub(super) struct LogView {
    entries: Vec<LogEntry>,
}

pub(super) async fn view(State(session): State<Arc<WorkSession>>) -> Json<SessionView> {
    Json(state(&session))
}

fn state(session: &WorkSession) -> SessionView {
    let table = session.table().ok();
    let named = |kind: &'static str, path: &std::path::Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        OpenedView { kind, path: session.folder().name(path), name }
    };
    let opened = match (&table, session.release()) {
        (Some(table), _) => Some(named("table", &table.path)),
        (None, Some(release)) => Some(named("release", &release)),
        (None, None) => None,
    };
    let jobs = session.jobs().views();
    let opening = jobs.iter().rev().find(|job| job.is_opening()).map(|job| job.id);
    SessionView {
        version: env!("CARGO_PKG_VERSION"),
        folder: session.folder().root().display().to_string(),
        opened,
        revealed: table.as_ref().map(|table| table.revealed()).unwrap_or_default(),
        counted: table.as_ref().is_some_and(|table| table.live().tuples().is_some()),
        draft: table.as_ref().is_some_and(|table| table.document().plan().is_draft()),
        idle_minutes: session.patience.as_secs() / 60,
        opening,
    }
}

pub(super) async fn close(State(session): State<Arc<WorkSession>>, _: Body<Nothing>) -> Json<SessionView> {
    session.set_table(None);
    session.set_release(None);
    session.note("The table was closed.");
    Json(state(&session))
}

pub(super) async fn quit(State(session): State<Arc<WorkSession>>, _: Body<Nothing>) -> ApiResult<Json<SessionView>> {
    let view = state(&session);
    session.quit();
    Ok(Json(view))
}

pub(super) async fn log(State(session): State<Arc<WorkSession>>) -> Json<LogView> {
    Json(LogView { entries: session.log() })
}
