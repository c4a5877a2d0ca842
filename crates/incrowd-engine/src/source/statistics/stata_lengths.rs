//! The lengths that a Stata file states, compared with its size. The library that reads the file makes room for what a
//! length says before it reads; a file of a few bytes could ask for 4 GiB.

use std::io::{BufRead, ErrorKind, Read, Seek, SeekFrom};

use dta::stata::dta::dta_error::{DtaError, FormatErrorKind, Section};
use dta::stata::dta::dta_reader::DtaReader;
use dta::stata::dta::variable_type::VariableType;

use encoding_rs::Encoding;

use crate::runtime::error::StatisticsFault;

/// The least bytes that the description of a column takes.
const LEAST_COLUMN: u64 = 10;

/// Where the parts of a file with tags begin: the entries of its map.
const CHARACTERISTICS: usize = 8;
const LONG_TEXTS: usize = 10;
const LABELS: usize = 11;

/// Refuses a file with a length beyond its end.
pub(super) fn check(
    file: &mut (impl BufRead + Seek),
    size: u64,
    encoding: &'static Encoding,
) -> Result<(), StatisticsFault> {
    let mut start = Vec::new();
    (&mut *file).take(1 << 10).read_to_end(&mut start).map_err(broken)?;
    let mut lengths = Lengths { file, size, big: false };
    match start.as_slice() {
        [b'<', ..] => lengths.with_tags(&start),
        [release, order, ..] => {
            lengths.big = *order == 1;
            lengths.without_tags(*release, encoding)
        }
        _ => Err(StatisticsFault::Unreadable),
    }
}

/// The fault behind an error of the library, whose message may quote a value.
pub(super) fn fault_of(error: DtaError) -> StatisticsFault {
    match error {
        DtaError::Format(error) if matches!(error.kind(), FormatErrorKind::InvalidEncoding { .. }) => {
            StatisticsFault::NotText
        }
        // The library reports a cell that it cannot decode in this form.
        DtaError::Io { section: Section::Records, source } if source.kind() == ErrorKind::Other => {
            StatisticsFault::NotText
        }
        _ => StatisticsFault::Unreadable,
    }
}

fn broken<E>(_: E) -> StatisticsFault {
    StatisticsFault::Unreadable
}

struct Lengths<'f, F> {
    file: &'f mut F,
    size: u64,
    /// Whether numbers have their largest byte first.
    big: bool,
}

impl<F: BufRead + Seek> Lengths<'_, F> {
    /// Versions 117 and later: `<map>` says where each part is.
    fn with_tags(&mut self, start: &[u8]) -> Result<(), StatisticsFault> {
        let find = |tag: &[u8]| start.windows(tag.len()).position(|bytes| bytes == tag).map(|at| at + tag.len());
        let missing = || StatisticsFault::Unreadable;
        self.big = find(b"<byteorder>MSF").is_some();
        let release = find(b"<release>").and_then(|at| start.get(at..at + 3)).ok_or_else(missing)?;
        let is_first = release == b"117";
        let columns = find(b"<K>").and_then(|at| start.get(at..at + if release == b"119" { 4 } else { 2 }));
        if self.value(columns.ok_or_else(missing)?).saturating_mul(LEAST_COLUMN) > self.size {
            return Err(StatisticsFault::Unreadable);
        }
        let map = find(b"<map>").ok_or_else(missing)?;
        let place = |entry: usize| start.get(map + 8 * entry..map + 8 * entry + 8).ok_or_else(missing);
        let places = [CHARACTERISTICS, LONG_TEXTS, LABELS].map(place);
        for (part, place) in places.into_iter().enumerate() {
            let bytes: [u8; 8] = place?.try_into().map_err(broken)?;
            let at = if self.big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) };
            let (tag, item, before, after): (&[u8], &[u8], u64, u64) = match part {
                0 => (b"<characteristics>", b"<ch>", 0, 5),
                1 => (b"<strls>", b"GSO", if is_first { 9 } else { 13 }, 0),
                _ => (b"<value_labels>", b"<lbl>", 0, 6 + 3 + if is_first { 33 } else { 129 }),
            };
            self.seek(at)?;
            if self.bytes(tag.len())? != tag {
                return Err(StatisticsFault::Unreadable);
            }
            while self.bytes(item.len())? == item {
                self.skip(before)?;
                let length = self.number(4)?;
                self.skip(length + after)?;
            }
        }
        Ok(())
    }

    /// Versions before 117: one part behind the other.
    fn without_tags(&mut self, release: u8, encoding: &'static Encoding) -> Result<(), StatisticsFault> {
        self.file.rewind().map_err(broken)?;
        let header = DtaReader::new().encoding(encoding).from_reader(&mut *self.file).read_header();
        let header = header.map_err(fault_of)?;
        let (rows, columns) = (header.header().observation_count(), u64::from(header.header().variable_count()));
        if columns.saturating_mul(LEAST_COLUMN) > self.size {
            return Err(StatisticsFault::Unreadable);
        }
        let schema = header.read_schema().map_err(fault_of)?.schema().clone();
        if release >= 105 {
            let wide = if release >= 110 { 4 } else { 2 };
            loop {
                let (kind, length) = (self.number(1)?, self.number(wide)?);
                if kind == 0 && length == 0 {
                    break;
                }
                self.skip(length)?;
            }
        }
        let width = |kind: VariableType| match kind {
            VariableType::Byte => 1,
            VariableType::Int => 2,
            VariableType::Long | VariableType::Float => 4,
            VariableType::Double | VariableType::LongString => 8,
            VariableType::FixedString(width) => u64::from(width),
        };
        let row: u64 = schema.variables().iter().map(|variable| width(variable.variable_type())).sum();
        self.skip(rows.checked_mul(row).ok_or(StatisticsFault::Unreadable)?)?;
        // Older labels are counted in 16 bits.
        while release >= 108 && !self.file.fill_buf().map_err(broken)?.is_empty() {
            let length = self.number(4)?;
            self.skip(length + 3 + if release >= 110 { 33 } else { 9 })?;
        }
        Ok(())
    }

    fn seek(&mut self, at: u64) -> Result<(), StatisticsFault> {
        let within = Some(at).filter(|&at| at <= self.size).ok_or(StatisticsFault::Unreadable)?;
        self.file.seek(SeekFrom::Start(within)).map(drop).map_err(broken)
    }

    fn skip(&mut self, bytes: u64) -> Result<(), StatisticsFault> {
        let at = self.file.stream_position().map_err(broken)?;
        self.seek(at.saturating_add(bytes))
    }

    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, StatisticsFault> {
        let mut bytes = vec![0; count];
        self.file.read_exact(&mut bytes).map_err(broken)?;
        Ok(bytes)
    }

    fn number(&mut self, count: usize) -> Result<u64, StatisticsFault> {
        let bytes = self.bytes(count)?;
        Ok(self.value(&bytes))
    }

    fn value(&self, bytes: &[u8]) -> u64 {
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if self.big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn what_is_no_such_file_is_refused() {
        for bytes in [&b""[..], b"<stata_dta>", b"\x72\x02\x01\x00", &[0x72; 4000]] {
            assert!(check(&mut Cursor::new(bytes), bytes.len() as u64, encoding_rs::UTF_8).is_err());
        }
    }
}
