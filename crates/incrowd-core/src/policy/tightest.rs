//! For which parameters a table, as it is, keeps each model about sensitive values.
//!
//! The question of paper 002, "for which k is the table k-anonymous?", asked of the other models: one look at every class
//! gives, for each sensitive attribute, the figure at which each model just holds. Definitions and comparisons are those
//! of the models, which share the code; ratios are compared as whole numbers, and only the worst becomes a decimal.
//!
//! Figures are rounded at the twelfth decimal, to the side on which the model holds. Given back as a parameter they are
//! kept. Two models ask for "less than" instead of "at most": there every parameter *above* the figure is kept.
//!
//! When people are counted, the figures are about people, and the table as a whole is one of the classes. Where some people
//! have several values of an attribute, only the share of a value has a figure: the other models are about one value for each
//! person.

use serde::Serialize;

use super::models::{Apart, Limit, Shape, entropy};
use crate::numbers::{Fraction, PARTS, decimal};
use crate::policy::earth_movers_distance::Spread;
use crate::policy::sensitive::{Sensitive, Whole, several};
use crate::{Akin, ColumnSet, FrequencyTable, Members, ModelError, Stopped, Watch};

/// For which parameters the classes of a table keep each model about one sensitive attribute.
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Kept, Role, Watch};
/// let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["Ulm", "Wien"]));
/// let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu", "gout"]));
/// let rows = [([0, 0], 2), ([0, 1], 1), ([0, 2], 1), ([1, 0], 2), ([1, 2], 2)];
/// let table = FrequencyTable::from_tuples(vec![town, illness], rows);
/// let found = Kept::of(&table, ColumnSet::single(0), &[1], &Watch::default()).expect("nobody stops it");
/// assert_eq!((found[0].p, found[0].alpha, found[0].entropy_l), (Some(2), 0.5, Some(2.0)));
/// assert_eq!((found[0].recursive_c_l2, found[0].recursive_c_l3), (Some(1.0), None));
/// assert_eq!((found[0].t_equal, found[0].delta), (Some(0.125), None));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Kept {
    /// The attribute's name.
    pub column: String,
    /// How many different values it has, a missing one included.
    pub values: u64,
    /// How many people have several values of it; 0 when rows are counted. When there are any, only `alpha` and
    /// `frequency_l` have a figure.
    #[serde(skip_serializing_if = "is_zero")]
    pub people_with_several_values: u64,
    /// The largest p of p-sensitivity: the fewest different values of a class.
    pub p: Option<u64>,
    /// The largest ℓ of distinct ℓ-diversity, which is the same number.
    pub distinct_l: Option<u64>,
    /// The smallest α of α-deassociation: the largest share of a value in a class.
    pub alpha: f64,
    /// The largest ℓ of frequency ℓ-diversity: one divided by that share.
    pub frequency_l: f64,
    /// The largest ℓ of entropy ℓ-diversity.
    pub entropy_l: Option<f64>,
    /// With ℓ = 2, recursive (c, ℓ)-diversity holds for every c above this; for none when a class has a single value.
    pub recursive_c_l2: Option<f64>,
    /// The same with ℓ = 3; for none when a class has fewer than three values.
    pub recursive_c_l3: Option<f64>,
    /// With c = 1, the largest ℓ of recursive (c, ℓ)-diversity; nothing when no ℓ holds.
    pub recursive_l_c1: Option<u64>,
    /// The same with c = 2.
    pub recursive_l_c2: Option<u64>,
    /// The same with c = 3.
    pub recursive_l_c3: Option<u64>,
    /// The largest p of extended p-sensitivity: the fewest different kinds of values of a class, when it is known which
    /// are of one kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_extended: Option<u64>,
    /// The smallest t of t-closeness with equal distance.
    pub t_equal: Option<f64>,
    /// The smallest t with ordered distance; nothing for texts, which have no order of their own.
    pub t_ordered: Option<f64>,
    /// The smallest t with hierarchical distance, when a hierarchy is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_hierarchical: Option<f64>,
    /// The smallest β of basic β-likeness.
    pub beta: Option<f64>,
    /// The smallest β of enhanced β-likeness; nothing when a value grows by more than −ln of its share, which no β allows.
    pub beta_enhanced: Option<f64>,
    /// δ-disclosure privacy holds for every δ above this; for none when a value is missing in a class.
    pub delta: Option<f64>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
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
        let sensitive: Vec<(usize, Akin)> = sensitive.iter().map(|&at| (at, Akin::default())).collect();
        // Only what is known about values can be wrong.
        Kept::knowing(table, classes, &sensitive, watch).unwrap_or_else(|_| Ok(Vec::new()))
    }

    /// The same figures where something is known about the values of the attributes. Refused when that does not fit them.
    pub fn knowing(
        table: &FrequencyTable,
        classes: ColumnSet,
        sensitive: &[(usize, Akin)],
        watch: &Watch,
    ) -> Result<Result<Vec<Kept>, Stopped>, ModelError> {
        /// So many classes are looked at before the flag that stops it.
        const BETWEEN_LOOKS: usize = 1 << 12;
        if table.rows() == 0 || sensitive.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        let positions: Vec<usize> = sensitive.iter().map(|one| one.0).collect();
        let attributes = Sensitive::of("", table, &positions)?.into_iter().zip(sensitive);
        let mut worst = attributes
            .map(|(attribute, (_, akin))| Worst::new(table, attribute, akin))
            .collect::<Result<Vec<Worst>, ModelError>>()?;
        let mut counts = Vec::new();
        for (number, (start, end)) in table.grouping().runs(classes).enumerate() {
            if number % BETWEEN_LOOKS == 0 && watch.cancel.is_cancelled() {
                return Ok(Err(Stopped));
            }
            let class = Members::of_run(table.grouping(), start, end);
            worst.iter_mut().for_each(|worst| worst.look_at(&class, &mut counts));
        }
        if table.counts_people() {
            worst.iter_mut().for_each(|worst| worst.look_at(&Members::whole(table), &mut counts));
        }
        Ok(Ok(worst.into_iter().map(Worst::told).collect()))
    }
}

