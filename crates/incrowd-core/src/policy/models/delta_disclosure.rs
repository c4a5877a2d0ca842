//! δ-disclosure privacy: every sensitive value is about as frequent in each class as in the whole release.
//!
//! J. Brickell and V. Shmatikov, "The cost of privacy", KDD 2008, Def. 4: with p the share of a value in the whole and q its
//! share in a class, |ln(q/p)| < δ for every value of the whole. So every value has to occur in every class. It is the
//! strictest model here: a class needs at least as many rows as there are values. A missing value is a value.
//!
//! e^δ is a floating-point number. The comparison is rounded so that a class that is accepted is at least 10⁻¹² inside; a
//! share that is exactly that of the whole always is. δ must be at least 10⁻⁶.

use super::ModelEntry;
use crate::numbers::{PARTS, decimal, whole_part, wide_whole_part};
use crate::policy::compared_with_whole::{ComparedAttribute, ComparedWithWhole, ComparisonRule};
use crate::policy::samples::ratios;
use crate::policy::sensitive::{Sensitive, Whole};
use crate::policy::tightest::{ExaminedClass, TightestValue, WorstClass};
use crate::policy::{
    BoundModel, HoldsFor, Infeasible, Model, ModelError, ParameterEntry, Parameters, ShareLimits, Survives,
    TightestEntry,
};
use crate::{FrequencyTable, Members, Positive, counted};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "In every class, the share of each sensitive value is less than e^δ times its share in the whole \
              release, and more than that share divided by e^δ.",
    reference: "J. Brickell and V. Shmatikov, The cost of privacy, KDD 2008",
    parameters: &[DELTA],
    example: || Parameters::from_iter([("delta", 1)]),
    samples: |_| ratios("delta", 1..9, 4),
    sensitive: true,
    population: false,
    several_values: false,
    tightest: &[TightestEntry::of("delta", "delta", HoldsFor::Above)],
    new: |given| Ok(Box::new(DeltaDisclosure { delta: given.number(&DELTA)? })),
    worst_class: |column| {
        let farthest = || FarthestShare { whole: column.whole.clone(), values: column.whole.values(), times: 1.0 };
        Ok((column.several == 0).then(|| Box::new(farthest()) as Box<dyn WorstClass>))
    },
    #[cfg(test)]
    definition: |asked, class, whole| {
        let (above, below) = asked.ratio("delta");
        let mut shares = class.shares(whole);
        shares.try_fold(true, |keeps, (own, other)| {
            let within = crate::policy::model_laws::clearly(above as f64 / below as f64, (own / other).ln().abs())?;
            Some(keeps && within)
        })
    },
};

const ID: &str = "delta-disclosure";
const DELTA: ParameterEntry = ParameterEntry::number(
    "delta",
    "δ",
    1e-6,
    "a number of at least 0.000001, such as 1 or 0.5",
    "Bound on the logarithm of the ratio between the share of a value in a class and in the release.",
);

/// How much inside of the bound a class is.
const INSIDE: f64 = 1e-12;

/// Every value of a named attribute has in every class a share between e^−δ and e^δ times that in the whole.
///
/// **It survives merging.** The share of a value in a union lies between its shares in both parts, and both are strictly
/// between the bounds. It does not survive growth: rows that join may all have one value. With people, who may be in both
/// classes, it does not survive merging: the example of t-closeness with a small δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeltaDisclosure {
    /// What the logarithm of the ratio of both shares stays below.
    pub delta: Positive,
}

impl Model for DeltaDisclosure {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let times = (self.delta.to_f64().exp() * 1e3).ceil() / 1e3;
        format!(
            "In every class, the share of each sensitive value is less than {times} times its share in the whole \
             release, and more than that share divided by {times}."
        )
    }

    fn breach(&self) -> String {
        format!(
            "in which a value is more frequent or rarer than in the whole release by more than δ = {} allows",
            self.delta
        )
    }

    fn promise_for_people(&self) -> String {
        let times = (self.delta.to_f64().exp() * 1e3).ceil() / 1e3;
        format!(
            "In each class, the share of people who have any one value is less than {times} times its share among all \
             people of the release, and more than that share divided by {times}."
        )
    }

    fn survives(&self) -> Survives {
        Survives::Merging
    }

    fn compares(&self) -> bool {
        true
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        ComparedWithWhole::bind(*self, table, sensitive)
    }
}

/// The smallest and the largest share of each value that occurs.
pub(crate) struct ShareRanges {
    /// By code.
    of: Vec<ShareRange>,
    /// How many values occur.
    values: u64,
}

/// The shares that a value may have in a class. Both are 0 for a value that does not occur in the whole.
#[derive(Clone, Copy, Default)]
struct ShareRange {
    least: f64,
    most: f64,
}

impl ShareRanges {
    fn new(model: DeltaDisclosure, whole: &Whole) -> Self {
        let (total, times) = (whole.total as f64, model.delta.to_f64().exp());
        let shares = |&rows: &u64| {
            let share = rows as f64 / total;
            ShareRange { least: share / times * (1.0 + INSIDE), most: share * times * (1.0 - INSIDE) }
        };
        let of = whole.rows.iter().map(|rows| if *rows == 0 { ShareRange::default() } else { shares(rows) }).collect();
        ShareRanges { of, values: whole.values() }
    }

