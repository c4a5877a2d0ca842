//! The search itself: many values in one pass, and where each was met.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::read::ReadError;

/// Values of this many bytes or more do not occur in other bytes by chance.
const LONG: usize = 6;

/// Values of this many bytes or more do not arise from texts that are stored one behind the other either.
pub(super) const LONG_IN_RAW: usize = 12;

/// Bytes of a file that are searched together.
const PIECE: usize = 1 << 20;

/// The values, and where each was met.
pub(super) struct CanarySearch {
    values: Vec<Vec<u8>>,
    automaton: AhoCorasick,
    longest: usize,
    met: Vec<PlacesMet>,
    /// Bytes searched.
    pub(super) bytes: u64,
}

#[derive(Clone, Copy, Default)]
struct PlacesMet {
    /// As a word in a published cell or column name.
    cell: bool,
    /// Anywhere in a published cell, a column name, or what the writer of a file says of itself.
    within_known: bool,
    /// As a word in a place that can hold texts.
    text: bool,
    /// Anywhere in bytes of a binary file.
    loose: bool,
}

impl CanarySearch {
    pub(super) fn new(values: Vec<Vec<u8>>) -> Result<CanarySearch, ReadError> {
        // A table of all transitions is the fastest, as long as it stays small.
        let bytes: usize = values.iter().map(Vec::len).sum();
        let kind = (bytes < 1 << 15).then_some(AhoCorasickKind::DFA);
        let automaton = AhoCorasick::builder()
            .kind(kind)
            .build(&values)
            .map_err(|_| ReadError::unreadable("there are too many, or they are too long"))?;
        let longest = values.iter().map(Vec::len).max().unwrap_or(0);
        Ok(CanarySearch { met: vec![PlacesMet::default(); values.len()], values, automaton, longest, bytes: 0 })
    }

    /// How many values are searched for.
    pub(super) fn values(&self) -> usize {
        self.values.len()
    }

    /// Where each value was met, as bits.
    pub(super) fn places(&self) -> Vec<u8> {
        let bits = |met: &PlacesMet| {
            [met.cell, met.within_known, met.text, met.loose].iter().rev().fold(0, |bits, &is| bits << 1 | u8::from(is))
        };
        self.met.iter().map(bits).collect()
    }

    /// Adds where values were met in another file.
    pub(super) fn add_places(&mut self, places: &[u8]) {
        for (met, bits) in self.met.iter_mut().zip(places) {
            met.cell |= bits & 1 != 0;
            met.within_known |= bits & 2 != 0;
            met.text |= bits & 4 != 0;
            met.loose |= bits & 8 != 0;
        }
    }

    /// Values that stand in the bytes though nothing that is published holds them.
    pub(super) fn leaks(&self) -> u64 {
        let is_leak = |met: &&PlacesMet| !met.cell && (met.text || met.loose && !met.within_known);
        self.met.iter().filter(is_leak).count() as u64
    }

    /// Values that stand in a published cell.
    pub(super) fn in_cells(&self) -> u64 {
        self.met.iter().filter(|met| met.cell).count() as u64
    }

    /// Whether the cells of a CSV file must be told apart: something was met, or could be met only without its quotes.
    pub(super) fn needs_cells(&self) -> bool {
        self.met.iter().any(|met| met.text) || self.values.iter().any(|value| value.contains(&b'"'))
    }

    /// A published text.
    pub(super) fn cell(&mut self, text: &[u8]) {
        self.each(text, |met, as_word, _| {
            met.cell |= as_word;
            met.within_known = true;
        });
    }

    /// What the writer of a file says of itself. It excuses only what stands in bytes by the way.
    pub(super) fn known(&mut self, text: &[u8]) {
        self.each(text, |met, _, _| met.within_known = true);
    }

    /// A text that need not be published.
    pub(super) fn text(&mut self, text: &[u8]) {
        self.each(text, |met, as_word, _| met.text |= as_word);
    }

    /// Bytes among which texts may stand anywhere.
    pub(super) fn loose(&mut self, bytes: &[u8]) {
        self.each(bytes, |met, _, length| met.loose |= length >= LONG);
    }

    fn each(&mut self, text: &[u8], mut tell: impl FnMut(&mut PlacesMet, bool, usize)) {
        for found in self.automaton.find_overlapping_iter(text) {
            let as_word = is_word(text, found.start(), found.end());
            tell(&mut self.met[found.pattern().as_usize()], as_word, found.end() - found.start());
        }
    }

    /// Searches the raw bytes of a file for values of at least `least` bytes, as words.
    pub(super) fn file(&mut self, path: &Path, least: usize) -> Result<(), ReadError> {
        let file = File::open(path).map_err(|_| ReadError::unreadable("it cannot be read"))?;
        self.bytes += self.stream(file, least)?;
        Ok(())
    }

    /// Searches some bytes in the same way; how many there were.
    pub(super) fn stream(&mut self, mut file: impl Read, least: usize) -> Result<u64, ReadError> {
        let unreadable = |_| ReadError::unreadable("it cannot be read");
        let mut bytes = 0;
        // What a piece ends with is looked at again with the next one, so that no value is cut and every neighbour
        // seen.
        let again = self.longest + 1;
        let mut window: Vec<u8> = Vec::new();
        loop {
            let read = file.by_ref().take(PIECE as u64).read_to_end(&mut window).map_err(unreadable)?;
            bytes += read as u64;
            let is_first = bytes == window.len() as u64;
            let is_last = read == 0;
            for found in self.automaton.find_overlapping_iter(&window) {
                let (start, end) = (found.start(), found.end());
                let cut = start == 0 && !is_first || end == window.len() && !is_last;
                let met = &mut self.met[found.pattern().as_usize()];
                met.text |= !cut && end - start >= least && is_word(&window, start, end);
            }
            if is_last {
                return Ok(bytes);
            }
            window.drain(..window.len().saturating_sub(again));
        }
    }
}

/// Whether neither neighbour goes on with a letter or digit.
fn is_word(text: &[u8], start: usize, end: usize) -> bool {
    let goes_on = |at: Option<&u8>| at.is_some_and(u8::is_ascii_alphanumeric);
    !goes_on(start.checked_sub(1).and_then(|at| text.get(at))) && !goes_on(text.get(end))
}

#[cfg(test)]
impl CanarySearch {
    /// A search for a few short texts.
    pub(super) fn of_texts(values: &[&str]) -> CanarySearch {
        CanarySearch::new(values.iter().map(|value| value.as_bytes().to_vec()).collect()).expect("few short texts")
    }
}

#[cfg(test)]
mod tests;
