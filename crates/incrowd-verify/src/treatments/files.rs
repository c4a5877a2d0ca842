//! Are the published cells of treated columns such as their treatment writes?

use std::sync::Arc;

use super::{ColumnTreatment, ItemRule};
use crate::count::Counter;
use crate::options::Options;
use crate::read::{CellEncoder, CellRules, ColumnTexts, MISSING, ReadProgress};
use crate::release::Release;
use crate::verdict::{Fault, FaultKind, Verdict, VerifyError};

/// Replaces a cell that its treatment cannot have written.
const WRONG: &str = "wrong";

/// Adds a fault for each treated column with cells that its treatment cannot have written, and notes what treatments do
/// not promise.
pub(crate) fn check(release: &Release<'_>, options: &Options<'_>, verdict: &mut Verdict) -> Result<(), VerifyError> {
    let columns = release.columns();
    let treated: Vec<(usize, ColumnTreatment)> = columns
        .iter()
        .enumerate()
        .filter_map(|(at, column)| ColumnTreatment::of(column).map(|treatment| (at, treatment)))
        .collect();
    let linking = treated.iter().filter(|(_, treatment)| treatment.is_pseudonym());
    verdict.notes.extend(linking.map(|(at, _)| {
        let name = &columns[*at].name;
        let checked = match release.manifest.policy.known_rows {
            Some(_) => "models about sensitive columns were checked for one row at a time",
            None => "the models were checked for one row at a time",
        };
        format!("rows with the same pseudonym in {name} are linked: {checked}")
    }));
    for (at, treatment) in &treated {
        if let ColumnTreatment::Microaggregate { k, .. } = treatment {
            small_groups(release, *at, *k, options, verdict)?;
        }
        if let ColumnTreatment::Items(rule) = treatment {
            rare_items(release, *at, *rule, options, verdict)?;
        }
        let judged = treatment.clone();
        // A cell counts as right or wrong, whatever its text: few codes are held, however many cells there are.
        let rewrite = move |text: &str| Some(if judged.fits(text) { "right" } else { WRONG }.to_string());
        let rules = CellRules { rewrite: Some(Arc::new(rewrite)), ..CellRules::default() };
        let mut counter = Counter::new(vec![CellEncoder::new(ColumnTexts::default(), rules)], 1);
        let progress = ReadProgress::new(options.cancel, None, release.manifest.rows);
        if !release.count(&[*at], &mut counter, &progress, verdict)? {
            continue;
        }
        let mut wrong = 0;
        let texts = &counter.encoders[0].texts;
        counter.each(|codes, rows| {
            if codes[0] != MISSING && texts.text(codes[0]).is_some_and(|text| &**text == WRONG) {
                wrong += rows;
            }
        });
        if wrong > 0 {
            let message = format!(
                "{wrong} cells of the column {} are not such as the treatment in the manifest writes",
                columns[*at].name
            );
            verdict.faults.push(Fault::new(FaultKind::Treatment, message));
        }
    }
    Ok(())
}

/// Adds a fault when too few rows have some labels of a column of sets together.
fn rare_items(
    release: &Release<'_>,
    at: usize,
    rule: ItemRule,
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    let Some(counter) = values(release, at, options, verdict)? else { return Ok(()) };
    let (texts, mut cells) = (&counter.encoders[0].texts, Vec::new());
    counter.each(|codes, rows| cells.extend(texts.text(codes[0]).map(|text| (&**text, rows))));
    let name = &release.columns()[at].name;
    let message = match rule.rare(&cells) {
        Some(0) => {
            verdict.notes.push(format!(
                "any {} or fewer labels that a row has together in {name} occur together in at least {} rows",
                rule.known, rule.k
            ));
            return Ok(());
        }
        Some(rare) => format!(
            "{rare} combinations of at most {} labels of the column {name} occur in fewer than {} rows",
            rule.known, rule.k
        ),
        None => format!("the column {name} has too many combinations of labels to be checked"),
    };
    verdict.faults.push(Fault::new(FaultKind::Treatment, message));
    Ok(())
}

/// The rows of each published value of a column; nothing when they cannot be read, which is a fault.
fn values(
    release: &Release<'_>,
    at: usize,
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<Option<Counter>, VerifyError> {
    let mut counter = Counter::new(vec![CellEncoder::plain()], 1);
    let progress = ReadProgress::new(options.cancel, None, release.manifest.rows);
    Ok(release.count(&[at], &mut counter, &progress, verdict)?.then_some(counter))
}

/// Adds a fault when a value of a column occurs in fewer than k rows.
fn small_groups(
    release: &Release<'_>,
    at: usize,
    k: u64,
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    let Some(counter) = values(release, at, options, verdict)? else { return Ok(()) };
    let mut small = 0;
    counter.each(|codes, rows| small += u64::from(codes[0] != MISSING && rows < k));
    if small > 0 {
        let name = &release.columns()[at].name;
        let message = format!("{small} published values of the column {name} occur in fewer than {k} rows");
        verdict.faults.push(Fault::new(FaultKind::Treatment, message));
    }
    Ok(())
}
