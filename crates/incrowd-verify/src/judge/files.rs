//! Classes that outgrow memory: the files are read several times, each time for a part of the classes.
//!
//! A row belongs to the part that a hash of its published quasi-identifiers names, so all rows of a class meet in one
//! reading. Texts are hashed, not their codes, which every thread numbers as they come. Models that compare a class with
//! the whole get the whole in every reading: the values of all rows are counted, whatever their part. Nothing is written to
//! the disk. How many parts there are is guessed from the manifest and found out by counting: a part that turns out too
//! large is begun anew with twice as many.

use std::sync::Arc;

use ahash::RandomState;

use super::counted::{Counted, Judged, faults};
use crate::count::Counter;
use crate::manifest::Manifest;
use crate::models::{Attribute, Question};
use crate::read::Texts;
use crate::read::Watch;
use crate::read::{Encoder, Reading};
use crate::verdict::{Verdict, VerifyError};
use crate::verify::{Options, Release};

/// The share of the memory that classes may take, in percent.
const SHARE: u64 = 70;
/// Bytes of a class, on both threads and while their counts are put together: keys of 128 bits in maps that may just have
/// doubled, its size, its codes.
const CLASS_BYTES: u64 = 256;
/// Bytes of a class and value, likewise.
const VALUE_BYTES: u64 = 48;
/// More parts are not worth it: classes would have to be fewer than the readings.
const MOST_PARTS: u64 = 1 << 12;
/// So many classes are always held.
const FEWEST: u64 = 1 << 10;

/// Into how many parts the classes are cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    count: u64,
    /// A thread that meets more classes in a part has met too many.
    most: u64,
}

impl Parts {
    /// As many as the manifest makes expect.
    pub(crate) fn new(manifest: &Manifest, columns: usize, sensitive: usize, memory: Option<u64>) -> Parts {
        let Some(memory) = memory else { return Parts { count: 1, most: u64::MAX } };
        let room = (memory / 100 * SHARE).max(1);
        let class = CLASS_BYTES + 4 * columns as u64;
        let values = manifest.rows.saturating_mul(VALUE_BYTES * sensitive as u64);
        let count = manifest.classes.saturating_mul(class).saturating_add(values).div_ceil(room);
        Parts { count: count.clamp(1, MOST_PARTS), most: (room / class).max(FEWEST) }
    }

    fn smaller(self) -> Parts {
        Parts { count: self.count * 2, ..self }
    }
}

/// Which rows are counted in one reading.
#[derive(Clone)]
pub(crate) struct Part {
    number: u64,
    count: u64,
    most: u64,
    hasher: Arc<RandomState>,
    /// The hashes of the texts of each column, by code.
    hashes: Vec<Vec<u64>>,
    /// Whether there were too many classes.
    pub(crate) over: bool,
}

impl Part {
    fn new(parts: Parts, number: u64, columns: usize, hasher: &Arc<RandomState>) -> Part {
        let Parts { count, most } = parts;
        Part { number, count, most, hasher: Arc::clone(hasher), hashes: vec![Vec::new(); columns], over: false }
    }

    /// The same part, for another thread.
    pub(crate) fn sibling(&self) -> Part {
        Part { hashes: vec![Vec::new(); self.hashes.len()], ..self.clone() }
    }

    /// Whether all rows belong to it.
    pub(crate) fn is_all(&self) -> bool {
        self.count == 1
    }

    /// The rows that belong to the part, given column by column.
    pub(crate) fn rows(&mut self, encoders: &[Encoder], columns: &[Vec<u32>], rows: usize) -> Vec<usize> {
        let mut hashes = vec![0u64; rows];
        for ((known, encoder), column) in self.hashes.iter_mut().zip(encoders).zip(columns) {
            let new = known.len()..encoder.texts.codes();
            known.extend(new.map(|code| self.hasher.hash_one(encoder.texts.text(code as u32).map(|text| &**text))));
            for (hash, &code) in hashes.iter_mut().zip(column) {
                *hash = hash.rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ known[code as usize];
            }
        }
        let part = |hash: u64| (u128::from(mixed(hash)) * u128::from(self.count)) >> 64;
        (0..rows).filter(|&row| part(hashes[row]) == u128::from(self.number)).collect()
    }

