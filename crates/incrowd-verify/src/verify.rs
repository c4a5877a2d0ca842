//! The way through: manifest, files, columns, classes, models, and the original if it is at hand.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::against::{self, Against};
use crate::count::Counter;
use crate::integrity::{consistency, files};
use crate::judge::files::Parts;
use crate::manifest::{Counts, FileEntry, Manifest, ManifestError, Role};
use crate::models::{Question, RowsSay, questions};
use crate::read::{Bounds, FileColumn, ReadError, Rows, TableFile, Watch};
use crate::two_tables;
use crate::verdict::{Fault, FaultKind, NotChecked, Verdict, VerifyError};

/// How to verify.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The original table, to check that every published row is truthful.
    pub against: Option<Against>,
    /// Ends the work soon after it became true.
    pub cancel: Option<&'a AtomicBool>,
    /// Is told the rows read so far, and all rows.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    /// Bytes that classes may take; as many as it takes when left out. When they take more, the files are read several
    /// times, each time for a part of the classes.
    pub memory: Option<u64>,
}

/// Says whether the folder keeps what its manifest promises.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// use incrowd_verify::{FaultKind, Options, verify};
/// let verdict = verify(dir.path(), &Options::default())?;
/// assert!(!verdict.verified);
/// assert_eq!(verdict.faults[0].kind, FaultKind::NotARelease);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The folder or the original cannot be read, or the work was cancelled. What is wrong with a release is a fault in
/// the verdict.
pub fn verify(dir: &Path, options: &Options<'_>) -> Result<Verdict, VerifyError> {
    std::fs::read_dir(dir).map_err(VerifyError::Folder)?;
    let manifest = match Manifest::read(dir) {
        Ok(manifest) => manifest,
        Err(error) => {
            let kind = match error {
                ManifestError::Missing => FaultKind::NotARelease,
                ManifestError::Seal => FaultKind::Seal,
                _ => FaultKind::Manifest,
            };
            return Ok(Verdict { faults: vec![Fault::new(kind, error.to_string())], ..Verdict::default() });
        }
    };
    let mut verdict = verify_staged(dir, &manifest, options)?;
    if !manifest.verified.holds {
        let message = "the manifest does not say that the release was verified before it was published";
        verdict.faults.push(Fault::new(FaultKind::Manifest, message));
    }
    if manifest.canaries.found > 0 {
        let message = format!("the manifest says that {} removed values stand in the files", manifest.canaries.found);
        verdict.faults.push(Fault::new(FaultKind::Canary, message));
    }
    verdict.verified = verdict.faults.is_empty();
    Ok(verdict)
}

/// What is wrong with the files of a release, by their names, lengths and checksums alone: nothing is counted or judged.
/// A verdict on the same bytes still stands when there is nothing.
///
/// # Errors
/// The folder cannot be read, or the work was cancelled.
pub fn files_are_whole(
    dir: &Path,
    manifest: &Manifest,
    cancel: Option<&AtomicBool>,
) -> Result<Vec<Fault>, VerifyError> {
    let mut faults = Vec::new();
    let stop = || cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
    files::check(dir, manifest, &stop, &mut faults)?;
    Ok(faults)
}

/// As [`verify`], for a folder whose manifest is not written yet.
///
/// # Errors
/// As for [`verify`].
pub fn verify_staged(dir: &Path, manifest: &Manifest, options: &Options<'_>) -> Result<Verdict, VerifyError> {
    let (mut questions, mut faults) = questions(&manifest.policy);
    faults.extend(consistency::check(manifest, &questions));
    let watch = Watch::new(options.cancel, options.progress, manifest.rows);
    let files = files::check(dir, manifest, &|| watch.is_cancelled(), &mut faults)?;
    let bounds = Bounds::new(options.memory);
    let release = Release { dir, manifest, files: files.readable, bounds };
    let mut verdict = Verdict { faults, bytes: files.bytes, ..Verdict::default() };
    if manifest.counts == Counts::People {
        verdict.not_checked = not_checked(&questions);
        verdict.notes.push(ONLY_ROWS.to_string());
        questions.retain(|question| question.rows_say != RowsSay::Nothing);
    }
    if manifest.suppressed_rows.exact().is_none() && options.against.is_none() {
        let note = "withheld rows are told in steps: that no more were withheld than the policy allows was checked for the \
                    least number of the step, and can be checked exactly with the original";
        verdict.notes.push(note.to_string());
    }
    if let Some(two) = &manifest.two_tables {
        two_tables::check(&release, two, &questions, options, &mut verdict)?;
    } else {
        release.judge(&questions, options, &mut verdict)?;
        if let Some(original) = &options.against {
            against::check(&release, original, options, &mut verdict)?;
        }
    }
    verdict.verified = verdict.faults.is_empty();
    Ok(verdict)
}

