//! Several tables of the same people in one plan.
//!
//! Each table has its own source, columns and rules about sensitive columns. What they share, k, suppression, the solver and
//! the output, is said once. So a plan with tables is a plan for each of them ([`Plan::table_plans`]), and these are
//! solved together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::KnownRowsWord;
use super::{AllRows, AlphaPlan, ColumnPlan, Plan, PolicyPlan, ReleasePlan, RulePlan, SourcePlan};
use crate::error::Result;

/// The most letters that the name of a table may have.
const LONGEST_NAME: usize = 64;

/// One of several tables with the same people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TablePlan {
    /// Its name, which is also that of its folder in the release.
    pub name: String,
    /// The table and how it is read.
    pub source: SourcePlan,
    /// Limits on the share of sensitive values in a class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alpha: Vec<AlphaPlan>,
    /// Further models about sensitive columns.
    #[serde(rename = "rule", default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RulePlan>,
    /// The columns, in table order. One of them is the subject.
    #[serde(rename = "column", default)]
    pub columns: Vec<ColumnPlan>,
}

impl Plan {
    /// A plan for each of several tables, by name; nothing when the plan is about one table.
    pub fn table_plans(&self) -> Result<Vec<(String, Plan)>> {
        self.check()?;
        // Laid over with nothing, a plan drops what it says and does not use.
        let plan = |table: &TablePlan| (table.name.clone(), self.of_table(table).overlay(Plan::default()));
        Ok(self.tables.iter().map(plan).collect())
    }

    fn of_table(&self, table: &TablePlan) -> Plan {
        let known_rows = self.policy.known_rows.or(Some(KnownRowsWord::Word(AllRows::All)));
        let policy =
            PolicyPlan { known_rows, alpha: table.alpha.clone(), rules: table.rules.clone(), ..self.policy.clone() };
        Plan {
            source: table.source.clone(),
            policy,
            release: ReleasePlan { path: None, ..self.release.clone() },
            columns: table.columns.clone(),
            tables: Vec::new(),
            ..self.clone()
        }
    }

    /// What is invalid about the tables.
    pub(super) fn tables_fault(&self) -> Option<String> {
        if self.tables.is_empty() {
            return None;
        }
        let of_tables = |what: &str| Some(format!("a plan with [[table]] has {what} in each table"));
        if self.source != SourcePlan::default() {
            return of_tables("`source`");
        }
        if !self.columns.is_empty() {
            return of_tables("columns");
        }
        let policy = &self.policy;
        if !(policy.alpha.is_empty() && policy.rules.is_empty() && policy.every_sensitive.is_empty()) {
            return of_tables("rules about sensitive columns (`alpha` and `rule`)");
        }
        if !policy.limits.is_empty() {
            return Some("a plan with [[table]] cannot have [[policy.limit]]".into());
        }
        if self.tables.len() < 2 {
            return Some("a plan with [[table]] needs at least two tables".into());
        }
        let is_earlier =
            |at: usize, name: &str| self.tables[..at].iter().any(|earlier| earlier.name.eq_ignore_ascii_case(name));
        self.tables.iter().enumerate().find_map(|(at, table)| {
            let name = &table.name;
            if is_earlier(at, name) {
                return Some(format!("two tables have the name “{name}”"));
            }
            table.fault().or_else(|| self.of_table(table).fault().map(|fault| format!("table “{name}”: {fault}")))
        })
    }
}

impl TablePlan {
    fn fault(&self) -> Option<String> {
        let name = &self.name;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !begins || !name.chars().all(is_plain) || name.len() > LONGEST_NAME {
            return Some(format!(
                "“{name}” cannot be the name of a table: use up to {LONGEST_NAME} letters, digits, - and _, and begin \
                 with a letter"
            ));
        }
        self.source.path.is_empty().then(|| format!("table “{name}”: `path` of its source may not be empty"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"
version = 1
[policy]
k = 3
suppress = 0.1
[[table]]
name = "patients"
source = { path = "patients.parquet" }
[[table.column]]
name = "id"
role = "subject"
treatment = "pseudonym"
[[table.column]]
names = ["age", "sex"]
role = "quasi-identifier"
[[table]]
name = "visits"
source = { path = "visits.csv", nulls = ["?"] }
[[table.alpha]]
column = "diagnosis"
alpha = 0.5
[[table.column]]
name = "patient"
role = "subject"
treatment = "pseudonym"
"#;

    #[test]
    fn tables_become_plans_that_share_the_policy() {
        let plan = Plan::parse(TWO).expect("a plan");
        assert_eq!(Plan::parse(&plan.to_toml().expect("text")).as_ref(), Ok(&plan));
        assert!(jsonschema::is_valid(&Plan::schema(), &serde_json::to_value(&plan).expect("json")));
        let plans = plan.table_plans().expect("two plans");
        let names: Vec<&str> = plans.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["patients", "visits"]);
        let [(_, patients), (_, visits)] = &plans[..] else { panic!("two") };
        assert_eq!((patients.policy.k, patients.policy.suppress, patients.columns.len()), (Some(3), Some(0.1), 3));
        assert_eq!(patients.policy.known_rows, Some(KnownRowsWord::Word(AllRows::All)), "unless the plan says less");
        assert_eq!((visits.policy.alpha.len(), patients.policy.alpha.len()), (1, 0));
        assert_eq!(visits.source.nulls, ["?"]);
        let seen = plan.seen_from(std::path::Path::new("plans")).table_plans().expect("plans");
        assert!(seen[1].1.source.path.ends_with("visits.csv") && seen[1].1.source.path.starts_with("plans"));
    }

    #[test]
    fn what_belongs_to_a_table_is_refused_elsewhere() {
        let refused = |text: String| Plan::parse(&text).expect_err("refused");
        assert!(refused(format!("{TWO}[source]\npath = \"a.csv\"\n")).contains("has `source` in each table"));
        assert!(refused(format!("{TWO}[[column]]\nname = \"a\"\nrole = \"subject\"\n")).contains("columns in each"));
        assert!(
            refused(TWO.replace("[[table]]\nname = \"visits\"", "[[table]]\nname = \"Patients\""))
                .contains("two tables")
        );
        assert!(refused(TWO.replace("\"visits\"", "\"../visits\"")).contains("cannot be the name of a table"));
        assert!(
            refused(TWO.replace(
                "name = \"patient\"",
                "name = \"diagnosis\"\nrole = \"sensitive\"\n[[table.column]]\nname = \"diagnosis\""
            ))
            .contains("table “visits”: column “diagnosis” has two entries")
        );
        let one = &TWO[..TWO.rfind("[[table]]").expect("a second")];
        assert!(refused(one.into()).contains("at least two tables"));
        let rule = TWO
            .replace("[[table]]\nname = \"p", "[[policy.alpha]]\ncolumn = \"d\"\nalpha = 0.5\n[[table]]\nname = \"p");
        assert!(refused(rule).contains("rules about sensitive columns"));
    }
}
