//! What is told about a release: in its manifest and on the screen.

use incrowd_algorithms::{AlgorithmEntry, DiversityWeights};
use incrowd_core::{FrequencyTable, Measures, Members, Partition, Policy, Role, counted};
use incrowd_engine::{Applied, Format, WrittenFile};
use incrowd_verify::{Canaries, Counts, FileEntry, Manifest, Verified};

use super::columns::Columns;
use super::two_tables::NOT_HIDDEN;
use super::{AnonymizeOptions, Others, Publish, StoppedByClock, ledger_entry};
use crate::error::Result;
use crate::plan::{BuildPlan, HierarchyPlan};
use crate::release::{ExactCounts, ReleasedBefore};

/// The solvers that measure the diversity of a group.
const MEASURE_DIVERSITY: [&str; 2] = ["enhanced-pk", "greedy-pk"];

/// What is said when the user states that rows are people.
pub(super) const ROWS_ARE_PEOPLE: &str = "It was stated that each row is a different person, and not checked: what is \
                                          promised about people depends on it.";

/// The verifier's own form of a policy: the same words, read anew.
pub(super) fn policy(policy: &Policy) -> incrowd_verify::Policy {
    let value = serde_json::to_value(policy).unwrap_or_default();
    serde_json::from_value(value).unwrap_or_default()
}

/// The time, to the second.
pub(super) fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let time = chrono::DateTime::from_timestamp(since.as_secs() as i64, 0).unwrap_or_default();
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

pub(super) fn verifier() -> String {
    format!("incrowd-verify {}", env!("CARGO_PKG_VERSION"))
}

pub(super) fn file(written: &WrittenFile) -> FileEntry {
    FileEntry {
        name: written.name.clone(),
        format: match written.format {
            Format::Csv => incrowd_verify::Format::Csv,
            Format::Parquet => incrowd_verify::Format::Parquet,
            Format::Arrow => incrowd_verify::Format::Arrow,
        },
        rows: written.rows,
        bytes: written.bytes,
        sha256: written.sha256.clone(),
        escaped: written.escaped,
    }
}

/// The rows of the smallest class: what can be counted on the published bytes.
pub(super) fn smallest_class(table: &FrequencyTable, partition: &Partition) -> u64 {
    partition.classes().map(|class| Members::new(table, class).rows()).min().unwrap_or(0)
}

/// The figures of a verified release that its manifest is going to tell coarsely.
pub(super) fn exact(manifest: &Manifest, applied: &Applied, measures: &Measures) -> ExactCounts {
    ExactCounts {
        source_rows: applied.rows + applied.withheld,
        suppressed_rows: applied.withheld,
        canaries: manifest.canaries,
        loss: measures.clone(),
    }
}

pub(crate) fn empty_manifest() -> Manifest {
    Manifest {
        incrowd: 1,
        version: env!("CARGO_PKG_VERSION").into(),
        release: String::new(),
        created: String::new(),
        algorithm: String::new(),
        loss_minimized: String::new(),
        policy: incrowd_verify::Policy::default(),
        counts: Counts::Rows,
        source_rows: 0.into(),
        rows: 0,
        suppressed_rows: 0.into(),
        classes: 0,
        smallest_class: 0,
        columns: Vec::new(),
        files: Vec::new(),
        two_tables: None,
        report: None,
        loss: serde_json::Value::Null,
        canaries: Canaries::default(),
        verified: Verified::default(),
        seal: String::new(),
    }
}

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
pub(super) fn in_shards(shards: u64, by_auto: bool) -> String {
    let auto = if by_auto { " `auto` took mondrian." } else { "" };
    format!(
        "The tuples outgrow the memory, so the table was solved in {} by themselves; codes, no values, went through the \
         disk.{auto} No bound on the loss was looked for, and not which rule forced each column.",
        counted(shards, "shard", "shards")
    )
}

/// What the custodian should know, in sentences without a value.
pub(super) fn notes(
    columns: &Columns,
    options: &AnonymizeOptions,
    applied: &Applied,
    found_in_cells: u64,
    released_before: &[ReleasedBefore],
) -> Vec<String> {
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
    if applied.withheld > 0 {
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
