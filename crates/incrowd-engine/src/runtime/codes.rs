//! The stable code of every refusal.

use crate::runtime::error::EngineError;

impl EngineError {
    /// The stable code, for `incrowd explain`.
    pub fn code(&self) -> &'static str {
        match self {
            EngineError::NotFound(_) | EngineError::NothingToRead(_) | EngineError::Io { .. } => "IC401",
            EngineError::UnknownFormat(_) | EngineError::Damaged { .. } | EngineError::MixedFormats { .. } => "IC402",
            EngineError::Empty(_) => "IC403",
            EngineError::DuplicateColumn { .. }
            | EngineError::UnnamedColumn { .. }
            | EngineError::MarkedColumn { .. }
            | EngineError::ColumnsDiffer { .. } => "IC404",
            EngineError::Utf16(_)
            | EngineError::BadEncoding { .. }
            | EngineError::BadCell { .. }
            | EngineError::BadValue { .. } => "IC405",
            EngineError::Ragged { .. } | EngineError::OpenQuote { .. } => "IC406",
            EngineError::UnknownColumn { .. } | EngineError::AskedTwice(_) => "IC407",
            EngineError::UnsupportedType { .. } | EngineError::Unpublishable { .. } => "IC408",
            EngineError::Untreatable { .. } => "IC533",
            EngineError::NotInFormat { .. } | EngineError::NoDecimalComma { .. } => "IC409",
            EngineError::TooManyValues { .. }
            | EngineError::TooWide
            | EngineError::TooManyColumns { .. }
            | EngineError::TooManyTuples { .. } => "IC410",
            EngineError::OverLimit { .. } => "IC423",
            EngineError::NoHeader { .. } => "IC424",
            EngineError::Incomplete { .. } | EngineError::Trailing { .. } => "IC425",
            EngineError::Workbook { .. } => "IC426",
            EngineError::Statistics { .. } => "IC427",
            EngineError::Lakehouse { .. } => "IC439",
            EngineError::NotDelta(_) => "IC440",
            EngineError::NotInDialect { .. } => "IC428",
            EngineError::Temp { .. } => "IC411",
            EngineError::Clock => "IC436",
            EngineError::AddressSpace { .. }
            | EngineError::Files { .. }
            | EngineError::Threads { .. }
            | EngineError::System { .. } => "IC437",
            EngineError::Cancelled => "IC412",
            EngineError::Engine { .. } => "IC413",
            EngineError::RowsDiffer { .. } => "IC414",
            EngineError::Changed(_) => "IC415",
            EngineError::OverSource(_) => "IC616",
            EngineError::OtherOrder(_) => "IC619",
            EngineError::Database(_) => "IC416",
            EngineError::Store(_) => "IC417",
            EngineError::Cluster { .. } => "IC421",
            EngineError::NotOnCluster { .. } => "IC422",
        }
    }
}
