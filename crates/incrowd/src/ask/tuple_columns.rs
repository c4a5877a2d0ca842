//! Which quasi-identifiers are combined in tuples when a table has more of them than a tuple holds.
//!
//! The tuples hold the columns with the most values. The engine counts the classes of all quasi-identifiers in the same
//! scan, by a keyed hash of each row.

use std::collections::HashMap;

use incrowd_core::{ColumnProfile, ColumnSet, Layout};
use incrowd_engine::{EngineError, Question};

/// A question whose tuples hold as many quasi-identifiers as fit: those with the most values.
pub(crate) struct TupleColumns {
    asked: Question,
    /// The quasi-identifiers by how much they identify, the most first, with the bits that their codes may take.
    ranked: Vec<(String, u32)>,
}

/// The bits of a tuple that are left for codes that turn out longer than the first rows let expect.
const SPARE_BITS: u32 = 2;
/// The bits of the codes of a column that has a new value in many of the first rows.
const GROWING_BITS: u32 = 24;
/// A column has a new value in many rows when it has more values than one in this number of rows.
const GROWING: u64 = 8;

impl TupleColumns {
    /// The question with columns chosen by the profiles of the first rows.
    pub(crate) fn of_head(asked: &Question, head: &[ColumnProfile], head_rows: usize, k: u64) -> Self {
        let rows = head.first().map_or(0, |profile| profile.rows);
        if rows < head_rows as u64 {
            // The first rows are all there are.
            return Self::of_table(asked, head, k);
        }
        Self::new(asked, head, k, |profile| match profile.distinct() * GROWING > rows {
            true => GROWING_BITS,
            false => Layout::bits_for(profile.dictionary.len()) + SPARE_BITS,
        })
    }

    /// The question with columns chosen by the profiles of the whole table.
    pub(crate) fn of_table(asked: &Question, profiles: &[ColumnProfile], k: u64) -> Self {
        Self::new(asked, profiles, k, |profile| match profile.exact {
            true => Layout::bits_for(profile.dictionary.len()),
            false => GROWING_BITS,
        })
    }

    fn new(asked: &Question, profiles: &[ColumnProfile], k: u64, bits: impl Fn(&ColumnProfile) -> u32) -> Self {
        let by_name: HashMap<&String, &ColumnProfile> =
            profiles.iter().map(|profile| (&profile.name, profile)).collect();
        let decided = |profile: &ColumnProfile| {
            let smallest = profile.counts.iter().copied().filter(|&rows| rows > 0).min().unwrap_or(0);
            // One value adds nothing to a set, and every set with a column that is dangerous alone is dangerous.
            profile.exact && (profile.dictionary.len() < 2 || (asked.subject.is_none() && smallest < k))
        };
        let mut ranked: Vec<(&String, &ColumnProfile)> =
            asked.quasi_identifiers.iter().filter_map(|name| Some((name, *by_name.get(name)?))).collect();
        ranked.sort_by_key(|(_, profile)| (decided(profile), std::cmp::Reverse(profile.distinct())));
        let ranked = ranked.into_iter().map(|(name, profile)| (name.clone(), bits(profile))).collect();
        TupleColumns { asked: asked.clone(), ranked }
    }

    /// The answer for as many columns as fit.
    pub(crate) fn count<T>(
        &self,
        count: impl Fn(&Question) -> std::result::Result<T, EngineError>,
    ) -> std::result::Result<T, EngineError> {
        let mut most = ColumnSet::CAPACITY.min(self.asked.quasi_identifiers.len());
        if self.asked.quasi_identifiers.len() <= ColumnSet::CAPACITY {
            match count(&self.asked) {
                Err(EngineError::TooWide) => {}
                answer => return answer,
            }
        }
        loop {
            let question = self.question(most);
            match count(&question) {
                Err(EngineError::TooWide) if question.quasi_identifiers.len() > 1 => {
                    most = question.quasi_identifiers.len() / 2;
                }
                answer => return answer,
            }
        }
    }

    /// The question with at most `most` columns in its tuples.
    fn question(&self, most: usize) -> Question {
        // A subject takes a word of its own.
        let mut widths: Vec<u32> = self.asked.subject.iter().map(|_| u64::BITS).collect();
        let mut chosen = std::collections::HashSet::new();
        for (name, bits) in &self.ranked {
            widths.push(*bits);
            if chosen.len() == most || !Layout::fits(&widths) {
                break;
            }
            chosen.insert(name);
        }
        let (quasi_identifiers, other_quasi_identifiers) =
            self.asked.quasi_identifiers.iter().cloned().partition(|name| chosen.contains(name));
        Question { quasi_identifiers, other_quasi_identifiers, ..self.asked.clone() }
    }
}
