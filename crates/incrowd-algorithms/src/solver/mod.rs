//! What all solvers share.
//!
//! - What a solver is given and gives back: [`problem`], [`algorithm`] (budget, solution, statistics), [`effort`],
//!   [`clock`], [`diversity_weights`].
//! - The first and the last step of local solvers: [`local`], [`start`], [`settle`], with [`published`], [`repair`],
//!   [`quick_merge`] and [`leftovers`].
//! - Parts that several solvers are built from: [`median_cuts`], [`clusters`], [`nearest`], [`donors`].
//! - The table as numbers: [`levels`] (hierarchies), [`kinds`] (sensitive values), [`price`] (cells and losses),
//!   [`random`], [`numbers`].

pub(crate) mod algorithm;
pub(crate) mod clock;
pub(crate) mod clusters;
pub(crate) mod diversity_weights;
pub(crate) mod donors;
pub(crate) mod effort;
pub(crate) mod kinds;
pub(crate) mod leftovers;
pub(crate) mod levels;
pub(crate) mod local;
pub(crate) mod median_cuts;
pub(crate) mod nearest;
pub(crate) mod numbers;
pub(crate) mod price;
pub(crate) mod problem;
pub(crate) mod published;
pub(crate) mod quick_merge;
pub(crate) mod random;
pub(crate) mod repair;
pub(crate) mod settle;
pub(crate) mod start;
#[cfg(test)]
pub(crate) mod test_tables;

/// The members of a class: tuples, each with the number of its rows that are in the class.
pub(crate) type ClassMembers = Vec<(usize, u64)>;

/// Rows of one point: tuples that need not be distinguished.
pub(crate) type PointRows = (u32, u64);

pub use algorithm::{Algorithm, Budget, LowerBound, Solution, Statistics, Unsolved};
pub use clock::DeadlineClock;
pub use diversity_weights::{DiversityWeights, WrongWeights};
pub use effort::Effort;
pub use problem::Problem;
pub use repair::{WEIGHT, diversify};
