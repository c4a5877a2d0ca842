//! One thread of the grouped scan: batches become codes, and rows of codes are counted.

use arrow::record_batch::RecordBatch;

use crate::count::collect::Collector;
use crate::count::encode::{ColumnEncoder, PersonHasher};
use crate::count::parts::CodedRows;
use crate::count::profile::{CodeCounts, ColumnTally, Profiling};
use crate::count::row_classes::HashedRowClasses;
use crate::runtime::error::{EngineError, Result};

/// What the threads of the scan share.
pub(super) struct CountPlan {
    /// The columns of the tuples, quasi-identifiers first. They stand first in a batch.
    pub(super) attributes: Vec<String>,
    /// How many of them are quasi-identifiers.
    pub(super) quasi_identifiers: usize,
    /// The columns that are read on their own. They stand next in a batch.
    pub(super) others: Vec<String>,
    /// How each of those distinguishes classes, if it does.
    pub(super) told_by: Vec<Option<ToldBy>>,
    /// Where the subject is in a batch.
    pub(super) subject: Option<usize>,
    pub(super) people: PersonHasher,
    /// Whether the columns of the tuples are profiled, too.
    pub(super) is_profiled: bool,
    /// The bytes that the dictionaries of the tuples may take.
    pub(super) most_bytes: u64,
}

/// How a column that is not in the tuples distinguishes classes.
#[derive(Clone, Copy)]
pub(super) enum ToldBy {
    /// By its cells as they are written.
    Cells,
    /// By its codes: several ways to write one day have one code.
    Codes,
}

/// One partition's reader.
pub(super) struct CountReader {
    pub(super) encoders: Vec<ColumnEncoder>,
    pub(super) codes: Vec<Vec<u32>>,
    pub(super) people: Vec<u64>,
    pub(super) collector: Collector,
    /// Rows of each attribute's codes, and the columns that are not attributes: only when profiles are wanted.
    pub(super) counts: Vec<CodeCounts>,
    pub(super) tallies: Vec<ColumnTally>,
    /// The classes by all quasi-identifiers, when some are not in the tuples.
    pub(super) row_classes: Option<HashedRowClasses>,
    pub(super) rows: u64,
}

impl CountReader {
    /// Counts the rows of a batch.
    pub(super) fn step(&mut self, plan: &CountPlan, batch: &RecordBatch) -> Result<()> {
        for (index, (encoder, codes)) in self.encoders.iter_mut().zip(&mut self.codes).enumerate() {
            let encoded = encoder.encode(batch.column(index), codes);
            encoded.map_err(|no_code| no_code.refusal(&plan.attributes[index], plan.most_bytes))?;
        }
        if let Some(subject) = plan.subject {
            self.people.clear();
            plan.people.hash(batch.column(subject), &mut self.people);
        }
        let people = plan.subject.is_some().then_some(&self.people[..]);
        self.collector.add(&CodedRows { codes: &self.codes, people }, batch.num_rows())?;
        self.rows += batch.num_rows() as u64;
        if plan.is_profiled {
            self.counts.iter_mut().zip(&self.codes).for_each(|(counts, codes)| counts.add(codes));
        }
        self.count_others(plan, batch)
    }

    /// Tallies the columns that are not in the tuples, and counts the classes by all quasi-identifiers.
    fn count_others(&mut self, plan: &CountPlan, batch: &RecordBatch) -> Result<()> {
        let people = plan.subject.is_some().then_some(&self.people[..]);
        let mut of_rows = self.row_classes.as_mut();
        if let Some(of_rows) = &mut of_rows {
            of_rows.start(batch.num_rows());
            let codes = self.codes[..plan.quasi_identifiers].iter().enumerate();
            codes.for_each(|(place, codes)| of_rows.add_codes(place, codes));
        }
        let (first, mut codes) = (plan.attributes.len(), Vec::new());
        Profiling::step(&plan.others, &mut self.tallies, batch, first, &mut codes, &mut |at, codes| {
            let (Some(of_rows), place) = (of_rows.as_mut(), first + at) else { return };
            match plan.told_by[at] {
                Some(ToldBy::Cells) => of_rows.add_cells(place, batch.column(place)),
                Some(ToldBy::Codes) => of_rows.add_codes(place, codes),
                None => {}
            }
        })?;
        let Some(of_rows) = of_rows else { return Ok(()) };
        match of_rows.incomplete() {
            Some(place) => {
                let column = plan.others.get(place - first).cloned().unwrap_or_default();
                Err(EngineError::TooManyValues { column, bytes: plan.most_bytes })
            }
            None => of_rows.count(people),
        }
    }
}
