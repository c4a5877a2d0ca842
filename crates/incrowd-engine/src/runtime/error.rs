//! Why the engine refuses. Every refusal says what is wrong and where, and never quotes a cell; its remedy says what to
//! do.
//!
//! The messages of readers may quote cells and whole rows, so they are not passed on: a failure is located again in the
//! file and reported by line and column.
//!
//! Error messages of a database, of an object store and of a cluster are withheld for the same reason, and so is the
//! text of a panic. Log lines, progress lines and the names of temporary files never hold a cell's value, either.

use std::path::PathBuf;

use incrowd_core::{size, thousands};

use crate::runtime::cluster_fault::ClusterFault;
use crate::runtime::database_fault::DatabaseFault;
pub use crate::runtime::format_fault::{
    DeltaReleaseFault, DialectFault, LakehouseFault, StatisticsFault, WorkbookFault,
};
use crate::runtime::limits::FilePart;
use crate::runtime::store_fault::StoreFault;
use crate::runtime::system_words::system_words;

/// A result of the engine.
pub type Result<T> = std::result::Result<T, EngineError>;

/// Why a table could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The path does not exist.
    #[error("{}: no such file or folder", .0.display())]
    NotFound(PathBuf),
    /// A pattern or folder without a table in it.
    #[error("{0}: no table files found")]
    NothingToRead(String),
    /// The operating system refused.
    #[error("{}: {}", path.display(), system_words(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Neither the name nor the first bytes show the format.
    #[error("{}: not recognized as CSV, Parquet or Arrow", .0.display())]
    UnknownFormat(PathBuf),
    /// The metadata of the file cannot be read.
    #[error("{}: damaged, or not valid {format}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The assumed format.
        format: &'static str,
    },
    /// A stream that ends before its end-of-stream marker.
    #[error("{}: the {format} stream has no end-of-stream marker: rows may be missing", path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// The assumed format.
        format: &'static str,
    },
    /// Data after the end of the stream.
    #[error("{}: there is data after the end of the {format} stream", path.display())]
    Trailing {
        /// The file.
        path: PathBuf,
        /// The assumed format.
        format: &'static str,
    },
    /// Reading a file would need more memory than allowed.
    #[error("{}: {}", path.display(), part.words(*most))]
    OverLimit {
        /// The file.
        path: PathBuf,
        /// What is over the limit.
        part: FilePart,
        /// The limit, in bytes or columns.
        most: u64,
    },
    /// The first line of a text file looks like a row.
    #[error("{}: the first line looks like a row of data, not like column names: {signs}", path.display())]
    NoHeader {
        /// The file.
        path: PathBuf,
        /// What it looks like, without any cell.
        signs: String,
    },
    /// A name, or a first cell where there are no names, that begins with a byte order mark.
    #[error("{}: the first cell of column {position} begins with a byte order mark", path.display())]
    MarkedColumn {
        /// The file.
        path: PathBuf,
        /// Its position, counted from 1.
        position: usize,
    },
    /// A folder or pattern that mixes formats.
    #[error("{} is {first_format} but {} is {second_format}", first.display(), second.display())]
    MixedFormats {
        /// One file.
        first: PathBuf,
        /// Its format.
        first_format: &'static str,
        /// Another file.
        second: PathBuf,
        /// Its format.
        second_format: &'static str,
    },
    /// No row.
    #[error("{0}: the table has no rows")]
    Empty(String),
    /// Two columns have the same name.
    #[error("{}: columns {first} and {second} have the same name", path.display())]
    DuplicateColumn {
        /// The file.
        path: PathBuf,
        /// Position of the first, counted from 1.
        first: usize,
        /// Position of the second.
        second: usize,
    },
    /// A column without a name.
    #[error("{}: column {position} has no name", path.display())]
    UnnamedColumn {
        /// The file.
        path: PathBuf,
        /// Its position, counted from 1.
        position: usize,
    },
    /// The files of one table have different columns.
    #[error("{}: column {position} differs from {}", path.display(), other.display())]
    ColumnsDiffer {
        /// The file that differs.
        path: PathBuf,
        /// The first file of the table.
        other: PathBuf,
        /// The first position that differs, counted from 1.
        position: usize,
    },
    /// Not UTF-8 but UTF-16, without a byte order mark.
    #[error("{}: the file looks like UTF-16", .0.display())]
    Utf16(PathBuf),
    /// A text is not in the encoding that was named.
    #[error("{}: {}", path.display(), fault.words(encoding))]
    BadEncoding {
        /// The file.
        path: PathBuf,
        /// The name of the encoding.
        encoding: &'static str,
        /// What is wrong.
        fault: EncodingFault,
    },
    /// A workbook cannot be read as one table.
    #[error("{}: {}", path.display(), fault.words())]
    Workbook {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: WorkbookFault,
    },
    /// A table with a log of its files cannot be read.
    #[error("{}: {}", path.display(), fault.words())]
    Lakehouse {
        /// The folder.
        path: PathBuf,
        /// What is wrong.
        fault: LakehouseFault,
    },
    /// A release cannot be written as a Delta table.
    #[error("the release cannot be a Delta table: {}", .0.words())]
    NotDelta(DeltaReleaseFault),
    /// The file of a statistics package cannot be read, or a release cannot be written as one.
    #[error("{}: {}", path.display(), fault.words())]
    Statistics {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        fault: StatisticsFault,
    },
    /// A release cannot be written in the dialect of the table.
    #[error("the release cannot be written in the dialect of the table: column “{column}” {}", fault.words())]
    NotInDialect {
        /// The published column.
        column: String,
        /// What is wrong.
        fault: DialectFault,
    },
    /// A cell that is not text.
    #[error("{}: line {line}, column {column}: {fault}", path.display())]
    BadCell {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1 with the header.
        line: u64,
        /// The column's position, counted from 1.
        column: usize,
        /// What is wrong with it.
        fault: CellFault,
    },
    /// A line with too few or too many cells.
    #[error("{}: line {line} has {found} cells, but the header has {expected}", path.display())]
    Ragged {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u64,
        /// Cells on it.
        found: usize,
        /// Cells in the header.
        expected: usize,
    },
    /// A quote that is not closed.
    #[error("{}: the quote opened on line {line} is not closed", path.display())]
    OpenQuote {
        /// The file.
        path: PathBuf,
        /// The line it was opened on.
        line: u64,
    },
    /// A column that the table does not have.
    #[error("column “{name}” does not exist")]
    UnknownColumn {
        /// The requested name.
        name: String,
        /// The existing names.
        known: Vec<String>,
    },
    /// One column asked for in two places.
    #[error("column “{0}” is named twice")]
    AskedTwice(String),
    /// A column of lists, structs or bytes.
    #[error("column “{column}” contains {kind}, which cannot be grouped")]
    UnsupportedType {
        /// The column.
        column: String,
        /// The engine's name of its type.
        kind: String,
    },
    /// A cell in a typed file that is not accepted.
    #[error("column “{column}”: {fault}")]
    BadValue {
        /// The column.
        column: String,
        /// What is wrong with one of its cells.
        fault: CellFault,
    },
    /// The texts of a column do not match its date format.
    #[error("column “{column}”: {count} of its distinct values do not match the date format {format}")]
    NotInFormat {
        /// The column.
        column: String,
        /// The format given.
        format: String,
        /// How many distinct values do not match it.
        count: usize,
    },
    /// The texts of a column are not numbers with a decimal comma.
    #[error("column “{column}”: {count} of its distinct values are not numbers with a decimal comma")]
    NoDecimalComma {
        /// The column.
        column: String,
        /// How many distinct values are not.
        count: usize,
    },
    /// More distinct values than the memory allows.
    #[error(
        "the distinct values of the columns need more than the {} that --memory allows for them; “{column}” was read \
         last",
        size(*bytes)
    )]
    TooManyValues {
        /// The column.
        column: String,
        /// The memory for distinct values.
        bytes: u64,
    },
    /// More columns than a tuple can pack.
    #[error("the columns need more than 1,024 bits per tuple")]
    TooWide,
    /// The clock shows a time before 1970.
    #[error("the clock of this machine shows a time before 1970")]
    Clock,
    /// The process may not take the memory that its threads need.
    #[error("the address space is limited to {}, but {} are needed", size(*limit), size(*needed))]
    AddressSpace {
        /// The limit, in bytes.
        limit: u64,
        /// What is needed at least, in bytes.
        needed: u64,
    },
    /// The process may not open as many files as it needs.
    #[error("the process can open fewer than the {wanted} files that a run needs")]
    Files {
        /// How many are needed.
        wanted: usize,
    },
    /// The system does not start as many threads.
    #[error("{asked} threads were requested, but the system starts only {started}")]
    Threads {
        /// How many were requested.
        asked: usize,
        /// How many could be started.
        started: usize,
    },
    /// The system refused something that a run needs.
    #[error("{what} failed: {}", system_words(source))]
    System {
        /// What was done.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// More columns than a tuple can name.
    #[error("{columns} columns were requested, but a tuple has at most {most}")]
    TooManyColumns {
        /// How many were requested.
        columns: usize,
        /// How many there may be.
        most: usize,
    },
    /// Tuples that do not fit in memory and are needed at once.
    #[error(
        "{} distinct tuples need {}, which is more than --memory {} allows",
        thousands(*tuples),
        size(*needed),
        size(*limit)
    )]
    TooManyTuples {
        /// Distinct tuples counted.
        tuples: u64,
        /// Bytes they need.
        needed: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The private temporary folder could not be used.
    #[error("temporary folder {}: {}", path.display(), system_words(source))]
    Temp {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The user or a deadline stopped the work.
    #[error("stopped")]
    Cancelled,
    /// A scan found a different number of rows than the files contain.
    #[error("{name}: {read} rows were read, but the files contain {expected}")]
    RowsDiffer {
        /// What the user named.
        name: String,
        /// Rows that the scan found.
        read: u64,
        /// Rows that are in the files.
        expected: u64,
    },
    /// A later scan found other rows than the first one.
    #[error("{0}: the table changed while it was read")]
    Changed(String),
    /// A later scan found other rows than the one before, or the same rows in another order.
    #[error("{0}: when the rows were read again, they were in another order or had changed")]
    OtherOrder(String),
    /// The release would replace the source table.
    #[error("{0} was not replaced: it is the source table")]
    OverSource(String),
    /// A column that cannot be written as plain cells.
    #[error("column “{column}” contains {kind}, which cannot be published unchanged")]
    Unpublishable {
        /// The column.
        column: String,
        /// The engine's name of its type.
        kind: String,
    },
    /// A column whose cells cannot be treated so.
    #[error("column “{column}” contains {kind}, to which the treatment {treatment} cannot be applied")]
    Untreatable {
        /// The column.
        column: String,
        /// The treatment.
        treatment: String,
        /// The engine's name of its type.
        kind: String,
    },
    /// The cluster failed, or lost what it needs.
    #[error("the cluster failed while {doing}: {fault}")]
    Cluster {
        /// What it was doing.
        doing: &'static str,
        /// What happened; its own text may quote cells and is not shown.
        fault: ClusterFault,
    },
    /// Something that only a run on one machine can do.
    #[error("{what} is not supported on a cluster")]
    NotOnCluster {
        /// What was requested.
        what: &'static str,
    },
    /// A database refused, or the connection failed.
    #[error(transparent)]
    Database(DatabaseFault),
    /// An object store refused, or the connection failed.
    #[error(transparent)]
    Store(StoreFault),
    /// A reader failed in a way that has no better words.
    #[error("failed while {doing}: {kind}")]
    Engine {
        /// What it was doing.
        doing: &'static str,
        /// The class of its error; its text may quote cells and is not shown.
        kind: &'static str,
    },
}

/// Why a text is not in an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodingFault {
    /// Bytes that stand for no letter.
    Undefined {
        /// The line, counted from 1.
        line: u64,
    },
    /// The file is UTF-8.
    IsUtf8,
}

impl EncodingFault {
    fn words(self, encoding: &str) -> String {
        match self {
            EncodingFault::Undefined { line } => format!("line {line}: the bytes are not valid {encoding}"),
            EncodingFault::IsUtf8 => format!("the file is UTF-8, not {encoding}"),
        }
    }
}

/// What is wrong with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CellFault {
    /// Bytes that are not UTF-8.
    #[error("the cell is not valid UTF-8")]
    NotUtf8,
    /// Bytes that are not UTF-8 in a file that looks like text in another encoding.
    #[error("the cell is not valid UTF-8; the file looks like {0}")]
    Encoded(&'static str),
    /// A NUL character.
    #[error("the cell contains a NUL character")]
    Nul,
    /// A text longer than [`crate::runtime::limits::MAX_CELL_BYTES`].
    #[error("a cell is longer than 1 MiB")]
    TooLong,
    /// A date or an instant without end.
    #[error("a cell is an infinite date")]
    Infinite,
}

impl EngineError {
    /// An error of the operating system about a file.
    pub(crate) fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        EngineError::Io { path: path.into(), source }
    }

    /// An error of the operating system about a private file or folder.
    pub(crate) fn temp(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        EngineError::Temp { path: path.into(), source }
    }
}
