//! What is known about a release while it is made, for the report that is written with it.
//!
//! Everything is taken from the frequency table, the classes and the recoding that are in memory anyway: the release is
//! not read again. What would cost more than a small share of the run is bounded by its work, and is left out of the report
//! when it does not fit, or when the time limit is over.

mod bare;
mod curve;
mod fingerprint;
mod published;
mod questions;
mod sets;
mod suppressed;

use std::path::Path;
use std::time::Instant;

use incrowd_core::{
    ClassSizes, ColumnSet, FrequencyTable, Measures, Members, Outcome, Partition, QuasiIdentifier, Recoding,
};
use incrowd_engine::Engine;
use incrowd_report::dossier::{InternalDossier, Repeatability, Rounded, WithheldFor};
use incrowd_risk::attack::{ATTACKS, USUAL_THRESHOLD, alone, subtraction};
use incrowd_verify::Manifest;

use super::columns::Columns;
use super::kept_columns::Exposure;
use super::loss_report::BoundOnLoss;
use super::randomness::Randomness;
use super::{AnonymizeOptions, ColumnWhy, Publish, StoppedByClock, tell};
use crate::attack::public_folder;
use crate::error::Result;
use crate::exposure::{Basis, Knowledge, attacks_on_people};
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
    /// The folder with the written files.
    pub(super) staged: &'a Path,
    pub(super) randomness: &'a Randomness,
    pub(super) why: &'a [ColumnWhy],
    pub(super) withheld_for: &'a [super::WithheldFor],
    /// What was attacked before a byte was written.
    pub(super) attacks: &'a [Outcome],
    /// What columns that are published unchanged add to what an attacker knows.
    pub(super) exposure: &'a Exposure,
    /// How many look alike in the original on all known columns, when these are more than the quasi-identifiers.
    pub(super) before: Option<ClassSizes>,
}

/// The dossier of a release of this name.
pub(super) fn of(made: &Made<'_>, title: String) -> Result<InternalDossier> {
    let two = made.options.publish == Publish::TwoTables;
    let (crowds, published) = if two { published::two_tables(made) } else { published::one_table(made) };
    let mut attacks = alone(&crowds, &published, USUAL_THRESHOLD, &published::likeness(made));
    attacks.extend(made.attacks.iter().cloned());
    let (of_bare, bare_not_measured) = bare::attacks(made)?;
    attacks.extend(of_bare);
    let classes = published.classes().iter().map(|class| class.rows).collect();
    attacks.push(subtraction::attack(&public_folder::figures(made.manifest, classes, |_| None)));
    let exposure = made.exposure;
    let after = exposure
        .sizes
        .clone()
        .unwrap_or_else(|| ClassSizes::from_sizes(crowds.classes().iter().map(|crowd| crowd.people)));
    attacks.retain(|outcome| !["prosecutor", "marketer"].contains(&outcome.attack.as_str()));
    let quasi = &made.options.declared.quasi_identifiers;
    attacks.extend(attacks_on_people(&after, &exposure.knowledge, quasi, USUAL_THRESHOLD));
    let place = |id: &str| ATTACKS.iter().position(|entry| entry.id == id).unwrap_or(ATTACKS.len());
    attacks.sort_by_key(|outcome| place(&outcome.attack));

    let mut told = utility(made.manifest, made.why);
    told.with_loss_of_all_rows(made.measures);
    if !two {
        suppressed::by_column(made, &mut told.columns);
        told.bound = made.bound.map(|bound| Rounded::of(bound.bound.best));
        told.ratio = made.bound.and_then(|bound| bound.ratio(made.measures)).map(ratio_told);
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
        before: match made.exposure.knowledge.known.is_empty() {
            true => Some(crowds_before(made, known)),
            false => made.before.clone(),
        },
        after,
        knowledge: made.exposure.knowledge.clone(),
        findings: made.exposure.findings.clone(),
        sets: sets::of(made, known)?,
        withheld_for: made.withheld_for.iter().map(withheld).collect(),
        subgroups: suppressed::by_subgroup(made),
        utility: told,
        not_measured: [bare_not_measured, not_measured(made)].concat(),
    };
    Ok(known.into_dossier())
}

/// The dossier of a release that was solved in shards: nothing was attacked, and no tuple is in memory any more.
pub(super) fn of_shards(
    options: &AnonymizeOptions,
    manifest: &Manifest,
    after: ClassSizes,
    exposure: &Exposure,
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
        after: exposure.sizes.clone().unwrap_or(after),
        knowledge: of_shards_knowledge(options, exposure),
        findings: exposure.findings.clone(),
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

/// The class sizes of shards count rows: with a subject they are not the people that k counts.
fn of_shards_knowledge(options: &AnonymizeOptions, exposure: &Exposure) -> Knowledge {
    let mut knowledge = exposure.knowledge.clone();
    if options.declared.subject.is_some() && knowledge.basis == Basis::Exact {
        knowledge.basis = Basis::RowsNotPeople;
    }
    knowledge
}

/// A ratio as it is told. 1 says that no release loses less, so what is above 1 is not rounded to it.
fn ratio_told(ratio: f64) -> Rounded {
    Rounded::of(if ratio > 1.0 { ratio.max(1.001) } else { ratio })
}

/// How many people look alike in the original. Quasi-identifiers are the first columns of the table, so those who do
/// stand together there.
fn crowds_before(made: &Made<'_>, known: ColumnSet) -> ClassSizes {
    let grouping = made.table.grouping();
    let size = |(start, end): (usize, usize)| Members::of_run(grouping, start, end).size();
    ClassSizes::from_sizes(grouping.runs(known).map(size))
}

/// What the time limit stopped, and what was taken on trust.
fn not_measured(made: &Made<'_>) -> Vec<String> {
    let mut stopped = made.stopped.to_vec();
    let is_late = made.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    stopped.extend((is_late && made.options.publish == Publish::OneTable).then_some(StoppedByClock::Curve));
    let mut not_measured = tell::stopped(&stopped);
    if made.options.declared.rows_are_people {
        not_measured.push(tell::ROWS_ARE_PEOPLE.into());
    }
    not_measured
}
