//! The records before the rows, one by one.

use std::io::{BufRead, Seek};

use super::super::StatisticsVariable;
use super::dictionary::{ColumnKind, DeclaredMissing, LONGEST_TEXT, SpssColumn, SpssDictionary, SpssPacking};
use super::extensions::Extensions;
use crate::runtime::error::StatisticsFault;

fn broken<E>(_: E) -> StatisticsFault {
    StatisticsFault::Unreadable
}

/// Reads records; no length may reach beyond the end of the file.
pub(super) struct RecordReader<'f, F> {
    file: &'f mut F,
    size: u64,
    big: bool,
}

impl<'f, F: BufRead + Seek> RecordReader<'f, F> {
    pub(super) fn new(file: &'f mut F, size: u64) -> Self {
        RecordReader { file, size, big: false }
    }

    pub(super) fn header(&mut self) -> Result<SpssDictionary, StatisticsFault> {
        let magic = self.bytes(4)?;
        if magic == b"$FL1" || !magic.starts_with(b"$FL") {
            return Err(StatisticsFault::Unreadable);
        }
        self.skip(60, 1)?;
        // 2 or 3: shows the byte order.
        let layout: [u8; 4] = self.bytes(4)?.try_into().map_err(broken)?;
        self.big = layout[0] == 0;
        self.skip(4, 1)?;
        let compression = match self.int()? {
            0 => SpssPacking::None,
            1 => SpssPacking::Instructions,
            2 => SpssPacking::Zlib,
            _ => return Err(StatisticsFault::Unreadable),
        };
        self.skip(4, 1)?;
        let rows = u64::try_from(self.int()?).ok();
        let bias: [u8; 8] = self.bytes(8)?.try_into().map_err(broken)?;
        let bias = if self.big { f64::from_be_bytes(bias) } else { f64::from_le_bytes(bias) };
        self.skip(84, 1)?;
        let (columns, big, encoding) = (Vec::new(), self.big, encoding_rs::UTF_8);
        Ok(SpssDictionary { columns, row_elements: 0, rows, compression, bias, big, encoding })
    }

    pub(super) fn variable(&mut self, dictionary: &mut SpssDictionary) -> Result<(), StatisticsFault> {
        let (kind, has_label, missing_count) = (self.int()?, self.int()?, self.int()?);
        let format = self.int()?;
        self.int()?;
        let name = self.bytes(8)?;
        let raw_label = if has_label == 1 {
            let length = self.count()?;
            let mut label = self.bytes(length.next_multiple_of(4))?;
            label.truncate(length);
            label
        } else {
            Vec::new()
        };
        let missing = usize::try_from(missing_count.unsigned_abs()).map_err(broken)?;
        let raw_missing = (0..missing.min(3)).map(|_| self.eight()).collect::<Result<Vec<_>, _>>()?;
        let first = dictionary.row_elements;
        dictionary.row_elements += 1;
        let Ok(width) = usize::try_from(kind) else { return Ok(()) };
        if width > LONGEST_TEXT {
            return Err(StatisticsFault::Unreadable);
        }
        let short = String::from_utf8_lossy(&name).trim_end().to_owned();
        #[allow(clippy::cast_sign_loss, reason = "bits of a format")]
        let kind = ColumnKind::of(width, format as u32);
        dictionary.columns.push(SpssColumn {
            variable: StatisticsVariable::default(),
            short,
            kind,
            first,
            segments: vec![(first, width)],
            missing: DeclaredMissing::default(),
            raw_missing,
            missing_count,
            raw_labels: Vec::new(),
            raw_label,
        });
        Ok(())
    }

    /// Labels, and the columns they are for.
    pub(super) fn labels(&mut self, dictionary: &mut SpssDictionary) -> Result<(), StatisticsFault> {
        let count = self.count()?;
        let mut labels = Vec::new();
        for _ in 0..count {
            let value = self.eight()?;
            let length = usize::from(self.bytes(1)?[0]);
            let mut label = self.bytes((length + 1).next_multiple_of(8) - 1)?;
            label.truncate(length);
            labels.push((value, label));
        }
        if self.int()? != 4 {
            return Err(StatisticsFault::Unreadable);
        }
        for _ in 0..self.count()? {
            let place = usize::try_from(self.int()?).map_err(broken)?;
            let columns = &mut dictionary.columns;
            let column = columns.iter_mut().find(|column| column.first + 1 == place);
            column.ok_or(StatisticsFault::Unreadable)?.raw_labels.extend(labels.iter().cloned());
        }
        Ok(())
    }

    pub(super) fn extension(&mut self, extensions: &mut Extensions) -> Result<(), StatisticsFault> {
        let (subtype, size, count) = (self.int()?, self.count()?, self.count()?);
        let bytes = self.bytes(size.checked_mul(count).ok_or(StatisticsFault::Unreadable)?)?;
        match subtype {
            3 => {
                let page: Option<[u8; 4]> = bytes.get(28..32).and_then(|bytes| bytes.try_into().ok());
                extensions.code_page =
                    page.map(|page| if self.big { i32::from_be_bytes(page) } else { i32::from_le_bytes(page) });
            }
            13 => extensions.long_names = bytes,
            14 => extensions.long_texts = bytes,
            20 => extensions.encoding_name = String::from_utf8(bytes).ok(),
            21 => extensions.long_labels = bytes,
            22 => extensions.long_missing = bytes,
            _ => {}
        }
        Ok(())
    }

    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, StatisticsFault> {
        if count as u64 > self.size {
            return Err(StatisticsFault::Unreadable);
        }
        let mut bytes = vec![0; count];
        self.file.read_exact(&mut bytes).map_err(broken)?;
        Ok(bytes)
    }

    pub(super) fn skip(&mut self, count: usize, bytes: usize) -> Result<(), StatisticsFault> {
        self.bytes(count.checked_mul(bytes).ok_or(StatisticsFault::Unreadable)?).map(drop)
    }

    fn eight(&mut self) -> Result<[u8; 8], StatisticsFault> {
        self.bytes(8)?.try_into().map_err(broken)
    }

    pub(super) fn int(&mut self) -> Result<i32, StatisticsFault> {
        let bytes: [u8; 4] = self.bytes(4)?.try_into().map_err(broken)?;
        Ok(if self.big { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) })
    }

    pub(super) fn count(&mut self) -> Result<usize, StatisticsFault> {
        usize::try_from(self.int()?).map_err(broken)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_text_longer_than_the_format_allows_is_refused_before_there_is_room_for_it() {
        let is_read = |width: i32| {
            let header =
                [&b"$FL2"[..], &[b' '; 60], &2i32.to_le_bytes(), &[0; 8], &[0; 4], &[0; 4], &[0; 8], &[0; 84]].concat();
            let variable = [&width.to_le_bytes()[..], &[0; 16], b"TOWN    "].concat();
            let mut file = Cursor::new([header, variable].concat());
            let size = file.get_ref().len() as u64;
            let mut reader = RecordReader::new(&mut file, size);
            let mut dictionary = reader.header().expect("a header");
            reader.variable(&mut dictionary).is_ok()
        };
        assert_eq!([0, 1, 255, 256, i32::MAX].map(is_read), [true, true, true, false, false]);
    }
}
