//! A table in memory, as Arrow: what comes in from any frame, and what is handed out.
//!
//! Frames come in without a copy. What goes out was decoded from a release's written bytes, in which the verifier and the
//! canaries looked, so there is nothing in its buffers that is not published.

use arrow::array::{RecordBatch, RecordBatchIterator};
use arrow::datatypes::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyRecordBatchReader;
use pyo3_arrow::input::AnyRecordBatch;

use crate::errors;

/// A table in memory that every Arrow-capable library reads.
#[pyclass(module = "incrowd", name = "Frame", frozen)]
#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

#[pymethods]
impl Frame {
    /// Takes the rows of any frame that has an Arrow stream, without copying them.
    #[staticmethod]
    fn of(py: Python<'_>, frame: AnyRecordBatch) -> PyResult<Frame> {
        let reader = frame.into_reader().map_err(|_| errors::unreadable(py))?;
        let schema = reader.schema();
        // A stream may be a query that runs now, or a generator that wants the interpreter itself.
        let batches: Result<Vec<RecordBatch>, _> = py.detach(|| reader.collect());
        Ok(Frame { schema, batches: batches.map_err(|_| errors::unreadable(py))? })
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The number of bytes in its buffers.
    #[getter]
    fn nbytes(&self) -> usize {
        self.batches.iter().map(RecordBatch::get_array_memory_size).sum()
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = PyRecordBatchReader::new(Box::new(RecordBatchIterator::new(batches, self.schema.clone())));
        reader.into_pyobject(py)?.call_method1("__arrow_c_stream__", (requested_schema,))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let empty = RecordBatchIterator::new(std::iter::empty(), self.schema.clone());
        PyRecordBatchReader::new(Box::new(empty)).into_pyobject(py)?.call_method0("__arrow_c_schema__")
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    /// Never a cell: a frame may hold the original.
    fn __repr__(&self) -> String {
        format!("<incrowd.Frame: {} rows, columns {}>", self.num_rows(), self.column_names().join(", "))
    }
}
