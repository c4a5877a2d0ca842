//! From arguments to an engine, a source and declared roles.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use incrowd::plan::Plan;
use incrowd::{Declared, Engine, Format, Leftover, ReadOptions, Settings, Source};

use crate::args::{ClusterArgs, InputFormat, ReadArgs, RoleArgs, RunArgs, TableArgs};
use crate::printer::Failure;
use crate::progress::bar;
use crate::signals;

/// An engine with the limits given, which stops at a signal.
pub(crate) fn engine(run: &RunArgs) -> Result<Engine, Failure> {
    engine_for(run, None)
}

/// As [`engine`], with the limits of the plan where none are given.
pub(crate) fn engine_for(run: &RunArgs, plan: Option<&Plan>) -> Result<Engine, Failure> {
    let engine = Engine::watched(&settings(run, plan), signals::cancel(), Arc::from(bar(run.quiet)));
    Ok(engine.map_err(incrowd::Error::from)?)
}

fn settings(run: &RunArgs, plan: Option<&Plan>) -> Settings {
    let planned = plan.map(|plan| plan.run.clone()).unwrap_or_default();
    Settings {
        memory: run.memory.or(planned.memory_mib.map(|mib| mib << 20)),
        threads: run.threads.or(planned.threads),
        temp: run.temp.clone(),
    }
}

/// As [`engine_for`], on a cluster when the arguments or the plan name one.
pub(crate) fn engine_on(
    run: &RunArgs,
    cluster: &ClusterArgs,
    plan: Option<&Plan>,
    limits: Option<&Plan>,
) -> Result<Engine, Failure> {
    match cluster.cluster.as_ref().or(plan.and_then(|plan| plan.run.cluster.as_ref())) {
        None => engine_for(run, limits),
        Some(address) => on_cluster(address, &settings(run, limits), run.quiet),
    }
}

#[cfg(feature = "cluster")]
fn on_cluster(address: &str, settings: &Settings, quiet: bool) -> Result<Engine, Failure> {
    Ok(incrowd::cluster::engine(address, settings, signals::cancel(), Arc::from(bar(quiet)))?)
}

#[cfg(not(feature = "cluster"))]
fn on_cluster(_: &str, _: &Settings, _: bool) -> Result<Engine, Failure> {
    Err(crate::commands::cluster::not_built())
}

/// What is asked about: the table, and the plan if there is one.
pub(crate) struct Asked {
    pub(crate) file: String,
    pub(crate) plan: Option<Plan>,
    /// Where the plan stands.
    pub(crate) plan_file: Option<PathBuf>,
    /// The words that name the same table again.
    pub(crate) words: String,
}

/// Finds out what is asked about: `FILE`, `FILE --plan PLAN`, `--plan PLAN` alone, or a plan in the place of `FILE`.
pub(crate) fn asked(table: &TableArgs, roles: &RoleArgs) -> Result<Asked, Failure> {
    let is_plan = |file: &&String| roles.plan.is_none() && file.to_lowercase().ends_with(".toml");
    let instead = table.file.as_ref().filter(is_plan).map(PathBuf::from);
    let file = table.file.as_ref().filter(|_| instead.is_none());
    let Some(path) = instead.or_else(|| roles.plan.clone()) else {
        let file = file.cloned().unwrap_or_default();
        let words = format!("{}{}", quoted(&file), table.reading.words());
        return Ok(Asked { file, plan: None, plan_file: None, words });
    };
    let plan = Plan::read(&path)?;
    let named = format!("--plan {}", quoted(&path.display().to_string()));
    let words = file.map_or(named.clone(), |file| format!("{} {named}", quoted(file))) + &table.reading.words();
    let file = file.cloned().unwrap_or_else(|| plan.source_path(&path));
    Ok(Asked { file, plan: Some(plan), plan_file: Some(path), words })
}

/// Opens the table.
pub(crate) fn source(engine: &Engine, asked: &Asked, reading: &ReadArgs) -> Result<Source, Failure> {
    open(engine, &asked.file, reading.options(asked.plan.as_ref()))
}

/// Opens a table with these options.
pub(crate) fn open(engine: &Engine, file: &str, options: ReadOptions) -> Result<Source, Failure> {
    Ok(Source::open(engine, file, options).map_err(incrowd::Error::from)?)
}

