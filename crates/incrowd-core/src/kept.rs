//! For which parameters a table, as it is, keeps each model about sensitive values.
//!
//! The question of paper 002, "for which k is the table k-anonymous?", asked of the other models: one look at every class
//! gives, for each sensitive attribute, the figure at which each model just holds. Definitions and comparisons are those
//! of the models, which share the code; ratios are compared as whole numbers, and only the worst becomes a decimal.
//!
//! Figures are rounded at the twelfth decimal, to the side on which the model holds. Given back as a parameter they are
//! kept. Two models ask for "less than" instead of "at most": there every parameter *above* the figure is kept.

use serde::Serialize;

use crate::models::{Apart, Limit, Shape, entropy};
use crate::sensitive::{Sensitive, Whole};
use crate::spread::Spread;
use crate::wide::at_most;
use crate::{ColumnSet, FrequencyTable, Members, Stopped, Watch};

/// For which parameters the classes of a table keep each model about one sensitive attribute.
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Kept, Role, Watch};
/// let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["Ulm", "Wien"]));
/// let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu", "gout"]));
/// let rows = [([0, 0], 2), ([0, 1], 1), ([0, 2], 1), ([1, 0], 2), ([1, 2], 2)];
/// let table = FrequencyTable::from_tuples(vec![town, illness], rows);
/// let found = Kept::of(&table, ColumnSet::single(0), &[1], &Watch::default()).expect("nobody stops it");
/// assert_eq!((found[0].p, found[0].alpha, found[0].entropy_l), (2, 0.5, 2.0));
/// assert_eq!((found[0].recursive_c_l2, found[0].recursive_c_l3), (Some(1.0), None));
/// assert_eq!((found[0].t_equal, found[0].delta), (0.125, None));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kept {
    /// The attribute's name.
    pub column: String,
    /// How many different values it has, a missing one included.
    pub values: u64,
    /// The largest p of p-sensitivity: the fewest different values of a class.
    pub p: u64,
    /// The largest ℓ of distinct ℓ-diversity, which is the same number.
    pub distinct_l: u64,
    /// The smallest α of α-deassociation: the largest share of a value in a class.
    pub alpha: f64,
    /// The largest ℓ of frequency ℓ-diversity: one divided by that share.
    pub frequency_l: f64,
    /// The largest ℓ of entropy ℓ-diversity.
    pub entropy_l: f64,
    /// With ℓ = 2, recursive (c, ℓ)-diversity holds for every c above this; for none when a class has a single value.
    pub recursive_c_l2: Option<f64>,
    /// The same with ℓ = 3; for none when a class has fewer than three values.
    pub recursive_c_l3: Option<f64>,
    /// The smallest t of t-closeness with equal distance.
    pub t_equal: f64,
    /// The smallest t with ordered distance; nothing for texts, which have no order of their own.
    pub t_ordered: Option<f64>,
    /// The smallest β of basic β-likeness.
    pub beta: f64,
    /// The smallest β of enhanced β-likeness; nothing when a value grows by more than −ln of its share, which no β allows.
    pub beta_enhanced: Option<f64>,
    /// δ-disclosure privacy holds for every δ above this; for none when a value is missing in a class.
    pub delta: Option<f64>,
}

impl Kept {
    /// The figures of each of these sensitive attributes, over the classes of these columns, which must be the first ones
    /// of the table; nothing for a table without rows.
    pub fn of(
        table: &FrequencyTable,
        classes: ColumnSet,
        sensitive: &[usize],
        watch: &Watch,
    ) -> Result<Vec<Kept>, Stopped> {
        /// So many classes are looked at before the flag that stops it.
        const BETWEEN_LOOKS: usize = 1 << 12;
        if table.rows() == 0 || sensitive.is_empty() {
            return Ok(Vec::new());
        }
        let attributes = Sensitive::of("", table, sensitive).unwrap_or_default();
        let mut worst: Vec<Worst> = attributes.into_iter().map(|attribute| Worst::new(table, attribute)).collect();
        let mut counts = Vec::new();
        for (number, (start, end)) in table.grouping().runs(classes).enumerate() {
            if number % BETWEEN_LOOKS == 0 && watch.cancel.is_cancelled() {
                return Err(Stopped);
            }
            let class = Members::of_run(table.grouping(), start, end);
            worst.iter_mut().for_each(|worst| worst.look_at(&class, &mut counts));
        }
        Ok(worst.into_iter().map(Worst::told).collect())
    }
}

/// The worst of all classes seen, for one attribute.
struct Worst {
    attribute: Sensitive,
    whole: Whole,
    /// For each code the share that the enhanced rule allows.
    limits: Vec<Limit>,
    equal: Option<Spread>,
    ordered: Option<Spread>,
    values: u64,
    distinct: u64,
    share: Fraction,
    /// The least entropy.
    entropy: f64,
    recursive: [Fraction; 2],
    t_equal: Fraction,
    t_ordered: Fraction,
    gain: Fraction,
    within_enhanced: bool,
    /// By how many times the share of a value is more or less than in the whole; infinite when it is missing.
    times: f64,
}

