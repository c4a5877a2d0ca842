//! `--events FILE`: what a run does, one JSON object for each line, for the programs that watch over runs.
//!
//! - `begin`: the command and the version.
//! - `progress`: a stage and how much of it is done, at its first report and then at most once a second.
//! - `warning`: what a person is warned of.
//! - `end`: the exit status, the code of a failure, seconds, the memory that was used at most, and each stage with its
//!   first and last report. A run that was killed has no `end`.
//!
//! No line contains a value of a cell. Lines are appended, so that a file can hold many runs; they are told apart by `run`.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use incrowd::core::{Progress, Stage};
use serde::Serialize;
use serde_json::{Value, json};

use crate::files::open_lines;
use crate::printer::Failure;

/// The shortest time between two lines about a stage.
const BETWEEN: Duration = Duration::from_secs(1);
/// The file of this run, if there is one: the command opens it, its end is known after the command has returned.
static LOG: Mutex<Option<EventLog>> = Mutex::new(None);

struct EventLog {
    /// None if only a trace of the run is wanted.
    file: Option<File>,
    #[cfg_attr(not(feature = "telemetry"), expect(dead_code, reason = "only a trace needs it"))]
    command: &'static str,
    run: String,
    began: Instant,
    stages: Vec<StageSpan>,
    /// Figures that belong to the end.
    figures: Vec<(&'static str, u64)>,
}

/// How each line begins.
#[derive(Serialize)]
struct LineHead<'a> {
    time: String,
    run: &'a str,
    event: &'a str,
    #[serde(flatten)]
    fields: Value,
}

/// What was reported of a stage.
#[derive(Serialize)]
struct StageSpan {
    stage: &'static str,
    /// Seconds from the beginning of the run to the first and the last report.
    from: f64,
    to: f64,
    /// Rows, units of work of a search, or parts of what is sorted.
    done: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<u64>,
    #[serde(skip)]
    written: Instant,
}

impl EventLog {
    /// Appends a line. What cannot be written is lost: a full disk must not end a run that is about something else.
    fn line(&mut self, event: &str, fields: Value) {
        let line = LineHead { time: now(), run: &self.run, event, fields };
        if let (Ok(text), Some(file)) = (serde_json::to_string(&line), &mut self.file) {
            let _ = file.write_all(format!("{text}\n").as_bytes());
        }
    }

    fn progress(&mut self, stage: Stage, done: u64, of: Option<u64>) {
        let (now, since) = (Instant::now(), self.began.elapsed().as_secs_f64());
        let known = self.stages.iter_mut().find(|span| span.stage == stage.id());
        let is_due = match known {
            None => {
                self.stages.push(StageSpan { stage: stage.id(), from: since, to: since, done, of, written: now });
                true
            }
            Some(span) => {
                (span.to, span.done, span.of) = (since, done.max(span.done), of.or(span.of));
                let is_due = now.duration_since(span.written) >= BETWEEN;
                span.written = if is_due { now } else { span.written };
                is_due
            }
        };
        if is_due {
            self.line("progress", json!({ "stage": stage.id(), "done": done, "of": of }));
        }
    }
}

fn log() -> MutexGuard<'static, Option<EventLog>> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the file, if there is one, and writes the first line.
pub(crate) fn begin(path: Option<&Path>, command: &'static str) -> Result<(), Failure> {
    if path.is_none() && !traces() {
        return Ok(());
    }
    let file = path.map(|path| open_lines(path, "{\"time\":\"")).transpose()?;
    let began = Instant::now();
    let run = format!("{}-{}", milliseconds(), std::process::id());
    let mut opened = EventLog { file, command, run, began, stages: Vec::new(), figures: Vec::new() };
    opened.line("begin", json!({ "command": command, "version": env!("CARGO_PKG_VERSION") }));
    *log() = Some(opened);
    Ok(())
}

/// Adds a figure to the last line.
pub(crate) fn figure(name: &'static str, figure: u64) {
    if let Some(log) = log().as_mut() {
        log.figures.push((name, figure));
    }
}

/// Whether a trace of the run is wanted.
fn traces() -> bool {
    #[cfg(feature = "telemetry")]
    return crate::telemetry::is_wanted();
    #[cfg(not(feature = "telemetry"))]
    false
}

/// Sends the trace of a run that has ended, if one is wanted.
#[cfg(feature = "telemetry")]
fn trace(log: &EventLog, exit: u8, code: Option<&str>) {
    use crate::telemetry::{EndedRun, EndedStage};

    let stage = |span: &StageSpan| EndedStage { name: span.stage, from: span.from, to: span.to, done: span.done };
    let began = SystemTime::now().checked_sub(log.began.elapsed()).unwrap_or(UNIX_EPOCH);
    let stages = log.stages.iter().map(stage).collect();
    let run = EndedRun { command: log.command, began, exit, code, figures: &log.figures, stages };
    if let Err(why) = crate::telemetry::send(&run) {
        crate::printer::remark(&format!("warning: the trace of this run was not sent: {why}"));
    }
}

/// Writes the last line and closes the file.
pub(crate) fn end(exit: u8, code: Option<&str>) {
    let Some(mut log) = log().take() else { return };
    let mut fields = json!({ "exit": exit, "code": code, "seconds": log.began.elapsed().as_secs_f64() });
    if let Some(fields) = fields.as_object_mut() {
        fields.extend(log.figures.iter().map(|(name, figure)| ((*name).to_owned(), json!(figure))));
        fields.extend(peak_memory().map(|bytes| ("peak_memory_bytes".to_owned(), json!(bytes))));
        fields.insert("stages".into(), json!(log.stages));
    }
    log.line("end", fields);
    #[cfg(feature = "telemetry")]
    trace(&log, exit, code);
}

/// The most memory that the process has used, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
}

/// The time since 1970.
fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time, to the millisecond.
pub(crate) fn now() -> String {
    let time = chrono::DateTime::from_timestamp_millis(milliseconds()).unwrap_or_default();
    time.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The same progress, written to the file as well, if there is one.
pub(crate) fn watched(shown: Box<dyn Progress>) -> Box<dyn Progress> {
    if log().is_some() { Box::new(WatchedProgress(shown)) } else { shown }
}

struct WatchedProgress(Box<dyn Progress>);

impl Progress for WatchedProgress {
    fn update(&self, stage: Stage, done: u64, total: Option<u64>) {
        log().iter_mut().for_each(|log| log.progress(stage, done, total));
        self.0.update(stage, done, total);
    }

    fn tell(&self, words: &str) {
        self.0.tell(words);
    }

    fn found_loss(&self, loss: f64) {
        self.0.found_loss(loss);
    }

    fn found_bound(&self, bound: f64) {
        self.0.found_bound(bound);
    }

    fn warn(&self, words: &str) {
        log().iter_mut().for_each(|log| log.line("warning", json!({ "text": words })));
        self.0.warn(words);
    }
}
