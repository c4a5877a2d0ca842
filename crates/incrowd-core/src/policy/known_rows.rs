//! Several rows of one person: people who look alike by all of their rows.
//!
//! k-anonymity with a subject column says that at least k people have each published row. That protects against an
//! attacker who knows *one* row of a person. Where rows are linked, because a pseudonym of the subject is published, an
//! attacker may know several rows of a person and look for the pseudonyms that have all of them.
//!
//! **Definition.** A *look* is a combination of published quasi-identifiers, and the *history* H(p) of a person p is the
//! multiset of the looks of p's published rows. An attacker knows any multiset S ⊆ H(p) of at most m looks. A release
//! protects against m known rows when, for every person p and every such S, at least k people q have S ⊆ H(q).
//!
//! **What is checked.** Let Hₘ(p) be H(p) with no look counted more than m times. The release is accepted when at least k
//! people have the same Hₘ as p, for every p ([`AlikePeople`]).
//!
//! *It suffices.* Let S ⊆ H(p) with |S| ≤ m, and let q have the same Hₘ as p. A look c is at most min(H(p)(c), m) times in
//! S. That is Hₘ(p)(c) = Hₘ(q)(c) ≤ H(q)(c), so S ⊆ H(q). There are at least k such q. ∎
//!
//! *For all rows* ([`KnownRows::All`]) nothing is cut off, and more follows. Whatever an attacker looks for in a history
//! (rows that are known, rows that cannot be, the number of rows), those who fit are a union of groups of people with
//! equal histories. So nobody fits, or at least k people do. This also covers rows that were suppressed.
//!
//! *It is not necessary.* Three people {a, b}, {b, c} and {a, c} protect against one known row for k = 2, and each history
//! is unique. For one known row the literal definition is that each look is had by k people, which is k-anonymity with
//! people counted. So m is at least 2 here.
//!
//! *Several tables.* Where people have the same pseudonyms in several tables, a look is a table with a combination of its
//! published quasi-identifiers, and a history is over all tables. An attacker who knows at most m rows *of each table* knows
//! no look more than m times, so the proof above holds unchanged.
//!
//! The same definition holds for other units than people. With a column of households as the subject, a history is the
//! composition of a household: the multiset of the rows of its members.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use ahash::RandomState;
use serde::{Deserialize, Serialize};

use crate::{FrequencyTable, Partition, Recoding, counted};

/// How many rows of a person an attacker may know.
///
/// ```
/// use incrowd_core::KnownRows;
/// assert_eq!("all".parse(), Ok(KnownRows::All));
/// assert_eq!("3".parse(), Ok(KnownRows::AtMost(3)));
/// assert!("1".parse::<KnownRows>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "KnownRowsText", into = "KnownRowsText")]
pub enum KnownRows {
    /// At most this many, 2 or more.
    AtMost(u64),
    /// All of them.
    All,
}

/// A number or the word `all`, as a plan and a manifest have it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KnownRowsText {
    Number(u64),
    Word(String),
}

/// A text that says no number of known rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the number of known rows is a whole number of at least 2, or all")]
pub struct NoKnownRows;

impl KnownRows {
    /// At most this many rows; refused below 2, because k-anonymity is about one row.
    pub fn at_most(rows: u64) -> Result<KnownRows, NoKnownRows> {
        if rows < 2 { Err(NoKnownRows) } else { Ok(KnownRows::AtMost(rows)) }
    }

    /// What it promises together with k, in one sentence.
    pub fn promise(self, k: u64) -> String {
        let others = counted(k.saturating_sub(1), "other person", "other people");
        match self {
            KnownRows::AtMost(rows) => format!(
                "Any {rows} published rows of a person, or fewer, are on the quasi-identifiers also rows of at least {others}."
            ),
            KnownRows::All => {
                format!("On the quasi-identifiers, each person has the same published rows as at least {others}.")
            }
        }
    }

