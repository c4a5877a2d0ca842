//! Recursive (c, ℓ)-diversity: in no class is the most frequent value frequent beyond c times the rare ones.
//!
//! A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, "ℓ-diversity: privacy beyond k-anonymity", ACM TKDD
//! 2007, Def. 4.2: with r₁ ≥ r₂ ≥ … ≥ r_m the rows of the values of a class, r₁ < c·(r_ℓ + r_{ℓ+1} + … + r_m). What
//! stands in brackets is called the tail here. An adversary who can rule out ℓ − 2 of the other values still cannot be
//! sure of the most frequent one. c is exact, and so is the comparison. A missing value is a value.
//!
//! When people are counted: rᵢ are the people of a class who have the value, each person has one value (a table in which some
//! people have several is refused), and the release as a whole has to keep the bound, too.

use super::ModelEntry;
use crate::policy::sensitive::{AS_A_WHOLE, Sensitive};
use crate::{
    BoundModel, FrequencyTable, Infeasible, Members, Model, ModelError, Parameters, Positive, counted, thousands,
};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Among people who look alike, the most frequent sensitive value has less than c times the rows of all but \
              the ℓ − 1 most frequent ones: nobody is sure of it even after ruling out ℓ − 2 others.",
    reference: "A. Machanavajjhala, D. Kifer, J. Gehrke and M. Venkitasubramaniam, ℓ-diversity, ACM TKDD 2007",
    example: || Parameters::from_iter([("c", 4), ("l", 3)]),
    sensitive: true,
    new: |parameters| {
        parameters.only(ID, &["c", "l"])?;
        let c = parameters.number(ID, "c", 0.0, "a number above 0, such as 4 or 0.5")?;
        Ok(Box::new(RecursiveCLDiversity { c, l: parameters.whole(ID, "l")? }))
    },
};

const ID: &str = "recursive-c-l-diversity";

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
                format!("In every class the most frequent sensitive value has less than {c} times the rows of all.")
            }
            2 => format!(
                "In every class the most frequent sensitive value has less than {c} times as many rows as the others \
                 together."
            ),
            l => format!(
                "Even somebody who can rule out {} cannot be sure of the one that a person has: in every class the most \
                 frequent value has less than {c} times as many rows as all but the {} most frequent together.",
                counted(l - 2, "sensitive value", "sensitive values"),
                thousands(l - 1)
            ),
        }
    }

    fn breach(&self) -> String {
        let (c, before) = (self.c, thousands(self.l - 1));
        format!("in which a value has not less than c = {c} times the rows of all but the {before} most frequent ones")
    }

    fn promise_for_people(&self) -> String {
        let (c, before) = (self.c, thousands(self.l.saturating_sub(1)));
        let than = match self.l {
            0 | 1 => "the number of all people".into(),
            2 => "the number of people with other values".into(),
            _ => format!("the number of people with values other than the {before} most frequent ones"),
        };
        format!(
            "In each class, and in the release as a whole, the people with the most frequent value are fewer than {c} times \
             {than}."
        )
    }

    fn breach_for_people(&self) -> String {
        let (c, before) = (self.c, thousands(self.l - 1));
        format!(
            "in which a value has not less than c = {c} times the people of all but the {before} most frequent ones"
        )
    }

    fn survives_merging(&self) -> bool {
        true
    }

    fn survives_growth(&self) -> bool {
        false
    }

    fn least_rows(&self) -> u64 {
        // The tail must not be empty.
        self.l
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        Ok(Box::new(Bound { c: self.c, l: self.l, attributes: Sensitive::one_each(ID, table, sensitive)? }))
    }
}

/// The rule for the attributes of one table.
struct Bound {
    c: Positive,
    l: u64,
    attributes: Vec<Sensitive>,
}

/// The most frequent value and the tail of a class.
#[derive(Default)]
pub(crate) struct Shape {
    /// The rows of the most frequent value.
    pub(crate) most: u64,
    /// The rows of all but the ℓ − 1 most frequent values.
    pub(crate) tail: u64,
    /// How many values there are.
    values: u64,
}

impl Shape {
    /// The shape of a class with so many rows of each value, the most frequent first.
    pub(crate) fn of(descending: &[u64], l: u64) -> Shape {
        let before = usize::try_from(l - 1).unwrap_or(usize::MAX).min(descending.len());
        Shape {
            most: descending.first().copied().unwrap_or(0),
            tail: descending[before..].iter().sum(),
            values: descending.len() as u64,
        }
    }
}

impl Bound {
    fn shape(&self, mut counts: Vec<u64>) -> Shape {
        counts.sort_unstable_by(|a, b| b.cmp(a));
        Shape::of(&counts, self.l)
    }

    fn of(&self, class: &Members<'_>, attribute: &Sensitive) -> Shape {
        let mut counts = Vec::new();
        class.tally(attribute.at, |_, rows| counts.push(rows));
        self.shape(counts)
    }

    /// The fewest rows the tail must have beside a value of so many: r < c·tail for a whole number is tail > ⌊r/c⌋.
    fn needed(&self, most: u64) -> u64 {
        self.c.floor_into(most).saturating_add(1)
    }
}

impl BoundModel for Bound {
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
        let (l, values) = (thousands(self.l), counted(shape.values, "value", "different values"));
        let (fact, way_out) = if shape.tail == 0 {
            let fact = format!("“{name}” has {values}, fewer than ℓ = {l}");
            (fact, format!("take ℓ of at most {}", thousands(shape.values.max(1))))
        } else {
            let (who, so) = match whole.counts_people() {
                true => ("people", AS_A_WHOLE),
                false => ("rows", "and then some class always breaks the rule, too"),
            };
            let fact = format!(
                "the most frequent value of “{name}” has {} {who}, those outside of the ℓ − 1 = {} most frequent ones have \
                 {}: not less than c = {} times as many, {so}",
                thousands(shape.most),
                thousands(self.l - 1),
                thousands(shape.tail),
                self.c
            );
            // Rounded up, so that the number shown is feasible.
            let least = ((shape.most as f64 / shape.tail as f64 * 1e4).floor() + 1.0) / 1e4;
            (fact, format!("take c of at least {least}, a smaller ℓ, or let rows be withheld"))
        };
        Infeasible { model: ID, columns: vec![name], fact, way_out }
    }

    /// The tail is concave in the height that the most frequent values are cut to, so the lower the height, the fewer times
    /// the tail it is.
    fn excess(&self, whole: &Members<'_>) -> Vec<(usize, u32, u64)> {
        let keeps = |rows: &[u64]| {
            let shape = self.shape(rows.to_vec());
            shape.tail >= self.needed(shape.most)
        };
        self.attributes.iter().flat_map(|attribute| attribute.excess(whole, keeps)).collect()
    }
}
