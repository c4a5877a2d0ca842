//! Why several tables cannot be released together.

use incrowd_engine::{Sentence, Setting};

/// Why several tables were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TablesFault {
    /// The question is about one table.
    OneTableAsked,
    /// The release does not go into a folder.
    OutputElsewhere,
    /// A table is not a file.
    SourceElsewhere(String),
    /// Rows are counted on a cluster.
    Cluster,
    /// A release is to be repeated.
    Repeat,
    /// The release is to be entered into a ledger.
    Ledger,
    /// Sensitive columns are to be published in a second table.
    TwoTables,
    /// Something is promised about a population.
    Population,
    /// A table has no person in common with the others.
    NoSharedPeople(String),
}

impl TablesFault {
    /// The whole message.
    pub(super) fn message(&self) -> String {
        match self {
            TablesFault::OneTableAsked => self.fact(),
            _ => format!("several tables cannot be released together: {}", self.fact()),
        }
    }

    /// The fact, as the end of a message.
    pub fn fact(&self) -> String {
        match self {
            TablesFault::OneTableAsked => "the plan has several tables, and this command is about one".into(),
            TablesFault::OutputElsewhere => "the output is not a folder".into(),
            TablesFault::SourceElsewhere(name) => format!("the table “{name}” is not a file"),
            TablesFault::Cluster => "rows are counted on a cluster".into(),
            TablesFault::Repeat => "a release of several tables cannot be repeated".into(),
            TablesFault::Ledger => "a ledger is for releases of one table".into(),
            TablesFault::TwoTables => {
                "sensitive columns would be published in a second table without pseudonyms".into()
            }
            TablesFault::Population => "something is promised about a population".into(),
            TablesFault::NoSharedPeople(name) => {
                format!("no person of the table “{name}” is in another table")
            }
        }
    }

    /// What to do.
    pub(crate) fn remedy(&self) -> Sentence {
        match self {
            TablesFault::OneTableAsked => Sentence::plain(
                "name the file of a table instead of the plan; `incrowd anonymize PLAN` releases all of them",
            ),
            TablesFault::OutputElsewhere => Sentence::about("name a folder with {}", [Setting::with("output", "DIR")]),
            TablesFault::SourceElsewhere(_) => Sentence::plain("write it into a file first"),
            TablesFault::Cluster => Sentence::about("leave {} out", [Setting::named("cluster")]),
            TablesFault::Repeat => Sentence::about("leave {} out", [Setting::named("repeat")]),
            TablesFault::Ledger => Sentence::about("leave {} out", [Setting::named("ledger")]),
            TablesFault::TwoTables => Sentence::about("leave {} out", [Setting::with("publish", "two-tables")]),
            TablesFault::Population => Sentence::plain("leave it out, or release one table"),
            TablesFault::NoSharedPeople(_) => Sentence::plain(
                "check that its subject is the same number or name as in the other tables, and written alike",
            ),
        }
    }
}
