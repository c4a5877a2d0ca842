//! What is open in a session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat};
use incrowd::request::{HierarchyPlan, Plan, folder_of};
use incrowd::{Engine, HierarchyEditor, LiveTable, Settings};
use schemars::JsonSchema;
use serde::Serialize;

use crate::candidate::ReleaseCandidate;
use crate::document::Document;
use crate::errors::{ApiError, ApiResult};
use crate::folder::Folder;
use crate::jobs::{JobBoard, JobKind, lock};
use crate::secrets::Secrets;

/// A session: one folder, one table or release at a time.
pub(crate) struct WorkSession {
    folder: Folder,
    settings: Settings,
    secrets: Secrets,
    port: u16,
    jobs: JobBoard,
    /// Answers questions that take no time, and holds the private folder of candidates.
    engine: Engine,
    table: RwLock<Option<Arc<OpenTable>>>,
    release: Mutex<Option<PathBuf>>,
    log: Mutex<Vec<LogEntry>>,
    recent: Mutex<Vec<PathBuf>>,
    began: Instant,
    /// Milliseconds after the beginning at which the last request came.
    last_request: AtomicU64,
    has_quit: AtomicBool,
    /// The server ends after this time without a request.
    pub(crate) patience: Duration,
}

/// A table that is open, with its plan.
pub(crate) struct OpenTable {
    pub(crate) path: PathBuf,
    /// The plan. Locked for as short as possible: every request reads it.
    document: Mutex<Document>,
    live: RwLock<Arc<LiveTable>>,
    /// A job that counts the table for other roles.
    pub(crate) recount: Mutex<Option<u64>>,
    revealed: Mutex<BTreeSet<String>>,
    pub(crate) editors: Mutex<BTreeMap<String, HierarchyEditor>>,
    pub(crate) candidates: Mutex<BTreeMap<u64, ReleaseCandidate>>,
}

/// A line of the session's log. Never a cell's value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LogEntry {
    time: String,
    words: String,
}

impl WorkSession {
    pub(crate) fn new(
        folder: Folder,
        settings: Settings,
        port: u16,
        secrets: Secrets,
        patience: Duration,
    ) -> Result<WorkSession, incrowd::Error> {
        Ok(WorkSession {
            engine: Engine::new(&settings)?,
            folder,
            settings,
            secrets,
            port,
            jobs: JobBoard::default(),
            table: RwLock::default(),
            release: Mutex::default(),
            log: Mutex::default(),
            recent: Mutex::default(),
            began: Instant::now(),
            last_request: AtomicU64::new(0),
            has_quit: AtomicBool::new(false),
            patience,
        })
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(crate) fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn jobs(&self) -> &JobBoard {
        &self.jobs
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn is_our_host(&self, host: &str) -> bool {
        host == format!("127.0.0.1:{}", self.port) || host == format!("[::1]:{}", self.port)
    }

    pub(crate) fn note_request(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_request.store(now, Ordering::Relaxed);
    }

    /// How long nobody asked anything.
    pub(crate) fn idle(&self) -> Duration {
        self.began.elapsed().saturating_sub(Duration::from_millis(self.last_request.load(Ordering::Relaxed)))
    }

    pub(crate) fn quit(&self) {
        self.jobs.cancel_all();
        self.has_quit.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_quit(&self) -> bool {
        self.has_quit.load(Ordering::Relaxed)
    }

    /// Notes what was done.
    pub(crate) fn note(&self, words: impl Into<String>) {
        let time = DateTime::from_timestamp(now(), 0).map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true));
        lock(&self.log).push(LogEntry { time: time.unwrap_or_default(), words: words.into() });
    }

    pub(crate) fn log(&self) -> Vec<LogEntry> {
        lock(&self.log).clone()
    }

    /// The table that is open.
    pub(crate) fn table(&self) -> ApiResult<Arc<OpenTable>> {
        let table = self.table.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        table.clone().ok_or_else(ApiError::nothing_open)
    }

    pub(crate) fn set_table(&self, table: Option<OpenTable>) {
        if let Some(table) = &table {
            self.remember(&table.path);
        }
        *self.table.write().unwrap_or_else(std::sync::PoisonError::into_inner) = table.map(Arc::new);
    }

    /// The release that was opened or made last.
    pub(crate) fn release(&self) -> Option<PathBuf> {
        lock(&self.release).clone()
    }

    pub(crate) fn set_release(&self, release: Option<PathBuf>) {
        release.iter().for_each(|release| self.remember(release));
        *lock(&self.release) = release;
    }

    pub(crate) fn recent(&self) -> Vec<PathBuf> {
        lock(&self.recent).clone()
    }

    pub(crate) fn remember(&self, path: &Path) {
        let mut recent = lock(&self.recent);
        recent.retain(|known| known != path);
        recent.insert(0, path.to_owned());
        recent.truncate(10);
    }

    /// Refuses a plan whose files are not below the session's folder: hierarchies that it reads, a ledger that it writes.
    pub(crate) fn refuse_files_outside(&self, plan: &Plan, plan_folder: &Path) -> ApiResult<()> {
        let of_columns = plan.columns.iter().filter_map(|column| match &column.hierarchy {
            Some(HierarchyPlan::File(file) | HierarchyPlan::RaggedFile(file)) => Some(file),
            _ => None,
        });
        let of_rules = plan.policy.rules.iter().filter_map(|rule| rule.hierarchy.as_ref());
        let population = plan.population.path.as_ref();
        for file in of_columns.chain(of_rules).chain(population) {
            self.folder.existing(&self.folder.name(&plan_folder.join(file)))?;
        }
        if let Some(ledger) = &plan.release.ledger {
            self.folder.place(&self.folder.name(&plan_folder.join(ledger)))?;
        }
        Ok(())
    }

    /// Starts long work about this session.
    pub(crate) fn start(
        self: &Arc<Self>,
        kind: JobKind,
        name: impl Into<String>,
        work: impl FnOnce(&Arc<WorkSession>, &Engine) -> ApiResult<serde_json::Value> + Send + 'static,
    ) -> ApiResult<u64> {
        let session = self.clone();
        self.jobs.start(kind, name, &self.settings, move |engine| work(&session, engine))
    }
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or(0)
}

impl OpenTable {
    pub(crate) fn new(path: PathBuf, document: Document, live: LiveTable) -> OpenTable {
        OpenTable {
            path,
            document: Mutex::new(document),
            live: RwLock::new(Arc::new(live)),
            recount: Mutex::default(),
            revealed: Mutex::default(),
            editors: Mutex::default(),
            candidates: Mutex::default(),
        }
    }

    pub(crate) fn document(&self) -> MutexGuard<'_, Document> {
        lock(&self.document)
    }

    /// The plan as it is now, and the text's tag.
    pub(crate) fn plan(&self) -> (Plan, String) {
        let document = self.document();
        (document.plan().clone(), document.etag())
    }

    /// The folder that names in the plan are relative to.
    pub(crate) fn plan_folder(&self) -> PathBuf {
        folder_of(self.document().path()).to_owned()
    }

    pub(crate) fn live(&self) -> Arc<LiveTable> {
        self.live.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    pub(crate) fn set_live(&self, live: LiveTable) {
        *self.live.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::new(live);
    }

    pub(crate) fn reveal(&self, column: &str) {
        lock(&self.revealed).insert(column.into());
    }

    pub(crate) fn is_revealed(&self, column: &str) -> bool {
        lock(&self.revealed).contains(column)
    }

    pub(crate) fn revealed(&self) -> Vec<String> {
        lock(&self.revealed).iter().cloned().collect()
    }
}
