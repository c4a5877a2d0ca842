//! The distinct texts of a column, numbered as they come.

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;

/// The code of a missing value.
pub(crate) const MISSING: u32 = 0;

/// The distinct texts of a column. Code 0 is the missing value, the first text is 1.
#[derive(Clone, Default)]
pub(crate) struct ColumnTexts {
    // Keyed anew in each run, so that a hostile table cannot make the map slow.
    codes: HashMap<Arc<str>, u32, RandomState>,
    texts: Vec<Arc<str>>,
}

impl ColumnTexts {
    /// The code of a text, a new one if it is new.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        // 2³² distinct texts do not fit in memory.
        let code = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.codes.insert(text, code);
        code
    }

    /// The code of a text that is known.
    pub(crate) fn code(&self, text: &str) -> Option<u32> {
        self.codes.get(text).copied()
    }

    /// The text of a code; nothing for the missing value.
    pub(crate) fn text(&self, code: u32) -> Option<&Arc<str>> {
        self.texts.get((code as usize).checked_sub(1)?)
    }

    /// The texts of a code and of all after it; the missing value has none.
    pub(crate) fn texts_from(&self, code: usize) -> impl Iterator<Item = Option<&str>> {
        let missing = (code == 0).then_some(None);
        let texts = self.texts.get(code.saturating_sub(1)..).unwrap_or_default();
        missing.into_iter().chain(texts.iter().map(|text| Some(&**text)))
    }

    /// Takes over the texts of another list; gives the code here of each code there.
    pub(crate) fn translate(&mut self, theirs: &ColumnTexts) -> Vec<u32> {
        theirs.texts_from(0).map(|text| text.map_or(MISSING, |text| self.intern(text))).collect()
    }

    /// How many codes there are, the missing value included.
    pub(crate) fn codes(&self) -> usize {
        self.texts.len() + 1
    }

    /// The text of every code.
    pub(crate) fn labels(&self) -> Vec<Option<Arc<str>>> {
        std::iter::once(None).chain(self.texts.iter().cloned().map(Some)).collect()
    }
}

#[cfg(test)]
mod tests;
