//! The plan: one file in the custodian's own repository that says what a table is and what is promised about it.
//!
//! `incrowd init` writes it, with a reason beside every line, `# CONFIRM` where the guess is unsure and `confirmed =
//! false` in every entry; whoever signs the release reads and confirms it. Its JSON Schema is published, so editors complete and check it.

mod confirm;
mod draft;
mod invalid_numbers;
mod options;
mod paths;
mod policy;
mod rule;
mod similar_columns;
mod solve;

use std::path::Path;

use incrowd_core::{Dictionary, Hierarchy, Role};
use incrowd_engine::{Format, ReadOptions, Spellings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::roles::Declared;
use crate::texts::{MOST_PLAN_BYTES, most_hierarchy_bytes, text_of};

pub use confirm::{Confirmed, Decision, confirm};
pub use draft::draft;
pub use paths::{folder_of, relative_to_plan};
pub use policy::{AlphaPlan, LimitPlan, PolicyPlan, RuleWord, ShareWord};
pub use rule::{NumberWord, RulePlan, akin};
pub use solve::{
    ContextPlan, EffortLevel, EffortWord, OthersWord, PublishWord, ReleaseModelWord, ReleasePlan, RunPlan, SolvePlan,
    WeightsRule, WeightsWord,
};

/// The file that `init` writes unless told otherwise.
pub const FILE_NAME: &str = "incrowd.toml";

/// A plan, as `incrowd.toml` holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The version of this form. Always 1.
    pub version: u32,
    /// The table and how it is read.
    pub source: SourcePlan,
    /// What a release has to keep.
    pub policy: PolicyPlan,
    /// How it is solved.
    #[serde(default, skip_serializing_if = "SolvePlan::is_empty")]
    pub solve: SolvePlan,
    /// What is written.
    #[serde(default, skip_serializing_if = "ReleasePlan::is_empty")]
    pub release: ReleasePlan,
    /// What the release is published for.
    #[serde(default, skip_serializing_if = "ContextPlan::is_empty")]
    pub context: ContextPlan,
    /// What a run may use.
    #[serde(default, skip_serializing_if = "RunPlan::is_empty")]
    pub run: RunPlan,
    /// The columns, in table order.
    #[serde(rename = "column", default)]
    pub columns: Vec<ColumnPlan>,
}

/// The table and how it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourcePlan {
    /// A file, a folder or a pattern, relative to the plan.
    pub path: String,
    /// `csv`, `parquet` or `arrow`, when the name does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The delimiter of a CSV file, when it should not be sniffed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Whether the first line of a CSV file names the columns, when that should not be judged by its look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// Texts that stand for a missing value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nulls: Vec<String>,
    /// Whether each row is a different person, although an identifier repeats.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rows_are_people: bool,
}

/// One column, or in a file several that share an entry: a plan that was read has one entry for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnPlan {
    /// Its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The names of several columns that share this entry, in place of `name`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Its role: `identifier`, `subject`, `quasi-identifier`, `sensitive` or `insensitive`.
    #[schemars(with = "RoleWord")]
    pub role: Role,
    /// How dates are written in it, in strftime letters, when not as YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_format: Option<String>,
    /// How its values are generalized; by its type when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchyPlan>,
    /// Publish it unchanged although it singles out people.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_identifying: bool,
    /// What to do with values that differ only in letter case, spaces or Unicode form: `fold` reads them as one, `keep`
    /// takes them as different. `anonymize` refuses a rule about a column with such values when this is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spellings: Option<SpellingsWord>,
    /// Whether somebody has confirmed this entry. `init` writes false, and `anonymize` refuses a plan with such entries.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub confirmed: bool,
}

/// What to do with several spellings of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpellingsWord {
    /// Read them as one value: the most frequent spelling.
    Fold,
    /// Take them as different values.
    Keep,
}

/// What is written by hand is confirmed.
fn yes() -> bool {
    true
}

fn is_yes(confirmed: &bool) -> bool {
    *confirmed
}

/// How a column's values are generalized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HierarchyPlan {
    /// A CSV file, one line per value: `value;level 1;…;*`, relative to the plan.
    File(String),
    /// As `file`, whose lines may have different lengths (an unbalanced tree): a short line repeats its last label.
    RaggedFile(String),
    /// Nested numeric intervals of these widths, finest first.
    Intervals(Vec<f64>),
    /// A built hierarchy.
    Build(BuildPlan),
}

