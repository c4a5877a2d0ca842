//! What the verifier says.

use serde::{Deserialize, Serialize};

/// Whether a release keeps what its manifest promises, and where it does not.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verdict {
    /// No fault was found.
    pub verified: bool,
    /// What is wrong, without any cell's value.
    pub faults: Vec<Fault>,
    /// What a reader should know though nothing is wrong.
    pub notes: Vec<String>,
    /// Published rows that were counted.
    pub rows: u64,
    /// Published classes that were counted.
    pub classes: u64,
    /// Rows in the smallest of them.
    pub smallest_class: u64,
    /// Each model of the policy, for each sensitive attribute separately. When the release counts people, what its rows
    /// show: rows in place of people for k, and models whose promise rows say nothing about are left out.
    pub models: Vec<ModelVerdict>,
    /// What cannot be checked: promises about people, because the published bytes do not say whose a row is, and promises
    /// about a population that is not at hand.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<NotChecked>,
    /// Bytes of data that were read.
    pub bytes: u64,
    /// Of a release of several tables, what is said of each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableVerdict>,
}

/// What is said of one of several tables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableVerdict {
    /// The name of the table.
    pub name: String,
    /// The verdict on its folder.
    #[serde(flatten)]
    pub verdict: Verdict,
}

impl Verdict {
    /// Takes over what the models said.
    pub(crate) fn take(&mut self, policy: PolicyVerdict) {
        self.models = policy.models;
        self.faults.extend(policy.faults);
        self.notes.extend(policy.notes);
    }

    /// Adds a fault that may have been found before: files are read several times, for one question after the other.
    pub(crate) fn add_once(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}

/// What the models of a policy say about classes.
#[derive(Default)]
pub(crate) struct PolicyVerdict {
    /// Each model separately.
    pub(crate) models: Vec<ModelVerdict>,
    /// What is wrong.
    pub(crate) faults: Vec<Fault>,
    /// What a reader should know though nothing is wrong.
    pub(crate) notes: Vec<String>,
}

/// One model, judged on the published classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelVerdict {
    /// The name of the model.
    pub model: String,
    /// The sensitive attribute that it protects, if it protects one.
    pub sensitive: Option<String>,
    /// Every class keeps it.
    pub holds: bool,
    /// How many classes do not.
    pub classes_failing: u64,
    /// What it promises, in one sentence.
    pub promise: String,
}

/// A promise that was not checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotChecked {
    /// The name of the model.
    pub model: String,
    /// The sensitive attribute that it protects, if it protects one.
    pub sensitive: Option<String>,
    /// What it promises, in one sentence.
    pub promise: String,
}

/// Something that is wrong with a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What kind of thing it is.
    pub kind: FaultKind,
    /// One sentence for a person, without any cell's value.
    pub message: String,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, message: message.into() }
    }
}

/// The kinds of faults, with stable names in kebab-case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// There is no manifest.
    NotARelease,
    /// The manifest is unreadable or contradicts itself.
    Manifest,
    /// The manifest was changed after it was sealed.
    Seal,
    /// A file has a name that is not a plain one, or is not a plain file.
    FileName,
    /// A file of the manifest is not there.
    MissingFile,
    /// The folder holds something that the manifest does not list.
    ExtraFile,
    /// A file is longer or shorter than the manifest says.
    Bytes,
    /// A file has other bytes than the manifest says.
    Checksum,
    /// The log of a Delta table says something else than the manifest.
    DeltaLog,
    /// A file is not the table it should be.
    Unreadable,
    /// The columns are not those of the manifest.
    Columns,
    /// The number of rows is not that of the manifest.
    Rows,
    /// There are no rows: an empty release keeps every promise and means nothing.
    Empty,
    /// More rows were suppressed than the policy allows.
    Suppression,
    /// The number of classes or the smallest of them is not that of the manifest.
    Classes,
    /// Class ids of two tables are not the whole numbers from 1 on, or a class has not the same rows in both.
    ClassIds,
    /// Class ids of two tables follow something that is known, such as the order of the original.
    IdOrder,
    /// Rows stand in an order that joins two tables, keeps classes together, or is that of the original.
    RowOrder,
    /// The policy is one that this verifier cannot vouch for.
    Policy,
    /// The population is not the one of the manifest.
    Population,
    /// A class does not keep a model of the policy.
    Promise,
    /// Cells of a treated column are not such as its treatment writes.
    Treatment,
    /// The search for removed values found some.
    Canary,
    /// Rows of the original are missing or there are rows that are not in it.
    LostOrInvented,
    /// A published row cannot stand for any row of the original.
    Untruthful,
}

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The folder cannot be read.
    #[error("the folder cannot be read: {0}")]
    Folder(std::io::Error),
    /// The original table, or one of its hierarchies, cannot be read.
    #[error("{0}")]
    Original(String),
    /// The table of the population cannot be read.
    #[error("the population: {0}")]
    Population(String),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}
