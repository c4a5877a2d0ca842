//! `compare`: is a release good enough? Releases side by side with their original.
//!
//! What is measured: random questions and how far their answers are off (`workload.rs`), the values of each column and how
//! columns hang together before and after (`joint.rs`), what a simple classifier still learns (`classifier.rs`), class sizes,
//! and the loss that the manifest gives. Everything is asked of distinct tuples, and of a release as `query` reads it
//! (`spread.rs`).
//!
//! The original and each release are counted once. Columns, pairs of columns and the classifier are measured in the
//! same way on every form of release, because `spread.rs` turns published cells into shares of the original's values.

mod classifier;
mod distribution;
mod joint;
mod original;
mod report;
mod spread;
mod workload;

use std::collections::BTreeMap;
use std::path::PathBuf;

use incrowd_engine::{Engine, Source};
use incrowd_verify::Role;

pub use classifier::NaiveBayes;
pub use distribution::{Distribution, DistributionBar, MOST_BARS};
pub use joint::{Joint, total_variation};
pub use report::{ClassSizesTold, Compared, ComparedRelease, Dependence, Learnt, Marginal, QueryErrors, SizeStep};
pub use workload::{DrawnQuery as Drawn, Errors, QueryDraws as Draws, Workload, width};

use crate::ask::query::ReleaseView;
use crate::error::Result;
use crate::release::OpenedRelease;
use original::Original;

/// How releases are compared.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// The questions that are asked.
    pub workload: Workload,
    /// A column that a classifier is to guess.
    pub target: Option<String>,
    /// Hierarchy files by column, before those of the records.
    pub hierarchies: BTreeMap<String, PathBuf>,
    /// Whether to measure the values of each column for pictures, and for which columns the reader may see them.
    pub distributions: Option<Vec<String>>,
}

/// Holds releases against the table they were made from.
pub fn compare(engine: &Engine, source: &Source, releases: &[PathBuf], options: &CompareOptions) -> Result<Compared> {
    let open = |release: &PathBuf| OpenedRelease::open_with(engine, release, None);
    compare_opened(engine, source, &releases.iter().map(open).collect::<Result<Vec<_>>>()?, options)
}

/// As [`compare`], of releases that are open already.
pub(crate) fn compare_opened(
    engine: &Engine,
    source: &Source,
    releases: &[OpenedRelease],
    options: &CompareOptions,
) -> Result<Compared> {
    options.workload.check()?;
    let of_role = |role: Role| {
        let is_it = |name: &String| releases.iter().all(|release| release.manifest().untreated(role).contains(name));
        source.columns().into_iter().filter(is_it).collect::<Vec<_>>()
    };
    let (quasi, sensitive) = (of_role(Role::QuasiIdentifier), of_role(Role::Sensitive));
    let mut names: Vec<String> = quasi.iter().chain(&sensitive).cloned().collect();
    if let Some(target) = options.target.as_ref().filter(|target| !names.contains(target)) {
        names.push(target.clone());
    }
    let original = Original::read(engine, source, names.clone(), (quasi.len(), sensitive.len()), &options.workload)?;
    let mut notes = Vec::new();
    if original.questions.len() < options.workload.queries {
        let (found, asked) = (original.questions.len(), options.workload.queries);
        notes.push(format!("only {found} of {asked} queries select a row: use a larger selectivity"));
    }
    let target = options.target.as_ref().and_then(|target| original.table.position(target));
    let compared = releases.iter().map(|release| {
        let view = ReleaseView::open_with(engine, release, &refs(&names), &options.hierarchies)?;
        let compared = original.hold_against(release.folder(), release.manifest(), &view, target)?;
        let distributions = options.distributions.as_ref().map(|labelled| original.distributions(&view, labelled));
        Ok(ComparedRelease { distributions: distributions.unwrap_or_default(), ..compared })
    });
    Ok(Compared {
        original: source.name().into(),
        rows: original.table.rows(),
        columns: names.clone(),
        workload: Workload {
            dimensionality: options.workload.dimensionality.min(quasi.len()),
            ..options.workload.clone()
        },
        classifier: target.map(|target| original.learnt(target)),
        releases: compared.collect::<Result<_>>()?,
        notes,
    })
}

fn refs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}
