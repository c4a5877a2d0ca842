//! Files: what to change in them, and what to say about how they are read.

use std::path::Path;

use super::{Sentence, Setting};
use crate::runtime::error::{EncodingFault, EngineError, LakehouseFault, StatisticsFault, WorkbookFault};
use crate::runtime::limits::FilePart;

/// What to do about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileRemedy {
    /// Nothing is at the path.
    CheckPath,
    /// No table is there.
    NameTableFiles,
    /// The system refused.
    CheckDisk,
    /// The format is not known.
    NameFormat,
    /// The file is in SAS's own format.
    ExportFromSas,
    /// The file cannot be read in its assumed format.
    CheckCopy,
    /// A part of the file is over its limit.
    Shrink(FilePart),
    /// It is not known whether the first line names the columns.
    SayHeader,
    /// The end is missing.
    ExportAgain,
    /// Several tables stand in one file.
    SeparateTables,
    /// A byte order mark stands in a name.
    RemoveByteOrderMark,
    /// Files of several formats were named.
    NameOneFormat,
    /// There are no rows.
    CheckExport,
    /// Two columns have one name.
    RenameColumn,
    /// A column has no name.
    NameColumn,
    /// Files of one table have different columns.
    UseSameColumns,
    /// The file is UTF-16.
    NameUtf16,
    /// The file looks like text in another encoding than UTF-8.
    NameEncoding(&'static str),
    /// The file is not in the encoding that was named.
    NameOtherEncoding,
    /// The file is UTF-8, and another encoding was named.
    LeaveOutEncoding,
    /// The file is not UTF-8.
    ConvertToUtf8,
    /// The file of a statistics package is broken, protected, or too old.
    SaveInPackage,
    /// A version of a table is not there.
    NameVersion,
    /// A table with a log of its files cannot be read.
    ExportParquet,
    /// A release does not fit the format.
    WriteOtherFormat,
    /// A release cannot be a Delta table.
    WriteParquet,
    /// A release cannot be written in the dialect of the table.
    WriteStandardText,
    /// A workbook is broken or protected.
    OpenWorkbook,
    /// Formulas of a workbook were never computed.
    SaveWorkbook,
    /// A workbook has several sheets, or not the one that was named.
    NameSheet,
    /// A sheet holds more than one table.
    NameRange,
    /// Merged cells are in the table.
    UnmergeCells,
    /// NUL characters stand in it.
    RemoveNul,
    /// Lines have different numbers of cells.
    QuoteCells,
    /// A quote is not closed.
    CloseQuote,
}

