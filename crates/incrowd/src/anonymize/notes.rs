//! What the custodian is told of a release: promises, and sentences without a value.

use incrowd_algorithms::{ALGORITHMS, AlgorithmEntry, DiversityWeights};
use incrowd_core::{Parameter, Role, Treatment, counted};
use incrowd_report::dossier::{Adversary, ChosenAttacker, LeastClassSize};
use incrowd_risk::population::EstimatedKMap;

use super::ledger_entry;
use super::prepare::Prepared;
use super::time_limit::{StoppedByClock, TimeLimit};
use super::two_tables::NOT_HIDDEN;
use super::verify::VerifiedRelease;
use super::write::WrittenClasses;
use super::{AnonymizeOptions, Others, Publish, sharded, treatments};
use crate::error::Result;
use crate::release::ReleasedBefore;
use crate::report::known_presence;
use crate::request::{BuildPlan, HierarchyPlan};
use crate::spellings;

/// What is said when the user states that rows are people.
pub(super) const ROWS_ARE_PEOPLE: &str = "It was declared, and not checked, that each row is a different person. The \
                                          promises about people depend on this.";

/// All notes of a verified release.
pub(super) fn notes(run: &Prepared<'_>, release: &VerifiedRelease, released_before: &[ReleasedBefore]) -> Vec<String> {
    let written = &release.written;
    let mut notes = about_release(run, release, released_before);
    notes.extend(spellings::notes(run.source, written.classes.attributes()));
    notes.extend(stopped(&written.summary.stopped, &run.time_limit));
    if let WrittenClasses::Sizes(..) = written.classes {
        let shards = written.summary.statistics.shards.unwrap_or(0);
        notes.push(in_shards(shards, run.options.algorithm == "auto", run.engine.is_on_cluster()));
        notes.extend(sharded::without_suppression(run).map(|model| {
            format!(
                "No row was suppressed, although the policy allows it: in shards, {model} compares classes with all rows \
                 of the table, so all of them have to be published."
            )
        }));
    }
    notes
}

/// What is promised, one sentence for each model.
pub(super) fn promises(options: &AnonymizeOptions) -> Result<Vec<String>> {
    let promise = |rule: &incrowd_core::Rule| {
        let model = rule.model()?;
        let sentence = if options.declared.subject.is_some() { model.promise_for_people() } else { model.promise() };
        Ok(match rule.sensitive.is_empty() {
            // Two tables publish the quasi-identifiers unchanged; k is about the sensitive values alone.
            true if options.publish == Publish::TwoTables => {
                let others = counted(options.policy.k().saturating_sub(1), "other person", "other people");
                format!("Each person's sensitive values are published in one class with those of at least {others}.")
            }
            true => sentence,
            false => format!("{}: {sentence}", rule.sensitive.join(", ")),
        })
    };
    // Classes of one person are no promise beside others.
    let promises_nothing = |rule: &&incrowd_core::Rule| rule.model == "k-anonymity" && options.policy.k() == 1;
    let alone = options.policy.models.len() == 1;
    let rules = options.policy.models.iter().filter(|rule| alone || !promises_nothing(rule));
    let linked = options.policy.known_rows.map(|known| Ok(known.promise(options.policy.k())));
    rules.map(promise).chain(linked).collect()
}

/// That a table was solved in parts, and what that means.
fn in_shards(shards: u64, by_auto: bool, on_cluster: bool) -> String {
    let auto = if by_auto { " `auto` used mondrian." } else { "" };
    let written = match on_cluster {
        true => "temporary files on the shared file system contained original values during the run",
        false => "only integer codes, no values, were written to temporary files",
    };
    format!(
        "The table did not fit in memory. It was solved in {}; {written}.{auto} No lower bound on the loss was computed, and the rule that required each \
         generalization was not determined.",
        counted(shards, "independent shard", "independent shards")
    )
}

