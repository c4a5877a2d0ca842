//! The lengths that a Stata file states, compared with its size. The library that reads the file makes room for what a
//! length says before it reads; a file of a few bytes could ask for 4 GiB.

use std::io::{BufRead, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;

use dta::stata::dta::dta_error::{DtaError, FormatErrorKind, Section};
use dta::stata::dta::dta_reader::DtaReader;
use dta::stata::dta::schema::Schema;
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
        [b'<', ..] => lengths.with_tags(&start, encoding),
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

/// The bytes of all rows. Rows that take none are refused: a short file could state any number of them.
fn bytes_of_rows(rows: u64, schema: &Schema) -> Result<u64, StatisticsFault> {
    let width = |kind: VariableType| match kind {
        VariableType::Byte => 1,
        VariableType::Int => 2,
        VariableType::Long | VariableType::Float => 4,
        VariableType::Double | VariableType::LongString => 8,
        VariableType::FixedString(width) => u64::from(width),
    };
    let row: u64 = schema.variables().iter().map(|variable| width(variable.variable_type())).sum();
    let bytes = rows.checked_mul(row).filter(|_| row > 0 || rows == 0);
    bytes.ok_or(if schema.variables().is_empty() { StatisticsFault::NoColumns } else { StatisticsFault::Unreadable })
}

struct Lengths<'f, F> {
    file: &'f mut F,
    size: u64,
    /// Whether numbers have their largest byte first.
    big: bool,
}

