//! Long work: progress, an early end, cancellation, and what came of it.
//!
//! A job runs on a thread of its own with an engine of its own; searches for candidates take [turns](SearchTurns). One
//! that panics ends as an error, and the server lives.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use incrowd::core::{Cancel, Progress, Stage};
use incrowd::{Engine, Settings};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::errors::{ApiError, ApiResult, ErrorBody};
use crate::turns::SearchTurns;

/// The jobs of a session.
#[derive(Default)]
pub(crate) struct JobBoard {
    list: Mutex<BTreeMap<u64, Arc<Job>>>,
    next: AtomicU64,
    turns: Arc<SearchTurns>,
}

/// The most jobs that are remembered; the oldest that has ended is forgotten first.
const MOST_REMEMBERED: usize = 200;
/// The most points of a curve.
const MOST_POINTS: usize = 400;

/// One piece of long work.
pub(crate) struct Job {
    id: u64,
    kind: JobKind,
    name: String,
    can_finish: bool,
    cancel: Cancel,
    state: Mutex<JobState>,
    /// Grows with every change, so that a reader sees whether there is something new.
    version: AtomicU64,
}

/// What a job does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum JobKind {
    Open,
    Count,
    Candidate,
    Lattice,
    Compare,
    Attack,
    Release,
    Verify,
    Report,
    Query,
}

/// Whether a job has ended, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum JobStatus {
    Running,
    Done,
    Failed,
    Cancelled,
}

struct JobState {
    /// When it was started, or when its turn came.
    began: Instant,
    status: JobStatus,
    stage: &'static str,
    done: u64,
    total: Option<u64>,
    curve: Vec<CurveStep>,
    warnings: Vec<String>,
    result: Option<Value>,
    error: Option<ErrorBody>,
    seconds: Option<f64>,
}

/// The best loss and the best bound at one moment of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CurveStep {
    /// Seconds since the job began.
    seconds: f64,
    /// The loss of the best classes so far.
    loss: Option<f64>,
    /// What any release loses at least.
    bound: Option<f64>,
}

/// A job as the page sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct JobView {
    pub(crate) id: u64,
    kind: JobKind,
    name: String,
    pub(crate) state: JobStatus,
    stage: &'static str,
    done: u64,
    total: Option<u64>,
    seconds: f64,
    curve: Vec<CurveStep>,
    can_finish: bool,
    warnings: Vec<String>,
    pub(crate) result: Option<Value>,
    pub(crate) error: Option<ErrorBody>,
}

/// What a request that starts a job answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Started {
    /// The job's id.
    pub(crate) job: u64,
}

impl JobView {
    /// Whether a table is being opened.
    pub(crate) fn is_opening(&self) -> bool {
        self.kind == JobKind::Open && self.state == JobStatus::Running
    }
}

impl JobBoard {
    /// Starts work on a thread of its own.
    pub(crate) fn start(
        &self,
        kind: JobKind,
        name: impl Into<String>,
        settings: &Settings,
        work: impl FnOnce(&Engine) -> ApiResult<Value> + Send + 'static,
    ) -> ApiResult<u64> {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let job = Arc::new(Job {
            id,
            kind,
            name: name.into(),
            can_finish: matches!(kind, JobKind::Candidate | JobKind::Release),
            cancel: Cancel::default(),
            state: Mutex::new(JobState::new()),
            version: AtomicU64::new(0),
        });
        let watched = Engine::watched(settings, job.cancel.clone(), Arc::new(JobProgress(job.clone())));
        let (engine, running) = (watched?, job.clone());
        let place = (kind == JobKind::Candidate).then(|| self.turns.join(id));
        let spawned = std::thread::Builder::new().name(format!("job-{id}")).spawn(move || {
            if let Some(place) = &place {
                running.change(|state| state.stage = "waiting for the candidates before it");
                place.wait(&running.cancel);
                running.change(|state| (state.stage, state.began) = ("starting", Instant::now()));
            }
            let ended = catch_unwind(AssertUnwindSafe(|| work(&engine)));
            drop(place);
            // Before the end is reported: temporary files are gone when the page reads it.
            drop(engine);
            running.end(ended.unwrap_or_else(|_| Err(ApiError::panicked())));
        });
        spawned.map_err(|_| ApiError::panicked())?;
        let mut list = lock(&self.list);
        list.insert(id, job);
        if list.len() > MOST_REMEMBERED {
            let oldest = list.iter().find(|(_, job)| job.has_ended()).map(|(id, _)| *id);
            oldest.map(|id| list.remove(&id));
        }
        Ok(id)
    }

    pub(crate) fn find(&self, id: u64) -> ApiResult<Arc<Job>> {
        lock(&self.list).get(&id).cloned().ok_or_else(|| ApiError::not_found(format!("there is no job {id}")))
    }

    pub(crate) fn views(&self) -> Vec<JobView> {
        lock(&self.list).values().map(|job| job.view()).collect()
    }

