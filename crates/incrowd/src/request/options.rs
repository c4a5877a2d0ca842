//! From a plan to typed options. What is invalid is refused here, whichever front end said it; nothing is dropped.

use std::collections::BTreeMap;
use std::path::Path;

use incrowd_core::{Role, Treatment};
use incrowd_engine::{Format, ReadOptions, Settings, SheetOptions, Spellings, TextEncoding};
use incrowd_risk::attack::Threshold;

use super::{AnonymizeOptions, ColumnPlan, HierarchyChoice, LimitPlan, Others, Plan, SpellingsWord, format_named};
use crate::error::{Error, Result, TablesFault};
use crate::roles::Declared;

/// What a request does not say and has to. Each front end asks for it in its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// k.
    K,
    /// A rule is set for every sensitive column, and no column is sensitive.
    SensitiveColumns,
}

impl Plan {
    /// What is promised, by which solver, and what is written, by a plan alone. Files are looked for in `folder`. The
    /// format is the default one unless the plan names another. A draft that is not confirmed is refused.
    pub fn anonymize_options(&self, folder: &Path) -> Result<AnonymizeOptions> {
        let usual = AnonymizeOptions::default().format;
        self.clone().seen_from(folder).overlay(Plan::default()).options(usual)
    }

    /// What is promised, by which solver, and what is written, by a plan with all that was said besides. File names are
    /// as seen from the current folder; the format is that of the table unless the plan names another.
    pub fn options(&self, table_format: Format) -> Result<AnonymizeOptions> {
        self.refuse_unconfirmed(false, |_| false)?;
        self.check()?;
        if !self.tables.is_empty() {
            return Err(Error::TablesRefused(TablesFault::OneTableAsked));
        }
        let missing = |message: &str| Error::Plan { path: "plan".into(), message: message.into() };
        match self.missing() {
            Some(Missing::K) => return Err(missing("missing k")),
            Some(Missing::SensitiveColumns) => {
                return Err(missing("a rule for each sensitive column needs sensitive columns"));
            }
            None => {}
        }
        let policy = self.policy(Path::new(""))?;
        let mut declared = self.declared();
        // A column whose values are protected is sensitive, unless it was said to be something else.
        for name in policy.sensitive() {
            if declared.role(&name).is_none() {
                declared.sensitive.push(name);
            }
        }
        let choice = |plan| HierarchyChoice { plan, folder: "".into() };
        let hierarchies =
            self.columns.iter().filter_map(|column| Some((column.name.clone(), choice(column.hierarchy.clone()?))));
        let mut options = AnonymizeOptions {
            hierarchies: hierarchies.collect(),
            declared,
            policy,
            keep_identifying: self.keep_identifying(),
            treatments: self.treatments(),
            population: self.population.options(),
            risk: self.population.risk_options()?,
            reading: self.read_options(),
            fold_spellings: self.with_spellings(SpellingsWord::Fold),
            keep_spellings: self.with_spellings(SpellingsWord::Keep),
            context: self.context.dossier(),
            format: table_format,
            ..AnonymizeOptions::default()
        };
        self.solve.clone().fill(&mut options);
        self.release.clone().fill(&mut options);
        self.call.clone().fill(&mut options);
        Ok(options)
    }

    /// What it does not say and a release needs.
    pub fn missing(&self) -> Option<Missing> {
        if self.policy.k.is_none() && !self.population.has_models() {
            return Some(Missing::K);
        }
        (!self.policy.every_sensitive.is_empty()).then_some(Missing::SensitiveColumns)
    }

    /// The roles it declares.
    pub fn declared(&self) -> Declared {
        let of = |role: Role| {
            self.columns.iter().filter(move |column| column.role == Some(role)).map(|column| column.name.clone())
        };
        Declared {
            quasi_identifiers: of(Role::QuasiIdentifier).collect(),
            sensitive: of(Role::Sensitive).collect(),
            identifiers: of(Role::Identifier).collect(),
            insensitive: of(Role::Insensitive).chain(of(Role::Weight)).collect(),
            subject: of(Role::Subject).next(),
            rows_are_people: self.source.rows_are_people,
        }
    }

    /// The columns that it publishes unchanged although they single out people.
    pub fn keep_identifying(&self) -> Vec<String> {
        self.columns.iter().filter(|column| column.keep_identifying).map(|column| column.name.clone()).collect()
    }

    /// What it does to the cells of columns, by name.
    pub fn treatments(&self) -> BTreeMap<String, Treatment> {
        self.columns.iter().filter_map(|column| Some((column.name.clone(), column.treatment.clone()?))).collect()
    }

