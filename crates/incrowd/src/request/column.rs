//! The columns of a request: their roles, and how they are generalized.

use std::path::Path;

use incrowd_core::{Dictionary, Hierarchy, HierarchyError, Kind, Role, Treatment};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::entry::{OptionEntry, OptionPlace, OptionValue};
use crate::error::Result;
use crate::texts::{most_hierarchy_bytes, text_of};

/// One column, or several columns that share an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnPlan {
    /// Its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The names of several columns that share this entry, in place of `name`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Role: `identifier`, `subject`, `quasi-identifier`, `sensitive`, `insensitive` or `weight`.
    #[serde(deserialize_with = "named_even_if_null", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RoleWord")]
    pub role: Option<Role>,
    /// Date format in strftime notation, if not YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_format: Option<String>,
    /// `,` if its numbers have a decimal comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<char>,
    /// How its values are generalized (default: by its type).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchyPlan>,
    /// Publish it unchanged although it singles out people.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_identifying: bool,
    /// What to do with spellings that differ only in letter case, spaces or Unicode form: `fold` reads them as one
    /// value, `keep` as different values. Without it, `anonymize` refuses a rule about a column with such spellings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spellings: Option<SpellingsWord>,
    /// What is done to its cells, if they are neither generalized, kept nor removed: `blank`, `mask:N`, `pseudonym`,
    /// `pseudonym-digits`, `round:BASE`, `top:N`, `bottom:N` (also together, separated by commas), `bins:WIDTH`,
    /// `shift:DAYS`, `microaggregate:K,round:BASE`, `random-round:BASE`, `laplace:SCALE,round:BASE`,
    /// `normal:SCALE,round:BASE` or `items:K,known:M,split:C`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub treatment: Option<Treatment>,
    /// Whether this entry is confirmed. `init` writes false, and `anonymize` refuses a plan with such entries.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub confirmed: bool,
}

/// A key that a file has to have. Only a partial plan, which is no file, says null there: not said.
pub(super) fn named_even_if_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// What to do with several spellings of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpellingsWord {
    /// Read them as one value, in the most frequent spelling.
    Fold,
    /// Read them as different values.
    Keep,
}

/// What is written by hand is confirmed.
pub(super) fn yes() -> bool {
    true
}

pub(super) fn is_yes(confirmed: &bool) -> bool {
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

/// A built hierarchy without parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BuildPlan {
    /// Every value directly below `*`.
    Flat,
    /// Day, month, quarter, year, decade.
    Dates,
    /// One level per character, from the right: postcodes and other codes.
    Prefix,
    /// Nested numeric intervals with widths chosen from the data.
    Intervals,
    /// No hierarchy: sets of values such as `{f, x}`, for columns of at most 64 values.
    Sets,
    /// No hierarchy: intervals from the smallest to the largest value of a class, for numbers and dates.
    FreeIntervals,
}

/// A builder of hierarchies, as the command line, the docs and Python list it.
#[derive(Clone, Copy, Debug)]
pub struct BuilderEntry {
    /// The word that chooses it.
    pub word: &'static str,
    /// The same in a plan.
    pub plan: BuildPlan,
    /// What it builds, in one sentence.
    pub summary: &'static str,
    /// The kinds of columns that it takes.
    pub kinds: &'static [Kind],
    /// Builds the hierarchy over the values of a column; nothing where columns need none.
    pub hierarchy: Option<BuildHierarchy>,
}

/// Builds a hierarchy over the values of a column.
pub type BuildHierarchy = fn(&Dictionary) -> std::result::Result<Hierarchy, HierarchyError>;

const ALL_KINDS: &[Kind] = &[Kind::Integer, Kind::Number, Kind::Date, Kind::Text];

/// Every builder, in the order in which they are shown.
pub static BUILDERS: &[BuilderEntry] = &[
    BuilderEntry {
        word: "intervals",
        plan: BuildPlan::Intervals,
        summary: "Nested numeric intervals, with given widths or widths chosen from the data.",
        kinds: &[Kind::Integer, Kind::Number],
        hierarchy: Some(|values| Hierarchy::numeric(values, &Hierarchy::choose_widths(values)?, 0.0)),
    },
    BuilderEntry {
        word: "dates",
        plan: BuildPlan::Dates,
        summary: "Day, month, quarter, year, decade.",
        kinds: &[Kind::Date],
        hierarchy: Some(Hierarchy::dates),
    },
    BuilderEntry {
        word: "prefix",
        plan: BuildPlan::Prefix,
        summary: "Codes such as postcodes, one character fewer per level.",
        kinds: &[Kind::Integer, Kind::Text],
        hierarchy: Some(|values| Hierarchy::prefix(values, None)),
    },
    BuilderEntry {
        word: "flat",
        plan: BuildPlan::Flat,
        summary: "Every value directly below *.",
        kinds: ALL_KINDS,
        hierarchy: Some(Hierarchy::flat),
    },
    BuilderEntry {
        word: "sets",
        plan: BuildPlan::Sets,
        summary: "No hierarchy: sets of values such as {f, x}, for columns of at most 64 values.",
        kinds: ALL_KINDS,
        hierarchy: None,
    },
    BuilderEntry {
        word: "free-intervals",
        plan: BuildPlan::FreeIntervals,
        summary: "No hierarchy: intervals such as [25, 39], from the smallest to the largest value of a class.",
        kinds: &[Kind::Integer, Kind::Number, Kind::Date],
        hierarchy: None,
    },
];

