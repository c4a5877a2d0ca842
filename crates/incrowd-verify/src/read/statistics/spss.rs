//! SPSS system files, from the description in the developers' guide of GNU PSPP: first what describes the columns, then
//! all elements of 8 bytes, then columns cut out of them.

use std::collections::HashMap;
use std::io::Read;

use chrono::NaiveDate;
use encoding_rs::{Encoding, UTF_8};
use flate2::bufread::ZlibDecoder;

use super::LabelledColumn;

/// Decompressed blocks of up to this size are read from any file.
const MOST_BYTES: usize = 128 << 20;
/// Larger ones are read up to this multiple of the file's size.
const MOST_EXPANSION: usize = 400;

/// All columns; nothing when the file is broken.
pub(super) fn columns(bytes: &[u8], encoding: Option<&'static Encoding>) -> Option<Vec<LabelledColumn>> {
    let file = Described::read(bytes, encoding)?;
    let elements = file.elements(bytes)?;
    let width = file.width;
    if width == 0 || elements.len() % width != 0 || file.rows.is_some_and(|rows| rows != elements.len() / width) {
        return None;
    }
    let mut columns = Vec::new();
    let mut variables = file.variables.iter();
    while let Some(variable) = variables.next() {
        let whole = file.long_texts.get(&variable.short).copied();
        let mut parts = vec![(variable.at, variable.bytes)];
        for _ in 1..whole.unwrap_or(0).div_ceil(252) {
            let more = variables.next()?;
            parts.push((more.at, more.bytes));
        }
        let mut column = LabelledColumn {
            name: file.names.get(&variable.short).unwrap_or(&variable.short).clone(),
            about: file.text(&variable.about)?,
            ..LabelledColumn::default()
        };
        for row in elements.chunks_exact(width) {
            let cell = if variable.bytes > 0 {
                let mut text: Vec<u8> = Vec::new();
                parts.iter().for_each(|&(at, bytes)| text.extend(row[at..].concat().iter().take(bytes)));
                text.truncate(whole.unwrap_or(variable.bytes));
                file.text(&text)
                    .map(|text| Some(text).filter(|text| !file.is_missing_text(variable, &column.name, text)))?
            } else {
                let number = file.double(row[variable.at]);
                if number == -f64::MAX || file.is_missing(variable, number) {
                    None
                } else {
                    Some(shown(number, variable.format)?)
                }
            };
            column.cells.push(cell.filter(|text| !text.is_empty()));
        }
        for (value, label) in file.labels.iter().filter(|label| label.0 == variable.at).map(|label| (label.1, &label.2))
        {
            let value = if variable.bytes > 0 { file.text(&value)? } else { file.double(value).to_string() };
            column.labels.insert(value, file.text(label)?.trim().to_owned());
        }
        columns.push(column);
    }
    for (name, value, label) in &file.long_labels {
        if let Some(column) = columns.iter_mut().find(|column| column.name == *name) {
            column.labels.insert(value.clone(), label.clone());
        }
    }
    Some(columns)
}

/// A number as its format shows it; times are counted in seconds since 1582-10-14.
#[allow(clippy::cast_possible_truncation, reason = "the size is looked at")]
fn shown(number: f64, format: i32) -> Option<String> {
    let first = NaiveDate::from_ymd_opt(1582, 10, 14)?;
    match format >> 16 & 0xff {
        20 | 23 | 24 | 28 | 29 | 30 | 38 | 39 => super::day(first, (number / 86_400.0).floor()),
        22 | 41 => super::instant(first, number),
        21 | 25 | 40 if number.abs() < 1e15 => {
            let (sign, seconds) = (if number < 0.0 { "-" } else { "" }, number.abs().round() as u64);
            Some(format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds % 3600 / 60, seconds % 60))
        }
        _ => Some(number.to_string()),
    }
}

/// A text without what fills it up; nothing when it is none.
fn text_in(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    let (text, _, is_broken) = encoding.decode(bytes);
    (!is_broken).then(|| text.trim_end_matches([' ', '\0']).to_owned())
}

/// A column as the file describes it.
struct SpssVariable {
    short: String,
    at: usize,
    /// The bytes of its texts; none for numbers.
    bytes: usize,
    format: i32,
    about: Vec<u8>,
    /// How many values are declared missing: below zero, the first two are a range.
    missing: (i32, Vec<[u8; 8]>),
}

