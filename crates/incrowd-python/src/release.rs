//! Making a release, and asking one.

#![allow(clippy::needless_pass_by_value, reason = "arguments of Python functions are taken by value")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd::attack::AttackOptions;
use incrowd::compare::{CompareOptions, Workload};
use incrowd::core::Watch;
use incrowd::plan::format_named;
use incrowd::query::{Estimator, QueryOptions, original_options, parse_query, query, query_against};
use incrowd::report::{ReportOptions, report};
use incrowd::{Engine, Error, Format, OpenedRelease, ReadOptions, Source, VerifyOptions};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{raised, refused, untold};
use crate::frame::Frame;
use crate::given::{Given, Table};
use crate::scratch::{Scratch, read_arrow, write_arrow};

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(anonymize, module)?)?;
    module.add_function(wrap_pyfunction!(verify, module)?)?;
    module.add_function(wrap_pyfunction!(attack, module)?)?;
    module.add_function(wrap_pyfunction!(compare, module)?)?;
    module.add_function(wrap_pyfunction!(ask, module)?)?;
    module.add_function(wrap_pyfunction!(write_report, module)?)?;
    module.add_function(wrap_pyfunction!(save, module)?)?;
    module.add_function(wrap_pyfunction!(tables, module)?)?;
    module.add_function(wrap_pyfunction!(manifest, module)?)?;
    module.add_function(wrap_pyfunction!(record, module)?)?;
    module.add_function(wrap_pyfunction!(explain_value, module)?)
}

/// Solves, recodes, writes, verifies and publishes into the folder named.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "each is a word of the Python call")]
fn anonymize(
    py: Python<'_>,
    table: Table,
    given: Given,
    target: PathBuf,
    format: Option<String>,
    bound: bool,
    force: bool,
    repeat: Option<PathBuf>,
) -> PyResult<String> {
    let plan = given.plan(py)?;
    let told = given.work(py, |engine| {
        let source = table.open(engine, given.reading(&plan))?;
        let said = format.as_deref().or(plan.release.format.as_deref()).and_then(format_named);
        let mut options = plan.anonymize_options(&given.folder)?;
        options.format = said.unwrap_or_else(|| source.format());
        options.reading = given.reading(&plan);
        (options.bound, options.force) = (bound, force);
        options.repeat = repeat;
        Ok(serde_json::to_string(&incrowd::anonymize(engine, &source, &options, &target)?))
    })?;
    told.map_err(|_| untold(py))
}

/// Is this folder a release that keeps what it promises? A frame that it is held against stands in a private file for as
/// long as it is read.
#[pyfunction]
fn verify(
    py: Python<'_>,
    release: PathBuf,
    given: Given,
    against: Option<Table>,
    hierarchies: BTreeMap<String, PathBuf>,
) -> PyResult<String> {
    let plan = given.plan(py)?;
    given.watched(py, |watch: &Watch| {
        let reading = given.reading(&plan);
        let mut scratch = None;
        let against = match against {
            None => None,
            Some(Table::Named(name)) => Some(PathBuf::from(name)),
            Some(Table::Held(frame)) => {
                let folder = scratch.insert(Scratch::new(frame_bytes(&frame))?);
                let file = folder.path().join("original.arrow");
                write_arrow(&frame, &file)?;
                Some(file)
            }
        };
        let options = VerifyOptions {
            against,
            delimiter: reading.delimiter,
            header: reading.header,
            nulls: reading.nulls,
            date_formats: reading.date_formats,
            hierarchies,
            watch: watch.clone(),
            memory: given.memory,
            ..VerifyOptions::default()
        };
        let verdict = incrowd::verify(&release, &options)?;
        let mut told = serde_json::to_value(&verdict).unwrap_or_default();
        told["sql"] = json!(incrowd::manifest(&release, None)?.map(|manifest| incrowd::sql(&manifest)));
        Ok(told.to_string())
    })
}

fn frame_bytes(frame: &Frame) -> usize {
    frame.batches.iter().map(arrow::array::RecordBatch::get_array_memory_size).sum()
}

/// Opens a table beside a release: read as the record says the original was, unless told otherwise.
fn beside(
    engine: &Engine,
    table: Option<&Table>,
    (release, record): (&Path, Option<&Path>),
    said: &ReadOptions,
) -> incrowd::Result<Option<Source>> {
    let open = |table: &Table| table.open(engine, original_options(release, record, said.clone())?);
    table.map(open).transpose()
}

/// What does an adversary get out of a release?
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the words of the command line")]
fn attack(
    py: Python<'_>,
    release: PathBuf,
    given: Given,
    against: Option<Table>,
    register: Option<Table>,
    also: Option<PathBuf>,
    hierarchies: BTreeMap<String, PathBuf>,
    risk: Option<f64>,
    record: Option<PathBuf>,
) -> PyResult<String> {
    let plan = given.plan(py)?;
    given.work(py, |engine| {
        let reading = given.reading(&plan);
        let place = (release.as_path(), record.as_deref());
        let original = beside(engine, against.as_ref(), place, &reading)?;
        let register = beside(engine, register.as_ref(), place, &reading)?;
        let options = AttackOptions {
            against: original.as_ref(),
            register: register.as_ref(),
            also,
            hierarchies,
            record: record.clone(),
            risk,
            thresholds: plan.limits(),
        };
        let attacked = incrowd::attack::attack(engine, &release, &options)?;
        let mut told = serde_json::to_value(&attacked).unwrap_or_default();
        told["clean"] = json!(attacked.evaluation.is_met());
        Ok(told.to_string())
    })
}

