//! Which tuple of the table a row belongs to.
//!
//! Keys are packed as in the table, so a row's tuple is found by comparing words. They are hashed with a key: tuples
//! are input, and input must not make the table slow.

use ahash::RandomState;
use hashbrown::hash_table::HashTable;
use incrowd_core::{Field, FrequencyTable};

use crate::runtime::narrow::number32;

/// The tuples of a table by their packed keys.
pub(crate) struct Lookup {
    fields: Vec<Field>,
    words: usize,
    hasher: RandomState,
    /// The words of each key.
    keys: Vec<u64>,
    tuples: HashTable<u32>,
}

impl Lookup {
    /// The bytes that a lookup takes for each tuple, besides the words of its key.
    pub(crate) const ENTRY_BYTES: u64 = 10;

    /// The tuples of this table, which are fewer than 2³².
    pub(crate) fn new(table: &FrequencyTable) -> Self {
        let (fields, words) = (table.layout().fields().to_vec(), table.layout().words());
        let attributes = table.attributes().len();
        let mut keys = vec![0; table.tuples() * words];
        for (tuple, key) in keys.chunks_exact_mut(words).enumerate() {
            for (attribute, field) in fields[..attributes].iter().enumerate() {
                field.put(key, u64::from(table.code(tuple, attribute)));
            }
            if let Some((person, field)) = table.grouping().person(tuple).zip(fields.get(attributes)) {
                field.put(key, person);
            }
        }
        Self::of_keys(fields, words, keys)
    }

    /// Tuples with these keys, each of this many words, in their order.
    pub(crate) fn of_keys(fields: Vec<Field>, words: usize, keys: Vec<u64>) -> Self {
        let count = keys.len() / words.max(1);
        let mut lookup = Lookup { fields, words, hasher: RandomState::new(), keys, tuples: HashTable::new() };
        let mut tuples = HashTable::with_capacity(count);
        for tuple in 0..number32(count) {
            let rehash = |&tuple: &u32| lookup.hash(lookup.key(tuple));
            tuples.insert_unique(rehash(&tuple), tuple, rehash);
        }
        lookup.tuples = tuples;
        lookup
    }

    /// How many words a key has.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// The words of all keys.
    #[cfg(feature = "cluster")]
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Where each attribute, and after them the person, is in a key.
    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The tuple with this key.
    pub(crate) fn find(&self, key: &[u64]) -> Option<u32> {
        let hash = self.hash(key);
        let found = match *key {
            // The usual width; comparing slices would be a call for each row.
            [word] => self.tuples.find(hash, |&tuple| self.keys[tuple as usize] == word),
            _ => self.tuples.find(hash, |&tuple| self.key(tuple) == key),
        };
        found.copied()
    }

    fn key(&self, tuple: u32) -> &[u64] {
        &self.keys[tuple as usize * self.words..][..self.words]
    }

    fn hash(&self, key: &[u64]) -> u64 {
        match *key {
            [word] => self.hasher.hash_one(word),
            _ => self.hasher.hash_one(key),
        }
    }
}
