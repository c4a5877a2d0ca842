//! Entropy ℓ-diversity: in every class the entropy of each sensitive attribute is at least ln ℓ.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", ACM TKDD
//! 2007, Def. 4.1: with p the share of each value in a class, −Σ p·ln p ≥ ln ℓ. ℓ equally frequent values have just that
//! entropy, so ℓ may be any number of at least 1. A missing value is a value.
//!
//! Entropies are floating-point numbers. ℓ values of equal frequency have to conform whatever the rounding, so a class may
//! be short of ln ℓ by 5·10⁻¹³ and never by more than 10⁻¹². All other answers of the model err on the side of its words:
//! `gap` and `spare` never say too much.
//!
//! When people are counted: p is the share of the people of a class who have the value, each person has one value (a table in
//! which some people have several is refused: then the shares are no distribution), and the release as a whole has to
//! keep the bound, too.

use super::ModelEntry;
use crate::numbers::{PARTS, decimal, to_usize, wide_whole_part};
use crate::policy::samples::ratios;
use crate::policy::sensitive::{AS_A_WHOLE, Sensitive};
use crate::policy::tightest::{ExaminedClass, TightestValue, WorstClass};
use crate::policy::{
    BoundModel, ExcessRows, HoldsFor, Infeasible, Model, ModelError, ParameterEntry, Parameters, ShareLimits, Survives,
    TightestEntry,
};
use crate::{FrequencyTable, Members, Positive};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "In every class, the entropy of the sensitive values is at least ln ℓ, that of ℓ equally frequent values.",
    reference: "A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, ℓ-diversity, ACM TKDD 2007",
    parameters: &[L],
    example: || Parameters::from_iter([("l", 3)]),
    samples: |_| ratios("l", 2..9, 2),
    sensitive: true,
    population: false,
    several_values: false,
    tightest: &[TightestEntry::of("entropy_l", "l", HoldsFor::UpTo)],
    new: |given| Ok(Box::new(EntropyLDiversity { l: given.number(&L)? })),
    worst_class: |column| Ok((column.several == 0).then(LeastEntropy::boxed)),
    #[cfg(test)]
    definition: |asked, class, _| {
        // −Σ r/n·ln(r/n) ≥ ln(a/b) is n^n·b^n ≥ a^n·Π r^r.
        let ((above, below), rows) = (asked.ratio("l"), class.total());
        let power = |base: u64, times: u64| u128::from(base).checked_pow(u32::try_from(times).ok()?);
        let left = power(rows, rows)?.checked_mul(power(below, rows)?)?;
        let right = class.counts().try_fold(power(above, rows)?, |all, own| all.checked_mul(power(own, own)?))?;
        Some(left >= right)
    },
};

const ID: &str = "entropy-l-diversity";
const L: ParameterEntry = ParameterEntry::number(
    "l",
    "ℓ",
    1.0,
    "a number of at least 1",
    "Minimum effective number of values per class: the exponential of their entropy.",
);

/// By how much an entropy may be short because it is rounded.
const ROUNDING: f64 = 5e-13;
/// Rows up to this many have their n·ln n computed once.
const KNOWN: usize = 256;

/// In every class the entropy of each named attribute is at least ln ℓ.
///
/// **It survives merging.** Entropy is concave: the values of a union are spread as a mixture of both parts, and the entropy
/// of a mixture is at least the mixture of the entropies, each of which is at least ln ℓ. It does not survive growth: rows
/// that join may all have one value. With people, who may be in both classes, it does not survive merging: with ℓ = 2 the
/// classes {1: v, 2: w} and {2: w, 3: v} keep it, their union has v twice and w once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntropyLDiversity {
    /// How many equally frequent values have the least entropy.
    pub l: Positive,
}

impl Model for EntropyLDiversity {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let l = self.l;
        format!("In every class, the entropy of the sensitive values is at least that of {l} equally frequent values.")
    }

    fn breach(&self) -> String {
        format!("with an entropy below that of ℓ = {} equally frequent values", self.l)
    }

    fn promise_for_people(&self) -> String {
        let l = self.l;
        format!(
            "In each class, and in the release as a whole, the values of the people have at least the entropy of {l} \
             equally frequent values."
        )
    }

    fn survives(&self) -> Survives {
        Survives::Merging
    }

    fn least_rows(&self) -> u64 {
        // d values have an entropy of at most ln d.
        self.l.ceiling()
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        let attributes = Sensitive::one_each(ID, table, sensitive)?;
        let known = (0..KNOWN as u64).map(n_ln_n).collect();
        Ok(Box::new(BoundEntropy { l: self.l, least: self.l.to_f64().ln() - ROUNDING, attributes, known }))
    }
}