    /// The columns with this word about spellings.
    pub fn with_spellings(&self, word: SpellingsWord) -> Vec<String> {
        let named = self.columns.iter().filter(|column| column.spellings == Some(word));
        named.map(|column| column.name.clone()).collect()
    }

    /// Whether columns without an entry are left out of the release.
    pub fn removes_others(&self) -> bool {
        self.release.others == Some(Others::Remove)
    }

    /// The most that attacks may achieve.
    pub fn limits(&self) -> Vec<Threshold> {
        self.policy.limits.iter().map(LimitPlan::threshold).collect()
    }

    /// The columns whose numbers have a decimal comma.
    fn with_decimal_comma(&self) -> Vec<String> {
        let named = self.columns.iter().filter(|column| column.decimal.is_some());
        named.map(|column| column.name.clone()).collect()
    }

    /// How its table is read.
    pub fn read_options(&self) -> ReadOptions {
        let format = self.source.format.as_deref().and_then(format_named);
        let dated = |column: &ColumnPlan| column.date_format.clone().map(|format| (column.name.clone(), format));
        ReadOptions {
            delimiter: self.source.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok()),
            encoding: self.source.encoding.as_deref().and_then(TextEncoding::named),
            sheet: SheetOptions {
                sheet: self.source.sheet.clone(),
                range: self.source.range.as_deref().and_then(|range| range.parse().ok()),
            },
            header: self.source.header,
            nulls: self.source.nulls.clone(),
            format,
            date_formats: self.columns.iter().filter_map(dated).collect(),
            decimal_commas: self.with_decimal_comma(),
            comma_labels: Vec::new(),
            connection: self.call.connection.clone(),
            spellings: Spellings::new(),
        }
    }

    /// What its run may use.
    pub fn settings(&self) -> Settings {
        Settings {
            memory: self.call.memory.or(self.run.memory_mib.map(|mib| mib << 20)),
            threads: self.run.threads,
            temp: self.call.temp.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{AlphaPlan, Publish, RuleWord, ShareWord};
    use super::*;

    const PLAN: &str = "version = 1\n[source]\npath = \"visits.csv\"\n[policy]\nk = 7\nsuppress = 0.02\n\
                    [[policy.alpha]]\ncolumn = \"illness\"\nalpha = 0.5\n[solve]\nseed = 3\neffort = \"low\"\ntime = 1.5\n\
                    [release]\nothers = \"remove\"\npublish = \"two-tables\"\nledger = \"ledger.json\"\n\
                    report = false\n\
                    [[column]]\nname = \"age\"\nrole = \"quasi-identifier\"\nhierarchy = { intervals = [5] }\n\
                    [[column]]\nname = \"town\"\nrole = \"insensitive\"\nhierarchy = { build = \"flat\" }\n";

    #[test]
    fn a_plan_alone_says_all_that_anonymize_needs() {
        let plan = Plan::parse(PLAN).expect("a plan");
        let options = plan.anonymize_options(Path::new("plans")).expect("nothing to read");
        assert_eq!((options.policy.k(), options.seed, options.time), (7, Some(3), Some(Duration::from_millis(1500))));
        assert_eq!(options.effort, Some(incrowd_algorithms::Effort::LOW));
        assert_eq!((options.others, options.publish), (Others::Remove, Publish::TwoTables));
        assert_eq!(options.declared.sensitive, ["illness"], "what is protected is sensitive");
        assert_eq!(options.hierarchies.keys().collect::<Vec<_>>(), ["age"], "only quasi-identifiers are generalized");
        assert_eq!(options.ledger.as_deref(), Some(Path::new("plans/ledger.json")));
        assert!(!options.report);
    }

    #[test]
    fn what_is_invalid_is_refused_even_if_no_file_was_read() {
        let refused = |change: &dyn Fn(&mut Plan)| {
            let mut plan = Plan::parse(PLAN).expect("a plan");
            change(&mut plan);
            plan.anonymize_options(Path::new("")).expect_err("refused").to_string()
        };
        assert!(refused(&|plan| plan.solve.time = Some(-1.0)).contains("time must be a number of seconds"));
        assert!(refused(&|plan| plan.solve.time = Some(f64::NAN)).contains("time must be a number of seconds"));
        let alpha = ShareWord::Number(1.5);
        let wrong = AlphaPlan { column: "wage".into(), alpha, values: vec![], rule: RuleWord::Exact };
        assert!(
            refused(&|plan| plan.policy.alpha.push(wrong.clone())).contains("alpha of “wage” must be a share above 0")
        );
        assert!(refused(&|plan| plan.policy.k = None).contains("missing k"));
        assert!(refused(&|plan| plan.policy.suppress = Some(f64::NAN)).contains("suppress must be a share"));
        assert!(refused(&|plan| plan.release.format = Some("docx".into())).contains("docx"));
    }
}
