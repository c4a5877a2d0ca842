//! From arguments to an engine, a source and declared roles.

use std::path::Path;
use std::sync::Arc;

use incrowd::core::Cancel;
use incrowd::plan::Plan;
use incrowd::{Declared, Engine, Format, ReadOptions, Settings, Source};

use crate::args::{InputFormat, RoleArgs, RunArgs, TableArgs};
use crate::printer::Failure;
use crate::progress::bar;

/// An engine with the limits given, which stops at Ctrl-C.
pub(crate) fn engine(run: &RunArgs) -> Result<Engine, Failure> {
    let settings = Settings { memory: run.memory, threads: run.threads, temp: run.temp.clone() };
    Ok(Engine::watched(&settings, stopped_by_ctrl_c(), Arc::from(bar(run.quiet))).map_err(incrowd::Error::from)?)
}

/// A flag that Ctrl-C and a polite kill raise; a second one ends the process at once.
pub(crate) fn stopped_by_ctrl_c() -> Cancel {
    let cancel = Cancel::default();
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Registered first, so it sees the flag as the signals before left it. Without a handler the process just
        // ends, which is good enough: the next start sweeps.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 2, cancel.flag());
        let _ = signal_hook::flag::register(signal, cancel.flag());
    }
    cancel
}

/// Opens the table.
pub(crate) fn source(engine: &Engine, table: &TableArgs, plan: Option<&Plan>) -> Result<Source, Failure> {
    let mut options = plan.map(Plan::read_options).unwrap_or_default();
    options.delimiter = table.delimiter.or(options.delimiter);
    options.nulls.extend(table.null.iter().cloned());
    options.date_formats.splice(0..0, table.date_format.iter().cloned());
    options.format = table.input_format.map(InputFormat::format).or(options.format);
    open(engine, &table.file, options)
}

/// Opens the table with these options.
pub(crate) fn open(engine: &Engine, file: &str, options: ReadOptions) -> Result<Source, Failure> {
    Ok(Source::open(engine, file, options).map_err(incrowd::Error::from)?)
}

/// The plan named, if one is.
pub(crate) fn plan(roles: &RoleArgs) -> Result<Option<Plan>, Failure> {
    Ok(roles.plan.as_deref().map(Plan::read).transpose()?)
}

/// The roles of the plan, each overruled by what the arguments say of the same column.
pub(crate) fn declared(roles: &RoleArgs, plan: Option<&Plan>) -> Declared {
    let given = Declared {
        quasi_identifiers: roles.qi.clone(),
        sensitive: roles.sensitive.clone(),
        identifiers: roles.identifier.clone(),
        insensitive: roles.insensitive.clone(),
        subject: roles.subject.clone(),
    };
    let Some(planned) = plan.map(Plan::declared) else { return given };
    // Quasi-identifiers on the command line ask about these columns alone.
    let merge = |mine: &Vec<String>, theirs: Vec<String>| {
        let fresh = theirs.into_iter().filter(|name| given.role(name).is_none());
        mine.iter().cloned().chain(fresh).collect()
    };
    Declared {
        quasi_identifiers: if roles.qi.is_empty() { planned.quasi_identifiers } else { roles.qi.clone() },
        sensitive: merge(&given.sensitive, planned.sensitive),
        identifiers: merge(&given.identifiers, planned.identifiers),
        insensitive: merge(&given.insensitive, planned.insensitive),
        subject: given.subject.clone().or(planned.subject),
    }
}

impl InputFormat {
    fn format(self) -> Format {
        match self {
            InputFormat::Csv => Format::Csv,
            InputFormat::Parquet => Format::Parquet,
            InputFormat::Arrow => Format::Arrow,
        }
    }
}

/// Refuses to write over a file unless told to.
pub(crate) fn refuse_to_overwrite(path: &Path, force: bool) -> Result<(), Failure> {
    if path.exists() && !force {
        return Err(Failure::new(format!("{} exists already", path.display()), "say --force to write over it"));
    }
    Ok(())
}
