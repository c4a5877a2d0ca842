//! The solvers, one file or folder each.
//!
//! A new solver is a file with an `ENTRY`, its module and its entry in [`ALGORITHMS`] here, and its page in
//! `docs/concepts/algorithms`. Commands, plans, tests and laws take it from the list.

mod agglomerative;
mod anatomy;
mod auto;
mod cheapest_first;
#[cfg(test)]
mod deadline_tests;
mod dive;
mod forest;
mod hilbert;
mod incognito;
mod k_anon_cf;
mod k_anon_cf_printed;
mod k_member;
mod mondrian;
mod pk;
mod progressive;
mod sequential;
mod top_down;

pub use auto::starts as auto_starts;

use crate::{Algorithm, Budget, Effort, Problem, Solution, Unsolved, feasibility};

/// One solver, as the command line, the plan, the docs and the tests know it.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmEntry {
    /// The name that selects it.
    pub id: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// The measure it minimizes unless another is given: that of its source.
    pub loss: &'static str,
    /// Whether an [`Effort`](crate::Effort) bounds its work. The others run to their end.
    pub counts_work: bool,
    /// The effort when none is asked for; nothing for those that then run to their end.
    pub effort: Option<Effort>,
    /// What callers need to know of it.
    pub traits: SolverTraits,
    /// Makes it.
    pub new: fn() -> Box<dyn Algorithm>,
}

/// What callers need to know of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverTraits {
    /// Whether it publishes every value of a column on one level of its hierarchy.
    pub full_domain: bool,
    /// By which solver the shards of a table that does not fit in memory are solved, each independently.
    pub in_shards: InShards,
    /// Whether it cuts long tables into shards itself, of [`Budget::shard`] tuples or fewer.
    pub uses_shards: bool,
    /// Whether it looks at [`DiversityWeights`](crate::DiversityWeights).
    pub weighs_diversity: bool,
}

impl SolverTraits {
    /// Those of most solvers: each class publishes the join of its members, and parts of a table can be solved
    /// independently.
    pub(crate) const LOCAL: SolverTraits =
        SolverTraits { full_domain: false, in_shards: InShards::ByItself, uses_shards: false, weighs_diversity: false };
}

/// By which solver the shards of a table are solved when another was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InShards {
    /// By the one that was asked for.
    ByItself,
    /// By the one with this id.
    By(&'static str),
    /// By none: it has to see the whole table.
    Never,
}

/// Every solver, in the order in which they are shown.
pub static ALGORITHMS: &[AlgorithmEntry] = &[
    auto::ENTRY,
    top_down::ENTRY,
    progressive::ENTRY,
    incognito::ENTRY,
    cheapest_first::ENTRY,
    k_anon_cf::ENTRY,
    k_anon_cf_printed::ENTRY,
    mondrian::ENTRY,
    hilbert::ENTRY,
    k_member::ENTRY,
    forest::ENTRY,
    agglomerative::ENTRY,
    sequential::ENTRY,
    pk::enhanced_pk::ENTRY,
    pk::greedy_pk::ENTRY,
    anatomy::ENTRY,
];

impl AlgorithmEntry {
    /// A partition whose published classes keep the policy. Solvers begin with the table as one class; where that class
    /// does not keep the policy but smaller ones may, a partition is searched for in another way, except for
    /// full-domain recodings.
    pub fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        match (self.new)().solve(problem, budget) {
            Err(Unsolved::Infeasible(reasons)) => {
                feasibility::search(problem, budget, reasons, self.traits.full_domain)
            }
            solved => solved,
        }
    }

    /// The solver to use for shards that are solved independently; none when this one has to see the whole table.
    pub fn for_shards(&self) -> Option<&'static AlgorithmEntry> {
        match self.traits.in_shards {
            InShards::ByItself => AlgorithmEntry::find(self.id),
            InShards::By(other) => AlgorithmEntry::find(other),
            InShards::Never => None,
        }
    }

    /// The solver with this id.
    pub fn find(id: &str) -> Option<&'static AlgorithmEntry> {
        ALGORITHMS.iter().find(|entry| entry.id == id)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    /// The texts of all files of a folder and of the folders in it.
    fn files(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a folder of the solvers");
        let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
        let text = |path: PathBuf| match path.is_dir() {
            true => files(&path),
            false => vec![std::fs::read_to_string(path).expect("a source file")],
        };
        paths.flat_map(text).collect()
    }

    #[test]
    fn every_solver_of_this_folder_is_in_the_list() {
        let texts = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/algorithms"));
        let is_entry = |text: &&String| text.contains("const ENTRY: AlgorithmEntry = AlgorithmEntry {\n    id: \"");
        let id =
            |text: &String| text.split("\n    id: \"").nth(1).and_then(|id| id.split('"').next()).map(str::to_owned);
        let mut found: Vec<String> = texts.iter().filter(is_entry).filter_map(id).collect();
        found.sort();
        let mut ids: Vec<&str> = ALGORITHMS.iter().map(|entry| entry.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, found);
    }

    #[test]
    fn every_solver_has_a_page() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/concepts/algorithms");
        for entry in ALGORITHMS {
            assert!(pages.join(format!("{}.md", entry.id)).is_file(), "{}", entry.id);
        }
    }

    #[test]
    fn every_solver_is_found_by_its_id_and_described() {
        for entry in ALGORITHMS {
            assert_eq!(AlgorithmEntry::find(entry.id).map(|found| found.id), Some(entry.id));
            assert!(entry.summary.ends_with('.') && !entry.reference.is_empty(), "{}", entry.id);
            let refuses_shards = entry.traits.in_shards == InShards::Never;
            assert_eq!(entry.for_shards().is_none(), refuses_shards, "{}", entry.id);
            assert!(incrowd_core::LOSSES.iter().any(|loss| loss.id == entry.loss), "{}", entry.id);
        }
    }
}
