//! The header, and the records that describe the columns.

use std::io::{BufRead, Seek};

use encoding_rs::Encoding;

use super::super::{FileFacts, StatisticsValue, StatisticsVariable};
use super::extensions::Extensions;
use super::records::RecordReader;
use crate::runtime::error::StatisticsFault;

/// The number that marks a missing value.
pub(super) const SYSTEM_MISSING: f64 = -f64::MAX;

/// The most bytes of a text: longer ones are several texts, which an extension puts together.
pub(super) const LONGEST_TEXT: usize = 255;
/// A text column of more bytes has one of these for each so many bytes.
const SEGMENT: usize = 252;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpssPacking {
    None,
    Instructions,
    Zlib,
}

/// How the cells of a column are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    Number,
    Day,
    Instant,
    Duration,
    Text { width: usize },
}

impl ColumnKind {
    /// By the format in which the column is printed.
    pub(super) fn of(width: usize, format: u32) -> ColumnKind {
        match (width, format >> 16 & 0xff) {
            (0, 20 | 23 | 24 | 28 | 29 | 30 | 38 | 39) => ColumnKind::Day,
            (0, 22 | 41) => ColumnKind::Instant,
            (0, 21 | 25 | 40) => ColumnKind::Duration,
            (0, _) => ColumnKind::Number,
            (width, _) => ColumnKind::Text { width },
        }
    }
}

/// Values that the file declares missing.
#[derive(Clone, Debug, Default)]
pub(super) struct DeclaredMissing {
    range: Option<(f64, f64)>,
    numbers: Vec<f64>,
    texts: Vec<String>,
}

impl DeclaredMissing {
    pub(super) fn holds(&self, value: &StatisticsValue) -> bool {
        match value {
            StatisticsValue::Text(text) => self.texts.contains(text),
            StatisticsValue::Single(_) => false,
            StatisticsValue::Number(number) => {
                self.range.is_some_and(|(least, most)| (least..=most).contains(number)) || self.numbers.contains(number)
            }
        }
    }
}

/// A column.
#[derive(Debug)]
pub(super) struct SpssColumn {
    pub(super) variable: StatisticsVariable,
    /// Its short name.
    pub(super) short: String,
    pub(super) kind: ColumnKind,
    /// Its first element in a row.
    pub(super) first: usize,
    /// The first element of each part of a text, and the bytes in it.
    pub(super) segments: Vec<(usize, usize)>,
    pub(super) missing: DeclaredMissing,
    pub(super) raw_missing: Vec<[u8; 8]>,
    pub(super) missing_count: i32,
    pub(super) raw_labels: Vec<([u8; 8], Vec<u8>)>,
    pub(super) raw_label: Vec<u8>,
}

impl SpssColumn {
    /// How many elements of a row a text of so many bytes takes; a number takes one.
    fn elements(width: usize) -> usize {
        width.div_ceil(8).max(1)
    }

    fn width(&self) -> usize {
        if let ColumnKind::Text { width } = self.kind { width } else { 0 }
    }

    /// Makes one text out of this column and those that follow.
    fn join(&mut self, width: usize, parts: &mut impl Iterator<Item = SpssColumn>) -> Result<(), StatisticsFault> {
        let last = width.div_ceil(SEGMENT) - 1;
        for place in 0..=last {
            if place > 0 {
                self.segments.extend(parts.next().ok_or(StatisticsFault::Unreadable)?.segments);
            }
            // Other columns that follow are no parts of the text, however long it is said to be.
            let wanted = if place < last { LONGEST_TEXT } else { width - last * SEGMENT };
            if SpssColumn::elements(self.segments[place].1) != SpssColumn::elements(wanted) {
                return Err(StatisticsFault::Unreadable);
            }
        }
        self.kind = ColumnKind::Text { width };
        Ok(())
    }

    fn is_named(&self, name: &str) -> bool {
        self.variable.name == name || self.short == name
    }
}

/// What comes before the rows.
#[derive(Debug)]
pub(super) struct SpssDictionary {
    pub(super) columns: Vec<SpssColumn>,
    /// The elements of a row.
    pub(super) row_elements: usize,
    /// How many rows there are, if the file says so.
    pub(super) rows: Option<u64>,
    pub(super) compression: SpssPacking,
    pub(super) bias: f64,
    /// Whether numbers have their largest byte first.
    pub(super) big: bool,
    pub(super) encoding: &'static Encoding,
}

