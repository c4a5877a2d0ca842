//! Several rows of one person: do at least k pseudonyms have the same published rows?
//!
//! The manifest may promise this for an attacker who knows up to m rows of a person (`known_rows` of the policy, a number
//! or `all`). The rows of a person are those with one pseudonym of the subject. A *look* is what a row publishes in all
//! quasi-identifiers. Two pseudonyms are alike when each look is in the same number of their rows, where m rows or more
//! count as m. Each pseudonym must be alike to at least k, itself included.
//!
//! This suffices. Let someone know at most m rows of a person. A look that is in c of the known rows, c ≤ m, is in at least
//! c rows of each alike pseudonym: if the person has fewer than m rows with it, the alike ones have the same number, and
//! otherwise they have at least m. So all of them have the known rows, and they are at least k.
//!
//! It follows that each class has rows of at least k people: whoever has a row in it is alike to k − 1 others, who have
//! one there too.

use serde_json::Value;

use crate::count::ClassKeys;
use crate::manifest::{ColumnEntry, Policy, Role};
use crate::options::Options;
use crate::read::{CellEncoder, MISSING, ReadProgress, RowSink};
use crate::release::Release;
use crate::treatments::ColumnTreatment;
use crate::verdict::{Fault, FaultKind, ModelVerdict, NotChecked, Verdict, VerifyError};

/// The name of the promise in a verdict.
pub(crate) const NAME: &str = "known-rows";

/// Bytes that a row takes while it is compared: its pseudonym and its look, twice.
pub(crate) const ROW_BYTES: u64 = 32;

/// What is promised about people with several rows.
pub(crate) struct LinkedRows {
    /// The number from which on rows with one look count the same; nothing when all are counted.
    pub(crate) most: Option<u64>,
    pub(crate) k: u64,
}

impl LinkedRows {
    /// What a policy promises; nothing when it promises nothing about several rows. The error is a fault of the policy.
    pub(crate) fn of(policy: &Policy) -> Result<Option<LinkedRows>, Fault> {
        let fault = |why: &str| Fault::new(FaultKind::Policy, format!("{NAME}: {why}"));
        let Some(known) = &policy.known_rows else { return Ok(None) };
        let most = match known {
            Value::String(word) if word == "all" => None,
            number => match number.as_u64() {
                Some(rows) if rows >= 2 => Some(rows),
                _ => return Err(fault("the number of known rows is neither a whole number of at least 2 nor all")),
            },
        };
        let rules = policy.models.iter().filter(|rule| rule.model == "k-anonymity");
        let k = rules.filter_map(|rule| rule.parameters.get("k").and_then(Value::as_u64)).max();
        k.map(|k| Some(LinkedRows { most, k })).ok_or_else(|| fault("the policy has no k"))
    }

    /// The others who are like a person, at least.
    pub(crate) fn others(&self) -> String {
        match self.k {
            2 => "1 other person".to_string(),
            k => format!("{} other people", k.saturating_sub(1)),
        }
    }

    /// The promise, in one sentence.
    fn promise(&self) -> String {
        let others = self.others();
        match self.most {
            Some(most) => format!(
                "Any {most} published rows of a person, or fewer, are on the quasi-identifiers also rows of at least \
                 {others}."
            ),
            None => format!("On the quasi-identifiers, each person has the same published rows as at least {others}."),
        }
    }

    /// Compares people by their rows, each given as a person and a look, in any order.
    pub(crate) fn judge(&self, rows: Vec<(u64, u32)>) -> (ModelVerdict, Option<Fault>) {
        let (failing, people) = self.failing(rows);
        let verdict = ModelVerdict {
            model: NAME.to_string(),
            sensitive: None,
            holds: failing == 0,
            classes_failing: 0,
            promise: self.promise(),
        };
        let message = format!("{NAME}: {failing} of {people} people have the same rows as fewer than k people");
        (verdict, (failing > 0).then(|| Fault::new(FaultKind::Promise, message)))
    }

    /// How many people have the same rows as fewer than k people, and how many people there are.
    pub(crate) fn failing(&self, mut rows: Vec<(u64, u32)>) -> (u64, usize) {
        rows.sort_unstable();
        // The looks of all people, one person after the other, with their numbers of rows.
        let (mut looks, mut people): (Vec<(u32, u64)>, Vec<std::ops::Range<usize>>) = Default::default();
        for of_person in rows.chunk_by(|a, b| a.0 == b.0) {
            let start = looks.len();
            for alike in of_person.chunk_by(|a, b| a.1 == b.1) {
                let count = alike.len() as u64;
                looks.push((alike[0].1, self.most.map_or(count, |most| count.min(most))));
            }
            people.push(start..looks.len());
        }
        people.sort_unstable_by(|a, b| looks[a.clone()].cmp(&looks[b.clone()]));
        let groups = people.chunk_by(|a, b| looks[a.clone()] == looks[b.clone()]);
        let failing = groups.map(|group| group.len() as u64).filter(|&people| people < self.k).sum();
        (failing, people.len())
    }
}

