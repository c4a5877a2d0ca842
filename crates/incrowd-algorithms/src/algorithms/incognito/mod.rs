//! Extended Incognito: the full-domain recoding that keeps the policy with the least loss, proven by search.
//!
//! R. Wong, J. Li, A. Fu and K. Wang, "(α, k)-anonymity", KDD 2006, section 3, after K. LeFevre, D. DeWitt and R.
//! Ramakrishnan, "Incognito", SIGMOD 2005. Full-domain recoding publishes every value of a quasi-identifier on the same
//! level of its hierarchy, so a release is a *node*: one level for each quasi-identifier. A node holds when every class
//! of the table recoded to it keeps the policy; with a suppression budget, when the rows of failing classes are within
//! the budget and some class is kept.
//!
//! # What is pruned by, and why that is right
//!
//! The classes of a coarser node are unions of the classes of a finer one, and leaving an attribute out is the same as
//! raising it to its top. So both of the paper's properties (generalization, Lemma 2, and subset, Lemma 3) are one
//! statement: *what passes at a node passes at every coarser one*. It is true for
//!
//! - nothing suppressed: the models that **survive merging**, by their definition;
//! - rows suppressed: the models that **survive growth**. If a class of the coarser node fails, all its parts fail, or
//!   a part that conforms would conform still with the other parts in it. So the failing rows of the coarser node fail
//!   at the finer one too: they never become more, and a class that is kept stays kept. Surviving merging is not
//!   enough: a failing class can make a conforming one fail, and then there are more rows to suppress above than below.
//!
//! A policy that holds keeps each part of itself, with no more failing rows, so a node that does not pass what may be
//! pruned by cannot hold. Other models (the refined α, or α with rows suppressed) are asked node by node, of the nodes
//! of all attributes that pass. When rows are suppressed, a model that compares classes with the whole compares them
//! with what is left, so classes that kept it may fail then and are suppressed too, until nothing more fails
//! (`judge::kept`). When people are counted, only what survives growth survives merging, and a node holds only if the
//! rows it publishes keep the policy as one class, too ([`incrowd_core::BoundPolicy::whole_counts`]). The paper prunes
//! by the refined rule as well and can miss the best node.

mod choice;
mod classes;
mod descent;
mod judge;
mod lattice;
mod recoded;
mod search;
mod walk;

use incrowd_core::{Partition, QuasiIdentifier};

use super::{AlgorithmEntry, InShards, SolverTraits};
use crate::{Algorithm, Budget, Problem, Solution, Statistics, Unsolved};
use judge::NodeJudge;

pub(super) const ENTRY: AlgorithmEntry = AlgorithmEntry {
    id: "incognito",
    summary: "Searches all full-domain recodings for the one that meets the policy with the lowest loss.",
    reference: "Wong, Li, Fu and Wang, (α, k)-anonymity, KDD 2006; LeFevre, DeWitt and Ramakrishnan, Incognito, SIGMOD \
                2005",
    loss: "distortion",
    counts_work: false,
    effort: None,
    traits: SolverTraits { full_domain: true, in_shards: InShards::Never, ..SolverTraits::LOCAL },
    new: || Box::new(Incognito),
};

/// More nodes than this, over the lattices of all subsets, are not searched: up to three bytes are held for each.
const MOST_NODES: u64 = 1 << 26;

struct Incognito;

impl Algorithm for Incognito {
    fn solve(&self, problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
        budget.run(|| solve(problem, budget))
    }
}

fn solve(problem: &Problem<'_>, budget: &Budget) -> Result<Solution, Unsolved> {
    let budget = &budget.begin()?;
    let judge = NodeJudge::new(problem, budget);
    let is_searched = judge.nodes_of_all_subsets() <= MOST_NODES;
    let mut nodes = if is_searched && budget.deadline.is_none() { Vec::new() } else { descent::descend(&judge) };
    let heights = problem.quasi_identifiers.iter().map(|quasi| quasi.height() as u64 + 1);
    let mut statistics = Statistics { nodes: Some(heights.fold(1, u64::saturating_mul)), ..Statistics::default() };
    if is_searched && !judge.is_over() {
        let (lattice, holding) = search::search(&judge);
        if !judge.was_cut() {
            statistics.holding_nodes = Some(holding.iter().filter(|&&holds| holds).count() as u64);
            statistics.minimal_nodes = Some(lattice.minimal(&holding));
            nodes.clear();
        }
        let levels = |node| judge.recoder.by_quasi_identifier(&lattice.levels(node).collect::<Vec<_>>());
        nodes.extend((0..lattice.nodes()).filter(|&node| holding[node]).map(levels));
    }
    let chosen = choice::choose(&judge, nodes.into_iter());
    budget.check()?;
    let cut_short = !is_searched || judge.was_cut() || budget.was_late();
    statistics.tests = Some(judge.tests());
    let (partition, levels) = match chosen {
        Some(levels) => (classes::partition(problem, &levels), levels),
        None => (
            withheld(problem, judge.was_cut())?,
            problem.quasi_identifiers.iter().map(QuasiIdentifier::height).collect(),
        ),
    };
    Ok(Solution { partition, levels: Some(levels), cut_short, bound: None, statistics })
}

/// The single class, when no node holds: some of its rows may be suppressed so that the rest keeps the policy.
fn withheld(problem: &Problem<'_>, was_cut: bool) -> Result<Partition, Unsolved> {
    match problem.policy.withhold(problem.table, problem.budget) {
        Ok(withheld) => Ok(classes::single(problem, &withheld)),
        Err(_) if was_cut => Err(Unsolved::Stopped(incrowd_core::Stopped)),
        Err(reasons) => Err(Unsolved::Infeasible(reasons)),
    }
}
