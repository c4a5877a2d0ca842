//! What no release can undercut: a lower bound on the information loss, and an upper bound on the number of classes.

mod class_bound;
mod lower_bound;

pub use class_bound::{AttributeBound, ClassBound, max_clusters};
pub(crate) use lower_bound::{
    CandidateRecord, CutProof, Dive, DiveStyle, OpenRecord, PriceSearch, ROUNDING, Relaxation, stored_records,
};
pub use lower_bound::{crossing_price, lower_bound, lower_bound_of_shard};
