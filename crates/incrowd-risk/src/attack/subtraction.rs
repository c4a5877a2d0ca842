//! Subtraction: figures that are published beside each other give away a count that each of them hides.
//!
//! The attacker holds the public folder: the published rows and classes, the manifest, the page. How many rows were
//! suppressed is hidden when it is small. He writes down every equation and inequality that the published figures obey,
//! with the error that their last digit leaves, and keeps the numbers of suppressed rows that fit all of them:
//!
//! - suppressed = rows of the original − published rows, and both are between the ends that are told;
//! - the policy lets a share of the rows be suppressed, and no more;
//! - a suppressed row counts as 1 in the mean of every loss, so a loss over all rows bounds their share from above, and
//!   is that share where every published cell is a value;
//! - the share of unchanged cells times the rows of the original is a whole number, at most the published rows;
//! - discernibility over all rows is the sum of squared class sizes, which anyone can count, and the suppressed rows
//!   times the rows of the original.
//!
//! A count is *recovered* when a single number fits, or when only numbers from 1 to below the least told number fit:
//! then few people, and at least one, are known to be missing. What the policy alone says is no secret and is not
//! counted.
//!
//! Complementary disclosure by subtraction: L. H. Cox, "Suppression methodology and statistical disclosure control",
//! JASA 1980.

use incrowd_core::{Outcome, Policy, counted};

use super::shared::whole;
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "subtraction",
    summary: "An attacker subtracts published figures to find out how few rows were suppressed.",
    needs: AttackNeed::Manifest,
    bounded_by: None,
    reference: "L. H. Cox, Suppression methodology and statistical disclosure control, JASA 1980",
    run,
};

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    Ok(vec![attack(material.figures.as_ref().ok_or(AttackNeed::Manifest)?)])
}

/// More candidates are not tried one by one.
const MOST_TRIED: u64 = 1_000_000;
/// What sums of floating-point numbers are off by, relatively.
const NOISE: f64 = 1e-12;

/// A published number, with half a unit of its last digit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// The number.
    pub value: f64,
    /// It was rounded by at most this.
    pub error: f64,
}

impl Printed {
    /// A number as it stands in a text: what was rounded is below its last digit. A number of 15 digits or more was not
    /// rounded for the reader; its error is that of floating point.
    ///
    /// ```
    /// use incrowd_risk::attack::subtraction::Printed;
    /// assert_eq!(Printed::read("0.048"), Some(Printed { value: 0.048, error: 0.0005 }));
    /// assert!(Printed::read("0.04800000000000001").is_some_and(|full| full.error < 1e-12));
    /// assert_eq!(Printed::read("about 7"), None);
    /// ```
    pub fn read(text: &str) -> Option<Printed> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let last = 0.5 * 10f64.powi(-i32::try_from(decimals).ok()?);
        Some(Printed { value, error: if digits >= 15 { value.abs() * NOISE } else { last } })
    }

    fn low(self) -> f64 {
        (self.value - self.error).max(0.0)
    }

    fn high(self) -> f64 {
        self.value + self.error
    }
}

/// What a manifest says of one quasi-identifier.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnFigures {
    /// Losses that count a suppressed row as 1: LM, levels raised.
    pub losses: Vec<Printed>,
    /// The share of cells of all rows that are published as they were.
    pub unchanged: Option<Printed>,
    /// Whether every published cell is seen to be a value, and not a label for several.
    pub all_values: bool,
}

/// Every figure of the public folder that depends on the number of suppressed rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PublicFigures {
    /// Published rows.
    pub rows: u64,
    /// The share of rows that the policy lets be suppressed.
    pub suppression: f64,
    /// Counts below this are small.
    pub least_told: u64,
    /// Ends between which the number of suppressed rows is said to be, wherever it is said.
    pub withheld: Vec<(u64, u64)>,
    /// Ends between which the suppressed share of the original is said to be, from 0 to 1.
    pub shares: Vec<(f64, f64)>,
    /// Rows of each published class.
    pub classes: Vec<u64>,
    /// Discernibility over all rows.
    pub dm: Option<Printed>,
    /// What no release can lose less than, and the loss itself, over all rows and columns.
    pub bound: Option<Printed>,
    /// The quasi-identifiers, as far as figures over all rows are told.
    pub columns: Vec<ColumnFigures>,
}

/// The numbers of suppressed rows that fit what is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Possible {
    /// The least of them.
    pub least: u64,
    /// The most of them.
    pub most: u64,
    /// How many there are.
    pub counts: u64,
}

