//! What the dossier says about the release itself: identity, context, data, promises, verification, reproduction.

use serde::{Deserialize, Serialize};

use super::{Coarse, Share, Standing};
use incrowd_core::Role;

/// Which release it is, made by what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The release's random id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// When it was made, in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// The version of the program.
    #[serde(default)]
    pub version: String,
    /// The build of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// SHA-256 of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_hash: Option<String>,
    /// The files of the release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<OutputFile>,
}

/// A file of the release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputFile {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// What a release is published for, as the plan says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Context {
    /// The purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Recipients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipients: Option<String>,
    /// How it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_model: Option<ReleaseModel>,
    /// Person responsible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responsible: Option<String>,
    /// When it is looked at again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_review: Option<String>,
}

/// How a release is given to its recipients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseModel {
    /// To everyone.
    Public,
    /// To named recipients, under an agreement.
    Controlled,
    /// To be looked at in a guarded place only.
    Enclave,
}

impl ReleaseModel {
    /// The word with what it means.
    pub fn name(self) -> &'static str {
        match self {
            ReleaseModel::Public => "public: available to anyone",
            ReleaseModel::Controlled => "controlled: named recipients, under an agreement",
            ReleaseModel::Enclave => "enclave: accessible only in a controlled environment",
        }
    }
}

/// The rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// Rows of the release, as its manifest tells them; of the table when nothing is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// What k counts.
    #[serde(default)]
    pub counted: Counted,
    /// The people the rows are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<Coarse>,
    /// Rows that were suppressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Coarse>,
    /// The share of the original rows that they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld_share: Option<Share>,
    /// Whether the table is a sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<Drawn>,
    /// Every column of the original, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<Column>,
}

impl Data {
    /// The rows of a release and what may be told of those suppressed.
    ///
    /// ```
    /// use incrowd_report::dossier::{Coarse, Data};
    /// assert_eq!(Data::of_release(995, Coarse::of(9, 10)), Data::of_release(995, Coarse::of(0, 10)));
    /// ```
    pub fn of_release(rows: u64, withheld: Coarse) -> Self {
        Data {
            rows: Some(rows),
            withheld: Some(withheld),
            withheld_share: Some(Share::withheld(withheld, rows)),
            ..Data::default()
        }
    }
}

/// What k counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Rows.
    #[default]
    Rows,
    /// People, told apart by a subject column.
    People,
}

impl Counted {
    /// The word.
    pub fn name(self) -> &'static str {
        match self {
            Counted::Rows => "rows",
            Counted::People => "people",
        }
    }
}

/// Whether everyone is in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drawn {
    /// It is a sample: to be in it is itself unknown.
    Sample,
    /// It is the whole population.
    Population,
}

/// A column of the original.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it is to an attacker.
    pub role: Role,
    /// Why it has that role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What was done to it; nothing when nothing is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub technique: Option<Technique>,
    /// How it was treated, such as `mask:3`, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub treatment: Option<String>,
}

impl Column {
    /// Whether it stands in the release; nothing when nothing is released.
    pub fn is_published(&self) -> Option<bool> {
        self.technique.map(|technique| technique != Technique::Removed)
    }
}

/// What was done to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Technique {
    /// It is not published.
    Removed,
    /// Its cells may stand for several values.
    Generalized,
    /// Its cells are the value or `*`.
    Suppressed,
    /// Its cells are the values.
    Retained,
    /// Its cells are the values, in the second of two tables.
    MovedToSecondTable,
    /// Each of its cells was changed by a treatment.
    Treated,
}

impl Technique {
    /// The words shown to a person.
    pub fn name(self) -> &'static str {
        match self {
            Technique::Removed => "removed",
            Technique::Generalized => "generalized",
            Technique::Suppressed => "suppressed",
            Technique::Retained => "retained",
            Technique::MovedToSecondTable => "moved to a second table",
            Technique::Treated => "treated",
        }
    }
}

/// One model that holds, with what it promises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// The model's id.
    pub model: String,
    /// Its parameters as a text, such as `k = 5`, without a value of the table.
    pub parameters: String,
    /// The quasi-identifiers it is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quasi_identifiers: Vec<String>,
    /// The sensitive columns it is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<String>,
    /// What it promises, in one sentence.
    pub sentence: String,
    /// How it stands.
    pub standing: Standing,
}

/// Who checked the written bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verification {
    /// The program that did.
    pub by: String,
    /// When, in UTC.
    pub at: String,
    /// The result.
    pub standing: Standing,
    /// The result in a sentence.
    pub sentence: String,
    /// What a search for removed values found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canaries: Option<Canaries>,
}

/// A search for removed values in the released bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Canaries {
    /// Values that were searched for.
    pub searched: u64,
    /// Values that were found.
    pub found: u64,
    /// Bytes that were searched.
    pub bytes: u64,
}

/// Whether a second run gives the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repeatability {
    /// With the recorded key, the same table and the same plan give the same bytes.
    Exact,
    /// The search was stopped by a time limit or by hand, so a second run may find other classes.
    TimeLimit,
    /// A cluster wrote the rows, in an order that is not recorded.
    Cluster,
    /// The table was released together with others.
    SeveralTables,
}

/// How the run is repeated. The key and the seed are internal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reproduction {
    /// The command.
    pub command: String,
    /// The plan, as it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Whether a second run gives the same bytes; nothing when that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeatability: Option<Repeatability>,
}
