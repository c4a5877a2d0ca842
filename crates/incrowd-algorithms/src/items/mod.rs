//! Sets of items: which items are generalized so that any few of them that occur together do so in at least k rows.
//!
//! The rule, k^m-anonymity, and the idea to look at single items first, then at pairs, and so on, are those of Terrovitis,
//! Mamoulis and Kalnis (Privacy-preserving Anonymization of Set-valued Data, 2008, algorithm AA): an item of a rare
//! combination is raised to its parent in the hierarchy, with everything below the parent. Beyond the paper, a single
//! item may be hidden: published as the root, while others are still shown. Both only ever merge labels, which makes no
//! combination rarer, so sizes that were done stay done. At the end, labels are lowered and hidden items shown again where
//! the rule still holds, because a later step can make an earlier one needless.
//!
//! Finding the least loss is NP-hard; this is a heuristic, and no bound on its loss is claimed.

mod combinations;
mod search;

#[cfg(test)]
mod exhaustive;

pub use combinations::{combination_count, rare_combinations};
pub use search::ItemCut;
