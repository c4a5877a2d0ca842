//! `incrowd anonymize`: from a table and a policy to a verified release.

use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use incrowd::core::{Infeasible, Policy};
use incrowd::plan::{
    AlphaPlan, BuildPlan, EffortWord, HierarchyPlan, OthersWord, Plan, PublishWord, RulePlan, RuleWord, SpellingsWord,
    folder_of, format_named,
};
use incrowd::{AnonymizeOptions, Anonymized, Declared, HierarchyChoice, Others, Publish, anonymize};
use serde::Serialize;

use super::released;
use crate::Status;
use crate::args::{AnonymizeArgs, OthersArg, OutputFormat, PolicyArgs, PublishArg, SolvingArgs};
use crate::input::{self, Asked};
use crate::printer::{Failure, Printer};

/// What a promise that cannot be kept looks like to a program.
#[derive(Serialize)]
struct Refused<'a> {
    verified: bool,
    infeasible: &'a [Infeasible],
}

/// The same when nothing was found, and nothing is proven.
#[derive(Serialize)]
struct NotFound<'a> {
    verified: bool,
    not_found: &'a [Infeasible],
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    made: &'a Anonymized,
    seconds: f64,
}

pub(crate) fn run(args: &AnonymizeArgs, printer: &mut Printer) -> Result<Status, Failure> {
    let started = Instant::now();
    let asked = input::asked(&args.table, &args.roles)?;
    let target = target(args, &asked)?;
    let engine = input::engine_on(&args.run, &args.cluster, asked.plan.as_ref(), asked.plan.as_ref())?;
    let source = input::source(&engine, &asked, &args.table.reading)?;
    let mut options = options(args, &asked)?;
    options.format = match args.output_format {
        Some(format) => format.format(),
        None => planned_format(asked.plan.as_ref()).unwrap_or_else(|| source.format()),
    };
    let made = anonymize(&engine, &source, &options, &target);
    drop(engine);
    let made = match (made, args.format) {
        (Err(incrowd::Error::Infeasible(reasons)), OutputFormat::Json) => {
            printer.json(&Refused { verified: false, infeasible: &reasons })?;
            return Err(incrowd::Error::Infeasible(reasons).into());
        }
        (Err(incrowd::Error::NotFound(reasons)), OutputFormat::Json) => {
            printer.json(&NotFound { verified: false, not_found: &reasons })?;
            return Err(incrowd::Error::NotFound(reasons).into());
        }
        (made, _) => made?,
    };
    printer.done(format!("the release was verified and published in {}", target.display()));
    match args.format {
        OutputFormat::Json => printer.json(&Answer { made: &made, seconds: started.elapsed().as_secs_f64() })?,
        OutputFormat::Text => released::print(printer, &made, &asked),
    }
    Ok(Status::Clean)
}

fn target(args: &AnonymizeArgs, asked: &Asked) -> Result<PathBuf, Failure> {
    let planned = asked.plan.as_ref().zip(asked.plan_file.as_ref());
    let planned = planned.and_then(|(plan, file)| plan.release_path(file));
    let target = args.output.clone().or(planned);
    target.ok_or_else(|| {
        Failure::new("no folder to write to is named", "say -o DIR, or `path` under [release] of the plan")
    })
}

fn planned_format(plan: Option<&Plan>) -> Option<incrowd::Format> {
    plan.and_then(|plan| plan.release.format.as_deref()).and_then(format_named)
}

