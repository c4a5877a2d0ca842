//! Recursive (c, ℓ)-diversity: in no class is the most frequent value frequent beyond c times the rare ones.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", ACM TKDD
//! 2007, Def. 4.2: with r₁ ≥ r₂ ≥ … ≥ r_m the rows of the values of a class, r₁ < c·(r_ℓ + r_{ℓ+1} + … + r_m). The
//! sum in brackets is called the tail here. An attacker who can rule out ℓ − 2 of the other values still cannot be
//! sure of the most frequent one. c is exact, and so is the comparison. A missing value is a value.
//!
//! When people are counted: rᵢ are the people of a class who have the value, each person has one value (a table in which some
//! people have several is refused), and the release as a whole has to keep the bound, too.

use super::ModelEntry;
use crate::numbers::Fraction;
use crate::policy::samples::{each_with, ratios};
use crate::policy::sensitive::{AS_A_WHOLE, Sensitive};
use crate::policy::tightest::{ExaminedClass, TightestValue, WorstClass};
use crate::policy::{
    BoundModel, ExcessRows, HoldsFor, Infeasible, Model, ModelError, ParameterEntry, Parameters, ShareLimits, Survives,
    TightestEntry,
};
use crate::{FrequencyTable, Members, Positive, counted, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "In every class, the most frequent sensitive value has less than c times the rows of all values but the \
              ℓ − 1 most frequent: an attacker who rules out ℓ − 2 other values cannot be sure of it.",
    reference: "A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, ℓ-diversity, ACM TKDD 2007",
    parameters: &[C, L],
    example: || Parameters::from_iter([("c", 4), ("l", 3)]),
    samples: |_| each_with(&ratios("c", 1..9, 2), &[1u64, 2, 3, 4], |sample, &l| sample.with("l", l)),
    sensitive: true,
    population: false,
    several_values: false,
    tightest: &[
        TightestEntry::with("recursive_c_l2", "c", HoldsFor::Above, |_| Some(Parameters::from_iter([("l", 2)]))),
        TightestEntry::with("recursive_c_l3", "c", HoldsFor::Above, |_| Some(Parameters::from_iter([("l", 3)]))),
        TightestEntry::with("recursive_l_c1", "l", HoldsFor::UpTo, |_| Some(Parameters::from_iter([("c", 1)]))),
        TightestEntry::with("recursive_l_c2", "l", HoldsFor::UpTo, |_| Some(Parameters::from_iter([("c", 2)]))),
        TightestEntry::with("recursive_l_c3", "l", HoldsFor::UpTo, |_| Some(Parameters::from_iter([("c", 3)]))),
    ],
    new: |given| Ok(Box::new(RecursiveCLDiversity { c: given.number(&C)?, l: given.whole(&L)? })),
    worst_class: |column| Ok((column.several == 0).then(WorstTail::boxed)),
    #[cfg(test)]
    definition: |asked, class, _| {
        let mut sorted: Vec<u64> = class.counts().collect();
        sorted.sort_by_key(|&own| u64::MAX - own);
        let (above, below) = asked.ratio("c");
        let before = usize::try_from(asked.ratio("l").0).ok()? - 1;
        let tail: u64 = sorted.iter().skip(before).sum();
        Some(sorted[0] * below < above * tail)
    },
};

const ID: &str = "recursive-c-l-diversity";
const C: ParameterEntry = ParameterEntry::number(
    "c",
    "c",
    0.0,
    "a number above 0, such as 4 or 0.5",
    "Factor that bounds the rows of the most frequent value by those of the rare values.",
);
const L: ParameterEntry =
    ParameterEntry::whole("l", "ℓ", "Rank from which values count as rare, the most frequent value being the first.");

/// In every class r₁ < c·(r_ℓ + … + r_m) for each named attribute.
///
/// **It survives merging.** Let a and b be the rows of the values of two conforming classes, and top(a) the rows of the
/// ℓ − 1 most frequent values of a. The ℓ − 1 most frequent values of the union have top(a + b) ≤ top(a) + top(b) rows,
/// because the same values have at most top(a) rows in a and top(b) in b. So the tail of the union has at least the rows
/// of both tails, and its most frequent value at most a₁ + b₁ < c·tail(a) + c·tail(b) ≤ c·tail(a + b) rows. It does not
/// survive growth: rows that join may all have the most frequent value. With people, who may be in both classes, it does not
/// survive merging: with c = 3/2 and ℓ = 2 the classes {1: v, 2: w} and {2: w, 3: v} keep it, their union has v twice and w
/// once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecursiveCLDiversity {
    /// How many times as many rows as the tail the most frequent value may not have.
    pub c: Positive,
    /// The value, counted from the most frequent one, with which the tail begins.
    pub l: u64,
}

