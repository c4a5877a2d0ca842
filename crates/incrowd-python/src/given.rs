//! What every question is given: a table, a plan, and what the run may use.

use std::path::PathBuf;

use incrowd::core::Watch;
use incrowd::plan::Plan;
use incrowd::{Engine, ReadOptions, Settings, Source};
use pyo3::Borrowed;
use pyo3::prelude::*;

use crate::errors;
use crate::frame::Frame;
use crate::work::watched;

/// A table: a path, a folder or a pattern as on the command line, or a frame.
pub(crate) enum Table {
    Named(String),
    Held(Frame),
}

impl<'py> FromPyObject<'_, 'py> for Table {
    type Error = PyErr;

    fn extract(table: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match table.cast::<Frame>() {
            Ok(frame) => Ok(Table::Held(frame.get().clone())),
            Err(_) => Ok(Table::Named(table.extract()?)),
        }
    }
}

impl Table {
    /// Opens it.
    pub(crate) fn open(&self, engine: &Engine, options: ReadOptions) -> incrowd::Result<Source> {
        Ok(match self {
            Table::Named(name) => Source::open(engine, name, options)?,
            Table::Held(frame) => {
                Source::of_batches("frame", &frame.schema, frame.batches.clone())?.reading(options)?
            }
        })
    }
}

/// The plan, and what the run may use.
#[derive(FromPyObject)]
pub(crate) struct Given {
    /// A plan as JSON.
    plan: String,
    /// The folder that file names in it are relative to.
    pub(crate) folder: PathBuf,
    /// How columns write dates, besides what the plan says.
    date_formats: Vec<(String, String)>,
    pub(crate) memory: Option<u64>,
    threads: Option<usize>,
    temp: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
}

impl Given {
    /// The plan.
    pub(crate) fn plan(&self, py: Python<'_>) -> PyResult<Plan> {
        Plan::from_json(&self.plan).map_err(|message| errors::bad_plan(py, message))
    }

    /// How the table is read.
    pub(crate) fn reading(&self, plan: &Plan) -> ReadOptions {
        let mut options = plan.read_options();
        options.date_formats.splice(0..0, self.date_formats.iter().cloned());
        options
    }

    /// Does work that needs an engine.
    pub(crate) fn work<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Engine) -> incrowd::Result<T> + Send,
    ) -> PyResult<T> {
        let settings = Settings { memory: self.memory, threads: self.threads, temp: self.temp.clone() };
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
