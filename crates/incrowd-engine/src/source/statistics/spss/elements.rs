//! The rows: elements of 8 bytes, as they are or compressed.
//!
//! In the compressed form 8 instructions come before the elements that they are about: a small whole number, an element
//! that follows, spaces, a missing number, the end. A `.zsav` file has the same stream once more compressed by zlib.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::ZlibDecoder;

use super::dictionary::{SYSTEM_MISSING, SpssDictionary, SpssPacking};
use crate::runtime::error::StatisticsFault;

fn broken<E>(_: E) -> StatisticsFault {
    StatisticsFault::Unreadable
}

/// The elements of a file, in their order.
pub(super) struct Elements<F> {
    bytes: ElementBytes<F>,
    is_compressed: bool,
    bias: f64,
    big: bool,
    instructions: [u8; 8],
    /// The instruction that comes next.
    at: usize,
}

enum ElementBytes<F> {
    Plain(F),
    Zlib(BufReader<Blocks<F>>),
}

impl<F: BufRead + Seek> Elements<F> {
    pub(super) fn new(mut file: F, dictionary: &SpssDictionary) -> Result<Elements<F>, StatisticsFault> {
        let is_compressed = dictionary.compression != SpssPacking::None;
        let bytes = if dictionary.compression == SpssPacking::Zlib {
            let mut header = [0; 24];
            file.read_exact(&mut header).map_err(broken)?;
            let place = |at: usize| dictionary.long(&header[at..at + 8]);
            let (start, end) = (place(0).checked_add(24), place(8));
            let start = start.filter(|&start| start <= end).ok_or(StatisticsFault::Unreadable)?;
            file.seek(SeekFrom::Start(start)).map_err(broken)?;
            ElementBytes::Zlib(BufReader::new(Blocks { decoder: Some(ZlibDecoder::new(file.take(end - start))) }))
        } else {
            ElementBytes::Plain(file)
        };
        let (bias, big) = (dictionary.bias, dictionary.big);
        Ok(Elements { bytes, is_compressed, bias, big, instructions: [0; 8], at: 8 })
    }

    /// Fills a row; whether there was one. A row that is cut off is a fault.
    pub(super) fn row(&mut self, row: &mut [[u8; 8]]) -> Result<bool, StatisticsFault> {
        for (at, place) in row.iter_mut().enumerate() {
            match self.next()? {
                Some(element) => *place = element,
                None if at == 0 => return Ok(false),
                None => return Err(StatisticsFault::Unreadable),
            }
        }
        Ok(!row.is_empty())
    }

    fn next(&mut self) -> Result<Option<[u8; 8]>, StatisticsFault> {
        if !self.is_compressed {
            return self.stored();
        }
        loop {
            if self.at == 8 {
                match self.stored()? {
                    None => return Ok(None),
                    Some(instructions) => (self.instructions, self.at) = (instructions, 0),
                }
            }
            let instruction = self.instructions[self.at];
            self.at += 1;
            let number = match instruction {
                0 => continue,
                252 => return Ok(None),
                253 => return self.stored()?.map(Some).ok_or(StatisticsFault::Unreadable),
                254 => return Ok(Some([b' '; 8])),
                255 => SYSTEM_MISSING,
                small => f64::from(small) - self.bias,
            };
            return Ok(Some(if self.big { number.to_be_bytes() } else { number.to_le_bytes() }));
        }
    }

    /// The next 8 bytes; nothing at the end of the file.
    fn stored(&mut self) -> Result<Option<[u8; 8]>, StatisticsFault> {
        let mut element = [0; 8];
        let mut filled = 0;
        while filled < 8 {
            let read = match &mut self.bytes {
                ElementBytes::Plain(file) => file.read(&mut element[filled..]),
                ElementBytes::Zlib(blocks) => blocks.read(&mut element[filled..]),
            };
            match read {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(StatisticsFault::Unreadable),
                Ok(bytes) => filled += bytes,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Err(StatisticsFault::Unreadable),
            }
        }
        Ok(Some(element))
    }
}

/// Blocks that were compressed one by one, as one stream.
struct Blocks<F> {
    decoder: Option<ZlibDecoder<std::io::Take<F>>>,
}

impl<F: BufRead> Read for Blocks<F> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let Some(mut decoder) = self.decoder.take() else { return Ok(0) };
            let read = decoder.read(into)?;
            if read > 0 || into.is_empty() {
                self.decoder = Some(decoder);
                return Ok(read);
            }
            let mut rest = decoder.into_inner();
            if !rest.fill_buf()?.is_empty() {
                self.decoder = Some(ZlibDecoder::new(rest));
            }
        }
    }
}
