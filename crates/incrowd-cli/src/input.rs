//! From arguments to an engine, a source and a request.

use std::path::PathBuf;
use std::sync::Arc;

use incrowd::request::{NamedSettings, Plan};
use incrowd::{Engine, ReadOptions, Settings, Source, TablesFault};

use crate::args::{InputFormat, ReadArgs, RoleArgs, RunArgs, TableArgs, header, request};
use crate::printer::Failure;
use crate::progress::bar;
use crate::signals;

/// An engine with the limits given, which stops at a signal.
pub(crate) fn engine(run: &RunArgs) -> Result<Engine, Failure> {
    engine_with(&run.settings(), run.quiet)
}

fn engine_with(settings: &Settings, quiet: bool) -> Result<Engine, Failure> {
    let engine = Engine::watched(settings, signals::cancel(), Arc::from(bar(quiet)));
    Ok(engine.map_err(incrowd::Error::from)?)
}

/// An engine with these limits, on a cluster when the request names one.
pub(crate) fn engine_on(asked: &AskedTable, settings: &Settings, quiet: bool) -> Result<Engine, Failure> {
    match &asked.request.run.cluster {
        None => engine_with(settings, quiet),
        Some(address) => on_cluster(address, settings, quiet),
    }
}

#[cfg(feature = "cluster")]
fn on_cluster(address: &str, settings: &Settings, quiet: bool) -> Result<Engine, Failure> {
    Ok(incrowd::cluster::engine(address, settings, signals::cancel(), Arc::from(bar(quiet)))?)
}

#[cfg(not(feature = "cluster"))]
fn on_cluster(_: &str, _: &Settings, _: bool) -> Result<Engine, Failure> {
    Err(without_clusters())
}

/// How to get a program that can use clusters.
#[cfg(not(feature = "cluster"))]
pub(crate) fn without_clusters() -> Failure {
    let remedy = "build it with: cargo install --locked --path crates/incrowd-cli --features cluster";
    Failure::new("this incrowd was built without cluster support", remedy)
}

/// The table of a request, and the plan if there is one.
pub(crate) struct AskedTable {
    pub(crate) file: String,
    /// The plan, overridden by the arguments.
    pub(crate) request: Plan,
    /// The plan as it was read.
    pub(crate) plan: Option<Plan>,
    /// The file of the plan.
    pub(crate) plan_file: Option<PathBuf>,
    /// The words that name the same table again.
    pub(crate) words: String,
}

impl AskedTable {
    /// The tables that are read.
    pub(crate) fn files(&self) -> Vec<&str> {
        match &self.request.tables[..] {
            [] => vec![&self.file],
            tables => tables.iter().map(|table| table.source.path.as_str()).collect(),
        }
    }
}

/// Finds the table and the plan: `FILE`, `FILE --plan PLAN`, `--plan PLAN` alone, or a plan in the place of `FILE`.
pub(crate) fn asked(table: &TableArgs, roles: &RoleArgs, named: &NamedSettings) -> Result<AskedTable, Failure> {
    let is_plan = |file: &&String| roles.plan.is_none() && file.to_lowercase().ends_with(".toml");
    let instead = table.file.as_ref().filter(is_plan).map(PathBuf::from);
    let file = table.file.as_ref().filter(|_| instead.is_none());
    let Some(path) = instead.or_else(|| roles.plan.clone()) else {
        let file = file.cloned().unwrap_or_default();
        let words = format!("{}{}", quoted(&file), table.reading.words());
        return Ok(AskedTable { file, request: request(Plan::default(), named)?, plan: None, plan_file: None, words });
    };
    let plan = Plan::read(&path)?;
    let argument = format!("--plan {}", quoted(&path.display().to_string()));
    let words = file.map_or(argument.clone(), |file| format!("{} {argument}", quoted(file))) + &table.reading.words();
    let of_plan = || if plan.tables.is_empty() { plan.source_path(&path) } else { String::new() };
    let file = file.cloned().unwrap_or_else(of_plan);
    let request = request(plan.clone().of_file(&path), named)?;
    Ok(AskedTable { file, request, plan: Some(plan), plan_file: Some(path), words })
}

/// Opens the table.
pub(crate) fn source(engine: &Engine, asked: &AskedTable) -> Result<Source, Failure> {
    if !asked.request.tables.is_empty() {
        return Err(incrowd::Error::TablesRefused(TablesFault::OneTableAsked).into());
    }
    open(engine, &asked.file, asked.request.read_options())
}

/// Opens a table with these options.
pub(crate) fn open(engine: &Engine, file: &str, options: ReadOptions) -> Result<Source, Failure> {
    Ok(Source::open(engine, file, options).map_err(incrowd::Error::from)?)
}

impl ReadArgs {
    /// The same words again, for the command that is suggested next.
    pub(crate) fn words(&self) -> String {
        let mut words = String::new();
        let mut add = |name: &str, value: &str| words += &format!(" {name} {}", quoted(value));
        match self.delimiter {
            Some(b'\t') => add("--delimiter", "tab"),
            Some(delimiter) => add("--delimiter", &char::from(delimiter).to_string()),
            None => {}
        }
        self.encoding.iter().for_each(|encoding| add("--encoding", encoding));
        self.null.iter().for_each(|null| add("--null", null));
        self.date_format.iter().for_each(|(column, format)| add("--date-format", &format!("{column}={format}")));
        if !self.decimal_comma.is_empty() {
            add("--decimal-comma", &self.decimal_comma.join(","));
        }
        if let Some(format) = self.input_format.map(InputFormat::word) {
            add("--input-format", &format);
        }
        if let Some(file) = &self.connection {
            add("--connection", &file.display().to_string());
        }
        match header(self.header, self.no_header) {
            Some(true) => words += " --header",
            Some(false) => words += " --no-header",
            None => {}
        }
        words
    }
}

/// A word that a shell reads as one.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-,=+:@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
