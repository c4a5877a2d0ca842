//! β-likeness: no sensitive value is relatively much more frequent in a class than in the whole release.
//!
//! J. Cao and P. Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012: with p the share of a
//! value in the whole and q its share in a class, the gain (q − p)/p of a value that is more frequent in the class is at
//! most β (basic, Def. 2), or at most min(β, −ln p) (enhanced, Def. 3), which bounds frequent values more tightly. So
//! rare values are protected as well as frequent ones, which an absolute distance such as t-closeness does not do. Values
//! that are less frequent in a class are not bounded. A missing value is a value.
//!
//! The basic rule is compared exactly. −ln p is rounded so that a class that is accepted is at least 10⁻¹² inside.

use super::ModelEntry;
use crate::numbers::{Fraction, at_most, whole_part, wide_whole_part};
use crate::policy::compared_with_whole::{ComparedAttribute, ComparedWithWhole, ComparisonRule};
use crate::policy::samples::{each_with, ratios};
use crate::policy::sensitive::{Sensitive, Whole};
use crate::policy::tightest::{ExaminedClass, ExaminedColumn, TightestValue, WorstClass};
use crate::policy::{
    BoundModel, HoldsFor, Infeasible, Model, ModelError, ParameterEntry, Parameters, ShareLimits, Survives,
    TightestEntry,
};
use crate::{FrequencyTable, Members, Positive};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "In every class, the share of each sensitive value is at most 1 + β times its share in the whole release.",
    reference: "J. Cao and P. Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012",
    parameters: &[BETA, RULE],
    example: || Parameters::from_iter([("beta", 1)]),
    samples: |_| each_with(&ratios("beta", 1..9, 4), &["basic", "enhanced"], |sample, rule| sample.with("rule", *rule)),
    sensitive: true,
    population: false,
    several_values: false,
    tightest: &[
        TightestEntry::of("beta", "beta", HoldsFor::From),
        TightestEntry::with("beta_enhanced", "beta", HoldsFor::From, |_| {
            Some(Parameters::from_iter([("rule", "enhanced")]))
        }),
    ],
    new: |given| {
        let enhanced = given.word(&RULE)? == "enhanced";
        Ok(Box::new(BetaLikeness { beta: given.number(&BETA)?, enhanced }))
    },
    worst_class: |column| Ok((column.several == 0).then(|| LargestGain::boxed(column))),
    #[cfg(test)]
    definition: |asked, class, whole| {
        let ((above, below), rows, all) = (asked.ratio("beta"), class.total(), whole.total());
        let within = |(code, other): (u32, u64)| class.of(code) * all * below <= (above + below) * other * rows;
        let mut keeps = whole.by_code().all(within);
        for (own, other) in class.shares(whole).filter(|_| asked.is("rule", "enhanced")) {
            let gain = own / other - 1.0;
            keeps &= if other == 1.0 { gain <= 0.0 } else { crate::policy::model_laws::clearly(-other.ln(), gain)? };
        }
        Some(keeps)
    },
};

const ID: &str = "beta-likeness";
const BETA: ParameterEntry = ParameterEntry::number(
    "beta",
    "β",
    0.0,
    "a number above 0, such as 1 or 0.5",
    "Maximum relative increase of the share of a value in a class over its share in the release.",
);
const RULE: ParameterEntry = ParameterEntry::word(
    "rule",
    &["basic", "enhanced"],
    "`basic` or `enhanced`",
    "Whether frequent values are bounded more tightly: basic or enhanced [default: basic].",
);

/// No value of a named attribute has in a class a share above (1 + β) times its share p in the whole; with the enhanced rule
/// not above (1 + min(β, −ln p)) times.
///
/// **It survives merging.** The share of a value in a union lies between its shares in both parts, so it is under the bound
/// that both are under. It does not survive growth: rows that join may all have one value. With people, who may be in both
/// classes, it does not survive merging: the example of t-closeness with β = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BetaLikeness {
    /// The largest gain.
    pub beta: Positive,
    /// Whether the gain is also at most −ln p.
    pub enhanced: bool,
}

