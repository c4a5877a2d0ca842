//! The solvers, one file or folder each. Adding one = its file, its two lines here, and a case.

mod agglomerative;
mod anatomy;
mod auto;
mod cheapest_first;
#[cfg(test)]
mod deadline_tests;
mod forest;
mod hilbert;
mod incognito;
mod k_anon_cf;
mod k_anon_cf_printed;
mod k_member;
pub(crate) mod mondrian;
mod pk;
mod progressive;
mod sequential;
mod top_down;

pub use auto::starts as auto_starts;

use crate::{Algorithm, Budget, Effort, Problem, Solution, Unsolved, feasibility};

/// One solver, as the command line, the plan, the docs and the tests know it.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmEntry {
    /// The word that chooses it.
    pub id: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// The measure it looks at unless told otherwise: its source's.
    pub loss: &'static str,
    /// Whether an [`Effort`](crate::Effort) bounds its work. The others run to their end.
    pub counts_work: bool,
    /// The effort when none is asked for; nothing for those that then run to their end.
    pub effort: Option<Effort>,
    /// Makes it.
    pub new: fn() -> Box<dyn Algorithm>,
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
            Err(Unsolved::Infeasible(reasons)) => feasibility::search(problem, budget, reasons, self.is_full_domain()),
            solved => solved,
        }
    }

    /// Whether it publishes every value of a column on one level of its hierarchy.
    fn is_full_domain(&self) -> bool {
        self.id == incognito::ENTRY.id
    }

    /// The solver with this word.
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
    fn every_solver_is_found_by_its_word_and_described() {
        for entry in ALGORITHMS {
            assert_eq!(AlgorithmEntry::find(entry.id).map(|found| found.id), Some(entry.id));
            assert!(entry.summary.ends_with('.') && !entry.reference.is_empty(), "{}", entry.id);
            assert!(incrowd_core::LOSSES.iter().any(|loss| loss.id == entry.loss), "{}", entry.id);
        }
    }
}
