//! Solvers: a frequency table, a policy and a measure of loss become a partition that keeps the policy.
//!
//! Every solver is pure, cancellable and parallel, and gives the same partition for the same seed whatever the number of
//! threads. Any algorithm with any policy either returns a [`Solution`] whose published classes all keep the policy, or
//! says *infeasible* and why. It never returns something that almost holds.

mod algorithm;
mod algorithms;
mod bound;
mod class_bound;
mod clock;
mod closed_records;
mod clusters;
#[cfg(test)]
mod deadline_tests;
mod donors;
mod draw;
mod effort;
mod exact;
mod feasible;
mod haste;
mod kinds;
mod l_diversify;
mod leftover;
mod leftovers;
mod nearest;
mod pk;
mod price;
mod problem;
mod refine;
mod settle;
mod shard;
mod start;
mod steps;
mod weights;

pub use algorithm::{Algorithm, Budget, Solution, Statistics, Unsolved};
pub use algorithms::{ALGORITHMS, AlgorithmEntry, auto_starts};
pub use bound::{LowerBound, lower_bound};
pub use class_bound::{AttributeBound, ClassBound, max_clusters};
pub use clock::Clock;
pub use closed_records::{ClosedRecords, Limits, Unmined};
pub use effort::Effort;
pub use l_diversify::{WEIGHT, diversify};
pub use problem::Problem;
pub use refine::refined;
pub use shard::shard_tree;
pub use weights::{DiversityWeights, WrongWeights};
