//! Records of type 7: what later versions added to the description of the columns.

use std::collections::BTreeMap;

use encoding_rs::Encoding;

use super::super::StatisticsValue;
use super::dictionary::SpssDictionary;
use crate::runtime::error::StatisticsFault;

/// Values with their labels.
type ValueLabels = Vec<(StatisticsValue, String)>;

/// What records of type 7 say.
#[derive(Default)]
pub(super) struct Extensions {
    pub(super) encoding_name: Option<String>,
    pub(super) code_page: Option<i32>,
    pub(super) long_names: Vec<u8>,
    pub(super) long_texts: Vec<u8>,
    pub(super) long_labels: Vec<u8>,
    pub(super) long_missing: Vec<u8>,
}

impl Extensions {
    /// A file that names no encoding has to be UTF-8, or somebody has to name it.
    pub(super) fn encoding(&self) -> Result<&'static Encoding, StatisticsFault> {
        let unknown = || StatisticsFault::Encoding;
        if let Some(name) = &self.encoding_name {
            return Encoding::for_label(name.trim().as_bytes()).ok_or_else(unknown);
        }
        match self.code_page {
            None | Some(0..=4 | 65001) => Ok(encoding_rs::UTF_8),
            Some(page) => Encoding::for_label(format!("windows-{page}").as_bytes()).ok_or_else(unknown),
        }
    }

    /// `NAME=value` after `NAME=value`.
    pub(super) fn pairs(
        &self,
        bytes: &[u8],
        file: &SpssDictionary,
        end: u8,
    ) -> Result<BTreeMap<String, String>, StatisticsFault> {
        let mut pairs = BTreeMap::new();
        for pair in bytes.split(|&byte| byte == end) {
            let text = file.text(pair)?;
            if let Some((name, value)) = text.trim_matches('\0').split_once('=') {
                pairs.insert(name.to_owned(), value.trim_end_matches('\0').to_owned());
            }
        }
        Ok(pairs)
    }

    /// The labels of texts of more than 8 bytes, by column.
    pub(super) fn long_labels(&self, file: &SpssDictionary) -> Result<Vec<(String, ValueLabels)>, StatisticsFault> {
        let mut texts = CountedTexts { left: &self.long_labels, file };
        let mut found = Vec::new();
        while !texts.left.is_empty() {
            found.push(texts.labels().ok_or(StatisticsFault::Unreadable)?);
        }
        Ok(found)
    }

    /// The texts of columns of more than 8 bytes that are declared missing, by column.
    pub(super) fn long_missing(&self, file: &SpssDictionary) -> Result<Vec<(String, Vec<String>)>, StatisticsFault> {
        let mut texts = CountedTexts { left: &self.long_missing, file };
        let mut found = Vec::new();
        while !texts.left.is_empty() {
            found.push(texts.missing().ok_or(StatisticsFault::Unreadable)?);
        }
        Ok(found)
    }
}

/// Texts, each behind the number of its bytes.
struct CountedTexts<'b> {
    left: &'b [u8],
    file: &'b SpssDictionary,
}

impl CountedTexts<'_> {
    fn number(&mut self) -> Option<usize> {
        let (bytes, rest) = self.left.split_at_checked(4)?;
        self.left = rest;
        usize::try_from(self.file.long(bytes)).ok()
    }

    fn text_of(&mut self, length: usize) -> Option<String> {
        let (bytes, rest) = self.left.split_at_checked(length)?;
        self.left = rest;
        self.file.padded(bytes).ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        self.text_of(length)
    }

    /// A column, its width, and values with their labels.
    fn labels(&mut self) -> Option<(String, ValueLabels)> {
        let (name, _, count) = (self.text()?, self.number()?, self.number()?);
        let mut labels = Vec::new();
        for _ in 0..count {
            labels.push((StatisticsValue::Text(self.text()?), self.text()?.trim().to_owned()));
        }
        Some((name, labels))
    }

    /// A column, and values of one length.
    fn missing(&mut self) -> Option<(String, Vec<String>)> {
        let name = self.text()?;
        let (&count, rest) = self.left.split_first()?;
        self.left = rest;
        let length = self.number()?;
        let mut values = Vec::new();
        for place in 0..count {
            // PSPP once wrote the length before each of them. No text begins with such bytes.
            let mut ahead = CountedTexts { ..*self };
            if place > 0 && ahead.number() == Some(length) {
                self.left = ahead.left;
            }
            values.push(self.text_of(length)?);
        }
        Some((name, values))
    }
}
