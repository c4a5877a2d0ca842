//! Why a workbook or the file of a statistics package cannot be read or written.

use incrowd_core::counted;

/// Why a workbook cannot be read as one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkbookFault {
    /// It is broken, protected by a password, or no workbook.
    Unreadable,
    /// Its sheet could not be written once more.
    Unwritten,
    /// There is no such sheet, or none with content.
    NoSheet {
        /// The name that was given.
        named: Option<String>,
        /// The sheets there are.
        names: Vec<String>,
    },
    /// Several sheets have content.
    SeveralSheets {
        /// Their names.
        names: Vec<String>,
    },
    /// The sheet, or the range of it, is empty.
    NoContent,
    /// A cell stands to the left or to the right of the table.
    BesideTable {
        /// The row, counted from 1.
        row: u64,
    },
    /// Formulas without a stored result.
    NoResults {
        /// How many there are.
        cells: u64,
    },
    /// A row of a release has no content, which a sheet cannot hold.
    EmptyRow,
    /// Merged cells are in the table: one value for several rows or columns.
    Merged {
        /// How many there are.
        regions: u64,
    },
}

impl WorkbookFault {
    pub(super) fn words(&self) -> String {
        let list = |names: &[String]| names.iter().map(|name| format!("“{name}”")).collect::<Vec<_>>().join(", ");
        match self {
            WorkbookFault::Unreadable => "the workbook cannot be read".into(),
            WorkbookFault::Unwritten => "the sheet could not be copied to the folder for temporary files".into(),
            WorkbookFault::NoSheet { named: Some(name), names } => {
                format!("the workbook has no sheet “{name}”; its sheets: {}", list(names))
            }
            WorkbookFault::NoSheet { named: None, .. } => "no visible sheet of the workbook has content".into(),
            WorkbookFault::SeveralSheets { names } => {
                format!("the workbook has {} sheets with content: {}", names.len(), list(names))
            }
            WorkbookFault::NoContent => "the sheet has no content there".into(),
            WorkbookFault::BesideTable { row } => {
                format!("row {row} has a cell outside of the columns of the first row")
            }
            WorkbookFault::NoResults { cells } => {
                let formulas = counted(*cells, "formula", "formulas");
                format!("the table has {formulas} without a stored result")
            }
            WorkbookFault::EmptyRow => "a row of the release has no content, and a sheet has no such row".into(),
            WorkbookFault::Merged { regions } => {
                format!("the table has {}", counted(*regions, "merged cell", "merged cells"))
            }
        }
    }
}

/// Why a table with a log of its files cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LakehouseFault {
    /// The log is broken or incomplete.
    Damaged,
    /// It uses something that changes which rows a file has.
    Feature(String),
    /// The values of columns are in the names of folders.
    Partitioned(Vec<String>),
    /// The log names files outside of the folder.
    FilesElsewhere,
    /// There is no such version, or its log was removed.
    NoVersion {
        /// The version that was asked for.
        version: u64,
        /// The last version.
        last: u64,
    },
    /// An Iceberg table.
    Iceberg,
}

impl LakehouseFault {
    pub(super) fn words(&self) -> String {
        match self {
            LakehouseFault::Damaged => "the log of the Delta table cannot be read".into(),
            LakehouseFault::Feature(feature) => format!("the Delta table uses {feature}, which is not supported"),
            LakehouseFault::Partitioned(columns) => {
                format!("the Delta table is partitioned by {}, which is not supported", columns.join(", "))
            }
            LakehouseFault::FilesElsewhere => "the Delta table has files outside of its folder".into(),
            LakehouseFault::NoVersion { version, last } => {
                format!("version {version} of the Delta table is not in its log; the last version is {last}")
            }
            LakehouseFault::Iceberg => "Iceberg tables are not supported".into(),
        }
    }
}

/// Why a release cannot be written as a Delta table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeltaReleaseFault {
    /// It has two tables.
    TwoTables,
    /// It goes into a database.
    Database,
    /// The cells of a column have a type that a Delta table lacks.
    Type {
        /// The published column.
        column: String,
    },
    /// The names of two columns differ in their letter case alone.
    Name {
        /// The second of them.
        column: String,
    },
}

impl DeltaReleaseFault {
    pub(super) fn words(&self) -> String {
        match self {
            DeltaReleaseFault::TwoTables => "it has two tables".into(),
            DeltaReleaseFault::Database => "it goes into a database".into(),
            DeltaReleaseFault::Type { column } => {
                format!("column “{column}” has a type that Delta tables do not have")
            }
            DeltaReleaseFault::Name { column } => {
                format!("the name of column “{column}” and that of another column differ only in letter case")
            }
        }
    }
}

/// Why a release cannot be written in the dialect of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialectFault {
    /// A text has a letter that the encoding lacks.
    Letter {
        /// The encoding.
        encoding: &'static str,
    },
    /// A label of a column with decimal commas would be read as a number.
    CommaLabel,
}

impl DialectFault {
    pub(super) fn words(&self) -> String {
        match self {
            DialectFault::Letter { encoding } => format!("has a text with a letter that {encoding} lacks"),
            DialectFault::CommaLabel => "has a label that would be read as a number with a decimal comma".into(),
        }
    }
}

/// Why the file of a statistics package cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatisticsFault {
    /// It is broken, protected by a password, or no such file.
    Unreadable,
    /// Its rows could not be written once more.
    Unwritten,
    /// It has no columns.
    NoColumns,
    /// Its decompressed rows are much larger than the file.
    Expansion,
    /// It holds several tables.
    SeveralTables,
    /// A text in it is not in the encoding that the file or the user names, or a cell is damaged.
    NotText,
    /// It names an encoding that is not known.
    Encoding,
    /// A column of long texts holds bytes that are no text.
    Binary,
    /// A column of a release has a name that the package does not allow.
    Name {
        /// The column.
        name: String,
        /// The package.
        package: &'static str,
    },
    /// A column of a release has a text that is too long for the package.
    LongText {
        /// The column.
        name: String,
        /// The most bytes.
        most: u64,
        /// The package.
        package: &'static str,
    },
}

impl StatisticsFault {
    pub(super) fn words(&self) -> String {
        match self {
            StatisticsFault::Unreadable => "the file cannot be read".into(),
            StatisticsFault::Unwritten => "the rows could not be copied to the folder for temporary files".into(),
            StatisticsFault::NoColumns => "the file has no columns".into(),
            StatisticsFault::Expansion => "the decompressed rows are much larger than the file".into(),
            StatisticsFault::SeveralTables => "the file holds several tables".into(),
            StatisticsFault::NotText => {
                "a text is not UTF-8 or not in the encoding that was named, or a cell is damaged".into()
            }
            StatisticsFault::Encoding => "the file names an unknown encoding".into(),
            StatisticsFault::Binary => "a column of long texts holds bytes that are not text".into(),
            StatisticsFault::Name { name, package } => {
                format!("“{name}” is not a valid name of a column in {package}")
            }
            StatisticsFault::LongText { name, most, package } => {
                format!("column “{name}” has a text of more than {most} bytes, which {package} cannot store here")
            }
        }
    }
}
