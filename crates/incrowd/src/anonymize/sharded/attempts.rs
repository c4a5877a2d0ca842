//! Cutting a table into shards until each can keep the policy independently.

use incrowd_core::ShardTree;
use incrowd_engine::{EngineError, Outgrown};

use super::laid_out::{LaidOut, ShardSizes};
use super::shards::{ShardPolicySolver, SolvedShards};
use super::{too_large, without_suppression};
use crate::error::{Error, Result};

/// Shards are meant to have this share of the tuples they may have, in percent: the sample of rows is not exact.
const MEANT: u64 = 80;

impl ShardPolicySolver<'_> {
    /// Cuts the table into shards and solves each. Where one cannot keep the policy independently, the table is cut
    /// smaller, and such shards are put together with neighbours.
    ///
    /// # Errors
    /// No shards keep the policy, or all that do are too large. If it allows suppression, which shards cannot use, the error
    /// says how much memory the whole table needs.
    pub(super) fn solve<C: LaidOut>(&self, outgrown: &mut Outgrown, codes: &C) -> Result<SolvedShards> {
        self.attempt(outgrown, codes).map_err(|error| match (error, without_suppression(self.run)) {
            (Error::Infeasible(_) | Error::Engine(EngineError::TooManyTuples { .. }), Some(model)) => {
                let what =
                    format!("a policy with {model}, for which no shards were found that meet it without suppression,");
                too_large(self.run, what, codes.tuples(), outgrown)
            }
            (error, _) => error,
        })
    }

    fn attempt<C: LaidOut>(&self, outgrown: &mut Outgrown, codes: &C) -> Result<SolvedShards> {
        let (_, shards) = self.cut(outgrown, codes, MEANT)?;
        match codes.solve_each(self, outgrown, shards) {
            Err(Error::Infeasible(_)) => {}
            solved => return solved,
        }
        let (mut tree, mut shards) = self.cut(outgrown, codes, MEANT / 2)?;
        loop {
            let infeasible = codes.infeasible(self, outgrown, &shards)?;
            if infeasible.is_empty() {
                return codes.solve_each(self, outgrown, shards);
            }
            tree = put_together(tree, &shards, infeasible)?;
            shards = codes.route(self.run.engine, &tree, self.quasi)?;
        }
    }
}

/// The tree with shards that cannot keep the policy independently put together with neighbours. The error is the
/// reasons of a shard that has none.
fn put_together(mut tree: ShardTree, shards: &impl ShardSizes, infeasible: Vec<(usize, Error)>) -> Result<ShardTree> {
    // From the last to the first, so that the numbers of those that are left stay what they were.
    let mut taken_in = None;
    for (shard, reasons) in infeasible.into_iter().rev() {
        if taken_in == Some(shard) {
            continue;
        }
        let (before, size) = (tree.shards(), |shard: u32| shards.rows(shard as usize));
        tree = u32::try_from(shard).ok().and_then(|shard| tree.mended(shard, size)).ok_or(reasons)?;
        taken_in = shard.checked_sub(1);
        if tree.shards() + 1 < before {
            break;
        }
    }
    Ok(tree)
}
