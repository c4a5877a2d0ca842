//! Record linkage: an attacker who knows the original values of treated columns looks for the row of a person.
//!
//! Distance-based record linkage: D. Pagliuca and G. Seri, "Some Results of Individual Ranking Method on the System of
//! Enterprise Accounts Annual Survey", Esprit SDC Project, 1999; J. Domingo-Ferrer and V. Torra, "A Quantitative
//! Comparison of Disclosure Control Methods for Microdata", in Confidentiality, Disclosure and Data Access, 2001.
//!
//! The manifest says how each column was treated, so the attacker discards the rows that cannot be that person's: another
//! rounded number, a date too far away, two dates of a row that were moved by different numbers of days, a mean of a
//! group that cannot hold the number. Of the rows that are left the nearest are taken: the sum over the columns of the
//! distance from the known number, in units of the noise's scale, of the base of random rounding, or of the mean distance
//! between neighbouring means. All numbers of days are equally likely, so moved dates have no distance. Among rows that
//! are equally near one is picked at random.
//!
//! There are two attackers: one knows the treated columns only and may take any row, the other knows the quasi-identifiers
//! as well and takes only rows whose published cells fit. The baseline of the first is to pick any row, that of the second
//! to pick any row that fits. `before` is the success if the treated columns were published unchanged. It is tried: rows are
//! looked for one at a time, and several known rows of a person may say more.

mod search;

use incrowd_core::{Outcome, counted};

use super::shared::{part, shuffled};
use super::{AttackEntry, AttackMaterial, AttackNeed, AttackNotRun};
use search::RowSearch;

pub(super) const ENTRY: AttackEntry = AttackEntry {
    id: "record-linkage",
    summary: "An attacker who knows the original values of treated columns takes the nearest published row for that of a \
              person.",
    needs: AttackNeed::TreatedColumns,
    bounded_by: None,
    reference: "J. Domingo-Ferrer and V. Torra, A Quantitative Comparison of Disclosure Control Methods for Microdata, in \
                Confidentiality, Disclosure and Data Access, 2001",
    run,
};

/// Number of rows that are looked for.
const TRIED_ROWS: usize = 2_000;

/// How a column was treated, as far as it says which published cells a value may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkageWay {
    /// The cell follows from the value: it is known.
    Known,
    /// A date, moved by at most this number of days, the same for all columns of a row with this number.
    Moved {
        /// The most days.
        days: u32,
    },
    /// A number, rounded at random to one of the two nearest multiples of a base.
    RandomlyRounded {
        /// The base, above 0.
        base: f64,
    },
    /// A number with noise.
    Noise {
        /// The scale of the noise, above 0.
        scale: f64,
    },
    /// A number, as the mean of a group of neighbouring numbers, rounded to a multiple of a base.
    GroupMean {
        /// The base, above 0.
        base: f64,
    },
}

/// A cell of a treated column, known or published.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkageCell {
    /// It is missing. A missing cell stays missing.
    Missing,
    /// What is published of it, by number; for [`LinkageWay::Known`].
    Code(u32),
    /// A number, or a date as days.
    At(f64),
}

/// Published rows that have the same cells in all treated columns.
#[derive(Clone, Debug, PartialEq)]
pub struct TreatedLook {
    /// One cell for each treated column.
    pub cells: Vec<LinkageCell>,
    /// The classes that they are in, each with its rows.
    pub classes: Vec<(u32, u64)>,
}

/// A person, by one row, whom the attacker looks for.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkageTarget {
    /// The original values of the treated columns; for [`LinkageWay::Known`], what is published of them.
    pub known: Vec<LinkageCell>,
    /// The look of the person's published row.
    pub own: usize,
    /// The classes whose published quasi-identifiers fit the person, ascending.
    pub fitting: Vec<u32>,
    /// How many published rows have the same original values in all treated columns.
    pub alike: u64,
    /// How many of them are in classes that fit.
    pub alike_fitting: u64,
}

/// Everything that the attack looks at.
#[derive(Clone, Debug, PartialEq)]
pub struct TreatedRows {
    /// The names of the treated columns.
    pub names: Vec<String>,
    /// How each of them was treated.
    pub ways: Vec<LinkageWay>,
    /// The names of the quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The published rows.
    pub looks: Vec<TreatedLook>,
    /// The rows that are looked for.
    pub targets: Vec<LinkageTarget>,
    /// How many rows could have been looked for.
    pub candidates: u64,
}

