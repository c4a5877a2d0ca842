//! Making a release, and asking one.
//!
//! A release of a frame is written as Arrow into a private folder, as any other release is, with both verifications and
//! the search for removed values, and decoded from there.

#![allow(clippy::needless_pass_by_value, reason = "arguments of Python functions are taken by value")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd::attack::AttackOptions;
use incrowd::compare::{CompareOptions, Workload};
use incrowd::core::Watch;
use incrowd::query::{Estimator, QueryOptions, original_options, parse_query, query, query_against};
use incrowd::report::{ReportOptions, report};
use incrowd::request::{Missing, Plan};
use incrowd::{Engine, Error, Format, OpenedRelease, ReadOptions, Source, VerifyOptions};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{raised, refused, unwritable};
use crate::frame::Frame;
use crate::given::{GivenTable, PythonCall};
use crate::scratch::{ScratchFolder, read_arrow, write_arrow};

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(anonymize, module)?)?;
    module.add_function(wrap_pyfunction!(anonymize_tables, module)?)?;
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
fn anonymize(py: Python<'_>, table: GivenTable, given: PythonCall, target: PathBuf) -> PyResult<String> {
    let plan = given.request(py)?;
    refuse_missing(py, &plan)?;
    let answer = given.work(py, &plan, |engine| {
        let source = table.open(engine, plan.read_options())?;
        let options = plan.options(source.format())?;
        Ok(serde_json::to_string(&incrowd::anonymize(engine, &source, &options, &target)?))
    })?;
    answer.map_err(|_| unwritable(py))
}

/// Releases the tables of a plan together, into the folder named.
#[pyfunction]
fn anonymize_tables(py: Python<'_>, given: PythonCall, target: PathBuf) -> PyResult<String> {
    let plan = given.request(py)?;
    refuse_missing(py, &plan)?;
    let answer = given.work(py, &plan, |engine| {
        let tables = incrowd::LinkedTable::open_all(engine, &plan)?;
        Ok(serde_json::to_string(&incrowd::anonymize_tables(engine, &tables, &target)?))
    })?;
    answer.map_err(|_| unwritable(py))
}

/// Refuses a request that leaves out what a release needs, in the words of a call.
fn refuse_missing(py: Python<'_>, plan: &Plan) -> PyResult<()> {
    let (message, hint) = match plan.missing() {
        None => return Ok(()),
        Some(Missing::K) => ("missing k", "give k=N, the minimum number of people per class"),
        Some(Missing::SensitiveColumns) => ("p=, l= and t= need sensitive columns", "name them with sensitive=[…]"),
    };
    Err(raised(py, "IC504", message, hint, None))
}

/// Checks whether a release keeps its promises. A frame that it is compared with is in a private file while it is read.
#[pyfunction]
fn verify(
    py: Python<'_>,
    release: PathBuf,
    given: PythonCall,
    against: Option<GivenTable>,
    hierarchies: BTreeMap<String, PathBuf>,
    population: Option<PathBuf>,
) -> PyResult<String> {
    let plan = given.request(py)?;
    given.watched(py, |watch: &Watch| {
        let reading = plan.read_options();
        let mut scratch = None;
        let against = match against {
            None => None,
            Some(GivenTable::Named(name)) => Some(PathBuf::from(name)),
            Some(GivenTable::Held(frame)) => {
                let folder = scratch.insert(ScratchFolder::new(frame_bytes(&frame))?);
                let file = folder.path().join("original.arrow");
                write_arrow(&frame, &file)?;
                Some(file)
            }
        };
        let options = VerifyOptions {
            against,
            population,
            delimiter: reading.delimiter,
            encoding: reading.encoding.map(|encoding| encoding.name().into()),
            header: reading.header,
            nulls: reading.nulls,
            date_formats: reading.date_formats,
            decimal_commas: reading.decimal_commas,
            hierarchies,
            watch: watch.clone(),
            memory: plan.settings().memory,
            ..VerifyOptions::default()
        };
        let verdict = incrowd::verify(&release, &options)?;
        let mut answer = serde_json::to_value(&verdict).unwrap_or_default();
        answer["sql"] = json!(incrowd::manifest(&release, None)?.map(|manifest| incrowd::sql(&manifest)));
        Ok(answer.to_string())
    })
}

fn frame_bytes(frame: &Frame) -> usize {
    frame.batches.iter().map(arrow::array::RecordBatch::get_array_memory_size).sum()
}

/// Opens the original of a release, read as its record says unless other options are given.
fn beside(
    engine: &Engine,
    table: Option<&GivenTable>,
    (release, record): (&Path, Option<&Path>),
    said: &ReadOptions,
) -> incrowd::Result<Option<Source>> {
    let open = |table: &GivenTable| table.open(engine, original_options(release, record, said.clone())?);
    table.map(open).transpose()
}

