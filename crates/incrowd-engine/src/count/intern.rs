//! Values become codes: one shared dictionary per column, and a private copy of it for each reading thread.
//!
//! A thread asks its own map first and the shared one only for values it has not met, so threads agree on codes and
//! rarely wait for each other. Code 0 is the missing value; the others are given out in order of arrival and turned
//! into sorted ranks when the scan is over, so that arrival leaves no trace in an answer.
//!
//! Maps over input are keyed: a hostile table cannot make them slow.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ahash::RandomState;
use chrono::NaiveDate;
use hashbrown::hash_table::{Entry, HashTable};
use incrowd_core::{date_label, number_with_comma};

use crate::runtime::error::{CellFault, EngineError};
use crate::runtime::limits::MAX_CELL_BYTES;
use crate::runtime::narrow::number32;

/// The code of the missing value.
pub(crate) const MISSING: u32 = 0;

/// Why a value got no code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoCode {
    /// The value itself cannot be taken.
    Fault(CellFault),
    /// The dictionary holds as many values, or bytes, as it may.
    Full,
}

impl NoCode {
    /// The refusal of a column whose dictionary has to hold every value, within this many bytes.
    pub(crate) fn refusal(self, column: &str, most_bytes: u64) -> EngineError {
        match self {
            NoCode::Full => EngineError::TooManyValues { column: column.into(), bytes: most_bytes },
            NoCode::Fault(fault) => EngineError::BadValue { column: column.into(), fault },
        }
    }
}

/// The bytes that dictionaries may take together.
#[derive(Debug)]
pub(crate) struct DictionaryBudget {
    used: AtomicU64,
    limit: u64,
    /// The shared dictionary and each thread's own.
    copies: u64,
}

impl DictionaryBudget {
    pub(crate) fn new(limit: u64, threads: usize) -> Self {
        DictionaryBudget { used: AtomicU64::new(0), limit, copies: 1 + threads as u64 }
    }

    /// Whether there was room for one more text.
    fn take(&self, text_bytes: u64) -> bool {
        let bytes = (ENTRY_BYTES + text_bytes) * self.copies;
        self.used.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.limit
    }
}

/// How the cells of a text column are written, where the user said so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum CellWriting {
    /// As they are meant.
    #[default]
    Plain,
    /// As dates in this format.
    Dates(String),
    /// As numbers with a decimal comma.
    DecimalComma,
}

impl CellWriting {
    /// The one text of what is written; nothing when it is not written so.
    fn canonical<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        match self {
            CellWriting::Plain => Some(text.into()),
            CellWriting::Dates(format) => {
                let day = NaiveDate::parse_from_str(text, format).ok()?;
                Some(date_label(day.to_epoch_days()).into())
            }
            CellWriting::DecimalComma => number_with_comma(text),
        }
    }
}

/// The values of one column that any thread has met.
pub(crate) struct SharedDictionary {
    hasher: RandomState,
    nulls: Vec<Box<str>>,
    writing: CellWriting,
    /// Texts that are not written so.
    misfits: AtomicUsize,
    most_values: usize,
    budget: Arc<DictionaryBudget>,
    values: AtomicUsize,
    texts: Mutex<SharedTexts>,
    words: Mutex<hashbrown::HashMap<u64, u32, RandomState>>,
}

#[derive(Default)]
struct SharedTexts {
    table: HashTable<u32>,
    values: Vec<Box<str>>,
}

/// Rough bytes of a dictionary entry besides its text: the value, its place in a hash table that doubles.
const ENTRY_BYTES: u64 = 48;

impl SharedDictionary {
    pub(crate) fn new(nulls: &[String], most_values: usize, budget: Arc<DictionaryBudget>) -> Self {
        let hasher = RandomState::new();
        SharedDictionary {
            nulls: nulls.iter().map(|null| null.as_str().into()).collect(),
            writing: CellWriting::Plain,
            misfits: AtomicUsize::new(0),
            most_values,
            budget,
            values: AtomicUsize::new(0),
            texts: Mutex::default(),
            words: Mutex::new(hashbrown::HashMap::with_hasher(hasher.clone())),
            hasher,
        }
    }

