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
//! | `population` | a population that is given as a table, and how many of its people match published cells |
//! | `loss` | information loss of cells, and measures of a recoding |
//! | `findings` | findings with stable codes, diagnoses, and outcomes of attacks |
//! | `query` | counting queries on original and published cells |
//! | `numbers` | exact ratios, and numbers as text |
//! | `watch` | cancellation and progress of long work |
//!
//! Each stage of a run takes and returns types of this crate, so that a stage can be tested with a literal.
//!
//! # Words
//!
//! One word stands for one idea, in code, on the command line and in the documentation.
//!
//! | word | idea | not |
//! | --- | --- | --- |
//! | *table* | what is read | dataset |
//! | *row*, *column*, *cell* | as in a spreadsheet; a generalized cell is a [`Cell`] | record, field |
//! | *tuple* | a distinct combination of values, with its count | |
//! | *class* | the rows (or people) that agree on some columns | group, bucket, cluster |
//! | *role* | what an adversary can do with a column: identifier, subject, quasi-identifier, sensitive, insensitive | |
//! | *hierarchy* | the tree over a column's values that says what a value may be generalized to | taxonomy |
//! | *loss* | the information that generalization takes from the reader | cost, penalty |
//! | *model* | a privacy model, such as k-anonymity | criterion |
//! | *policy* | the models that must all hold, with the share of rows that may be withheld | |
//! | *finding* | one fact that a custodian should know, with a stable code | issue, alert |
//! | *partition* | how many rows of each tuple go to which class | |
//! | *recoding* | what each class publishes | |
//! | *release* | what is published: the data with its manifest | output |
//! | *record* | what the custodian keeps of a release | |
//! | *solve*, *recode*, *apply*, *verify* | the stages of a run | |
//!
//! # Lists and enums
//!
//! A set that grows (models, losses, algorithms, attacks) is a trait with a list: [`MODELS`], [`LOSSES`] and their like
//! in other crates are ordered slices of entries with an id, a summary of one sentence, a reference and a constructor.
//! `incrowd list`, the plan and the tests of laws read the lists. A set that does not grow (roles, severities, exit
//! status) is an enum that is matched exhaustively. No macro builds a list, because rustfmt does not format the inside
//! of a macro.

mod findings;
mod generalize;
mod loss;
mod numbers;
mod policy;
mod population;
pub mod query;
mod table;
mod treatment;
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
pub use numbers::{NotAShare, NotAboveZero, Positive, Ratio, counted, number_with_comma, percent, size, thousands};
pub use policy::{
    AlikePeople, AlphaDeassociation, BetaLikeness, BoundModel, BoundPolicy, BoundedShare, DeltaDisclosure,
    DeltaPresence, DistinctLDiversity, EntropyLDiversity, ExcessRows, ExtendedPSensitive, FrequencyLDiversity,
    HoldsFor, Infeasible, KAnonymity, KMap, KnownRows, MODELS, Model, ModelEntry, ModelError, NoKnownRows, OrderLimit,
    PSensitive, Parameter, ParameterEntry, ParameterKind, Parameters, PersonRows, Policy, RecursiveCLDiversity, Rule,
    ShareLimits, Survives, TCloseness, TightestEntry, TightestParameters, TightestValue, TooMany, ValueDistance,
    ValueRelations, Variety, Withheld,
};
pub use population::GivenPopulation;
pub use table::{
    Attribute, Chunk, ChunkColumn, Class, ClassSizes, ColumnProfile, ColumnSet, Dictionary, Field, FrequencyTable,
    Grouping, Kind, Layout, MISSING_LABEL, Members, NOBODY, Role, ShardTree, Suppression, TupleRows, Values,
    WholeCounts, add_up_equal, date_label,
};
pub use treatment::{
    Decimal, ItemLabels, ItemTreatment, MeanGroups, NoiseKind, NoiseTreatment, NumberTreatment, RandomWords,
    TREATMENTS, Treatment, TreatmentEntry, UnknownTreatment, ValueGroups, date_of_text, distinct_numbers, drawn_below,
    masked, moved_text,
};
pub use watch::{Cancel, Progress, Silent, Stage, Stopped, Watch};