    /// What it promises together with k about several tables whose people have the same pseudonyms, in one sentence.
    pub fn promise_in_all_tables(self, k: u64) -> String {
        let others = counted(k.saturating_sub(1), "other person", "other people");
        match self {
            KnownRows::AtMost(rows) => format!(
                "Any {rows} published rows of a person in each table, or fewer, are on the quasi-identifiers also rows of at \
                 least {others}."
            ),
            KnownRows::All => format!(
                "On the quasi-identifiers, each person has the same published rows in all tables as at least {others}."
            ),
        }
    }

    /// How often a look counts that a person has in this many rows.
    pub fn counted(self, rows: u64) -> u64 {
        match self {
            KnownRows::AtMost(most) => rows.min(most),
            KnownRows::All => rows,
        }
    }
}

impl fmt::Display for KnownRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KnownRows::AtMost(rows) => write!(f, "{rows}"),
            KnownRows::All => write!(f, "all"),
        }
    }
}

impl FromStr for KnownRows {
    type Err = NoKnownRows;

    fn from_str(text: &str) -> Result<KnownRows, NoKnownRows> {
        match text {
            "all" => Ok(KnownRows::All),
            number => number.parse().map_err(|_| NoKnownRows).and_then(KnownRows::at_most),
        }
    }
}

impl TryFrom<KnownRowsText> for KnownRows {
    type Error = NoKnownRows;

    fn try_from(text: KnownRowsText) -> Result<KnownRows, NoKnownRows> {
        match text {
            KnownRowsText::Number(rows) => KnownRows::at_most(rows),
            KnownRowsText::Word(word) => {
                if word == "all" {
                    Ok(KnownRows::All)
                } else {
                    Err(NoKnownRows)
                }
            }
        }
    }
}

impl From<KnownRows> for KnownRowsText {
    fn from(known: KnownRows) -> KnownRowsText {
        match known {
            KnownRows::AtMost(rows) => KnownRowsText::Number(rows),
            KnownRows::All => KnownRowsText::Word("all".into()),
        }
    }
}

/// Rows of one person with one look. Looks are numbered in any way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PersonRows {
    /// The person.
    pub person: u64,
    /// What the rows look like.
    pub look: u32,
    /// How many there are.
    pub rows: u64,
}

/// How many people look alike by all of their rows.
///
/// ```
/// use incrowd_core::{AlikePeople, KnownRows, PersonRows};
/// let rows = [(1, 0, 2), (2, 0, 1), (2, 0, 1), (3, 0, 5)].map(|(person, look, rows)| PersonRows { person, look, rows });
/// assert_eq!(AlikePeople::of(rows, KnownRows::All), AlikePeople { smallest: 1, alone: 1, total: 3 });
/// assert_eq!(AlikePeople::of(rows, KnownRows::AtMost(2)), AlikePeople { smallest: 3, alone: 0, total: 3 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlikePeople {
    /// The smallest number of people who look alike; 0 if there are no people.
    pub smallest: u64,
    /// The number of people who look like nobody else.
    pub alone: u64,
    /// All people.
    pub total: u64,
}

impl AlikePeople {
    /// Counts the people with the same rows. The rows of a person may come in any order and in parts.
    pub fn of(rows: impl IntoIterator<Item = PersonRows>, known: KnownRows) -> AlikePeople {
        let mut rows: Vec<PersonRows> = rows.into_iter().filter(|of| of.rows > 0).collect();
        rows.sort_unstable();
        rows.dedup_by(|next, kept| {
            let same = (next.person, next.look) == (kept.person, kept.look);
            kept.rows += if same { next.rows } else { 0 };
            same
        });
        let people: Vec<u64> = rows.iter().map(|of| of.person).collect();
        let looks: Vec<(u32, u64)> = rows.into_iter().map(|of| (of.look, known.counted(of.rows))).collect();
        let mut alike: HashMap<&[(u32, u64)], u64, RandomState> = HashMap::default();
        let (mut start, mut total) = (0, 0);
        for of_person in people.chunk_by(|a, b| a == b) {
            *alike.entry(&looks[start..start + of_person.len()]).or_default() += 1;
            (start, total) = (start + of_person.len(), total + 1);
        }
        AlikePeople {
            smallest: alike.values().copied().min().unwrap_or(0),
            alone: alike.values().filter(|&&people| people == 1).count() as u64,
            total,
        }
    }

