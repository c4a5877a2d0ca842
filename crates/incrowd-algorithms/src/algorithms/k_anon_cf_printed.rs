//! k-ANON-CF with the ratio of the paper: d(S) / min(|new|, 2k − 1).
//!
//! B. Kenig and T. Tassa, A practical approximation algorithm for optimal k-anonymity, DMKD 2012.
//!
//! The guarantee of the paper is proven for this ratio: at most 2·(1 + ln 2k) times the least loss of any k-anonymous
//! table, where every domain has levels, k-anonymity is the whole policy, and the table is one shard. The ratio
//! minimizes the sum of d over the sets of the cover and not over their rows, and so likes sets of 2k − 1 rows; in
//! practice `k-anon-cf` loses less.

use super::k_anon_cf::{KAnonCf, Pricing};
use super::{AlgorithmEntry, SolverTraits};

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "k-anon-cf-printed",
    summary: "Covers the rows with closed frequent generalized records, by the ratio printed in the paper.",
    reference: "Kenig and Tassa, A practical approximation algorithm for optimal k-anonymity, DMKD 2012",
    loss: "lm",
    counts_work: true,
    effort: None,
    traits: SolverTraits { uses_shards: true, ..SolverTraits::LOCAL },
    new: || Box::new(KAnonCf(Pricing::Printed)),
};