    /// So many classes were met; says whether to go on.
    pub(crate) fn goes_on(&mut self, classes: usize) -> bool {
        self.over |= classes as u64 > self.most && self.count < MOST_PARTS;
        !self.over
    }
}

fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

impl Release<'_> {
    /// Counts and judges the classes part by part; nothing when the files cannot be read as the manifest describes them.
    ///
    /// `wanted` are the columns that are read, the first `classified` of them those of the class, the rest `sensitive`.
    pub(crate) fn judge_parts(
        &self,
        mut parts: Parts,
        questions: &[Question],
        (wanted, classified, sensitive): (&[usize], usize, &[&str]),
        options: &Options<'_>,
        verdict: &mut Verdict,
    ) -> Result<Option<Judged>, VerifyError> {
        let hasher = Arc::new(RandomState::new());
        'anew: loop {
            let total = self.manifest.rows.saturating_mul(parts.count);
            let watch = Watch::new(options.cancel, options.progress, total);
            let mut judged: Option<Judged> = None;
            let (mut classes, mut smallest) = (0, u64::MAX);
            for number in 0..parts.count {
                let encoders = wanted.iter().map(|_| Encoder::new(Texts::default(), Reading::default())).collect();
                let part = Part::new(parts, number, classified, &hasher);
                let mut counter = Counter::new(encoders, classified).of(part);
                // What is wrong with a file is told once.
                let mut again = Verdict::default();
                let told = if number == 0 { &mut *verdict } else { &mut again };
                let before = told.faults.len();
                let whole = self.count(wanted, &mut counter, &watch, told)?;
                if counter.is_over() {
                    told.faults.truncate(before);
                    parts = parts.smaller();
                    continue 'anew;
                }
                classes += counter.sizes.len() as u64;
                smallest = counter.sizes.iter().copied().min().unwrap_or(u64::MAX).min(smallest);
                verdict.rows = crate::read::Rows::rows(&counter);
                if !whole {
                    (verdict.classes, verdict.smallest_class) = (classes, if classes > 0 { smallest } else { 0 });
                    return Ok(None);
                }
                let whole = counter.whole_values();
                let Counter { encoders, sizes, tallies, .. } = counter;
                let tallies: Vec<Vec<(u64, u64)>> = tallies.into_iter().map(crate::count::Tally::finish).collect();
                let labels = encoders[classified..].iter().map(|encoder| encoder.texts.labels());
                let attributes = sensitive.iter().zip(labels).zip(whole);
                let attribute = |((name, labels), rows): ((&&str, Vec<_>), Vec<u64>)| Attribute {
                    name: name.to_string(),
                    labels,
                    rows,
                };
                let attributes = attributes.map(attribute).collect();
                let counted = Counted { sizes, people: None, attributes, tallies, by_id: false };
                let (verdicts, _, notes) = counted.judge(questions);
                match &mut judged {
                    None => judged = Some((verdicts, Vec::new(), notes)),
                    Some((sums, _, _)) => {
                        for (sum, more) in sums.iter_mut().zip(verdicts) {
                            sum.classes_failing += more.classes_failing;
                            sum.holds &= more.holds;
                        }
                    }
                }
            }
            (verdict.classes, verdict.smallest_class) = (classes, if classes > 0 { smallest } else { 0 });
            self.compare_counts(verdict);
            return Ok(judged.map(|(verdicts, _, notes)| {
                let failing = faults(&verdicts, classes as usize);
                (verdicts, failing, notes)
            }));
        }
    }
}