impl Model for BetaLikeness {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let times = self.beta.to_f64() + 1.0;
        let more = if self.enhanced { "; for frequent values the limit is lower" } else { "" };
        format!(
            "In every class, the share of each sensitive value is at most {times} times its share in the whole \
             release{more}."
        )
    }

    fn breach(&self) -> String {
        format!("in which a value is more frequent than in the whole release by more than β = {} allows", self.beta)
    }

    fn promise_for_people(&self) -> String {
        let times = self.beta.to_f64() + 1.0;
        let more = if self.enhanced { "; for frequent values the limit is lower" } else { "" };
        format!(
            "In each class, the share of people who have any one value is at most {times} times its share among all people \
             of the release{more}."
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

/// The largest share of a value in a class, as a ratio.
#[derive(Clone, Copy)]
pub(crate) struct LargestValueShare {
    above: u128,
    below: u128,
}

/// The enhanced bound is a multiple of this part.
const PARTS: u128 = 1 << 62;

impl LargestValueShare {
    fn new(model: BetaLikeness, rows: u64, total: u64) -> LargestValueShare {
        let (above, below) = (u128::from(model.beta.numerator()), u128::from(model.beta.denominator()));
        let share = rows as f64 / total.max(1) as f64;
        if !model.enhanced || -share.ln() >= model.beta.to_f64() {
            return LargestValueShare { above: (above + below) * u128::from(rows), below: below * u128::from(total) };
        }
        LargestValueShare::enhanced(rows, total)
    }

    /// The share with a gain of −ln p, which the enhanced rule never exceeds, however large β is.
    fn enhanced(rows: u64, total: u64) -> LargestValueShare {
        let share = rows as f64 / total as f64;
        let largest = (1.0 - share.ln()) * share * (1.0 - 1e-12);
        let limit = LargestValueShare { above: wide_whole_part(largest * PARTS as f64), below: PARTS };
        // Rounding must not refuse the share in the whole itself, which only happens where nearly all rows have the value.
        let whole = LargestValueShare { above: u128::from(rows), below: u128::from(total) };
        if limit.allows(rows, total) { limit } else { whole }
    }

    fn allows(self, rows: u64, class: u64) -> bool {
        at_most(u128::from(rows), self.below, self.above, u128::from(class))
    }

    /// The fewest rows a class with `rows` of the value must have.
    fn needed(self, rows: u64) -> u64 {
        if self.above == 0 {
            return u64::MAX;
        }
        // Divided with rounding, then corrected: one step is enough unless a table has more than 10¹⁵ rows.
        let mut needed = whole_part(rows as f64 * (self.below as f64 / self.above as f64));
        while !self.allows(rows, needed) {
            needed += 1;
        }
        while needed > rows && self.allows(rows, needed - 1) {
            needed -= 1;
        }
        needed.max(rows)
    }
}

impl ComparisonRule for BetaLikeness {
    type Known = ();
    /// By code.
    type Limits = Vec<LargestValueShare>;

    const ID: &'static str = ID;

    fn known(&self, _: &FrequencyTable, _: &Sensitive) -> Result<(), ModelError> {
        Ok(())
    }

    fn limits(&self, _: &Sensitive, (): &(), whole: &Whole) -> Vec<LargestValueShare> {
        whole.rows.iter().map(|&rows| LargestValueShare::new(*self, rows, whole.total)).collect()
    }

    fn allows(&self, at: usize, limits: &Vec<LargestValueShare>, class: &Members<'_>, size: u64) -> bool {
        let mut allows = true;
        class.tally(at, |code, rows| allows = allows && limits[code as usize].allows(rows, size));
        allows
    }

    fn share_limits(&self, at: usize, limits: &Vec<LargestValueShare>) -> Vec<ShareLimits> {
        let largest = limits.iter().map(|share| share.above as f64 / share.below as f64);
        vec![ShareLimits::of_codes(at, largest, true)]
    }

    fn lacking(&self, at: usize, limits: &Vec<LargestValueShare>, class: &Members<'_>, _: u64) -> u64 {
        needed(at, limits, class).saturating_sub(class.size())
    }

    fn spare(&self, at: usize, limits: &Vec<LargestValueShare>, class: &Members<'_>) -> u64 {
        class.size().saturating_sub(needed(at, limits, class))
    }

    fn infeasible(&self, attributes: &[ComparedAttribute<Self>], whole: &Members<'_>) -> Infeasible {
        let size = whole.size();
        let broken = |one: &&ComparedAttribute<Self>| !self.allows(one.attribute.at, &one.limits, whole, size);
        let name = attributes.iter().rev().find(broken).map(|one| one.attribute.name.clone()).unwrap_or_default();
        Infeasible {
            model: ID,
            columns: vec![name.clone()],
            fact: format!(
                "a value of “{name}” is more frequent than in the rows it is compared with, by more than β = {} allows",
                self.beta
            ),
            remedy: "use a larger β".into(),
        }
    }
}

/// The fewest rows a class with these values must have.
fn needed(at: usize, limits: &[LargestValueShare], class: &Members<'_>) -> u64 {
    let mut needed = 1;
    class.tally(at, |code, rows| needed = limits[code as usize].needed(rows).max(needed));
    needed
}

/// The class with the largest gain of a value.
struct LargestGain {
    whole: Whole,
    /// For each code the share that the enhanced rule allows.
    limits: Vec<LargestValueShare>,
    gain: Fraction,
    within_enhanced: bool,
}

impl LargestGain {
    fn boxed(column: &ExaminedColumn<'_>) -> Box<dyn WorstClass> {
        let whole = column.whole.clone();
        let limits = whole.rows.iter().map(|&rows| LargestValueShare::enhanced(rows, whole.total)).collect();
        Box::new(LargestGain { whole, limits, gain: Fraction::ZERO, within_enhanced: true })
    }
}

impl WorstClass for LargestGain {
    fn examine(&mut self, class: &ExaminedClass<'_>) {
        for &(code, own) in class.by_code {
            let Fraction { above, below } = self.whole.ratio(code, own, class.rows);
            self.gain = self.gain.larger(Fraction { above: above.saturating_sub(below), below });
            self.within_enhanced &= self.limits[code as usize].allows(own, class.rows);
        }
    }

    fn figures(&self) -> Vec<Option<TightestValue>> {
        let beta = self.gain.rounded_up().map(TightestValue::Decimal);
        vec![beta, beta.filter(|_| self.within_enhanced)]
    }
}
