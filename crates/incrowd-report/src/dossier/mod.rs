//! The dossier: everything that was learned in a run, as one value, for the report that a person signs.
//!
//! What may be published and what may not are two types. [`PublicDossier`] has no field that can hold an exact count of
//! few people: its counts are [`Coarse`], its shares [`Share`], its measures [`Rounded`], and each forgets the number
//! it was made from. [`InternalDossier`] holds a public one and everything else. So a public report cannot show an
//! internal number: it never gets it. Whole numbers in the public type are few and named in a test: the rows of the
//! release, which its manifest tells too, sizes of files, parameters, and how much was searched.
//!
//! Neither type has a field for values of the table. Texts are the caller's: sentences of the public type carry neither
//! values nor counts of few people.
//!
//! A mere check and a release have the same types; what is not known is left out. The parts are those of a release's
//! report: identity, context, data, promises, risk, the three tests of the EU working party's opinion 05/2014, attacks,
//! utility, verification and reproduction. [`SCHEMA`] is the JSON Schema of both.

mod about;
mod coarse;
mod finding;
mod risk;
mod share;
mod utility;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use incrowd_core::{ClassSizes, Outcome};

pub use about::{
    Canaries, Column, Context, Counted, Data, Drawn, Identity, OutputFile, Promise, ReleaseModel, Repeatability,
    Reproduction, Technique, Verification,
};
pub use coarse::{Coarse, LEAST_THRESHOLD, Rounded};
pub use finding::{ColumnSets, FindingNumbers, PublicFinding, SetNumbers};
pub use risk::{
    Adversary, AdversaryRisk, AdversaryVerdict, AttackConclusion, ChosenAttacker, LeastClassSize, Risk, RiskThreshold,
    RiskVerdict, Test, TestNumbers, TestVerdict, ThresholdSide,
};
pub use share::Share;
pub use utility::{
    ColumnUtility, EstimatorErrors, LevelShare, LossAtK, Queries, SubgroupNumbers, SubgroupSpread, Utility, WithheldFor,
};

/// The form of the dossier that is written.
pub const FORM: u32 = 1;

/// The JSON Schema of public and internal dossiers.
pub const SCHEMA: &str = include_str!("schema.json");

/// A made-up internal dossier in which every part is filled: what the schema and the report are tried on.
pub const EXAMPLE: &str = include_str!("example.json");

/// What a dossier is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DossierKind {
    /// A table that was looked at; nothing is released.
    Check,
    /// A release.
    Release,
}

/// How a statement stands. What was proved and what was only looked for are told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It holds, proved on the bytes that are published.
    Proved,
    /// What would break it was looked for and not found.
    NotFound,
    /// It does not hold.
    Fails,
    /// No one looked.
    #[default]
    NotJudged,
}

impl Standing {
    /// Every standing, in the order in which they are explained.
    pub const ALL: [Standing; 4] = [Standing::Proved, Standing::NotFound, Standing::Fails, Standing::NotJudged];

    /// The words shown to a person.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Proved => "proved",
            Standing::NotFound => "searched for, not found",
            Standing::Fails => "does not hold",
            Standing::NotJudged => "not assessed",
        }
    }
}

/// A verdict with the sentence that explains it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// How it stands.
    pub standing: Standing,
    /// Why, in a sentence without a value.
    pub sentence: String,
}

/// What may be published about a table or a release.
///
/// ```
/// use incrowd_report::dossier::{Conclusion, InternalDossier, DossierKind, PublicDossier};
/// let public = PublicDossier::new(DossierKind::Check, "visits.csv", 10, Conclusion::default());
/// let internal = InternalDossier { seed: Some("7".into()), ..InternalDossier::new(public.clone()) };
/// let text = serde_json::to_string(&internal)?;
/// assert!(serde_json::from_str::<PublicDossier>(&text).is_err());
/// assert_eq!(serde_json::from_str::<InternalDossier>(&text)?.public, public);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicDossier {
    /// The form: [`FORM`].
    pub form: u32,
    /// What it is about.
    pub kind: DossierKind,
    /// The name of the release or the table.
    pub title: String,
    /// Counts below this are small and not told.
    pub least_told: u64,
    /// The verdict on the whole.
    pub conclusion: Conclusion,
    /// Which release it is, made by what.
    #[serde(default)]
    pub identity: Identity,
    /// What it is published for, as the plan says.
    #[serde(default)]
    pub context: Context,
    /// The rows and columns.
    #[serde(default)]
    pub data: Data,
    /// What is promised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promises: Vec<Promise>,
    /// What is not promised, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_promised: Vec<String>,
    /// What comes of the risk by threshold; its numbers are internal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskVerdict>,
    /// Singling out, linkability, inference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestVerdict>,
    /// The attacks that were run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<AttackConclusion>,
    /// What users lose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utility: Option<Utility>,
    /// Who checked the written bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// How the run is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduction: Option<Reproduction>,
    /// What a check found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<PublicFinding>,
    /// Which sets of columns are dangerous.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column_sets: Option<ColumnSets>,
}

impl PublicDossier {
    /// A dossier that knows its verdict and nothing else. Counts below `least_told` are small.
    pub fn new(kind: DossierKind, title: &str, least_told: u64, conclusion: Conclusion) -> Self {
        PublicDossier {
            form: FORM,
            kind,
            title: title.to_owned(),
            least_told: least_told.max(LEAST_THRESHOLD),
            conclusion,
            identity: Identity::default(),
            context: Context::default(),
            data: Data::default(),
            promises: Vec::new(),
            not_promised: Vec::new(),
            risk: None,
            tests: Vec::new(),
            attacks: Vec::new(),
            utility: None,
            verification: None,
            reproduction: None,
            findings: Vec::new(),
            column_sets: None,
        }
    }
}

/// What only the custodian may see, with what everyone may.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InternalDossier {
    /// What may be published.
    pub public: PublicDossier,
    /// The seal of the release's manifest: which sealed release this dossier was kept for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_seal: Option<String>,
    /// The keyed fingerprint of the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_fingerprint: Option<String>,
    /// The risk before and after, in numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// The numbers behind the three tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestNumbers>,
    /// What the attacks achieved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<Outcome>,
    /// The classes of the original table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes_before: Option<ClassSizes>,
    /// The classes of the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes_after: Option<ClassSizes>,
    /// The smallest dangerous sets of columns, in numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dangerous_sets: Vec<SetNumbers>,
    /// What a check found, in numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingNumbers>,
    /// For which rules rows were suppressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld_for: Vec<WithheldFor>,
    /// What was suppressed of subgroups; their labels are published ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subgroups: Vec<SubgroupNumbers>,
    /// What users lose with suppressed rows counted, when it differs from what may be published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utility: Option<Utility>,
    /// Which sets of columns of the original are dangerous, when that may not be published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column_sets: Option<ColumnSets>,
    /// The risk that remains, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub residual_risk: Vec<String>,
    /// What a motivated intruder is asked to try, a step each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intruder: Vec<String>,
    /// The seed of the solver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<String>,
}

impl InternalDossier {
    /// A dossier that knows no more than the public one.
    pub fn new(public: PublicDossier) -> Self {
        InternalDossier {
            public,
            manifest_seal: None,
            input_fingerprint: None,
            risk: None,
            tests: Vec::new(),
            attacks: Vec::new(),
            classes_before: None,
            classes_after: None,
            dangerous_sets: Vec::new(),
            findings: Vec::new(),
            withheld_for: Vec::new(),
            subgroups: Vec::new(),
            utility: None,
            column_sets: None,
            residual_risk: Vec::new(),
            intruder: Vec::new(),
            seed: None,
        }
    }
}
