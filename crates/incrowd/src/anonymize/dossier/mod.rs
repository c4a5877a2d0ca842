//! What is known about a release while it is made, for the report that is written with it.
//!
//! Everything is taken from the frequency table, the classes and the recoding that are in memory anyway: the release is
//! not read again. What would cost more than a small share of the run is bounded by its work, and is left out of the report
//! when it does not fit, or when the time limit is over.

mod curve;
mod fingerprint;
mod published;
mod questions;
mod sets;
mod suppressed;

use std::time::Instant;

use incrowd_core::dossier::{InternalDossier, Repeatability, Rounded, WithheldFor};
use incrowd_core::{
    ClassSizes, ColumnSet, FrequencyTable, Measures, Members, Outcome, Partition, QuasiIdentifier, Recoding, Role,
};
use incrowd_engine::Engine;
use incrowd_risk::attack::{ATTACKS, USUAL_THRESHOLD, alone};
use incrowd_verify::Manifest;

use super::columns::Columns;
use super::loss_report::BoundOnLoss;
use super::randomness::Randomness;
use super::{AnonymizeOptions, ColumnWhy, Publish, StoppedByClock, tell};
use crate::error::Result;
use crate::report::{Known, utility};

/// A release that was written and verified, with everything it was made from.
pub(super) struct Made<'a> {
    /// When the time limit is over.
    pub(super) deadline: Option<Instant>,
    /// Whether a second run gives the same bytes.
    pub(super) repeatability: Repeatability,
    /// What the time limit stopped so far.
    pub(super) stopped: &'a [StoppedByClock],
    pub(super) engine: &'a Engine,
    pub(super) table: &'a FrequencyTable,
    pub(super) quasi: &'a [QuasiIdentifier],
    pub(super) columns: &'a Columns,
    pub(super) options: &'a AnonymizeOptions,
    pub(super) partition: &'a Partition,
    pub(super) recoding: &'a Recoding,
    pub(super) measures: &'a Measures,
    pub(super) bound: Option<&'a BoundOnLoss>,
    pub(super) manifest: &'a Manifest,
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
    let place = |id: &str| ATTACKS.iter().position(|entry| entry.id == id).unwrap_or(ATTACKS.len());
    attacks.sort_by_key(|outcome| place(&outcome.attack));

    let mut told = utility(made.manifest, made.why);
    if !two {
        suppressed::by_column(made, &mut told.columns);
        told.bound = made.bound.map(|bound| Rounded::of(bound.bound.best));
        told.ratio = made.bound.and_then(|bound| bound.ratio(made.measures)).map(Rounded::of);
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
        repeatability: Some(made.repeatability),
        attacks,
        before: Some(crowds_before(made, known)),
        after: ClassSizes::from_sizes(crowds.classes().iter().map(|crowd| crowd.people)),
        sets: sets::of(made, known)?,
        withheld_for: made.withheld_for.iter().map(withheld).collect(),
        subgroups: suppressed::by_subgroup(made),
        utility: told,
        not_measured: not_measured(made),
    };
    Ok(known.into_dossier())
}

/// The dossier of a release that was solved in shards: nothing was attacked, and no tuple is in memory any more.
pub(super) fn of_shards(
    options: &AnonymizeOptions,
    manifest: &Manifest,
    after: ClassSizes,
    repeatability: Repeatability,
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
        repeatability: Some(repeatability),
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

/// What the time limit stopped, and sensitive columns that no rule is about: they are not in the table of tuples, so nothing
/// was tried on them.
fn not_measured(made: &Made<'_>) -> Vec<String> {
    let protected = made.options.policy.sensitive();
    let bare = made.columns.of(Role::Sensitive).into_iter().filter(|name| !protected.contains(name));
    let bare: Vec<String> = bare.collect();
    let mut stopped = made.stopped.to_vec();
    let is_late = made.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    stopped.extend((is_late && made.options.publish == Publish::OneTable).then_some(StoppedByClock::Curve));
    let mut not_measured = tell::stopped(&stopped);
    if !bare.is_empty() {
        not_measured.push(format!(
            "No rule is about {}, and no attack was run on it here: `incrowd attack` measures what it gives away.",
            bare.join(", ")
        ));
    }
    not_measured
}