fn n_ln_n(rows: u64) -> f64 {
    if rows < 2 { 0.0 } else { rows as f64 * (rows as f64).ln() }
}

/// The class with the least entropy.
struct LeastEntropy {
    /// The effective number of its values.
    effective: f64,
}

impl LeastEntropy {
    fn boxed() -> Box<dyn WorstClass> {
        Box::new(LeastEntropy { effective: f64::INFINITY })
    }
}

impl WorstClass for LeastEntropy {
    fn examine(&mut self, class: &ExaminedClass<'_>) {
        let counts = class.descending;
        let sum = counts.iter().map(|&rows| n_ln_n(rows)).sum();
        let entropy = ClassEntropy { rows: counts.iter().sum(), sum, most: 0 }.entropy();
        // Rounding of the entropy must not cost the last digit; the model allows five times as much. No distribution of these
        // values has more entropy than the even one.
        self.effective = (entropy.exp() * (1.0 + 1e-13)).min(counts.len() as f64).min(self.effective);
    }

    fn figures(&self) -> Vec<Option<TightestValue>> {
        let parts = wide_whole_part(self.effective * PARTS as f64);
        vec![Some(TightestValue::Decimal(decimal(parts, f64::next_down).max(1.0)))]
    }
}

/// The rule for the attributes of one table.
struct BoundEntropy {
    l: Positive,
    /// The least entropy.
    least: f64,
    attributes: Vec<Sensitive>,
    /// n·ln n of the first numbers.
    known: Vec<f64>,
}

/// What the entropy of a class is made of.
#[derive(Clone, Copy, Default)]
struct ClassEntropy {
    rows: u64,
    /// Σ r·ln r over the rows of each value.
    sum: f64,
    /// The rows of the most frequent value.
    most: u64,
}

impl ClassEntropy {
    fn entropy(self) -> f64 {
        if self.rows == 0 { 0.0 } else { (self.rows as f64).ln() - self.sum / self.rows as f64 }
    }
}

impl BoundEntropy {
    fn n_ln_n(&self, rows: u64) -> f64 {
        self.known.get(to_usize(rows)).copied().unwrap_or_else(|| n_ln_n(rows))
    }

    fn of(&self, class: &Members<'_>, attribute: &Sensitive) -> ClassEntropy {
        let mut spread = ClassEntropy::default();
        class.tally(attribute.at, |_, rows| {
            spread.rows += rows;
            spread.sum += self.n_ln_n(rows);
            spread.most = spread.most.max(rows);
        });
        spread
    }

    fn of_counts(&self, counts: &[u64]) -> ClassEntropy {
        let sum = counts.iter().map(|&rows| self.n_ln_n(rows)).sum();
        ClassEntropy { rows: counts.iter().sum(), sum, most: counts.iter().copied().max().unwrap_or(0) }
    }

    fn keeps(&self, spread: ClassEntropy) -> bool {
        // No rows have no entropy, and are no class.
        spread.rows > 0 && spread.entropy() >= self.least
    }

    /// At least how many rows must join. Two bounds on the entropy with x rows more, whichever they are: Σ r·ln r does not
    /// fall, and stays when each brings a value of its own; and the most frequent value keeps its rows, while at best the
    /// others share the rest evenly.
    fn lacking(&self, spread: ClassEntropy, values: usize) -> u64 {
        let values = values as f64;
        let is_reachable = values.ln() >= self.least;
        let reaches = |more: u64| {
            let rows = (spread.rows + more) as f64;
            let each_new = rows.ln() - spread.sum / rows;
            let evenly = entropy_beside((spread.most as f64 / rows).max(1.0 / values), values);
            each_new.min(if is_reachable { evenly } else { f64::INFINITY }) >= self.least - ROUNDING
        };
        let (mut no, mut yes) = (0, 1);
        while !reaches(yes) {
            (no, yes) = (yes, yes * 2);
        }
        while yes - no > 1 {
            let middle = no + (yes - no) / 2;
            if reaches(middle) { yes = middle } else { no = middle }
        }
        yes
    }
}

