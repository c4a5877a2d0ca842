//! β-likeness: no sensitive value is relatively much more frequent in a class than in the whole release.
//!
//! J. Cao and P. Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012: with p the share of a
//! value in the whole and q its share in a class, the gain (q − p)/p of a value that is more frequent in the class is at
//! most β (basic, Def. 2), or at most min(β, −ln p) (enhanced, Def. 3), which bounds frequent values more tightly. So
//! rare values are protected as well as frequent ones, which an absolute distance such as t-closeness does not do. Values
//! that are less frequent in a class are not bounded. A missing value is a value.
//!
//! The basic rule is compared exactly. −ln p is rounded so that a class that is accepted is at least 10⁻¹² inside.
//!
//! **What the whole is.** The rows that are published, as for t-closeness: see there. When people are counted, p and q are
//! shares of people, each with one value.

use super::ModelEntry;
use crate::numbers::at_most;
use crate::policy::sensitive::{Sensitive, Whole};
use crate::{BoundModel, FrequencyTable, Infeasible, Members, Model, ModelError, Parameters, Positive};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Among people who look alike, no sensitive value is more than 1 + β times as frequent as in the whole release.",
    reference: "J. Cao and P. Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012",
    example: || Parameters::from_iter([("beta", 1)]),
    sensitive: true,
    new: |parameters| {
        parameters.only(ID, &["beta", "rule"])?;
        let rule = parameters.word(ID, "rule", &["basic", "enhanced"], "`basic` or `enhanced`")?;
        let beta = parameters.number(ID, "beta", 0.0, "a number above 0, such as 1 or 0.5")?;
        Ok(Box::new(BetaLikeness { beta, enhanced: rule == "enhanced" }))
    },
};

const ID: &str = "beta-likeness";

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
        let more = if self.enhanced { ", and frequent ones even less" } else { "" };
        format!(
            "Whoever knows in which class somebody is finds no sensitive value more than {times} times as likely as in the \
             whole release{more}."
        )
    }

    fn breach(&self) -> String {
        format!("in which a value is more frequent than in the whole beyond β = {}", self.beta)
    }

    fn promise_for_people(&self) -> String {
        let times = self.beta.to_f64() + 1.0;
        let more = if self.enhanced { "; for frequent values even less" } else { "" };
        format!(
            "In each class, the share of people who have any one value is at most {times} times its share among all people \
             of the release{more}."
        )
    }

    fn survives_merging(&self) -> bool {
        true
    }

    fn survives_growth(&self) -> bool {
        false
    }

    fn compares(&self) -> bool {
        true
    }

    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError> {
        Ok(Box::new(Bound::new(*self, Sensitive::one_each(ID, table, sensitive)?, &[Members::whole(table)])))
    }
}

/// The largest share of each value in a class, for the attributes of one table and one whole.
struct Bound {
    model: BetaLikeness,
    attributes: Vec<Sensitive>,
    limits: Vec<Vec<Limit>>,
}

/// The largest share of a value in a class, as a ratio.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    above: u128,
    below: u128,
}

/// The enhanced bound is a multiple of this part.
const PARTS: u128 = 1 << 62;

impl Limit {
    fn new(model: BetaLikeness, rows: u64, total: u64) -> Limit {
        let (above, below) = (u128::from(model.beta.numerator()), u128::from(model.beta.denominator()));
        let share = rows as f64 / total.max(1) as f64;
        if !model.enhanced || -share.ln() >= model.beta.to_f64() {
            return Limit { above: (above + below) * u128::from(rows), below: below * u128::from(total) };
        }
        Limit::enhanced(rows, total)
    }

    /// The share with a gain of −ln p, which the enhanced rule never exceeds, however large β is.
    pub(crate) fn enhanced(rows: u64, total: u64) -> Limit {
        // A value that all rows have is told by nothing.
        if rows == total {
            return Limit { above: 1, below: 1 };
        }
        let share = rows as f64 / total as f64;
        let largest = (1.0 - share.ln()) * share * (1.0 - 1e-12);
        Limit { above: (largest * PARTS as f64) as u128, below: PARTS }
    }

    pub(crate) fn allows(self, rows: u64, class: u64) -> bool {
        at_most(u128::from(rows), self.below, self.above, u128::from(class))
    }

    /// The fewest rows a class with so many of the value must have.
    fn needed(self, rows: u64) -> u64 {
        if self.above == 0 {
            return u64::MAX;
        }
        // Divided with rounding, then mended: one step is enough unless a table has more than 10¹⁵ rows.
        let mut needed = (rows as f64 * (self.below as f64 / self.above as f64)) as u64;
        while !self.allows(rows, needed) {
            needed += 1;
        }
        while needed > rows && self.allows(rows, needed - 1) {
            needed -= 1;
        }
        needed.max(rows)
    }
}

impl Bound {
    fn new(model: BetaLikeness, attributes: Vec<Sensitive>, whole: &[Members<'_>]) -> Self {
        let limits = |attribute: &Sensitive| {
            let Whole { rows, total } = attribute.whole(whole);
            rows.into_iter().map(|rows| Limit::new(model, rows, total)).collect()
        };
        Bound { model, limits: attributes.iter().map(limits).collect(), attributes }
    }

    /// The fewest rows a class with these values must have.
    fn needed(&self, class: &Members<'_>) -> u64 {
        let mut needed = 1;
        for (attribute, limits) in self.attributes.iter().zip(&self.limits) {
            class.tally(attribute.at, |code, rows| needed = limits[code as usize].needed(rows).max(needed));
        }
        needed
    }
}

impl BoundModel for Bound {
    fn gap(&self, class: &Members<'_>) -> u64 {
        if self.holds(class) { 0 } else { self.needed(class).saturating_sub(class.size()) }
    }

    fn holds(&self, class: &Members<'_>) -> bool {
        let (size, mut holds) = (class.size(), class.size() > 0);
        for (attribute, limits) in self.attributes.iter().zip(&self.limits) {
            class.tally(attribute.at, |code, rows| holds = holds && limits[code as usize].allows(rows, size));
        }
        holds
    }

    fn spare(&self, class: &Members<'_>) -> u64 {
        class.size().saturating_sub(self.needed(class))
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let (size, mut name) = (whole.size(), String::new());
        for (attribute, limits) in self.attributes.iter().zip(&self.limits) {
            whole.tally(attribute.at, |code, rows| {
                if !limits[code as usize].allows(rows, size) {
                    name.clone_from(&attribute.name);
                }
            });
        }
        Infeasible {
            model: ID,
            columns: vec![name.clone()],
            fact: format!(
                "a value of “{name}” is more than β = {} times more frequent than in the rows it is compared with",
                self.model.beta
            ),
            way_out: "take a larger β".into(),
        }
    }

    /// The rows that are left are the whole, and the whole is like itself: nothing has to be withheld.
    fn excess(&self, _: &Members<'_>) -> Vec<(usize, u32, u64)> {
        Vec::new()
    }

    fn against(&self, whole: &[Members<'_>]) -> Option<Box<dyn BoundModel>> {
        Some(Box::new(Bound::new(self.model, self.attributes.clone(), whole)))
    }
}
