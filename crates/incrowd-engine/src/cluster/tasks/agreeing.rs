//! Rows that agree on sets of columns, counted by tasks: the sizes of their classes, and nothing else, leave the folder.
//!
//! One scan answers for all sets. A task gives each row of its stretch, and each set, the sum of keyed 128-bit hashes of
//! its cells, sorts the sums and adds up equal ones, in runs of some million rows; another task adds up those of all
//! stretches, part by part. Two rows that differ are treated as equal with a probability of about 2⁻¹²⁸. The key is that of
//! the run, so that nobody can make a table whose rows collide.
//!
//! A cell is hashed by what a scan would code: two writings of a date, of a missing cell or of zero are one value. That is
//! exact without the dictionary of the whole column, because a column of texts is typed only if each text comes back from
//! its typed form letter for letter (`count/typing.rs`).

use std::hash::Hash;
use std::io::Write;
use std::sync::Arc;

use ahash::RandomState;
use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use incrowd_core::{ClassSizes, Stage};
use serde::{Deserialize, Serialize};

use super::folder::{TaskFolder, of_task};
use super::job::{ADD_UP, HASH_ROWS};
use super::piece_runs::{MOST_COLLECTED, PieceRuns, PieceWriter};
use super::recode::SOURCE;
use super::space::TaskSpace;
use crate::count::encode::ColumnEncoder;
use crate::count::intern::{DictionaryBudget, MISSING};
use crate::count::profile::unshared;
use crate::count::question::AgreeingRows;
use crate::count::scan::scan_stretch;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::coding::Coding;
use crate::source::table::Source;

const PLAN: &str = "agreeing-plan";

/// The input of all tasks.
#[derive(Serialize, Deserialize)]
struct AgreeingPlan {
    columns: Vec<String>,
    /// The places of the columns of each set.
    sets: Vec<Vec<usize>>,
    key: [u64; 4],
    stretches: usize,
}

impl AgreeingPlan {
    /// Sums of a stretch go to as many parts as there are stretches, by their upper bits.
    fn part_of(&self, sum: u128) -> usize {
        let upper = (sum >> 64) as u64;
        ((u128::from(upper) * self.stretches as u128) >> 64) as usize
    }

    /// The sums of a part and a set in the file of a stretch.
    fn piece(&self, set: usize, part: usize) -> usize {
        set * self.stretches + part
    }
}

/// What a task found.
#[derive(Serialize, Deserialize)]
struct HashedStretch {
    rows: u64,
    /// How many of them have no cell in a set.
    empty: Vec<u64>,
    /// The hashes of a known text: they have to be the same on every machine.
    probe: [u64; 2],
}

/// The hashes of cells.
struct CellHasher([RandomState; 2]);

impl CellHasher {
    fn new([a, b, c, d]: [u64; 4]) -> CellHasher {
        CellHasher([RandomState::with_seeds(a, b, c, d), RandomState::with_seeds(!d, a, !b, c)])
    }

    fn halves(&self, value: impl Hash) -> [u64; 2] {
        [0, 1].map(|half| self.0[half].hash_one(&value))
    }

    fn hash(&self, value: impl Hash) -> u128 {
        let [upper, lower] = self.halves(value).map(u128::from);
        upper << 64 | lower
    }

    fn probe() -> [u64; 2] {
        CellHasher::new([1, 2, 3, 4]).halves((5, Some("the same on every machine")))
    }

    /// The hash of each cell of a column, and of a missing one, which come from the codes of a dictionary of these cells.
    fn cells(&self, source: &Source, (place, name): (usize, &str), cells: &ArrayRef) -> Result<(Vec<u128>, u128)> {
        let coding = Coding::of_column(name, source.data_type(name)?)?;
        let budget = Arc::new(DictionaryBudget::new(u64::MAX, 1));
        let dictionary = Arc::new(source.dictionary(name, cells.len(), budget));
        let mut codes = Vec::with_capacity(cells.len());
        let coded = ColumnEncoder::new(coding.clone(), dictionary.clone()).encode(cells, &mut codes);
        coded.map_err(|no_code| no_code.refusal(name, u64::MAX))?;
        let dictionary = unshared(dictionary)?;
        let missing = self.hash((place, None::<&str>));
        let values: Vec<u128> = match coding {
            Coding::Text => dictionary.into_texts().iter().map(|text| self.hash((place, Some(&**text)))).collect(),
            _ => dictionary.into_words().iter().map(|word| self.hash((place, Some(word)))).collect(),
        };
        let of_code = |&code: &u32| if code == MISSING { missing } else { values[code as usize - 1] };
        Ok((codes.iter().map(of_code).collect(), missing))
    }
}

