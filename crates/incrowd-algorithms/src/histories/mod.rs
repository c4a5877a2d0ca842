//! People with several rows: groups of at least k people whose published rows are the same.
//!
//! A release that publishes a pseudonym of the subject links the rows of a person. It protects against an attacker who
//! knows several of them when at least k people have the same published rows
//! ([`AlikePeople`](incrowd_core::AlikePeople) has the definition and the proof). So people are put into groups, not
//! rows into classes:
//!
//! 1. **Numbers of rows** (`pools.rs`). People in a group have the same number of published rows. People with a rare
//!    number of rows are put together with people who have fewer, and their surplus rows are suppressed. The fewest rows
//!    are suppressed for which every pool has k people. If an attacker knows at most m rows, a look counts m times at
//!    most: then people who have m rows or more may have different numbers of rows in one *rest* class, and none of these
//!    is suppressed.
//! 2. **Cuts** (`cuts.rs`). The rows of a person are in order of their quasi-identifiers, the first column first. The
//!    first rows of all people of a pool are compared with each other, then the second ones, and so on: a person is a
//!    record with a value for each place and column. A pool is cut as Mondrian cuts a class (K. LeFevre, D. DeWitt and
//!    R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006), as long as each part has k people.
//! 3. **Classes.** The rows of a group at one place are a class, which publishes the join of its rows. So all people of a
//!    group publish the same cells at each place. Classes that publish alike are merged, which changes no cell.
//!
//! **Why it holds.** The published cells of a row follow from its group and its place, every person of a group has one row
//! at each place, and at least m in the rest class if there is one. So people of one group have the same published
//! rows, none counted more than m times, and a group has at least k people. A class has the rows of at least one whole
//! group, so it has k people too. Models about sensitive values are asked of the classes at every cut, and again at the
//! end; where merging breaks one, no solution is given.
//!
//! **It ends** because every part has fewer people. Each round of cuts visits every row once for each column:
//! n log n when cuts are even.

mod cuts;
mod people;
mod pools;

use incrowd_core::{Infeasible, KnownRows, Members, Partition, Role, counted, thousands};
use rayon::prelude::*;

use crate::algorithms::{AlgorithmEntry, InShards, SolverTraits};
use crate::solver::published::{TightenedClass, merge_alike};
use crate::solver::start::add_up;
use crate::solver::{ClassMembers, levels::LevelNodes};
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};
use cuts::{GroupCuts, PeopleGroup};
use people::PersonHistories;

/// The solver for policies with known rows. It is not in the list of solvers: the policy chooses it.
pub static HISTORIES: AlgorithmEntry = AlgorithmEntry {
    id: "histories",
    summary: "Groups people whose rows are similar, place by place, so that at least k people publish the same rows.",
    reference: "after K. LeFevre, D. DeWitt and R. Ramakrishnan, Mondrian multidimensional k-anonymity, ICDE 2006",
    loss: "lm",
    counts_work: false,
    effort: None,
    traits: SolverTraits { in_shards: InShards::Never, ..SolverTraits::LOCAL },
    new: || Box::new(Histories),
};

struct Histories;

impl Algorithm for Histories {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        let budget = &budget.begin()?;
        let known = problem.known_rows.unwrap_or(KnownRows::All);
        budget.run(|| solve(problem, budget, known))
    }
}

fn solve(problem: &Problem<'_>, budget: &Budget, known: KnownRows) -> Result<Solution, Unsolved> {
    let people = PersonHistories::of(problem.table);
    let levels = LevelNodes::new(problem);
    let asks_values = !problem.table.columns(Role::Sensitive).is_empty();
    let cuts = GroupCuts { problem, budget, people: &people, levels: &levels, known, asks_values };
    let mut pools = Vec::new();
    for rest_price in pools::REST_PRICES {
        pools = pools::pools(&people, problem.k, known, rest_price);
        if asks_values {
            pools = holding(&cuts, pools)?;
        }
        if suppressed(&cuts, &pools) <= problem.budget {
            break;
        }
    }
    let (groups, rounds) = cuts.cut(pools)?;
    let grouped: u64 = groups.iter().flatten().map(|&person| people.rows(person).len() as u64).sum();
    let parts: Vec<(Vec<ClassMembers>, ClassMembers)> = groups.par_iter().map(|group| cuts.classes(group)).collect();
    let (mut classes, mut withheld) = (Vec::new(), ungrouped(&people, &groups));
    for (of_group, surplus) in parts {
        classes.extend(of_group);
        withheld.extend(surplus);
    }
    add_up(&mut withheld);
    let gone: u64 = withheld.iter().map(|member| member.1).sum();
    if gone > problem.budget || grouped == 0 {
        return Err(Unsolved::NotFound(vec![too_many_suppressed(problem, known, gone)]));
    }
    let classes = merge_alike(problem, classes);
    if asks_values && !keeps(problem, &classes) {
        return Err(Unsolved::NotFound(vec![values_fail(problem)]));
    }
    let mut partition = Partition::default();
    let mut members: Vec<ClassMembers> = classes.into_iter().map(|class| class.members).collect();
    members.sort_unstable();
    members.into_iter().for_each(|class| partition.push(class));
    partition.withhold(withheld);
    Ok(Solution {
        partition,
        levels: None,
        cut_short: budget.was_late(),
        bound: None,
        statistics: Statistics::of_rounds(rounds),
    })
}

