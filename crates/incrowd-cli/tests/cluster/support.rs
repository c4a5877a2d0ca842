//! A cluster that ends with its test, tables, and what was released.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use tempfile::TempDir;

/// The binary, with nothing inherited that changes its words, and a cluster that notices a loss within seconds.
pub(crate) fn incrowd(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_incrowd"));
    command.args(args).current_dir(folder).env("COLUMNS", "100").env("INCROWD_CLUSTER_TIMEOUT", "7");
    // Small tables are cut into many tasks.
    command
        .env("INCROWD_CLUSTER_TASK_ROWS", "500")
        .env("INCROWD_CLUSTER_PATIENCE", "90")
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null());
    command
}

/// Runs it; what it said when it should have ended well.
pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    incrowd(folder, args).output().unwrap()
}

pub(crate) fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A running cluster.
pub(crate) struct Up {
    pub(crate) url: String,
    /// The scheduler's process, then those of the executors.
    pub(crate) processes: Vec<u32>,
    pub(crate) work: PathBuf,
    child: Child,
}

impl Up {
    /// Two executors, with their work directories in this folder.
    pub(crate) fn start(folder: &Path, work: &str) -> Up {
        let work = folder.join(work);
        let named = work.display().to_string();
        let mut command = incrowd(folder, &["cluster", "up", "--executors", "2", "--cores", "1", "--work-dir", &named]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = lines.next().expect("the cluster says where it is").unwrap();
        assert!(url.starts_with("df://127.0.0.1:"), "{url}");
        let process = |line: String| line.rsplit(' ').next().unwrap().parse::<u32>().unwrap();
        let processes = (0..3).map(|_| process(lines.next().unwrap().unwrap())).collect();
        // A lost executor is reported later, and the pipe has to be read.
        std::thread::spawn(move || lines.for_each(drop));
        Up { url, processes, work, child }
    }

    pub(crate) fn signal(&self, signal: &str, process: usize) {
        signal_to(signal, self.processes[process]);
    }

    /// Ends it as a person does.
    pub(crate) fn end(mut self) {
        signal_to("-INT", self.child.id());
        assert!(self.child.wait().unwrap().success() || !alive(self.processes[0]));
        let gone = || self.processes.iter().all(|&process| !alive(process));
        wait_for("all processes to end", Duration::from_secs(30), gone);
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            signal_to("-INT", self.child.id());
            let _ = self.child.wait();
        }
    }
}

pub(crate) fn signal_to(signal: &str, process: u32) {
    let _ = Command::new("kill").args([signal, &process.to_string()]).stderr(Stdio::null()).status();
}

pub(crate) fn alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // A process that ended and was not waited for is no longer alive.
    !stat.is_empty() && !stat.contains(") Z ")
}

/// Waits until something holds, for a while.
pub(crate) fn wait_for(what: &str, most: Duration, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < most, "waited for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A folder with a census-like table in two Parquet files.
pub(crate) fn desk(rows: u32) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("census")).unwrap();
    for (seed, part) in [("1", rows - rows / 3), ("2", rows / 3)] {
        let (rows, name) = (part.to_string(), format!("census/part-{seed}.parquet"));
        let output = run(folder.path(), &["sample", "--rows", &rows, "--seed", seed, "-o", &name, "-q"]);
        assert!(output.status.success(), "{}", said(&output));
    }
    folder
}

/// Columns that make many tuples, and many that are split.
pub(crate) const QI: &str = "age,education,marital-status,race,sex";

/// The words of a release that hangs on the seed alone.
pub(crate) fn release_words<'a>(table: &'a str, target: &'a str) -> Vec<&'a str> {
    let words = "--sensitive workclass --insensitive occupation,postcode --keep-identifying occupation,postcode --others remove --k 5 \
                 --p 2 --algorithm enhanced-pk --seed 7 --no-bound --output-format parquet -q";
    let mut all = vec!["anonymize", table, "-o", target, "--qi", QI];
    all.extend(words.split(' '));
    all
}

/// Columns that are published unchanged. When rows of one tuple go to several classes, the key of the release draws which;
/// so these are not compared between two releases.
const KEPT: [&str; 2] = ["occupation", "postcode"];

/// The generalized and the sensitive cells of every row of a release in Parquet as text, sorted.
pub(crate) fn rows(release: &Path) -> Vec<String> {
    let mut rows: Vec<String> = parts(release).iter().flat_map(|part| in_order(reader(part), &KEPT)).collect();
    rows.sort_unstable();
    rows
}

pub(crate) fn reader(part: &Path) -> ParquetRecordBatchReader {
    ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(part).unwrap()).unwrap().build().unwrap()
}

/// The files of data of a release, in their order.
pub(crate) fn parts(release: &Path) -> Vec<PathBuf> {
    let is_data = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("data"));
    let mut parts: Vec<PathBuf> = files(release).into_iter().filter(is_data).collect();
    parts.sort_unstable();
    parts
}

/// The rows as they stand in the file, without some columns.
pub(crate) fn in_order(reader: ParquetRecordBatchReader, without: &[&str]) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in reader {
        let batch = batch.unwrap();
        let text = |column: &ArrayRef| {
            let text = cast(column, &DataType::Utf8).unwrap();
            text.as_string::<i32>().clone()
        };
        let schema = batch.schema();
        let columns = schema.fields().iter().zip(batch.columns());
        let compared = columns.filter(|(field, _)| !without.contains(&field.name().as_str()));
        let texts: Vec<StringArray> = compared.map(|(_, column)| text(column)).collect();
        for row in 0..batch.num_rows() {
            let cell = |text: &StringArray| if text.is_null(row) { "∅".into() } else { text.value(row).to_string() };
            rows.push(texts.iter().map(cell).collect::<Vec<_>>().join("|"));
        }
    }
    rows
}

/// Every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
