//! How a request is solved.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::Duration;

use incrowd_algorithms::{DiversityWeights, Effort};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{OptionEntry, OptionPlace, OptionValue};
use super::{AnonymizeOptions, HierarchyPlan, Plan};

/// Settings of the solver. Every key has a default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SolvePlan {
    /// Solver; see `incrowd list algorithms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Information loss measure to minimize; see `incrowd list losses`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<String>,
    /// Work limit of `auto` and of the lower bound: `low`, `normal`, `high`, or a multiple of `normal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<EffortWord>,
    /// Time limit in seconds for the solver, the lower bound and the report. A release that it stopped cannot be
    /// repeated exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub time: Option<f64>,
    /// `auto` ends when its loss is at most this many times the lower bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0))]
    pub until: Option<f64>,
    /// Maximum number of tuples that `auto` solves at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<NonZeroUsize>,
    /// Weights of the sensitive columns for `enhanced-pk` and `greedy-pk`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diversity_weights: Option<WeightsWord>,
    /// Seed of the solver: the same table, plan and seed give the same classes, unless a subject is named or a time
    /// limit stops the search. The order of the rows does not depend on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

const SOLVING: OptionEntry = OptionEntry { heading: "Solving", ..OptionEntry::EMPTY };

/// The options about solving.
pub(super) const OPTIONS: &[OptionEntry] = &[
    OptionEntry {
        name: "hierarchies",
        flag: Some("hierarchy"),
        place: OptionPlace::ByColumn("hierarchy"),
        value: OptionValue::Hierarchies,
        value_name: "COLUMN=FILE",
        help: "Hierarchy of a column, such as age=age.csv: a file, or one of intervals, dates, prefix, flat, sets and \
        free-intervals",
        default: Some("by its type"),
        example: "age=intervals sex=sex.csv",
        ..SOLVING
    },
    OptionEntry {
        name: "ragged",
        flag: Some("ragged"),
        python: false,
        place: OptionPlace::Changes(allow_ragged_files),
        value: OptionValue::Switch,
        help: "Allow lines with different numbers of levels in --hierarchy files (unbalanced trees)",
        requires: Some("hierarchy"),
        ..SOLVING
    },
    OptionEntry {
        name: "algorithm",
        flag: Some("algorithm"),
        place: OptionPlace::Plan("solve.algorithm"),
        value_name: "WORD",
        help: "Solver; see `incrowd list algorithms`",
        default: Some("auto"),
        example: "mondrian",
        ..SOLVING
    },
    OptionEntry {
        name: "loss",
        flag: Some("loss"),
        place: OptionPlace::Plan("solve.loss"),
        value_name: "WORD",
        help: "Information loss measure to minimize; see `incrowd list losses`",
        default: Some("that of the solver"),
        example: "entropy",
        ..SOLVING
    },
    OptionEntry {
        name: "effort",
        flag: Some("effort"),
        place: OptionPlace::Plan("solve.effort"),
        value: OptionValue::Effort,
        value_name: "EFFORT",
        help: "Work limit for --algorithm auto and for the lower bound: low, normal, high, or a multiple of normal \
        such as 2. Counted in steps, so the result does not depend on the machine",
        default: Some("normal"),
        example: "low",
        ..SOLVING
    },
    OptionEntry {
        name: "time",
        flag: Some("time"),
        place: OptionPlace::Plan("solve.time"),
        value: OptionValue::Duration,
        value_name: "TIME",
        help: "Time limit for the solver, the lower bound and the report, such as 60s or 5m. If the limit is reached, \
        the release cannot be repeated exactly",
        default: Some("none"),
        example: "1.5s",
        ..SOLVING
    },
    OptionEntry {
        name: "until",
        flag: Some("until"),
        place: OptionPlace::Plan("solve.until"),
        value: OptionValue::Ratio,
        value_name: "RATIO",
        help: "End --algorithm auto when its loss is at most this many times the lower bound, such as 1.05",
        default: Some("1.05 without --effort and --time, otherwise none"),
        example: "1.1",
        ..SOLVING
    },
    OptionEntry {
        name: "bound",
        flag: Some("no-bound"),
        place: OptionPlace::Call("bound"),
        value: OptionValue::SwitchOff,
        help: "Do not compute a lower bound on the loss; computing it can add 50% to the work",
        ..SOLVING
    },
    OptionEntry {
        name: "shard",
        flag: Some("shard"),
        place: OptionPlace::Plan("solve.shard"),
        value: OptionValue::Whole,
        value_name: "TUPLES",
        help: "Maximum shard size in distinct tuples for --algorithm auto; smaller shards need less memory and time \
        but give a slightly higher loss",
        default: Some("131,072"),
        example: "1000",
        ..SOLVING
    },
    OptionEntry {
        name: "at_once",
        flag: Some("at-once"),
        python: false,
        place: OptionPlace::Call("at_once"),
        value: OptionValue::Whole,
        value_name: "TUPLES",
        help: "Maximum number of distinct tuples to hold in memory; a larger table is split into parts that are solved \
        one after the other",
        default: Some("as many as fit in --memory"),
        example: "5000",
        ..SOLVING
    },
    OptionEntry {
        name: "diversity_weights",
        flag: Some("diversity-weights"),
        place: OptionPlace::Plan("solve.diversity_weights"),
        value: OptionValue::Weights,
        value_name: "WEIGHTS",
        help: "Weights of sensitive columns for the algorithms enhanced-pk and greedy-pk: equal, inverse (1 / number \
        of values), or numbers such as occupation=0.7,race=0.3",
        default: Some("equal"),
        example: "illness=0.7,wage=0.3",
        ..SOLVING
    },
    OptionEntry {
        name: "seed",
        flag: Some("seed"),
        place: OptionPlace::Plan("solve.seed"),
        value: OptionValue::Seed,
        value_name: "N",
        help: "Seed of the solver: the same table, plan and seed give the same classes, unless --subject is given or \
        --time stops the solver. The seed does not determine the order of the rows",
        default: Some("random"),
        example: "7",
        ..SOLVING
    },
    OptionEntry {
        name: "repeat",
        flag: Some("repeat"),
        place: OptionPlace::Call("repeat"),
        value: OptionValue::Path,
        value_name: "RECORD",
        help: "Repeat a release with the key and seed of its internal record (NAME.internal). Fails unless the new \
        data files are byte-identical to those of the first release",
        conflicts: Some("seed"),
        example: "before.internal",
        ..SOLVING
    },
];

