//! What to do about a refusal, as data.
//!
//! An [`EngineError`] says what is wrong; its [`Remedy`] says what can be done. Where that is a setting of the run, the
//! remedy names the setting and not a flag: the command line writes `--memory`, Python writes `memory=`. The sentences
//! stand here once, with a place for each setting, so that every front end gives the same advice.

mod cluster;
mod column;
mod database;
mod file;
mod rows;
mod sentence;
mod store;
mod system;

pub use cluster::ClusterRemedy;
pub use column::ColumnRemedy;
pub use database::DatabaseRemedy;
pub use file::FileRemedy;
pub use rows::RowsRemedy;
pub use sentence::{Sentence, Setting, Spelling};
pub use store::StoreRemedy;
pub use system::SystemRemedy;

use crate::runtime::error::{CellFault, EngineError};

/// What to do about a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Change what the operating system provides, or what the run may use.
    System(SystemRemedy),
    /// Change a file, or say how it is to be read.
    File(FileRemedy),
    /// Name, drop or change a column.
    Column(ColumnRemedy),
    /// See that the rows stay as they were.
    Rows(RowsRemedy),
    /// See to a database.
    Database(DatabaseRemedy),
    /// See to an object store.
    Store(StoreRemedy),
    /// See to the cluster.
    Cluster(ClusterRemedy),
}

impl Remedy {
    /// The remedy in one sentence.
    pub fn sentence(&self) -> Sentence {
        match self {
            Remedy::System(remedy) => remedy.sentence(),
            Remedy::File(remedy) => remedy.sentence(),
            Remedy::Column(remedy) => remedy.sentence(),
            Remedy::Rows(remedy) => remedy.sentence(),
            Remedy::Database(remedy) => remedy.sentence(),
            Remedy::Store(remedy) => remedy.sentence(),
            Remedy::Cluster(remedy) => remedy.sentence(),
        }
    }
}

impl EngineError {
    /// What to do about it.
    pub fn remedy(&self) -> Remedy {
        match self {
            EngineError::Clock
            | EngineError::AddressSpace { .. }
            | EngineError::Files { .. }
            | EngineError::Threads { .. }
            | EngineError::System { .. }
            | EngineError::Temp { .. }
            | EngineError::Cancelled => Remedy::System(SystemRemedy::of(self)),
            EngineError::BadCell { fault, .. } | EngineError::BadValue { fault, .. } => of_cell(*fault),
            EngineError::UnknownColumn { .. }
            | EngineError::AskedTwice(_)
            | EngineError::UnsupportedType { .. }
            | EngineError::Unpublishable { .. }
            | EngineError::Untreatable { .. }
            | EngineError::NotInFormat { .. }
            | EngineError::NoDecimalComma { .. }
            | EngineError::TooManyValues { .. }
            | EngineError::TooWide
            | EngineError::TooManyColumns { .. }
            | EngineError::TooManyTuples { .. }
            | EngineError::Engine { .. } => Remedy::Column(ColumnRemedy::of(self)),
            EngineError::RowsDiffer { .. } => Remedy::Rows(RowsRemedy::CheckWriters),
            EngineError::Changed(_) => Remedy::Rows(RowsRemedy::KeepUnchanged),
            EngineError::OverSource(_) => Remedy::Rows(RowsRemedy::ChooseAnotherName),
            EngineError::OtherOrder(_) => Remedy::Rows(RowsRemedy::KeepOrder),
            EngineError::Database(fault) => Remedy::Database(fault.remedy),
            EngineError::Store(fault) => Remedy::Store(fault.remedy),
            EngineError::Cluster { fault, .. } => Remedy::Cluster(fault.remedy()),
            EngineError::NotOnCluster { .. } => Remedy::Cluster(ClusterRemedy::RunHere),
            EngineError::NotFound(_)
            | EngineError::NothingToRead(_)
            | EngineError::Io { .. }
            | EngineError::UnknownFormat(_)
            | EngineError::Damaged { .. }
            | EngineError::Incomplete { .. }
            | EngineError::Trailing { .. }
            | EngineError::OverLimit { .. }
            | EngineError::NoHeader { .. }
            | EngineError::MarkedColumn { .. }
            | EngineError::MixedFormats { .. }
            | EngineError::Empty(_)
            | EngineError::DuplicateColumn { .. }
            | EngineError::UnnamedColumn { .. }
            | EngineError::ColumnsDiffer { .. }
            | EngineError::Utf16(_)
            | EngineError::BadEncoding { .. }
            | EngineError::Workbook { .. }
            | EngineError::Statistics { .. }
            | EngineError::Lakehouse { .. }
            | EngineError::NotDelta(_)
            | EngineError::NotInDialect { .. }
            | EngineError::Ragged { .. }
            | EngineError::OpenQuote { .. } => Remedy::File(FileRemedy::of(self)),
        }
    }
}

/// What to do about a cell that cannot be taken.
fn of_cell(fault: CellFault) -> Remedy {
    match fault {
        CellFault::NotUtf8 => Remedy::File(FileRemedy::ConvertToUtf8),
        CellFault::Encoded(encoding) => Remedy::File(FileRemedy::NameEncoding(encoding)),
        CellFault::Nul => Remedy::File(FileRemedy::RemoveNul),
        CellFault::Infinite => Remedy::Column(ColumnRemedy::ReadAsText),
        CellFault::TooLong => Remedy::Column(ColumnRemedy::DropLongTexts),
    }
}
