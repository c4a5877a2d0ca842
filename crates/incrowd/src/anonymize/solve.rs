//! The second stage: the classes, and what is known of them before a byte is written.
//!
//! A table whose tuples fit in memory is solved as a whole, any other shard by shard (`sharded/`). Both give the same
//! [`Solved`], so that everything after this stage is shared. Classes that the verifier's own models refuse are never
//! written.

use std::time::Instant;

use incrowd_algorithms::{AlgorithmEntry, Solution, Statistics, Unsolved};
use incrowd_core::{
    Attribute, Cell, ClassSizes, FrequencyTable, Hierarchy, Measures, Members, Partition, QuasiIdentifier, Recoding,
};
use incrowd_engine::{Codebook, EngineError, Outgrown};
use incrowd_report::dossier::WithheldFor;
use incrowd_risk::attack::Outcome;

use super::explain::loss_report::BoundOnLoss;
use super::explain::{Explanations, most_classes};
use super::ledger_entry::PendingEntry;
use super::prepare::{CountedTable, Prepared, TuplesAtHand};
use super::sharded::ShardedClasses;
use super::solver_request::SolverRequest;
use super::time_limit::{StoppedByClock, TimeLimit};
use super::{MostClasses, Publish, quasi_identifiers, sharded, verify};
use crate::error::{Error, Result};
use crate::release::ColumnWhy;

/// What the solver found, whole or in shards.
pub(super) struct Solved {
    pub(super) classes: SolvedClasses,
    /// The hierarchies of the quasi-identifiers that have one.
    pub(super) hierarchies: Vec<Option<Hierarchy>>,
    pub(super) summary: SolveSummary,
}

/// Which row is in which class, and what each class publishes.
pub(super) enum SolvedClasses {
    InMemory(Box<ClassesInMemory>),
    OnDisk(Box<ClassesOnDisk>),
}

/// Classes of tuples that are all in memory: a row finds its class by its tuple.
pub(super) struct ClassesInMemory {
    pub(super) table: FrequencyTable,
    pub(super) codebook: Codebook,
    pub(super) quasi: Vec<QuasiIdentifier>,
    pub(super) partition: Partition,
    pub(super) recoding: Recoding,
}

/// Classes that were solved shard by shard: a row finds its class by its number.
pub(super) struct ClassesOnDisk {
    pub(super) rows: ShardedClasses,
    pub(super) outgrown: Outgrown,
    pub(super) quasi: Vec<QuasiIdentifier>,
}

/// The figures and explanations of the classes, which later stages publish, record and report.
pub(super) struct SolveSummary {
    /// The solver that made the classes; `auto` takes a certain one when it works in shards.
    pub(super) algorithm: &'static AlgorithmEntry,
    pub(super) rows: u64,
    pub(super) tuples: u64,
    pub(super) classes: u64,
    /// The size of the smallest class, in what k counts.
    pub(super) smallest_class: u64,
    /// The rows of the smallest class: what can be counted on the published bytes.
    pub(super) smallest_class_rows: u64,
    pub(super) measures: Measures,
    pub(super) bound: Option<BoundOnLoss>,
    pub(super) most_classes: Option<MostClasses>,
    pub(super) withheld_for: Vec<WithheldFor>,
    pub(super) why: Vec<ColumnWhy>,
    /// What the attacks that are run before a byte is written achieved.
    pub(super) attacks: Vec<Outcome>,
    pub(super) levels: Option<Vec<usize>>,
    pub(super) cut_short: bool,
    /// What the time limit or an early end by hand stopped so far.
    pub(super) stopped: Vec<StoppedByClock>,
    pub(super) statistics: Statistics,
    pub(super) solve_seconds: f64,
    /// Bytes of codes that went through the disk so far.
    pub(super) spilled_bytes: u64,
    pub(super) ledger_entry: Option<PendingEntry>,
}