/// A hierarchy that needs no further word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BuildPlan {
    /// Every value directly below `*`.
    Flat,
    /// Day, month, quarter, year, decade.
    Dates,
    /// One level per character, from the right: postcodes and other codes.
    Prefix,
    /// Nested numeric intervals, their widths chosen from the data.
    Intervals,
    /// No hierarchy: sets of values such as `{f, x}`, for columns of at most 64 values.
    Sets,
    /// No hierarchy: intervals from the least to the greatest value of a class, for numbers and dates.
    FreeIntervals,
}

/// The words of [`Role`] for the schema.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its schema is used")]
enum RoleWord {
    Identifier,
    Subject,
    QuasiIdentifier,
    Sensitive,
    Insensitive,
}

impl ColumnPlan {
    /// What cannot be.
    fn fault(&self) -> Option<String> {
        let name = &self.name;
        if self.date_format.as_deref() == Some("") {
            return Some(format!("date_format of column “{name}” may not be empty"));
        }
        match &self.hierarchy {
            Some(HierarchyPlan::File(file)) if file.is_empty() => {
                Some(format!("the hierarchy file of column “{name}” may not be empty"))
            }
            Some(HierarchyPlan::Intervals(widths))
                if widths.is_empty() || widths.iter().any(|width| !(width.is_finite() && *width > 0.0)) =>
            {
                Some(format!("the intervals of column “{name}” are widths above 0, finest first"))
            }
            _ => None,
        }
    }
}

impl HierarchyPlan {
    /// The hierarchy for a column of these values; files are looked for in `folder`. Nothing for sets and free intervals,
    /// which need none. A file may be as large as so much memory allows.
    pub fn build(&self, dictionary: &Dictionary, folder: &Path, memory: Option<u64>) -> Result<Option<Hierarchy>> {
        let hierarchy = match self {
            HierarchyPlan::File(file) | HierarchyPlan::RaggedFile(file) => {
                let path = folder.join(file);
                let text = text_of(&path, most_hierarchy_bytes(memory))?;
                let ragged = matches!(self, HierarchyPlan::RaggedFile(_));
                Hierarchy::read_with(&text, incrowd_core::ReadOptions { ragged, ..Default::default() })?
            }
            HierarchyPlan::Intervals(widths) => Hierarchy::numeric(dictionary, widths, 0.0)?,
            HierarchyPlan::Build(BuildPlan::Intervals) => {
                Hierarchy::numeric(dictionary, &Hierarchy::choose_widths(dictionary)?, 0.0)?
            }
            HierarchyPlan::Build(BuildPlan::Flat) => Hierarchy::flat(dictionary)?,
            HierarchyPlan::Build(BuildPlan::Dates) => Hierarchy::dates(dictionary)?,
            HierarchyPlan::Build(BuildPlan::Prefix) => Hierarchy::prefix(dictionary, None)?,
            HierarchyPlan::Build(BuildPlan::Sets | BuildPlan::FreeIntervals) => return Ok(None),
        };
        Ok(Some(hierarchy))
    }
}

impl Plan {
    /// The most that attacks may achieve.
    pub fn limits(&self) -> Vec<incrowd_risk::attack::Threshold> {
        self.policy.limits.iter().map(LimitPlan::threshold).collect()
    }

