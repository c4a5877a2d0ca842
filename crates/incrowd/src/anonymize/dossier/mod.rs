//! What is known about a release while it is made, for the report that is written with it.
//!
//! Everything is taken from the frequency table, the classes and the recoding that are in memory anyway: the release is
//! not read again. What would cost more than a small share of the run is bounded by its work, and is left out of the
//! report when it does not fit, or when the time limit is over.

mod curve;
mod dangerous_sets;
mod fingerprint;
mod published;
mod query_error;
mod suppressed;
mod unprotected_columns;

use std::path::Path;

use incrowd_core::{ClassSizes, ColumnSet, Members, Outcome, Ratio, Treatment};
use incrowd_engine::Question;
use incrowd_report::dossier::{InternalDossier, Repeatability, Rounded, Utility};
use incrowd_risk::attack::journalist::{self, Register};
use incrowd_risk::attack::{ATTACKS, Published, PublishedClass, USUAL_THRESHOLD, alone, subtraction};
use incrowd_verify::Manifest;

use super::kept_columns::Exposure;
use super::prepare::Prepared;
use super::solve::{ClassesInMemory, SolveSummary};
use super::time_limit::StoppedByClock;
use super::write::{WrittenClasses, WrittenRelease};
use super::{AnonymizeOptions, Publish, notes};
use crate::ask::attack::public_folder;
use crate::error::Result;
use crate::exposure::{Basis, Knowledge, attacks_on_people, within_limits};
use crate::release::name_of;
use crate::report::{Known, utility};

/// A release that was written and verified, with everything it was made from.
struct Made<'a> {
    run: &'a Prepared<'a>,
    classes: &'a ClassesInMemory,
    summary: &'a SolveSummary,
    manifest: &'a Manifest,
    /// What columns that are published unchanged add to what an attacker knows.
    exposure: &'a Exposure,
    /// The folder with the written files.
    staged: &'a Path,
}

/// The dossier of a release whose classes are in memory. Its files are in the folder `staged`.
pub(super) fn of(
    run: &Prepared<'_>,
    classes: &ClassesInMemory,
    written: &WrittenRelease,
    repeatability: Repeatability,
    staged: &Path,
) -> Result<InternalDossier> {
    let WrittenRelease { summary, manifest, exposure, .. } = written;
    let made = &Made { run, classes, summary, manifest, exposure, staged };
    let before = sizes_before(made)?;
    let two = run.options.publish == Publish::TwoTables;
    let (crowds, published) = if two { published::two_tables(made) } else { published::one_table(made) };
    let of_crowds = || ClassSizes::from_sizes(crowds.classes().iter().map(|crowd| crowd.people));
    let after = exposure.sizes.clone().unwrap_or_else(of_crowds);
    let (attacks, unprotected_not_measured) = attacks(made, &crowds, &published, &after)?;
    let utility = if two { utility_of_all_rows(made) } else { utility_of_generalized(made)? };
    let columns = quasi_identifiers(made);
    let known = Known {
        fingerprint: Some(fingerprint::of(made)),
        attacks,
        before,
        sets: dangerous_sets::of(made, columns)?,
        withheld_for: summary.withheld_for.clone(),
        subgroups: suppressed::by_subgroup(made),
        not_measured: [unprotected_not_measured, not_measured(made)].concat(),
        ..known(run, written, repeatability, after, utility)
    };
    Ok(known.into_dossier())
}

/// The dossier of a release that was solved in shards: nothing was attacked, and no tuple is in memory any more.
pub(super) fn of_shards(run: &Prepared<'_>, written: &WrittenRelease, repeatability: Repeatability) -> InternalDossier {
    let counted = || match &written.classes {
        WrittenClasses::Sizes(sizes, _) => sizes.clone(),
        WrittenClasses::InMemory(_) => ClassSizes::default(),
    };
    let after = written.exposure.sizes.clone().unwrap_or_else(counted);
    let known = Known {
        knowledge: of_shards_knowledge(run.options, &written.exposure),
        not_measured: vec![
            "The table did not fit in memory and was solved in shards, so no attack was run: `incrowd attack` and \
             `incrowd report --verify` run the attacks on the release."
                .to_owned(),
        ],
        ..known(run, written, repeatability, after, utility(&written.manifest, &[]))
    };
    known.into_dossier()
}

/// What is known of every release, however it was solved.
fn known<'a>(
    run: &Prepared<'a>,
    written: &'a WrittenRelease,
    repeatability: Repeatability,
    after: ClassSizes,
    utility: Utility,
) -> Known<'a> {
    let options = run.options;
    Known {
        title: name_of(run.target),
        manifest: &written.manifest,
        verified: true,
        population_checked: true,
        policy: Some(&options.policy),
        context: options.context.clone(),
        risk: options.risk.risk.map(Ratio::to_f64),
        chosen: notes::chosen_attacker(options),
        command: options.command.clone(),
        plan_hash: options.plan_hash.clone(),
        fingerprint: None,
        seed: options.seed,
        repeatability: Some(repeatability),
        attacks: Vec::new(),
        before: None,
        after,
        knowledge: written.exposure.knowledge.clone(),
        findings: written.exposure.findings.clone(),
        sets: None,
        withheld_for: Vec::new(),
        subgroups: Vec::new(),
        utility,
        not_measured: Vec::new(),
    }
}

