//! A release that is being verified: its folder, its manifest, and the files that may be opened.

use std::path::{Path, PathBuf};

use crate::count::Counter;
use crate::manifest::{ColumnEntry, Counts, FileEntry, Manifest};
use crate::read::{FileColumn, MemoryBounds, ReadError, ReadProgress, RowSink, TableFile};
use crate::verdict::{Fault, FaultKind, Verdict, VerifyError};

/// A folder with what its manifest says of it.
pub(crate) struct Release<'a> {
    dir: &'a Path,
    pub(crate) manifest: &'a Manifest,
    files: Vec<&'a FileEntry>,
    bounds: MemoryBounds,
}

impl<'a> Release<'a> {
    /// The release in a folder, of whose files these may be opened.
    pub(crate) fn new(dir: &'a Path, manifest: &'a Manifest, files: Vec<&'a FileEntry>, memory: Option<u64>) -> Self {
        Release { dir, manifest, files, bounds: MemoryBounds::new(memory) }
    }

    /// The published columns, in order.
    pub(crate) fn columns(&self) -> Vec<&'a ColumnEntry> {
        self.manifest.columns.iter().filter(|column| column.is_published()).collect()
    }

    /// The path of each file, with its entry.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (PathBuf, &FileEntry)> {
        self.files.iter().map(|file| (self.dir.join(&file.name), *file))
    }

    /// The entry of each file that may be opened.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &'a FileEntry> {
        self.files.iter().copied()
    }

    /// A file of this name that may be opened.
    pub(crate) fn file(&self, name: &str) -> Option<&'a FileEntry> {
        self.files.iter().copied().find(|file| file.name == name)
    }

    /// A file of the release as a table.
    pub(crate) fn table<'p>(&self, path: &'p Path, file: &FileEntry) -> TableFile<'p> {
        TableFile { escaped: file.escaped, bounds: self.bounds, ..TableFile::published(path, file) }
    }

    /// The columns of a file as they stand in it.
    pub(crate) fn columns_of(&self, file: &FileEntry) -> Result<Vec<FileColumn>, ReadError> {
        let path = self.dir.join(&file.name);
        self.table(&path, file).columns()
    }

    /// Counts the rows of all files; says whether all of them could be read as the manifest describes them.
    pub(crate) fn count(
        &self,
        wanted: &[usize],
        counter: &mut Counter,
        progress: &ReadProgress<'_>,
        verdict: &mut Verdict,
    ) -> Result<bool, VerifyError> {
        let names: Vec<&str> = self.columns().into_iter().map(|column| column.name.as_str()).collect();
        let mut whole = self.files.len() == self.manifest.files.len();
        for file in &self.files {
            let read = |table: &TableFile<'_>, counter: &mut Counter| table.count(wanted, counter, progress);
            whole &= self.read_file(file, &names, counter, read, verdict)?;
        }
        Ok(whole)
    }

    /// Reads a file whose columns should be these; says whether it could be read as the manifest describes it. A file that can be
    /// read for one question may fail for the next one, and no question may be left out without a word: each failure is a fault.
    pub(crate) fn read_file<R: RowSink>(
        &self,
        file: &FileEntry,
        columns: &[&str],
        into: &mut R,
        read: impl FnOnce(&TableFile<'_>, &mut R) -> Result<(), ReadError>,
        verdict: &mut Verdict,
    ) -> Result<bool, VerifyError> {
        let before = into.rows();
        let found = match self.columns_of(file) {
            Ok(found) => found,
            Err(error) => {
                verdict.add_once(unreadable(file, error)?);
                return Ok(false);
            }
        };
        if !found.iter().map(|column| column.name.as_str()).eq(columns.iter().copied()) {
            let message =
                format!("the columns of {} are not the published columns of the manifest, in order", file.name);
            verdict.add_once(Fault::new(FaultKind::Columns, message));
            return Ok(false);
        }
        let path = self.dir.join(&file.name);
        if let Err(error) = read(&self.table(&path, file), into) {
            verdict.add_once(unreadable(file, error)?);
            return Ok(false);
        }
        let rows = into.rows() - before;
        if rows != file.rows {
            let message = format!("{} has {rows} rows, the manifest says {}", file.name, file.rows);
            verdict.add_once(Fault::new(FaultKind::Rows, message));
        }
        Ok(true)
    }

    /// Compares what was counted with what the manifest says.
    pub(crate) fn compare_counts(&self, verdict: &mut Verdict) {
        let Verdict { rows, classes, smallest_class, .. } = *verdict;
        let said = self.manifest;
        if rows == 0 && said.rows > 0 {
            verdict.faults.push(Fault::new(FaultKind::Empty, "the files have no rows"));
        }
        if classes != said.classes {
            let message = format!("there are {classes} classes, the manifest says {}", said.classes);
            verdict.faults.push(Fault::new(FaultKind::Classes, message));
        }
        let agrees = match said.counts {
            Counts::Rows => smallest_class == said.smallest_class,
            // A class has at least as many rows as people.
            Counts::People => smallest_class >= said.smallest_class,
        };
        if !agrees {
            let message =
                format!("the smallest class has {smallest_class} rows, the manifest says {}", said.smallest_class);
            verdict.faults.push(Fault::new(FaultKind::Classes, message));
        }
    }
}

fn unreadable(file: &FileEntry, error: ReadError) -> Result<Fault, VerifyError> {
    match error {
        ReadError::Cancelled => Err(VerifyError::Cancelled),
        ReadError::Unreadable(why) => Ok(Fault::new(FaultKind::Unreadable, format!("{}: {why}", file.name))),
    }
}

#[cfg(test)]
pub(crate) mod small;
#[cfg(test)]
mod tests;
