//! Questions about a table.

#![allow(clippy::needless_pass_by_value, reason = "arguments of Python functions are taken by value")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use arrow::array::RecordBatch;
use incrowd::core::Silent;
use incrowd::report::{self, check_dossier};
use incrowd::request::{Plan, PopulationOptions, akin, draft};
use incrowd::sample::{Sample, hierarchies, write};
use incrowd::{CheckOptions, Declared, DiagnoseOptions, PopulationGiven, SurveyGiven, TableWriter, Target, assign};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::unwritable;
use crate::frame::Frame;
use crate::given::{GivenTable, PythonCall};
use crate::scratch::{ScratchFolder, read_arrow};

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(diagnose, module)?)?;
    module.add_function(wrap_pyfunction!(draft_plan, module)?)?;
    module.add_function(wrap_pyfunction!(sample, module)?)?;
    module.add_function(wrap_pyfunction!(sample_hierarchies, module)?)
}

/// Measures the re-identification risk of a table. With a folder, also writes a report to it.
#[pyfunction]
fn check(
    py: Python<'_>,
    table: GivenTable,
    given: PythonCall,
    max_columns: usize,
    values: usize,
    report: Option<PathBuf>,
    force: bool,
) -> PyResult<String> {
    let plan = given.request(py)?;
    let answer = given.work(py, &plan, |engine| {
        report.as_ref().map_or(Ok(()), |folder| report::refuse_existing(folder, force))?;
        let source = table.open(engine, plan.read_options())?;
        let options = CheckOptions {
            declared: plan.declared(),
            remove_others: plan.removes_others(),
            k: plan.policy.k.unwrap_or(CheckOptions::default().k),
            max_set_size: max_columns,
            values,
        };
        let found = incrowd::check(engine, &source, &options)?;
        if let Some(folder) = report {
            report::write(&check_dossier(&found, plan.context.dossier()), &folder, force)?;
        }
        Ok(serde_json::to_string(&found))
    })?;
    answer.map_err(|_| unwritable(py))
}

/// The questions of `diagnose`, apart from the columns.
#[derive(FromPyObject)]
struct Questions {
    k: Option<u64>,
    at_most: bool,
    delta: Option<f64>,
    sets: bool,
    all_sets: bool,
    max_columns: Option<usize>,
    curve: Option<usize>,
    columns: bool,
    values: usize,
    /// By sensitive column: a hierarchy file, and the labels of its protected nodes.
    akin: BTreeMap<String, (PathBuf, Vec<String>)>,
    population: Option<PathBuf>,
    population_count: Option<String>,
    sampling_fraction: Option<f64>,
    population_size: Option<u64>,
    special_uniques: Option<usize>,
    weight: Option<String>,
    household: Option<String>,
    log_linear: bool,
}

/// The questions about k, column sets and suppression.
#[pyfunction]
fn diagnose(py: Python<'_>, table: GivenTable, given: PythonCall, asked: Questions) -> PyResult<String> {
    let plan = given.request(py)?;
    given.work(py, &plan, |engine| {
        let source = table.open(engine, plan.read_options())?;
        let mut known = BTreeMap::new();
        for (column, (file, protected)) in &asked.akin {
            known.insert(column.clone(), akin(column, file, protected, engine.memory())?);
        }
        let count_column = asked.population_count.clone();
        let population =
            asked.population.clone().map(|path| PopulationGiven::Table(PopulationOptions { path, count_column }));
        let fraction = asked.sampling_fraction.map(PopulationGiven::SamplingFraction);
        let options = DiagnoseOptions {
            declared: plan.declared(),
            akin: known,
            k: asked.k,
            at_most: asked.at_most,
            delta: asked.delta,
            sets: asked.sets,
            all_sets: asked.all_sets,
            max_set_size: asked.max_columns,
            curve: asked.curve,
            attributes: asked.columns,
            values: asked.values,
            population: population.or(fraction).or(asked.population_size.map(PopulationGiven::Size)),
            special_uniques: asked.special_uniques,
            survey: asked.weight.clone().map(|weight| SurveyGiven { weight, household: asked.household.clone() }),
            log_linear: asked.log_linear,
        };
        let found = incrowd::diagnose(engine, &source, &options)?;
        let mut answer = serde_json::to_value(&found).unwrap_or_default();
        answer["clean"] = json!(found.is_clean());
        Ok(answer.to_string())
    })
}

/// The text of a drafted plan, with a reason on each line.
#[pyfunction]
fn draft_plan(py: Python<'_>, table: GivenTable, given: PythonCall, path: String) -> PyResult<String> {
    let plan: Plan = given.request(py)?;
    given.work(py, &plan, |engine| {
        let options = plan.read_options();
        let source = table.open(engine, options.clone())?;
        let profiles = source.profile(engine)?;
        let columns = assign(&profiles, &Declared::default())?;
        Ok(draft(&source, &path, &options, &profiles, &columns, plan.policy.k.unwrap_or(CheckOptions::default().k)))
    })
}

/// A made-up census, the same for the same seed.
#[pyfunction]
fn sample(py: Python<'_>, given: PythonCall, rows: u64, seed: u64) -> PyResult<Frame> {
    let (schema, batches): (_, Vec<RecordBatch>) = given.watched(py, |watch| {
        let scratch = ScratchFolder::new(usize::try_from(rows).unwrap_or(usize::MAX).saturating_mul(160))?;
        let file = scratch.path().join("sample.arrow");
        write(&Sample::new(rows, seed), TableWriter::new(Target::new(&file)?), &watch.cancel, &Silent)?;
        read_arrow(&file)
    })?;
    Ok(Frame { schema, batches })
}

/// The hierarchies that go with the sample: for each column the text of its file.
#[pyfunction]
fn sample_hierarchies() -> BTreeMap<String, String> {
    hierarchies().into_iter().map(|(column, text)| (column.into(), text)).collect()
}