/// The worst of all classes seen, for one attribute.
struct Worst {
    attribute: Sensitive,
    /// How many people have several values.
    several: u64,
    whole: Whole,
    /// For each code the share that the enhanced rule allows.
    limits: Vec<Limit>,
    equal: Option<Spread>,
    ordered: Option<Spread>,
    hierarchical: Option<Spread>,
    /// For each code the number of its kind.
    kinds: Option<Vec<u32>>,
    values: u64,
    distinct: u64,
    share: Fraction,
    /// The least entropy.
    entropy: f64,
    recursive: [Fraction; 2],
    /// The largest ℓ for each of [`CS`]; 0 when there is none.
    recursive_l: [u64; 3],
    distinct_kinds: u64,
    t_equal: Fraction,
    t_ordered: Fraction,
    t_hierarchical: Fraction,
    gain: Fraction,
    within_enhanced: bool,
    /// By how many times the share of a value is more or less than in the whole; infinite when it is missing.
    times: f64,
}

impl Worst {
    fn new(table: &FrequencyTable, attribute: Sensitive, akin: &Akin) -> Result<Self, ModelError> {
        let whole = attribute.whole(&[Members::whole(table)]);
        let spread = |apart: Apart| {
            let ground = apart.ground(table, &attribute).ok()?;
            Some(Spread::new(attribute.at, &ground, &whole))
        };
        let tree = akin.ground(table, &attribute)?;
        let several = several(&Members::whole(table), attribute.at, |code| code);
        let kinds = match akin.kinds(table, &attribute) {
            Err(ModelError::SeveralValues { .. }) => None,
            kinds => kinds?,
        };
        Ok(Worst {
            limits: whole.rows.iter().map(|&rows| Limit::enhanced(rows, whole.total)).collect(),
            equal: spread(Apart::Equal),
            ordered: spread(Apart::Ordered(None)),
            hierarchical: tree.map(|ground| Spread::new(attribute.at, &ground, &whole)),
            kinds,
            several,
            values: whole.occurring().count() as u64,
            distinct: u64::MAX,
            share: Fraction::ZERO,
            entropy: f64::INFINITY,
            recursive: [Fraction::ZERO; 2],
            recursive_l: [u64::MAX; 3],
            distinct_kinds: u64::MAX,
            t_equal: Fraction::ZERO,
            t_ordered: Fraction::ZERO,
            t_hierarchical: Fraction::ZERO,
            gain: Fraction::ZERO,
            within_enhanced: true,
            times: 1.0,
            whole,
            attribute,
        })
    }