    /// The same dictionary for a column whose cells are written in this way. Writings of one value get one code.
    pub(crate) fn written(self, writing: CellWriting) -> Self {
        SharedDictionary { writing, ..self }
    }

    /// The dictionary of an earlier scan: these texts have the codes from 1 on, these bits the codes they come with,
    /// and no other value gets one.
    pub(crate) fn closed(mut self, texts: impl Iterator<Item = Box<str>>, bits: &[(u64, u32)]) -> Self {
        let guard = self.texts.get_mut().expect("no thread panics while it holds a dictionary");
        guard.values = texts.collect();
        let SharedTexts { table, values } = guard;
        table.reserve(values.len(), |_| 0);
        let hash = |&code: &u32| self.hasher.hash_one(&*values[code as usize - 1]);
        for code in 1..=number32(values.len()) {
            table.insert_unique(hash(&code), code, hash);
        }
        self.most_values = values.len();
        let words = self.words.get_mut().expect("no thread panics while it holds a dictionary");
        words.extend(bits.iter().copied());
        self.values = AtomicUsize::new(self.most_values);
        self
    }

    /// How the cells are written, with the number of values that are not, if there are any.
    pub(crate) fn misfits(&self) -> Option<(&CellWriting, usize)> {
        let count = self.misfits.load(Ordering::Relaxed);
        (count > 0).then_some((&self.writing, count))
    }

    /// How many values have a code, the missing one not counted.
    pub(crate) fn len(&self) -> usize {
        self.values.load(Ordering::Relaxed)
    }

    /// The code of a text; a text without content or named as a null marker is missing.
    fn text(&self, text: &str) -> Result<u32, NoCode> {
        if text.is_empty() || self.nulls.iter().any(|null| **null == *text) {
            return Ok(MISSING);
        }
        if text.len() > MAX_CELL_BYTES {
            return Err(NoCode::Fault(CellFault::TooLong));
        }
        if memchr::memchr(0, text.as_bytes()).is_some() {
            return Err(NoCode::Fault(CellFault::Nul));
        }
        let canonical = self.writing.canonical(text);
        let misfit = canonical.is_none();
        let text = canonical.as_deref().unwrap_or(text);
        let hash = self.hasher.hash_one(text);
        let mut guard = self.texts.lock().expect("no thread panics while it holds a dictionary");
        let SharedTexts { table, values } = &mut *guard;
        let same = |&code: &u32| *values[code as usize - 1] == *text;
        if let Some(&code) = table.find(hash, same) {
            return Ok(code);
        }
        self.make_room(text.len() as u64)?;
        self.misfits.fetch_add(usize::from(misfit), Ordering::Relaxed);
        values.push(text.into());
        let code = number32(values.len());
        table.insert_unique(hash, code, |&code| self.hasher.hash_one(&*values[code as usize - 1]));
        Ok(code)
    }

    /// The code of a fixed-width value by its bits.
    fn word(&self, bits: u64) -> Result<u32, NoCode> {
        let mut words = self.words.lock().expect("no thread panics while it holds a dictionary");
        if let Some(&code) = words.get(&bits) {
            return Ok(code);
        }
        self.make_room(0)?;
        let code = number32(words.len() + 1);
        words.insert(bits, code);
        Ok(code)
    }

