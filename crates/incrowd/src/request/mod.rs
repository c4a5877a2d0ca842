//! The request of a run, the same for every front end.
//!
//! [`Plan`] is the one description of a run. A file (`incrowd.toml`) holds one. A command line and a Python call name their
//! settings ([`partial_plan`]), which gives a plan that says nothing of the rest; [`Plan::overlay`] lays it over that of the
//! file; [`Plan::options`] makes typed options of the result and refuses what is invalid. Every setting that can be named is
//! declared once, as an [`OptionEntry`] beside the section of the plan that holds it.

mod anonymize_options;
mod call;
mod column;
mod confirm;
mod draft;
mod entry;
mod every_form;
mod invalid_numbers;
mod options;
mod overlay;
mod partial;
mod paths;
mod plan;
mod policy;
mod population;
mod proposed_treatment;
mod python_options;
mod read_text;
mod release;
mod rewrite;
mod rule;
mod run;
mod similar_columns;
mod solve;
mod source;
mod table;

pub use anonymize_options::{AnonymizeOptions, HierarchyChoice};
pub use call::CallPlan;
pub use column::{BUILDERS, BuildHierarchy, BuildPlan, BuilderEntry, ColumnPlan, HierarchyPlan, SpellingsWord};
pub use confirm::{Confirmed, Decision, confirm};
pub use draft::draft;
pub use entry::{OptionEntry, OptionPlace, OptionValue, options, release_options};
pub use options::Missing;
pub use partial::{NamedSettings, partial_plan};
pub(crate) use paths::is_elsewhere;
pub use paths::{folder_of, relative_to_plan};
pub use plan::{FILE_NAME, Plan};
pub use policy::{AllRows, AlphaPlan, KnownRowsWord, LimitPlan, PolicyPlan, RuleWord, ShareWord};
pub use population::{AttackerWord, EstimatorWord, PopulationOptions, PopulationPlan, RiskOptions};
pub use read_text::{read_class_size, read_delimiter, read_memory, read_pair, read_share, read_threads};
pub use release::{ContextPlan, Others, OutputDialect, Publish, ReleaseModelWord, ReleasePlan};
pub use rewrite::rewrite;
pub use rule::{RulePlan, akin};
pub use run::RunPlan;
pub use solve::{EffortLevel, EffortWord, SolvePlan, WeightsRule, WeightsWord};
pub use source::{SourcePlan, format_named};
pub use table::TablePlan;
