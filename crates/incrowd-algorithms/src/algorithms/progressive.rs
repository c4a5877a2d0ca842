use super::AlgorithmEntry;
use crate::{Algorithm, Budget, Problem, Solution, Unsolved};

pub(super) const ENTRY: AlgorithmEntry =
    AlgorithmEntry { id: "progressive", summary: "", reference: "", loss: "distortion", new: || Box::new(Progressive) };

struct Progressive;

impl Algorithm for Progressive {
    fn solve(&self, _: &Problem<'_>, _: &Budget) -> Result<Solution, Unsolved> {
        unreachable!()
    }
}