impl FileRemedy {
    pub(super) fn of(error: &EngineError) -> Self {
        match error {
            EngineError::NotFound(_) => FileRemedy::CheckPath,
            EngineError::NothingToRead(_) => FileRemedy::NameTableFiles,
            EngineError::UnknownFormat(path) if is_sas_table(path) => FileRemedy::ExportFromSas,
            EngineError::UnknownFormat(_) => FileRemedy::NameFormat,
            EngineError::Damaged { .. } => FileRemedy::CheckCopy,
            EngineError::OverLimit { part, .. } => FileRemedy::Shrink(*part),
            EngineError::NoHeader { .. } => FileRemedy::SayHeader,
            EngineError::Incomplete { .. } => FileRemedy::ExportAgain,
            EngineError::Trailing { .. } => FileRemedy::SeparateTables,
            EngineError::MarkedColumn { .. } => FileRemedy::RemoveByteOrderMark,
            EngineError::MixedFormats { .. } => FileRemedy::NameOneFormat,
            EngineError::Empty(_) => FileRemedy::CheckExport,
            EngineError::DuplicateColumn { .. } => FileRemedy::RenameColumn,
            EngineError::UnnamedColumn { .. } => FileRemedy::NameColumn,
            EngineError::ColumnsDiffer { .. } => FileRemedy::UseSameColumns,
            EngineError::Utf16(_) => FileRemedy::NameUtf16,
            EngineError::BadEncoding { fault: EncodingFault::IsUtf8, .. } => FileRemedy::LeaveOutEncoding,
            EngineError::BadEncoding { .. } => FileRemedy::NameOtherEncoding,
            EngineError::Workbook { fault, .. } => match fault {
                WorkbookFault::Unreadable => FileRemedy::OpenWorkbook,
                WorkbookFault::NoResults { .. } => FileRemedy::SaveWorkbook,
                WorkbookFault::Unwritten => FileRemedy::CheckDisk,
                WorkbookFault::NoSheet { .. } | WorkbookFault::SeveralSheets { .. } => FileRemedy::NameSheet,
                WorkbookFault::NoContent | WorkbookFault::BesideTable { .. } => FileRemedy::NameRange,
                WorkbookFault::EmptyRow => FileRemedy::Shrink(FilePart::SheetRows),
                WorkbookFault::Merged { .. } => FileRemedy::UnmergeCells,
            },
            EngineError::Statistics { fault, .. } => match fault {
                StatisticsFault::Unwritten => FileRemedy::CheckDisk,
                StatisticsFault::Expansion => FileRemedy::Shrink(FilePart::Expansion),
                StatisticsFault::NotText | StatisticsFault::Encoding => FileRemedy::NameOtherEncoding,
                StatisticsFault::Name { .. } | StatisticsFault::LongText { .. } => FileRemedy::WriteOtherFormat,
                _ => FileRemedy::SaveInPackage,
            },
            EngineError::Lakehouse { fault, .. } => match fault {
                LakehouseFault::Damaged => FileRemedy::CheckCopy,
                LakehouseFault::NoVersion { .. } => FileRemedy::NameVersion,
                _ => FileRemedy::ExportParquet,
            },
            EngineError::NotDelta(_) => FileRemedy::WriteParquet,
            EngineError::NotInDialect { .. } => FileRemedy::WriteStandardText,
            EngineError::Ragged { .. } => FileRemedy::QuoteCells,
            EngineError::OpenQuote { .. } => FileRemedy::CloseQuote,
            _ => FileRemedy::CheckDisk,
        }
    }

    pub(super) fn sentence(self) -> Sentence {
        let settings = match self {
            FileRemedy::NameFormat | FileRemedy::CheckCopy => {
                vec![Setting::with("input_format", "csv|parquet|arrow|xlsx|dta|sav")]
            }
            FileRemedy::SayHeader => vec![Setting::off("header"), Setting::on("header")],
            FileRemedy::RenameColumn | FileRemedy::NameColumn => vec![Setting::off("header")],
            FileRemedy::QuoteCells => vec![Setting::named("delimiter")],
            FileRemedy::NameUtf16 => vec![Setting::with("encoding", "utf-16le"), Setting::with("encoding", "utf-16be")],
            FileRemedy::NameEncoding(encoding) => vec![Setting::with("encoding", encoding)],
            FileRemedy::NameOtherEncoding | FileRemedy::LeaveOutEncoding => vec![Setting::named("encoding")],
            FileRemedy::WriteParquet => vec![Setting::with("output_format", "parquet")],
            FileRemedy::WriteStandardText => vec![Setting::with("output_dialect", "standard")],
            FileRemedy::NameSheet => vec![Setting::named("sheet")],
            FileRemedy::NameRange | FileRemedy::UnmergeCells => vec![Setting::named("range")],
            FileRemedy::WriteOtherFormat | FileRemedy::Shrink(FilePart::SheetRows) => {
                vec![Setting::with("output_format", "csv|parquet")]
            }
            FileRemedy::Shrink(part) if depends_on_memory(part) => vec![Setting::named("memory")],
            _ => Vec::new(),
        };
        Sentence::about(self.text(), settings)
    }