    pub(crate) fn is_busy(&self) -> bool {
        lock(&self.list).values().any(|job| !job.has_ended())
    }

    pub(crate) fn cancel_all(&self) {
        lock(&self.list).values().for_each(|job| job.cancel.cancel());
    }
}

impl JobState {
    fn new() -> JobState {
        JobState {
            began: Instant::now(),
            status: JobStatus::Running,
            stage: "starting",
            done: 0,
            total: None,
            curve: Vec::new(),
            warnings: Vec::new(),
            result: None,
            error: None,
            seconds: None,
        }
    }
}

impl Job {
    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Asks for the best result so far.
    pub(crate) fn finish_early(&self) {
        self.cancel.finish_early();
    }

    pub(crate) fn has_ended(&self) -> bool {
        lock(&self.state).status != JobStatus::Running
    }

    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(crate) fn view(&self) -> JobView {
        let state = lock(&self.state);
        JobView {
            id: self.id,
            kind: self.kind,
            name: self.name.clone(),
            state: state.status,
            stage: state.stage,
            done: state.done,
            total: state.total,
            seconds: state.seconds.unwrap_or_else(|| state.began.elapsed().as_secs_f64()),
            curve: state.curve.clone(),
            can_finish: self.can_finish && state.status == JobStatus::Running,
            warnings: state.warnings.clone(),
            result: state.result.clone(),
            error: state.error.clone(),
        }
    }

    fn end(&self, ended: ApiResult<Value>) {
        self.change(|state| {
            state.seconds = Some(state.began.elapsed().as_secs_f64());
            match ended {
                Ok(result) => (state.status, state.result) = (JobStatus::Done, Some(result)),
                Err(_) if self.cancel.is_cancelled() => state.status = JobStatus::Cancelled,
                Err(error) => (state.status, state.error) = (JobStatus::Failed, Some(error.body)),
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut JobState)) {
        change(&mut lock(&self.state));
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Adds a step to the curve; of a long one every other step is dropped.
    fn step(&self, loss: Option<f64>, bound: Option<f64>) {
        self.change(|state| {
            let last = state.curve.last().copied();
            let best = |new: Option<f64>, old: Option<f64>, better: fn(f64, f64) -> f64| match (new, old) {
                (Some(new), Some(old)) => Some(better(new, old)),
                (new, old) => new.or(old),
            };
            let step = CurveStep {
                seconds: state.began.elapsed().as_secs_f64(),
                loss: best(loss, last.and_then(|last| last.loss), f64::min),
                bound: best(bound, last.and_then(|last| last.bound), f64::max),
            };
            state.curve.push(step);
            if state.curve.len() > MOST_POINTS {
                let mut at = 0;
                state.curve.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                state.curve.push(step);
            }
        });
    }
}

/// Hears of the work of a job.
struct JobProgress(Arc<Job>);

impl Progress for JobProgress {
    fn update(&self, stage: Stage, done: u64, total: Option<u64>) {
        self.0.change(|state| (state.stage, state.done, state.total) = (stage.name(), done, total));
    }

    fn found_loss(&self, loss: f64) {
        self.0.step(Some(loss), None);
    }

    fn found_bound(&self, bound: f64) {
        self.0.step(None, Some(bound));
    }

    fn warn(&self, words: &str) {
        self.0.change(|state| state.warnings.push(words.into()));
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ended(work: impl FnOnce(&Engine) -> ApiResult<Value> + Send + 'static) -> JobView {
        let jobs = JobBoard::default();
        let id = jobs.start(JobKind::Open, "work", &Settings::default(), work).expect("started");
        let job = jobs.find(id).expect("a job");
        while !job.has_ended() {
            std::thread::sleep(Duration::from_millis(1));
        }
        job.view()
    }

    #[test]
    fn a_job_that_panics_ends_as_an_error_without_the_words_of_the_panic() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let view = ended(|_| panic!("canary value"));
        std::panic::set_hook(hook);
        assert_eq!(view.state, JobStatus::Failed);
        assert!(!serde_json::to_string(&view).expect("json").contains("canary"));
    }

    #[test]
    fn the_curve_of_a_job_shows_the_best_so_far_and_stays_short() {
        let view = ended(|engine| {
            let progress = engine.watch().progress;
            for step in 0..2_000 {
                progress.found_loss(1.0 / f64::from(step + 1));
            }
            progress.found_loss(0.9);
            progress.found_bound(0.0001);
            Ok(Value::Null)
        });
        assert!(view.curve.len() <= MOST_POINTS + 1);
        let last = view.curve.last().expect("a step");
        assert_eq!((last.loss, last.bound), (Some(1.0 / 2_000.0), Some(0.0001)));
    }

    #[test]
    fn a_cancelled_job_says_so() {
        let view = ended(|engine| {
            engine.watch().cancel.cancel();
            Err(ApiError::invalid("stopped"))
        });
        assert_eq!(view.state, JobStatus::Cancelled);
    }
}