/// The numbers of suppressed rows that fit every figure; nothing when none does.
///
/// ```
/// use incrowd_risk::attack::subtraction::{PublicFigures, possible};
/// let told = PublicFigures { rows: 95, suppression: 0.1, withheld: vec![(0, 9)], ..PublicFigures::default() };
/// assert_eq!(possible(&told).map(|left| left.counts), Some(10));
/// let exact = PublicFigures { withheld: vec![(0, 9), (3, 3)], ..told };
/// assert_eq!(possible(&exact).map(|left| left.counts), Some(1));
/// ```
pub fn possible(told: &PublicFigures) -> Option<Possible> {
    let limits = [by_policy(told), by_ends(told), by_losses(told), by_discernibility(told)];
    let (least, most) = limits.into_iter().fold((0, u64::MAX), |(low, high), (from, to)| (low.max(from), high.min(to)));
    if least > most {
        return None;
    }
    if most - least >= MOST_TRIED {
        return Some(Possible { least, most, counts: most - least });
    }
    let fitting: Vec<u64> = (least..=most).filter(|&withheld| is_whole(told, withheld)).collect();
    Some(Possible { least: *fitting.first()?, most: *fitting.last()?, counts: fitting.len() as u64 })
}

/// Runs the attack. The baseline is a reader of what is stated about suppressed rows, who subtracts nothing and
/// recovers none.
pub fn attack(told: &PublicFigures) -> Outcome {
    let (_, allowed) = by_policy(told);
    let outcome = |recovered: bool| {
        let success = if recovered { 1.0 } else { 0.0 };
        Outcome::proved(ENTRY.id, "", success, 0.0, told.rows).found(recovered)
    };
    if allowed == 0 {
        // That follows from the policy and the published rows, whatever else is published.
        return Outcome::proved(ENTRY.id, "", 0.0, 0.0, told.rows)
            .with("possible_counts", 1.0)
            .saying("The policy does not allow suppression, so there is no hidden count.");
    }
    let Some(left) = possible(told) else {
        return outcome(false)
            .with("possible_counts", 0.0)
            .saying("The published figures contradict each other, so nothing follows from them.");
    };
    let few = left.least > 0 && left.most < told.least_told;
    let said = match (left.counts, few) {
        (1, _) => "Only one number of suppressed rows is consistent with the published figures.".to_owned(),
        (_, true) => "The published figures show that at least one row was suppressed, and only few.".to_owned(),
        (counts, false) => {
            format!(
                "The published figures are consistent with {} of suppressed rows.",
                counted(counts, "number", "different numbers")
            )
        }
    };
    outcome(left.counts == 1 || few).with("possible_counts", left.counts as f64).saying(said)
}

/// What the policy and the published rows say alone.
fn by_policy(told: &PublicFigures) -> (u64, u64) {
    (0, Policy::default().suppressing(told.suppression).most_withheld(told.rows))
}

fn by_ends(told: &PublicFigures) -> (u64, u64) {
    let shares = told.shares.iter().map(|&(low, high)| whole_ends((of_part(told.rows, low), of_part(told.rows, high))));
    let ends = told.withheld.iter().copied().chain(shares);
    ends.fold((0, u64::MAX), |(low, high), (from, to)| (low.max(from), high.min(to)))
}

/// How many rows are missing when they are this share of all: w / (rows + w) = share.
fn of_part(rows: u64, share: f64) -> f64 {
    if share >= 1.0 { f64::INFINITY } else { rows as f64 * share.max(0.0) / (1.0 - share.max(0.0)) }
}

fn by_losses(told: &PublicFigures) -> (u64, u64) {
    let (mut least, mut most) = (0.0f64, f64::INFINITY);
    let rows = told.rows as f64;
    for column in &told.columns {
        for loss in &column.losses {
            most = most.min(of_part(told.rows, loss.high()));
            if column.all_values {
                least = least.max(of_part(told.rows, loss.low()));
            }
        }
        // At most every published row is unchanged; every one is where all cells are values.
        if let Some(unchanged) = column.unchanged.filter(|unchanged| unchanged.low() > 0.0) {
            most = most.min(rows / unchanged.low() - rows);
            if column.all_values {
                least = least.max(rows / unchanged.high() - rows);
            }
        }
    }
    if let Some(bound) =
        told.bound.filter(|_| !told.columns.is_empty() && told.columns.iter().all(|one| one.all_values))
    {
        // The release loses nothing but what was suppressed, and no less than the bound.
        least = least.max(of_part(told.rows, bound.low()));
    }
    whole_ends((least, most))
}

/// The whole numbers between two ends, which divisions leave inexact.
fn whole_ends((least, most): (f64, f64)) -> (u64, u64) {
    let slack = 1e-6;
    (whole((least - slack).ceil()), whole((most + slack).floor()))
}