/// The sums of the rows of a stretch, for each set.
struct StretchSums<'a> {
    rows: u64,
    /// Those that are not written yet.
    sums: Vec<Vec<u128>>,
    runs: PieceRuns<'a>,
    empty: Vec<u64>,
}

/// Writes the sums of a piece, which are sorted, each with its rows.
fn put_sums(
    plan: &AgreeingPlan,
    sums: &[Vec<u128>],
    piece: usize,
    out: &mut PieceWriter<'_>,
    failed: impl Fn(std::io::Error) -> EngineError,
) -> Result<()> {
    let (sums, part) = (&sums[piece / plan.stretches], piece % plan.stretches);
    let end_of = |parts: usize| sums.partition_point(|&sum| plan.part_of(sum) < parts);
    for equal in sums[end_of(part)..end_of(part + 1)].chunk_by(|a, b| a == b) {
        let written = out.write_all(&equal[0].to_le_bytes());
        written.and_then(|()| out.write_all(&(equal.len() as u64).to_le_bytes())).map_err(&failed)?;
    }
    Ok(())
}

impl StretchSums<'_> {
    fn add(
        &mut self,
        plan: &AgreeingPlan,
        (hasher, source): (&CellHasher, &Source),
        batch: &RecordBatch,
    ) -> Result<()> {
        let columns = plan.columns.iter().enumerate().zip(batch.columns());
        let cells = columns.map(|((place, name), cells)| hasher.cells(source, (place, name), cells));
        let cells = cells.collect::<Result<Vec<_>>>()?;
        for (set, (sums, empty)) in plan.sets.iter().zip(self.sums.iter_mut().zip(&mut self.empty)) {
            let first = sums.len();
            sums.resize(first + batch.num_rows(), 0);
            let sums = &mut sums[first..];
            for &place in set {
                sums.iter_mut().zip(&cells[place].0).for_each(|(sum, cell)| *sum = sum.wrapping_add(*cell));
            }
            let of_empty = set.iter().fold(0_u128, |sum, &place| sum.wrapping_add(cells[place].1));
            *empty += sums.iter().filter(|&&sum| sum == of_empty).count() as u64;
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }
}

/// Hashes the rows of a stretch.
pub(super) fn hash_rows(engine: &Engine, folder: TaskFolder<'_>, task: usize) -> Result<()> {
    let (plan, source): (AgreeingPlan, Source) = (folder.json(PLAN)?, Source::of_parts(folder.json(SOURCE)?)?);
    let (hasher, sets) = (CellHasher::new(plan.key), plan.sets.len());
    let name = sums_of(task);
    let failed = |error| EngineError::io(folder.shown(&name), error);
    let runs = PieceRuns::new(folder, name.clone(), sets * plan.stretches);
    let start = StretchSums { rows: 0, sums: vec![Vec::new(); sets], runs, empty: vec![0; sets] };
    let step = |found: &mut StretchSums<'_>, batch: &RecordBatch| {
        found.add(&plan, (&hasher, &source), batch)?;
        if found.sums.first().is_some_and(|sums| sums.len() >= MOST_COLLECTED) {
            let StretchSums { sums, runs, .. } = found;
            sums.iter_mut().for_each(|sums| sums.sort_unstable());
            runs.flush(|piece, out| put_sums(&plan, sums, piece, out, failed))?;
            sums.iter_mut().for_each(Vec::clear);
        }
        Ok(())
    };
    let found = scan_stretch(engine, &source, &plan.columns, (Stage::Count, task), start, step)?;
    let StretchSums { rows, mut sums, runs, empty } = found;
    sums.iter_mut().for_each(|sums| sums.sort_unstable());
    runs.finish(|piece, out| put_sums(&plan, &sums, piece, out, failed))?;
    let made = HashedStretch { rows, empty, probe: CellHasher::probe() };
    folder.put_json(&of_task(HASH_ROWS, task), &made)
}