    /// SHA-256 of the file of a plan, as it is published; nothing when it holds a seed. Seeds are small numbers, which could
    /// be tried against the hash. The order of the rows would still be secret, but who knows nearly the whole table could
    /// then run the solver on each guess about the rest and compare the classes.
    pub fn published_hash(&self, path: &Path) -> Option<String> {
        let text = text_of(path, MOST_PLAN_BYTES).ok().filter(|_| self.solve.seed.is_none())?;
        Some(Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Reads a plan; what it does not know it refuses, with the line.
    pub fn read(path: &Path) -> Result<Plan> {
        let text = text_of(path, MOST_PLAN_BYTES)?;
        let plan = Plan::parse(&text).and_then(|plan| match plan.source.path.is_empty() {
            // A plan that is no file may be about a table in memory.
            true => Err("path under [source] names the table, and may not be empty".into()),
            false => Ok(plan),
        });
        plan.map_err(|message| Error::Plan { path: path.display().to_string(), message })
    }

    /// Reads the text of a plan.
    pub fn parse(text: &str) -> std::result::Result<Plan, String> {
        let plan: Plan = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_string())?;
        plan.expanded()
    }

    /// Reads a plan that stands as JSON, in the words of its schema.
    pub fn from_json(text: &str) -> std::result::Result<Plan, String> {
        let plan: Plan = serde_json::from_str(text).map_err(|error| error.to_string())?;
        plan.expanded()
    }

    /// The same plan with one entry for each column, unless its words cannot be together.
    fn expanded(mut self) -> std::result::Result<Plan, String> {
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in self.columns {
            match (column.name.is_empty(), column.names.is_empty()) {
                (true, true) => return Err("an entry of [[column]] has neither `name` nor `names`".into()),
                (false, false) => {
                    return Err(format!("the entry of column “{}” has both `name` and `names`", column.name));
                }
                (false, true) => columns.push(column),
                (true, false) => {
                    let one = |name: &String| ColumnPlan { name: name.clone(), names: vec![], ..column.clone() };
                    columns.extend(column.names.iter().map(one));
                }
            }
        }
        self.columns = columns;
        self.fault().map_or(Ok(self), Err)
    }

    /// The text of its file.
    pub fn to_toml(&self) -> std::result::Result<String, String> {
        toml::to_string(self).map_err(|error| error.to_string())
    }

    /// What its words mean together that cannot be.
    fn fault(&self) -> Option<String> {
        let source = &self.source;
        if self.version != 1 {
            return Some(format!("version {} is not known, only 1", self.version));
        }
        if let Some(word) = source.format.as_deref().filter(|word| format_named(word).is_none()) {
            return Some(format!("the format “{word}” is not known, only csv, parquet and arrow"));
        }
        if source.delimiter.is_some_and(|delimiter| !delimiter.is_ascii()) {
            return Some("the delimiter has to be an ASCII character".into());
        }
        if source.delimiter.is_some_and(|delimiter| "\"\r\n\0".contains(delimiter)) {
            return Some("the delimiter cannot be a quote, a line break or NUL".into());
        }
        if let Some(fault) = self
            .policy
            .fault()
            .or_else(|| self.solve.fault())
            .or_else(|| self.release.fault())
            .or_else(|| self.run.fault())
        {
            return Some(fault);
        }
        if self.columns.iter().filter(|column| column.role == Role::Subject).count() > 1 {
            return Some("only one column can be the subject".into());
        }
        if let Some(fault) = self.columns.iter().find_map(ColumnPlan::fault) {
            return Some(fault);
        }
        let names = self.columns.iter().map(|column| &column.name);
        let twice =
            names.clone().enumerate().find(|(index, name)| names.clone().take(*index).any(|other| other == *name));
        twice.map(|(_, name)| format!("column “{name}” has two entries"))
    }

    /// The JSON Schema of plans.
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Plan).to_value()
    }

    /// The roles it declares.
    pub fn declared(&self) -> Declared {
        let of = |role: Role| {
            self.columns.iter().filter(move |column| column.role == role).map(|column| column.name.clone())
        };
        Declared {
            quasi_identifiers: of(Role::QuasiIdentifier).collect(),
            sensitive: of(Role::Sensitive).collect(),
            identifiers: of(Role::Identifier).collect(),
            insensitive: of(Role::Insensitive).collect(),
            subject: of(Role::Subject).next(),
            rows_are_people: self.source.rows_are_people,
        }
    }

    /// The columns that it publishes unchanged although they single out people.
    pub fn keep_identifying(&self) -> Vec<String> {
        self.columns.iter().filter(|column| column.keep_identifying).map(|column| column.name.clone()).collect()
    }

    /// The columns with this word about spellings.
    pub fn with_spellings(&self, word: SpellingsWord) -> Vec<String> {
        let named = self.columns.iter().filter(|column| column.spellings == Some(word));
        named.map(|column| column.name.clone()).collect()
    }

    /// Whether columns without an entry are left out of the release.
    pub fn removes_others(&self) -> bool {
        self.release.others == Some(OthersWord::Remove)
    }

    /// How its table is read.
    pub fn read_options(&self) -> ReadOptions {
        let format = self.source.format.as_deref().and_then(format_named);
        let dated = |column: &ColumnPlan| column.date_format.clone().map(|format| (column.name.clone(), format));
        ReadOptions {
            delimiter: self.source.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok()),
            header: self.source.header,
            nulls: self.source.nulls.clone(),
            format,
            date_formats: self.columns.iter().filter_map(dated).collect(),
            // How to connect is no part of a plan, which is passed on.
            connection: None,
            spellings: Spellings::new(),
        }
    }
}

