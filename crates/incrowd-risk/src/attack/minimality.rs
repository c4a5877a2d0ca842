//! Minimality: the fact that a class was generalized says something about it.
//!
//! R. C.-W. Wong, A. W.-C. Fu, K. Wang and J. Pei, "Minimality attack in privacy preserving data publishing", VLDB
//! 2007. An algorithm that loses as little as it can generalizes only where it must. So anyone who sees a generalized
//! class knows that the groups it was made of did *not* keep the policy alone, and may strike out every
//! possibility in which they did.
//!
//! **The toy.** Of two people q1 and five people q2, seven in one class, two have the illness; the policy is that at
//! most half of a class has it. The class claims 2/7 for everyone. But five people of whom at most two are ill keep
//! the policy anyhow, and so do two of whom one is ill. The only possibility in which something had to be generalized
//! is that both of q1 are ill: for them the truth is 1.
//!
//! **What is counted.** The attacker knows how many people of the class are in each group (from the original's
//! quasi-identifiers or a register; the groups are the children of the class's node), the rows with the protected
//! value, and the policy: each class has at least k rows, and at most the share α of them has the value. Every way to
//! deal the sensitive rows to people is equally likely; kept are those in which some group breaks the policy. The
//! posterior of a group is the expected share of its people that have the value. It is exact, without listing the ways:
//! the number of ways in which each group gets a number of them is a product of binomial coefficients, summed up group
//! by group, apart for the ways in which nothing is broken yet.
//!
//! Where no way breaks the policy the algorithm was not minimal, and nothing is learnt (`unexplained`). A group smaller
//! than k explains the class alone, and nothing is learnt either. It holds for attackers who are right about the
//! algorithm, so it is *found*, not proved. Randomized choices and slack are the defence.

use incrowd_core::{FrequencyTable, Outcome, QuasiIdentifier, Ratio, Recoding};
use rayon::prelude::*;

use super::shared::{Truth, part, spread};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "minimality",
    summary: "An attacker who knows that the solver does not generalize without need excludes cases in which there \
              was no need.",
    needs: AttackNeed::Original,
    bounded_by: None,
    reference: "R. C.-W. Wong et al., Minimality attack in privacy preserving data publishing, VLDB 2007",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let truth = material.truth_of_one_table()?;
    Ok(vec![of_truth(material, truth).ok_or(AttackNeed::AlphaRule)?])
}

/// The attack on the first α rule of the policy; nothing when there is none that it can argue with.
fn of_truth(material: &AttackMaterial<'_>, truth: &Truth) -> Option<Outcome> {
    // The attack argues with shares of rows. When people are counted the rule was about other shares.
    let policy = material.policy.as_ref().filter(|_| !material.counts_people)?;
    let rule = policy.models.iter().find(|rule| rule.model == ALPHA)?;
    let name = rule.sensitive.first()?;
    let placement = &truth.placement;
    let secret = placement.table.position(name)?;
    let alpha = rule.parameters.share("alpha")?;
    let dictionary = &placement.table.attributes()[secret].dictionary;
    let values = rule.parameters.values("values");
    let named = values.map(|values| values.iter().filter_map(|value| dictionary.code(value)).collect::<Vec<u32>>());
    let bag = placement.published.sensitive().iter().position(|other| other == name)?;
    let mut classes = Vec::new();
    for (class, members) in placement.whole() {
        // Without named values every one is protected; the most frequent is the nearest to its limit.
        let protected = named.clone().or_else(|| Some(vec![class.most(bag)?.0])).unwrap_or_default();
        let has = |(tuple, _): &&(usize, u64)| protected.contains(&placement.table.code(*tuple, secret));
        let sensitive = members.iter().filter(has).map(|member| member.1).sum();
        // What the class would fall into if one column were one step more precise.
        let groups = (0..truth.columns.len()).filter_map(|column| truth.children(column, class.cells[column], members));
        let groups = groups.map(|children| children.into_iter().map(|child| child.1).collect::<Vec<u64>>());
        let finest = groups.filter(|groups| groups.iter().filter(|&&rows| rows > 0).count() > 1).min_by_key(Vec::len);
        classes.push(Generalized { groups: finest.unwrap_or_else(|| vec![class.rows]), sensitive });
    }
    Some(attack(name, &classes, AlphaPromise { alpha, k: material.k() }))
}

/// The rule that the attack argues with.
const ALPHA: &str = "alpha-deassociation";
/// Classes that need more steps than this are not looked into.
const STEPS: u64 = 1 << 27;
/// Posteriors that differ by no more than this are equal.
const EQUAL: f64 = 1e-9;
/// What is less probable than this is not told apart from what is impossible.
const IMPOSSIBLE: f64 = 1e-280;

