//! What a grouped scan is asked.

use incrowd_core::{ClassSizes, Role};

/// What is counted: which columns, and whether people instead of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// The columns that distinguish classes.
    pub quasi_identifiers: Vec<String>,
    /// Further quasi-identifiers, which are not in the tuples: they distinguish classes in
    /// [`Answer::sizes_of_all`](crate::Answer::sizes_of_all) only.
    pub other_quasi_identifiers: Vec<String>,
    /// Further columns that are carried along in the tuples.
    pub sensitive: Vec<String>,
    /// The column that says which rows belong to the same person.
    pub subject: Option<String>,
    /// The key of the hashes that distinguish people; a random one when left out. A run that is to be repeated needs
    /// it.
    pub person_key: Option<[u64; 4]>,
    /// Only the class sizes are wanted: the tuples are judged part by part and not kept.
    pub sizes_only: bool,
    /// How many tuples can be worked on at once; when there are more, they are not kept, and
    /// [`Answer::outgrown`](crate::Answer::outgrown) is set.
    pub at_once: AtOnce,
}

impl Question {
    /// The role of the column at this place in the tuples.
    pub(crate) fn role(&self, at: usize) -> Role {
        if at < self.quasi_identifiers.len() { Role::QuasiIdentifier } else { Role::Sensitive }
    }
}

/// How many rows agree on a set of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgreeingRows {
    /// The sizes of their classes.
    pub sizes: ClassSizes,
    /// Rows in which all cells of these columns are missing; they are one of the classes.
    pub empty: u64,
}

impl AgreeingRows {
    /// How many values there are, and how many rows have one.
    pub fn values(&self) -> (u64, u64) {
        (self.sizes.classes() - u64::from(self.empty > 0), self.sizes.total() - self.empty)
    }
}

/// How many tuples can be worked on at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtOnce {
    /// Bytes of memory there are for them; without it, as many as it takes.
    pub memory: Option<u64>,
    /// Bytes that the work takes for each tuple, besides its key and count.
    pub beside: u64,
    /// At most this many, regardless of memory.
    pub most: Option<u64>,
}

impl AtOnce {
    /// How many tuples whose keys have this many words.
    pub fn tuples(&self, words: usize) -> u64 {
        let fit = self.memory.map_or(u64::MAX, |memory| memory / (8 * (words as u64 + 1) + self.beside));
        fit.min(self.most.unwrap_or(u64::MAX))
    }
}
