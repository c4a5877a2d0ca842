//! The plain types that all crates of incrowd share: tables, generalized values, policies, losses and findings.
//!
//! No IO, no async, no clock, no global state. A table is read by the engine into a [`FrequencyTable`]; a diagnosis,
//! a solver or an attack is a function of it.
//!
//! | folder | what it holds |
//! | --- | --- |
//! | `table` | the frequency table, its columns and codes, classes, and how they are grouped |
//! | `generalize` | cells, domains, hierarchies, partitions and recodings |
//! | `policy` | privacy models with their parameters, and the policy they form |
//! | `loss` | information loss of cells, and measures of a recoding |
//! | `findings` | findings with stable codes, diagnoses, and outcomes of attacks |
//! | `query` | counting queries on original and published cells |
//! | `numbers` | exact ratios, and numbers as text |
//! | `watch` | cancellation and progress of long work |

mod findings;
mod generalize;
mod loss;
mod numbers;
mod policy;
pub mod query;
mod table;
mod watch;

pub use findings::{
    AttributeRisk, CODES, Code, CurvePoint, Diagnosis, Evidence, ExposedValue, Figure, Finding, NotSearched, Outcome,
    SearchLimit, SetRisk, Severity, codes, wilson,
};
pub use generalize::{
    Built, Cell, Coverage, Domain, Hierarchy, HierarchyError, HierarchyReadOptions, LeafCount, Node, Partition,
    QuasiIdentifier, ROOT_LABEL, Recoding, Suggestion,
};
pub use loss::{
    Ambiguity, ColumnMeasures, Distortion, Entropy, Il, LOSSES, Lm, Loss, LossEntry, Measures, MeasuresSum, Price,
    Prices, TreeLevel, Weighted, ambiguity_of,
};
pub use numbers::{NotAShare, NotAboveZero, Positive, Ratio, counted, percent, size, thousands};
pub use policy::{
    AlphaDeassociation, BetaLikeness, BoundModel, BoundPolicy, BoundedShare, DeltaDisclosure, DistinctLDiversity,
    EntropyLDiversity, ExcessRows, ExtendedPSensitive, FrequencyLDiversity, HoldsFor, Infeasible, KAnonymity, MODELS,
    Model, ModelEntry, ModelError, PSensitive, Parameter, ParameterEntry, ParameterKind, Parameters, Policy,
    RecursiveCLDiversity, Rule, Survives, TCloseness, TightestEntry, TightestParameters, TightestValue, TooMany,
    ValueDistance, ValueRelations, Variety, Withheld,
};
pub use table::{
    Attribute, Chunk, ChunkColumn, Class, ClassSizes, ColumnProfile, ColumnSet, Dictionary, Field, FrequencyTable,
    Grouping, Kind, Layout, MISSING_LABEL, Members, NOBODY, Role, ShardTree, Suppression, TupleRows, Values,
    add_up_equal, date_label,
};
pub use watch::{Cancel, Progress, Silent, Stage, Stopped, Watch};

// The names by which the other crates know these types.
pub use policy::{TightestParameters as Kept, ValueRelations as Akin};
pub use table::ChunkColumn as Cells;
