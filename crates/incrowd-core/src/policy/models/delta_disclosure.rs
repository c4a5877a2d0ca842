//! δ-disclosure privacy: every sensitive value is about as frequent in each class as in the whole release.
//!
//! J. Brickell and V. Shmatikov, "The cost of privacy", KDD 2008, Def. 4: with p the share of a value in the whole and q its
//! share in a class, |ln(q/p)| < δ for every value of the whole. So every value has to occur in every class. It is the
//! strictest model here: a class needs at least as many rows as there are values. A missing value is a value.
//!
//! e^δ is a floating-point number. The comparison is rounded so that a class that is accepted is at least 10⁻¹² inside; a
//! share that is exactly that of the whole always is. δ must be at least 10⁻⁶.
//!
//! **What the whole is.** The rows that are published, as for t-closeness: see there. When people are counted, p and q are
//! shares of people, each with one value.

use super::ModelEntry;
use crate::policy::sensitive::{Sensitive, Whole};
use crate::{BoundModel, FrequencyTable, Infeasible, Members, Model, ModelError, Parameters, Positive, counted};

pub(crate) const ENTRY: ModelEntry = ModelEntry {
    id: ID,
    summary: "Among people who look alike, every sensitive value is less than e^δ times as frequent or as rare as in the \
              whole release.",
    reference: "J. Brickell and V. Shmatikov, The cost of privacy, KDD 2008",
    example: || Parameters::from_iter([("delta", 1)]),
    sensitive: true,
    new: |parameters| {
        parameters.only(ID, &["delta"])?;
        let delta = parameters.number(ID, "delta", 1e-6, "a number of at least 0.000001, such as 1 or 0.5")?;
        Ok(Box::new(DeltaDisclosure { delta }))
    },
};

