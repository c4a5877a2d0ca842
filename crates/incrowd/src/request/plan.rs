//! The plan: one file in the custodian's own repository that says what a table is and what is promised about it.
//!
//! `incrowd init` writes it, with a reason beside every line, `# CONFIRM` where the guess is unsure and `confirmed =
//! false` in every entry; the person who signs the release reads and confirms it. Its JSON Schema is published, so
//! editors complete and check it.

use std::path::Path;

use incrowd_core::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    CallPlan, ColumnPlan, ContextPlan, PolicyPlan, PopulationPlan, ReleasePlan, RunPlan, SolvePlan, SourcePlan,
    TablePlan,
};
use crate::error::{Error, Result};
use crate::texts::{MOST_PLAN_BYTES, text_of};

/// The default file of `init`.
pub const FILE_NAME: &str = "incrowd.toml";

/// A plan (`incrowd.toml`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the plan format: 1.
    pub version: u32,
    /// The table and how it is read. Left out if there are several tables.
    #[serde(default)]
    pub source: SourcePlan,
    /// What a release has to promise.
    pub policy: PolicyPlan,
    /// A given population, and what a release has to promise about it.
    #[serde(default, skip_serializing_if = "PopulationPlan::is_empty")]
    pub population: PopulationPlan,
    /// Settings of the solver.
    #[serde(default, skip_serializing_if = "SolvePlan::is_empty")]
    pub solve: SolvePlan,
    /// Settings of the output.
    #[serde(default, skip_serializing_if = "ReleasePlan::is_empty")]
    pub release: ReleasePlan,
    /// Context of the release, shown in the report.
    #[serde(default, skip_serializing_if = "ContextPlan::is_empty")]
    pub context: ContextPlan,
    /// Resources of a run.
    #[serde(default, skip_serializing_if = "RunPlan::is_empty")]
    pub run: RunPlan,
    /// The columns, in table order.
    #[serde(rename = "column", default)]
    pub columns: Vec<ColumnPlan>,
    /// Several tables of the same people, which are released together.
    #[serde(rename = "table", default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TablePlan>,
    /// What belongs to one call and is no key of a plan.
    #[serde(skip)]
    pub call: CallPlan,
}

impl Default for Plan {
    /// Says nothing.
    fn default() -> Self {
        Plan {
            version: 1,
            source: SourcePlan::default(),
            policy: PolicyPlan::default(),
            population: PopulationPlan::default(),
            solve: SolvePlan::default(),
            release: ReleasePlan::default(),
            context: ContextPlan::default(),
            run: RunPlan::default(),
            columns: Vec::new(),
            tables: Vec::new(),
            call: CallPlan::default(),
        }
    }
}

impl Plan {
    /// SHA-256 of the file of a plan, as it is published; nothing when it holds a seed. Seeds are small numbers, which
    /// could be tried against the hash. The order of the rows would still be secret, but who knows nearly the whole
    /// table could then run the solver on each guess about the rest and compare the classes.
    pub fn published_hash(&self, path: &Path) -> Option<String> {
        let text = text_of(path, MOST_PLAN_BYTES).ok().filter(|_| self.solve.seed.is_none())?;
        Some(Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Reads a plan; what it does not know it refuses, with the line.
    pub fn read(path: &Path) -> Result<Plan> {
        let text = text_of(path, MOST_PLAN_BYTES)?;
        let plan = Plan::parse(&text).and_then(|plan| match plan.source.path.is_empty() && plan.tables.is_empty() {
            // A plan that is no file may be about a table in memory.
            true => Err("path under [source] is the table and may not be empty".into()),
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
    pub(super) fn expanded(mut self) -> std::result::Result<Plan, String> {
        self.columns = one_entry_each(self.columns)?;
        for table in &mut self.tables {
            table.columns = one_entry_each(std::mem::take(&mut table.columns))?;
        }
        self.take_weight()?;
        self.fault().map_or(Ok(self), Err)
    }

    /// The column with the role of a weight is that of the population.
    fn take_weight(&mut self) -> std::result::Result<(), String> {
        let mut columns = self.columns.iter().filter(|column| column.role == Some(Role::Weight));
        match (columns.next(), columns.next(), &self.population.weight) {
            (Some(_), Some(_), _) => Err("only one column can be the weight".into()),
            (Some(column), None, Some(other)) if column.name != *other => {
                Err(format!("column “{}” has the role of the weight, and [population] names “{other}”", column.name))
            }
            (Some(column), None, None) => {
                self.population.weight = Some(column.name.clone());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The text of its file.
    pub fn to_toml(&self) -> std::result::Result<String, String> {
        toml::to_string(self).map_err(|error| error.to_string())
    }

    /// Refuses what is invalid.
    pub(super) fn check(&self) -> Result<()> {
        self.policy.check()?;
        match self.fault() {
            Some(message) => Err(Error::Plan { path: "plan".into(), message }),
            None => Ok(()),
        }
    }

    /// What is invalid.
    pub(super) fn fault(&self) -> Option<String> {
        if self.version != 1 {
            return Some(format!("unknown version {}; use 1", self.version));
        }
        let promises = [self.policy.fault(), self.population.fault()];
        let others = [self.source.fault(), self.solve.fault(), self.release.fault()];
        let sections = others.into_iter().chain(promises);
        if let Some(fault) = sections.flatten().next().or_else(|| self.run.fault()) {
            return Some(fault);
        }
        if self.columns.iter().filter(|column| column.role == Some(Role::Subject)).count() > 1 {
            return Some("only one column can be the subject".into());
        }
        if let Some(fault) = self.columns.iter().find_map(ColumnPlan::fault) {
            return Some(fault);
        }
        if let Some(fault) = self.tables_fault() {
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
}

/// The same columns with one entry for each.
fn one_entry_each(entries: Vec<ColumnPlan>) -> std::result::Result<Vec<ColumnPlan>, String> {
    let mut columns = Vec::with_capacity(entries.len());
    for column in entries {
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
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use incrowd_core::Dictionary;

    use super::super::{BuildPlan, HierarchyPlan};
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
    fn a_column_with_the_role_of_the_weight_is_that_of_the_population() {
        let weight = "[[column]]\nname = \"w\"\nrole = \"weight\"\n";
        let plan = Plan::parse(&format!("{SMALL}{weight}")).expect("a plan");
        assert_eq!(plan.population.weight.as_deref(), Some("w"));
        assert_eq!(plan.declared().insensitive, ["w"]);
        assert_eq!(Plan::parse(&plan.to_toml().expect("text")).as_ref(), Ok(&plan));
        let two = format!("{SMALL}{weight}{}", weight.replace("\"w\"", "\"v\""));
        assert!(Plan::parse(&two).is_err_and(|message| message.contains("only one column can be the weight")));
        let other = format!("{SMALL}{weight}[population]\nweight = \"v\"\n");
        assert!(Plan::parse(&other).is_err_and(|message| message.contains("[population] names “v”")));
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