/// What attacks achieve on the release, in the order of the list of attacks, and what could not be measured.
fn attacks(
    made: &Made<'_>,
    crowds: &Published,
    published: &Published,
    after: &ClassSizes,
) -> Result<(Vec<Outcome>, Vec<String>)> {
    let mut attacks = alone(crowds, published, USUAL_THRESHOLD, &published::likeness(made));
    attacks.extend(made.summary.attacks.iter().cloned());
    let (of_unprotected, not_measured) = unprotected_columns::attacks(made)?;
    attacks.extend(of_unprotected);
    let classes = published.classes().iter().map(|class| class.rows).collect();
    attacks.push(subtraction::attack(&public_folder::figures(made.manifest, classes, |_| None)));
    attacks.extend(journalist_with_population(made, crowds));
    attacks.retain(|outcome| !["prosecutor", "marketer"].contains(&outcome.attack.as_str()));
    let quasi = &made.run.options.declared.quasi_identifiers;
    attacks.extend(attacks_on_people(after, &made.exposure.knowledge, quasi, USUAL_THRESHOLD));
    let place = |id: &str| ATTACKS.iter().position(|entry| entry.id == id).unwrap_or(ATTACKS.len());
    attacks.sort_by_key(|outcome| place(&outcome.attack));
    Ok((attacks, not_measured))
}

/// What an attacker with the population achieves, if the policy is about one.
fn journalist_with_population(made: &Made<'_>, crowds: &Published) -> Option<Outcome> {
    let population = made.run.options.policy.population.as_ref()?;
    let cells = |class: &PublishedClass| made.classes.recoding.cells(class.cells[0]);
    let fitting = crowds.classes().iter().map(|class| population.matching(cells(class))).collect();
    let register = Register { people: population.people(), fitting };
    Some(journalist::attack(crowds, &register, USUAL_THRESHOLD))
}

/// What readers lose and keep, suppressed rows included.
fn utility_of_all_rows(made: &Made<'_>) -> Utility {
    let mut told = utility(made.manifest, &made.summary.why);
    told.with_loss_of_all_rows(&made.summary.measures);
    told
}

/// The same for a release that generalizes, with the levels of its columns, the bound, the curve and the query error.
fn utility_of_generalized(made: &Made<'_>) -> Result<Utility> {
    let (bound, measures) = (made.summary.bound, &made.summary.measures);
    let mut told = utility_of_all_rows(made);
    suppressed::by_column(made, &mut told.columns);
    told.bound = bound.map(|bound| Rounded::of(bound.bound.best));
    told.ratio = bound.and_then(|bound| bound.ratio(measures)).map(ratio_told);
    told.curve = curve::of(made)?;
    told.curve_by = (!told.curve.is_empty()).then(|| curve::words(made));
    told.queries = query_error::of(made);
    Ok(told)
}

/// The class sizes of shards count rows: with a subject they are not the people that k counts.
fn of_shards_knowledge(options: &AnonymizeOptions, exposure: &Exposure) -> Knowledge {
    let mut knowledge = exposure.knowledge.clone();
    if options.declared.subject.is_some() && knowledge.basis == Basis::Exact {
        knowledge.basis = Basis::RowsNotPeople;
    }
    knowledge
}

/// A ratio as it is published. 1 says that no release loses less, so what is above 1 is not rounded to it.
fn ratio_told(ratio: f64) -> Rounded {
    Rounded::of(if ratio > 1.0 { ratio.max(1.001) } else { ratio })
}

fn quasi_identifiers(made: &Made<'_>) -> ColumnSet {
    made.classes.quasi.iter().map(|quasi| quasi.column).collect()
}

/// Class sizes of the original on all columns that an attacker could know, so that the risk before and after is about
/// the same columns. When these are the quasi-identifiers alone, which are the first columns of the table, equal tuples
/// are next to each other there; otherwise the rows are counted again.
fn sizes_before(made: &Made<'_>) -> Result<Option<ClassSizes>> {
    let (declared, known) = (&made.run.options.declared, &made.exposure.knowledge.known);
    if known.is_empty() {
        let grouping = made.classes.table.grouping();
        let size = |(start, end): (usize, usize)| Members::of_run(grouping, start, end).size();
        return Ok(Some(ClassSizes::from_sizes(grouping.runs(quasi_identifiers(made)).map(size))));
    }
    let columns: Vec<String> = declared.quasi_identifiers.iter().chain(known).cloned().collect();
    if declared.subject.is_none() {
        let asked = made.run.source.agreeing_rows(made.run.engine, std::slice::from_ref(&columns));
        if let Some(Some(mut counted)) = within_limits(asked)? {
            return Ok(counted.pop().map(|counted| counted.sizes));
        }
    }
    let question = Question {
        quasi_identifiers: columns,
        sizes_only: declared.subject.is_none(),
        subject: declared.subject.clone(),
        ..Question::default()
    };
    within_limits(made.run.source.count(made.run.engine, &question).map(|answer| answer.sizes))
}

/// What was stopped before its end, and what was taken on trust.
fn not_measured(made: &Made<'_>) -> Vec<String> {
    let mut stopped = made.summary.stopped.clone();
    let curve = made.run.options.publish == Publish::OneTable && made.run.time_limit.is_over();
    stopped.extend(curve.then_some(StoppedByClock::Curve));
    let mut not_measured = notes::stopped(&stopped, &made.run.time_limit);
    let treated = made.run.columns.treated(|treatment| !treatment.is_pseudonym() && *treatment != Treatment::Blank);
    if !treated.is_empty() {
        not_measured.push(format!(
            "What {} reveals to an attacker who knows the original values was not measured here: `incrowd attack \
             --against TABLE` and `incrowd report --against TABLE` measure it (record linkage).",
            treated.join(", ")
        ));
    }
    if made.run.options.declared.rows_are_people {
        not_measured.push(notes::ROWS_ARE_PEOPLE.into());
    }
    not_measured
}