/// A class and the groups that it would fall into if one column were one step more precise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generalized {
    /// How many rows are in each group; those with none may be left out.
    pub groups: Vec<u64>,
    /// How many rows of the class have the protected value.
    pub sensitive: u64,
}

/// What the release promises of every class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaPromise {
    /// At most this share has the protected value.
    pub alpha: Ratio,
    /// The least rows of a class.
    pub k: u64,
}

impl Generalized {
    /// The classes of a release, with the groups along the quasi-identifier at this place and the rows that have one of
    /// the protected codes of a sensitive column. A class that is not generalized there along a hierarchy is one group.
    pub fn of_recoding(
        table: &FrequencyTable,
        quasi_identifiers: &[QuasiIdentifier],
        recoding: &Recoding,
        along: usize,
        (sensitive, protected): (usize, &[u32]),
    ) -> Vec<Self> {
        let (mut rows, mut ill) = (vec![0; recoding.classes()], vec![0; recoding.classes()]);
        for tuple in 0..table.tuples() {
            let is_protected = protected.contains(&table.code(tuple, sensitive));
            for &(class, own) in recoding.targets(tuple).iter().filter(|&&(class, _)| class != Recoding::WITHHELD) {
                rows[class as usize] += own;
                ill[class as usize] += if is_protected { own } else { 0 };
            }
        }
        let spread = spread(table, quasi_identifiers, recoding, along).into_iter();
        let groups = spread.zip(rows).map(|(children, rows)| match children {
            Some(children) => children.into_iter().map(|(_, rows)| rows).filter(|&rows| rows > 0).collect(),
            None => vec![rows],
        });
        groups.zip(ill).map(|(groups, sensitive)| Generalized { groups, sensitive }).collect()
    }

    fn rows(&self) -> u64 {
        self.groups.iter().sum()
    }

    fn claim(&self) -> f64 {
        self.sensitive as f64 / self.rows().max(1) as f64
    }

    /// Whether it is a class of several groups: only then was anything generalized.
    fn is_joined(&self) -> bool {
        self.groups.iter().filter(|&&rows| rows > 0).count() > 1
    }

    fn steps(&self) -> u64 {
        (self.groups.len() as u64).saturating_mul(self.sensitive.saturating_mul(self.sensitive))
    }

    /// For each group the probability of the protected value for its people, given that the groups alone broke
    /// the promise; nothing when they cannot have.
    ///
    /// ```
    /// use incrowd_core::Ratio;
    /// use incrowd_risk::attack::minimality::{Generalized, AlphaPromise};
    /// let half = AlphaPromise { alpha: Ratio::new(1, 2).unwrap(), k: 2 };
    /// let class = Generalized { groups: vec![2, 5], sensitive: 2 };
    /// assert_eq!(class.posteriors(half), Some(vec![1.0, 0.0]));
    /// assert_eq!(Generalized { groups: vec![2, 5], sensitive: 1 }.posteriors(half), None);
    /// ```
    ///
    /// # Panics
    /// If more rows have the value than there are.
    pub fn posteriors(&self, promise: AlphaPromise) -> Option<Vec<f64>> {
        let count = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        let all = count(self.sensitive);
        assert!(self.sensitive <= self.rows(), "rows that have the value are rows of the class");
        if self.sensitive == 0 || self.sensitive == self.rows() {
            let breaks = |&rows: &u64| breaks(promise, self.sensitive.min(rows), rows);
            return self.groups.iter().any(breaks).then(|| vec![self.claim(); self.groups.len()]);
        }
        let groups: Vec<Ways> = self.groups.iter().map(|&rows| Ways::of_group(rows, self, promise)).collect();
        let before: Vec<Ways> = groups.iter().scan(Ways::none(), |sum, next| Some(sum.replace_by(next, all))).collect();
        let mut after: Vec<Ways> =
            groups.iter().rev().scan(Ways::none(), |sum, next| Some(sum.replace_by(next, all))).collect();
        after.reverse();
        let posterior = |at: usize| {
            let others = before[at].and(&after[at], all);
            let (mut broken, mut expected) = (0.0, 0.0);
            for own in 0..=all.min(count(self.groups[at])) {
                let group = &groups[at];
                let rest = others.broken_at(all - own) + others.fine_at(all - own);
                let ways = group.broken_at(own) * rest + group.fine_at(own) * others.broken_at(all - own);
                broken += ways;
                expected += ways * own as f64;
            }
            (broken > IMPOSSIBLE).then(|| expected / broken / self.groups[at].max(1) as f64)
        };
        (0..groups.len()).map(posterior).collect()
    }
}

/// Whether a group alone would have broken the promise.
fn breaks(promise: AlphaPromise, sensitive: u64, rows: u64) -> bool {
    rows > 0 && (rows < promise.k || !promise.alpha.allows(sensitive, rows))
}

