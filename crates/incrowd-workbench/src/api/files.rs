//! The files below the session's folder.

use std::path::Path;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use chrono::{DateTime, SecondsFormat};
use incrowd::OpenedRelease;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blocking;
use crate::errors::{ApiError, ApiResult};
use crate::session::WorkSession;

/// The most entries of a folder that are listed.
const MOST_ENTRIES: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
pub(super) struct FolderQuery {
    /// The folder; that of the session when left out.
    folder: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct FileList {
    folder: String,
    parent: Option<String>,
    entries: Vec<FileView>,
    recent: Vec<RecentView>,
    /// There are more entries than are listed.
    cut: bool,
}

#[derive(Serialize, JsonSchema)]
struct FileView {
    name: String,
    path: String,
    kind: FileKind,
    bytes: u64,
    modified: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct RecentView {
    path: String,
    kind: FileKind,
    name: String,
}

/// What a file or folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FileKind {
    Plan,
    Table,
    Release,
    Folder,
    Hierarchy,
    Other,
}

impl FileKind {
    /// What a path is, by its name and, for a folder, by what is in it.
    pub(super) fn of(path: &Path) -> FileKind {
        if path.is_dir() {
            return if OpenedRelease::is_at(path) { FileKind::Release } else { FileKind::Folder };
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let plain = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        let in_hierarchies = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "hierarchies");
        match plain.rsplit_once('.').map(|(_, ending)| ending) {
            Some("toml") => FileKind::Plan,
            Some("csv") if in_hierarchies => FileKind::Hierarchy,
            Some("csv" | "tsv" | "txt" | "parquet" | "arrow" | "ipc" | "feather") => FileKind::Table,
            Some("xlsx" | "xlsm" | "xlsb" | "xls" | "ods") => FileKind::Table,
            Some("dta" | "sav" | "zsav" | "xpt") => FileKind::Table,
            _ => FileKind::Other,
        }
    }
}

pub(super) async fn list(
    State(session): State<Arc<WorkSession>>,
    Query(query): Query<FolderQuery>,
) -> ApiResult<Json<FileList>> {
    blocking(move || list_of(&session, query.folder.as_deref().unwrap_or_default()).map(Json)).await
}

fn list_of(session: &WorkSession, name: &str) -> ApiResult<FileList> {
    let folder = session.folder().existing(name)?;
    let failed = |error: std::io::Error| ApiError::from(incrowd::Error::file(&folder, &error));
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)?.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        // Hidden files are none of the user's tables; links that lead out cannot be opened.
        let shown = session.folder().name(&path);
        if name.starts_with('.') || session.folder().existing(&shown).is_err() {
            continue;
        }
        let facts = entry.metadata().ok();
        let modified = facts.as_ref().and_then(|facts| facts.modified().ok());
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let seconds = since.and_then(|since| i64::try_from(since.as_secs()).ok());
        let time = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        entries.push(FileView {
            kind: FileKind::of(&path),
            path: shown,
            name,
            bytes: facts.map_or(0, |facts| facts.len()),
            modified: time.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true)),
        });
    }
    entries.sort_by_key(|entry| (entry.kind, entry.name.to_lowercase()));
    let cut = entries.len() > MOST_ENTRIES;
    entries.truncate(MOST_ENTRIES);
    let is_root = folder.canonicalize().is_ok_and(|here| here == session.folder().root());
    let parent = (!is_root).then(|| folder.parent().map(|parent| session.folder().name(parent)).unwrap_or_default());
    let recent = session.recent();
    let recent = recent.iter().map(|path| RecentView {
        path: session.folder().name(path),
        kind: FileKind::of(path),
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    });
    Ok(FileList { folder: session.folder().name(&folder), parent, entries, recent: recent.collect(), cut })
}
