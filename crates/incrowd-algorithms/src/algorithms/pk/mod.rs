//! What the two solvers for p-sensitive k-anonymity share: rows that wait, groups that grow by them, and the end.
//!
//! Both are of Truta, Campan and Meyer, "Generating microdata with p-sensitive k-anonymity property", SDM 2007, and
//! choose rows by two criteria (their *BestMatch*): the row that brings a group most diversity (Def. 11), and of those
//! the one by which the group loses least more. With y values of an attribute that a group needs p of, a new value
//! counts p − y, so that the attribute that lacks most comes first. The attributes weigh alike, as in the paper's
//! experiments, unless the problem says otherwise ([`DiversityWeights`](crate::DiversityWeights)). A group that lacks
//! nothing has homogeneity 0 (Def. 12).
//!
//! The paper compares every row with every group. Here rows wait as tuples with counts, sorted so that most of them are
//! passed over ([`SortedTuples`](crate::solver::nearest::Sorted)); how diverse a row is depends on its sensitive values
//! alone, so it is asked once for each combination of them.

pub(super) mod enhanced_pk;
pub(super) mod greedy_pk;
mod group;
mod pool;
mod tell_apart;

use incrowd_core::Stopped;

pub(crate) use group::{RowGroup, VarietyValues};
pub(crate) use pool::RowPool;
pub(crate) use tell_apart::tell_apart;

use crate::solver::clusters::{NumberedCells, RowCluster};
use crate::solver::kinds::Kinds;
use crate::solver::leftovers::place_in_clusters;
use crate::{Budget, Problem};

/// What growing takes.
pub(crate) struct GroupWork<'a, 't> {
    pub(crate) problem: &'a Problem<'t>,
    pub(crate) budget: &'a Budget,
    pub(crate) kinds: &'a Kinds,
    pub(crate) things: VarietyValues<'a>,
    pub(crate) cells: NumberedCells<'a, 't>,
}

impl GroupWork<'_, '_> {
    /// Moves a row from a pool to a group. With a subject column all rows of the tuple go: they are of one person.
    pub(crate) fn take(&mut self, pool: &mut RowPool, at: usize, group: &mut RowGroup) {
        let rows = if self.problem.table.counts_people() { pool.rows_at(at) } else { 1 };
        let tuple = pool.take(&self.things, at, rows);
        group.add(self, (tuple, rows));
    }

    /// Gives each of these groups, which have no rows, one row of the pool: rows that lie far apart in the order of the
    /// sort, so that the groups do not begin side by side.
    pub(crate) fn seed(&mut self, pool: &mut RowPool, groups: &mut [RowGroup]) {
        for (at, group) in pool.spread(groups.len()).into_iter().zip(groups) {
            // A person's rows all went with the first of them.
            if pool.rows_at(at) > 0 {
                self.take(pool, at, group);
            }
        }
    }

    /// Adds the best matches to a group until it lacks no value; whether it does. When it does not, no row of the pool
    /// has a value that it lacks, or the time is over.
    pub(crate) fn vary(&mut self, pool: &mut RowPool, group: &mut RowGroup) -> Result<bool, Stopped> {
        while group.lacks(&self.things) > 0 {
            self.budget.check()?;
            if self.budget.is_over() {
                return Ok(false);
            }
            match pool.best(self, group) {
                Some(found) if found.diversity > 0 => self.take(pool, found.at, group),
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Adds the nearest rows to a group until it has k; whether it has.
    pub(crate) fn fill(&mut self, pool: &mut RowPool, group: &mut RowGroup) -> Result<bool, Stopped> {
        let mut towards = None;
        while group.size(self.problem) < self.problem.k {
            self.budget.check()?;
            if self.budget.is_over() {
                return Ok(false);
            }
            if towards.is_none() && group.cluster.rows > 0 {
                towards = Some(self.cells.towards(&group.cluster.cells));
            }
            let Some(at) = pool.nearest(towards.as_ref()) else { return Ok(false) };
            let published = group.cluster.cells.clone();
            self.take(pool, at, group);
            towards = towards.filter(|_| published == group.cluster.cells);
        }
        Ok(true)
    }

    /// Finished groups as classes: the rows that are left join the nearest ones, and classes that would publish alike
    /// are told apart.
    pub(crate) fn finish(
        &mut self,
        groups: Vec<RowGroup>,
        left: Vec<(usize, u64)>,
    ) -> Result<Vec<RowCluster>, Stopped> {
        let mut clusters: Vec<RowCluster> = groups.into_iter().map(|group| group.cluster).collect();
        place_in_clusters(self.problem, self.budget, self.kinds, &mut self.cells, &mut clusters, left)?;
        tell_apart(self.problem, self.budget, self.kinds, &mut self.cells, &mut clusters)?;
        Ok(clusters)
    }
}
