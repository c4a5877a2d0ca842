//! What the user named: a file, a folder or a pattern, here or in an object store, and what is in it.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use url::Url;

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::limits::{FilePart, ReadLimits};
use crate::runtime::steady_file::SteadyFile;
use crate::source::encoding::{self, TextEncoding};
use crate::source::pipe;
use crate::source::spellings::Spellings;
use crate::source::statistics::{self, StatisticsFacts, StatisticsKind};
use crate::source::stores::{self, RemoteFile, is_remote};
use crate::source::workbook::{self, SheetOptions, WorkbookFacts};

/// How the table is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cluster", derive(serde::Serialize, serde::Deserialize))]
pub enum Format {
    /// Text with a delimiter and a header line.
    Csv,
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, file or stream.
    Arrow,
    /// A workbook of a spreadsheet program.
    Xlsx,
    /// A file of Stata.
    Dta,
    /// A file of SPSS.
    Sav,
}

impl Format {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "CSV",
            Format::Parquet => "Parquet",
            Format::Arrow => "Arrow",
            Format::Xlsx => "XLSX",
            Format::Dta => "DTA",
            Format::Sav => "SAV",
        }
    }
}

/// How a text file is compressed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cluster", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// zstd.
    Zstd,
}

/// What the user knows better than the file does.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The delimiter of CSV files, instead of sniffing it.
    pub delimiter: Option<u8>,
    /// Texts that stand for a missing value, besides nothing at all.
    pub nulls: Vec<String>,
    /// The format, instead of telling it from the name.
    pub format: Option<Format>,
    /// The encoding of CSV files, instead of UTF-8.
    pub encoding: Option<TextEncoding>,
    /// Which part of a workbook is the table.
    pub sheet: SheetOptions,
    /// Columns that hold dates, each with its format in `strftime` letters.
    pub date_formats: Vec<(String, String)>,
    /// Columns that hold numbers with a decimal comma.
    pub decimal_commas: Vec<String>,
    /// Columns of a release whose numbers have a decimal comma; their other texts are labels.
    pub comma_labels: Vec<String>,
    /// A file that says how to connect to a database, instead of the environment.
    pub connection: Option<PathBuf>,
    /// Spellings that are read as another one.
    pub spellings: Spellings,
    /// Whether the first line of a CSV file names the columns; without it, a first line that looks like a row is
    /// refused.
    pub header: Option<bool>,
}

/// A file of a table: on this machine, or in an object store.
#[derive(Clone, Debug)]
pub(crate) struct TableFile {
    /// Its name, for messages.
    path: PathBuf,
    remote: Option<(Url, RemoteFile)>,
    /// Where it was written once more in a form that is read.
    copy: Option<PathBuf>,
}

/// What can be read from any place.
pub(crate) trait ReadSeek: Read + Seek + Send {}
impl<R: Read + Seek + Send> ReadSeek for R {}

impl TableFile {
    pub(crate) fn remote(path: PathBuf, url: Url, file: RemoteFile) -> TableFile {
        TableFile { path, remote: Some((url, file)), copy: None }
    }

    /// The same file, to be read from a copy.
    pub(crate) fn copied_to(self, copy: PathBuf) -> TableFile {
        TableFile { copy: Some(copy), remote: None, ..self }
    }

    /// Where it is read from on this machine.
    fn place(&self) -> &Path {
        self.copy.as_deref().unwrap_or(&self.path)
    }

    /// Whether it is read from a copy, which only this process sees.
    #[cfg(feature = "cluster")]
    pub(crate) fn is_copied(&self) -> bool {
        self.copy.is_some()
    }

    /// Where it is when it is not on this machine.
    pub(crate) fn elsewhere(&self) -> Option<&RemoteFile> {
        self.remote.as_ref().map(|(_, file)| file)
    }

    /// Its address for executors.
    #[cfg(feature = "cluster")]
    pub(crate) fn url(&self) -> Result<Url> {
        match &self.remote {
            Some((url, _)) => Ok(url.clone()),
            None => Url::from_file_path(self.place()).map_err(|()| EngineError::NotFound(self.path.clone())),
        }
    }

    pub(crate) fn open(&self) -> std::io::Result<Box<dyn ReadSeek>> {
        Ok(match self.elsewhere() {
            Some(file) => Box::new(file.open()),
            None => Box::new(SteadyFile(File::open(self.place())?)),
        })
    }

