//! The second check: the classes of the written files, counted and put before the models.
//!
//! Classes that do not fit into memory are counted in parts ([`ClassParts`]): the files are read several times, each
//! time for a part of the classes. Models that compare a class with the whole get the whole in every reading: the
//! values of all rows are counted, whatever their part. Nothing is written to the disk.

use std::sync::Arc;

use ahash::RandomState;

use super::counted::{CountedClasses, faults};
use crate::count::{ClassPart, ClassParts, Counter, ValueTally};
use crate::manifest::{ColumnEntry, Manifest, Role};
use crate::models::{ModelQuestion, SensitiveAttribute};
use crate::options::Options;
use crate::read::{CellEncoder, ReadProgress, RowSink};
use crate::release::Release;
use crate::verdict::{ModelVerdict, PolicyVerdict, Verdict, VerifyError};

/// Counts the classes of a release in one table and adds what the models say of them.
pub(crate) fn judge_files(
    release: &Release<'_>,
    questions: &[ModelQuestion],
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<(), VerifyError> {
    let columns = JudgedColumns::new(release.manifest, questions);
    let mut parts = ClassParts::new(release.manifest, columns.of_class, columns.sensitive.len(), options.memory);
    let judged = loop {
        match judge_parts(release, &columns, parts, questions, options, verdict)? {
            Attempt::Judged(judged) => break Some(judged),
            Attempt::Unreadable => break None,
            Attempt::TooManyClasses => parts = parts.halved(),
        }
    };
    if let Some(judged) = judged {
        release.compare_counts(verdict);
        verdict.take(judged);
    }
    Ok(())
}

/// Which columns of the files are read.
pub(crate) struct JudgedColumns<'a> {
    /// Where they stand among the published columns: first those that make the class, then the sensitive ones.
    pub(crate) wanted: Vec<usize>,
    /// How many make the class.
    pub(crate) of_class: usize,
    /// The names of the sensitive ones.
    pub(crate) sensitive: Vec<&'a str>,
}