    /// The fewest rows of any class: each value occurs, and has no larger share than it may have.
    fn least_rows(&self) -> u64 {
        let alone = self.of.iter().filter(|share| share.most > 0.0).map(|share| fewer(1.0 / share.most));
        alone.max().unwrap_or(0).max(self.values).max(1)
    }

    fn allow(&self, class: &Members<'_>, at: usize, rows: f64) -> bool {
        let (mut met, mut allow) = (0, true);
        class.tally(at, |code, own| {
            let ShareRange { least, most } = self.of[code as usize];
            met += 1;
            allow = allow && own as f64 >= least * rows && own as f64 <= most * rows;
        });
        allow && met == self.values
    }

    /// At least how many rows a class must have in the end: no value may have more than its largest share, and each needs
    /// its smallest share of at least that many rows.
    fn needed(&self, class: &Members<'_>, at: usize, least: u64) -> u64 {
        let rows = class.size();
        let (mut needed, mut own) = (rows.max(least), vec![0u64; self.of.len()]);
        class.tally(at, |code, more| {
            let most = self.of[code as usize].most;
            own[code as usize] = more;
            needed = needed.max(if most > 0.0 { fewer(more as f64 / most) } else { u64::MAX });
        });
        if needed == u64::MAX {
            return needed;
        }
        let size = needed as f64;
        let lacking =
            self.of.iter().zip(own).map(|(share, own)| fewer(share.least * size).saturating_sub(own)).sum::<u64>();
        needed.max(rows.saturating_add(lacking))
    }

    /// How many rows may leave: all of one value, so that its share falls most, or none of it, so that it grows most.
    fn spare(&self, class: &Members<'_>, at: usize) -> u64 {
        let (rows, mut spare) = (class.size() as f64, u64::MAX);
        class.tally(at, |code, own| {
            let (ShareRange { least, most }, own) = (self.of[code as usize], own as f64);
            let of_it = (own - least * rows) / (1.0 - least).max(f64::MIN_POSITIVE);
            let of_others = rows - own / most.max(f64::MIN_POSITIVE);
            // Rounded to the side of fewer rows.
            let fewest = of_it.min(of_others) * (1.0 - 1e-9);
            spare = spare.min(whole_part(fewest));
        });
        spare
    }
}

/// A number of rows, rounded up unless it is rounding that made it more.
fn fewer(rows: f64) -> u64 {
    whole_part((rows * (1.0 - 1e-9)).ceil())
}

impl ComparisonRule for DeltaDisclosure {
    type Known = ();
    type Limits = ShareRanges;

    const ID: &'static str = ID;

    fn known(&self, _: &FrequencyTable, _: &Sensitive) -> Result<(), ModelError> {
        Ok(())
    }

    fn limits(&self, _: &Sensitive, (): &(), whole: &Whole) -> ShareRanges {
        ShareRanges::new(*self, whole)
    }

    fn least_rows(&self, shares: &ShareRanges) -> u64 {
        shares.least_rows()
    }

    fn allows(&self, at: usize, shares: &ShareRanges, class: &Members<'_>, rows: u64) -> bool {
        shares.allow(class, at, rows as f64)
    }

    fn share_limits(&self, at: usize, shares: &ShareRanges) -> Vec<ShareLimits> {
        vec![ShareLimits::of_codes(at, shares.of.iter().map(|share| share.most), true)]
    }

    fn lacking(&self, at: usize, shares: &ShareRanges, class: &Members<'_>, least: u64) -> u64 {
        shares.needed(class, at, least).saturating_sub(class.size())
    }

    fn spare(&self, at: usize, shares: &ShareRanges, class: &Members<'_>) -> u64 {
        if self.allows(at, shares, class, class.size()) { shares.spare(class, at) } else { 0 }
    }

    fn infeasible(&self, attributes: &[ComparedAttribute<Self>], whole: &Members<'_>) -> Infeasible {
        let rows = whole.size();
        let broken = |one: &&ComparedAttribute<Self>| !self.allows(one.attribute.at, &one.limits, whole, rows);
        let broken = attributes.iter().find(broken).map(|one| (one.attribute.name.clone(), one.limits.values));
        let (name, values) = broken.unwrap_or_default();
        let values = counted(values, "value", "values");
        Infeasible {
            model: ID,
            columns: vec![name.clone()],
            fact: format!(
                "the distribution of the {values} of “{name}” differs too much from that of the rows they are \
                 compared with"
            ),
            remedy: format!("use a δ above {}", self.delta),
        }
    }
}

/// The class in which the share of a value differs most from that in the whole.
struct FarthestShare {
    whole: Whole,
    /// How many distinct values occur in the whole.
    values: u64,
    /// The factor between both shares; infinite when a value is missing in a class.
    times: f64,
}

impl WorstClass for FarthestShare {
    fn examine(&mut self, class: &ExaminedClass<'_>) {
        for &(code, own) in class.by_code {
            let ratio = self.whole.ratio(code, own, class.rows);
            let times = ratio.above as f64 / ratio.below as f64;
            self.times = self.times.max(times).max(1.0 / times);
        }
        if (class.by_code.len() as u64) < self.values {
            self.times = f64::INFINITY;
        }
    }

    fn figures(&self) -> Vec<Option<TightestValue>> {
        let parts = wide_whole_part((self.times.ln() * PARTS as f64).ceil());
        vec![self.times.is_finite().then(|| TightestValue::Decimal(decimal(parts, f64::next_up)))]
    }
}
