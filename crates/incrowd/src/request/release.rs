//! What a request writes, and what the release is published for.

use std::path::PathBuf;

use incrowd_engine::Format;
use incrowd_report::dossier::{Context, ReleaseModel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{OptionEntry, OptionPlace, OptionValue, RELEASE_FORMATS};
use super::{AnonymizeOptions, format_named};

/// Settings of the output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleasePlan {
    /// Folder for the release, relative to the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `csv`, `parquet`, `delta`, `arrow`, `xlsx`, `dta` or `sav` (default: same as the input; Parquet for a Delta table).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// `one-table`, or `two-tables`: unchanged quasi-identifiers and sensitive columns in separate tables, joined by a
    /// class number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish: Option<Publish>,
    /// Ledger of releases, relative to the plan, which warns if the same people were released before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// What to do with columns that have no entry: `refuse`, `remove` or `keep`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Others>,
    /// How CSV is written: `input`, or `standard` (default: `input`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<OutputDialect>,
    /// In CSV, put an apostrophe before values that a spreadsheet would execute as formulas.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escape_formulas: bool,
    /// Whether to write the report pages (default: true).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<bool>,
}

/// Form of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "PublishWord")]
pub enum Publish {
    /// One table with generalized quasi-identifiers.
    #[default]
    OneTable,
    /// Unchanged quasi-identifiers in one table, sensitive columns in another. It does not hide who is in the table.
    TwoTables,
}

/// How a release is written as CSV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "DialectWord")]
pub enum OutputDialect {
    /// With the delimiter, the encoding and the decimal commas of the table, if it is a text.
    #[default]
    Input,
    /// As UTF-8 with commas and decimal points.
    Standard,
}

/// What to do with columns without a role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "OthersWord")]
pub enum Others {
    /// Refuse the table.
    #[default]
    Refuse,
    /// Remove them.
    Remove,
    /// Publish them unchanged.
    Keep,
}

const ROLE: OptionEntry = OptionEntry { heading: "Roles", ..OptionEntry::EMPTY };

/// The options about roles that only a release has.
pub(super) const ROLE_OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: "others",
        flag: Some("others"),
        place: OptionPlace::Plan("release.others"),
        value: OptionValue::Word(&[
            ("refuse", "Refuse the table"),
            ("remove", "Remove them"),
            ("keep", "Publish them unchanged"),
        ]),
        value_name: "WHAT",
        help: "What to do with columns that have no role",
        example: "keep",
        ..ROLE
    },
    OptionEntry {
        name: "keep_identifying",
        flag: Some("keep-identifying"),
        place: OptionPlace::EachColumn("keep_identifying", "true"),
        value: OptionValue::Columns,
        value_name: "COLUMNS",
        help: "Publish these columns unchanged even if they single out people",
        example: "birth",
        ..ROLE
    },
    OptionEntry {
        name: "treat",
        flag: Some("treat"),
        place: OptionPlace::ByColumn("treatment"),
        value: OptionValue::Treatments,
        value_name: "COLUMN=TREATMENT",
        help: "Treatment of a column that is neither generalized, kept nor removed: blank, mask:N, \
        pseudonym, pseudonym-digits, round:BASE, top:N, bottom:N, bins:WIDTH, shift:DAYS, microaggregate:K,round:BASE, \
        random-round:BASE, laplace:SCALE,round:BASE, normal:SCALE,round:BASE or \
        items:K,known:M,split:C",
        example: "birth=blank wage=top:200000,round:1000",
        ..ROLE
    },
    OptionEntry {
        name: "fold_spellings",
        flag: Some("fold-spellings"),
        place: OptionPlace::EachColumn("spellings", "\"fold\""),
        value: OptionValue::Columns,
        value_name: "COLUMNS",
        help: "Columns in which to merge spellings that differ only in letter case, spaces or Unicode form; the most \
        frequent spelling is published",
        example: "illness",
        ..ROLE
    },
    OptionEntry {
        name: "keep_spellings",
        flag: Some("keep-spellings"),
        place: OptionPlace::EachColumn("spellings", "\"keep\""),
        value: OptionValue::Columns,
        value_name: "COLUMNS",
        help: "Columns in which to keep spellings that differ only in letter case, spaces or Unicode form as different \
        values",
        example: "sex",
        ..ROLE
    },
];

const WRITING: OptionEntry = OptionEntry { heading: "Writing", ..OptionEntry::EMPTY };