    fn make_room(&self, text_bytes: u64) -> Result<(), NoCode> {
        if self.len() >= self.most_values || !self.budget.take(text_bytes) {
            return Err(NoCode::Full);
        }
        self.values.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The texts in order of their codes, from code 1.
    pub(crate) fn into_texts(self) -> Vec<Box<str>> {
        self.texts.into_inner().expect("no thread panics while it holds a dictionary").values
    }

    /// The bits of the fixed-width values in order of their codes, from code 1.
    pub(crate) fn into_words(self) -> Vec<u64> {
        let words = self.words.into_inner().expect("no thread panics while it holds a dictionary");
        let mut values = vec![0; words.len()];
        words.into_iter().for_each(|(bits, code)| values[code as usize - 1] = bits);
        values
    }
}

/// A thread's private copy of the codes it has met.
pub(crate) struct ThreadDictionary {
    shared: Arc<SharedDictionary>,
    /// Texts of up to 12 bytes, by content and length in one word: arrow's own inline form.
    short: hashbrown::HashMap<u128, u32, RandomState>,
    long: HashTable<(Box<str>, u32)>,
    words: hashbrown::HashMap<u64, u32, RandomState>,
    last_short: (u128, u32),
    last_word: (u64, u32),
}

/// A text of up to 12 bytes in arrow's inline form: the length, then the bytes.
fn inline(text: &str) -> u128 {
    let mut bytes = [0; 16];
    bytes[0] = text.len() as u8;
    bytes[4..4 + text.len()].copy_from_slice(text.as_bytes());
    u128::from_le_bytes(bytes)
}

/// The longest text that has an inline form.
pub(crate) const INLINE: usize = 12;

impl ThreadDictionary {
    pub(crate) fn new(shared: Arc<SharedDictionary>) -> Self {
        ThreadDictionary {
            short: hashbrown::HashMap::with_hasher(shared.hasher.clone()),
            long: HashTable::new(),
            words: hashbrown::HashMap::with_hasher(shared.hasher.clone()),
            // The empty text is missing; no other text has the inline form 0.
            last_short: (0, MISSING),
            last_word: (0, MISSING),
            shared,
        }
    }

    /// Takes a fixed-width value, given by its bits, for missing.
    pub(crate) fn miss(&mut self, bits: u64) {
        self.words.insert(bits, MISSING);
    }

    /// The texts that stand for a missing value.
    pub(crate) fn nulls(&self) -> impl Iterator<Item = &str> {
        self.shared.nulls.iter().map(|null| &**null)
    }

    /// The code of a text.
    pub(crate) fn text(&mut self, text: &str) -> Result<u32, NoCode> {
        if text.len() <= INLINE { self.inline(inline(text), || text) } else { self.long(text) }
    }

    /// The code of a short text by its inline form; `text` is asked only when it was not met before.
    pub(crate) fn inline<'t>(&mut self, form: u128, text: impl FnOnce() -> &'t str) -> Result<u32, NoCode> {
        if self.last_short.0 == form {
            return Ok(self.last_short.1);
        }
        let code = match self.short.get(&form) {
            Some(&code) => code,
            None => {
                let code = self.shared.text(text())?;
                self.short.insert(form, code);
                code
            }
        };
        self.last_short = (form, code);
        Ok(code)
    }

    /// The code of a text that has no inline form.
    pub(crate) fn long(&mut self, text: &str) -> Result<u32, NoCode> {
        let hasher = &self.shared.hasher;
        let hash = hasher.hash_one(text);
        match self.long.entry(hash, |(met, _)| **met == *text, |(met, _)| hasher.hash_one(&**met)) {
            Entry::Occupied(entry) => Ok(entry.get().1),
            Entry::Vacant(entry) => {
                let code = self.shared.text(text)?;
                entry.insert((text.into(), code));
                Ok(code)
            }
        }
    }

    /// The code of a fixed-width value by its bits.
    pub(crate) fn word(&mut self, bits: u64) -> Result<u32, NoCode> {
        if self.last_word == (bits, self.last_word.1) && self.last_word.1 != MISSING {
            return Ok(self.last_word.1);
        }
        let code = match self.words.get(&bits) {
            Some(&code) => code,
            None => {
                let code = self.shared.word(bits)?;
                self.words.insert(bits, code);
                code
            }
        };
        self.last_word = (bits, code);
        Ok(code)
    }
}
