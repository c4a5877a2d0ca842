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
        let (mut left, mut found) = (self.long_labels.as_slice(), Vec::new());
        let cut = StatisticsFault::Unreadable;
        fn number(left: &mut &[u8], file: &SpssDictionary) -> Option<usize> {
            let (bytes, rest) = left.split_at_checked(4)?;
            *left = rest;
            usize::try_from(file.long(bytes)).ok()
        }
        fn text(left: &mut &[u8], file: &SpssDictionary) -> Option<String> {
            let length = number(left, file)?;
            let (bytes, rest) = left.split_at_checked(length)?;
            *left = rest;
            file.padded(bytes).ok()
        }
        while !left.is_empty() {
            let name = text(&mut left, file).ok_or(cut.clone())?;
            number(&mut left, file).ok_or(cut.clone())?;
            let count = number(&mut left, file).ok_or(cut.clone())?;
            let mut labels = Vec::new();
            for _ in 0..count {
                let pair = text(&mut left, file).zip(text(&mut left, file)).ok_or(cut.clone())?;
                labels.push((StatisticsValue::Text(pair.0), pair.1.trim().to_owned()));
            }
            found.push((name, labels));
        }
        Ok(found)
    }
}