/// Adds what the pseudonyms of a release in one table say about the promise; nothing when nothing is promised.
pub(crate) fn check(release: &Release<'_>, options: &Options<'_>, verdict: &mut Verdict) -> Result<(), VerifyError> {
    let asked = match LinkedRows::of(&release.manifest.policy) {
        Ok(None) => return Ok(()),
        Ok(Some(asked)) => asked,
        Err(fault) => {
            verdict.faults.push(fault);
            return Ok(());
        }
    };
    let Some(wanted) = wanted_columns(release) else {
        let message = format!("{NAME}: the release has no pseudonyms of people, so nothing links their rows");
        verdict.faults.push(Fault::new(FaultKind::Policy, message));
        return Ok(());
    };
    if options.memory.is_some_and(|memory| release.manifest.rows.saturating_mul(ROW_BYTES) > memory) {
        let promise = asked.promise();
        verdict.not_checked.push(NotChecked { model: NAME.to_string(), sensitive: None, promise });
        return Ok(());
    }
    let mut rows = LinkedRowsSink::new(wanted.len());
    if !read_rows(release, &wanted, &mut rows, options, verdict)? {
        return Ok(());
    }
    let (model, fault) = asked.judge(rows.rows);
    if model.holds {
        // A class has rows of k people, too: see the top of this file.
        verdict.not_checked.retain(|open| open.model != "k-anonymity");
    }
    verdict.models.push(model);
    verdict.faults.extend(fault);
    Ok(())
}

/// The places of the pseudonyms of people and of the quasi-identifiers among the published columns; nothing when there are
/// no such pseudonyms.
pub(crate) fn wanted_columns(release: &Release<'_>) -> Option<Vec<usize>> {
    let columns = release.columns();
    let is_pseudonym = |column: &&ColumnEntry| {
        column.role == Role::Subject && ColumnTreatment::of(column) == Some(ColumnTreatment::Pseudonym)
    };
    let subject = columns.iter().position(is_pseudonym).filter(|_| release.manifest.two_tables.is_none())?;
    let quasi = (0..columns.len()).filter(|&at| columns[at].role == Role::QuasiIdentifier);
    Some([subject].into_iter().chain(quasi).collect())
}

/// Reads these columns of all files; says whether all of them could be read.
pub(crate) fn read_rows(
    release: &Release<'_>,
    wanted: &[usize],
    rows: &mut LinkedRowsSink,
    options: &Options<'_>,
    verdict: &mut Verdict,
) -> Result<bool, VerifyError> {
    let columns = release.columns();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let progress = ReadProgress::new(options.cancel, None, release.manifest.rows);
    for file in release.entries() {
        let read = |table: &crate::read::TableFile<'_>, into: &mut LinkedRowsSink| table.read(wanted, into, &progress);
        if !release.read_file(file, &names, rows, read, verdict)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes the pseudonym and the look of each row. The first column has the pseudonyms.
pub(crate) struct LinkedRowsSink {
    encoders: Vec<CellEncoder>,
    keys: ClassKeys,
    /// A person and a look for each row.
    pub(crate) rows: Vec<(u64, u32)>,
    looks: Vec<u32>,
    /// The number of the first look: those below are looks of other tables.
    first_look: u32,
    met: u64,
}

impl LinkedRowsSink {
    pub(crate) fn new(columns: usize) -> LinkedRowsSink {
        let encoders = (0..columns).map(|_| CellEncoder::plain()).collect();
        let keys = ClassKeys::new(columns - 1);
        LinkedRowsSink { encoders, keys, rows: Vec::new(), looks: Vec::new(), first_look: 0, met: 0 }
    }

    /// Goes on with the rows of another table: a pseudonym is that of the same person, and no look is the same.
    pub(crate) fn next_table(self, columns: usize) -> LinkedRowsSink {
        let first_look = self.first_look + u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        let mut next = LinkedRowsSink::new(columns);
        if let (Some(people), Some(first)) = (self.encoders.into_iter().next(), next.encoders.first_mut()) {
            *first = people;
        }
        LinkedRowsSink { rows: self.rows, first_look, met: self.met, ..next }
    }

    /// How many rows have no pseudonym.
    pub(crate) fn unlinked(&self) -> u64 {
        self.met - self.rows.len() as u64
    }
}

impl RowSink for LinkedRowsSink {
    fn encoders(&mut self) -> &mut [CellEncoder] {
        &mut self.encoders
    }

    fn add(&mut self, columns: &[Vec<u32>], rows: usize) {
        self.met += rows as u64;
        let codes: Vec<usize> = self.encoders[1..].iter().map(|encoder| encoder.texts.codes()).collect();
        self.keys.classify(&columns[1..], &codes, rows, &mut self.looks);
        // Rows without a pseudonym are linked to nothing.
        let linked = columns[0].iter().zip(&self.looks).filter(|(person, _)| **person != MISSING);
        self.rows.extend(linked.map(|(&person, &look)| (u64::from(person), self.first_look + look)));
    }

    fn rows(&self) -> u64 {
        self.met
    }
}

#[cfg(test)]
mod tests;