impl ReadArgs {
    /// What is said here, and what the plan says besides.
    pub(crate) fn options(&self, plan: Option<&Plan>) -> ReadOptions {
        let mut options = plan.map(Plan::read_options).unwrap_or_default();
        options.delimiter = self.delimiter.or(options.delimiter);
        options.header = header(self.header, self.no_header).or(options.header);
        options.nulls.extend(self.null.iter().cloned());
        options.date_formats.splice(0..0, self.date_format.iter().cloned());
        options.format = self.input_format.map(InputFormat::format).or(options.format);
        options.connection.clone_from(&self.connection);
        options
    }

    /// The same words again, for the command that is suggested next.
    pub(crate) fn words(&self) -> String {
        let mut words = String::new();
        let mut add = |name: &str, value: &str| words += &format!(" {name} {}", quoted(value));
        match self.delimiter {
            Some(b'\t') => add("--delimiter", "tab"),
            Some(delimiter) => add("--delimiter", &char::from(delimiter).to_string()),
            None => {}
        }
        self.null.iter().for_each(|null| add("--null", null));
        self.date_format.iter().for_each(|(column, format)| add("--date-format", &format!("{column}={format}")));
        if let Some(format) = self.input_format {
            add("--input-format", &format.format().name().to_lowercase());
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

/// What was said about the first line of a text.
pub(crate) fn header(header: bool, no_header: bool) -> Option<bool> {
    (header || no_header).then_some(header)
}

/// A word that a shell reads as one.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-,=+:@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// The roles of the plan, each overruled by what the arguments say of the same column.
pub(crate) fn declared(roles: &RoleArgs, plan: Option<&Plan>) -> Declared {
    let given = Declared {
        quasi_identifiers: roles.qi.clone(),
        sensitive: roles.sensitive.clone(),
        identifiers: roles.identifier.clone(),
        insensitive: roles.insensitive.clone(),
        subject: roles.subject.clone(),
        rows_are_people: roles.rows_are_people,
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
        rows_are_people: roles.rows_are_people || planned.rows_are_people,
    }
}

impl InputFormat {
    pub(crate) fn format(self) -> Format {
        match self {
            InputFormat::Csv => Format::Csv,
            InputFormat::Parquet => Format::Parquet,
            InputFormat::Arrow => Format::Arrow,
        }
    }
}

/// Refuses to write over a file unless told to, through a link in any case, and into a folder that is not there.
pub(crate) fn refuse_to_overwrite(path: &Path, force: bool) -> Result<(), Failure> {
    let elsewhere = "say -o FILE to write elsewhere";
    match path.symlink_metadata() {
        Ok(about) if about.is_symlink() => return Err(incrowd::Error::Link(path.into()).into()),
        Ok(_) if !force => return Err(incrowd::Error::FileExists(path.into()).into()),
        Ok(about) if !about.is_file() => {
            return Err(Failure::new(format!("{} exists and is not a file", path.display()), elsewhere));
        }
        Ok(about) if about.permissions().readonly() => {
            return Err(Failure::new(format!("{} is read-only", path.display()), elsewhere));
        }
        _ => {}
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(Failure::new(format!("{}: there is no such folder", folder.display()), "make the folder first"))
        }
        _ => Ok(()),
    }
}

/// Refuses to write over a file that is read.
pub(crate) fn refuse_to_overwrite_source(path: &Path, source: &Source) -> Result<(), Failure> {
    let real = |path: &Path| path.canonicalize().ok();
    match real(path).filter(|written| source.files().iter().any(|file| real(file).as_ref() == Some(written))) {
        Some(_) => {
            let what = format!("{} is the table that is read", path.display());
            Err(Failure::new(what, "say -o FILE to write elsewhere"))
        }
        None => Ok(()),
    }
}

/// Writes a text file. A file that is there stays until the new one is complete, and is replaced as a whole: what else
/// links to it is not changed.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: &std::io::Error| Failure::io(path, error);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    for attempt in 0u32.. {
        let partial = path.with_file_name(format!(".{name}.partial-{}-{attempt}", std::process::id()));
        let (mut file, _leftover) = match Leftover::create(&partial, |path| File::create_new(path)) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            created => created.map_err(|error| failed(&error))?,
        };
        let before = path.metadata().map(|about| about.permissions()).ok();
        let written = before
            .map_or(Ok(()), |before| file.set_permissions(before))
            .and_then(|()| file.write_all(text.as_bytes()))
            .and_then(|()| file.sync_all())
            .map_err(|error| failed(&error))
            .and_then(|()| signals::commit(|| std::fs::rename(&partial, path).map_err(|error| failed(&error))));
        return written.inspect_err(|_| {
            let _ = std::fs::remove_file(&partial);
        });
    }
    Ok(())
}
