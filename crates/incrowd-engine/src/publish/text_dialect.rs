//! The dialect of a text release: what separates cells, how letters are encoded, and which mark decimals have.
//!
//! A release of a text has the dialect of that text, so that the programs that wrote it can read the release. Numbers with a
//! decimal comma are the numbers of a column, not its other labels: an interval such as `[70.5, 80.5)` is a text in every
//! dialect.

use encoding_rs::{UTF_16BE, UTF_16LE};

use crate::runtime::error::{DialectFault, EngineError};
use crate::source::encoding::TextEncoding;
use crate::source::table::Source;

/// How a text release is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDialect {
    /// What separates cells.
    pub delimiter: u8,
    /// The encoding, unless it is UTF-8.
    pub encoding: Option<TextEncoding>,
    /// Columns whose numbers are written with a decimal comma.
    pub decimal_commas: Vec<String>,
}

impl Default for TextDialect {
    /// Commas, UTF-8 and decimal points.
    fn default() -> TextDialect {
        TextDialect { delimiter: b',', encoding: None, decimal_commas: Vec::new() }
    }
}

impl TextDialect {
    /// A text in the encoding of the dialect; nothing when it has a letter that the encoding lacks.
    pub(crate) fn encoded(&self, text: Vec<u8>) -> Option<Vec<u8>> {
        let Some(encoding) = self.encoding else { return Some(text) };
        let letters = std::str::from_utf8(&text).ok()?;
        let units = || letters.encode_utf16();
        match encoding.encoding() {
            wide if wide == UTF_16LE => Some(units().flat_map(u16::to_le_bytes).collect()),
            wide if wide == UTF_16BE => Some(units().flat_map(u16::to_be_bytes).collect()),
            other => {
                let (bytes, _, has_others) = other.encode(letters);
                (!has_others).then(|| bytes.into_owned())
            }
        }
    }

    /// What a file begins with: UTF-16 does not say otherwise in which order its bytes are.
    pub(crate) fn mark(&self) -> &'static [u8] {
        match self.encoding.map(TextEncoding::encoding) {
            Some(wide) if wide == UTF_16LE => &[0xFF, 0xFE],
            Some(wide) if wide == UTF_16BE => &[0xFE, 0xFF],
            _ => &[],
        }
    }

    /// Why a text with a letter that the encoding lacks is not written.
    pub(crate) fn lacks_letter(&self, column: &str) -> EngineError {
        let encoding = self.encoding.map_or("UTF-8", TextEncoding::name);
        EngineError::NotInDialect { column: column.into(), fault: DialectFault::Letter { encoding } }
    }
}

impl Source {
    /// The dialect of a text, apart from decimal commas; the usual one of what is no text.
    pub fn text_dialect(&self) -> TextDialect {
        match self.delimiter() {
            Some(delimiter) => TextDialect { delimiter, encoding: self.encoding(), ..TextDialect::default() },
            None => TextDialect::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_that_an_encoding_lacks_is_never_replaced() {
        let named = |name: &str| TextDialect { encoding: TextEncoding::named(name), ..TextDialect::default() };
        assert_eq!(named("windows-1252").encoded("Köln €".into()), Some(b"K\xF6ln \x80".to_vec()));
        assert_eq!(named("windows-1252").encoded("≥ 80".into()), None);
        assert_eq!(named("utf-16le").encoded("ö€".into()), Some(vec![0xF6, 0, 0xAC, 0x20]));
        assert_eq!(named("utf-16be").mark(), [0xFE, 0xFF]);
        assert_eq!(TextDialect::default().encoded("≥".into()), Some("≥".into()));
    }
}
