//! A contingency table of all combinations of values, and its fit by iterative proportional fitting.
//!
//! W. E. Deming and F. F. Stephan, "On a least squares adjustment of a sampled frequency table when the expected
//! marginal totals are known", Annals of Mathematical Statistics 1940: the expected counts are scaled to the observed
//! margins of one term of the model after the other, until they have them all. The limit has the largest likelihood.

use incrowd_core::{Stopped, Watch};

/// The counts of all combinations of values.
pub(super) struct Cells {
    /// How many values each column has.
    levels: Vec<usize>,
    /// How far apart neighbouring values of each column are.
    strides: Vec<usize>,
    pub(super) counts: Vec<u32>,
}

/// A term of a model: one column, or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Column(usize),
    /// The first comes before the second.
    Pair(usize, usize),
}

/// How a fit ended.
pub(super) enum Fit {
    Converged,
    NotConverged,
}

impl Cells {
    /// Empty cells for columns with these numbers of values; none if there are more than `most`. Fits are fastest if the
    /// last column has most values.
    pub(super) fn new(levels: Vec<usize>, most: usize) -> Option<Cells> {
        let mut strides = vec![1; levels.len()];
        let mut cells = 1usize;
        for column in (0..levels.len()).rev() {
            strides[column] = cells;
            cells = cells.checked_mul(levels[column]).filter(|&cells| cells <= most)?;
        }
        Some(Cells { levels, strides, counts: vec![0; cells] })
    }

    /// The cell of a combination of values.
    pub(super) fn at(&self, codes: impl Iterator<Item = usize>) -> usize {
        codes.zip(&self.strides).map(|(code, stride)| code * stride).sum()
    }

    pub(super) fn columns(&self) -> usize {
        self.levels.len()
    }

    /// The margin of a term.
    pub(super) fn margin<T: Copy + Into<f64>>(&self, term: Term, of: &[T]) -> Vec<f64> {
        let width = self.width();
        let mut margin = vec![0.0; self.size(term)];
        for (block, cells) in of.chunks_exact(width).enumerate() {
            let at = self.place(term, block);
            match self.is_along(term) {
                true => margin[at..at + width].iter_mut().zip(cells).for_each(|(sum, &count)| *sum += count.into()),
                false => margin[at] += cells.iter().map(|&count| count.into()).sum::<f64>(),
            }
        }
        margin
    }

    /// Multiplies each cell by the factor of its entry of a margin.
    fn scale(&self, term: Term, factors: &[f64], cells: &mut [f64]) {
        let width = self.width();
        for (block, cells) in cells.chunks_exact_mut(width).enumerate() {
            let at = self.place(term, block);
            match self.is_along(term) {
                true => cells.iter_mut().zip(&factors[at..at + width]).for_each(|(cell, factor)| *cell *= factor),
                false => cells.iter_mut().for_each(|cell| *cell *= factors[at]),
            }
        }
    }

    /// How many values the last column has: cells are visited in blocks of this many, which differ in it only.
    fn width(&self) -> usize {
        self.levels.last().copied().unwrap_or(1)
    }

    /// Whether the entries of a margin differ within a block.
    fn is_along(&self, term: Term) -> bool {
        let last = self.levels.len().wrapping_sub(1);
        matches!(term, Term::Column(column) | Term::Pair(_, column) if column == last)
    }

    /// Where the entry of a block, or the first of them, is in the margin of a term.
    fn place(&self, term: Term, block: usize) -> usize {
        let first = block * self.width();
        let code = |column: usize| first / self.strides[column] % self.levels[column];
        match term {
            Term::Column(a) => code(a),
            Term::Pair(a, b) => code(a) * self.levels[b] + code(b),
        }
    }

    fn size(&self, term: Term) -> usize {
        match term {
            Term::Column(a) => self.levels[a],
            Term::Pair(a, b) => self.levels[a] * self.levels[b],
        }
    }

    /// Scales expected counts until they have the observed margins of all terms.
    pub(super) fn fit(&self, terms: &[Term], expected: &mut [f64], watch: &Watch) -> Result<Fit, Stopped> {
        /// The most rounds, and the largest difference of a margin, in rows, that ends them.
        const ROUNDS: usize = 60;
        const CLOSE: f64 = 0.02;
        let observed: Vec<Vec<f64>> = terms.iter().map(|&term| self.margin(term, &self.counts)).collect();
        for _ in 0..ROUNDS {
            let mut largest = 0.0f64;
            for (&term, observed) in terms.iter().zip(&observed) {
                if watch.cancel.is_cancelled() {
                    return Err(Stopped);
                }
                let mut factors = self.margin(term, expected);
                for (factor, &observed) in factors.iter_mut().zip(observed) {
                    largest = largest.max((*factor - observed).abs());
                    *factor = if *factor > 0.0 { observed / *factor } else { 0.0 };
                }
                self.scale(term, &factors, expected);
            }
            if largest <= CLOSE {
                return Ok(Fit::Converged);
            }
        }
        Ok(Fit::NotConverged)
    }
}
