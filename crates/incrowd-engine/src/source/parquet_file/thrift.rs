//! As much of the Thrift compact protocol as it takes to read lengths: nothing is allocated, and nothing is believed
//! that is longer than the bytes there are.

/// Structures inside structures. Parquet has fewer than ten.
const DEEPEST: u32 = 32;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// Bytes that are read from the front. Every answer is `None` where the bytes end too soon or contradict themselves.
pub(super) struct Thrift<'a> {
    rest: &'a [u8],
}

/// What the header of a page says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub(super) kind: i64,
    pub(super) decompressed: i64,
    pub(super) compressed: i64,
    /// Values of a data page or entries of a dictionary.
    pub(super) values: i64,
    pub(super) encoding: i64,
    /// In the second version of data pages: bytes of the levels, which are not compressed.
    pub(super) level_bytes: i64,
    pub(super) is_plain: bool,
    /// The bytes of the header itself.
    pub(super) length: usize,
}

impl PageHeader {
    pub(super) const DATA: i64 = 0;
    pub(super) const DICTIONARY: i64 = 2;
    pub(super) const DATA_V2: i64 = 3;
}

impl<'a> Thrift<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Thrift<'a> {
        Thrift { rest: bytes }
    }

    /// Walks through a whole footer; the number of elements of its schema.
    pub(super) fn columns_of_footer(&mut self) -> Option<usize> {
        let mut columns = 0;
        self.fields(|id, kind, thrift| {
            if id == 2 && kind == LIST {
                columns = Thrift { rest: thrift.rest }.list()?.0;
            }
            thrift.skip(kind, DEEPEST)
        })?;
        Some(columns)
    }

    /// The header of a page at the front.
    pub(super) fn page_header(bytes: &'a [u8]) -> Option<PageHeader> {
        let mut thrift = Thrift { rest: bytes };
        let mut header = PageHeader::default();
        thrift.fields(|id, kind, thrift| {
            match (id, kind) {
                (1, I16..=I64) => header.kind = thrift.zigzag()?,
                (2, I16..=I64) => header.decompressed = thrift.zigzag()?,
                (3, I16..=I64) => header.compressed = thrift.zigzag()?,
                (5 | 7 | 8, STRUCT) => thrift.about_page(id, &mut header)?,
                _ => thrift.skip(kind, DEEPEST)?,
            }
            Some(())
        })?;
        header.length = bytes.len() - thrift.rest.len();
        Some(header)
    }

    /// The part of a header that belongs to one kind of page: 5 data, 7 dictionary, 8 data in the second version.
    fn about_page(&mut self, of: i16, header: &mut PageHeader) -> Option<()> {
        self.fields(|id, kind, thrift| {
            match (of, id, kind) {
                (_, 1, I16..=I64) => header.values = thrift.zigzag()?,
                (5 | 7, 2, I16..=I64) | (8, 4, I16..=I64) => header.encoding = thrift.zigzag()?,
                (8, 5 | 6, I16..=I64) => header.level_bytes = header.level_bytes.checked_add(thrift.zigzag()?)?,
                (8, 7, FALSE) => header.is_plain = true,
                _ => thrift.skip(kind, DEEPEST)?,
            }
            Some(())
        })
    }

    /// Reads the fields of a structure; `each` has to take the value of a field.
    fn fields(&mut self, mut each: impl FnMut(i16, u8, &mut Thrift<'a>) -> Option<()>) -> Option<()> {
        let mut id = 0i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            id = match head >> 4 {
                0 => i16::try_from(self.zigzag()?).ok()?,
                more => id.checked_add(i16::from(more))?,
            };
            each(id, head & 15, self)?;
        }
    }

    /// Passes over a value. A boolean in a structure has no bytes of its own.
    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            TRUE | FALSE => Some(()),
            BYTE => self.take(1),
            I16..=I64 => self.varint().map(|_| ()),
            DOUBLE => self.take(8),
            BINARY => {
                let length = self.varint()?;
                self.take(length)
            }
            LIST | SET => {
                let (size, kind) = self.list()?;
                (0..size).try_for_each(|_| self.skip_element(kind, depth))
            }
            MAP => {
                let size = self.varint()?;
                if size == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                let size = usize::try_from(size).ok().filter(|&size| size <= self.rest.len())?;
                (0..size).try_for_each(|_| {
                    self.skip_element(kinds >> 4, depth)?;
                    self.skip_element(kinds & 15, depth)
                })
            }
            STRUCT => self.fields(|_, kind, thrift| thrift.skip(kind, depth)),
            UUID => self.take(16),
            _ => None,
        }
    }

    fn skip_element(&mut self, kind: u8, depth: u32) -> Option<()> {
        if matches!(kind, TRUE | FALSE) { self.take(1) } else { self.skip(kind, depth) }
    }

    /// The length of a list and the type of its elements, each of which takes at least a byte.
    fn list(&mut self) -> Option<(usize, u8)> {
        let head = self.byte()?;
        let size = match head >> 4 {
            15 => self.varint()?,
            size => u64::from(size),
        };
        let size = usize::try_from(size).ok().filter(|&size| size <= self.rest.len())?;
        Some((size, head & 15))
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take(&mut self, bytes: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_of_a_page_is_read_with_what_it_declares() {
        // type 0, 100 bytes, 20 compressed, a data page of 7 values in encoding 8, and the end.
        let bytes = [0x15, 0, 0x15, 200, 1, 0x15, 40, 0x2c, 0x15, 14, 0x15, 16, 0x15, 6, 0x15, 6, 0, 0, 99];
        let header = Thrift::page_header(&bytes).expect("a header");
        assert_eq!((header.kind, header.decompressed, header.compressed), (0, 100, 20));
        assert_eq!((header.values, header.encoding, header.length), (7, 8, bytes.len() - 1));
        assert!((0..bytes.len() - 1).all(|cut| Thrift::page_header(&bytes[..cut]).is_none()));
    }

    #[test]
    fn a_list_or_a_text_longer_than_the_bytes_is_refused() {
        let list = [0x29, 0xfc, 0xff, 0xff, 0xff, 0x0f, 0];
        assert_eq!(Thrift::new(&list).columns_of_footer(), None);
        let text = [0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0];
        assert_eq!(Thrift::page_header(&text), None);
    }
}