/// Runs attacks on a release.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the words of the command line")]
fn attack(
    py: Python<'_>,
    release: PathBuf,
    given: PythonCall,
    against: Option<GivenTable>,
    register: Option<GivenTable>,
    also: Option<PathBuf>,
    hierarchies: BTreeMap<String, PathBuf>,
    risk: Option<f64>,
    record: Option<PathBuf>,
) -> PyResult<String> {
    let plan = given.request(py)?;
    given.work(py, &plan, |engine| {
        let reading = plan.read_options();
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
        let mut answer = serde_json::to_value(&attacked).unwrap_or_default();
        answer["clean"] = json!(attacked.evaluation.is_met());
        Ok(answer.to_string())
    })
}

/// The queries of `compare`, and the column that a classifier predicts.
#[derive(FromPyObject)]
struct ComparisonQuestions {
    queries: usize,
    dimensionality: usize,
    selectivity: f64,
    seed: u64,
    target: Option<String>,
    hierarchies: BTreeMap<String, PathBuf>,
}

/// Compares releases with their original.
#[pyfunction]
fn compare(
    py: Python<'_>,
    table: GivenTable,
    releases: Vec<PathBuf>,
    given: PythonCall,
    asked: ComparisonQuestions,
) -> PyResult<String> {
    let plan = given.request(py)?;
    let Some(first) = releases.first().cloned() else {
        return Err(raised(py, "IC504", "no release given", "give at least one", None));
    };
    if asked.selectivity <= 0.0 {
        let message = "a selectivity of 0 selects no rows";
        return Err(raised(py, "IC507", message, "use for example selectivity=0.05", None));
    }
    let answer = given.work(py, &plan, |engine| {
        let original = table.open(engine, original_options(&first, None, plan.read_options())?)?;
        let options = CompareOptions {
            workload: Workload {
                queries: asked.queries,
                dimensionality: asked.dimensionality,
                selectivity: asked.selectivity,
                seed: asked.seed,
            },
            target: asked.target,
            hierarchies: asked.hierarchies,
            ..CompareOptions::default()
        };
        Ok(serde_json::to_string(&incrowd::compare::compare(engine, &original, &releases, &options)?))
    })?;
    answer.map_err(|_| unwritable(py))
}

/// What would the original have answered?
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the words of the command line")]
fn ask(
    py: Python<'_>,
    release: PathBuf,
    sql: String,
    given: PythonCall,
    estimator: Option<String>,
    against: Option<GivenTable>,
    hierarchies: BTreeMap<String, PathBuf>,
    record: Option<PathBuf>,
) -> PyResult<String> {
    let plan = given.request(py)?;
    let estimator = match estimator {
        None => None,
        Some(word) => Some(Estimator::ALL.into_iter().find(|one| one.name() == word).ok_or_else(|| {
            let known = Estimator::ALL.map(Estimator::name).to_vec();
            refused(py, &Error::UnknownWord { what: "estimator", word, known })
        })?),
    };
    let answer = given.work(py, &plan, |engine| {
        let asked = parse_query(&sql)?;
        let place = (release.as_path(), record.as_deref());
        let original = beside(engine, against.as_ref(), place, &plan.read_options())?;
        let options = QueryOptions { estimator, hierarchies, record: record.clone() };
        let answered = match original {
            None => query(engine, &release, &asked, &options)?,
            Some(original) => query_against(engine, &release, &original, &asked, &options)?,
        };
        Ok(serde_json::to_string(&answered))
    })?;
    answer.map_err(|_| unwritable(py))
}

/// Writes the report of a release into a folder.
#[pyfunction]
fn write_report(
    py: Python<'_>,
    release: PathBuf,
    folder: PathBuf,
    given: PythonCall,
    against: Option<GivenTable>,
    risk: Option<f64>,
    verify: bool,
) -> PyResult<()> {
    let plan = given.request(py)?;
    given.work(py, &plan, |engine| {
        let original = beside(engine, against.as_ref(), (release.as_path(), None), &plan.read_options())?;
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
    serde_json::to_string(opened.manifest()).map_err(|_| unwritable(py))
}

/// The internal record of a release, if it is next to it.
#[pyfunction]
fn record(py: Python<'_>, release: PathBuf) -> PyResult<Option<String>> {
    let opened = OpenedRelease::open(&release, None).map_err(|error| refused(py, &error))?;
    opened.record().map(|record| serde_json::to_string(record).map_err(|_| unwritable(py))).transpose()
}

/// Why a column of a release, or one of its published values, was generalized.
#[pyfunction]
fn explain_value(py: Python<'_>, release: PathBuf, column: String, value: Option<String>) -> PyResult<String> {
    let answer = incrowd::explain_value(&release, &column, value.as_deref()).map_err(|error| refused(py, &error))?;
    serde_json::to_string(&answer).map_err(|_| unwritable(py))
}

/// The formats that a release can be written in.
pub(crate) const FORMATS: [Format; 6] =
    [Format::Csv, Format::Parquet, Format::Arrow, Format::Xlsx, Format::Dta, Format::Sav];