/// Which questions `compare` asks, and what a classifier guesses.
#[derive(FromPyObject)]
struct Asked {
    queries: usize,
    dimensionality: usize,
    selectivity: f64,
    seed: u64,
    target: Option<String>,
    hierarchies: BTreeMap<String, PathBuf>,
}

/// Holds releases against the table they were made from.
#[pyfunction]
fn compare(py: Python<'_>, table: Table, releases: Vec<PathBuf>, given: Given, asked: Asked) -> PyResult<String> {
    let plan = given.plan(py)?;
    let Some(first) = releases.first().cloned() else {
        return Err(raised(py, "IC504", "no release is named", "name at least one", None));
    };
    if asked.selectivity <= 0.0 {
        let message = "questions of no selectivity count no row";
        return Err(raised(py, "IC507", message, "say selectivity=0.05, for example", None));
    }
    let told = given.work(py, |engine| {
        let original = table.open(engine, original_options(&first, None, given.reading(&plan))?)?;
        let options = CompareOptions {
            workload: Workload {
                queries: asked.queries,
                dimensionality: asked.dimensionality,
                selectivity: asked.selectivity,
                seed: asked.seed,
            },
            target: asked.target,
            hierarchies: asked.hierarchies,
        };
        Ok(serde_json::to_string(&incrowd::compare::compare(engine, &original, &releases, &options)?))
    })?;
    told.map_err(|_| untold(py))
}

/// What would the original have answered?
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the words of the command line")]
fn ask(
    py: Python<'_>,
    release: PathBuf,
    sql: String,
    given: Given,
    estimator: Option<String>,
    against: Option<Table>,
    hierarchies: BTreeMap<String, PathBuf>,
    record: Option<PathBuf>,
) -> PyResult<String> {
    let plan = given.plan(py)?;
    let estimator = match estimator {
        None => None,
        Some(word) => Some(Estimator::ALL.into_iter().find(|one| one.name() == word).ok_or_else(|| {
            let known = Estimator::ALL.map(Estimator::name).to_vec();
            refused(py, &Error::UnknownWord { what: "estimator", word, known })
        })?),
    };
    let told = given.work(py, |engine| {
        let asked = parse_query(&sql)?;
        let place = (release.as_path(), record.as_deref());
        let original = beside(engine, against.as_ref(), place, &given.reading(&plan))?;
        let options = QueryOptions { estimator, hierarchies, record: record.clone() };
        let answered = match original {
            None => query(engine, &release, &asked, &options)?,
            Some(original) => query_against(engine, &release, &original, &asked, &options)?,
        };
        Ok(serde_json::to_string(&answered))
    })?;
    told.map_err(|_| untold(py))
}

/// Writes the report of a release into a folder.
#[pyfunction]
fn write_report(
    py: Python<'_>,
    release: PathBuf,
    folder: PathBuf,
    given: Given,
    against: Option<Table>,
    risk: Option<f64>,
    verify: bool,
) -> PyResult<()> {
    let plan = given.plan(py)?;
    given.work(py, |engine| {
        let original = beside(engine, against.as_ref(), (release.as_path(), None), &given.reading(&plan))?;
        let context = plan.context.dossier();
        let options = ReportOptions { against: original.as_ref(), verify, risk, context, command: None, force: false };
        report(engine, &release, &options, &folder).map(|_| ())
    })
}

/// Copies a release and its record to another place, verified there before it bears its name.
#[pyfunction]
fn save(py: Python<'_>, release: PathBuf, target: PathBuf, force: bool) -> PyResult<()> {
    let copied = py.detach(|| incrowd::copy_release(&release, &target, force));
    copied.map(|_| ()).map_err(|error| refused(py, &error))
}

/// The tables of a release that is written as Arrow, decoded from its verified bytes; nothing for other formats.
#[pyfunction]
fn tables(py: Python<'_>, release: PathBuf) -> PyResult<Option<Vec<Frame>>> {
    let read = || {
        let opened = OpenedRelease::open(&release, None)?;
        let manifest = opened.manifest();
        let is_arrow = |name: &str| Path::new(name).extension().is_some_and(|ending| ending == "arrow");
        if !manifest.files.iter().all(|file| is_arrow(&file.name)) {
            return Ok(None);
        }
        let frame = |(schema, batches)| Frame { schema, batches };
        let files = manifest.files.iter().map(|file| read_arrow(&opened.path(file)).map(frame));
        files.collect::<incrowd::Result<Vec<_>>>().map(Some)
    };
    py.detach(read).map_err(|error| refused(py, &error))
}

/// The manifest of a release.
#[pyfunction]
fn manifest(py: Python<'_>, release: PathBuf) -> PyResult<String> {
    let opened = OpenedRelease::open(&release, None).map_err(|error| refused(py, &error))?;
    serde_json::to_string(opened.manifest()).map_err(|_| untold(py))
}

/// The custodian's record of a release, if it is beside it.
#[pyfunction]
fn record(py: Python<'_>, release: PathBuf) -> PyResult<Option<String>> {
    let opened = OpenedRelease::open(&release, None).map_err(|error| refused(py, &error))?;
    opened.record().map(|record| serde_json::to_string(record).map_err(|_| untold(py))).transpose()
}

/// Why a column of a release, or one of its published values, is published as it is.
#[pyfunction]
fn explain_value(py: Python<'_>, release: PathBuf, column: String, value: Option<String>) -> PyResult<String> {
    let told = incrowd::explain_value(&release, &column, value.as_deref()).map_err(|error| refused(py, &error))?;
    serde_json::to_string(&told).map_err(|_| untold(py))
}

/// The formats that a release can be written in.
pub(crate) const FORMATS: [Format; 3] = [Format::Csv, Format::Parquet, Format::Arrow];