struct Described {
    big: bool,
    packed: i32,
    bias: f64,
    rows: Option<usize>,
    width: usize,
    variables: Vec<SpssVariable>,
    /// Where a column is, a value of it and its label.
    labels: Vec<(usize, [u8; 8], Vec<u8>)>,
    names: HashMap<String, String>,
    long_texts: HashMap<String, usize>,
    /// The name of a column, a text of it and its label.
    long_labels: Vec<(String, String, String)>,
    /// The name of a column with long texts, and one that is declared missing.
    long_missing: Vec<(String, String)>,
    encoding: &'static Encoding,
    /// Where the rows begin.
    data: usize,
}

/// Bytes that are taken one after the other.
struct Bytes<'b> {
    all: &'b [u8],
    at: usize,
    big: bool,
}

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let taken = self.all.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn int(&mut self) -> Option<i32> {
        let bytes = self.take(4)?.try_into().ok()?;
        Some(if self.big { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) })
    }

    fn size(&mut self) -> Option<usize> {
        self.int()?.try_into().ok()
    }

    fn eight(&mut self) -> Option<[u8; 8]> {
        self.take(8)?.try_into().ok()
    }
}

impl Described {
    fn read(all: &[u8], encoding: Option<&'static Encoding>) -> Option<Described> {
        let big = *all.get(64)? == 0;
        let mut bytes = Bytes { all, at: 72, big };
        if !all.starts_with(b"$FL2") && !all.starts_with(b"$FL3") {
            return None;
        }
        let (packed, _, rows) = (bytes.int()?, bytes.int()?, bytes.int()?);
        let bias = bytes.eight()?;
        let bias = if big { f64::from_be_bytes(bias) } else { f64::from_le_bytes(bias) };
        bytes.at = 176;
        let mut file = Described {
            big,
            packed,
            bias,
            rows: rows.try_into().ok(),
            width: 0,
            variables: Vec::new(),
            labels: Vec::new(),
            names: HashMap::new(),
            long_texts: HashMap::new(),
            long_labels: Vec::new(),
            long_missing: Vec::new(),
            encoding: UTF_8,
            data: 0,
        };
        let mut more: Vec<(i32, &[u8])> = Vec::new();
        loop {
            match bytes.int()? {
                2 => file.variable(&mut bytes)?,
                3 => file.value_labels(&mut bytes)?,
                6 => bytes.size()?.checked_mul(80).and_then(|count| bytes.take(count)).map(drop)?,
                7 => {
                    let (kind, size, count) = (bytes.int()?, bytes.size()?, bytes.size()?);
                    more.push((kind, bytes.take(size.checked_mul(count)?)?));
                }
                999 => break,
                _ => return None,
            }
        }
        bytes.int()?;
        file.data = bytes.at;
        file.later(&more, encoding)?;
        Some(file)
    }

    fn variable(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let (kind, has_label, missing, format, _) =
            (bytes.int()?, bytes.int()?, bytes.int()?, bytes.int()?, bytes.int()?);
        let short = String::from_utf8_lossy(bytes.take(8)?).trim_end().to_owned();
        let mut about = Vec::new();
        if has_label == 1 {
            let size = bytes.size()?;
            about = bytes.take(size.next_multiple_of(4))?[..size].to_vec();
        }
        let values = (0..missing.unsigned_abs().min(3)).map(|_| bytes.eight()).collect::<Option<Vec<_>>>()?;
        if let Ok(size) = usize::try_from(kind) {
            let variable =
                SpssVariable { short, at: self.width, bytes: size, format, about, missing: (missing, values) };
            self.variables.push(variable);
        }
        self.width += 1;
        Some(())
    }

    fn value_labels(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let mut labels = Vec::new();
        for _ in 0..bytes.size()? {
            let value = bytes.eight()?;
            let size = usize::from(bytes.take(1)?[0]);
            labels.push((value, bytes.take((size / 8 + 1) * 8 - 1)?[..size].to_vec()));
        }
        if bytes.int()? != 4 {
            return None;
        }
        for _ in 0..bytes.size()? {
            let at = bytes.size()?.checked_sub(1)?;
            self.labels.extend(labels.iter().map(|(value, label)| (at, *value, label.clone())));
        }
        Some(())
    }