impl Worst {
    fn new(table: &FrequencyTable, attribute: Sensitive) -> Self {
        let whole = attribute.whole(&[Members::whole(table)]);
        let spread = |apart: Apart| {
            let ground = apart.ground(table, &attribute).ok()?;
            Some(Spread::new(attribute.at, &ground, &whole))
        };
        Worst {
            limits: whole.rows.iter().map(|&rows| Limit::enhanced(rows, whole.total)).collect(),
            equal: spread(Apart::Equal),
            ordered: spread(Apart::Ordered(None)),
            values: whole.occurring().count() as u64,
            distinct: u64::MAX,
            share: Fraction::ZERO,
            entropy: f64::INFINITY,
            recursive: [Fraction::ZERO; 2],
            t_equal: Fraction::ZERO,
            t_ordered: Fraction::ZERO,
            gain: Fraction::ZERO,
            within_enhanced: true,
            times: 1.0,
            whole,
            attribute,
        }
    }

    fn look_at(&mut self, class: &Members<'_>, counts: &mut Vec<u64>) {
        let (rows, total) = (class.rows(), self.whole.total);
        counts.clear();
        class.tally(self.attribute.at, |code, own| {
            counts.push(own);
            let all = self.whole.rows[code as usize];
            // The shares q in the class and p in the whole, over one line: q/p = found/expected.
            let (found, expected) = (u128::from(own) * u128::from(total), u128::from(all) * u128::from(rows));
            if found > expected {
                self.gain = self.gain.larger(Fraction { above: found - expected, below: expected });
                self.within_enhanced &= self.limits[code as usize].allows(own, rows);
            }
            let times = found as f64 / expected as f64;
            self.times = self.times.max(times).max(1.0 / times);
        });
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let distinct = counts.len() as u64;
        if distinct < self.values {
            self.times = f64::INFINITY;
        }
        self.distinct = self.distinct.min(distinct);
        self.entropy = self.entropy.min(entropy(counts));
        self.share = self.share.larger(Fraction::new(counts[0], rows));
        for (worst, l) in self.recursive.iter_mut().zip([2, 3]) {
            let shape = Shape::of(counts, l);
            *worst = worst.larger(Fraction::new(shape.most, shape.tail));
        }
        for (spread, worst) in [(&self.equal, &mut self.t_equal), (&self.ordered, &mut self.t_ordered)] {
            if let Some(spread) = spread {
                let (above, below) = spread.distance(class).ratio();
                *worst = worst.larger(Fraction { above, below });
            }
        }
    }

    fn told(self) -> Kept {
        let share = self.share;
        let beta = self.gain.rounded_up();
        // Rounding of the entropy must not cost the last digit; the model allows five times as much.
        let entropy_l = decimal((self.entropy.exp() * (1.0 + 1e-13) * PARTS as f64) as u128, f64::next_down).max(1.0);
        let delta = (self.times.ln() * PARTS as f64).ceil() as u128;
        Kept {
            column: self.attribute.name,
            values: self.values,
            p: self.distinct,
            distinct_l: self.distinct,
            alpha: share.rounded_up().unwrap_or(1.0),
            frequency_l: Fraction { above: share.below, below: share.above }.rounded_down(),
            entropy_l,
            recursive_c_l2: self.recursive[0].rounded_up(),
            recursive_c_l3: self.recursive[1].rounded_up(),
            t_equal: self.t_equal.rounded_up().unwrap_or(1.0),
            t_ordered: self.ordered.and(self.t_ordered.rounded_up()),
            beta: beta.unwrap_or(0.0),
            beta_enhanced: beta.filter(|_| self.within_enhanced),
            delta: self.times.is_finite().then(|| decimal(delta, f64::next_up)),
        }
    }
}

/// Figures are whole numbers of this part of 1.
const PARTS: u128 = 1_000_000_000_000;

/// So many parts as a number; where it cannot be told exactly, the next one `beyond` it.
fn decimal(parts: u128, beyond: fn(f64) -> f64) -> f64 {
    let nearest = parts as f64 / PARTS as f64;
    if parts >> 52 == 0 { nearest } else { beyond(nearest) }
}

/// A ratio of whole numbers that is compared exactly; with nothing below the line it is larger than any other.
#[derive(Clone, Copy)]
struct Fraction {
    above: u128,
    below: u128,
}

impl Fraction {
    const ZERO: Fraction = Fraction { above: 0, below: 1 };

    fn new(above: u64, below: u64) -> Self {
        Fraction { above: u128::from(above), below: u128::from(below) }
    }

    fn larger(self, other: Self) -> Self {
        if at_most(other.above, self.below, self.above, other.below) { self } else { other }
    }

    /// The smallest number of parts that is not below it; nothing when it is infinite.
    fn rounded_up(self) -> Option<f64> {
        let Fraction { above, below } = self;
        let parts = |above: u128| decimal(above.div_ceil(below), f64::next_up);
        let rounded = || above.checked_mul(PARTS).map_or((above as f64 / below as f64).next_up(), parts);
        (below > 0).then(rounded)
    }

    /// The largest number of parts that is not above it.
    fn rounded_down(self) -> f64 {
        let Fraction { above, below } = self;
        let parts = |above: u128| decimal(above / below.max(1), f64::next_down);
        above.checked_mul(PARTS).map_or((above as f64 / below as f64).next_down(), parts)
    }
}