    pub(crate) fn size(&self) -> Result<u64> {
        match self.elsewhere() {
            Some(file) => Ok(file.size),
            None => self.place().metadata().map(|file| file.len()).map_err(|error| EngineError::io(&self.path, error)),
        }
    }
}

impl From<PathBuf> for TableFile {
    fn from(path: PathBuf) -> TableFile {
        TableFile { path, remote: None, copy: None }
    }
}

impl std::ops::Deref for TableFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

/// The files of one table, of one format.
#[derive(Clone, Debug)]
pub(crate) struct TableFiles {
    pub(crate) paths: Vec<TableFile>,
    pub(crate) format: Format,
    pub(crate) compression: Compression,
    /// How text was encoded before it was written once more as UTF-8.
    pub(crate) encoding: Option<TextEncoding>,
    /// What was found in the workbook that was written once more as text.
    pub(crate) workbook: Option<WorkbookFacts>,
    /// What the file of a statistics package says of its columns, which was written once more as text.
    pub(crate) statistics: Option<(StatisticsKind, StatisticsFacts)>,
}

impl TableFiles {
    /// The files behind a path, a folder or a pattern, here or in an object store, sorted.
    pub(crate) fn find(engine: &Engine, named: &str, options: &ReadOptions) -> Result<TableFiles> {
        let paths = if is_remote(named) {
            stores::find(engine, named)?
        } else if pipe::reads_once(named) {
            vec![pipe::copied(engine, named)?.into()]
        } else {
            TableFiles::find_here(named)?
        };
        TableFiles::of_one_table(engine, named, paths, options)
    }

    /// These files, which are one table and have one format.
    pub(crate) fn of_one_table(
        engine: &Engine,
        named: &str,
        paths: Vec<TableFile>,
        options: &ReadOptions,
    ) -> Result<TableFiles> {
        let (paths, workbook, statistics) = as_text(engine, named, paths, options)?;
        let mut kinds = paths.iter().map(|path| kind_of(path, options).map(|kind| (path, kind)));
        let Some(first) = kinds.next() else { return Err(EngineError::NothingToRead(named.into())) };
        let (first, (format, compression)) = first?;
        for other in kinds {
            let (other, kind) = other?;
            if kind != (format, compression) {
                return Err(EngineError::MixedFormats {
                    first: first.to_path_buf(),
                    first_format: described(format, compression),
                    second: other.to_path_buf(),
                    second_format: described(kind.0, kind.1),
                });
            }
        }
        let files = TableFiles {
            paths,
            format,
            compression,
            encoding: statistics.as_ref().and(options.encoding),
            workbook,
            statistics,
        };
        if format == Format::Csv && !files.is_transcribed() {
            files.in_utf8(engine, options.encoding)
        } else {
            Ok(files)
        }
    }

    /// The statistics package that wrote the file.
    pub(crate) fn package(&self) -> Option<StatisticsKind> {
        self.statistics.as_ref().map(|(kind, _)| *kind)
    }

    /// Whether rows are read from a text that was made from the file.
    pub(crate) fn is_transcribed(&self) -> bool {
        self.workbook.is_some() || self.statistics.is_some()
    }

    /// The files as UTF-8: those of another encoding, which was named or which they name themselves, are copied.
    fn in_utf8(mut self, engine: &Engine, named: Option<TextEncoding>) -> Result<TableFiles> {
        let limits = ReadLimits::of(engine);
        let mut encodings = Vec::with_capacity(self.paths.len());
        for file in &self.paths {
            let mut start = Vec::new();
            let reader = open_text_within(file, self.compression, &limits)?.take(4);
            let failed = |error| read_error(file, self.compression, &limits, error);
            { reader }.read_to_end(&mut start).map_err(failed)?;
            encodings.push(named.filter(|encoding| !encoding.is_utf8()).or_else(|| encoding::marked(&start)));
        }
        self.encoding = encodings.iter().flatten().next().copied();
        if self.encoding.is_none() {
            return Ok(self);
        }
        let compression = std::mem::replace(&mut self.compression, Compression::None);
        let utf8 = TextEncoding::named("utf-8");
        let copied = |(file, encoding): (TableFile, Option<TextEncoding>)| {
            // All are copied when one is: they are read in one way.
            let Some(encoding) = encoding.or(utf8) else { return Ok(file) };
            let copy = encoding::transcribed(engine, &file, compression, encoding)?;
            Ok(file.copied_to(copy))
        };
        self.paths = self.paths.into_iter().zip(encodings).map(copied).collect::<Result<_>>()?;
        Ok(self)
    }

