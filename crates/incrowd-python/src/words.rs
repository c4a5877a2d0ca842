//! Words: plans, hierarchies, codes and lists.

#![allow(clippy::needless_pass_by_value, reason = "arguments of Python functions are taken by value")]

use std::path::Path;

use incrowd::algorithms::ALGORITHMS;
use incrowd::core::{CODES, Code, Coverage, Dictionary, Hierarchy, LOSSES, MODELS};
use incrowd::request::{HierarchyPlan, NamedSettings, OptionEntry, Plan, partial_plan};
use incrowd::risk::attack::ATTACKS;
use incrowd::{Engine, Error, Format, Question, REFUSALS, Source};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::{bad_plan, raised, refused, unwritable};
use crate::given::{GivenTable, PythonCall};
use crate::release::FORMATS;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(plan_of_toml, module)?)?;
    module.add_function(wrap_pyfunction!(plan_to_toml, module)?)?;
    module.add_function(wrap_pyfunction!(plan_schema, module)?)?;
    module.add_function(wrap_pyfunction!(options_of, module)?)?;
    module.add_function(wrap_pyfunction!(option_example, module)?)?;
    module.add_function(wrap_pyfunction!(explain_code, module)?)?;
    module.add_function(wrap_pyfunction!(lists, module)?)?;
    module.add_function(wrap_pyfunction!(read_hierarchy, module)?)?;
    module.add_function(wrap_pyfunction!(build_hierarchy, module)?)?;
    module.add_function(wrap_pyfunction!(cover, module)?)
}

/// The text of a plan, as JSON.
#[pyfunction]
fn plan_of_toml(py: Python<'_>, text: &str) -> PyResult<String> {
    let plan = Plan::parse(text).map_err(|message| bad_plan(py, message))?;
    serde_json::to_string(&plan).map_err(|_| unwritable(py))
}

/// A plan that stands as JSON, as the text of its file.
#[pyfunction]
fn plan_to_toml(py: Python<'_>, json: &str) -> PyResult<String> {
    Plan::from_json(json).and_then(|plan| plan.to_toml()).map_err(|message| bad_plan(py, message))
}

/// The JSON Schema of plans.
#[pyfunction]
fn plan_schema() -> String {
    Plan::schema().to_string()
}

/// The typed options that a call stands for, in full, for tests.
#[pyfunction]
fn options_of(py: Python<'_>, given: PythonCall) -> PyResult<String> {
    options_in_full(py, &given.request(py)?)
}

fn options_in_full(py: Python<'_>, request: &Plan) -> PyResult<String> {
    let options = request.options(Format::Csv).map_err(|error| refused(py, &error))?;
    Ok(format!("{options:?} {:?}", request.settings()))
}

/// The example of an option as JSON, and the typed options of a call that says it besides `usual`, a JSON object of settings.
/// For tests.
#[pyfunction]
fn option_example(py: Python<'_>, name: &str, usual: &str) -> PyResult<(String, String)> {
    let mut named: NamedSettings = serde_json::from_str(usual).map_err(|error| bad_plan(py, error.to_string()))?;
    let entry = OptionEntry::find(name).ok_or_else(|| bad_plan(py, format!("unknown option “{name}”")))?;
    let value = entry.example_value().map_err(|fault| bad_plan(py, fault))?;
    named.insert(name.into(), value.clone());
    let said = partial_plan(&named).map_err(|error| refused(py, &error))?;
    Ok((value.to_string(), options_in_full(py, &Plan::default().overlay(said))?))
}

fn explained(code: &Code) -> Value {
    json!({
        "code": code.code, "name": code.name, "severity": code.severity.name(),
        "summary": code.summary, "explanation": code.explanation,
    })
}

/// What a code means, by its number or name.
#[pyfunction]
fn explain_code(word: &str) -> Option<String> {
    incrowd::explain(word).map(|code| explained(code).to_string())
}