const ID: &str = "delta-disclosure";

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
            "Whoever knows in which class somebody is finds no sensitive value more than {times} times as likely or as \
             unlikely as in the whole release."
        )
    }

    fn breach(&self) -> String {
        format!("in which a value is more frequent or rarer than in the whole beyond δ = {}", self.delta)
    }

    fn promise_for_people(&self) -> String {
        let times = (self.delta.to_f64().exp() * 1e3).ceil() / 1e3;
        format!(
            "In each class, the share of people who have any one value is less than {times} times its share among all \
             people of the release, and more than that share divided by {times}."
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

/// The rule for the attributes of one table, against one whole.
struct Bound {
    model: DeltaDisclosure,
    attributes: Vec<(Sensitive, Shares)>,
    /// A class of fewer rows cannot keep it.
    least: u64,
}

/// The smallest and the largest share of each value that occurs.
struct Shares {
    /// By code; both are 0 for values that do not occur.
    of: Vec<(f64, f64)>,
    /// How many values occur.
    values: usize,
}

impl Shares {
    fn new(model: DeltaDisclosure, whole: &Whole) -> Self {
        let (total, times) = (whole.total as f64, model.delta.to_f64().exp());
        let shares = |&rows: &u64| {
            let share = rows as f64 / total;
            (share / times * (1.0 + INSIDE), share * times * (1.0 - INSIDE))
        };
        let of = whole.rows.iter().map(|rows| if *rows == 0 { (0.0, 0.0) } else { shares(rows) }).collect();
        Shares { of, values: whole.occurring().count() }
    }

    /// The fewest rows of any class: each value occurs, and has no larger share than it may have.
    fn least_rows(&self) -> u64 {
        let alone = self.of.iter().filter(|share| share.1 > 0.0).map(|share| fewer(1.0 / share.1));
        alone.max().unwrap_or(0).max(self.values as u64).max(1)
    }

    fn allow(&self, class: &Members<'_>, at: usize, rows: f64) -> bool {
        let (mut met, mut allow) = (0, true);
        class.tally(at, |code, own| {
            let (least, most) = self.of[code as usize];
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
            let most = self.of[code as usize].1;
            own[code as usize] = more;
            needed = needed.max(if most > 0.0 { fewer(more as f64 / most) } else { u64::MAX });
        });
        if needed == u64::MAX {
            return needed;
        }
        let size = needed as f64;
        let lacking =
            self.of.iter().zip(own).map(|(share, own)| fewer(share.0 * size).saturating_sub(own)).sum::<u64>();
        needed.max(rows.saturating_add(lacking))
    }

    /// How many rows may leave: all of one value, so that its share falls most, or none of it, so that it grows most.
    fn spare(&self, class: &Members<'_>, at: usize) -> u64 {
        let (rows, mut spare) = (class.size() as f64, u64::MAX);
        class.tally(at, |code, own| {
            let ((least, most), own) = (self.of[code as usize], own as f64);
            let of_it = (own - least * rows) / (1.0 - least).max(f64::MIN_POSITIVE);
            let of_others = rows - own / most.max(f64::MIN_POSITIVE);
            // Rounded to the side of fewer rows.
            let fewest = of_it.min(of_others) * (1.0 - 1e-9) - 1e-9;
            spare = spare.min(fewest.max(0.0) as u64);
        });
        spare
    }
}

/// A number of rows, rounded up unless it is rounding that made it more.
fn fewer(rows: f64) -> u64 {
    (rows * (1.0 - 1e-9)).ceil() as u64
}

impl Bound {
    fn new(model: DeltaDisclosure, attributes: Vec<Sensitive>, whole: &[Members<'_>]) -> Self {
        let shares = |attribute: Sensitive| {
            let shares = Shares::new(model, &attribute.whole(whole));
            (attribute, shares)
        };
        let attributes: Vec<(Sensitive, Shares)> = attributes.into_iter().map(shares).collect();
        let least = attributes.iter().map(|(_, shares)| shares.least_rows()).max().unwrap_or(1);
        Bound { model, attributes, least }
    }
}

impl BoundModel for Bound {
    fn gap(&self, class: &Members<'_>) -> u64 {
        if self.holds(class) {
            return 0;
        }
        let needed = self.attributes.iter().map(|(attribute, shares)| shares.needed(class, attribute.at, self.least));
        needed.max().unwrap_or(1).saturating_sub(class.size()).max(1)
    }

    fn holds(&self, class: &Members<'_>) -> bool {
        let rows = class.size();
        rows >= self.least
            && self.attributes.iter().all(|(attribute, shares)| shares.allow(class, attribute.at, rows as f64))
    }

    fn spare(&self, class: &Members<'_>) -> u64 {
        if !self.holds(class) {
            return 0;
        }
        self.attributes.iter().map(|(attribute, shares)| shares.spare(class, attribute.at)).min().unwrap_or(u64::MAX)
    }

    fn infeasible(&self, whole: &Members<'_>) -> Infeasible {
        let rows = whole.size() as f64;
        let broken = self.attributes.iter().find(|(attribute, shares)| !shares.allow(whole, attribute.at, rows));
        let (name, values) = broken.map_or((String::new(), 0), |(of, shares)| (of.name.clone(), shares.values as u64));
        let values = counted(values, "value", "values");
        Infeasible {
            model: ID,
            columns: vec![name.clone()],
            fact: format!("the {values} of “{name}” are not spread as in the rows they are compared with"),
            way_out: format!("take a δ above {}", self.model.delta),
        }
    }

    /// The rows that are left are the whole, and the whole is like itself: nothing has to be withheld.
    fn excess(&self, _: &Members<'_>) -> Vec<(usize, u32, u64)> {
        Vec::new()
    }

    fn against(&self, whole: &[Members<'_>]) -> Option<Box<dyn BoundModel>> {
        let attributes = self.attributes.iter().map(|(attribute, _)| attribute.clone()).collect();
        Some(Box::new(Bound::new(self.model, attributes, whole)))
    }
}
