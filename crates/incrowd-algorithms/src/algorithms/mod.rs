//! The solvers, one file or folder each. Adding one = its file, its two lines here, and a case.

mod incognito;
mod progressive;
mod top_down;

use crate::Algorithm;

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
    /// Makes it.
    pub new: fn() -> Box<dyn Algorithm>,
}

/// Every solver, in the order in which they are shown.
pub static ALGORITHMS: &[AlgorithmEntry] = &[incognito::ENTRY, progressive::ENTRY, top_down::ENTRY];

impl AlgorithmEntry {
    /// The solver with this word.
    pub fn find(id: &str) -> Option<&'static AlgorithmEntry> {
        ALGORITHMS.iter().find(|entry| entry.id == id)
    }
}