impl<'a> JudgedColumns<'a> {
    pub(crate) fn new(manifest: &Manifest, questions: &'a [ModelQuestion]) -> JudgedColumns<'a> {
        let published: Vec<&ColumnEntry> = manifest.columns.iter().filter(|column| column.is_published()).collect();
        let place = |name: &str| published.iter().position(|column| column.name == name);
        let of_class = published.iter().enumerate().filter(|(_, column)| column.role == Role::QuasiIdentifier);
        let mut wanted: Vec<usize> = of_class.map(|(at, _)| at).collect();
        let of_class = wanted.len();
        let mut sensitive: Vec<&str> = questions.iter().filter_map(|question| question.sensitive.as_deref()).collect();
        sensitive.sort_unstable();
        sensitive.dedup();
        // Columns of the class are not sensitive ones: that was checked, and such a question is not asked again.
        sensitive.retain(|name| place(name).is_some_and(|at| !wanted.contains(&at)));
        wanted.extend(sensitive.iter().filter_map(|name| place(name)));
        JudgedColumns { wanted, of_class, sensitive }
    }

    /// A counter of these columns.
    pub(crate) fn counter(&self) -> Counter {
        Counter::new(self.wanted.iter().map(|_| CellEncoder::plain()).collect(), self.of_class)
    }

    /// What was counted, as it is put before the models.
    fn counted(&self, mut counter: Counter) -> CountedClasses {
        let whole = counter.whole_values();
        self.counted_with(counter, whole)
    }

    /// The same with how many rows of the whole release have each value, for each sensitive column.
    pub(crate) fn counted_with(&self, counter: Counter, whole: Vec<Vec<u64>>) -> CountedClasses {
        let Counter { encoders, sizes, tallies, .. } = counter;
        let values = tallies.into_iter().map(ValueTally::finish).collect();
        let labels = encoders[self.of_class..].iter().map(|encoder| encoder.texts.labels());
        let attributes = self.sensitive.iter().zip(labels).zip(whole);
        let attributes = attributes.map(|((name, labels), rows)| {
            let name = name.to_string();
            SensitiveAttribute { name, labels, rows }
        });
        CountedClasses { sizes, people: None, attributes: attributes.collect(), values, by_id: false }
    }
}

/// What came of counting the classes in some number of parts.
enum Attempt {
    Judged(PolicyVerdict),
    /// The files are not as the manifest describes them; the verdict says why.
    Unreadable,
    /// A part has more classes than fit into memory.
    TooManyClasses,
}

/// Counts and judges the classes part by part.
fn judge_parts(
    release: &Release<'_>,
    columns: &JudgedColumns<'_>,
    parts: ClassParts,
    questions: &[ModelQuestion],
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<Attempt, VerifyError> {
    let hasher = Arc::new(RandomState::new());
    let total = release.manifest.rows.saturating_mul(parts.count());
    let progress = ReadProgress::new(options.cancel, options.progress, total);
    let mut judged: Option<PolicyVerdict> = None;
    let (mut classes, mut smallest) = (0, u64::MAX);
    for number in 0..parts.count() {
        let mut counter = columns.counter().of(ClassPart::new(parts, number, columns.of_class, &hasher));
        let whole = release.count(&columns.wanted, &mut counter, &progress, verdict)?;
        if counter.is_over() {
            // The faults of the files remain, and are not added again.
            return Ok(Attempt::TooManyClasses);
        }
        classes += counter.sizes.len() as u64;
        smallest = counter.sizes.iter().copied().min().unwrap_or(u64::MAX).min(smallest);
        verdict.rows = counter.rows();
        (verdict.classes, verdict.smallest_class) = (classes, if classes > 0 { smallest } else { 0 });
        if !whole {
            return Ok(Attempt::Unreadable);
        }
        let part = columns.counted(counter).judge(questions);
        match &mut judged {
            None => judged = Some(part),
            Some(sum) => add(&mut sum.models, &part.models),
        }
    }
    let mut judged = judged.unwrap_or_default();
    judged.faults = faults(&judged.models, classes);
    Ok(Attempt::Judged(judged))
}

/// Adds what the models say of another part of the classes.
pub(crate) fn add(sum: &mut [ModelVerdict], part: &[ModelVerdict]) {
    for (sum, part) in sum.iter_mut().zip(part) {
        sum.classes_failing += part.classes_failing;
        sum.holds &= part.holds;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::models;
    use crate::release::small::{self, told};

    #[test]
    fn what_was_told_of_a_file_before_its_classes_were_too_many_is_told_once() {
        const ROWS: u64 = 20_000;
        let (folder, mut manifest) = (tempfile::tempdir().expect("a folder"), small::manifest());
        let data: String = (0..ROWS).map(|row| format!("{row},flu,n\n")).collect();
        small::write(folder.path(), &mut manifest, &[("data.csv", &format!("age,illness,note\n{data}"))]);
        // So few classes would fit into one part.
        (manifest.files[0].rows, manifest.classes) = (9, 2);
        let readings = AtomicU64::new(0);
        let progress = |_: u64, total: u64| {
            readings.fetch_max(total / ROWS, Ordering::Relaxed);
        };
        let options = Options { memory: Some(1_500_000), progress: Some(&progress), ..Options::default() };
        let release = Release::new(folder.path(), &manifest, manifest.files.iter().collect(), None);
        let (questions, mut verdict) = (models::questions(&manifest.policy).0, Verdict::default());
        judge_files(&release, &questions, &options, &mut verdict).expect("files that can be read");
        let expected = [
            "Rows: data.csv has 20000 rows, the manifest says 9",
            "Classes: there are 20000 classes, the manifest says 2",
            "Classes: the smallest class has 1 rows, the manifest says 2",
            "Promise: k-anonymity does not hold in 20000 of 20000 classes",
        ];
        assert_eq!(told(&verdict.faults), expected);
        assert_eq!((verdict.rows, verdict.classes, verdict.smallest_class), (ROWS, ROWS, 1));
        assert!(readings.into_inner() > 1, "one part was too large");
    }

    #[test]
    fn what_fails_in_a_part_fails_in_the_whole() {
        let verdict = |classes_failing: u64| ModelVerdict {
            model: "k-anonymity".into(),
            sensitive: None,
            holds: classes_failing == 0,
            classes_failing,
            promise: String::new(),
        };
        let mut sum = [verdict(0), verdict(2), verdict(0)];
        add(&mut sum, &[verdict(3), verdict(0), verdict(0)]);
        assert_eq!(sum, [verdict(3), verdict(2), verdict(0)]);
    }
}
