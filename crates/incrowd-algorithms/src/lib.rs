//! Solvers: a frequency table, a policy and a measure of loss become a partition that keeps the policy.
//!
//! Every solver is pure, cancellable and parallel, and gives the same partition for the same seed whatever the number of
//! threads. Any algorithm with any policy either returns a [`Solution`] whose published classes all keep the policy, or
//! says *infeasible* and why. It never returns something that almost holds.
//!
//! The modules, each of which uses only those before it: `solver` (what solvers share), `mining` (closed frequent
//! records), `bounds` (what no release undercuts), `refine` (lowers the loss of any partition), `exact` (small tables),
//! `feasibility` (finds a partition or proves that there is none), `shard` (cuts long tables), `algorithms` (the solvers), `histories` (the solver for people
//! with several linked rows).
//!
//! The crate uses `incrowd-core` and no other crate of the workspace: no engine, no verifier, no attacks. So a
//! partition is a function of the table, the policy, the loss, the seed and the effort. The iteration order of hash
//! maps never reaches a result.
//!
//! **Deadlines.** A solver that is stopped by a time limit returns the best that it has found, as classes that keep the
//! policy, and says that it was cut short. Such a result depends on the machine and is reported as not repeatable.
//! `effort` bounds a search in a repeatable way instead. `clock` says how deadlines are tested.

// Counts and numbers are converted in `solver::numbers`.
#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod algorithms;
mod bounds;
mod exact;
mod feasibility;
mod histories;
pub mod items;
pub mod microaggregation;
mod mining;
mod refine;
mod shard;
mod solver;

pub use algorithms::{ALGORITHMS, AlgorithmEntry, InShards, SolverTraits, auto_starts};
pub use bounds::{AttributeBound, ClassBound, crossing_price, lower_bound, lower_bound_of_shard, max_clusters};
pub use histories::{HISTORIES, solve_linked};
pub use mining::{ClosedRecords, MiningLimits, Unmined};
pub use refine::refined;
pub use shard::shard_tree;
pub use solver::{
    Algorithm, Budget, DeadlineClock, DiversityWeights, Effort, LowerBound, Problem, Solution, Statistics, Unsolved,
    WEIGHT, WrongWeights, diversify,
};
