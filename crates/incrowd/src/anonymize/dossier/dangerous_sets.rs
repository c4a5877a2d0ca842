//! Which column sets of the original are dangerous: the search of `check`, bounded by its work.

use incrowd_core::{ColumnSet, SetRisk};
use incrowd_engine::EngineError;
use incrowd_report::dossier::{ColumnSets, SetNumbers};
use incrowd_risk::diagnosis::{BorderSearch, Borders, borders_watched};

use super::Made;
use crate::error::Result;

/// The most tuples that are grouped, over all sets: about a second.
const WORK: u64 = 20_000_000;
/// The largest sets that are looked at.
const LARGEST: usize = 3;

/// The borders of danger at the release's k, up to the largest sets that the work allows; nothing when it allows none.
pub(super) fn of(made: &Made<'_>, columns: ColumnSet) -> Result<Option<(ColumnSets, Vec<SetNumbers>)>> {
    let (table, k, width) = (&made.classes.table, made.run.options.policy.k(), made.classes.quasi.len() as u64);
    let sets = |size: usize| match size {
        1 => width,
        2 => width * (width + 1) / 2,
        _ => width * (width + 1) / 2 + width * width.saturating_sub(1) * width.saturating_sub(2) / 6,
    };
    let fits = |size: &usize| sets(*size).saturating_mul(table.tuples() as u64) <= WORK;
    let Some(largest) = (1..=LARGEST).rev().find(fits).filter(|_| k > 1) else { return Ok(None) };
    let search = BorderSearch::new(k).up_to(largest).among(columns);
    let watch = made.run.engine.watch();
    let found: Borders = match made.run.engine.roll_up(table, || borders_watched(table, &search, &watch)) {
        Ok(found) => found.map_err(|_| EngineError::Cancelled)?,
        Err(EngineError::TooManyTuples { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let risk = |&set: &ColumnSet| {
        let set = found.of(set)?;
        Some(SetRisk { columns: table.names(set.columns), k: set.k, unique: set.unique, below: set.below })
    };
    let dangerous: Vec<SetRisk> = found.smallest_dangerous.iter().filter_map(risk).collect();
    let safe = found.largest_safe.iter().map(|&set| table.names(set)).collect();
    let told = ColumnSets::found(k, &dangerous, safe, found.complete(), found.groupings as u64);
    Ok(Some((told, dangerous.iter().map(SetNumbers::from).collect())))
}
