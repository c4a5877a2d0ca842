//! Two tables that share a class id and nothing else: quasi-identifiers in the first, sensitive attributes in the
//! second.
//!
//! R. C.-W. Wong et al. publish any classes that keep a policy in this way, undistorted, and call the join lossy. A
//! class is what shares an id. The policy is judged on the values that each id has in the second table; the first table
//! must have the same ids, each as often. Then the only thing left that could tie rows together is an order
//! ([`order`]).

mod against;
mod chance;
mod order;
mod rows_in_order;
mod truth;

use crate::count::{ClassKeys, ValueTally};
use crate::judge::CountedClasses;
use crate::manifest::{ColumnEntry, FileEntry, Role, Technique, TwoTables};
use crate::models::{ModelQuestion, SensitiveAttribute};
use crate::options::Options;
use crate::read::{CellEncoder, CellRules, ColumnTexts, ReadProgress, RowSink, TableFile};
use crate::release::Release;
use crate::verdict::{Fault, FaultKind, Verdict, VerifyError};

use order::{ClassIds, OrderSearch};
use rows_in_order::RowsInOrder;

/// What a reader of a verdict must not overlook.
const NOT_HIDDEN: &str = "two tables do not hide who is in them: quasi-identifiers are published unchanged, and only \
                          the assignment of sensitive values to people within a class is obscured";

/// Judges the two tables of a release, and holds them against the original if it is at hand.
pub(crate) fn check(
    release: &Release<'_>,
    two: &TwoTables,
    questions: &[ModelQuestion],
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    verdict.notes.push(NOT_HIDDEN.to_string());
    // That a file is missing was told.
    let (Some(first), Some(second)) = (release.file(&two.quasi_identifiers), release.file(&two.sensitive)) else {
        return Ok(());
    };
    let of = |moved: bool| -> Vec<&ColumnEntry> {
        let is_there = |column: &&ColumnEntry| (column.technique == Technique::MovedToSecondTable) == moved;
        release.columns().into_iter().filter(is_there).collect()
    };
    let tables = TwoTableFiles {
        release,
        class_column: &two.class_column,
        first: PublishedTable { file: first, columns: of(false), ids_stand_last: true },
        second: PublishedTable { file: second, columns: of(true), ids_stand_last: false },
    };
    tables.judge(questions, options, verdict)?;
    match &options.against {
        Some(original) => against::check(&tables, original, options, verdict),
        None => Ok(()),
    }
}

/// Which file and which columns are which.
struct TwoTableFiles<'a> {
    release: &'a Release<'a>,
    class_column: &'a str,
    first: PublishedTable<'a>,
    second: PublishedTable<'a>,
}

/// One of the two tables.
struct PublishedTable<'a> {
    file: &'a FileEntry,
    /// Its columns but for the class ids.
    columns: Vec<&'a ColumnEntry>,
    /// Whether the class ids are its last column, and not its first.
    ids_stand_last: bool,
}

impl PublishedTable<'_> {
    /// The names of the columns in the order of the file, and the order in which they are read: the ids first.
    fn order<'n>(&'n self, class_column: &'n str) -> (Vec<&'n str>, Vec<usize>) {
        let names = self.columns.iter().map(|column| column.name.as_str());
        let others = self.columns.len();
        match self.ids_stand_last {
            true => (names.chain([class_column]).collect(), [others].into_iter().chain(0..others).collect()),
            false => ([class_column].into_iter().chain(names).collect(), (0..=others).collect()),
        }
    }

    /// Encoders of its columns that have met nothing, and their empty keys.
    fn unread(&self) -> (Vec<CellEncoder>, ClassKeys) {
        (self.columns.iter().map(|_| CellEncoder::plain()).collect(), ClassKeys::new(self.columns.len()))
    }
}

/// Both tables as they were read: a row is the code of its class id, and the number of its other cells together.
struct ReadTables {
    first: RowsInOrder,
    second: RowsInOrder,
}