/// Pools whose classes keep the policy: one that does not is put together with the next, which has fewer rows.
fn holding(cuts: &GroupCuts<'_, '_>, pools: Vec<PeopleGroup>) -> Result<Vec<PeopleGroup>, Unsolved> {
    let (mut kept, mut waiting): (Vec<PeopleGroup>, PeopleGroup) = Default::default();
    for pool in pools {
        cuts.budget.check()?;
        waiting.extend(pool);
        if cuts.holds(&waiting) {
            kept.push(std::mem::take(&mut waiting));
        }
    }
    while !waiting.is_empty() {
        let Some(last) = kept.pop() else { return Err(Unsolved::NotFound(vec![values_fail(cuts.problem)])) };
        waiting.extend(last);
        if cuts.holds(&waiting) {
            kept.push(std::mem::take(&mut waiting));
        }
    }
    Ok(kept)
}

/// How many rows are suppressed when nobody is cut off from these pools.
fn suppressed(cuts: &GroupCuts<'_, '_>, pools: &[PeopleGroup]) -> u64 {
    let published: u64 = pools.iter().map(|pool| cuts.shape(pool).published(cuts.people, pool)).sum();
    cuts.problem.table.rows() - published
}

/// All rows of people who are in no group.
fn ungrouped(people: &PersonHistories, groups: &[PeopleGroup]) -> ClassMembers {
    let mut is_in_group = vec![false; people.len()];
    groups.iter().flatten().for_each(|&person| is_in_group[person as usize] = true);
    let outside = (0..).zip(is_in_group).filter(|(_, is_in_group)| !is_in_group).map(|(person, _)| person);
    outside.flat_map(|person| people.rows(person).iter().map(|&tuple| (tuple as usize, 1))).collect()
}

/// Whether all published classes keep the policy, and all of them together where that is asked.
fn keeps(problem: &Problem<'_>, classes: &[TightenedClass]) -> bool {
    let members = || classes.iter().map(|class| &class.members[..]);
    let published = problem.publishing(members());
    let all: Vec<Members<'_>> = members().map(|class| Members::new(problem.table, class)).collect();
    let whole = !published.policy.whole_counts(problem.table) || published.policy.holds_as_whole(&all);
    whole && classes.par_iter().all(|class| published.holds(&class.members))
}

fn too_many_suppressed(problem: &Problem<'_>, known: KnownRows, gone: u64) -> Infeasible {
    let (rows, all) = (problem.budget, problem.table.rows());
    let share = (gone as f64 / all.max(1) as f64 * 1000.0).ceil() / 1000.0;
    let fewer = match known {
        KnownRows::All => ", or state how many rows of a person an attacker can know (known rows)",
        KnownRows::AtMost(_) => "",
    };
    Infeasible {
        model: "known-rows",
        columns: Vec::new(),
        fact: format!(
            "groups of at least k = {} people with the same published rows were found only by suppressing {}, and at most \
             {} may be suppressed",
            problem.k,
            counted(gone, "row", "rows"),
            thousands(rows),
        ),
        remedy: format!("allow a share of {share} of the rows to be suppressed{fewer}"),
    }
}

fn values_fail(problem: &Problem<'_>) -> Infeasible {
    Infeasible {
        model: "known-rows",
        columns: Vec::new(),
        fact: format!(
            "no groups of at least k = {} people with the same published rows were found whose classes meet the rules \
             about sensitive columns",
            problem.k
        ),
        remedy: "use weaker rules about the sensitive columns, or a smaller k".into(),
    }
}
