//! The language of the house: plain types that every other crate of incrowd speaks.
//!
//! No IO, no async, no clock, no global state. A table is read by the engine into a [`FrequencyTable`]; a diagnosis,
//! a solver or an attack is a function of it.

mod akin;
mod bound_policy;
mod cell;
mod chunk;
mod class_sizes;
pub mod codes;
mod columns;
mod dictionary;
mod domain;
mod findings;
mod fold;
mod fraction;
mod grouping;
mod hierarchy;
mod kept;
mod layout;
mod loss;
mod losses;
mod measures;
mod measures_sum;
mod members;
mod model;
mod models;
mod outcome;
mod parameters;
mod partition;
mod policy;
mod positive;
mod profile;
mod quasi_identifier;
pub mod query;
mod ratio;
mod recoding;
mod role;
mod sensitive;
mod shard_tree;
mod spread;
mod table;
mod variety;
mod wide;
mod words;
mod work;

pub use akin::Akin;
pub use bound_policy::{BoundPolicy, Withheld};
pub use cell::Cell;
pub use chunk::{Cells, Chunk};
pub use class_sizes::{ClassSizes, Suppression};
pub use codes::{CODES, Code, Severity};
pub use columns::ColumnSet;
pub use dictionary::{Dictionary, Kind, MISSING_LABEL, Values, date_label};
pub use domain::{Domain, LeafCount};
pub use findings::{AttributeRisk, CurvePoint, Diagnosis, ExposedValue, Finding, NotSearched, SearchLimit, SetRisk};
pub use grouping::{Class, Grouping, add_up_equal};
pub use hierarchy::{Built, Coverage, Hierarchy, HierarchyError, Node, ROOT_LABEL, ReadOptions, Suggestion};
pub use kept::Kept;
pub use layout::{Field, Layout};
pub use loss::{Loss, Price, Prices, Weighted};
pub use losses::{Ambiguity, Distortion, Entropy, Il, LOSSES, Lm, LossEntry, TreeLevel, ambiguity_of};
pub use measures::{ColumnMeasures, Measures};
pub use measures_sum::MeasuresSum;
pub use members::Members;
pub use model::{BoundModel, BoundedShare, Infeasible, Model, TooMany};
pub use models::{
    AlphaDeassociation, Apart, BetaLikeness, DeltaDisclosure, DistinctLDiversity, EntropyLDiversity,
    ExtendedPSensitive, FrequencyLDiversity, KAnonymity, MODELS, ModelEntry, PSensitive, RecursiveCLDiversity,
    TCloseness,
};
pub use outcome::{Evidence, Figure, Outcome, wilson};
pub use parameters::{ModelError, Parameter, Parameters};
pub use partition::Partition;
pub use policy::{Policy, Rule};
pub use positive::{NotAboveZero, Positive};
pub use profile::ColumnProfile;
pub use quasi_identifier::QuasiIdentifier;
pub use ratio::{NotAShare, Ratio};
pub use recoding::Recoding;
pub use role::Role;
pub use shard_tree::ShardTree;
pub use table::{Attribute, FrequencyTable, NOBODY};
pub use variety::Variety;
pub use words::{counted, percent, size, thousands};
pub use work::{Cancel, Progress, Silent, Stage, Stopped, Watch};
