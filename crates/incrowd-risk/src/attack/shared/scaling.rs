//! Iterative proportional scaling: weights of who may have what become expected numbers of rows.
//!
//! W. E. Deming and F. F. Stephan, Annals of Mathematical Statistics 1940. Rows and columns of a matrix are scaled in
//! turn until both have the sums they must have. The result is the matrix of those sums that differs least (in relative
//! entropy) from the weights, so nothing is said beyond the weights and the sums.

/// How often both sides are scaled; sums that are all but zero against all others come close only slowly.
const STEPS: usize = 20;
/// Sums that are off by no more than this part are met.
const CLOSE: f64 = 1e-6;
/// Weights are at least this part of the largest, so that every sum can be met.
const LEAST: f64 = -46.0;

/// Turns logarithms of weights, row after row, into numbers with these sums of rows and of columns. Both add up to the
/// same.
pub(in crate::attack) fn scale(cells: &mut [f64], rows: &[f64], columns: &[f64]) {
    weigh(cells, columns.len());
    let mut sums = vec![0.0; columns.len()];
    for _ in 0..STEPS {
        for (cells, &wanted) in cells.chunks_exact_mut(columns.len()).zip(rows) {
            let by = wanted / cells.iter().sum::<f64>();
            cells.iter_mut().for_each(|cell| *cell *= by);
        }
        sums.fill(0.0);
        for cells in cells.chunks_exact(columns.len()) {
            sums.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
        }
        if sums.iter().zip(columns).all(|(sum, wanted)| (sum - wanted).abs() <= CLOSE * wanted) {
            return;
        }
        for cells in cells.chunks_exact_mut(columns.len()) {
            let factors = sums.iter().zip(columns);
            cells.iter_mut().zip(factors).for_each(|(cell, (sum, wanted))| *cell *= wanted / sum);
        }
    }
}

/// Logarithms become weights. A factor common to a row or to a column changes nothing about the result; they are chosen
/// so that the largest weight of each row and of each column is 1, and no sum is zero however small the weights were.
fn weigh(cells: &mut [f64], width: usize) {
    for cells in cells.chunks_exact_mut(width) {
        let most = cells.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        cells.iter_mut().for_each(|cell| *cell -= most);
    }
    for column in 0..width {
        let most = cells.iter().skip(column).step_by(width).copied().fold(f64::NEG_INFINITY, f64::max);
        cells.iter_mut().skip(column).step_by(width).for_each(|cell| *cell = (*cell - most).max(LEAST).exp());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sums_are_met_and_odds_are_kept() {
        let mut cells = [3.0f64, 1.0, 1.0, 1.0, 2.0, 1.0].map(f64::ln);
        scale(&mut cells, &[2.0, 4.0], &[1.0, 2.0, 3.0]);
        let sums = [cells[0] + cells[3], cells[1] + cells[4], cells[2] + cells[5]];
        assert!(sums.iter().zip([1.0, 2.0, 3.0]).all(|(sum, wanted)| (sum - wanted).abs() < 1e-5), "{sums:?}");
        assert!((cells[..3].iter().sum::<f64>() - 2.0).abs() < 1e-5);
        let odds = cells[0] * cells[4] / (cells[1] * cells[3]);
        assert!((odds - 6.0).abs() < 1e-9, "{odds}");
    }

    /// With one row and one value each, p² : (1 − p)² are the odds.
    #[test]
    fn a_pair_is_split_by_the_root_of_its_odds() {
        let mut cells = [9.0f64, 2.0, 1.0, 2.0].map(f64::ln);
        scale(&mut cells, &[1.0, 1.0], &[1.0, 1.0]);
        assert!(cells.iter().zip([0.75, 0.25, 0.25, 0.75]).all(|(cell, wanted)| (cell - wanted).abs() < 1e-5));
    }

    #[test]
    fn weights_too_small_for_a_number_still_meet_the_sums() {
        let mut cells = [0.0, -2000.0, -3000.0, -9000.0];
        scale(&mut cells, &[1.0, 1.0], &[1.0, 1.0]);
        assert!(cells.iter().all(|cell| cell.is_finite()));
        // −9000 − 0 is more than 5,000 below −2000 − 3000: the second row has the first value.
        assert!(cells[1] > 0.9 && cells[2] > 0.9, "{cells:?}");
    }
}