/// What the arguments say, and what the plan says besides.
fn options(args: &AnonymizeArgs, asked: &Asked) -> Result<AnonymizeOptions, Failure> {
    let plan = asked.plan.as_ref();
    if let Some(plan) = plan {
        // What is said on the command line was decided by whoever says it.
        let given = input::declared(&args.roles, None);
        plan.refuse_unconfirmed(args.policy.k.is_some(), |name| given.role(name).is_some())?;
    }
    let mut declared = input::declared(&args.roles, plan);
    let policy = policy(&args.policy, asked, &declared.sensitive)?;
    protect(&mut declared, &policy);
    let solve = plan.map(|plan| plan.solve.clone()).unwrap_or_default();
    let solving = &args.solving;
    let planned_time = solve.time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let weights = solving.diversity_weights.clone().or(solve.diversity_weights);
    Ok(AnonymizeOptions {
        others: others(args.others, plan),
        keep_identifying: keep_identifying(args, plan),
        publish: publish(args.publish, plan),
        policy,
        hierarchies: hierarchies(solving, asked, &declared),
        algorithm: solving
            .algorithm
            .clone()
            .or(solve.algorithm)
            .unwrap_or_else(|| AnonymizeOptions::default().algorithm),
        loss: solving.loss.clone().or(solve.loss),
        effort: solving.effort.or_else(|| solve.effort.and_then(EffortWord::effort)),
        time: solving.time.or(planned_time),
        bound: !solving.no_bound,
        shard: solving.shard.or(solve.shard).map(NonZeroUsize::get),
        at_once: solving.at_once.map(NonZeroU64::get),
        diversity_weights: weights.map(|word| word.weights()).unwrap_or_default(),
        seed: solving.seed.or(solve.seed),
        repeat: solving.repeat.clone(),
        escape_formulas: args.escape_formulas || plan.is_some_and(|plan| plan.release.escape_formulas),
        force: args.force,
        record: args.record.clone(),
        ledger: args.ledger.clone().or_else(|| {
            let (plan, file) = plan.zip(asked.plan_file.as_deref())?;
            Some(folder_of(file).join(plan.release.ledger.as_ref()?))
        }),
        fold_spellings: spellings(&args.fold_spellings, &args.keep_spellings, plan, SpellingsWord::Fold),
        keep_spellings: spellings(&args.keep_spellings, &args.fold_spellings, plan, SpellingsWord::Keep),
        reading: args.table.reading.options(plan),
        report: !args.no_report && plan.and_then(|plan| plan.release.report).unwrap_or(true),
        context: plan.map(|plan| plan.context.dossier()).unwrap_or_default(),
        plan_hash: plan.zip(asked.plan_file.as_deref()).and_then(|(plan, file)| plan.published_hash(file)),
        command: asked.plan_file.as_deref().and_then(Path::file_name).map(|file| {
            // The name alone: where the plan stands on somebody's disk is nobody's business.
            format!("incrowd anonymize {}", input::quoted(&file.to_string_lossy()))
        }),
        declared,
        ..AnonymizeOptions::default()
    })
}

/// The columns of the arguments, and those of the plan of which the arguments do not say otherwise.
fn spellings(given: &[String], otherwise: &[String], plan: Option<&Plan>, word: SpellingsWord) -> Vec<String> {
    let planned = plan.map(|plan| plan.with_spellings(word)).unwrap_or_default();
    let fresh = planned.into_iter().filter(|name| !given.contains(name) && !otherwise.contains(name));
    given.iter().cloned().chain(fresh).collect()
}

fn policy(args: &PolicyArgs, asked: &Asked, sensitive: &[String]) -> Result<Policy, Failure> {
    let plan = asked.plan.as_ref();
    let k = args.k.or(plan.map(|plan| plan.policy.k));
    let k = k.ok_or_else(|| Failure::new("no k is asked for", "say --k N: the crowd everybody is to stand in"))?;
    let suppress = args.suppress.or(plan.map(|plan| plan.policy.suppress)).unwrap_or(0.0);
    let planned = plan.map(|plan| plan.policy.alpha.clone()).unwrap_or_default();
    let rule = if args.refined { RuleWord::Refined } else { RuleWord::Exact };
    let given = args.alpha.iter().map(|alpha| AlphaPlan { rule, ..alpha.clone() });
    // Bounds on the command line stand for those of the plan on the same column.
    let kept = planned.into_iter().filter(|planned| args.alpha.iter().all(|alpha| alpha.column != planned.column));
    let crowd = Policy::k_anonymity(k).suppressing(suppress);
    let mut policy = kept.chain(given).fold(crowd, |policy, alpha| alpha.add_to(policy));
    let of_each: Vec<&RulePlan> = [&args.p, &args.l, &args.t].into_iter().flatten().collect();
    if !of_each.is_empty() && sensitive.is_empty() {
        let way_out = "name the sensitive columns with --sensitive a,b";
        return Err(Failure::new("a rule is asked for each sensitive column, and none is named", way_out));
    }
    let each = |column: &String| {
        let rule = |rule: &&RulePlan| RulePlan { column: column.clone(), ..(**rule).clone() };
        of_each.iter().map(rule).collect::<Vec<_>>()
    };
    let given = [&args.p_sensitive, &args.l_diversity, &args.t_closeness, &args.model].into_iter().flatten().cloned();
    let given: Vec<RulePlan> = sensitive.iter().flat_map(each).chain(given).collect();
    let stands = |planned: &&RulePlan| {
        let is_it = |given: &RulePlan| given.model == planned.model && given.column == planned.column;
        !given.iter().any(is_it)
    };
    // A rule on the command line stands for that of the plan with the same model and column.
    let planned = plan.map(|plan| plan.policy.rules.as_slice()).unwrap_or_default();
    let folder = asked.plan_file.as_deref().map(folder_of).unwrap_or(Path::new(""));
    for rule in planned.iter().filter(stands) {
        policy.models.push(rule.rule(folder)?);
    }
    for rule in given {
        policy.models.push(rule.rule(Path::new(""))?);
    }
    Ok(policy)
}