/// The options about writing.
pub(super) const OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: "publish",
        flag: Some("publish"),
        place: OptionPlace::Plan("release.publish"),
        value: OptionValue::Word(&[
            ("one-table", "One table with generalized quasi-identifiers"),
            ("two-tables", "Two tables joined by a class number"),
        ]),
        value_name: "TABLES",
        help: "Publish one table, or two: unchanged quasi-identifiers and, separately, the sensitive columns. Two \
        tables do not prevent membership disclosure",
        default: Some("one-table"),
        example: "two-tables",
        ..WRITING
    },
    OptionEntry {
        name: "output_format",
        flag: Some("output-format"),
        place: OptionPlace::Plan("release.format"),
        value: RELEASE_FORMATS,
        value_name: "FORMAT",
        help: "Format of the release",
        default: Some("same as the input"),
        example: "arrow",
        ..WRITING
    },
    OptionEntry {
        name: "output_dialect",
        flag: Some("output-dialect"),
        place: OptionPlace::Plan("release.dialect"),
        value: OptionValue::Word(&[
            ("input", "The delimiter, encoding and decimal commas of the input, if it is CSV"),
            ("standard", "UTF-8 with commas and decimal points"),
        ]),
        value_name: "DIALECT",
        help: "How CSV is written",
        default: Some("input"),
        example: "standard",
        ..WRITING
    },
    OptionEntry {
        name: "escape_formulas",
        flag: Some("escape-formulas"),
        place: OptionPlace::Plan("release.escape_formulas"),
        value: OptionValue::Switch,
        help: "In CSV, put an apostrophe before values that a spreadsheet would execute as formulas",
        ..WRITING
    },
    OptionEntry {
        name: "force",
        flag: Some("force"),
        place: OptionPlace::Call("force"),
        value: OptionValue::Switch,
        help: "Replace a release of the same name; only files that incrowd wrote are deleted",
        ..WRITING
    },
    OptionEntry {
        name: "report",
        flag: Some("no-report"),
        place: OptionPlace::Plan("release.report"),
        value: OptionValue::SwitchOff,
        help: "Do not write the report pages: report.html in the release, and an internal page outside it",
        ..WRITING
    },
    OptionEntry {
        name: "ledger",
        flag: Some("ledger"),
        place: OptionPlace::Plan("release.ledger"),
        value: OptionValue::Path,
        value_name: "FILE",
        help: "Ledger of releases: adds this release and warns if data about the same people was released before. Do \
        not publish the ledger",
        example: "ledger.json",
        ..WRITING
    },
    OptionEntry {
        name: "record",
        flag: Some("record"),
        python: false,
        place: OptionPlace::Call("record"),
        value: OptionValue::Path,
        value_name: "DIR",
        help: "Folder for the internal record when the release is written to a database or object store",
        default: Some("NAME.internal"),
        example: "records",
        ..WRITING
    },
];

/// Context of a release, as described by the custodian; shown in the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextPlan {
    /// The purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The recipients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipients: Option<String>,
    /// Access: public, controlled (with an agreement), or enclave (controlled environment).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_model: Option<ReleaseModelWord>,
    /// The person responsible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responsible: Option<String>,
    /// Date of the next review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_review: Option<String>,
}

/// Access to a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseModelWord {
    /// Available to anyone.
    Public,
    /// Available to those who sign an agreement.
    Controlled,
    /// Accessible only in a controlled environment.
    Enclave,
}

impl ContextPlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == ContextPlan::default()
    }

    pub(super) fn overlay(self, said: ContextPlan) -> ContextPlan {
        ContextPlan {
            purpose: said.purpose.or(self.purpose),
            recipients: said.recipients.or(self.recipients),
            release_model: said.release_model.or(self.release_model),
            responsible: said.responsible.or(self.responsible),
            next_review: said.next_review.or(self.next_review),
        }
    }

    /// As a dossier tells it.
    pub fn dossier(&self) -> Context {
        Context {
            purpose: self.purpose.clone(),
            recipients: self.recipients.clone(),
            release_model: self.release_model.map(|model| match model {
                ReleaseModelWord::Public => ReleaseModel::Public,
                ReleaseModelWord::Controlled => ReleaseModel::Controlled,
                ReleaseModelWord::Enclave => ReleaseModel::Enclave,
            }),
            responsible: self.responsible.clone(),
            next_review: self.next_review.clone(),
        }
    }
}

impl ReleasePlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == ReleasePlan::default()
    }

    pub(super) fn overlay(self, said: ReleasePlan) -> ReleasePlan {
        ReleasePlan {
            path: said.path.or(self.path),
            format: said.format.or(self.format),
            publish: said.publish.or(self.publish),
            ledger: said.ledger.or(self.ledger),
            others: said.others.or(self.others),
            dialect: said.dialect.or(self.dialect),
            escape_formulas: said.escape_formulas || self.escape_formulas,
            report: said.report.or(self.report),
        }
    }

    /// Sets the options it stands for.
    pub(super) fn fill(self, options: &mut AnonymizeOptions) {
        options.delta = self.format.as_deref().is_some_and(is_delta);
        options.format = self.format.as_deref().and_then(release_format).unwrap_or(options.format);
        options.publish = self.publish.unwrap_or_default();
        options.ledger = self.ledger.map(PathBuf::from);
        options.others = self.others.unwrap_or_default();
        options.dialect = self.dialect.unwrap_or_default();
        options.escape_formulas = self.escape_formulas;
        options.report = self.report.unwrap_or(options.report);
    }

    /// What is invalid.
    pub(super) fn fault(&self) -> Option<String> {
        if self.path.as_deref() == Some("") || self.ledger.as_deref() == Some("") {
            return Some("path and ledger under [release] are file names and may not be empty".into());
        }
        let word = self.format.as_deref().filter(|word| release_format(word).is_none())?;
        Some(format!("unknown format “{word}”; use csv, parquet, delta, arrow, xlsx, dta or sav"))
    }
}

/// Whether the files of a release are to be a Delta table.
fn is_delta(word: &str) -> bool {
    word.eq_ignore_ascii_case("delta")
}

/// The format of the files of a release, by its word.
fn release_format(word: &str) -> Option<Format> {
    if is_delta(word) { Some(Format::Parquet) } else { format_named(word) }
}