    /// Counts the people of a table with a subject column as a recoded partition publishes them.
    pub fn of_partition(
        table: &FrequencyTable,
        partition: &Partition,
        recoding: &Recoding,
        known: KnownRows,
    ) -> AlikePeople {
        let alike = recoding.alike();
        let rows = alike.iter().zip(partition.classes()).flat_map(|(&look, members)| {
            let row = move |&(tuple, rows): &(usize, u64)| {
                table.grouping().person(tuple).map(|person| PersonRows { person, look, rows })
            };
            members.iter().filter_map(row)
        });
        AlikePeople::of(rows, known)
    }

    /// Whether at least k people look alike, whoever is looked at.
    pub fn holds(&self, k: u64) -> bool {
        self.total == 0 || self.smallest >= k
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::policy::model_laws::Numbers;

    #[test]
    fn known_rows_are_read_as_they_were_written() {
        for known in [KnownRows::AtMost(2), KnownRows::AtMost(9), KnownRows::All] {
            assert_eq!(known.to_string().parse(), Ok(known));
            let json = serde_json::to_string(&known).unwrap();
            assert_eq!(serde_json::from_str::<KnownRows>(&json).unwrap(), known);
        }
        for wrong in ["0", "1", "-1", "some", ""] {
            assert_eq!(wrong.parse::<KnownRows>(), Err(NoKnownRows));
        }
        assert!(serde_json::from_str::<KnownRows>("1").is_err() && serde_json::from_str::<KnownRows>("\"3\"").is_err());
    }

    /// The definition, literally: the fewest people who have some known rows of a person.
    fn fewest_matches(people: &[Vec<u32>], most: usize) -> usize {
        let contains = |history: &[u32], known: &[u32]| {
            let times = |rows: &[u32], look: u32| rows.iter().filter(|&&other| other == look).count();
            known.iter().all(|&look| times(known, look) <= times(history, look))
        };
        let mut fewest = usize::MAX;
        for history in people {
            for chosen in 0u32..1 << history.len() {
                let known: Vec<u32> =
                    (0..history.len()).filter(|at| chosen >> at & 1 == 1).map(|at| history[at]).collect();
                if known.len() <= most {
                    fewest = fewest.min(people.iter().filter(|other| contains(other, &known)).count());
                }
            }
        }
        fewest
    }

    #[test]
    fn what_looks_alike_for_m_known_rows_is_matched_by_as_many_people() {
        let mut numbers = Numbers(21);
        let mut held = [0; 4];
        for _ in 0..4_000 {
            let (looks, longest) = (1 + numbers.below(3), 1 + numbers.below(4));
            let people: Vec<Vec<u32>> = (0..2 + numbers.below(7))
                .map(|_| {
                    (0..1 + numbers.below(longest)).map(|_| u32::try_from(numbers.below(looks)).unwrap()).collect()
                })
                .collect();
            for (most, known) in [(2, KnownRows::AtMost(2)), (3, KnownRows::AtMost(3)), (99, KnownRows::All)] {
                let rows = (0..).zip(&people).flat_map(|(person, history)| {
                    history.iter().map(move |&look| PersonRows { person, look, rows: 1 })
                });
                let alike = AlikePeople::of(rows, known);
                assert_eq!(alike.total, people.len() as u64);
                assert!(fewest_matches(&people, most) as u64 >= alike.smallest, "{people:?} {known}");
                held[alike.smallest.min(3) as usize] += 1;
            }
        }
        assert!(held[1..].iter().all(|&tables| tables > 200), "{held:?}");
    }

    #[test]
    fn alike_for_one_row_is_more_than_k_anonymity_asks_for() {
        let people = [vec![0, 1], vec![1, 2], vec![0, 2]];
        assert_eq!((fewest_matches(&people, 1), fewest_matches(&people, 2)), (2, 1));
    }
}