/// A column whose values are protected is sensitive, unless it was said to be something else.
fn protect(declared: &mut Declared, policy: &Policy) {
    for name in policy.sensitive() {
        if declared.role(&name).is_none() {
            declared.sensitive.push(name);
        }
    }
}

fn others(args: Option<OthersArg>, plan: Option<&Plan>) -> Others {
    match (args, plan.and_then(|plan| plan.release.others)) {
        (Some(OthersArg::Remove), _) | (None, Some(OthersWord::Remove)) => Others::Remove,
        (Some(OthersArg::Keep), _) | (None, Some(OthersWord::Keep)) => Others::Keep,
        (Some(OthersArg::Refuse), _) | (None, _) => Others::Refuse,
    }
}

/// The columns that are named, and those of the plan besides.
fn keep_identifying(args: &AnonymizeArgs, plan: Option<&Plan>) -> Vec<String> {
    let planned = plan.map(Plan::keep_identifying).unwrap_or_default();
    let fresh = planned.into_iter().filter(|name| !args.keep_identifying.contains(name));
    args.keep_identifying.iter().cloned().chain(fresh).collect()
}

fn publish(args: Option<PublishArg>, plan: Option<&Plan>) -> Publish {
    match (args, plan.and_then(|plan| plan.release.publish)) {
        (Some(PublishArg::TwoTables), _) | (None, Some(PublishWord::TwoTables)) => Publish::TwoTables,
        (Some(PublishArg::OneTable), _) | (None, _) => Publish::OneTable,
    }
}

/// The hierarchies of the plan, each overruled by one of the command line.
fn hierarchies(args: &SolvingArgs, asked: &Asked, declared: &Declared) -> BTreeMap<String, HierarchyChoice> {
    let mut choices = BTreeMap::new();
    if let (Some(plan), Some(file)) = (&asked.plan, &asked.plan_file) {
        let planned = plan.columns.iter().filter(|column| declared.quasi_identifiers.contains(&column.name));
        for (name, plan) in planned.filter_map(|column| Some((&column.name, column.hierarchy.clone()?))) {
            choices.insert(name.clone(), HierarchyChoice { plan, folder: folder_of(file).into() });
        }
    }
    for (column, word) in &args.hierarchy {
        let plan = match word.as_str() {
            "flat" => HierarchyPlan::Build(BuildPlan::Flat),
            "dates" => HierarchyPlan::Build(BuildPlan::Dates),
            "prefix" => HierarchyPlan::Build(BuildPlan::Prefix),
            "intervals" => HierarchyPlan::Build(BuildPlan::Intervals),
            "sets" => HierarchyPlan::Build(BuildPlan::Sets),
            "free-intervals" => HierarchyPlan::Build(BuildPlan::FreeIntervals),
            file if args.ragged => HierarchyPlan::RaggedFile(file.into()),
            file => HierarchyPlan::File(file.into()),
        };
        choices.insert(column.clone(), HierarchyChoice { plan, folder: Path::new("").into() });
    }
    choices
}
