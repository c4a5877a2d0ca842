//! incrowd in Python: the native half of the package `incrowd`.
//!
//! Thin, like the command line. Tables come in through the Arrow C stream interface or as a path; what is asked comes as a
//! plan in JSON; answers go out as the JSON that `--format json` prints. The typed face (`python/incrowd`) makes objects of
//! both. Work runs on a thread of its own without the interpreter's lock, so that Ctrl-C and progress are heard.
//!
//! So Python, the plan and the command line cannot drift apart. Tests compare their releases byte by byte, and
//! `python/tests/test_facade.py` compares the public items of the façade with what is wrapped here. The crate is no
//! default member of the workspace: nobody links Python without asking for it.

mod ask;
mod errors;
mod frame;
mod given;
mod release;
mod scratch;
mod words;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Answers a command line, its first word the program's name, and gives the exit status.
#[pyfunction]
fn command_line(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| incrowd_cli::run(words))
}

/// The native half of `incrowd`.
#[pymodule]
fn _incrowd(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // The text of a panic may quote a cell; only its location is shown.
    incrowd_cli::keep_silent();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<frame::Frame>()?;
    module.add_function(wrap_pyfunction!(command_line, module)?)?;
    ask::add(module)?;
    release::add(module)?;
    words::add(module)
}