impl SpssDictionary {
    pub(super) fn read(file: &mut (impl BufRead + Seek), facts: FileFacts) -> Result<SpssDictionary, StatisticsFault> {
        let mut reader = RecordReader::new(file, facts.size);
        let mut dictionary = reader.header()?;
        let mut extensions = Extensions::default();
        loop {
            match reader.int()? {
                2 => reader.variable(&mut dictionary)?,
                3 => reader.labels(&mut dictionary)?,
                6 => {
                    let lines = reader.count()?;
                    reader.skip(lines, 80)?;
                }
                7 => reader.extension(&mut extensions)?,
                999 => {
                    reader.int()?;
                    break;
                }
                _ => return Err(StatisticsFault::Unreadable),
            }
        }
        dictionary.encoding = facts.encoding.map_or_else(|| extensions.encoding(), Ok)?;
        dictionary.finish(&extensions)?;
        Ok(dictionary)
    }

    pub(super) fn number(&self, bytes: [u8; 8]) -> f64 {
        if self.big { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }
    }

    pub(super) fn long(&self, bytes: &[u8]) -> u64 {
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if self.big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
    }

    /// A text, decoded.
    pub(super) fn text(&self, bytes: &[u8]) -> Result<String, StatisticsFault> {
        let (text, _, has_errors) = self.encoding.decode(bytes);
        if has_errors { Err(StatisticsFault::NotText) } else { Ok(text.into_owned()) }
    }

    /// Whether each column begins where the one before it ends: otherwise a text would have bytes of the next column.
    fn is_filled(&self) -> bool {
        let end = self.columns.iter().try_fold(0, |place, column| {
            (column.first == place).then_some(place + SpssColumn::elements(column.width()))
        });
        end == Some(self.row_elements)
    }

    /// Puts long texts together, gives columns their names, and reads labels in the encoding of the file.
    fn finish(&mut self, extensions: &Extensions) -> Result<(), StatisticsFault> {
        if !self.is_filled() {
            return Err(StatisticsFault::Unreadable);
        }
        let names = extensions.pairs(&extensions.long_names, self, b'\t')?;
        let widths = extensions.pairs(&extensions.long_texts, self, b'\t')?;
        let mut columns: Vec<SpssColumn> = Vec::new();
        let mut parts = std::mem::take(&mut self.columns).into_iter();
        while let Some(mut column) = parts.next() {
            let width = widths.get(&column.short).and_then(|width| width.parse::<usize>().ok());
            if let Some(width) = width.filter(|&width| width > LONGEST_TEXT) {
                column.join(width, &mut parts)?;
            }
            column.variable.name = names.get(&column.short).unwrap_or(&column.short).clone();
            column.variable.is_text = matches!(column.kind, ColumnKind::Text { .. });
            column.variable.label = self.text(&column.raw_label)?.trim().to_owned();
            self.labels_of(&mut column)?;
            self.missing_of(&mut column)?;
            columns.push(column);
        }
        for (name, labels) in extensions.long_labels(self)? {
            if let Some(column) = columns.iter_mut().find(|column| column.is_named(&name)) {
                column.variable.labels.extend(labels);
            }
        }
        for (name, texts) in extensions.long_missing(self)? {
            if let Some(column) = columns.iter_mut().find(|column| column.is_named(&name)) {
                column.missing.texts.extend(texts);
            }
        }
        self.columns = columns;
        Ok(())
    }

    fn labels_of(&self, column: &mut SpssColumn) -> Result<(), StatisticsFault> {
        for (value, label) in &column.raw_labels {
            let value = match column.kind {
                ColumnKind::Text { .. } => StatisticsValue::Text(self.padded(value)?),
                _ => StatisticsValue::Number(self.number(*value)),
            };
            column.variable.labels.push((value, self.text(label)?.trim().to_owned()));
        }
        Ok(())
    }

    fn missing_of(&self, column: &mut SpssColumn) -> Result<(), StatisticsFault> {
        let mut values = column.raw_missing.as_slice();
        if let ColumnKind::Text { .. } = column.kind {
            column.missing.texts = values.iter().map(|value| self.padded(value)).collect::<Result<_, _>>()?;
            return Ok(());
        }
        if let (true, [least, most, rest @ ..]) = (column.missing_count < 0, values) {
            column.missing.range = Some((self.number(*least), self.number(*most)));
            values = rest;
        }
        column.missing.numbers = values.iter().map(|&value| self.number(value)).collect();
        Ok(())
    }

    pub(super) fn padded(&self, bytes: &[u8]) -> Result<String, StatisticsFault> {
        Ok(self.text(bytes)?.trim_end_matches([' ', '\0']).to_owned())
    }
}