/// Adds up the sums of a part.
pub(super) fn add_up(engine: &Engine, folder: TaskFolder<'_>, part: usize) -> Result<()> {
    let plan: AgreeingPlan = folder.json(PLAN)?;
    let mut sizes = Vec::with_capacity(plan.sets.len());
    for set in 0..plan.sets.len() {
        let mut sums: Vec<(u128, u64)> = Vec::new();
        for stretch in 0..plan.stretches {
            engine.check_cancelled()?;
            let words = folder.piece_words(&sums_of(stretch), plan.piece(set, part))?;
            let (words, rest) = words.as_chunks::<3>();
            if !rest.is_empty() {
                return Err(folder.damaged(&sums_of(stretch)));
            }
            sums.extend(words.iter().map(|&[lower, upper, rows]| (u128::from(upper) << 64 | u128::from(lower), rows)));
        }
        // A stable sort merges runs that are sorted already: those of each stretch.
        sums.sort_by_key(|&(sum, _)| sum);
        let size = |equal: &[(u128, u64)]| equal.iter().map(|&(_, rows)| rows).sum::<u64>();
        sizes.push(ClassSizes::from_sizes(sums.chunk_by(|a, b| a.0 == b.0).map(size)));
    }
    folder.put_json(&of_task(ADD_UP, part), &sizes)
}

fn sums_of(stretch: usize) -> String {
    of_task("sums-of", stretch)
}

/// Counts by tasks how many rows agree on each set of columns; nothing when these cannot read the table.
pub(crate) fn agreeing_rows(
    space: &TaskSpace<'_>,
    source: &Source,
    (sets, key): (&[Vec<String>], [u64; 4]),
    stretches: usize,
) -> Result<Option<Vec<AgreeingRows>>> {
    let Some(described) = source.parts(stretches)? else { return Ok(None) };
    let mut columns: Vec<String> = sets.concat();
    columns.sort_unstable();
    columns.dedup();
    for name in &columns {
        Coding::of_column(name, source.data_type(name)?)?;
    }
    let places = |set: &Vec<String>| set.iter().filter_map(|name| columns.binary_search(name).ok()).collect();
    let plan = AgreeingPlan { sets: sets.iter().map(places).collect(), columns, key, stretches };
    let folder = space.folder();
    folder.put_json(SOURCE, &described)?;
    folder.put_json(PLAN, &plan)?;
    space.run(Stage::Count, HASH_ROWS, stretches)?;
    let mut agreeing = vec![AgreeingRows::default(); sets.len()];
    let mut rows = 0;
    for stretch in 0..stretches {
        let found: HashedStretch = folder.json(&of_task(HASH_ROWS, stretch))?;
        if found.probe != CellHasher::probe() {
            return Err(EngineError::Engine { doing: "counting rows", kind: "executors are built differently" });
        }
        rows += found.rows;
        agreeing.iter_mut().zip(found.empty).for_each(|(agreeing, empty)| agreeing.empty += empty);
    }
    space.run(Stage::Count, ADD_UP, stretches)?;
    for part in 0..stretches {
        let sizes: Vec<ClassSizes> = folder.json(&of_task(ADD_UP, part))?;
        agreeing.iter_mut().zip(&sizes).for_each(|(agreeing, sizes)| agreeing.sizes = agreeing.sizes.merge(sizes));
    }
    let is_complete = agreeing.iter().all(|agreeing| agreeing.sizes.total() == rows);
    if is_complete { Ok(Some(agreeing)) } else { Err(EngineError::Changed(source.name().into())) }
}
