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
//! **Several tables** ([`solve_linked`]). The pseudonyms of a person are the same in all tables, so a person is a record with
//! a value for each table, place and column. People in a group have the same number of published rows in each table
//! (`linked_pools.rs`), groups are cut at any place of any table, and the rows of a group at a place of a table are a
//! class of this table. The argument above holds for the rows of all tables together.
//!
//! **It ends** because every part has fewer people. Each round of cuts visits every row once for each column:
//! n log n when cuts are even.

mod cuts;
mod linked_pools;
mod people;
mod pools;

use incrowd_core::{Infeasible, KnownRows, Members, Partition, Role, counted, thousands};
use rayon::prelude::*;

use crate::algorithms::{AlgorithmEntry, InShards, SolverTraits};
use crate::solver::published::{TightenedClass, merge_alike};
use crate::solver::start::add_up;
use crate::solver::{ClassMembers, levels::LevelNodes};
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};
use cuts::{GroupClasses, GroupCuts, PeopleGroup};
use linked_pools::{PoolRules, linked_pools};
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
        let solutions = budget.run(|| solve(&[TableProblem { name: None, problem }], budget, known))?;
        solutions.into_iter().next().ok_or(Unsolved::NotFound(Vec::new()))
    }
}

/// Groups people with rows in several tables, so that at least k people publish the same rows in all of them: a solution for
/// each table, in order. Tables have a name for messages; the subjects of all of them were hashed with one key.
pub fn solve_linked(tables: &[(&str, Problem<'_>)], budget: &Budget) -> Result<Vec<Solution>, Unsolved> {
    let budget = &budget.begin()?;
    let known = tables.iter().find_map(|(_, problem)| problem.known_rows).unwrap_or(KnownRows::All);
    let tables: Vec<TableProblem<'_, '_>> =
        tables.iter().map(|(name, problem)| TableProblem { name: Some(name), problem }).collect();
    budget.run(|| solve(&tables, budget, known))
}

/// A table of a problem.
struct TableProblem<'a, 't> {
    /// Its name, when there are several.
    name: Option<&'a str>,
    problem: &'a Problem<'t>,
}

fn solve(tables: &[TableProblem<'_, '_>], budget: &Budget, known: KnownRows) -> Result<Vec<Solution>, Unsolved> {
    let problems: Vec<&Problem<'_>> = tables.iter().map(|table| table.problem).collect();
    let people = PersonHistories::of(&problems.iter().map(|problem| problem.table).collect::<Vec<_>>());
    let levels: Vec<LevelNodes> = problems.iter().map(|problem| LevelNodes::new(problem)).collect();
    let asks_values = problems.iter().any(|problem| !problem.table.columns(Role::Sensitive).is_empty());
    let k = problems.iter().map(|problem| problem.k).max().unwrap_or(1);
    let cuts = GroupCuts { problems: &problems, budget, people: &people, levels: &levels, known, k, asks_values };
    let leaves = |person: u32| -> Vec<u32> {
        let of_table = |table: usize| people.rows(person, table).iter().map(move |&tuple| (table, tuple as usize));
        let rows = (0..people.tables()).flat_map(of_table);
        rows.flat_map(|(table, tuple)| levels[table].leaves(tuple).iter().copied()).collect()
    };
    let mut pools = Vec::new();
    for rest_price in pools::REST_PRICES {
        pools = match tables {
            [_] => pools::pools(&people, k, known, rest_price),
            _ => linked_pools(&people, &leaves, PoolRules { k, known, rest_price }, budget)?,
        };
        if asks_values {
            pools = holding(&cuts, pools)?;
        }
        if (0..tables.len()).all(|table| suppressed(&cuts, &pools, table) <= problems[table].budget) {
            break;
        }
    }
    let (groups, rounds) = cuts.cut(pools)?;
    let outside = ungrouped(&people, &groups);
    let (mut solutions, mut refused) = (Vec::new(), Vec::new());
    for (at, table) in tables.iter().enumerate() {
        match partition(&cuts, &groups, &outside, at) {
            Ok(partition) => solutions.push(Solution {
                partition,
                levels: None,
                cut_short: budget.was_late(),
                bound: None,
                statistics: Statistics::of_rounds(rounds),
            }),
            Err(NoPartition::Suppressed(gone)) => refused.push(too_many_suppressed(table, known, gone)),
            Err(NoPartition::Values) => refused.push(values_fail(table)),
        }
    }
    if refused.is_empty() { Ok(solutions) } else { Err(Unsolved::NotFound(refused)) }
}

/// Why the groups are no partition of a table that keeps the policy.
enum NoPartition {
    /// This many rows would be suppressed.
    Suppressed(u64),
    /// A rule about sensitive values fails.
    Values,
}

/// The classes of the groups in a table.
fn partition(
    cuts: &GroupCuts<'_, '_>,
    groups: &[PeopleGroup],
    outside: &[u32],
    table: usize,
) -> Result<Partition, NoPartition> {
    let problem = cuts.problems[table];
    let parts: Vec<GroupClasses> = groups.par_iter().map(|group| cuts.classes(group, table)).collect();
    let rows = |&person: &u32| cuts.people.rows(person, table).iter().map(|&tuple| (tuple as usize, 1));
    let (mut classes, mut withheld): (Vec<ClassMembers>, ClassMembers) =
        (Vec::new(), outside.iter().flat_map(rows).collect());
    for part in parts {
        classes.extend(part.classes);
        withheld.extend(part.surplus);
    }
    add_up(&mut withheld);
    let gone: u64 = withheld.iter().map(|member| member.1).sum();
    if gone > problem.budget || gone == problem.table.rows() {
        return Err(NoPartition::Suppressed(gone));
    }
    let classes = merge_alike(problem, classes);
    if cuts.asks_values && !keeps(problem, &classes) {
        return Err(NoPartition::Values);
    }
    let mut partition = Partition::default();
    let mut members: Vec<ClassMembers> = classes.into_iter().map(|class| class.members).collect();
    members.sort_unstable();
    members.into_iter().for_each(|class| partition.push(class));
    partition.withhold(withheld);
    Ok(partition)
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
        let Some(last) = kept.pop() else {
            return Err(Unsolved::NotFound(vec![values_fail(&TableProblem { name: None, problem: cuts.problems[0] })]));
        };
        waiting.extend(last);
        if cuts.holds(&waiting) {
            kept.push(std::mem::take(&mut waiting));
        }
    }
    Ok(kept)
}

/// How many rows of a table are suppressed when nobody is cut off from these pools.
fn suppressed(cuts: &GroupCuts<'_, '_>, pools: &[PeopleGroup], table: usize) -> u64 {
    let published = |pool: &PeopleGroup| cuts.shape(pool, table).published(cuts.people, pool, table);
    cuts.problems[table].table.rows() - pools.iter().map(published).sum::<u64>()
}

/// The people who are in no group.
fn ungrouped(people: &PersonHistories, groups: &[PeopleGroup]) -> Vec<u32> {
    let mut is_in_group = vec![false; people.len()];
    groups.iter().flatten().for_each(|&person| is_in_group[person as usize] = true);
    (0..).zip(is_in_group).filter(|(_, is_in_group)| !is_in_group).map(|(person, _)| person).collect()
}

/// Whether all published classes keep the policy, and all of them together where that is asked.
fn keeps(problem: &Problem<'_>, classes: &[TightenedClass]) -> bool {
    let members = || classes.iter().map(|class| &class.members[..]);
    let published = problem.publishing(members());
    let all: Vec<Members<'_>> = members().map(|class| Members::new(problem.table, class)).collect();
    let whole = !published.policy.whole_counts(problem.table) || published.policy.holds_as_whole(&all);
    whole && classes.par_iter().all(|class| published.holds(&class.members))
}

fn too_many_suppressed(table: &TableProblem<'_, '_>, known: KnownRows, gone: u64) -> Infeasible {
    let (rows, all) = (table.problem.budget, table.problem.table.rows());
    let share = (gone as f64 / all.max(1) as f64 * 1000.0).ceil() / 1000.0;
    let fewer = match known {
        KnownRows::All => ", or state how many rows of a person an attacker can know (known rows)",
        KnownRows::AtMost(_) => "",
    };
    Infeasible {
        model: "known-rows",
        columns: Vec::new(),
        fact: format!(
            "{}groups of at least k = {} people with the same published rows were found only by suppressing {}, and at most \
             {} may be suppressed",
            table.prefix(),
            table.problem.k,
            counted(gone, "row", "rows"),
            thousands(rows),
        ),
        remedy: format!("allow a share of {share} of the rows to be suppressed{fewer}"),
    }
}

fn values_fail(table: &TableProblem<'_, '_>) -> Infeasible {
    Infeasible {
        model: "known-rows",
        columns: Vec::new(),
        fact: format!(
            "{}no groups of at least k = {} people with the same published rows were found whose classes meet the rules \
             about sensitive columns",
            table.prefix(),
            table.problem.k
        ),
        remedy: "use weaker rules about the sensitive columns, or a smaller k".into(),
    }
}

impl TableProblem<'_, '_> {
    /// The beginning of a message about one of several tables.
    fn prefix(&self) -> String {
        self.name.map(|name| format!("{name}: ")).unwrap_or_default()
    }
}
