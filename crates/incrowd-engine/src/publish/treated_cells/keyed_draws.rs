//! Random words for a person or a row, from a key.
//!
//! Words 4·i to 4·i + 3 of a person or row are HMAC-SHA-256 of its name and i (32 bits, big-endian), read as four
//! big-endian numbers. The name of a person is `p` and the person's text; that of a row is `r` and its number in the table,
//! from 0, in 64 bits, big-endian. A number of a person draws under the name `v`, the length of the person's text (32 bits,
//! big-endian), the text, and the number in its shortest form. So a release that is repeated with the same key draws the same, on any number of threads.

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Which rows are treated: the number of the first one in the table, and the column that says whose they are.
pub(crate) struct RowOrigin {
    pub(crate) first: u64,
    pub(crate) people: Option<ArrayRef>,
}

impl RowOrigin {
    /// Some of the rows.
    pub(crate) fn slice(&self, start: usize, rows: usize) -> RowOrigin {
        RowOrigin {
            first: self.first + start as u64,
            people: self.people.as_ref().map(|people| people.slice(start, rows)),
        }
    }
}

/// The key of a column's draws.
#[derive(Clone)]
pub(super) struct DrawKey(Hmac<Sha256>);

impl DrawKey {
    pub(super) fn new(key: &[u8; 32]) -> Option<DrawKey> {
        Hmac::<Sha256>::new_from_slice(key).ok().map(DrawKey)
    }

    /// Who draws for each of some rows. `nulls` are texts that mean that nobody is named.
    pub(super) fn owners(&self, origin: &RowOrigin, nulls: &[String]) -> Option<RowOwners> {
        let people = match &origin.people {
            Some(people) => Some(cast(people, &DataType::Utf8).ok()?.as_string::<i32>().clone()),
            None => None,
        };
        Some(RowOwners { key: self.clone(), first: origin.first, people, nulls: nulls.to_vec() })
    }
}

/// The names under which some rows draw.
pub(super) struct RowOwners {
    key: DrawKey,
    first: u64,
    people: Option<StringArray>,
    nulls: Vec<String>,
}

impl RowOwners {
    /// The person of a row, if one is named.
    fn person(&self, row: usize) -> Option<&str> {
        let people = self.people.as_ref().filter(|people| people.is_valid(row))?;
        Some(people.value(row)).filter(|text| !text.is_empty() && !self.nulls.iter().any(|null| null == text))
    }

    /// What a row draws: the same for all rows of a person.
    pub(super) fn words(&self, row: usize) -> KeyedWords {
        let name = match self.person(row) {
            Some(person) => [b"p", person.as_bytes()].concat(),
            None => self.name_of_row(row),
        };
        KeyedWords::new(&self.key, &name)
    }

    /// What a row draws for a number: the same for equal numbers of a person, so that nobody finds a number by averaging
    /// what was published of it in several rows.
    pub(super) fn words_for(&self, row: usize, number: &str) -> KeyedWords {
        let name = match self.person(row) {
            Some(person) => {
                let length = u32::try_from(person.len()).unwrap_or(u32::MAX).to_be_bytes();
                [b"v".as_slice(), &length, person.as_bytes(), number.as_bytes()].concat()
            }
            None => self.name_of_row(row),
        };
        KeyedWords::new(&self.key, &name)
    }

    fn name_of_row(&self, row: usize) -> Vec<u8> {
        [b"r".as_slice(), &(self.first + row as u64).to_be_bytes()].concat()
    }
}

/// The words of one person or row.
pub(super) struct KeyedWords {
    keyed: Hmac<Sha256>,
    block: u32,
    left: Vec<u64>,
}

impl KeyedWords {
    fn new(key: &DrawKey, name: &[u8]) -> KeyedWords {
        let mut keyed = key.0.clone();
        keyed.update(name);
        KeyedWords { keyed, block: 0, left: Vec::new() }
    }

    pub(super) fn next(&mut self) -> u64 {
        if self.left.is_empty() {
            let mut keyed = self.keyed.clone();
            keyed.update(&self.block.to_be_bytes());
            let bytes: [u8; 32] = keyed.finalize().into_bytes().into();
            let word = |bytes: &[u8]| bytes.iter().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
            self.left = bytes.chunks_exact(8).rev().map(word).collect();
            self.block += 1;
        }
        self.left.pop().unwrap_or_default()
    }
}
