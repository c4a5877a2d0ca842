//! Frequency ℓ-diversity: in no class does a sensitive value have more than a share 1/ℓ of the rows.
//!
//! The ℓ-diversity of X. Xiao and Y. Tao, "Anatomy", VLDB 2006, and of B. Kenig and T. Tassa, "A practical approximation
//! algorithm for optimal k-anonymity", DMKD 2012, section 6: the diversity of a class is its rows divided by those of its
//! most frequent value. ℓ may be any number of at least 1, and is exact. It is α-deassociation of every value with α = 1/ℓ,
//! under the name by which it is known. A missing value is a value.
//!
//! When people are counted: in no class, and not in the release as a whole, does more than one in ℓ people have a value at
//! least once. See α-deassociation for why the whole is named.

use super::ModelEntry;
use crate::numbers::Fraction;
use crate::policy::largest_share::LargestShare;
use crate::policy::samples::ratios;
use crate::policy::sensitive::{AS_A_WHOLE, Sensitive};
use crate::policy::{
    BoundModel, ExcessRows, HoldsFor, Infeasible, Model, ModelError, ParameterEntry, Parameters, ShareLimits, Survives,
    TightestEntry, TooMany,
};
use crate::{FrequencyTable, Members, Positive, Ratio, percent, thousands};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "In every class, at most one in ℓ people has the same sensitive value.",
    reference: "X. Xiao and Y. Tao, Anatomy, VLDB 2006",
    parameters: &[L],
    example: || Parameters::from_iter([("l", 2)]),
    samples: |_| ratios("l", 2..9, 2),
    sensitive: true,
    population: false,
    several_values: true,
    tightest: &[TightestEntry::of("frequency_l", "l", HoldsFor::UpTo)],
    new: |given| Ok(Box::new(FrequencyLDiversity { l: given.number(&L)? })),
    worst_class: |_| {
        Ok(Some(LargestShare::as_figure(|share| Fraction { above: share.below, below: share.above }.rounded_down())))
    },
    #[cfg(test)]
    definition: |asked, class, _| {
        let (above, below) = asked.ratio("l");
        Some(class.counts().all(|rows| rows * above <= class.total() * below))
    },
};

const ID: &str = "frequency-l-diversity";
const L: ParameterEntry = ParameterEntry::number(
    "l",
    "ℓ",
    1.0,
    "a number of at least 1",
    "One divided by the maximum share of a value in a class.",
);

/// In no class does a value of a named attribute have more than 1/ℓ of the rows.
///
/// **It survives merging.** With r₁ ≤ n₁/ℓ and r₂ ≤ n₂/ℓ rows of a value in two classes, r₁ + r₂ ≤ (n₁ + n₂)/ℓ. It does not
/// survive growth: rows that join may all have one value. With people, who may be in both classes, it does not survive
/// merging: see α-deassociation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrequencyLDiversity {
    /// One divided by the largest share; at least 1.
    pub l: Positive,
}

impl Model for FrequencyLDiversity {
    fn id(&self) -> &'static str {
        ID
    }

    fn promise(&self) -> String {
        let share = percent(1.0 / self.l.to_f64());
        format!("In every class, at most {share} of the rows have the same sensitive value.")
    }

    fn breach(&self) -> String {
        format!("in which one value has more than one in ℓ = {} rows", self.l)
    }

    fn promise_for_people(&self) -> String {
        let l = self.l;
        format!(
            "In each class, and in the release as a whole, at most one in {l} people has the same value in their rows there."
        )
    }

    fn breach_for_people(&self) -> String {
        format!("in which more than one in ℓ = {} people has one value", self.l)
    }

    fn survives(&self) -> Survives {
        Survives::Merging
    }

    fn least_rows(&self) -> u64 {
        self.l.ceiling()
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        let share = self.l.inverse().ok_or(ModelError::Parameter { model: ID, name: L.name, needed: L.needed })?;
        Ok(Box::new(BoundFrequency { l: self.l, share, attributes: Sensitive::of(ID, table, sensitive)? }))
    }
}

/// The rule for the attributes of one table.
struct BoundFrequency {
    l: Positive,
    share: Ratio,
    attributes: Vec<Sensitive>,
}

impl BoundFrequency {
    /// The fewest rows that a class must have beside its most frequent value.
    fn needed(&self, class: &Members<'_>) -> u64 {
        let most = self.attributes.iter().map(|attribute| class.most(attribute.at)).max().unwrap_or(0);
        self.share.least_whole(most).unwrap_or(u64::MAX).max(1)
    }
}

impl BoundModel for BoundFrequency {
    fn gap(&self, class: &Members<'_>) -> u64 {
        self.needed(class).saturating_sub(class.size())
    }

    fn spare(&self, class: &Members<'_>) -> u64 {
        class.size().saturating_sub(self.needed(class))
    }

    fn share_limits(&self) -> Vec<ShareLimits> {
        let most = self.share.to_f64();
        let of = |attribute: &Sensitive| {
            ShareLimits::of_codes(attribute.at, std::iter::repeat_n(most, attribute.codes), false)
        };
        self.attributes.iter().map(of).collect()
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let rows = whole.size();
        let most = self.attributes.iter().map(|attribute| (whole.most(attribute.at), attribute.name.clone()));
        let (most, name) = most.max_by_key(|most| most.0).unwrap_or_default();
        // Rounded down, so that the ℓ shown is feasible.
        let feasible = ((rows as f64 / most.max(1) as f64 * 1e4).floor() / 1e4).max(1.0);
        let (most, rows, l) = (thousands(most), thousands(rows), self.l);
        let fact = if whole.counts_people() {
            format!(
                "{most} of {rows} people have the most frequent value of “{name}”, more than one in ℓ = {l}, {AS_A_WHOLE}"
            )
        } else {
            format!(
                "the most frequent value of “{name}” has {most} of {rows} rows; in every release, some class has at least this share, \
                 which is more than one in ℓ = {l}"
            )
        };
        Infeasible {
            model: ID,
            columns: vec![name],
            fact,
            remedy: format!("use an ℓ of at most {feasible}, or allow suppression"),
        }
    }

    fn excess(&self, whole: &Members<'_>) -> Vec<ExcessRows> {
        let keeps = |rows: &[u64]| self.share.allows(rows.iter().copied().max().unwrap_or(0), rows.iter().sum());
        self.attributes.iter().flat_map(|attribute| attribute.excess(whole, keeps)).collect()
    }

    fn too_many(&self, whole: &Members<'_>) -> Vec<TooMany> {
        let allowed = self.share.floor_of(whole.size());
        self.attributes.iter().flat_map(|attribute| TooMany::above(whole, attribute.at, allowed)).collect()
    }
}
