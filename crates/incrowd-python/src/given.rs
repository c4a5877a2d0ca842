//! What every question is given: a table, a plan, and what the run may use.

use std::path::PathBuf;

use incrowd::core::Watch;
use incrowd::request::{Plan, partial_plan};
use incrowd::{Engine, ReadOptions, Source};
use pyo3::Borrowed;
use pyo3::prelude::*;

use crate::errors;
use crate::frame::Frame;
use crate::work::watched;

/// A table: a path, a folder or a pattern as on the command line, or a frame.
pub(crate) enum GivenTable {
    Named(String),
    Held(Frame),
}

impl<'py> FromPyObject<'_, 'py> for GivenTable {
    type Error = PyErr;

    fn extract(table: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match table.cast::<Frame>() {
            Ok(frame) => Ok(GivenTable::Held(frame.get().clone())),
            Err(_) => Ok(GivenTable::Named(table.extract()?)),
        }
    }
}

impl GivenTable {
    /// Opens it.
    pub(crate) fn open(&self, engine: &Engine, options: ReadOptions) -> incrowd::Result<Source> {
        Ok(match self {
            GivenTable::Named(name) => Source::open(engine, name, options)?,
            GivenTable::Held(frame) => {
                Source::of_batches("frame", &frame.schema, frame.batches.clone())?.reading(options)?
            }
        })
    }
}

/// The plan of a call, and the settings that it names.
#[derive(FromPyObject)]
pub(crate) struct PythonCall {
    /// A plan as JSON, if there is one.
    plan: Option<String>,
    /// The folder that file names in it are relative to.
    pub(crate) folder: PathBuf,
    /// Its file, if it is what the file holds.
    file: Option<PathBuf>,
    /// The settings that the call names, as JSON.
    named: String,
    progress: Option<Py<PyAny>>,
}

impl PythonCall {
    /// The plan with what the call says laid over it.
    pub(crate) fn request(&self, py: Python<'_>) -> PyResult<Plan> {
        let bad_plan = |message| errors::bad_plan(py, message);
        let mut plan = self.plan.as_deref().map(Plan::from_json).transpose().map_err(bad_plan)?.unwrap_or_default();
        plan.call.plan_hash = self.file.as_deref().and_then(|file| plan.published_hash(file));
        let named = serde_json::from_str(&self.named).map_err(|error| bad_plan(error.to_string()))?;
        let said = partial_plan(&named).map_err(|error| errors::refused(py, &error))?;
        Ok(plan.seen_from(&self.folder).overlay(said))
    }

    /// Does work that needs an engine, with what the request allows the run to use.
    pub(crate) fn work<T: Send>(
        &self,
        py: Python<'_>,
        request: &Plan,
        job: impl FnOnce(&Engine) -> incrowd::Result<T> + Send,
    ) -> PyResult<T> {
        let settings = request.settings();
        self.watched(py, move |watch| job(&Engine::watched(&settings, watch.cancel.clone(), watch.progress.clone())?))
    }

    /// Does work that needs none.
    pub(crate) fn watched<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Watch) -> incrowd::Result<T> + Send,
    ) -> PyResult<T> {
        watched(py, self.progress.as_ref(), job)
    }
}