/// The files of hierarchies that are named in the same call may have lines of different length.
fn allow_ragged_files(plan: &mut Plan) {
    for hierarchy in plan.columns.iter_mut().filter_map(|column| column.hierarchy.as_mut()) {
        if let HierarchyPlan::File(file) = hierarchy {
            *hierarchy = HierarchyPlan::RaggedFile(std::mem::take(file));
        }
    }
}

/// Work limit of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EffortWord {
    /// A named effort level.
    Level(EffortLevel),
    /// A multiple of `normal`.
    Times(#[schemars(range(min = 0.0, max = 1e6))] f64),
}

/// Named effort levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffortLevel {
    /// A twentieth of `normal`.
    Low,
    /// The default.
    Normal,
    /// Ten times `normal`.
    High,
}

impl EffortWord {
    /// The effort it stands for; nothing when it is not above 0 and at most a million.
    pub fn effort(self) -> Option<Effort> {
        match self {
            EffortWord::Level(EffortLevel::Low) => Some(Effort::LOW),
            EffortWord::Level(EffortLevel::Normal) => Some(Effort::NORMAL),
            EffortWord::Level(EffortLevel::High) => Some(Effort::HIGH),
            EffortWord::Times(times) => Effort::of(times),
        }
    }
}

/// Weights of the sensitive columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WeightsWord {
    /// By a rule.
    Rule(WeightsRule),
    /// One weight per column, each above 0; only the ratios count.
    Columns(BTreeMap<String, f64>),
}

/// A rule for the weights of sensitive columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WeightsRule {
    /// Equal weights.
    Equal,
    /// Inversely proportional to the number of distinct values of each column.
    Inverse,
}

impl WeightsWord {
    /// The weights it stands for.
    pub fn weights(&self) -> DiversityWeights {
        match self {
            WeightsWord::Rule(WeightsRule::Equal) => DiversityWeights::Equal,
            WeightsWord::Rule(WeightsRule::Inverse) => DiversityWeights::Inverse,
            WeightsWord::Columns(columns) => {
                DiversityWeights::Named(columns.iter().map(|(name, &weight)| (name.clone(), weight)).collect())
            }
        }
    }

    /// What is invalid.
    pub fn fault(&self) -> Option<String> {
        let WeightsWord::Columns(columns) = self else { return None };
        let (column, _) = columns.iter().find(|(_, weight)| !(weight.is_finite() && **weight > 0.0))?;
        Some(format!("the weight of “{column}” must be a number above 0"))
    }
}

impl SolvePlan {
    pub(super) fn is_empty(&self) -> bool {
        *self == SolvePlan::default()
    }

    pub(super) fn overlay(self, said: SolvePlan) -> SolvePlan {
        SolvePlan {
            algorithm: said.algorithm.or(self.algorithm),
            loss: said.loss.or(self.loss),
            effort: said.effort.or(self.effort),
            time: said.time.or(self.time),
            until: said.until.or(self.until),
            shard: said.shard.or(self.shard),
            diversity_weights: said.diversity_weights.or(self.diversity_weights),
            seed: said.seed.or(self.seed),
        }
    }

    /// Sets the options it stands for. [`SolvePlan::fault`] has been asked.
    pub(super) fn fill(self, options: &mut AnonymizeOptions) {
        if let Some(algorithm) = self.algorithm {
            options.algorithm = algorithm;
        }
        options.loss = self.loss;
        options.effort = self.effort.and_then(EffortWord::effort);
        options.time = self.time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        options.until = self.until;
        options.shard = self.shard.map(NonZeroUsize::get);
        options.diversity_weights = self.diversity_weights.as_ref().map(WeightsWord::weights).unwrap_or_default();
        options.seed = self.seed;
    }

    /// What is invalid.
    pub(super) fn fault(&self) -> Option<String> {
        if self.effort.is_some_and(|word| word.effort().is_none()) {
            return Some("effort is low, normal, high, or a number above 0 and at most 1,000,000".into());
        }
        if self.time.is_some_and(|seconds| Duration::try_from_secs_f64(seconds).is_err()) {
            return Some("time must be a number of seconds of at least 0".into());
        }
        if self.until.is_some_and(|ratio| !(ratio.is_finite() && ratio >= 1.0)) {
            return Some("until must be a number of at least 1".into());
        }
        self.diversity_weights.as_ref().and_then(WeightsWord::fault)
    }
}