    fn text(self) -> &'static str {
        match self {
            FileRemedy::CheckPath => "check the path; a pattern such as 'data/*.csv' needs quotes",
            FileRemedy::NameTableFiles => {
                "name a file, a folder or a pattern with .csv, .tsv, .xlsx, .ods, .dta, .sav, .xpt, .parquet or .arrow files"
            }
            FileRemedy::CheckDisk => "check the permissions of the file, and the disk for errors",
            FileRemedy::NameFormat => "give the file its usual ending, or use {}",
            FileRemedy::ExportFromSas => {
                "SAS's own format is not read: export the table from SAS as a transport file (.xpt) or CSV"
            }
            FileRemedy::CheckCopy => "check that the file was copied completely, or use {}",
            FileRemedy::Shrink(part) => shrink(part),
            FileRemedy::SayHeader => "use {} if the file has no header line, or {} if the first line is one",
            FileRemedy::ExportAgain => "export or copy the file again",
            FileRemedy::SeparateTables => "write each table to its own file; concatenated files are not supported",
            FileRemedy::RemoveByteOrderMark => "remove the second byte order mark from the file",
            FileRemedy::NameOneFormat => "select files of one format, for example with a pattern",
            FileRemedy::CheckExport => "check that the export wrote rows",
            FileRemedy::RenameColumn => "rename one of them in the file; if the first line is a row, use {}",
            FileRemedy::NameColumn => "name it in the header line; if the first line is a row, use {}",
            FileRemedy::UseSameColumns => "the files of one table need the same columns in the same order",
            FileRemedy::NameUtf16 => "use {} (Windows) or {}, and check the letters that `check` shows",
            FileRemedy::NameEncoding(_) => "if that is right, use {}; otherwise name the encoding of the file with it",
            FileRemedy::NameOtherEncoding => "name the encoding of the file with {}; Windows often writes windows-1252",
            FileRemedy::LeaveOutEncoding => "leave out {}",
            FileRemedy::ConvertToUtf8 => "save the text as UTF-8",
            FileRemedy::SaveInPackage => {
                "open it in its program and save it again, without a password and as UTF-8, or export it as CSV"
            }
            FileRemedy::NameVersion => "name another version, as in table@v3, or leave it out for the last one",
            FileRemedy::ExportParquet => "write its current rows as Parquet files into another folder, and read that",
            FileRemedy::WriteOtherFormat => {
                "write the release in another format with {}, or rename or remove the column"
            }
            FileRemedy::WriteParquet => "write it as Parquet files: use {}",
            FileRemedy::WriteStandardText => "write it as UTF-8 with commas and decimal points: use {}",
            FileRemedy::OpenWorkbook => "open it in a spreadsheet program, remove its password, and save it as .xlsx",
            FileRemedy::SaveWorkbook => "open the workbook in a spreadsheet program, which computes them, and save it",
            FileRemedy::NameSheet => "name the sheet of the table with {}",
            FileRemedy::NameRange => "name the cells of the table with {}, for example B3:F200",
            FileRemedy::UnmergeCells => {
                "unmerge them and write the value into each cell, or name the cells of the table with {}"
            }
            FileRemedy::RemoveNul => "remove NUL characters from the file; they usually come from a broken export",
            FileRemedy::QuoteCells => "quote cells that contain the delimiter, or set the delimiter with {}",
            FileRemedy::CloseQuote => "close the quote; double any quote inside a quoted cell",
        }
    }
}

/// Whether a file has the ending of SAS's own format.
fn is_sas_table(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sas7bdat"))
}

/// Whether more memory raises the limit of a part.
fn depends_on_memory(part: FilePart) -> bool {
    use FilePart::{Batch, Line, Metadata, Page, RowGroup, Sheet, Window};
    matches!(part, Line(_) | Window | Metadata | Batch | RowGroup | Page | Sheet)
}

/// What to do about a part of a file that is over its limit.
fn shrink(part: FilePart) -> &'static str {
    match part {
        FilePart::Line(_) => "check that each row ends with a line break; a larger {} allows lines of up to 16 MiB",
        FilePart::Header => "check that the first line of the file contains the column names",
        FilePart::Columns(_) => "check the delimiter, or leave columns out of the table before it is read",
        FilePart::Expansion => {
            "check where the file comes from; if it is correct, decompress it and read the decompressed file"
        }
        FilePart::Window => "raise {}, or compress it without a long window (zstd without --long)",
        FilePart::Metadata => "raise {}, or write the table with fewer columns and larger row groups or batches",
        FilePart::Batch => "raise {}, or write the table in smaller record batches",
        FilePart::RowGroup => "raise {}, or write the table in smaller row groups",
        FilePart::Page => "raise {}, or write the table in smaller pages",
        FilePart::Sheet => "raise {}, or export the sheet as CSV",
        FilePart::SheetRows => "write the release in another format with {}",
        FilePart::Pipe => "write the table to a file and name the file",
    }
}
