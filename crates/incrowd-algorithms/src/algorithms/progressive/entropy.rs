//! How evenly rows are spread over the values of an attribute.

/// The entropy, in bits, of the shares that these numbers of rows have of their sum.
pub(super) fn entropy(rows: impl Iterator<Item = u64>) -> f64 {
    // Σ p·log p with p = r/n is (Σ r·log r)/n − log n: one pass, and the sum needs not be known before.
    let (mut total, mut weighted) = (0.0, 0.0);
    for rows in rows.filter(|&rows| rows > 0) {
        let rows = rows as f64;
        (total, weighted) = (total + rows, weighted + rows * rows.log2());
    }
    if total > 0.0 { total.log2() - weighted / total } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The three distributions of section 4.1: ten even values, two even values, four fifths and one fifth.
    #[test]
    fn the_entropies_of_the_paper_are_met() {
        let ten = entropy([3; 10].into_iter());
        assert!((ten - std::f64::consts::LOG2_10).abs() < 1e-12);
        assert!((entropy([7, 7].into_iter()) - 1.0).abs() < 1e-12);
        assert!((entropy([80, 20].into_iter()) - 0.721_928_094_887_362_3).abs() < 1e-12);
    }

    #[test]
    fn one_value_has_no_entropy() {
        assert_eq!(entropy([0, 8, 0].into_iter()), 0.0);
        assert_eq!(entropy(std::iter::empty()), 0.0);
    }
}