/// The largest entropy of this number of values when one of them has this share: the others are equally frequent.
fn entropy_beside(share: f64, values: f64) -> f64 {
    // A share of 0 adds nothing, and has no logarithm.
    let part = |share: f64| -share * share.max(f64::MIN_POSITIVE).ln();
    part(share) + part(1.0 - share) + (1.0 - share) * (values - 1.0).max(1.0).ln()
}

/// The largest share that one of this number of values can have: beside it the others are at best equally frequent, and then
/// the entropy falls while the share grows.
fn largest_share(values: usize, least: f64) -> f64 {
    let values = values.max(2) as f64;
    let (mut yes, mut no) = (1.0 / values, 1.0);
    for _ in 0..64 {
        let middle = f64::midpoint(yes, no);
        if entropy_beside(middle, values) >= least { yes = middle } else { no = middle }
    }
    no
}

impl BoundModel for BoundEntropy {
    fn share_limits(&self) -> Vec<ShareLimits> {
        let limits = |attribute: &Sensitive| {
            let most = largest_share(attribute.codes, self.least);
            ShareLimits::of_codes(attribute.at, std::iter::repeat_n(most, attribute.codes), false)
        };
        self.attributes.iter().map(limits).collect()
    }

    fn gap(&self, class: &Members<'_>) -> u64 {
        let lacks = |attribute: &Sensitive| {
            let spread = self.of(class, attribute);
            if self.keeps(spread) { 0 } else { self.lacking(spread, attribute.codes) }
        };
        self.attributes.iter().map(lacks).max().unwrap_or(0)
    }

    fn holds(&self, class: &Members<'_>) -> bool {
        self.attributes.iter().all(|attribute| self.keeps(self.of(class, attribute)))
    }

    /// Of all ways to take a number of rows away, taking them from the rarest values leaves the least entropy: what is left is
    /// then as uneven as can be. And the more leave in this way, the less entropy is left.
    fn spare(&self, class: &Members<'_>) -> u64 {
        let spare = |attribute: &Sensitive| {
            let mut counts: Vec<u64> = class.counts(attribute.at).into_iter().map(|count| count.1).collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let total: u64 = counts.iter().sum();
            let keeps_without = |mut gone: u64| {
                let mut left = counts.clone();
                for rows in left.iter_mut().rev() {
                    let take = gone.min(*rows);
                    (*rows, gone) = (*rows - take, gone - take);
                }
                // Rounded to the strict side.
                self.of_counts(&left).entropy() >= self.least + ROUNDING / 2.0
            };
            let (mut yes, mut no) = (0, total.max(1));
            while no - yes > 1 {
                let middle = yes + (no - yes) / 2;
                if keeps_without(middle) { yes = middle } else { no = middle }
            }
            yes
        };
        self.attributes.iter().map(spare).min().unwrap_or(u64::MAX)
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let worst = self.attributes.iter().map(|attribute| (self.of(whole, attribute).entropy(), attribute));
        let worst = worst.min_by(|a, b| a.0.total_cmp(&b.0));
        let (entropy, name) = worst.map_or((0.0, String::new()), |(entropy, worst)| (entropy, worst.name.clone()));
        // Rounded down, so that the ℓ shown is feasible.
        let most = ((entropy.exp() * 1e4).floor() / 1e4).max(1.0);
        let (are, l) = (format!("the effective number of values of “{name}” (exp of entropy) is {most}"), self.l);
        let fact = match whole.counts_people() {
            true => format!("{are}, which is below ℓ = {l}, {AS_A_WHOLE}"),
            false => format!("{are}; some class has at most this number, which is below ℓ = {l}"),
        };
        Infeasible {
            model: ID,
            columns: vec![name],
            fact,
            remedy: format!("use an ℓ of at most {most}, or allow suppression"),
        }
    }

    /// Of all ways to suppress a number of rows, suppressing them from the most frequent values leaves the most
    /// entropy.
    fn excess(&self, whole: &Members<'_>) -> Vec<ExcessRows> {
        let keeps = |rows: &[u64]| self.keeps(self.of_counts(rows));
        self.attributes.iter().flat_map(|attribute| attribute.excess(whole, keeps)).collect()
    }
}