    fn find_here(named: &str) -> Result<Vec<TableFile>> {
        let path = Path::new(named);
        let paths = if path.is_dir() {
            in_folder(path)?
        } else if path.try_exists().map_err(|error| EngineError::io(path, error))? {
            vec![path.to_path_buf()]
        } else if named.contains(['*', '?', '[']) {
            by_pattern(named)?
        } else {
            return Err(EngineError::NotFound(path.into()));
        };
        let absolute = |path: &PathBuf| path.canonicalize().map_err(|error| EngineError::io(path, error));
        paths.iter().map(|path| absolute(path).map(TableFile::from)).collect()
    }
}

/// Notes about a file besides its rows.
type Transcribed = (Vec<TableFile>, Option<WorkbookFacts>, Option<(StatisticsKind, StatisticsFacts)>);

/// A workbook and the file of a statistics package are read from a text that is made from them. Several of them are no
/// table.
fn as_text(engine: &Engine, named: &str, mut paths: Vec<TableFile>, options: &ReadOptions) -> Result<Transcribed> {
    if !paths.iter().any(|path| is_made_text(path, options)) {
        return Ok((paths, None, None));
    }
    let several = || EngineError::NothingToRead(named.into());
    let file = paths.pop().filter(|_| paths.is_empty()).ok_or_else(several)?;
    if let Some(kind) = statistics_kind(&file, options) {
        let (copy, facts) = statistics::transcribed(engine, &file, kind, options.encoding)?;
        return Ok((vec![file.copied_to(copy)], None, Some((kind, facts))));
    }
    let (copy, facts) = workbook::transcribed(engine, &file, &options.sheet)?;
    Ok((vec![file.copied_to(copy)], Some(facts), None))
}

/// The files that match a pattern. A folder that cannot be looked into is an error: its rows would be lost silently.
fn by_pattern(pattern: &str) -> Result<Vec<PathBuf>> {
    let hidden_stay_hidden = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let found = glob::glob_with(pattern, hidden_stay_hidden).map_err(|_| EngineError::NothingToRead(pattern.into()))?;
    let mut paths = Vec::new();
    for path in found {
        let path = path.map_err(|error| EngineError::io(error.path().to_path_buf(), error.into()))?;
        if path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The table files of a folder: hidden files and those whose name begins with `_` are not data.
fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| EngineError::io(folder, error))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| EngineError::io(folder, error))?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['.', '_']));
        if path.is_file() && !hidden && by_name(&path).is_some() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn described(format: Format, compression: Compression) -> &'static str {
    match (format, compression) {
        (Format::Csv, Compression::Gzip) => "gzipped CSV",
        (Format::Csv, Compression::Zstd) => "zstd-compressed CSV",
        (format, _) => format.name(),
    }
}

/// Whether a file is read as a workbook: by its name, or because that was said.
fn is_workbook(path: &Path, options: &ReadOptions) -> bool {
    options.format.map_or_else(|| workbook::has_ending(path), |format| format == Format::Xlsx)
}

/// Which package wrote the file: by its name, or because that was said.
fn statistics_kind(path: &Path, options: &ReadOptions) -> Option<StatisticsKind> {
    options.format.map_or_else(|| StatisticsKind::of(path), StatisticsKind::of_format)
}

/// Whether a text is made from a file before it is read.
fn is_made_text(path: &Path, options: &ReadOptions) -> bool {
    is_workbook(path, options) || statistics_kind(path, options).is_some()
}

fn kind_of(path: &TableFile, options: &ReadOptions) -> Result<(Format, Compression)> {
    if is_made_text(path, options) {
        return Ok((Format::Csv, Compression::None));
    }
    let named = by_name(path);
    let compression = named.map_or(Compression::None, |(_, compression)| compression);
    match (options.format, named) {
        (Some(Format::Csv), _) => Ok((Format::Csv, compression)),
        (Some(format), _) => Ok((format, Compression::None)),
        (None, Some(kind)) => Ok(kind),
        (None, None) => by_first_bytes(path),
    }
}

