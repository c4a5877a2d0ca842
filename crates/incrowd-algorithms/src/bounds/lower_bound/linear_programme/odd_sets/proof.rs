//! What a search with cuts knows, for those that look for releases.

use super::super::PriceSearch;
use super::OddSetSearch;

/// Smaller shares are none.
const LEAST_SHARE: f64 = 0.05;

/// Prices of points, multipliers of odd sets, and which points are near to each other.
pub(crate) struct CutProof {
    /// The price of a row of each point.
    pub(crate) prices: Vec<f64>,
    /// The multiplier of each set, and how many classes can have two rows of it or more.
    pub(crate) multipliers: Vec<f64>,
    pub(crate) most: Vec<f64>,
    /// The sets that have the rows of each point.
    sets: Vec<Vec<u32>>,
    /// The points with which each point has a class that loses little more than the prices of its rows, with how much.
    pub(crate) near: Vec<Vec<(u32, f64)>>,
    /// Classes, by the points of their rows, with their shares in the linear programme; those with next to none are left out.
    pub(crate) shares: Vec<(Vec<u32>, f64)>,
}

impl CutProof {
    /// The sets that have the rows of a point.
    pub(crate) fn sets_of(&self, point: u32) -> &[u32] {
        &self.sets[point as usize]
    }
}

impl OddSetSearch<'_, '_> {
    fn proof(&self) -> CutProof {
        let best = &self.best.1;
        let points = self.programme.rows.len();
        let (mut sets, mut near) = (vec![Vec::new(); points], vec![Vec::new(); points]);
        // Sets that came later have no multiplier yet.
        for ((number, set), _) in (0..).zip(&self.programme.sets).zip(&best.multipliers) {
            set.points.iter().for_each(|&point| sets[point as usize].push(number));
        }
        for (at, class) in self.programme.classes.iter().enumerate() {
            if let [one, other] = *class.points()
                && one != other
            {
                let of_class = self.programme.sets_of_class.get(at).iter();
                let multiplier = |set: &u32| best.multipliers.get(*set as usize).copied().unwrap_or(0.0);
                let rows = best.prices[one as usize] + best.prices[other as usize];
                let slack = class.loss - rows + of_class.map(multiplier).sum::<f64>();
                near[one as usize].push((other, slack));
                near[other as usize].push((one, slack));
            }
        }
        let shares =
            self.programme.classes.iter().zip(&self.steps.at.shares).filter(|(_, share)| **share > LEAST_SHARE);
        let shares = shares.map(|(class, &share)| (class.points().to_vec(), share)).collect();
        let most = self.programme.sets.iter().map(|set| set.most).collect();
        let (prices, multipliers) = (best.prices.clone(), best.multipliers.clone());
        CutProof { prices, multipliers, most, sets, near, shares }
    }
}

impl PriceSearch<'_, '_> {
    /// Whether more effort may lead to a proof by cuts.
    pub(crate) fn awaits_cuts(&self) -> bool {
        let is_done = self.odd_sets.as_ref().is_some_and(OddSetSearch::is_calm);
        self.relaxation.k == 2 && !self.is_without_cuts && !is_done
    }

    /// What the cuts prove, once little more is gained by them.
    pub(crate) fn proof_by_cuts(&self) -> Option<CutProof> {
        self.odd_sets.as_ref().filter(|search| search.is_calm()).map(OddSetSearch::proof)
    }
}
