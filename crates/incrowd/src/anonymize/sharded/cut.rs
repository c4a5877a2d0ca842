//! Cutting a table into shards that fit in memory and keep the policy independently.

use incrowd_algorithms::shard_tree;
use incrowd_core::ShardTree;
use incrowd_engine::{EngineError, Outgrown, RowCodes};

use super::laid_out::{LaidOut, ShardSizes};
use super::shards::ShardPolicySolver;
use crate::error::{Error, Result};

/// How often smaller shards are tried.
const TRIES: u32 = 6;

impl ShardPolicySolver<'_> {
    /// Shards that fit, as far as the table can be cut: of about `meant` percent of the tuples that they may have at
    /// first, and of fewer as long as one has too many.
    pub(super) fn cut<C: LaidOut>(
        &self,
        outgrown: &mut Outgrown,
        codes: &C,
        meant: u64,
    ) -> Result<(ShardTree, C::Shards)> {
        let engine = self.run.engine;
        let mut meant = percent(self.most, meant);
        let drawn = codes.drawn(engine, outgrown.take_columns());
        let mut cut = None;
        for _ in 0..TRIES {
            let problem = self.request().problem(&drawn, self.quasi, self.run.randomness.solver_seed())?;
            // As many of the drawn rows as stand for the tuples a shard may have.
            let rows = u128::from(codes.drawn_rows()) * u128::from(meant) / u128::from(codes.tuples().max(1));
            let tree = shard_tree(&problem, u64::try_from(rows).unwrap_or(u64::MAX).max(1));
            if tree.shards() > RowCodes::MOST_SHARDS {
                break;
            }
            let shards = codes.route(engine, &tree, self.quasi)?;
            let fits = (0..shards.count()).all(|shard| shards.tuples(shard) <= self.most);
            cut = Some((tree, shards));
            if fits {
                break;
            }
            meant = percent(meant, 66);
        }
        outgrown.give_columns(drawn);
        cut.ok_or_else(|| self.too_many(codes.tuples()))
    }

    /// The most tuples that a shard may turn out to have: a sketch errs by a few percent.
    pub(super) fn most_loaded(&self) -> u64 {
        self.most + self.most / 10
    }

    fn too_many(&self, tuples: u64) -> Error {
        let needed = tuples * self.run.question.at_once.beside;
        EngineError::TooManyTuples { tuples, needed, limit: self.run.engine.memory().unwrap_or(u64::MAX) }.into()
    }
}

fn percent(of: u64, percent: u64) -> u64 {
    u64::try_from(u128::from(of) * u128::from(percent) / 100).unwrap_or(u64::MAX).max(1)
}
