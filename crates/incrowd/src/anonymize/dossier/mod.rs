//! What is known about a release while it is made, for the report that is written with it.
//!
//! Everything is taken from the frequency table, the classes and the recoding that are in memory anyway: the release is
//! not read again. What would cost more than a small share of the run is bounded by its work, known beforehand, or by a
//! short time, and is left out of the report when it does not fit.

mod bare;
mod curve;
mod fingerprint;
mod published;
mod questions;
mod sets;
mod suppressed;

use std::path::Path;
use std::time::Instant;

use incrowd_algorithms::LowerBound;
use incrowd_core::dossier::{InternalDossier, Rounded, WithheldFor};
use incrowd_core::{
    ClassSizes, ColumnSet, FrequencyTable, Measures, Members, Outcome, Partition, QuasiIdentifier, Recoding,
};
use incrowd_engine::Engine;
use incrowd_risk::attack::{ATTACKS, USUAL_THRESHOLD, alone};
use incrowd_verify::Manifest;

use super::columns::Columns;
use super::randomness::Randomness;
use super::{AnonymizeOptions, ColumnWhy, Publish, loss_report};
use crate::error::Result;
use crate::report::{Known, utility};

/// A release that was written and verified, with everything it was made from.
pub(super) struct Made<'a> {
    /// When the run began: what may be spent on the report hangs on it.
    pub(super) started: Instant,
    pub(super) engine: &'a Engine,
    pub(super) table: &'a FrequencyTable,
    pub(super) quasi: &'a [QuasiIdentifier],
    pub(super) columns: &'a Columns,
    pub(super) options: &'a AnonymizeOptions,
    pub(super) partition: &'a Partition,
    pub(super) recoding: &'a Recoding,
    pub(super) measures: &'a Measures,
    pub(super) bound: Option<&'a LowerBound>,
    pub(super) manifest: &'a Manifest,
    /// The folder with the written files.
    pub(super) staged: &'a Path,
    pub(super) randomness: &'a Randomness,
    pub(super) why: &'a [ColumnWhy],
    pub(super) withheld_for: &'a [super::WithheldFor],
    /// What was attacked before a byte was written.
    pub(super) attacks: &'a [Outcome],
}

/// The dossier of a release of this name.
pub(super) fn of(made: &Made<'_>, title: String) -> Result<InternalDossier> {
    let two = made.options.publish == Publish::TwoTables;
    let (crowds, published) = if two { published::two_tables(made) } else { published::one_table(made) };
    let mut attacks = alone(&crowds, &published, USUAL_THRESHOLD, &published::likeness(made));
    attacks.extend(made.attacks.iter().cloned());
    let (of_bare, not_measured) = bare::attacks(made)?;
    attacks.extend(of_bare);
    let place = |id: &str| ATTACKS.iter().position(|entry| entry.id == id).unwrap_or(ATTACKS.len());
    attacks.sort_by_key(|outcome| place(&outcome.attack));

    let mut told = utility(made.manifest, made.why);
    if !two {
        suppressed::by_column(made, &mut told.columns);
        told.bound = made.bound.map(|bound| Rounded::of(bound.best));
        told.ratio = made.bound.and_then(|bound| loss_report::ratio(bound, made.measures)).map(Rounded::of);
        told.curve = curve::of(made)?;
        told.curve_by = (!told.curve.is_empty()).then(|| curve::words(made));
        told.queries = questions::of(made);
    }
    let known: ColumnSet = made.quasi.iter().map(|quasi| quasi.column).collect();
    let withheld =
        |one: &super::WithheldFor| WithheldFor { rule: one.rule.clone(), rows: one.rows, why: one.why.clone() };
    let known = Known {
        title,
        manifest: made.manifest,
        verified: true,
        policy: Some(&made.options.policy),
        context: made.options.context.clone(),
        risk: None,
        command: made.options.command.clone(),
        plan_hash: made.options.plan_hash.clone(),
        fingerprint: Some(fingerprint::of(made)),
        seed: made.options.seed,
        attacks,
        before: Some(crowds_before(made, known)),
        after: ClassSizes::from_sizes(crowds.classes().iter().map(|crowd| crowd.people)),
        sets: sets::of(made, known)?,
        withheld_for: made.withheld_for.iter().map(withheld).collect(),
        subgroups: suppressed::by_subgroup(made),
        utility: told,
        not_measured,
    };
    Ok(known.into_dossier())
}

/// The dossier of a release that was solved in shards: nothing was attacked, and no tuple is in memory any more.
pub(super) fn of_shards(
    options: &AnonymizeOptions,
    manifest: &Manifest,
    after: ClassSizes,
    title: String,
) -> InternalDossier {
    let known = Known {
        title,
        manifest,
        verified: true,
        policy: Some(&options.policy),
        context: options.context.clone(),
        risk: None,
        command: options.command.clone(),
        plan_hash: options.plan_hash.clone(),
        fingerprint: None,
        seed: options.seed,
        attacks: Vec::new(),
        before: None,
        after,
        sets: None,
        withheld_for: Vec::new(),
        subgroups: Vec::new(),
        utility: utility(manifest, &[]),
        not_measured: vec![
            "The table outgrew the memory and was solved in shards, so no attack was run here: `incrowd attack` and \
             `incrowd report --verify` run them on the release."
                .to_owned(),
        ],
    };
    known.into_dossier()
}

/// How many people look alike in the original. Quasi-identifiers are the first columns of the table, so those who do
/// stand together there.
fn crowds_before(made: &Made<'_>, known: ColumnSet) -> ClassSizes {
    let grouping = made.table.grouping();
    let size = |(start, end): (usize, usize)| Members::of_run(grouping, start, end).size();
    ClassSizes::from_sizes(grouping.runs(known).map(size))
}
