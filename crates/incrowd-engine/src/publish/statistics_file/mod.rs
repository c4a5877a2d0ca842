//! A release as a file of Stata or SPSS.
//!
//! Such a file says before its rows what type each column has and how long its texts are, so rows wait as lines of text
//! in the folder of the release until all are known ([`WaitingLines`]). A column whose published values are all labels of
//! the file that was read gets its numbers back, with the labels of the values that are published and of no other. A
//! column of numbers, days or instants is stored as such; everything else, generalized values too, is text.

mod columns;
mod spss;
mod stata;

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use super::release_file::WrittenColumn;
use crate::runtime::error::StatisticsFault;
use crate::runtime::steady_file::SteadyFile;
use crate::source::files::Format;
use columns::StoredColumn;

/// Writes a number of bytes, filled up with zeros or spaces.
fn padded(text: &str, bytes: usize, with: u8) -> Vec<u8> {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut padded = text.as_bytes()[..end].to_vec();
    padded.resize(bytes, with);
    padded
}

/// A file that is being written.
pub(crate) struct StatisticsFile {
    format: Format,
    columns: Vec<StoredColumn>,
    lines: WaitingLines,
    rows: u64,
}

/// Why such a file cannot be written.
pub(crate) enum Unwritten {
    /// The release does not fit the format.
    Fault(StatisticsFault),
    /// The disk.
    Failed,
}

impl StatisticsFile {
    pub(crate) fn new(folder: &Path, format: Format, columns: &[WrittenColumn]) -> Result<StatisticsFile, Unwritten> {
        let fits = if format == Format::Dta { stata::is_name } else { spss::is_name };
        if let Some(column) = columns.iter().find(|column| !fits(&column.name)) {
            let (name, package) = (column.name.clone(), package(format));
            return Err(Unwritten::Fault(StatisticsFault::Name { name, package }));
        }
        let lines = WaitingLines::new(folder).ok_or(Unwritten::Failed)?;
        let columns = columns.iter().map(StoredColumn::new).collect();
        Ok(StatisticsFile { format, columns, lines, rows: 0 })
    }

    /// Appends lines of CSV.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Option<()> {
        each_line(lines, |record| {
            self.columns.iter_mut().zip(record).for_each(|(column, text)| column.see(text));
            self.rows += 1;
            Some(())
        })?;
        self.lines.target.as_mut()?.write_all(lines).ok()
    }

    /// Writes the whole file.
    pub(crate) fn finish(mut self, out: &mut impl Write) -> Result<(), Unwritten> {
        let most = if self.format == Format::Dta { stata::MOST_BYTES } else { spss::MOST_BYTES };
        for column in &mut self.columns {
            column.settle(self.format);
            if column.text_bytes() > most {
                let (name, package) = (column.name.clone(), package(self.format));
                return Err(Unwritten::Fault(StatisticsFault::LongText { name, most: most as u64, package }));
            }
        }
        let lines = self.lines.reread().ok_or(Unwritten::Failed)?;
        let written = match self.format {
            Format::Dta => stata::write(&self.columns, self.rows, lines, out),
            _ => spss::write(&self.columns, self.rows, lines, out),
        };
        written.ok_or(Unwritten::Failed)
    }
}

/// The name of a package.
fn package(format: Format) -> &'static str {
    if format == Format::Dta { "Stata" } else { "SPSS" }
}

/// Does something with each line of CSV.
fn each_line(lines: impl std::io::Read, mut visit: impl FnMut(&csv::StringRecord) -> Option<()>) -> Option<()> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(lines);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).ok()? {
        visit(&record)?;
    }
    Some(())
}

/// Rows that wait in a file, which is removed in any case.
struct WaitingLines {
    path: PathBuf,
    /// Until it is removed.
    target: Option<BufWriter<File>>,
}

impl WaitingLines {
    fn new(folder: &Path) -> Option<WaitingLines> {
        let place = |at: u32| folder.join(format!(".waiting-{at}"));
        let open = |path: &Path| File::options().read(true).write(true).create_new(true).open(path).ok();
        (0..8)
            .map(place)
            .find_map(|path| open(&path).map(|file| WaitingLines { path, target: Some(BufWriter::new(file)) }))
    }

    fn reread(&mut self) -> Option<SteadyFile> {
        let target = self.target.as_mut()?;
        target.flush().ok()?;
        let mut file = target.get_ref().try_clone().ok()?;
        file.rewind().ok()?;
        Some(SteadyFile(file))
    }
}

impl Drop for WaitingLines {
    fn drop(&mut self) {
        // Windows does not remove a file that is open. A file that is not removed makes the release fail verification.
        drop(self.target.take());
        let _ = std::fs::remove_file(&self.path);
    }
}