/// Everything there is to choose from.
#[pyfunction]
fn lists() -> String {
    let entry =
        |id: &str, summary: &str, reference: &str| json!({"id": id, "summary": summary, "reference": reference});
    let formats = FORMATS.map(|format| format.name().to_lowercase());
    json!({
        "algorithms": ALGORITHMS.iter().map(|one| entry(one.id, one.summary, one.reference)).collect::<Vec<_>>(),
        "models": MODELS.iter().map(|one| entry(one.id, one.summary, one.reference)).collect::<Vec<_>>(),
        "losses": LOSSES.iter().map(|one| entry(one.id, one.summary, one.reference)).collect::<Vec<_>>(),
        "attacks": ATTACKS.iter().map(|one| entry(one.id, one.summary, one.reference)).collect::<Vec<_>>(),
        "formats": formats.iter().map(|one| entry(one, "", "")).collect::<Vec<_>>(),
        "codes": CODES.iter().copied().chain(REFUSALS).map(explained).collect::<Vec<_>>(),
    })
    .to_string()
}

/// Checks the text of a hierarchy and says what it looks like: leaves, height, sizes of levels.
#[pyfunction]
fn read_hierarchy(py: Python<'_>, text: &str, ragged: bool) -> PyResult<String> {
    let hierarchy = parse(text, ragged).map_err(|error| refused(py, &error))?;
    Ok(json!({
        "leaves": hierarchy.leaf_count(),
        "height": hierarchy.height(),
        "levels": hierarchy.level_sizes(),
    })
    .to_string())
}

fn parse(text: &str, ragged: bool) -> incrowd::Result<Hierarchy> {
    let options = incrowd::core::HierarchyReadOptions { ragged, ..Default::default() };
    Ok(Hierarchy::read_with(text, options)?)
}

/// The distinct values of a column, and the rows of each.
fn values(engine: &Engine, source: &Source, column: &str) -> incrowd::Result<(Dictionary, Vec<u64>)> {
    let question = Question { quasi_identifiers: vec![column.into()], ..Default::default() };
    let table = source.count(engine, &question)?.into_table(engine)?;
    let counts = (0..table.tuples()).map(|tuple| table.count(tuple)).collect();
    Ok((table.attributes()[0].dictionary.clone(), counts))
}

/// Builds a hierarchy for a column: as the plan's word says, or by the column's type. Gives the text of its file.
#[pyfunction]
fn build_hierarchy(
    py: Python<'_>,
    table: GivenTable,
    given: PythonCall,
    column: String,
    word: Option<String>,
) -> PyResult<String> {
    let plan = given.request(py)?;
    let word = word.map(|word| serde_json::from_str::<HierarchyPlan>(&word)).transpose();
    let word = word.map_err(|error| bad_plan(py, error.to_string()))?;
    let built = given.work(py, &plan, |engine| {
        let source = table.open(engine, plan.read_options())?;
        let (dictionary, _) = values(engine, &source, &column)?;
        let of_column = |error| match error {
            Error::Hierarchy(error) => Error::HierarchyOf { column: column.clone(), error },
            other => other,
        };
        let built = match word {
            None => Some(Hierarchy::suggest(&dictionary).map_err(|error| of_column(error.into()))?.hierarchy),
            Some(word) => word.build(&dictionary, Path::new(&given.folder), engine.memory()).map_err(of_column)?,
        };
        Ok(built.map(|hierarchy| hierarchy.write()))
    })?;
    built.ok_or_else(|| raised(py, "IC501", "sets and free intervals have no hierarchy", "they need no file", None))
}

/// Whether a hierarchy covers a column; the values that it does not cover only for those who may see the table.
#[pyfunction]
fn cover(
    py: Python<'_>,
    table: GivenTable,
    given: PythonCall,
    column: String,
    text: String,
    ragged: bool,
    values_shown: usize,
) -> PyResult<String> {
    let plan = given.request(py)?;
    given.work(py, &plan, |engine| {
        let hierarchy = parse(&text, ragged)?;
        let source = table.open(engine, plan.read_options())?;
        let (dictionary, counts) = values(engine, &source, &column)?;
        let coverage = Coverage::of(&hierarchy, &dictionary);
        let shown = coverage.show_uncovered(&dictionary).take(values_shown).map(Into::into);
        Ok(json!({
            "complete": coverage.is_complete(),
            "values": dictionary.len(),
            "covered": coverage.covered(),
            "uncovered": coverage.uncovered().len(),
            "uncovered_rows": coverage.uncovered_rows(&counts),
            "unused": coverage.unused().len(),
            "uncovered_values": shown.collect::<Vec<String>>(),
        })
        .to_string())
    })
}
