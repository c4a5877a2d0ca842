//! A loss is a table of prices: what each generalized value of each attribute loses.
//!
//! A measure is a recipe. It is compiled once for the attributes of a table and then only asked for prices, so that
//! algorithms know nothing about it. Prices are monotone: a cell is never cheaper than a cell it contains.
//!
//! A measure that is not monotone as published (entropy) or is not a sum over cells (ambiguity) says in its file what
//! is priced instead. Measures that algorithms do not minimize, such as precision, discernibility and the average class
//! size, are computed on the finished partition (`measures.rs`).

mod losses;
mod measures;
mod measures_sum;

pub use losses::{Ambiguity, Distortion, Entropy, Il, LOSSES, Lm, LossEntry, TreeLevel, ambiguity_of};
pub use measures::{ColumnMeasures, Measures};
pub use measures_sum::MeasuresSum;

use crate::{Cell, Domain, FrequencyTable};

/// The domain of an attribute together with the rows of each of its leaves.
#[derive(Clone, Debug)]
pub struct Weighted<'a> {
    domain: &'a Domain,
    rows: Vec<u64>,
}

impl<'a> Weighted<'a> {
    /// A domain with the rows of each leaf.
    ///
    /// # Panics
    /// If there is not one number per leaf.
    pub fn new(domain: &'a Domain, rows: Vec<u64>) -> Self {
        assert_eq!(rows.len(), domain.leaf_count() as usize, "rows of each leaf");
        Weighted { domain, rows }
    }

    /// A column of a table; `leaves` gives the leaf of each of its codes, as [`Domain::bind`] does.
    pub fn of(table: &FrequencyTable, column: usize, domain: &'a Domain, leaves: &[u32]) -> Self {
        let mut rows = vec![0; domain.leaf_count() as usize];
        for (tuple, code) in table.codes(column).enumerate() {
            rows[leaves[code as usize] as usize] += table.count(tuple);
        }
        Weighted { domain, rows }
    }

    /// The domain.
    pub fn domain(&self) -> &'a Domain {
        self.domain
    }

    /// The rows of each leaf.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }
}

/// The prices of one attribute's cells.
pub trait Price: Send + Sync {
    /// What a cell loses: 0 for a leaf that says all it can, never less than any cell inside it.
    fn price(&self, cell: Cell) -> f64;

    /// What full-domain generalization to a level loses, for measures of levels instead of cells.
    fn at_level(&self, _: usize) -> Option<f64> {
        None
    }
}

impl<F: Fn(Cell) -> f64 + Send + Sync> Price for F {
    fn price(&self, cell: Cell) -> f64 {
        self(cell)
    }
}

/// A measure of what generalization loses, cell by cell.
pub trait Loss: Send + Sync {
    /// The prices of one attribute's cells.
    fn compile(&self, attribute: &Weighted<'_>) -> Box<dyn Price>;
}

/// A measure compiled for the attributes of a table.
///
/// ```
/// use incrowd_core::{Domain, Lm, Prices, Weighted};
/// let sexes = Domain::set(["f", "m", "x"])?;
/// let prices = Prices::compile(&Lm, &[Weighted::new(&sexes, vec![5, 4, 1])]);
/// assert_eq!(prices.price(0, sexes.leaf(0)), 0.0);
/// assert_eq!(prices.price(0, sexes.join(sexes.leaf(0), sexes.leaf(1))), 0.5);
/// assert_eq!(prices.price(0, sexes.top()), 1.0);
/// # Ok::<(), incrowd_core::HierarchyError>(())
/// ```
pub struct Prices {
    attributes: Vec<Box<dyn Price>>,
}

impl Prices {
    /// The prices of a measure for these attributes.
    pub fn compile(loss: &dyn Loss, attributes: &[Weighted<'_>]) -> Self {
        Prices { attributes: attributes.iter().map(|attribute| loss.compile(attribute)).collect() }
    }

    /// How many attributes are priced.
    pub fn attributes(&self) -> usize {
        self.attributes.len()
    }

    /// What a cell of an attribute loses.
    #[inline]
    pub fn price(&self, attribute: usize, cell: Cell) -> f64 {
        self.attributes[attribute].price(cell)
    }

    /// What full-domain generalization of an attribute to a level loses, for measures of levels instead of cells.
    pub fn at_level(&self, attribute: usize, level: usize) -> Option<f64> {
        self.attributes[attribute].at_level(level)
    }

    /// What one row loses: the sum over its cells, one for each attribute in order.
    pub fn row(&self, cells: &[Cell]) -> f64 {
        debug_assert_eq!(cells.len(), self.attributes(), "one cell per attribute");
        cells.iter().zip(&self.attributes).map(|(&cell, attribute)| attribute.price(cell)).sum()
    }
}

impl std::fmt::Debug for Prices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prices").field("attributes", &self.attributes()).finish()
    }
}