/// What the custodian should know about the columns, the options and what was written.
fn about_release(run: &Prepared<'_>, release: &VerifiedRelease, released_before: &[ReleasedBefore]) -> Vec<String> {
    let (columns, options, found_in_cells) = (&run.columns, run.options, release.found_in_cells);
    let mut notes = Vec::new();
    if options.publish == Publish::TwoTables {
        notes.push(NOT_HIDDEN.into());
        notes.push(
            "The loss if the classes were generalized measures how much the people of a class differ; nothing is \
             generalized."
                .into(),
        );
    }
    if let Some(first) = released_before.first() {
        notes.push(ledger_entry::words(first, released_before.len()));
    }
    let protected = options.policy.sensitive();
    let is_bare = |name: &String| !protected.contains(name) && columns.treatment(name) != Some(&Treatment::Blank);
    let bare: Vec<String> = columns.of(Role::Sensitive).into_iter().filter(is_bare).collect();
    if !bare.is_empty() {
        notes.push(format!(
            "No model protects {}: if all people of a class have the same value, it is known for all of them.",
            bare.join(", ")
        ));
    }
    if options.declared.rows_are_people {
        notes.push(ROWS_ARE_PEOPLE.into());
    }
    notes.extend(risk(options));
    notes.extend(run.survey.clone());
    notes.extend(options.policy.population.as_ref().map(|_| known_presence(options.policy.k())));
    notes.extend(treatments::notes(columns));
    let kept = columns.untreated(Role::Insensitive);
    if !kept.is_empty() {
        let told = if options.others == Others::Keep { " (columns without a role)" } else { "" };
        notes.push(format!(
            "Published unchanged: {}{told}. An attacker who knows one of these columns can use it to distinguish the \
             rows of a class.",
            kept.join(", ")
        ));
    }
    let sets = options.hierarchies.iter().filter(|(_, choice)| choice.plan == HierarchyPlan::Build(BuildPlan::Sets));
    let sets: Vec<&str> = sets.map(|(name, _)| name.as_str()).collect();
    if !sets.is_empty() {
        notes.push(format!(
            "Published as sets of values instead of hierarchy nodes: {}. Do not compare the loss with that of \
             releases with hierarchies.",
            sets.join(", ")
        ));
    }
    if options.diversity_weights != DiversityWeights::Equal && !run.algorithm.traits.weighs_diversity {
        let weighing = ALGORITHMS.iter().filter(|entry| entry.traits.weighs_diversity).map(|entry| entry.id);
        let weighing = weighing.collect::<Vec<_>>().join(" and ");
        notes.push(format!("Diversity weights were given, but only {weighing} use them."));
    }
    if found_in_cells > 0 {
        notes.push(format!(
            "{found_in_cells} of the removed or generalized values that were searched for also occur in a published \
             column: check the columns that are published unchanged."
        ));
    }
    if release.written.applied.withheld > 0 {
        notes.push(
            "Rows were suppressed: statistics of the release may be biased, because suppressed rows are not a random sample.".into(),
        );
    }
    if options.effort.is_some() && AlgorithmEntry::find(&options.algorithm).is_some_and(|entry| !entry.counts_work) {
        notes.push(format!("The effort limits only the lower bound: {} runs to completion.", options.algorithm));
    }
    notes
}

/// What a risk or a number of people that was asked for means: the attacker, the least k, and what it assumes.
pub(super) fn risk(options: &AnonymizeOptions) -> Option<String> {
    let chosen = chosen_attacker(options)?;
    let people = counted(chosen.people, "person", "people");
    let lead = match options.risk.risk {
        Some(risk) => format!("A risk of at most {} by a journalist attacker needs {people}", risk.to_f64()),
        None if chosen.estimated => format!("A journalist attacker is to find {people}"),
        // What was promised is said already.
        None => return None,
    };
    Some(format!("{lead} of the population per class. {}", chosen.basis))
}

/// The attacker that the policy was made for: one with a population who does not know who is in the table.
pub(super) fn chosen_attacker(options: &AnonymizeOptions) -> Option<ChosenAttacker> {
    let chosen = |people, basis, estimated| ChosenAttacker {
        adversary: Adversary::Journalist,
        people,
        basis,
        estimated,
        by_sampling_fraction: Vec::new(),
    };
    if let Some(estimate) = &options.risk.estimated {
        let sizes = estimate.sensitivity();
        let size = |one: &EstimatedKMap| LeastClassSize { sampling_fraction: one.sampling_fraction, k: one.k };
        let by_sampling_fraction = sizes.iter().map(size).collect();
        return Some(ChosenAttacker { by_sampling_fraction, ..chosen(estimate.k_map, estimated(estimate), true) });
    }
    let k_map = options.policy.of_population().find(|rule| rule.model == "k-map")?;
    let Some(&Parameter::Whole(people)) = k_map.parameters.get("k") else { return None };
    let all = counted(options.policy.population.as_ref()?.people(), "person", "people");
    let basis = format!(
        "They were counted in the given population of {all}. It is assumed that everyone in the table is in that \
         population. The attacker is assumed not to know who is in the table."
    );
    Some(chosen(people, basis, false))
}

/// How a least class size was estimated, and what it assumes.
fn estimated(estimate: &EstimatedKMap) -> String {
    let EstimatedKMap { k_map, sampling_fraction, model, error, k } = estimate;
    format!(
        "By the {} model, a class of at most {} in the population has {k} or more rows in a sample with probability at most \
         {error}; so classes of at least {k} are made. This is an estimate for a single class and not a promise. \
         It is assumed that the table is a simple random sample with sampling fraction {sampling_fraction}, and that the \
         attacker does not know who is in it.",
        model.name(),
        counted(*k_map, "person", "people"),
    )
}

/// What was stopped by the time limit or by hand, and what that means for repeating the release.
pub(super) fn stopped(stopped: &[StoppedByClock], limit: &TimeLimit) -> Vec<String> {
    let words = |stopped: &StoppedByClock| match stopped {
        StoppedByClock::Solver => "the search for classes",
        StoppedByClock::Bound => "the search for a lower bound",
        StoppedByClock::Curve => "the loss–k curve of the report",
    };
    let what: Vec<&str> = stopped.iter().map(words).collect();
    let what = match what.as_slice() {
        [] => return Vec::new(),
        [one] => (*one).to_string(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    };
    let so = match stopped.contains(&StoppedByClock::Solver) {
        true => "A second run may find other classes: this release cannot be repeated exactly.",
        false => "The published rows do not depend on it.",
    };
    let who = if limit.is_ended_by_hand() { "The run was ended early, which" } else { "The time limit" };
    vec![format!("{who} stopped {what}. {so}")]
}
