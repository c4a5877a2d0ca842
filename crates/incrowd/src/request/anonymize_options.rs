//! The typed options of `anonymize`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use incrowd_algorithms::{AlgorithmEntry, DiversityWeights, Effort};
use incrowd_core::{LossEntry, Policy, Treatment};
use incrowd_engine::{Format, ReadOptions};
use incrowd_report::dossier::Context;

use super::{HierarchyPlan, Others, OutputDialect, PopulationOptions, Publish, RiskOptions};
use crate::error::{Error, Result};
use crate::parameters;
use crate::roles::Declared;

/// What is promised, by which solver, and what is written.
#[derive(Clone, Debug)]
pub struct AnonymizeOptions {
    /// The roles of the columns.
    pub declared: Declared,
    /// What to do with columns without a role.
    pub others: Others,
    /// Columns to publish unchanged although they single out people.
    pub keep_identifying: Vec<String>,
    /// What is done to the cells of columns, by name.
    pub treatments: BTreeMap<String, Treatment>,
    /// What the release has to promise.
    pub policy: Policy,
    /// The population that models of the policy are about.
    pub population: Option<PopulationOptions>,
    /// The risk of an attacker with the population that the policy keeps, if one was asked for.
    pub risk: RiskOptions,
    /// How columns are generalized, by name; by their type when left out.
    pub hierarchies: BTreeMap<String, HierarchyChoice>,
    /// The solver's word.
    pub algorithm: String,
    /// The measure's word; that of the solver when left out.
    pub loss: Option<String>,
    /// How much work solvers that could go on may do, and the search for a lower bound; the normal effort when left
    /// out. It is counted in steps, so that the same table, plan and seed give the same classes (a subject excepted:
    /// the order in which people are seen follows from the key).
    pub effort: Option<Effort>,
    /// A time limit over all that can be stopped: the solver, the lower bound and the loss–k curve of the report. What
    /// it stops cannot be repeated exactly. No limit when left out.
    pub time: Option<Duration>,
    /// A solver that finds a lower bound on its way ends when its loss is at most this many times the bound; 1.05 when
    /// this, the effort and the time limit are left out.
    pub until: Option<f64>,
    /// The maximum number of tuples that are solved at once by solvers that work in shards; their own choice when left
    /// out.
    pub shard: Option<usize>,
    /// A table with more tuples is split into shards that are solved one after the other; as many as fit in memory when
    /// left out.
    pub at_once: Option<u64>,
    /// How solvers that measure diversity weigh the sensitive attributes.
    pub diversity_weights: DiversityWeights,
    /// Whether to look for a lower bound on the loss of any release, by half the effort of the solver.
    pub bound: bool,
    /// The seed of the solver; from the operating system when left out. The order of rows does not depend on it: its
    /// key is always drawn anew.
    pub seed: Option<u64>,
    /// The record of a release (its folder or file) that is to be repeated with its key and its seed. Refused unless
    /// the files have the recorded bytes.
    pub repeat: Option<PathBuf>,
    /// In one table, or in two.
    pub publish: Publish,
    /// The format of the release.
    pub format: Format,
    /// Whether the Parquet files of the release are a Delta table.
    pub delta: bool,
    /// How CSV is written.
    pub dialect: OutputDialect,
    /// In CSV, put an apostrophe before values that a spreadsheet would execute as formulas.
    pub escape_formulas: bool,
    /// Replace a release of the same name.
    pub force: bool,
    /// The custodian's ledger of releases, which warns when the same people are released again.
    pub ledger: Option<PathBuf>,
    /// The folder of the custodian's record, for a release that goes to a database or an object store; named after it
    /// when left out.
    pub record: Option<PathBuf>,
    /// Columns in which values that differ only in letter case, spaces or Unicode form are read as one.
    pub fold_spellings: Vec<String>,
    /// Columns in which such values are different ones.
    pub keep_spellings: Vec<String>,
    /// How the table was opened, for the record.
    pub reading: ReadOptions,
    /// Whether to write the report pages: one to publish, one for the custodian.
    pub report: bool,
    /// What the release is published for, in the custodian's words.
    pub context: Context,
    /// SHA-256 of the plan. Published, so it must not be of a text that holds a seed.
    pub plan_hash: Option<String>,
    /// The command that is shown for repeating the run. Published, so without the seed.
    pub command: Option<String>,
}

/// How one column is generalized.
#[derive(Clone, Debug)]
pub struct HierarchyChoice {
    /// A file, widths, or the word of a builder.
    pub plan: HierarchyPlan,
    /// The folder that file names are relative to.
    pub folder: PathBuf,
}

impl Default for AnonymizeOptions {
    fn default() -> Self {
        AnonymizeOptions {
            declared: Declared::default(),
            others: Others::default(),
            keep_identifying: Vec::new(),
            treatments: BTreeMap::new(),
            policy: Policy::k_anonymity(5),
            population: None,
            risk: RiskOptions::default(),
            hierarchies: BTreeMap::new(),
            algorithm: "auto".into(),
            loss: None,
            effort: None,
            time: None,
            until: None,
            shard: None,
            at_once: None,
            diversity_weights: DiversityWeights::default(),
            bound: true,
            seed: None,
            repeat: None,
            publish: Publish::OneTable,
            format: Format::Csv,
            delta: false,
            dialect: OutputDialect::default(),
            escape_formulas: false,
            force: false,
            ledger: None,
            record: None,
            fold_spellings: vec![],
            keep_spellings: vec![],
            reading: ReadOptions::default(),
            report: true,
            context: Context::default(),
            plan_hash: None,
            command: None,
        }
    }
}

impl AnonymizeOptions {
    /// Refuses what makes no sense, is repeated or contradicts itself.
    pub(crate) fn check(&self) -> Result<()> {
        parameters::policy(&self.policy)?;
        parameters::at_least_one("shard", self.shard.map(|tuples| u64::try_from(tuples).unwrap_or(u64::MAX)))?;
        parameters::at_least_one("at_once", self.at_once)?;
        match self.fold_spellings.iter().find(|column| self.keep_spellings.contains(column)) {
            Some(column) => {
                let what = format!("the spellings of “{column}” cannot be both one value and different values");
                Err(Error::Contradictory(what))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn entry(&self) -> Result<&'static AlgorithmEntry> {
        AlgorithmEntry::find(&self.algorithm).ok_or_else(|| Error::UnknownWord {
            what: "algorithm",
            word: self.algorithm.clone(),
            known: incrowd_algorithms::ALGORITHMS.iter().map(|entry| entry.id).collect(),
        })
    }

    pub(crate) fn loss(&self, algorithm: &AlgorithmEntry) -> Result<&'static LossEntry> {
        let word = self.loss.as_deref().unwrap_or(algorithm.loss);
        LossEntry::find(word).ok_or_else(|| Error::UnknownWord {
            what: "loss",
            word: word.into(),
            known: incrowd_core::LOSSES.iter().map(|entry| entry.id).collect(),
        })
    }
}