/// Solves a counted table.
pub(super) fn solve(run: &Prepared<'_>, counted: CountedTable) -> Result<Solved> {
    let CountedTable { tuples, spilled_bytes } = counted;
    match tuples {
        TuplesAtHand::InMemory(table, codebook) => solve_whole(run, table, codebook, spilled_bytes),
        TuplesAtHand::Outgrown(outgrown) => sharded::solve(run, outgrown, spilled_bytes),
    }
}

fn solve_whole(run: &Prepared<'_>, table: FrequencyTable, codebook: Codebook, spilled_bytes: u64) -> Result<Solved> {
    let ready = ReadyTable::new(run, table, codebook, spilled_bytes)?;
    let started = Instant::now();
    let seed = run.randomness.solver_seed();
    let request = SolverRequest::of(run);
    let solution = solve_table(&request, &ready.table, &ready.quasi, run.algorithm, seed, &run.time_limit)?;
    ready.solved(run, solution, started.elapsed().as_secs_f64())
}

/// A table in memory that can be solved.
pub(super) struct ReadyTable {
    pub(super) table: FrequencyTable,
    pub(super) quasi: Vec<QuasiIdentifier>,
    codebook: Codebook,
    hierarchies: Vec<Option<Hierarchy>>,
    ledger_entry: Option<PendingEntry>,
    spilled_bytes: u64,
}

impl ReadyTable {
    /// Builds the hierarchies, and refuses rows of nobody where people are counted.
    pub(super) fn new(
        run: &Prepared<'_>,
        table: FrequencyTable,
        codebook: Codebook,
        spilled_bytes: u64,
    ) -> Result<ReadyTable> {
        let (engine, options, names) = (run.engine, run.options, &run.question.quasi_identifiers);
        // Rows without a subject would be published without a pseudonym, and nothing would be promised about them.
        if !run.question.sensitive.is_empty() || options.policy.known_rows.is_some() {
            Error::refuse_nobody(&table)?;
        }
        let (quasi, hierarchies) = quasi_identifiers::build(&table, names, options, engine.memory())?;
        let ledger_entry = PendingEntry::of_table(engine, options.ledger.as_deref(), &table, names, run.source)?;
        Ok(ReadyTable { table, quasi, codebook, hierarchies, ledger_entry, spilled_bytes })
    }

    /// What a solution makes of it; classes that the verifier's own models refuse are none.
    pub(super) fn solved(self, run: &Prepared<'_>, solution: Solution, solve_seconds: f64) -> Result<Solved> {
        let ReadyTable { table, quasi, codebook, hierarchies, ledger_entry, spilled_bytes } = self;
        let options = run.options;
        let recoding = recode(&table, &quasi, &solution);
        let Solution { partition, levels, cut_short, bound: proven, statistics } = solution;
        let classes = ClassesInMemory { table, codebook, quasi, partition, recoding };
        let shown = (options.publish == Publish::OneTable).then_some(&classes.recoding);
        let judged = verify::judge(&classes.table, &options.policy, (&classes.partition, shown), None)?;
        let Explanations { measures, bound, most_classes, withheld_for, why, attacks, bound_stopped } =
            Explanations::of(run, &classes, levels.as_deref(), proven)?;
        let stopped = cut_short.then_some(StoppedByClock::Solver).into_iter();
        let summary = SolveSummary {
            algorithm: run.algorithm,
            rows: classes.table.rows(),
            tuples: classes.table.tuples() as u64,
            classes: judged.classes,
            smallest_class: judged.smallest_class,
            smallest_class_rows: classes.smallest_class_rows(),
            measures,
            bound,
            most_classes,
            withheld_for,
            why,
            attacks,
            levels,
            cut_short,
            stopped: stopped.chain(bound_stopped.then_some(StoppedByClock::Bound)).collect(),
            statistics,
            solve_seconds,
            spilled_bytes,
            ledger_entry,
        };
        Ok(Solved { classes: SolvedClasses::InMemory(Box::new(classes)), hierarchies, summary })
    }
}

