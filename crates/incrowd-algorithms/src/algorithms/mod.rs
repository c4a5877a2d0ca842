//! The solvers, one file or folder each. Adding one = its file, its two lines here, and a case.

mod agglomerative;
mod anatomy;
mod auto;
mod cheapest_first;
mod enhanced_pk;
mod forest;
mod greedy_pk;
mod hilbert;
mod incognito;
mod k_anon_cf;
mod k_anon_cf_printed;
mod k_member;
pub(crate) mod mondrian;
mod progressive;
mod sequential;
mod top_down;

pub use auto::starts as auto_starts;

use crate::{Algorithm, Budget, Effort, Problem, Solution, Unsolved, feasible};

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
    enhanced_pk::ENTRY,
    greedy_pk::ENTRY,
    anatomy::ENTRY,
];

impl AlgorithmEntry {
    /// A partition whose published classes keep the policy. Solvers begin with the table as one class; where that class
    /// does not keep the policy but smaller ones may, a partition is searched for in another way, except for
    /// full-domain recodings.
    pub fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        match (self.new)().solve(problem, budget) {
            Err(Unsolved::Infeasible(reasons)) => feasible::search(problem, budget, reasons, self.is_full_domain()),
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
    use super::*;

    #[test]
    fn every_file_of_this_folder_is_in_the_list() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/algorithms");
        let files = std::fs::read_dir(folder).expect("the folder of the solvers");
        let names = files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
        let mut files: Vec<String> =
            names.filter(|name| name != "mod.rs").map(|name| name.trim_end_matches(".rs").replace('_', "-")).collect();
        files.sort();
        let mut ids: Vec<&str> = ALGORITHMS.iter().map(|entry| entry.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, files);
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