/// What the bytes of a release that counts people cannot show.
const ONLY_ROWS: &str = "the published rows do not say whose they are, so people cannot be counted on them: k is checked for \
                         rows, of which a class has at least as many as people, and shares of people are not checked";

/// The promises about people that rows do not decide.
fn not_checked(questions: &[Question]) -> Vec<NotChecked> {
    let of_people = questions.iter().filter(|question| question.rows_say != RowsSay::Values);
    let promise = |question: &Question| NotChecked {
        model: question.model.to_string(),
        sensitive: question.sensitive.clone(),
        promise: question.asks.promise_of_people(question.sensitive.as_deref()),
    };
    of_people.map(promise).collect()
}

/// A folder with what its manifest says of it.
pub(crate) struct Release<'a> {
    dir: &'a Path,
    pub(crate) manifest: &'a Manifest,
    files: Vec<&'a FileEntry>,
    bounds: Bounds,
}

impl Release<'_> {
    /// The names of the published columns, in order.
    pub(crate) fn columns(&self) -> Vec<&str> {
        let published = self.manifest.columns.iter().filter(|column| column.is_published());
        published.map(|column| column.name.as_str()).collect()
    }

    /// Where each file stands, with its entry.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (PathBuf, &FileEntry)> {
        self.files.iter().map(|file| (self.dir.join(&file.name), *file))
    }

    fn judge(&self, questions: &[Question], options: &Options<'_>, verdict: &mut Verdict) -> Result<(), VerifyError> {
        let published = self.columns();
        let place = |name: &str| published.iter().position(|column| *column == name);
        let of_class = |name: &&&str| {
            let is_it = |column: &&crate::ColumnEntry| column.name == ***name && column.role == Role::QuasiIdentifier;
            self.manifest.columns.iter().any(|column| is_it(&column))
        };
        let mut wanted: Vec<usize> = published.iter().filter(of_class).filter_map(|name| place(name)).collect();
        let classified = wanted.len();
        let mut sensitive: Vec<&str> = questions.iter().filter_map(|question| question.sensitive.as_deref()).collect();
        sensitive.sort_unstable();
        sensitive.dedup();
        // Columns of the class are not sensitive ones: that was checked, and such a question is not asked again.
        sensitive.retain(|name| place(name).is_some_and(|at| !wanted.contains(&at)));
        wanted.extend(sensitive.iter().filter_map(|name| place(name)));

        let parts = Parts::new(self.manifest, classified, sensitive.len(), options.memory);
        let read = (&wanted[..], classified, &sensitive[..]);
        if let Some(judged) = self.judge_parts(parts, questions, read, options, verdict)? {
            verdict.take(judged);
        }
        Ok(())
    }

    /// Counts the rows of all files; says whether all of them could be read as the manifest describes them.
    pub(crate) fn count(
        &self,
        wanted: &[usize],
        counter: &mut Counter,
        watch: &Watch<'_>,
        verdict: &mut Verdict,
    ) -> Result<bool, VerifyError> {
        let mut whole = self.files.len() == self.manifest.files.len();
        for file in &self.files {
            let read = |table: &TableFile<'_>, counter: &mut Counter| table.count(wanted, counter, watch);
            whole &= self.read_file(file, &self.columns(), counter, read, verdict)?;
        }
        Ok(whole)
    }

    /// A file of this name that may be opened.
    pub(crate) fn file(&self, name: &str) -> Option<&FileEntry> {
        self.files.iter().copied().find(|file| file.name == name)
    }

    /// A file of the release as a table.
    pub(crate) fn table<'p>(&self, path: &'p Path, file: &FileEntry) -> TableFile<'p> {
        let (format, escaped, bounds) = (file.format, file.escaped, self.bounds);
        TableFile { path, format, delimiter: b',', escaped, header: true, bounds }
    }

    /// The columns of a file as they stand in it.
    pub(crate) fn columns_of(&self, file: &FileEntry) -> Result<Vec<FileColumn>, ReadError> {
        let path = self.dir.join(&file.name);
        self.table(&path, file).columns()
    }

    /// Reads a file whose columns should be these; says whether it could be read as the manifest describes it.
    pub(crate) fn read_file<R: Rows>(
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
                verdict.faults.push(unreadable(file, error)?);
                return Ok(false);
            }
        };
        if !found.iter().map(|column| column.name.as_str()).eq(columns.iter().copied()) {
            let message = format!("the columns of {} are not the published ones of the manifest, in order", file.name);
            verdict.faults.push(Fault::new(FaultKind::Columns, message));
            return Ok(false);
        }
        let path = self.dir.join(&file.name);
        let table = self.table(&path, file);
        if let Err(error) = read(&table, into) {
            verdict.faults.push(unreadable(file, error)?);
            return Ok(false);
        }
        let rows = into.rows() - before;
        if rows != file.rows {
            let message = format!("{} has {rows} rows, the manifest says {}", file.name, file.rows);
            verdict.faults.push(Fault::new(FaultKind::Rows, message));
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