    /// What later versions say: the encoding first, as the others are written in it.
    fn later(&mut self, more: &[(i32, &[u8])], named: Option<&'static Encoding>) -> Option<()> {
        let find = |wanted: i32| more.iter().find(|(kind, _)| *kind == wanted).map(|(_, bytes)| *bytes);
        if let Some(named) = named {
            self.encoding = named;
        } else if let Some(name) = find(20) {
            self.encoding = Encoding::for_label(name.trim_ascii())?;
        } else if let Some(numbers) = find(3) {
            let page = Bytes { all: numbers, at: 28, big: self.big }.int()?;
            self.encoding = match page {
                65_001 | 0..=4 => UTF_8,
                page => Encoding::for_label(format!("windows-{page}").as_bytes())?,
            };
        }
        let encoding = self.encoding;
        let pairs = |bytes: &[u8]| -> Option<Vec<(String, String)>> {
            let texts = bytes.split(|&byte| byte == b'\t').map(|pair| text_in(encoding, pair));
            let texts = texts.collect::<Option<Vec<_>>>()?;
            let cut = |text: &String| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
            Some(texts.iter().filter_map(cut).collect())
        };
        self.names = pairs(find(13).unwrap_or_default())?.into_iter().collect();
        let sizes = pairs(find(14).unwrap_or_default())?;
        let sizes = sizes.into_iter().filter_map(|(name, size)| Some((name, size.parse().ok()?)));
        // A text of up to 255 bytes is one column.
        self.long_texts = sizes.filter(|&(_, size)| size > 255).collect();
        let text = |long: &mut Bytes<'_>| text_in(encoding, long.size().and_then(|size| long.take(size))?);
        let mut long = Bytes { all: find(21).unwrap_or_default(), at: 0, big: self.big };
        while long.at < long.all.len() {
            let (name, _, count) = (text(&mut long)?, long.int()?, long.size()?);
            for _ in 0..count {
                let (value, label) = (text(&mut long)?, text(&mut long)?);
                self.long_labels.push((name.clone(), value, label.trim().to_owned()));
            }
        }
        let mut long = Bytes { all: find(22).unwrap_or_default(), at: 0, big: self.big };
        while long.at < long.all.len() {
            let (name, count, size) = (text(&mut long)?, long.take(1)?[0], long.size()?);
            for place in 0..count {
                // Old files of PSPP have the size once more before each further value.
                let rest = Bytes { ..long };
                if place > 0 && long.size() != Some(size) {
                    long = rest;
                }
                let value = long.take(size)?;
                self.long_missing.push((name.clone(), text_in(encoding, value)?));
            }
        }
        Some(())
    }

    /// All elements, unpacked.
    fn elements(&self, all: &[u8]) -> Option<Vec<[u8; 8]>> {
        let unpacked: Vec<u8>;
        let data = match self.packed {
            2 => {
                let mut places = Bytes { all, at: self.data, big: self.big };
                let place =
                    |bytes: [u8; 8]| if self.big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) };
                let start = usize::try_from(place(places.eight()?)).ok()?.checked_add(24)?;
                let mut left = all.get(start..usize::try_from(place(places.eight()?)).ok()?)?;
                let mut blocks = Vec::new();
                while !left.is_empty() {
                    let mut decoder = ZlibDecoder::new(left);
                    let most = MOST_BYTES.max(all.len().saturating_mul(MOST_EXPANSION)) as u64;
                    (&mut decoder).take(most).read_to_end(&mut blocks).ok()?;
                    if blocks.len() as u64 >= most {
                        return None;
                    }
                    left = decoder.into_inner();
                }
                unpacked = blocks;
                unpacked.as_slice()
            }
            _ => all.get(self.data..)?,
        };
        let mut stored = data.chunks_exact(8).map(|chunk| <[u8; 8]>::try_from(chunk).ok());
        if self.packed == 0 {
            return stored.collect();
        }
        let bytes = |number: f64| if self.big { number.to_be_bytes() } else { number.to_le_bytes() };
        let mut elements = Vec::new();
        while let Some(instructions) = stored.next() {
            for instruction in instructions? {
                elements.push(match instruction {
                    0 => continue,
                    252 => return Some(elements),
                    253 => stored.next()??,
                    254 => *b"        ",
                    255 => bytes(-f64::MAX),
                    number => bytes(f64::from(number) - self.bias),
                });
            }
        }
        Some(elements)
    }

    fn double(&self, bytes: [u8; 8]) -> f64 {
        if self.big { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) }
    }

    fn text(&self, bytes: &[u8]) -> Option<String> {
        text_in(self.encoding, bytes)
    }

    fn is_missing(&self, variable: &SpssVariable, number: f64) -> bool {
        let (count, values) = &variable.missing;
        let values: Vec<f64> = values.iter().map(|&value| self.double(value)).collect();
        match values.as_slice() {
            [least, most, rest @ ..] if *count < 0 => (*least..=*most).contains(&number) || rest.contains(&number),
            values => values.contains(&number),
        }
    }

    fn is_missing_text(&self, variable: &SpssVariable, name: &str, text: &str) -> bool {
        variable.missing.1.iter().any(|value| self.text(value).as_deref() == Some(text))
            || self.long_missing.iter().any(|(of, value)| (of == name || *of == variable.short) && value == text)
    }
}

#[cfg(test)]
mod tests;