impl<F: BufRead + Seek> Lengths<'_, F> {
    /// Versions 117 and later: `<map>` says where each part is, and the library reads one behind the other.
    fn with_tags(&mut self, start: &[u8], encoding: &'static Encoding) -> Result<(), StatisticsFault> {
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
        let place = |entry: usize| start.get(map + 8 * entry..map + 8 * entry + 8).map(|bytes| self.value(bytes));
        let [Some(characteristics), Some(long_texts), Some(labels)] = [CHARACTERISTICS, LONG_TEXTS, LABELS].map(place)
        else {
            return Err(StatisticsFault::Unreadable);
        };
        let characteristics = self.items(characteristics, b"<characteristics>", b"<ch>", [0, 5])?;
        let long_texts = self.items(long_texts, b"<strls>", b"GSO", [if is_first { 9 } else { 13 }, 0])?;
        let name = if is_first { 33 } else { 129 };
        let labels = self.items(labels, b"<value_labels>", b"<lbl>", [0, 6 + 3 + name])?;
        self.follow(characteristics, long_texts, labels.start, encoding)
    }

    /// Where a part begins and its last item ends, when the lengths of its items are within the file. `around` are the bytes before
    /// and after the length of an item.
    fn items(&mut self, start: u64, tag: &[u8], item: &[u8], around: [u64; 2]) -> Result<Range<u64>, StatisticsFault> {
        self.seek(start)?;
        if self.bytes(tag.len())? != tag {
            return Err(StatisticsFault::Unreadable);
        }
        while self.bytes(item.len())? == item {
            self.skip(around[0])?;
            let length = self.number(4)?;
            self.skip(length + around[1])?;
        }
        Ok(start..self.file.stream_position().map_err(broken)? - item.len() as u64)
    }

    /// Refuses a file whose parts are not at the places where the library reads them: it would read lengths that were not checked.
    fn follow(
        &mut self,
        characteristics: Range<u64>,
        long_texts: Range<u64>,
        labels: u64,
        encoding: &'static Encoding,
    ) -> Result<(), StatisticsFault> {
        let (rows, schema) = self.described(encoding)?;
        let is_first = self.file.stream_position().map_err(broken)? == characteristics.start;
        let between = "</characteristics><data></data>".len() as u64;
        let rows_end = bytes_of_rows(rows, &schema)?.checked_add(characteristics.end + between);
        let follow =
            is_first && rows_end == Some(long_texts.start) && long_texts.end + "</strls>".len() as u64 == labels;
        if follow { Ok(()) } else { Err(StatisticsFault::Unreadable) }
    }

    /// The number of rows, and the columns; behind them the file goes on.
    fn described(&mut self, encoding: &'static Encoding) -> Result<(u64, Schema), StatisticsFault> {
        self.file.rewind().map_err(broken)?;
        let header = DtaReader::new().encoding(encoding).from_reader(&mut *self.file).read_header();
        let header = header.map_err(fault_of)?;
        let (rows, columns) = (header.header().observation_count(), u64::from(header.header().variable_count()));
        if columns.saturating_mul(LEAST_COLUMN) > self.size {
            return Err(StatisticsFault::Unreadable);
        }
        Ok((rows, header.read_schema().map_err(fault_of)?.schema().clone()))
    }

    /// Versions before 117: one part behind the other.
    fn without_tags(&mut self, release: u8, encoding: &'static Encoding) -> Result<(), StatisticsFault> {
        let (rows, schema) = self.described(encoding)?;
        if release >= 105 {
            let wide = if release >= 110 { 4 } else { 2 };
            loop {
                let (kind, length) = (self.number(1)?, self.number(wide)?);
                match (kind, length) {
                    (0, 0) => break,
                    // For the library, the list ends here, whatever the length is.
                    (0, _) => return Err(StatisticsFault::Unreadable),
                    _ => self.skip(length)?,
                }
            }
        }
        self.skip(bytes_of_rows(rows, &schema)?)?;
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

    use dta::stata::dta::byte_order::ByteOrder;
    use dta::stata::dta::dta_writer::DtaWriter;
    use dta::stata::dta::header::Header;
    use dta::stata::dta::release::Release;
    use dta::stata::dta::value::Value;
    use dta::stata::dta::variable::{Variable, VariableBuilder};
    use dta::stata::stata_int::StataInt;

    use super::*;

    fn is_read(bytes: &[u8]) -> bool {
        check(&mut Cursor::new(bytes), bytes.len() as u64, encoding_rs::UTF_8).is_ok()
    }

    /// A file with a column and two rows.
    fn written(release: u8) -> Vec<u8> {
        let column = Variable::builder(VariableType::Int, "a").format("%8.0g");
        with_columns(release, vec![column], 2)
    }

    fn with_columns(release: u8, columns: Vec<VariableBuilder>, rows: usize) -> Vec<u8> {
        let row = vec![Value::Int(StataInt::Present(7)); columns.len()];
        let schema = Schema::builder().variables(columns).build().expect("a schema");
        let header = Header::builder(Release::try_from(release).expect("a version"), ByteOrder::LittleEndian).build();
        let writer = DtaWriter::new().from_writer(Cursor::new(Vec::new())).write_header(header).expect("memory");
        let mut records = writer.write_schema(schema).expect("memory").into_record_writer().expect("memory");
        for _ in 0..rows {
            records.write_record(&row).expect("memory");
        }
        let behind = records.into_long_string_writer().expect("memory");
        behind.into_value_label_writer().expect("memory").finish().expect("memory").into_inner()
    }

    #[test]
    fn rows_without_bytes_are_refused_whatever_their_number() {
        for release in [107, 115, 117, 118] {
            let mut bytes = with_columns(release, Vec::new(), 0);
            assert!(is_read(&bytes), "{release}");
            let tag = bytes.windows(3).position(|part| part == b"<N>");
            let at = tag.map_or(6, |tag| tag + 3);
            bytes[at..at + 4].copy_from_slice(&(1u32 << 30).to_le_bytes());
            assert!(!is_read(&bytes), "{release}");
        }
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        for bytes in [&b""[..], b"<stata_dta>", b"\x72\x02\x01\x00", &[0x72; 4000]] {
            assert!(!is_read(bytes));
        }
    }

    #[test]
    fn a_part_is_not_looked_for_elsewhere_than_it_is_read() {
        for release in [117, 118, 119] {
            let bytes = written(release);
            assert!(is_read(&bytes), "{release}");
            let map = bytes.windows(5).position(|part| part == b"<map>").expect("a map") + 5;
            for (entry, tag) in [(CHARACTERISTICS, "characteristics"), (LONG_TEXTS, "strls"), (LABELS, "value_labels")]
            {
                // A part without items stands behind the file as well.
                let mut twice = bytes.clone();
                twice[map + 8 * entry..][..8].copy_from_slice(&bytes.len().to_le_bytes());
                twice.extend(format!("<{tag}></{tag}>").bytes());
                assert!(!is_read(&twice), "{release} {tag}");
            }
        }
    }

    #[test]
    fn the_end_of_the_characteristics_of_an_older_file_has_no_length() {
        for (release, wide) in [(105, 2), (115, 4)] {
            let bytes = written(release);
            let described = bytes.len() - 2 * 2 - 1 - wide;
            for (kind, fits) in [(1, true), (3, true), (0, false)] {
                let mut edited = bytes.clone();
                let item = [&[kind][..], &5u32.to_le_bytes()[..wide], &[0; 5]].concat();
                edited.splice(described..described, item);
                assert_eq!(is_read(&edited), fits, "version {release}, kind {kind}");
            }
        }
    }
}
