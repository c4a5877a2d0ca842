//! How often values of two columns go together: counted in the original, estimated from a release.

/// Rows with each pair of values. Fractions where a release leaves open which value a row had.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    columns: usize,
    counts: Vec<f64>,
}

impl Joint {
    /// Nothing counted yet, for these numbers of values of the two columns.
    pub fn new(rows: usize, columns: usize) -> Self {
        Joint { columns, counts: vec![0.0; rows * columns] }
    }

    /// This many more rows with this pair of values.
    pub fn add(&mut self, row: usize, column: usize, rows: f64) {
        self.counts[row * self.columns + column] += rows;
    }

    /// The rows with this pair of values.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.counts[row * self.columns + column]
    }

    /// The rows with each value of the first column.
    pub fn of_rows(&self) -> Vec<f64> {
        self.lines().map(|line| line.iter().sum()).collect()
    }

    /// The rows with each value of the second column.
    pub fn of_columns(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.columns];
        self.lines().for_each(|line| sums.iter_mut().zip(line).for_each(|(sum, rows)| *sum += rows));
        sums
    }

    fn lines(&self) -> impl Iterator<Item = &[f64]> {
        self.counts.chunks_exact(self.columns.max(1))
    }

    /// Cramér's V (1946): 0 when one column says nothing about the other, 1 when it says everything.
    ///
    /// ```
    /// let mut joint = incrowd::compare::Joint::new(2, 2);
    /// joint.add(0, 0, 5.0);
    /// joint.add(1, 1, 5.0);
    /// assert_eq!(joint.cramers_v(), 1.0);
    /// (0..2).for_each(|at| joint.add(at, 1 - at, 5.0));
    /// assert_eq!(joint.cramers_v(), 0.0);
    /// ```
    pub fn cramers_v(&self) -> f64 {
        let (of_rows, of_columns) = (self.of_rows(), self.of_columns());
        let total: f64 = of_rows.iter().sum();
        let met = |sums: &[f64]| sums.iter().filter(|&&sum| sum > 0.0).count();
        let least = met(&of_rows).min(met(&of_columns));
        if least < 2 || total <= 0.0 {
            return 0.0;
        }
        // χ²/n = Σ observed² / (row · column) − 1, over the pairs that are met.
        let mut sum = 0.0;
        for (line, of_row) in self.lines().zip(&of_rows).filter(|(_, of_row)| **of_row > 0.0) {
            let pairs = line.iter().zip(&of_columns).filter(|(rows, _)| **rows > 0.0);
            sum += pairs.map(|(rows, of_column)| rows * rows / (of_row * of_column)).sum::<f64>();
        }
        ((sum - 1.0).max(0.0) / (least - 1) as f64).sqrt().min(1.0)
    }
}

/// How far two distributions are apart: half the sum of differences of shares, 0 when they are alike, 1 when they have
/// nothing in common.
pub fn total_variation(before: &[f64], after: &[f64]) -> f64 {
    let (of_before, of_after): (f64, f64) = (before.iter().sum(), after.iter().sum());
    let share = |rows: f64, of: f64| if of > 0.0 { rows / of } else { 0.0 };
    let differences = before.iter().zip(after).map(|(b, a)| (share(*b, of_before) - share(*a, of_after)).abs());
    differences.sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cramers_v_is_that_of_a_worked_example() {
        // χ² by its definition, Σ (observed − expected)² / expected; for two values V = √(χ²/n).
        let mut joint = Joint::new(2, 2);
        for (row, column, rows) in [(0, 0, 7.0), (0, 1, 3.0), (1, 0, 2.0), (1, 1, 8.0)] {
            joint.add(row, column, rows);
        }
        let expected = |row: f64, column: f64| row * column / 20.0;
        let chi = [(7.0, 9.0), (3.0, 11.0), (2.0, 9.0), (8.0, 11.0)];
        let chi: f64 = chi.iter().map(|&(rows, of)| (rows - expected(10.0, of)).powi(2) / expected(10.0, of)).sum();
        assert!((joint.cramers_v() - (chi / 20.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn distributions_are_compared_by_shares() {
        assert_eq!(total_variation(&[1.0, 1.0], &[10.0, 10.0]), 0.0);
        assert_eq!(total_variation(&[1.0, 0.0], &[0.0, 3.0]), 1.0);
        assert_eq!(total_variation(&[3.0, 1.0], &[1.0, 1.0]), 0.25);
    }
}