impl TreatedRows {
    /// The rows of the table that are looked for, among those that are published: drawn at random, the same in every run.
    pub fn drawn(published: &[usize]) -> Vec<usize> {
        let mut drawn = shuffled(published, 1);
        drawn.truncate(TRIED_ROWS);
        drawn
    }
}

fn run(material: &AttackMaterial<'_>) -> Result<Vec<Outcome>, AttackNotRun> {
    let rows = material.treated_rows.as_ref().map_err(|&need| need)?;
    if rows.targets.is_empty() {
        return Err(AttackNeed::Original.into());
    }
    let search = RowSearch::new(rows);
    let mut outcomes = Vec::new();
    for known in [Knows::Treated, Knows::QuasiIdentifiersToo] {
        if material.watch.cancel.is_cancelled() {
            return Err(AttackNotRun::Stopped);
        }
        if known == Knows::Treated || !rows.quasi_identifiers.is_empty() {
            outcomes.push(attack_knowing(&search, known));
        }
    }
    Ok(outcomes)
}

/// Runs the attack for an attacker who knows the treated columns, and for one who knows the quasi-identifiers, too.
pub fn attack(rows: &TreatedRows) -> [Outcome; 2] {
    let search = RowSearch::new(rows);
    [Knows::Treated, Knows::QuasiIdentifiersToo].map(|known| attack_knowing(&search, known))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Knows {
    Treated,
    QuasiIdentifiersToo,
}

/// What an attacker achieves who knows this.
fn attack_knowing(search: &RowSearch<'_>, known: Knows) -> Outcome {
    let rows = search.rows;
    let all: u64 = rows.looks.iter().flat_map(|look| &look.classes).map(|(_, rows)| rows).sum();
    let mut in_class = vec![0u64; search.classes];
    rows.looks.iter().flat_map(|look| &look.classes).for_each(|&(class, rows)| in_class[class as usize] += rows);
    let (mut chances, mut before, mut baseline) = (Vec::new(), 0.0, 0.0);
    for target in &rows.targets {
        let mut fits = vec![known == Knows::Treated; search.classes];
        for &class in target.fitting.iter().filter(|class| (**class as usize) < search.classes) {
            fits[class as usize] = true;
        }
        chances.push(search.chance(target, &fits));
        let (alike, fitting) = match known {
            Knows::Treated => (target.alike, all),
            Knows::QuasiIdentifiersToo => (
                target.alike_fitting,
                in_class.iter().zip(&fits).filter(|(_, fits)| **fits).map(|(rows, _)| rows).sum(),
            ),
        };
        before += 1.0 / alike.max(1) as f64;
        baseline += 1.0 / fitting.max(1) as f64;
    }
    let tried = rows.targets.len().max(1) as f64;
    let unique = chances.iter().filter(|&&chance| chance == 1.0).count() as f64 / tried;
    let worst = chances.iter().copied().fold(0.0, f64::max);
    let (right, before, baseline) = (chances.iter().sum::<f64>(), before / tried, baseline / tried);
    let on = match known {
        Knows::Treated => "treated columns",
        Knows::QuasiIdentifiersToo => "treated columns and quasi-identifiers",
    };
    let mut outcome = Outcome::tried(ENTRY.id, on, right, baseline, rows.targets.len() as u64);
    outcome.sampled = rows.targets.len() as f64 / rows.candidates.max(1) as f64;
    let meaning = meaning(rows, known, outcome.success, unique, before);
    outcome.with("before", before).with("unique", unique).with("worst", worst).saying(meaning)
}

fn meaning(rows: &TreatedRows, known: Knows, success: f64, unique: f64, before: f64) -> String {
    let treated = rows.names.join(", ");
    let knows = match known {
        Knows::Treated => format!("the original values of {treated}"),
        Knows::QuasiIdentifiersToo => {
            format!("the original values of {treated} and of {}", rows.quasi_identifiers.join(", "))
        }
    };
    format!(
        "An attacker who knows {knows} of {} picks the right one in {} of the cases; for {} of the rows it is the only \
         nearest one. If {} were published unchanged, the right row would be picked in {} of the cases.",
        counted(rows.targets.len() as u64, "row", "rows"),
        part(success),
        part(unique),
        treated,
        part(before),
    )
}
