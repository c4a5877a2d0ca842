//! Refusals become exceptions of `incrowd.errors`, with the same code and words; remedies name keyword arguments.

use incrowd::Setting;
use pyo3::prelude::*;

/// The exception for a refusal of the library.
pub(crate) fn refused(py: Python<'_>, error: &incrowd::Error) -> PyErr {
    let facts = match error {
        incrowd::Error::Infeasible(reasons) | incrowd::Error::NotFound(reasons) => serde_json::to_string(reasons).ok(),
        incrowd::Error::Unverified(faults) => serde_json::to_string(faults).ok(),
        _ => None,
    };
    raised(py, error.code(), &error.to_string(), &error.remedy().written(keyword), facts.as_deref())
}

/// A setting that a remedy names, written as a keyword argument with the value that is proposed for it.
fn keyword(setting: &Setting) -> String {
    let value = setting.value.as_deref().map(python_value).unwrap_or_default();
    format!("{}={value}", setting.name)
}

/// A value as Python writes it: `a,b` is a list, `a=1` a dictionary, `a|b` a choice.
fn python_value(value: &str) -> String {
    /// What stands for a value of the user's own.
    const PLACEHOLDERS: [&str; 5] = ["COLUMN", "DIR", "N", "NUMBER", "SHARE"];
    let all = |value: &str, at: char| value.split(at).map(python_value).collect::<Vec<_>>();
    match value {
        "true" => "True".into(),
        "false" => "False".into(),
        pairs if pairs.contains('=') => {
            let pairs: Vec<String> = pairs.split(',').map(|pair| all(pair, '=').join(": ")).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        list if list.contains(',') => format!("[{}]", all(list, ',').join(", ")),
        choice if choice.contains('|') => all(choice, '|').join(" or "),
        word if PLACEHOLDERS.contains(&word) || word.parse::<f64>().is_ok() => word.into(),
        text => format!("{text:?}"),
    }
}

/// An exception by its code. The facts behind it, if there are some, stand as JSON.
pub(crate) fn raised(py: Python<'_>, code: &str, message: &str, hint: &str, facts: Option<&str>) -> PyErr {
    let made =
        py.import("incrowd.errors").and_then(|errors| errors.getattr("_raised")?.call1((code, message, hint, facts)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// The exception for an invalid plan.
pub(crate) fn bad_plan(py: Python<'_>, message: String) -> PyErr {
    refused(py, &incrowd::Error::Plan { path: "plan".into(), message })
}

/// The exception for an answer that cannot be written as JSON.
pub(crate) fn unwritable(py: Python<'_>) -> PyErr {
    raised(py, "IC413", "the answer could not be written as JSON", "please report this, without any data", None)
}

/// The exception for a frame whose own library failed: its message may quote cells.
pub(crate) fn unreadable(py: Python<'_>) -> PyErr {
    let message = "the frame could not be read through its Arrow stream";
    raised(py, "IC413", message, "its message is not shown because it may quote cells; try `frame.to_arrow()`", None)
}