impl Model for RecursiveCLDiversity {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let c = self.c;
        match self.l {
            0 | 1 => {
                format!(
                    "In every class, the most frequent sensitive value has less than {c} times the rows of all values."
                )
            }
            2 => format!(
                "In every class, the most frequent sensitive value has less than {c} times the rows of all other \
                 values together."
            ),
            l => format!(
                "In every class, the most frequent sensitive value has less than {c} times the rows of all values but \
                 the {} most frequent, so an attacker who rules out {} cannot be sure of a person's value.",
                thousands(l - 1),
                counted(l - 2, "sensitive value", "sensitive values")
            ),
        }
    }

    fn breach(&self) -> String {
        let (c, before) = (self.c, thousands(self.l - 1));
        format!("in which a value has at least c = {c} times the rows of all values but the {before} most frequent")
    }

    fn promise_for_people(&self) -> String {
        let (c, before) = (self.c, thousands(self.l.saturating_sub(1)));
        let than = match self.l {
            0 | 1 => "the number of all people".into(),
            2 => "the number of people with other values".into(),
            _ => format!("the number of people with values other than the {before} most frequent"),
        };
        format!(
            "In each class, and in the release as a whole, the people with the most frequent value are fewer than {c} times \
             {than}."
        )
    }

    fn breach_for_people(&self) -> String {
        let (c, before) = (self.c, thousands(self.l - 1));
        format!("in which a value has at least c = {c} times the people of all values but the {before} most frequent")
    }

    fn survives(&self) -> Survives {
        Survives::Merging
    }

    fn least_rows(&self) -> u64 {
        // The tail must not be empty.
        self.l
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        Ok(Box::new(BoundRecursive { c: self.c, l: self.l, attributes: Sensitive::one_each(ID, table, sensitive)? }))
    }
}

/// The rule for the attributes of one table.
struct BoundRecursive {
    c: Positive,
    l: u64,
    attributes: Vec<Sensitive>,
}

/// The most frequent value and the tail of a class.
#[derive(Default)]
struct HeadAndTail {
    /// The rows of the most frequent value.
    most: u64,
    /// The rows of all but the ℓ − 1 most frequent values.
    tail: u64,
    /// How many values there are.
    values: u64,
}

impl HeadAndTail {
    /// Of a class with these numbers of rows of each value, the most frequent first.
    fn of(descending: &[u64], l: u64) -> HeadAndTail {
        let before = usize::try_from(l - 1).unwrap_or(usize::MAX).min(descending.len());
        HeadAndTail {
            most: descending.first().copied().unwrap_or(0),
            tail: descending[before..].iter().sum(),
            values: descending.len() as u64,
        }
    }
}

impl BoundRecursive {
    fn shape(&self, mut counts: Vec<u64>) -> HeadAndTail {
        counts.sort_unstable_by(|a, b| b.cmp(a));
        HeadAndTail::of(&counts, self.l)
    }

    fn of(&self, class: &Members<'_>, attribute: &Sensitive) -> HeadAndTail {
        let mut counts = Vec::new();
        class.tally(attribute.at, |_, rows| counts.push(rows));
        self.shape(counts)
    }

    /// The fewest rows the tail must have beside a value of `most` rows: r < c·tail for a whole number is tail > ⌊r/c⌋.
    fn needed(&self, most: u64) -> u64 {
        self.c.floor_into(most).saturating_add(1)
    }
}

impl BoundModel for BoundRecursive {
    /// The ℓ − 2 values between the most frequent one and the tail are at least as frequent as those of the tail in the
    /// mean. So of m values the tail has at most (m − ℓ + 1)/(m − 1) of the rows that the most frequent one leaves.
    fn share_limits(&self) -> Vec<ShareLimits> {
        let limits = |attribute: &Sensitive| {
            let (values, before) = (attribute.codes as f64, self.l as f64 - 1.0);
            let tail = ((values - before) / (values - 1.0)).max(0.0);
            let most = self.c.to_f64() * tail / (1.0 + self.c.to_f64() * tail);
            ShareLimits::of_codes(attribute.at, std::iter::repeat_n(most, attribute.codes), false)
        };
        self.attributes.iter().filter(|attribute| self.l > 1 && attribute.codes > 1).map(limits).collect()
    }

