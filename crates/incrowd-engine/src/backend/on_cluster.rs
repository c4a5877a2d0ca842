//! The executors of a cluster as the place where rows are counted and written.

use std::path::Path;

use incrowd_core::{ColumnProfile, Stage};

use super::{Backend, Decided, ThisProcess};
use crate::cluster;
use crate::count::answer::Answer;
use crate::count::codebook::Codebook;
use crate::count::groups::ExecutorGroups;
use crate::count::question::Question;
use crate::publish::recipe::{Applied, Recipe};
use crate::runtime::cluster_fault::ClusterFault;
use crate::runtime::cluster_session::Cluster;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::table::Source;

/// The executors of a cluster.
pub(super) struct OnCluster<'a> {
    pub(super) engine: &'a Engine,
    pub(super) cluster: &'a Cluster,
}

impl OnCluster<'_> {
    fn here(&self) -> ThisProcess<'_> {
        ThisProcess { engine: self.engine }
    }

    fn write_groups(
        &self,
        source: &Source,
        (codebook, groups): (&Codebook, &ExecutorGroups),
        recipe: &Recipe<'_>,
        folder: &Path,
    ) -> Result<Applied> {
        if let Some(space) = self.engine.task_space(folder)? {
            let counted = cluster::CountedByTasks::new(codebook, groups);
            let sizes = cluster::TaskSizes::of_at_least(self.cluster.task_rows);
            if let Some(applied) = cluster::apply_by_tasks((&space, sizes), source, counted, recipe, folder)? {
                return Ok(applied);
            }
        }
        if !groups.has_hashes() {
            // Tasks counted, and can no longer be run.
            return Err(EngineError::Cluster { doing: Stage::Recode.name(), fault: ClusterFault::NoAnswer });
        }
        if self.cluster.folder.is_some() {
            return Err(EngineError::NotOnCluster { what: "exchanging files in an object store by plain plans" });
        }
        let names = codebook.names().cloned().collect();
        cluster::apply(self.cluster, self.engine, source, (names, groups), recipe, folder)
    }
}

impl Backend for OnCluster<'_> {
    fn count(
        &self,
        source: &Source,
        question: &Question,
        profiled: Option<&[String]>,
    ) -> Result<(Answer, Vec<ColumnProfile>)> {
        if !question.other_quasi_identifiers.is_empty() {
            let most = question.quasi_identifiers.len() + question.sensitive.len();
            return Err(EngineError::TooManyColumns { columns: most + 1, most });
        }
        cluster::read_once(self.cluster, self.engine, source, question, profiled)
    }

    fn profile(&self, source: &Source, columns: &[String]) -> Result<Vec<ColumnProfile>> {
        cluster::profile_columns(self.cluster, self.engine, source, columns)
    }

    fn write(&self, source: &Source, decided: &Decided<'_>, folder: &Path) -> Result<Applied> {
        match decided {
            Decided::ByTuple(codebook, recipe) => match codebook.groups() {
                Some(groups) => self.write_groups(source, (codebook, groups), recipe, folder),
                // What was counted here is written here.
                None => self.here().write(source, decided, folder),
            },
            Decided::ByRow(..) => self.here().write(source, decided, folder),
        }
    }
}
