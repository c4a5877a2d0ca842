//! Opening a table, a plan or a release.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use incrowd::request::{FILE_NAME, Plan, draft, folder_of, format_named};
use incrowd::{CellRange, Declared, Engine, LiveTable, OpenedRelease, ReadOptions, SheetOptions, Source, TextEncoding};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::accepted;
use super::body::Body;
use super::files::FileKind;
use crate::document::Document;
use crate::errors::{ApiError, ApiResult};
use crate::jobs::{JobKind, Started};
use crate::session::{OpenTable, WorkSession};

/// The k of a drafted plan.
const USUAL_K: u64 = 5;

#[derive(Deserialize, JsonSchema)]
pub(super) struct OpenRequest {
    /// A table, a plan or the folder of a release.
    path: String,
    #[serde(default)]
    reading: ReadingRequest,
}

/// How a text is read, where that is not detected.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ReadingRequest {
    delimiter: Option<char>,
    header: Option<bool>,
    nulls: Vec<String>,
    format: Option<String>,
    encoding: Option<String>,
    /// Columns whose numbers have a decimal comma.
    decimal_commas: Vec<String>,
    /// The sheet of a workbook.
    sheet: Option<String>,
    /// The cells of a sheet that are the table.
    range: Option<String>,
}

impl ReadingRequest {
    fn options(&self) -> ApiResult<ReadOptions> {
        let delimiter = self.delimiter.map(u8::try_from).transpose();
        let delimiter = delimiter.map_err(|_| ApiError::invalid("the delimiter has to be an ASCII character"))?;
        let format = match &self.format {
            Some(word) => Some(format_named(word).ok_or_else(|| ApiError::invalid("unknown format"))?),
            None => None,
        };
        let encoding = match &self.encoding {
            Some(word) => Some(TextEncoding::named(word).ok_or_else(|| ApiError::invalid("unknown encoding"))?),
            None => None,
        };
        let range = self.range.as_ref().map(|range| range.parse::<CellRange>()).transpose();
        let range = range.map_err(|()| ApiError::invalid("the range has to be one such as B3:F200"))?;
        Ok(ReadOptions {
            sheet: SheetOptions { sheet: self.sheet.clone(), range },
            delimiter,
            header: self.header,
            nulls: self.nulls.clone(),
            format,
            encoding,
            decimal_commas: self.decimal_commas.clone(),
            ..ReadOptions::default()
        })
    }
}

pub(super) async fn open(
    State(session): State<Arc<WorkSession>>,
    Body(request): Body<OpenRequest>,
) -> ApiResult<(StatusCode, Json<Started>)> {
    let job = start(&session, &request.path, &request.reading)?;
    Ok(accepted(job))
}

/// Opens what was named when the server was started.
pub(crate) fn open_at_start(session: &Arc<WorkSession>, name: &str) -> ApiResult<u64> {
    start(session, name, &ReadingRequest::default())
}

fn start(session: &Arc<WorkSession>, name: &str, reading: &ReadingRequest) -> ApiResult<u64> {
    let path = session.folder().existing(name)?;
    let options = reading.options()?;
    let kind = FileKind::of(&path);
    let shown = session.folder().name(&path);
    session.start(JobKind::Open, format!("Open {shown}"), move |session, engine| match kind {
        FileKind::Release => open_release(session, &path),
        FileKind::Plan => open_plan(session, engine, &path),
        FileKind::Folder => Err(ApiError::invalid(format!("{shown} is a folder without a release"))),
        _ => open_table(session, engine, path, &options),
    })
}

fn open_release(session: &WorkSession, path: &Path) -> ApiResult<Value> {
    OpenedRelease::open(path, None)?;
    session.set_table(None);
    session.set_release(Some(path.to_owned()));
    let name = session.folder().name(path);
    session.note(format!("The release {name} was opened."));
    Ok(json!({ "kind": "release", "path": name }))
}

fn open_plan(session: &WorkSession, engine: &Engine, path: &Path) -> ApiResult<Value> {
    let document = Document::read(path.to_owned())?;
    let plan = document.plan().clone().seen_from(folder_of(path));
    // A plan can name any file; only those below the folder are opened.
    let table = session.folder().existing(&relative(session, Path::new(&plan.source.path))?)?;
    let source = Source::open(engine, &table.display().to_string(), plan.read_options())?;
    let live = LiveTable::read(engine, source, &plan.declared())?;
    opened(session, table, document, live)
}

fn open_table(session: &WorkSession, engine: &Engine, path: PathBuf, options: &ReadOptions) -> ApiResult<Value> {
    let source = Source::open(engine, &path.display().to_string(), options.clone())?;
    let live = LiveTable::read(engine, source, &Declared::default())?;
    let columns = live.columns(&Declared::default())?;
    let plan_path = free_plan_path(&path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = draft(live.source(), &name, options, live.profiles(), &columns, USUAL_K);
    opened(session, path, Document::draft(text, plan_path)?, live)
}

fn opened(session: &WorkSession, path: PathBuf, document: Document, live: LiveTable) -> ApiResult<Value> {
    let (name, plan) = (session.folder().name(&path), session.folder().name(document.path()));
    session.set_release(None);
    session.set_table(Some(OpenTable::new(path, document, live)));
    session.note(format!("The table {name} was opened."));
    Ok(json!({ "kind": "table", "path": name, "plan_path": plan }))
}

/// A place for the plan beside the table where no file is.
fn free_plan_path(table: &Path) -> PathBuf {
    let usual = table.with_file_name(FILE_NAME);
    if !usual.exists() {
        return usual;
    }
    let stem = table.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let numbered =
        (1..).map(|number| if number == 1 { format!("{stem}.toml") } else { format!("{stem}-{number}.toml") });
    let mut free = numbered.map(|name| table.with_file_name(name)).filter(|path| !path.exists());
    free.next().unwrap_or(usual)
}

/// A path as a name below the session's folder.
fn relative(session: &WorkSession, path: &Path) -> ApiResult<String> {
    let resolved = path.canonicalize().map_err(|_| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ApiError::not_found(format!("the table {name} of the plan does not exist"))
    })?;
    Ok(session.folder().name(&resolved))
}

/// The table of the plan is read again, because its roles need other tuples.
pub(super) fn recount(session: &Arc<WorkSession>, table: &Arc<OpenTable>, plan: Plan) -> ApiResult<u64> {
    let mut running = crate::jobs::lock(&table.recount);
    if let Some(job) = running.filter(|job| session.jobs().find(*job).is_ok_and(|job| !job.has_ended())) {
        return Ok(job);
    }
    let open = table.clone();
    let job = session.start(JobKind::Count, "Count the table for these roles", move |_, engine| {
        let source = Source::open(engine, &open.path.display().to_string(), plan.read_options())?;
        open.set_live(LiveTable::read(engine, source, &plan.declared())?);
        Ok(Value::Null)
    })?;
    *running = Some(job);
    Ok(job)
}
