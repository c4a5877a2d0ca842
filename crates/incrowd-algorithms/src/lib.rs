//! Solvers: a frequency table, a policy and a measure of loss become a partition that keeps the policy.
//!
//! Every solver is pure, cancellable and parallel, and gives the same partition for the same seed whatever the number of
//! threads. Any algorithm with any policy either returns a [`Solution`] whose published classes all keep the policy, or
//! says *infeasible* and why. It never returns something that almost holds.
//!
//! The modules, each of which uses only those before it: `solver` (what solvers share), `mining` (closed frequent
//! records), `bounds` (what no release undercuts), `refine` (lowers the loss of any partition), `exact` (small tables),
//! `feasibility` (finds a partition or proves that there is none), `shard` (cuts long tables), `algorithms` (the solvers).

// Counts and numbers are converted in `solver::numbers`.
#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod algorithms;
mod bounds;
mod exact;
mod feasibility;
mod mining;
mod refine;
mod shard;
mod solver;

pub use algorithms::{ALGORITHMS, AlgorithmEntry, InShards, SolverTraits, auto_starts};
pub use bounds::{AttributeBound, ClassBound, LowerBound, lower_bound, max_clusters};
pub use mining::{ClosedRecords, MiningLimits, Unmined};
pub use refine::refined;
pub use shard::shard_tree;
pub use solver::{
    Algorithm, Budget, DeadlineClock, DiversityWeights, Effort, Problem, Solution, Statistics, Unsolved, WEIGHT,
    WrongWeights, diversify,
};