impl BuilderEntry {
    /// The builder of this word.
    pub fn find(word: &str) -> Option<&'static BuilderEntry> {
        BUILDERS.iter().find(|entry| entry.word == word)
    }
}

/// Role of a column.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its schema is used")]
enum RoleWord {
    Identifier,
    Subject,
    QuasiIdentifier,
    Sensitive,
    Insensitive,
    Weight,
}

const ROLE: OptionEntry =
    OptionEntry { heading: "Roles", value: OptionValue::Columns, value_name: "COLUMNS", ..OptionEntry::EMPTY };

/// The options about roles.
pub(super) const OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: "qi",
        flag: Some("qi"),
        place: OptionPlace::EachColumn("role", "\"quasi-identifier\""),
        help: "Quasi-identifiers: columns whose values outsiders may know, separated by commas",
        example: "sex,age",
        ..ROLE
    },
    OptionEntry {
        name: "sensitive",
        flag: Some("sensitive"),
        place: OptionPlace::EachColumn("role", "\"sensitive\""),
        help: "Sensitive columns: columns whose values no one should learn about a person",
        example: "wage,illness",
        ..ROLE
    },
    OptionEntry {
        name: "identifier",
        flag: Some("identifier"),
        place: OptionPlace::EachColumn("role", "\"identifier\""),
        help: "Identifiers: columns that identify people directly",
        example: "name",
        ..ROLE
    },
    OptionEntry {
        name: "insensitive",
        flag: Some("insensitive"),
        place: OptionPlace::EachColumn("role", "\"insensitive\""),
        help: "Columns that neither identify people nor are sensitive",
        example: "shift",
        ..ROLE
    },
    OptionEntry {
        name: "subject",
        flag: Some("subject"),
        place: OptionPlace::EachColumn("role", "\"subject\""),
        value: OptionValue::Column,
        value_name: "COLUMN",
        help: "Column with the person ID of each row; people are counted instead of rows",
        example: "person",
        ..ROLE
    },
    OptionEntry {
        name: "rows_are_people",
        flag: Some("rows-are-people"),
        place: OptionPlace::Plan("source.rows_are_people"),
        value: OptionValue::Switch,
        value_name: "",
        help: "Declare that each row is a different person, even if an identifier has repeated values",
        conflicts: Some("subject"),
        ..ROLE
    },
];

impl ColumnPlan {
    /// What is invalid.
    pub(super) fn fault(&self) -> Option<String> {
        let name = &self.name;
        if self.date_format.as_deref() == Some("") {
            return Some(format!("date_format of column “{name}” may not be empty"));
        }
        if self.decimal.is_some_and(|mark| mark != ',') {
            return Some(format!("decimal of column “{name}” can only be a comma; a point needs no entry"));
        }
        if self.decimal.is_some() && self.date_format.is_some() {
            return Some(format!("column “{name}” cannot have both a date_format and a decimal mark"));
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
    /// The hierarchy for a column of these values; files are looked for in `folder`. Nothing for sets and free
    /// intervals, which need none. The memory limits the size of a file.
    pub fn build(&self, dictionary: &Dictionary, folder: &Path, memory: Option<u64>) -> Result<Option<Hierarchy>> {
        let hierarchy = match self {
            HierarchyPlan::File(file) | HierarchyPlan::RaggedFile(file) => {
                let path = folder.join(file);
                let text = text_of(&path, most_hierarchy_bytes(memory))?;
                let ragged = matches!(self, HierarchyPlan::RaggedFile(_));
                Hierarchy::read_with(&text, incrowd_core::HierarchyReadOptions { ragged, ..Default::default() })?
            }
            HierarchyPlan::Intervals(widths) => Hierarchy::numeric(dictionary, widths, 0.0)?,
            HierarchyPlan::Build(plan) => {
                let builder = BUILDERS.iter().find(|entry| entry.plan == *plan).and_then(|entry| entry.hierarchy);
                match builder {
                    Some(build) => build(dictionary)?,
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(hierarchy))
    }
}

#[cfg(test)]
mod tests {
    use incrowd_core::Values;

    use super::*;

    #[test]
    fn the_word_of_a_builder_is_that_of_the_plan() {
        for entry in BUILDERS {
            assert_eq!(serde_json::from_value::<BuildPlan>(entry.word.into()).expect("a word"), entry.plan);
        }
        let words = schemars::schema_for!(BuildPlan).to_value()["oneOf"].as_array().map(Vec::len);
        assert_eq!(words, Some(BUILDERS.len()), "every word of a plan has its builder");
    }

    #[test]
    fn a_builder_takes_the_kinds_that_it_names() {
        let columns = [
            Dictionary::new(Values::Integers(vec![1, 22]), false),
            Dictionary::new(Values::Numbers { values: vec![1.5, 2.25], scale: None }, false),
            Dictionary::new(Values::Dates(vec![0, 400]), false),
            Dictionary::of_texts(["ab", "cd"]),
        ];
        for (values, kind) in columns.iter().zip(ALL_KINDS) {
            assert_eq!(values.kind(), *kind);
            for entry in BUILDERS {
                let Some(build) = entry.hierarchy else { continue };
                let built = build(values).is_ok();
                assert!(built || !entry.kinds.contains(kind), "{} of {}", entry.word, kind.name());
            }
        }
    }
}