/// For each number of sensitive rows, how many ways there are to deal them to the people of some groups, apart for
/// those in which no group breaks the promise and those in which one does. All are weighed by the same factor for each
/// sensitive and for each other row, which leaves ratios as they are and makes the weights probabilities: none is too
/// large for a number.
struct Ways {
    fine: Vec<f64>,
    broken: Vec<f64>,
}

impl Ways {
    /// No one has nothing in one way.
    fn none() -> Self {
        Ways { fine: vec![1.0], broken: vec![0.0] }
    }

    fn of_group(rows: u64, class: &Generalized, promise: AlphaPromise) -> Self {
        let share = class.claim();
        let (mut fine, mut broken) = (Vec::new(), Vec::new());
        let mut logarithm = rows as f64 * (1.0 - share).ln();
        for own in 0..=class.sensitive.min(rows) {
            let ways = logarithm.exp();
            let is_broken = breaks(promise, own, rows);
            fine.push(if is_broken { 0.0 } else { ways });
            broken.push(if is_broken { ways } else { 0.0 });
            logarithm += ((rows - own) as f64 / (own + 1) as f64).ln() + (share / (1.0 - share)).ln();
        }
        Ways { fine, broken }
    }

    fn fine_at(&self, sensitive: usize) -> f64 {
        self.fine.get(sensitive).copied().unwrap_or(0.0)
    }

    fn broken_at(&self, sensitive: usize) -> f64 {
        self.broken.get(sensitive).copied().unwrap_or(0.0)
    }

    /// The ways of both, of at most `most` sensitive rows.
    fn and(&self, other: &Ways, most: usize) -> Ways {
        let length = (self.fine.len() + other.fine.len() - 1).min(most + 1);
        let mut both = Ways { fine: vec![0.0; length], broken: vec![0.0; length] };
        for (own, (fine, broken)) in self.fine.iter().zip(&self.broken).enumerate() {
            for (more, (other_fine, other_broken)) in
                other.fine.iter().zip(&other.broken).take(length.saturating_sub(own)).enumerate()
            {
                both.fine[own + more] += fine * other_fine;
                both.broken[own + more] += broken * (other_fine + other_broken) + fine * other_broken;
            }
        }
        both
    }

    /// Adds a group and gives back what was there before.
    fn replace_by(&mut self, next: &Ways, most: usize) -> Ways {
        let sum = self.and(next, most);
        std::mem::replace(self, sum)
    }
}

/// Runs the attack on all classes of a release: the share of the rows for which the value is more probable than
/// promised. The baseline is the share for which the class says so.
pub fn attack(column: &str, classes: &[Generalized], promise: AlphaPromise) -> Outcome {
    let alpha = promise.alpha.to_f64();
    let rows: u64 = classes.iter().map(Generalized::rows).sum();
    let share = |some: u64| some as f64 / rows.max(1) as f64;
    let count = |is_so: &dyn Fn(&Generalized) -> bool| {
        classes.iter().filter(|class| is_so(class)).map(Generalized::rows).sum::<u64>()
    };
    let looked_into = |class: &Generalized| class.is_joined() && class.steps() <= STEPS;
    let posteriors: Vec<Option<Vec<f64>>> =
        classes.par_iter().map(|class| looked_into(class).then(|| class.posteriors(promise)).flatten()).collect();
    let (mut exposed, mut worst, mut unexplained) = (0, 0.0f64, 0);
    for (class, posteriors) in classes.iter().zip(posteriors) {
        unexplained += if looked_into(class) && posteriors.is_none() { class.rows() } else { 0 };
        let posteriors = posteriors.unwrap_or_else(|| vec![class.claim(); class.groups.len()]);
        for (&rows, posterior) in class.groups.iter().zip(posteriors).filter(|&(&rows, _)| rows > 0) {
            worst = worst.max(posterior);
            exposed += if posterior > alpha + EQUAL { rows } else { 0 };
        }
    }
    let claim = classes.iter().map(Generalized::claim).fold(0.0, f64::max);
    let baseline = share(count(&|class| !promise.alpha.allows(class.sensitive, class.rows())));
    Outcome::tried(ENTRY.id, column, exposed as f64, baseline, rows)
        .with("worst", worst)
        .with("worst_claim", claim)
        .with("generalized", share(count(&Generalized::is_joined)))
        .with("unexplained", share(unexplained))
        .with("not_looked_into", share(count(&|class| class.is_joined() && !looked_into(class))))
        .saying(format!(
            "An attacker who knows that the solver does not generalize without need exceeds the promised probability \
             of {} for a protected value of {column}, for {} of the rows; at worst {}, where a class suggests at most \
             {}.",
            part(alpha),
            part(share(exposed)),
            part(worst),
            part(claim),
        ))
}
