//! What a code of a finding or a refusal consists of.

use serde::Serialize;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// People can be singled out: do not release the unchanged table.
    Danger,
    /// Something needs a decision before a release.
    Warning,
    /// Good to know.
    Note,
    /// There is no answer: the input or the request was not accepted.
    Refusal,
}

impl Severity {
    /// The word shown to a person.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Danger => "danger",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Refusal => "refusal",
        }
    }
}

/// A finding code. In data it is its code, name and severity; the texts are for `explain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Code {
    /// The stable code, such as `IC101`.
    pub code: &'static str,
    /// The stable name, in kebab-case.
    pub name: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What it says, in one sentence.
    #[serde(skip)]
    pub summary: &'static str,
    /// What it means, why it matters and what to do, in plain paragraphs.
    #[serde(skip)]
    pub explanation: &'static str,
}
