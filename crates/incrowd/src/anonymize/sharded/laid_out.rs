//! A table whose codes are laid out: on this machine, or by the executors of a cluster.

use incrowd_core::{FrequencyTable, QuasiIdentifier, ShardTree};
use incrowd_engine::{Engine, Outgrown, RowCodes, Shards};

use super::shards::{ShardPolicySolver, SolvedShards};
use crate::error::{Error, Result};

/// The codes of every row, and a sample of rows.
pub(super) trait LaidOut {
    /// What they are cut into.
    type Shards: ShardSizes;

    /// About how many distinct tuples there are.
    fn tuples(&self) -> u64;

    /// How many rows were drawn.
    fn drawn_rows(&self) -> u64;

    /// The rows that were drawn, as a table of these columns, which are given away.
    fn drawn(&self, engine: &Engine, columns: FrequencyTable) -> FrequencyTable;

    /// Brings every row to its shard.
    fn route(&self, engine: &Engine, tree: &ShardTree, quasi: &[QuasiIdentifier]) -> Result<Self::Shards>;

    /// The shards that cannot keep the policy independently, with the reasons.
    fn infeasible(
        &self,
        solver: &ShardPolicySolver<'_>,
        outgrown: &mut Outgrown,
        shards: &Self::Shards,
    ) -> Result<Vec<(usize, Error)>>;

    /// Solves, recodes and judges each shard.
    fn solve_each(
        &self,
        solver: &ShardPolicySolver<'_>,
        outgrown: &mut Outgrown,
        shards: Self::Shards,
    ) -> Result<SolvedShards>;
}

/// How large shards are.
pub(super) trait ShardSizes {
    /// How many there are.
    fn count(&self) -> usize;

    /// The rows of a shard.
    fn rows(&self, shard: usize) -> u64;

    /// About how many distinct tuples a shard has.
    fn tuples(&self, shard: usize) -> u64;
}

impl ShardSizes for Shards {
    fn count(&self) -> usize {
        Shards::count(self)
    }

    fn rows(&self, shard: usize) -> u64 {
        Shards::rows(self, shard)
    }

    fn tuples(&self, shard: usize) -> u64 {
        Shards::tuples(self, shard)
    }
}

impl LaidOut for RowCodes {
    type Shards = Shards;

    fn tuples(&self) -> u64 {
        RowCodes::tuples(self)
    }

    fn drawn_rows(&self) -> u64 {
        RowCodes::drawn_rows(self)
    }

    fn drawn(&self, engine: &Engine, columns: FrequencyTable) -> FrequencyTable {
        RowCodes::drawn(self, engine, columns)
    }

    fn route(&self, engine: &Engine, tree: &ShardTree, quasi: &[QuasiIdentifier]) -> Result<Shards> {
        Ok(RowCodes::route(self, engine, tree, quasi)?)
    }

    fn infeasible(
        &self,
        solver: &ShardPolicySolver<'_>,
        outgrown: &mut Outgrown,
        shards: &Shards,
    ) -> Result<Vec<(usize, Error)>> {
        let mut infeasible = Vec::new();
        for shard in (0..shards.count()).filter(|&shard| shards.rows(shard) > 0) {
            let table = shards.load(solver.run.engine, shard, outgrown.take_columns(), solver.most_loaded())?;
            let problem = solver.request().problem(&table, solver.quasi, 0)?;
            if let Err(reasons) = problem.policy.withhold(&table, problem.budget) {
                infeasible.push((shard, Error::Infeasible(reasons)));
            }
            drop(problem);
            outgrown.give_columns(table);
        }
        Ok(infeasible)
    }

    fn solve_each(
        &self,
        solver: &ShardPolicySolver<'_>,
        outgrown: &mut Outgrown,
        shards: Shards,
    ) -> Result<SolvedShards> {
        solver.solve_here(outgrown, shards)
    }
}