impl TwoTableFiles<'_> {
    fn names(&self) -> [&str; 2] {
        [&self.first.file.name, &self.second.file.name]
    }

    fn quasi_identifiers(&self) -> usize {
        self.first.columns.iter().filter(|column| column.role == Role::QuasiIdentifier).count()
    }

    /// Reads both tables in order; nothing when one of them is not as the manifest says. `encoders` and `keys` are
    /// those of the columns of each table but for the class ids.
    fn read(
        &self,
        [first, second]: [(Vec<CellEncoder>, ClassKeys); 2],
        options: &Options<'_>,
        verdict: &mut Verdict,
    ) -> Result<Option<ReadTables>, VerifyError> {
        let rows = self.release.manifest.rows.saturating_mul(2);
        let progress = ReadProgress::new(options.cancel, options.progress, rows);
        let mut read = |table: &PublishedTable<'_>, (mut encoders, keys): (Vec<CellEncoder>, ClassKeys), ids| {
            encoders.insert(0, CellEncoder::new(ids, CellRules::default()));
            let mut rows = RowsInOrder::new(encoders, vec![ClassKeys::new(1), keys]);
            let (names, wanted) = table.order(self.class_column);
            let read = |file: &TableFile<'_>, rows: &mut RowsInOrder| file.read(&wanted, rows, &progress);
            let whole = self.release.read_file(table.file, &names, &mut rows, read, verdict)?;
            Ok((rows, whole))
        };
        let (first, whole) = read(&self.first, first, ColumnTexts::default())?;
        // Equal ids have equal codes in both tables.
        let (second, also) = read(&self.second, second, first.encoders[0].texts.clone())?;
        Ok((whole && also).then_some(ReadTables { first, second }))
    }

    fn judge(
        &self,
        questions: &[ModelQuestion],
        options: &Options<'_>,
        verdict: &mut Verdict,
    ) -> Result<(), VerifyError> {
        let Some(read) = self.read([self.first.unread(), self.second.unread()], options, verdict)? else {
            return Ok(());
        };
        let codes = [read.first.first_column(), read.second.first_column()];
        let sizes = sizes(&codes, read.second.encoders[0].texts.codes());
        verdict.rows = read.first.rows();
        verdict.classes = sizes[1].iter().filter(|rows| **rows > 0).count() as u64;
        verdict.smallest_class = sizes[1].iter().copied().filter(|rows| *rows > 0).min().unwrap_or(0);
        self.release.compare_counts(verdict);
        let ids = ids(codes, &sizes, &read.second.encoders[0].texts, verdict);
        self.judge_models(questions, &read.second, sizes, verdict);
        if let Some(ids) = ids.filter(|ids| ids.classes > 0) {
            let mut search = OrderSearch::new(self.quasi_identifiers());
            ids.search(self.names(), &mut search);
            let tuples = &read.first.groups[1];
            for (at, column) in self.first.columns.iter().enumerate() {
                if column.role == Role::QuasiIdentifier {
                    let codes = tuples.codes(at);
                    let code = |row: usize| codes[tuples.rows[row] as usize];
                    ids.search_column(&column.name, &read.first.encoders[at + 1].texts, code, &mut search);
                }
            }
            search.tell(verdict);
        }
        Ok(())
    }

    /// Puts the values that each id has in the second table before every model.
    fn judge_models(
        &self,
        questions: &[ModelQuestion],
        second: &RowsInOrder,
        sizes: [Vec<u64>; 2],
        verdict: &mut Verdict,
    ) {
        let (classes, tuples) = (second.first_column(), &second.groups[1]);
        let (mut attributes, mut values) = (Vec::new(), Vec::new());
        for (at, column) in self.second.columns.iter().enumerate() {
            if questions.iter().any(|question| question.sensitive.as_deref() == Some(column.name.as_str())) {
                let of_tuple = tuples.codes(at);
                let codes: Vec<u32> = tuples.rows.iter().map(|tuple| of_tuple[*tuple as usize]).collect();
                let mut tally = ValueTally::default();
                tally.add_rows(&classes, &codes);
                let counted = tally.finish();
                let labels = second.encoders[at + 1].texts.labels();
                attributes.push(SensitiveAttribute::new(column.name.clone(), labels, &counted));
                values.push(counted);
            }
        }
        let [_, sizes] = sizes;
        let counted = CountedClasses { sizes, people: None, attributes, values, by_id: true };
        verdict.take(counted.judge(questions));
    }
}

/// The rows of each code in both tables.
fn sizes(ids: &[Vec<u32>; 2], codes: usize) -> [Vec<u64>; 2] {
    [0, 1].map(|table| {
        let mut sizes = vec![0; codes];
        ids[table].iter().for_each(|code| sizes[*code as usize] += 1);
        sizes
    })
}

/// The ids of the rows of both tables, when they are the whole numbers from 1 on and the same on both sides; otherwise
/// a fault says what they are not.
fn ids(codes: [Vec<u32>; 2], sizes: &[Vec<u64>; 2], texts: &ColumnTexts, verdict: &mut Verdict) -> Option<ClassIds> {
    let mut fault = |message: String| verdict.add_once(Fault::new(FaultKind::ClassIds, message));
    let is_used = |code: &usize| sizes[0][*code] + sizes[1][*code] > 0;
    let used = || (0..texts.codes()).filter(is_used);
    let classes = used().count();
    let id = |(code, text): (usize, Option<&str>)| {
        let text = text.filter(|_| is_used(&code))?;
        let number = text.parse::<u32>().ok().filter(|id| id.to_string() == text)?;
        number.checked_sub(1).filter(|id| (*id as usize) < classes)
    };
    let ids: Vec<Option<u32>> = texts.texts_from(0).enumerate().map(id).collect();
    let strange = used().filter(|code| ids[*code].is_none()).count();
    if strange > 0 {
        fault(format!("{strange} of {classes} class numbers are not integers from 1 to {classes}"));
    }
    let lonely = used().filter(|code| sizes[0][*code] == 0 || sizes[1][*code] == 0).count();
    if lonely > 0 {
        fault(format!("{lonely} of {classes} class numbers occur in only one of the two tables"));
    }
    let uneven = used().filter(|code| sizes[0][*code] != sizes[1][*code]).count() - lonely;
    if uneven > 0 {
        fault(format!("{uneven} of {classes} classes have different numbers of rows in the two tables"));
    }
    if strange + lonely + uneven > 0 {
        return None;
    }
    let [first, second] =
        codes.map(|codes| codes.into_iter().map(|code| ids[code as usize].unwrap_or_default()).collect());
    Some(ClassIds { first, second, classes })
}

/// A list in another order, for tests.
#[cfg(test)]
fn shuffled<T: Copy>(list: &[T], seed: u64) -> Vec<T> {
    let (mut list, mut state) = (list.to_vec(), seed);
    for last in (1..list.len()).rev() {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let place = (mixed ^ (mixed >> 31)) % (last as u64 + 1);
        list.swap(last, usize::try_from(place).unwrap_or(last));
    }
    list
}
