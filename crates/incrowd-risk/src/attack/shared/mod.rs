//! What attacks have in common: what they are given, and what they count with.

mod children;
mod draw;
mod material;
mod placement;
mod published;
mod ranks;
mod risks;
mod scaling;
mod threshold;
mod truth;
mod two_tables;
mod words;

pub use material::{AttackMaterial, AttackNeed, AttackNotRun, KnownColumns, OriginalAtHand, OtherRelease};
pub use placement::Placement;
pub use published::{Published, PublishedClass};
pub use risks::USUAL_THRESHOLD;
pub use threshold::{Evaluation, Exceeded, Threshold};
pub use truth::{ColumnNodes, GeneralizedColumn, RowOrders, Truth};
pub use two_tables::{Sampling, TwoTables};

pub(super) use children::{named, spread};
pub(super) use draw::shuffled;
pub(super) use ranks::spearman;
pub(super) use risks::Risks;
pub(super) use scaling::scale;
pub(super) use two_tables::TwoTableClass;
pub(super) use words::{at_most_times, part, whole};
