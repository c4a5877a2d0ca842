//! The stable code of each fault. `docs/codes.md` explains them.

use incrowd_core::{HierarchyError, ModelError};

use super::Error;

impl Error {
    /// The stable code, for `incrowd explain`.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Engine(error) => error.code(),
            Error::File { .. } => "IC401",
            Error::TooLarge { .. } => "IC423",
            Error::Hierarchy(error) | Error::HierarchyOf { error, .. } if is_same_label(error) => "IC545",
            Error::Hierarchy(_) | Error::HierarchyOf { .. } | Error::UselessHierarchy(_) => "IC501",
            Error::Plan { .. } => "IC502",
            Error::Model(ModelError::SeveralValues { .. }) => "IC520",
            Error::NoSubject { .. } => "IC521",
            Error::NotInPopulation { .. } => "IC550",
            Error::PopulationIsNoFile(_) | Error::CountIsNoNumber(_) | Error::UnusedPopulation => "IC551",
            Error::NeedsLevels { .. } => "IC552",
            Error::Model(_) | Error::UnknownNode(_) | Error::NothingBlurred => "IC503",
            Error::TwoRoles(_) | Error::NamedTwice(_) | Error::NoQuasiIdentifiers | Error::NotKept(_) => "IC504",
            Error::RowsMayNotBePeople { .. } => "IC525",
            Error::IdentifyingColumns { .. } | Error::LinkedRows { .. } => "IC526",
            Error::TooManySets { .. } => "IC505",
            Error::Undeclared(_) | Error::NotSensitive(_) => "IC506",
            Error::Unconfirmed { .. } => "IC530",
            Error::Spellings(_) => "IC531",
            Error::UselessFolding(_) | Error::TooManySpellings { .. } => "IC532",
            Error::TreatmentRefused { .. } => "IC533",
            Error::KnownRowsRefused(_) => "IC534",
            Error::TablesRefused(_) => "IC535",
            Error::UnknownWord { .. } | Error::NothingToExplain { .. } | Error::Weights(_) => "IC507",
            Error::Query(_) => "IC508",
            Error::Senseless { .. } => "IC626",
            Error::Repeated { .. } | Error::Contradictory(_) => "IC627",
            Error::Infeasible(_) => "IC601",
            Error::NotFound(_) => "IC625",
            Error::Unverified(_) | Error::Verify(_) => "IC602",
            Error::Leak { .. } => "IC603",
            Error::ReleaseExists(_) | Error::Taken(_) | Error::RecordExists(_) | Error::NotARelease(_) => "IC604",
            Error::FileExists(_) => "IC435",
            Error::ForeignFiles { .. } => "IC615",
            Error::OverSource(_) => "IC616",
            Error::NotPutBack(_) => "IC617",
            Error::LedgerReplaced(_) => "IC618",
            Error::OutcomeUnknown { .. } => "IC620",
            Error::DamagedRecord(_) | Error::NoRecord(_) => "IC605",
            Error::RecordOfAnother(_) => "IC610",
            Error::ReleaseChanged { .. } => "IC630",
            Error::RecordChanged { .. } => "IC631",
            Error::Link(_) => "IC632",
            Error::SeveralTables { .. } => "IC633",
            #[cfg(feature = "cluster")]
            Error::Cluster(_) => "IC421",
            Error::NotRepeatable { .. } => "IC540",
            Error::RepeatDiffers { .. } => "IC613",
            Error::NoRandomness => "IC606",
            Error::NeedsWhole { .. } => "IC410",
        }
    }
}

/// Whether one label would stand for different values.
fn is_same_label(error: &HierarchyError) -> bool {
    use HierarchyError::{SameAsRoot, SameLabel, ValueLikeLabel};
    matches!(error, SameLabel { .. } | SameAsRoot { .. } | ValueLikeLabel)
}