pub(crate) fn by_name(path: &Path) -> Option<(Format, Compression)> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let (stem, compression) = match name.strip_suffix(".gz") {
        Some(stem) => (stem, Compression::Gzip),
        None => match name.strip_suffix(".zst") {
            Some(stem) => (stem, Compression::Zstd),
            None => (name.as_str(), Compression::None),
        },
    };
    let format = match Path::new(stem).extension()?.to_str()? {
        "csv" | "tsv" | "tab" | "txt" => Format::Csv,
        "parquet" | "pq" if compression == Compression::None => Format::Parquet,
        "arrow" | "arrows" | "ipc" | "feather" if compression == Compression::None => Format::Arrow,
        _ => return None,
    };
    Some((format, compression))
}

fn by_first_bytes(file: &TableFile) -> Result<(Format, Compression)> {
    let (mut start, path): (_, &Path) = (Vec::new(), file);
    let file = file.open().map_err(|error| EngineError::io(path, error))?;
    file.take(6).read_to_end(&mut start).map_err(|error| EngineError::io(path, error))?;
    if start.starts_with(b"PAR1") {
        Ok((Format::Parquet, Compression::None))
    } else if start.starts_with(b"ARROW1") {
        Ok((Format::Arrow, Compression::None))
    } else {
        Err(EngineError::UnknownFormat(path.into()))
    }
}

/// The ending that shows the format of a file that begins with these bytes; text when nothing else is known.
pub(crate) fn by_magic(start: &[u8]) -> &'static str {
    match start {
        [b'P', b'A', b'R', b'1', ..] => "parquet",
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] | [0xff, 0xff, 0xff, 0xff, ..] => "arrow",
        [0x1f, 0x8b, ..] => "csv.gz",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "csv.zst",
        _ => "csv",
    }
}

/// As [`open_text`]; a window that takes more than its share of memory will be refused.
pub(crate) fn open_text_within(
    file: &TableFile,
    compression: Compression,
    limits: &ReadLimits,
) -> Result<Box<dyn Read + Send>> {
    if compression != Compression::Zstd {
        return open_text(file, compression);
    }
    let failed = |error| EngineError::io(file.to_path_buf(), error);
    let opened = file.open().map_err(failed)?;
    let mut decoder = zstd::stream::read::Decoder::new(opened).map_err(failed)?;
    decoder.window_log_max(limits.window().ilog2()).map_err(failed)?;
    Ok(Box::new(decoder))
}

/// Opens a text file, decompressing it on the way.
pub(crate) fn open_text(file: &TableFile, compression: Compression) -> Result<Box<dyn Read + Send>> {
    let path: &Path = file;
    let file = file.open().map_err(|error| EngineError::io(path, error))?;
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(file)),
        Compression::Zstd => {
            Box::new(zstd::stream::read::Decoder::new(file).map_err(|error| EngineError::io(path, error))?)
        }
    })
}

/// zstd's code of a frame whose window is larger than allowed (`ZSTD_error_frameParameter_windowTooLarge`). Its Rust
/// binding passes an error on by the name that the library gives its code.
const WINDOW_TOO_LARGE: usize = 0usize.wrapping_sub(16);

/// The error for a text file that could not be read: a compressed one is damaged unless the disk is to blame.
pub(crate) fn read_error(
    path: &Path,
    compression: Compression,
    limits: &ReadLimits,
    error: std::io::Error,
) -> EngineError {
    use std::io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    if compression == Compression::Zstd && error.to_string() == zstd::zstd_safe::get_error_name(WINDOW_TOO_LARGE) {
        return EngineError::OverLimit { path: path.into(), part: FilePart::Window, most: limits.window() };
    }
    let format = match (compression, error.kind()) {
        (Compression::Gzip, InvalidData | InvalidInput | Other | UnexpectedEof) => "gzip",
        (Compression::Zstd, InvalidData | InvalidInput | Other | UnexpectedEof) => "zstd",
        _ => return EngineError::io(path, error),
    };
    EngineError::Damaged { path: path.into(), format }
}
