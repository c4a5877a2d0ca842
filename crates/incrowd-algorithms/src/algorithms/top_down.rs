use super::AlgorithmEntry;
use crate::{Algorithm, Budget, Problem, Solution, Unsolved};

pub(super) const ENTRY: AlgorithmEntry =
    AlgorithmEntry { id: "top-down", summary: "", reference: "", loss: "distortion", new: || Box::new(TopDown) };

struct TopDown;

impl Algorithm for TopDown {
    fn solve(&self, _: &Problem<'_>, _: &Budget) -> Result<Solution, Unsolved> {
        unreachable!()
    }
}
