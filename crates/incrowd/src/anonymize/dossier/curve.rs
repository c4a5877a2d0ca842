//! The loss–k curve: what the same policy would have lost with another k, by a fast algorithm, and what any release
//! must lose there.

use incrowd_algorithms::{AlgorithmEntry, Budget, Problem, lower_bound};
use incrowd_core::{Lm, Measures, Parameters, Policy, Recoding, Watch};
use incrowd_report::dossier::{LossAtK, Rounded};

use super::Made;
use crate::anonymize::explain::loss_report::effort_for_bound;
use crate::error::Result;

/// The algorithm of the curve: fast, and good enough to see the shape.
const ALGORITHM: &str = "mondrian";
/// The k that are tried, beside that of the release.
const KS: [u64; 6] = [2, 5, 10, 20, 50, 100];
/// Of larger tables there is no curve.
const MOST_TUPLES: usize = 50_000;
/// The part of the effort for the bound of the release that each bound of the curve may take.
const EFFORT: u64 = 64;

/// The points, ascending, without those that the time limit left out; nothing when there are fewer than two.
pub(super) fn of(made: &Made<'_>) -> Result<Vec<LossAtK>> {
    let own = made.run.options.policy.k();
    // The algorithm puts rows into classes, and not people into groups.
    if made.run.options.policy.known_rows.is_some() {
        return Ok(Vec::new());
    }
    // The algorithm publishes no levels, which some models about a population are defined for.
    let mut models = made.run.options.policy.of_population().filter_map(|rule| rule.model().ok());
    if models.any(|model| model.needs_levels()) {
        return Ok(Vec::new());
    }
    let Some(entry) = AlgorithmEntry::find(ALGORITHM).filter(|_| own > 1 && made.classes.table.tuples() <= MOST_TUPLES)
    else {
        return Ok(Vec::new());
    };
    let mut ks: Vec<u64> = KS.into_iter().chain([own]).filter(|&k| k <= made.classes.table.rows()).collect();
    ks.sort_unstable();
    ks.dedup();
    // The nearest to the release first: when the time limit is over, the far ends are missing.
    ks.sort_by_key(|&k| (k as f64 / own as f64).ln().abs().to_bits());
    let mut points: Vec<(u64, f64)> = Vec::new();
    for k in ks {
        points.extend(loss(made, entry, k)?.map(|loss| (k, loss)));
    }
    if points.len() < 2 {
        return Ok(Vec::new());
    }
    let mut curve = Vec::with_capacity(points.len());
    for (k, loss) in points {
        let bound = bound(made, k, loss)?;
        curve.push(LossAtK { k, loss: Rounded::of(loss), bound: bound.map(Rounded::of) });
    }
    curve.sort_by_key(|point| point.k);
    Ok(curve)
}

/// What the curve is, in a sentence.
pub(super) fn words(made: &Made<'_>) -> String {
    let algorithm = &made.manifest.algorithm;
    match algorithm == ALGORITHM {
        true => format!("Each point is the same policy with another k, solved by {ALGORITHM}, like the release."),
        false => format!(
            "Each point is the same policy with another k, solved by {ALGORITHM}, which is fast; the release was made \
             by {algorithm}."
        ),
    }
}

/// What a release with this k loses; nothing when the policy cannot be kept with it, or not in time.
fn loss(made: &Made<'_>, entry: &AlgorithmEntry, k: u64) -> Result<Option<f64>> {
    let policy = with_k(&made.run.options.policy, k);
    let problem = Problem::new(&made.classes.table, &made.classes.quasi, &policy, &Lm, 0)?;
    let budget = budget(made);
    if budget.is_over() {
        return Ok(None);
    }
    let solved = entry.solve(&problem, &budget);
    let Some(solution) = solved.ok().filter(|solution| !solution.cut_short) else { return Ok(None) };
    let recoding = Recoding::tightened(&made.classes.table, &made.classes.quasi, &solution.partition);
    Ok(Some(Measures::of(&made.classes.table, &made.classes.quasi, &solution.partition, &recoding, k).lm))
}

/// What any release with this k must lose, when the release had a bound of its own and the effort is enough.
fn bound(made: &Made<'_>, k: u64, loss: f64) -> Result<Option<f64>> {
    let Some(own) = made.summary.bound else { return Ok(None) };
    if k == made.run.options.policy.k() {
        // For that of the release itself there was more effort.
        return Ok(Some(own.bound.best));
    }
    let policy = with_k(&made.run.options.policy, k);
    let problem = Problem::new(&made.classes.table, &made.classes.quasi, &policy, &Lm, 0)?;
    let budget = budget(made);
    if budget.is_over() {
        return Ok(None);
    }
    Ok(lower_bound(&problem, policy.least_rows()?, Some(loss), &budget)?.map(|bound| bound.best))
}

fn budget(made: &Made<'_>) -> Budget {
    let watch = Watch { cancel: made.run.engine.watch().cancel, ..Watch::default() };
    let (threads, memory) = (Some(made.run.engine.threads()), made.run.engine.memory());
    let effort = Some(effort_for_bound(made.run.options, made.classes.table.tuples()) / EFFORT);
    Budget { deadline: made.run.time_limit.deadline, effort, watch, threads, memory, ..Budget::default() }
}

/// The same policy with another k.
fn with_k(policy: &Policy, k: u64) -> Policy {
    let mut policy = policy.clone();
    let crowds = policy.models.iter_mut().filter(|rule| rule.model == "k-anonymity");
    crowds.for_each(|rule| rule.parameters = Parameters::from_iter([("k", k)]));
    policy
}
