//! Refusals become exceptions of `incrowd.errors`, with the same code, words and way out.

use pyo3::prelude::*;

/// The exception for a refusal of the library.
pub(crate) fn refused(py: Python<'_>, error: &incrowd::Error) -> PyErr {
    let facts = match error {
        incrowd::Error::Infeasible(reasons) | incrowd::Error::NotFound(reasons) => serde_json::to_string(reasons).ok(),
        incrowd::Error::Unverified(faults) => serde_json::to_string(faults).ok(),
        _ => None,
    };
    raised(py, error.code(), &error.to_string(), &error.hint(), facts.as_deref())
}

/// An exception by its code. The facts behind it, if there are some, stand as JSON.
pub(crate) fn raised(py: Python<'_>, code: &str, message: &str, hint: &str, facts: Option<&str>) -> PyErr {
    let made =
        py.import("incrowd.errors").and_then(|errors| errors.getattr("_raised")?.call1((code, message, hint, facts)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// What is said of a plan that cannot be.
pub(crate) fn bad_plan(py: Python<'_>, message: String) -> PyErr {
    refused(py, &incrowd::Error::Plan { path: "plan".into(), message })
}

/// What is said of an answer that cannot be told.
pub(crate) fn untold(py: Python<'_>) -> PyErr {
    raised(py, "IC413", "the answer could not be written as JSON", "please report this, without any data", None)
}

/// What is said of a frame whose own library failed: its words may quote cells.
pub(crate) fn unreadable(py: Python<'_>) -> PyErr {
    let message = "the frame could not be read through its Arrow stream";
    raised(
        py,
        "IC413",
        message,
        "its own words are withheld, because they may quote cells; try `frame.to_arrow()`",
        None,
    )
}
