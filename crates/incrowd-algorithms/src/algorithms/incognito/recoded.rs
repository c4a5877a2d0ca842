//! The table recoded to levels: frequency sets that are rolled up from finer ones, never from rows.
//!
//! An attribute at its top level says nothing, so it is dropped from the key. A node of a part of the attributes is
//! therefore the node of all of them whose other attributes stand at the top, and one kind of table serves both.

use incrowd_core::{Cell, ColumnSet, Grouping, Layout, Members, QuasiIdentifier};

use crate::Problem;
use crate::solver::numbers::to_u32;

/// How the quasi-identifiers of a problem are recoded. *Position* means the place of a quasi-identifier in the key,
/// which is chosen here.
pub(super) struct Recoder {
    /// For each position the number of the quasi-identifier.
    order: Vec<usize>,
    /// For each position the column of the table.
    columns: Vec<usize>,
    /// For each position, level and code the code that stands for all that are published alike.
    codes: Vec<Vec<Vec<u32>>>,
}

/// The table recoded to one level for each position, grouped by what is not recoded, too.
pub(super) struct Recoded {
    grouping: Grouping,
    levels: Vec<usize>,
}

impl Recoder {
    /// The quasi-identifiers with the most values first in the key: they shrink the table most, and what is behind them
    /// is rolled up in short stretches.
    pub(super) fn new(problem: &Problem<'_>) -> Self {
        let quasi = problem.quasi_identifiers;
        let mut order: Vec<usize> = (0..quasi.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(quasi[at].leaves.len()));
        let codes = |&at: &usize| (0..=quasi[at].height()).map(|level| quasi[at].codes_at(level)).collect();
        Recoder {
            columns: order.iter().map(|&at| quasi[at].column).collect(),
            codes: order.iter().map(codes).collect(),
            order,
        }
    }

    /// The highest level of each position.
    pub(super) fn heights(&self) -> Vec<usize> {
        self.codes.iter().map(|levels| levels.len() - 1).collect()
    }

    /// Levels (or codes) by position as levels by quasi-identifier.
    pub(super) fn by_quasi_identifier(&self, levels: &[usize]) -> Vec<usize> {
        let mut ordered = vec![0; levels.len()];
        self.order.iter().zip(levels).for_each(|(&quasi, &level)| ordered[quasi] = level);
        ordered
    }

    /// Levels by quasi-identifier as levels by position.
    pub(super) fn by_position(&self, levels: &[usize]) -> Vec<usize> {
        self.order.iter().map(|&quasi| levels[quasi]).collect()
    }

    /// The unchanged table, the quasi-identifiers in front.
    ///
    /// # Panics
    /// If the codes of a tuple do not fit a key in this order, which takes about a thousand bits.
    pub(super) fn table(&self, problem: &Problem<'_>) -> Recoded {
        let others = (0..problem.table.attributes().len()).filter(|column| !self.columns.contains(column));
        let order: Vec<usize> = self.columns.iter().copied().chain(others).collect();
        let layout = problem.table.layout().fields();
        let subject = layout.len() - order.len();
        let mut widths: Vec<u32> = order.iter().map(|&column| layout[column].bits()).collect();
        widths.extend(layout[layout.len() - subject..].iter().map(|field| field.bits()));
        assert!(Layout::fits(&widths), "a tuple fits a key with the quasi-identifiers in front");
        Recoded { grouping: problem.table.grouping().arranged(&order), levels: vec![0; self.order.len()] }
    }

    /// A table recoded further, to levels that are nowhere finer.
    pub(super) fn recode(&self, from: &Recoded, levels: &[usize]) -> Recoded {
        debug_assert!(from.is_below(levels), "a table is recoded to coarser levels");
        let raised = || (0..levels.len()).filter(|&at| levels[at] > from.levels[at]);
        let is_top = |at: usize| levels[at] + 1 == self.codes[at].len();
        let kept =
            raised().filter(|&at| is_top(at)).fold(from.grouping.columns(), |set, at| set.without(self.columns[at]));
        let between: Vec<(usize, &[u32])> = raised()
            .filter(|&at| !is_top(at))
            .map(|at| (self.columns[at], self.codes[at][levels[at]].as_slice()))
            .collect();
        let grouping = match (kept == from.grouping.columns(), between.is_empty()) {
            (false, true) => from.grouping.roll_up(kept),
            (true, _) => from.grouping.recoded(&between),
            (false, false) => from.grouping.roll_up(kept).recoded(&between),
        };
        Recoded { grouping, levels: levels.to_vec() }
    }

    /// The classes of a recoded table, each with the position of its first entry.
    pub(super) fn classes<'r>(&self, recoded: &'r Recoded) -> impl Iterator<Item = (usize, Members<'r>)> {
        let columns: ColumnSet = self.columns.iter().copied().collect();
        let grouping = &recoded.grouping;
        grouping.runs(columns).map(move |(start, end)| (start, Members::of_run(grouping, start, end)))
    }

    /// The cells that the class with this first entry publishes, by quasi-identifier.
    pub(super) fn cells(&self, problem: &Problem<'_>, recoded: &Recoded, entry: usize) -> Vec<Cell> {
        let (levels, codes) = (self.by_quasi_identifier(&recoded.levels), self.codes(recoded, entry));
        let cell = |(quasi, (&level, &code)): (&QuasiIdentifier, (&usize, &usize))| quasi.cell(to_u32(code), level);
        problem.quasi_identifiers.iter().zip(levels.iter().zip(&codes)).map(cell).collect()
    }

    /// A code of each quasi-identifier that is published as this entry is.
    pub(super) fn codes(&self, recoded: &Recoded, entry: usize) -> Vec<usize> {
        let codes: Vec<usize> =
            self.columns.iter().map(|&column| recoded.grouping.code(entry, column) as usize).collect();
        self.by_quasi_identifier(&codes)
    }
}

impl Recoded {
    /// The levels, by position.
    pub(super) fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// Whether these levels are nowhere finer.
    pub(super) fn is_below(&self, levels: &[usize]) -> bool {
        self.levels.iter().zip(levels).all(|(own, other)| own <= other)
    }
}