    /// A row that joins adds at most one row to the tail, and none as long as there are fewer than ℓ − 1 values; and the most
    /// frequent value loses none.
    fn gap(&self, class: &Members<'_>) -> u64 {
        let lacks = |attribute: &Sensitive| {
            let shape = self.of(class, attribute);
            match self.needed(shape.most).saturating_sub(shape.tail) {
                0 => 0,
                lacking => lacking.saturating_add((self.l - 1).saturating_sub(shape.values)),
            }
        };
        self.attributes.iter().map(lacks).max().unwrap_or(0)
    }

    /// A row that leaves takes at most one row from the tail, and adds none to the most frequent value.
    fn spare(&self, class: &Members<'_>) -> u64 {
        let spare = |attribute: &Sensitive| {
            let shape = self.of(class, attribute);
            shape.tail.saturating_sub(self.needed(shape.most))
        };
        self.attributes.iter().map(spare).min().unwrap_or(u64::MAX)
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let worst = self.attributes.iter().map(|attribute| (self.of(whole, attribute), attribute));
        let worst = worst.max_by_key(|(shape, _)| self.needed(shape.most).saturating_sub(shape.tail));
        let (shape, name) = worst.map(|(shape, attribute)| (shape, attribute.name.clone())).unwrap_or_default();
        let (l, values) = (thousands(self.l), counted(shape.values, "value", "distinct values"));
        let (fact, remedy) = if shape.tail == 0 {
            let fact = format!("“{name}” has {values}, fewer than ℓ = {l}");
            (fact, format!("use an ℓ of at most {}", thousands(shape.values.max(1))))
        } else {
            let (who, so) = match whole.counts_people() {
                true => ("people", AS_A_WHOLE),
                false => ("rows", "and then some class violates the rule, too"),
            };
            let fact = format!(
                "the most frequent value of “{name}” has {} {who}, and the values outside of the ℓ − 1 = {} most \
                 frequent have {}: at least c = {} times as many, {so}",
                thousands(shape.most),
                thousands(self.l - 1),
                thousands(shape.tail),
                self.c
            );
            // Rounded up, so that the number shown is feasible.
            let least = ((shape.most as f64 / shape.tail as f64 * 1e4).floor() + 1.0) / 1e4;
            (fact, format!("use a c of at least {least}, a smaller ℓ, or allow suppression"))
        };
        Infeasible { model: ID, columns: vec![name], fact, remedy }
    }

    /// The tail is concave in the height that the most frequent values are cut to, so the lower the height, the fewer times
    /// the tail it is.
    fn excess(&self, whole: &Members<'_>) -> Vec<ExcessRows> {
        let keeps = |rows: &[u64]| {
            let shape = self.shape(rows.to_vec());
            shape.tail >= self.needed(shape.most)
        };
        self.attributes.iter().flat_map(|attribute| attribute.excess(whole, keeps)).collect()
    }
}

/// The worst classes for some ℓ and for some c.
struct WorstTail {
    /// For ℓ = 2 and ℓ = 3: the rows of the most frequent value divided by those of the tail.
    smallest_c: [Fraction; 2],
    /// For each of [`WorstTail::CS`] the largest ℓ; 0 when there is none.
    largest_l: [u64; 3],
}

impl WorstTail {
    const CS: [u64; 3] = [1, 2, 3];

    fn boxed() -> Box<dyn WorstClass> {
        Box::new(WorstTail { smallest_c: [Fraction::ZERO; 2], largest_l: [u64::MAX; 3] })
    }
}

impl WorstClass for WorstTail {
    fn examine(&mut self, class: &ExaminedClass<'_>) {
        for (worst, l) in self.smallest_c.iter_mut().zip([2, 3]) {
            let HeadAndTail { most, tail, .. } = HeadAndTail::of(class.descending, l);
            *worst = worst.larger(Fraction::new(most, tail));
        }
        for (worst, c) in self.largest_l.iter_mut().zip(Self::CS) {
            *worst = largest_l(class.descending, c).min(*worst);
        }
    }

    fn figures(&self) -> Vec<Option<TightestValue>> {
        let c = self.smallest_c.iter().map(|c| c.rounded_up().map(TightestValue::Decimal));
        let l = self.largest_l.iter().map(|&l| (l > 0).then_some(TightestValue::Whole(l)));
        c.chain(l).collect()
    }
}

/// The largest ℓ for which a class with these rows of each value, the most frequent first, is (c, ℓ)-diverse; 0 when it
/// is for none.
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