    fn look_at(&mut self, class: &Members<'_>, counts: &mut Vec<u64>) {
        let (rows, total) = (class.size(), self.whole.total);
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
        for (worst, c) in self.recursive_l.iter_mut().zip(CS) {
            *worst = largest_l(counts, c).min(*worst);
        }
        if let Some(kinds) = &self.kinds {
            let distinct = class.distinct(self.attribute.at, self.attribute.codes, |code| kinds[code as usize]);
            self.distinct_kinds = self.distinct_kinds.min(distinct);
        }
        for (spread, worst) in [
            (&self.equal, &mut self.t_equal),
            (&self.ordered, &mut self.t_ordered),
            (&self.hierarchical, &mut self.t_hierarchical),
        ] {
            if let Some(spread) = spread {
                let (above, below) = spread.distance(class).ratio();
                *worst = worst.larger(Fraction { above, below });
            }
        }
    }

    fn told(self) -> Kept {
        let share = self.share;
        let [l_c1, l_c2, l_c3] = self.recursive_l.map(|l| Some(l).filter(|&l| l > 0));
        let beta = self.gain.rounded_up();
        // Rounding of the entropy must not cost the last digit; the model allows five times as much.
        let entropy_l = decimal((self.entropy.exp() * (1.0 + 1e-13) * PARTS as f64) as u128, f64::next_down).max(1.0);
        let delta = (self.times.ln() * PARTS as f64).ceil() as u128;
        let kept = Kept {
            column: self.attribute.name,
            values: self.values,
            people_with_several_values: self.several,
            p: Some(self.distinct),
            distinct_l: Some(self.distinct),
            alpha: share.rounded_up().unwrap_or(1.0),
            frequency_l: Fraction { above: share.below, below: share.above }.rounded_down(),
            entropy_l: Some(entropy_l),
            recursive_c_l2: self.recursive[0].rounded_up(),
            recursive_c_l3: self.recursive[1].rounded_up(),
            recursive_l_c1: l_c1,
            recursive_l_c2: l_c2,
            recursive_l_c3: l_c3,
            p_extended: self.kinds.map(|_| self.distinct_kinds),
            t_equal: Some(self.t_equal.rounded_up().unwrap_or(1.0)),
            t_ordered: self.ordered.and(self.t_ordered.rounded_up()),
            t_hierarchical: self.hierarchical.and(self.t_hierarchical.rounded_up()),
            beta: Some(beta.unwrap_or(0.0)),
            beta_enhanced: beta.filter(|_| self.within_enhanced),
            delta: self.times.is_finite().then(|| decimal(delta, f64::next_up)),
        };
        if self.several > 0 { kept.only_shares() } else { kept }
    }
}

impl Kept {
    /// Without the figures of models that are about one value for each person. Extended p-sensitivity may have one: each
    /// person may have values of one kind.
    fn only_shares(self) -> Kept {
        Kept {
            p: None,
            distinct_l: None,
            entropy_l: None,
            recursive_c_l2: None,
            recursive_c_l3: None,
            recursive_l_c1: None,
            recursive_l_c2: None,
            recursive_l_c3: None,
            t_equal: None,
            t_ordered: None,
            t_hierarchical: None,
            beta: None,
            beta_enhanced: None,
            delta: None,
            ..self
        }
    }
}

/// The c for which the largest ℓ of recursive (c, ℓ)-diversity is told.
const CS: [u64; 3] = [1, 2, 3];

/// The largest ℓ for which a class with so many rows of each value, the most frequent first, is (c, ℓ)-diverse; 0 when
/// it is for none.
fn largest_l(descending: &[u64], c: u64) -> u64 {
    let (most, mut tail) = (u128::from(descending[0]), descending.iter().map(|&rows| u128::from(rows)).sum::<u128>());
    let mut l = 0;
    // The tail shrinks as ℓ grows.
    for &rows in descending {
        if most >= u128::from(c) * tail {
            break;
        }
        l += 1;
        tail -= u128::from(rows);
    }
    l
}