/// A format by its word.
pub fn format_named(word: &str) -> Option<Format> {
    [Format::Csv, Format::Parquet, Format::Arrow].into_iter().find(|format| format.name().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
version = 1
[source]
path = "visits.csv"
[policy]
k = 5
[[column]]
name = "age"
role = "quasi-identifier"
hierarchy = { intervals = [5, 10, 20] }
"#;

    #[test]
    fn a_plan_is_read_and_keeps_its_schema() {
        let plan = Plan::parse(SMALL).expect("a plan");
        assert_eq!(plan.columns[0].hierarchy, Some(HierarchyPlan::Intervals(vec![5.0, 10.0, 20.0])));
        let value = serde_json::to_value(&plan).expect("json");
        assert!(jsonschema::is_valid(&Plan::schema(), &value));
    }

    #[test]
    fn a_plan_is_the_same_as_json_and_as_toml() {
        let plan = Plan::parse(SMALL).expect("a plan");
        let json = serde_json::to_string(&plan).expect("json");
        assert_eq!(Plan::from_json(&json).as_ref(), Ok(&plan));
        assert_eq!(Plan::parse(&plan.to_toml().expect("toml")), Ok(plan));
        assert!(Plan::from_json(&json.replace("\"version\":1", "\"version\":2")).is_err());
    }

    #[test]
    fn sets_and_free_intervals_have_words_and_no_hierarchy() {
        let dictionary = Dictionary::of_texts(["f", "m"]);
        for (word, build) in [("sets", BuildPlan::Sets), ("free-intervals", BuildPlan::FreeIntervals)] {
            let text = SMALL.replace("intervals = [5, 10, 20]", &format!("build = \"{word}\""));
            let plan = Plan::parse(&text).expect("a plan").columns[0].hierarchy.clone().expect("a hierarchy");
            assert_eq!(plan, HierarchyPlan::Build(build));
            assert_eq!(plan.build(&dictionary, Path::new(""), None).expect("nothing to read"), None);
        }
    }

    #[test]
    fn several_columns_share_an_entry() {
        let text = SMALL.replace("name = \"age\"", "names = [\"age\", \"height\"]");
        let plan = Plan::parse(&text).expect("a plan");
        assert_eq!(plan.declared().quasi_identifiers, ["age", "height"]);
        assert_eq!(plan.columns[0].hierarchy, plan.columns[1].hierarchy);
        assert_eq!(Plan::parse(&plan.to_toml().expect("toml")), Ok(plan));
        let both = SMALL.replace("name = \"age\"", "name = \"age\"\nnames = [\"height\"]");
        assert!(Plan::parse(&both).expect_err("refused").contains("both `name` and `names`"));
        let neither = SMALL.replace("name = \"age\"\n", "");
        assert!(Plan::parse(&neither).expect_err("refused").contains("neither `name` nor `names`"));
        let twice = text.replace("\"height\"", "\"age\"");
        assert!(Plan::parse(&twice).expect_err("refused").contains("two entries"));
    }

    #[test]
    fn a_misspelt_word_is_refused_with_its_line() {
        let message = Plan::parse(&SMALL.replace("k = 5", "K = 5")).expect_err("refused");
        assert!(message.contains("line 6"), "{message}");
    }

    #[test]
    fn the_published_schema_is_the_one_of_the_code() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plan.schema.json");
        let published: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).expect("published")).expect("json");
        assert_eq!(published, Plan::schema(), "run `incrowd init --schema > docs/plan.schema.json`");
    }
}
