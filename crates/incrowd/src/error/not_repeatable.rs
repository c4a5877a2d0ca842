//! Why a release cannot be made once more with the same bytes.

/// Why a release cannot be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotRepeatable {
    /// A time limit or its user stopped its search.
    TimeLimit,
    /// A cluster wrote its rows, by executors that decide their order.
    Cluster,
    /// A cluster wrote it in several files.
    InParts,
    /// It is one of several tables.
    SeveralTables,
    /// Its record has no checksums.
    EarlierVersion,
}

impl NotRepeatable {
    pub(super) fn fact(self) -> &'static str {
        match self {
            NotRepeatable::TimeLimit => {
                "its search was stopped before its end, by a time limit or by hand, so a second run may differ"
            }
            NotRepeatable::Cluster => "a cluster wrote its rows, in an order that is not recorded",
            NotRepeatable::InParts => "a cluster wrote it, in several files",
            NotRepeatable::SeveralTables => "the table was released together with others",
            NotRepeatable::EarlierVersion => "the record has no checksums, because an earlier version wrote it",
        }
    }

    pub(crate) fn remedy(self) -> &'static str {
        match self {
            NotRepeatable::InParts => "repeat it with --cluster",
            NotRepeatable::SeveralTables => "make a new release of all tables",
            _ => "make a new release without a time limit and without executors of another make",
        }
    }
}
