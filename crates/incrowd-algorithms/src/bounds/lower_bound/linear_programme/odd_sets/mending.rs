//! Any prices and multipliers, changed so that they are allowed.

use rayon::prelude::*;

use super::super::super::ROUNDING;
use super::programme::CutProgramme;

/// How often multipliers are lowered and prices raised one by one.
const TURNS: usize = 2;

/// Prices and multipliers that are allowed: multipliers that are not negative, and prices below the caps at which no
/// class loses less than the prices of its rows less the multipliers of its sets.
#[derive(Clone)]
pub(super) struct CutPrices {
    pub(super) prices: Vec<f64>,
    pub(super) multipliers: Vec<f64>,
}

impl CutProgramme<'_> {
    /// The same prices and multipliers, changed so that they are allowed.
    ///
    /// A class has its slack in equal parts for its rows, and each price moves by the least part that its classes have
    /// for it: then no class has less than nothing left. After that multipliers fall and prices rise one by one, each as
    /// far as the classes around it allow.
    pub(super) fn mended(&self, prices: &[f64], multipliers: &[f64]) -> CutPrices {
        let capped: Vec<f64> = prices.iter().zip(&self.caps).map(|(price, cap)| price.min(*cap)).collect();
        // No class needs more: its rows have at most three times the largest price. Slacks of larger numbers are not exact.
        let most = 3.0 * self.caps.iter().copied().fold(0.0, f64::max);
        let multipliers: Vec<f64> = multipliers.iter().map(|multiplier| multiplier.max(0.0).min(most)).collect();
        let part = |class: usize| self.slack(class, &capped, &multipliers) / self.classes[class].points().len() as f64;
        let parts: Vec<f64> = (0..self.classes.len()).into_par_iter().map(part).collect();
        let mended = |point: usize| {
            let parts = self.classes_of_point.get(point).iter().map(|&class| parts[class as usize]);
            (capped[point] + parts.fold(f64::INFINITY, f64::min)).min(self.caps[point])
        };
        let prices = (0..capped.len()).into_par_iter().map(mended).collect();
        let mut mended = CutPrices { prices, multipliers };
        for _ in 0..TURNS {
            self.lower_multipliers(&mut mended);
            self.raise_prices(&mut mended);
        }
        mended
    }

    /// Whether no class loses less than the prices of its rows less the multipliers of its sets, but for rounding.
    pub(super) fn allows(&self, CutPrices { prices, multipliers }: &CutPrices) -> bool {
        let least = -ROUNDING * self.caps.iter().copied().fold(1.0, f64::max);
        (0..self.classes.len()).into_par_iter().all(|class| self.slack(class, prices, multipliers) >= least)
    }

    fn lower_multipliers(&self, CutPrices { prices, multipliers }: &mut CutPrices) {
        for set in 0..self.sets.len() {
            let before = multipliers[set];
            let slacks =
                self.classes_of_set.get(set).iter().map(|&class| self.slack(class as usize, prices, multipliers));
            let least = slacks.fold(before, f64::min);
            if least > 0.0 {
                multipliers[set] = before - least;
            }
        }
    }

    fn raise_prices(&self, CutPrices { prices, multipliers }: &mut CutPrices) {
        for point in 0..prices.len() {
            let room = |&class: &u32| {
                let own =
                    self.classes[class as usize].points().iter().filter(|other| **other as usize == point).count();
                self.slack(class as usize, prices, multipliers) / own as f64
            };
            let rooms = self.classes_of_point.get(point).iter().map(room);
            let least = rooms.fold(self.caps[point] - prices[point], f64::min);
            if least > 0.0 {
                prices[point] += least;
            }
        }
    }
}