/// Solves the tuples of a table, or of a shard.
pub(super) fn solve_table(
    request: &SolverRequest<'_>,
    table: &FrequencyTable,
    quasi: &[QuasiIdentifier],
    algorithm: &AlgorithmEntry,
    seed: u64,
    time_limit: &TimeLimit,
) -> Result<Solution> {
    let problem = request.problem(table, quasi, seed)?;
    let budget = request.budget(algorithm, table.tuples() as u64, time_limit);
    budget.tell(0, Some(table.rows()));
    algorithm.solve(&problem, &budget).map_err(|unsolved| match unsolved {
        Unsolved::Infeasible(reasons) => Error::Infeasible(most_classes::advise(table, request.policy, reasons)),
        Unsolved::NotFound(reasons) => Error::NotFound(reasons),
        _ => Error::Engine(EngineError::Cancelled),
    })
}

/// What each class publishes: the join of its members, or the levels of a full-domain solution.
pub(super) fn recode(table: &FrequencyTable, quasi: &[QuasiIdentifier], solution: &Solution) -> Recoding {
    match &solution.levels {
        Some(levels) => Recoding::full_domain(table, quasi, &solution.partition, levels),
        None => Recoding::tightened(table, quasi, &solution.partition),
    }
}

impl SolvedClasses {
    /// The columns that were counted.
    pub(super) fn attributes(&self) -> &[Attribute] {
        match self {
            SolvedClasses::InMemory(classes) => classes.table.attributes(),
            SolvedClasses::OnDisk(classes) => classes.outgrown.attributes(),
        }
    }

    pub(super) fn quasi(&self) -> &[QuasiIdentifier] {
        match self {
            SolvedClasses::InMemory(classes) => &classes.quasi,
            SolvedClasses::OnDisk(classes) => &classes.quasi,
        }
    }

    /// The cells that the classes publish of the quasi-identifier at a place.
    pub(super) fn cells(&self, at: usize) -> Vec<Cell> {
        match self {
            SolvedClasses::InMemory(classes) => classes.cells(at),
            SolvedClasses::OnDisk(classes) => classes.rows.cells_of(at).to_vec(),
        }
    }
}

impl ClassesInMemory {
    /// The cells that the classes publish of the quasi-identifier at a place.
    pub(super) fn cells(&self, at: usize) -> Vec<Cell> {
        (0..).take(self.recoding.classes()).map(|class| self.recoding.cells(class)[at]).collect()
    }

    /// Calls `visit` with the tuples of each class as its readers see it: classes that publish the same cells are one.
    /// The number tells such classes apart.
    pub(super) fn for_each_published(&self, mut visit: impl FnMut(u32, &[(usize, u64)])) {
        let alike = self.recoding.alike();
        let mut order: Vec<usize> = (0..self.partition.len()).collect();
        order.sort_by_key(|&at| alike[at]);
        let mut members = Vec::new();
        for group in order.chunk_by(|&a, &b| alike[a] == alike[b]) {
            members.clear();
            group.iter().for_each(|&at| members.extend_from_slice(self.partition.class(at)));
            visit(alike[group[0]], &members);
        }
    }

    /// How many rows agree on the published quasi-identifiers and a column of the policy; nothing for any other column.
    pub(super) fn sizes_with(&self, column: &str) -> Option<ClassSizes> {
        let column = self.table.position(column)?;
        let mut sizes = Vec::new();
        self.for_each_published(|_, members| {
            sizes.extend(Members::new(&self.table, members).counts(column).into_iter().map(|(_, rows)| rows));
        });
        Some(ClassSizes::from_sizes(sizes))
    }

    fn smallest_class_rows(&self) -> u64 {
        self.partition.classes().map(|class| Members::new(&self.table, class).rows()).min().unwrap_or(0)
    }
}