/// w · (rows + w) = discernibility − Σ size².
fn by_discernibility(told: &PublicFigures) -> (u64, u64) {
    let Some(dm) = told.dm else { return (0, u64::MAX) };
    let squares: f64 = told.classes.iter().map(|&size| (size as f64).powi(2)).sum();
    let rows = told.rows as f64;
    let root = |product: f64| ((rows * rows + 4.0 * product.max(0.0)).sqrt() - rows) / 2.0;
    let error = dm.error.max(NOISE * dm.value);
    whole_ends((root(dm.value - error - squares), root(dm.value + error - squares)))
}

/// Whether the unchanged cells of every column can be a whole number of published rows.
fn is_whole(told: &PublicFigures, withheld: u64) -> bool {
    let all = (told.rows + withheld) as f64;
    told.columns.iter().filter_map(|column| column.unchanged).all(|unchanged| {
        let (low, high) = (unchanged.low() * all - 1e-9 * all, unchanged.high() * all + 1e-9 * all);
        // The error of a sum is far below a row.
        low.ceil() <= high && low.ceil() <= told.rows as f64
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn coarse(rows: u64, suppression: f64, withheld: (u64, u64)) -> PublicFigures {
        let classes = vec![rows];
        PublicFigures { rows, suppression, least_told: 10, withheld: vec![withheld], classes, ..Default::default() }
    }

    fn full(value: f64) -> Option<Printed> {
        Some(Printed { value, error: value * NOISE })
    }

    /// Each figure that a manifest had beside a coarse count gave the count away.
    #[test]
    fn one_figure_over_all_rows_is_enough_to_recover_the_count() {
        let told = coarse(90, 0.2, (0, 9));
        let (rows, withheld) = (90.0, 7.0);
        let all = rows + withheld;
        let dm = PublicFigures { dm: full(rows * rows + withheld * all), ..told.clone() };
        let of_values =
            ColumnFigures { losses: vec![full(withheld / all).unwrap()], all_values: true, unchanged: None };
        let losses = PublicFigures { columns: vec![of_values], ..told.clone() };
        let shares = ColumnFigures { unchanged: full(89.0 / all), ..ColumnFigures::default() };
        let whole = PublicFigures { columns: vec![shares], ..told.clone() };
        for (name, figures) in [("dm", dm), ("loss", losses), ("unchanged", whole)] {
            let found = attack(&figures);
            assert_eq!((found.success, found.evidence.name()), (1.0, "found"), "{name}: {}", found.meaning);
            assert_eq!(possible(&figures).unwrap(), Possible { least: 7, most: 7, counts: 1 }, "{name}");
        }
        assert_eq!(attack(&told).success, 0.0);
    }

    #[test]
    fn a_loss_of_three_decimals_says_of_a_short_table_that_few_rows_are_missing() {
        let loss = Printed { value: 0.045, error: 0.0005 };
        let column = ColumnFigures { losses: vec![loss], all_values: true, unchanged: None };
        let told = PublicFigures { columns: vec![column], ..coarse(85, 0.2, (0, 9)) };
        assert_eq!(possible(&told).unwrap(), Possible { least: 4, most: 4, counts: 1 });
        let long = PublicFigures { rows: 8_500, classes: vec![8_500], withheld: vec![(400, 409)], ..told };
        assert!(possible(&long).unwrap().counts > 5, "of a long table it is far too coarse");
    }

    #[test]
    fn ends_that_meet_give_the_count_away_and_what_the_policy_says_is_no_secret() {
        let shares = PublicFigures { shares: vec![(0.10, 0.11)], ..coarse(90, 0.5, (10, 19)) };
        assert_eq!(attack(&shares).figure("possible_counts"), Some(2.0));
        let meet = PublicFigures { shares: vec![(0.10, 0.105)], ..coarse(90, 0.5, (10, 19)) };
        assert_eq!(attack(&meet).success, 1.0);
        let few = PublicFigures { withheld: vec![(0, 9), (2, 40)], ..coarse(90, 0.5, (0, 9)) };
        assert_eq!(attack(&few).success, 1.0, "somebody is missing, and few are");
        let none = coarse(40, 0.02, (0, 9));
        assert_eq!((attack(&none).success, attack(&none).evidence.name()), (0.0, "proved"));
        assert_eq!(attack(&coarse(40, 0.0, (0, 0))).success, 0.0);
        let absurd = PublicFigures { withheld: vec![(0, 9), (20, 29)], ..coarse(90, 0.5, (0, 9)) };
        assert_eq!(attack(&absurd).success, 0.0);
    }
}
