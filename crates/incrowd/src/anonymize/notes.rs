//! What the custodian is told of a release: promises, and sentences without a value.

use incrowd_algorithms::{AlgorithmEntry, DiversityWeights};
use incrowd_core::{Role, counted};

use super::ledger_entry;
use super::prepare::Prepared;
use super::time_limit::StoppedByClock;
use super::two_tables::NOT_HIDDEN;
use super::verify::VerifiedRelease;
use super::write::WrittenClasses;
use super::{AnonymizeOptions, Others, Publish};
use crate::error::Result;
use crate::plan::{BuildPlan, HierarchyPlan};
use crate::release::ReleasedBefore;
use crate::spellings;

/// The solvers that measure the diversity of a group.
const MEASURE_DIVERSITY: [&str; 2] = ["enhanced-pk", "greedy-pk"];

/// What is said when the user states that rows are people.
pub(super) const ROWS_ARE_PEOPLE: &str = "It was stated that each row is a different person, and not checked: what is \
                                          promised about people depends on it.";

/// All notes of a verified release.
pub(super) fn notes(run: &Prepared<'_>, release: &VerifiedRelease, released_before: &[ReleasedBefore]) -> Vec<String> {
    let written = &release.written;
    let mut notes = about_release(run, release, released_before);
    notes.extend(spellings::notes(run.source, written.classes.attributes()));
    notes.extend(stopped(&written.summary.stopped));
    if let WrittenClasses::Sizes(..) = written.classes {
        let shards = written.summary.statistics.shards.unwrap_or(0);
        notes.push(in_shards(shards, run.options.algorithm == "auto"));
    }
    notes
}

/// What is promised, one sentence for each model.
pub(super) fn promises(options: &AnonymizeOptions) -> Result<Vec<String>> {
    let promise = |rule: &incrowd_core::Rule| {
        let model = rule.model()?;
        let sentence = if options.declared.subject.is_some() { model.promise_for_people() } else { model.promise() };
        Ok(match rule.sensitive.is_empty() {
            // Two tables let nobody look alike; what is said of a crowd is true of the secrets alone.
            true if options.publish == Publish::TwoTables => {
                let others = counted(options.policy.k().saturating_sub(1), "other person", "other people");
                format!("Everybody's sensitive values are published among those of at least {others}.")
            }
            true => sentence,
            false => format!("{}: {sentence}", rule.sensitive.join(", ")),
        })
    };
    options.policy.models.iter().map(promise).collect()
}

/// That a table was solved in parts, and what that means.
fn in_shards(shards: u64, by_auto: bool) -> String {
    let auto = if by_auto { " `auto` took mondrian." } else { "" };
    format!(
        "The tuples outgrow the memory, so the table was solved in {} by themselves; codes, no values, went through the \
         disk.{auto} No bound on the loss was looked for, and not which rule forced each column.",
        counted(shards, "shard", "shards")
    )
}

/// What the custodian should know about the columns, the options and what was written.
fn about_release(run: &Prepared<'_>, release: &VerifiedRelease, released_before: &[ReleasedBefore]) -> Vec<String> {
    let (columns, options, found_in_cells) = (&run.columns, run.options, release.found_in_cells);
    let mut notes = Vec::new();
    if options.publish == Publish::TwoTables {
        notes.push(NOT_HIDDEN.into());
        notes.push(
            "Loss says how unlike the people of a class are, as if they were published alike; nothing is generalized."
                .into(),
        );
    }
    if let Some(first) = released_before.first() {
        notes.push(ledger_entry::words(first, released_before.len()));
    }
    let protected = options.policy.sensitive();
    let bare: Vec<String> = columns.of(Role::Sensitive).into_iter().filter(|name| !protected.contains(name)).collect();
    if !bare.is_empty() {
        notes.push(format!(
            "No model protects {}: everybody in a class may share one value, and then it is known of all of them.",
            bare.join(", ")
        ));
    }
    if options.declared.rows_are_people {
        notes.push(ROWS_ARE_PEOPLE.into());
    }
    let kept = columns.of(Role::Insensitive);
    if !kept.is_empty() {
        let told = if options.others == Others::Keep { " (columns without a role are kept)" } else { "" };
        notes.push(format!(
            "Published as they are: {}{told}. Whoever knows one of them can tell the rows of a class apart by it.",
            kept.join(", ")
        ));
    }
    let sets = options.hierarchies.iter().filter(|(_, choice)| choice.plan == HierarchyPlan::Build(BuildPlan::Sets));
    let sets: Vec<&str> = sets.map(|(name, _)| name.as_str()).collect();
    if !sets.is_empty() {
        notes.push(format!(
            "Published as sets of values (set-valued), not along a hierarchy: {}. Do not compare the loss with \
             hierarchy-valued releases.",
            sets.join(", ")
        ));
    }
    if options.diversity_weights != DiversityWeights::Equal && !MEASURE_DIVERSITY.contains(&options.algorithm.as_str())
    {
        notes.push(format!("Weights of diversity were given, which only {} look at.", MEASURE_DIVERSITY.join(" and ")));
    }
    if found_in_cells > 0 {
        notes.push(format!(
            "{found_in_cells} of the removed or generalized values searched for stand in a published column all the same: \
             look at the columns that are kept as they are."
        ));
    }
    if release.written.applied.withheld > 0 {
        notes.push(
            "Rows were withheld: people with rare values are missing from every statistic of the release.".into(),
        );
    }
    if options.effort.is_some() && AlgorithmEntry::find(&options.algorithm).is_some_and(|entry| !entry.counts_work) {
        notes.push(format!("The effort bounds the lower bound only: {} runs to its end.", options.algorithm));
    }
    notes
}

/// What the time limit stopped, and what that means for repeating the release.
pub(super) fn stopped(stopped: &[StoppedByClock]) -> Vec<String> {
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
    vec![format!("The time limit stopped {what}. {so}")]
}
