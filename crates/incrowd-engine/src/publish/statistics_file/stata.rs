//! Stata's format 118, as Stata documents it (`help dta`): parts with tags, texts in UTF-8, and a map of where each part
//! is. The crate that reads it cannot write labels.

use std::io::{Read, Write};

use super::columns::{StoredAs, StoredColumn};
use super::{each_line, padded};
use crate::source::statistics::STATA_DAYS;

/// The longest text of a column.
pub(super) const MOST_BYTES: usize = 2_045;

const NAME: usize = 129;
const FORMAT: usize = 57;
const LABEL: usize = 321;
/// The most letters of a column's label.
const LABEL_LETTERS: usize = 80;

/// Whether Stata has columns of that name.
pub(super) fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
        && name.chars().count() <= 32
        && !["_all", "_b", "_n", "_N", "byte", "double", "float", "if", "in", "int", "long", "str", "using", "with"]
            .contains(&name)
}

/// How a column is stored: the number of its type, the bytes of a cell, and how it is shown.
#[derive(Clone, Copy)]
enum StataCells {
    Byte,
    Int,
    Long,
    Double,
    Text(usize),
}

impl StataCells {
    fn of(column: &StoredColumn) -> StataCells {
        let (least, most) = column.range;
        match column.stored {
            StoredAs::Texts => StataCells::Text(column.text_bytes()),
            StoredAs::Days => StataCells::Long,
            StoredAs::Instants | StoredAs::Fraction => StataCells::Double,
            StoredAs::Codes | StoredAs::Whole if least >= -127.0 && most <= 100.0 => StataCells::Byte,
            StoredAs::Codes | StoredAs::Whole if least >= -32_767.0 && most <= 32_740.0 => StataCells::Int,
            StoredAs::Codes | StoredAs::Whole if least >= -2_147_483_647.0 && most <= 2_147_483_620.0 => {
                StataCells::Long
            }
            // Nothing but missing values.
            StoredAs::Codes | StoredAs::Whole if least > most => StataCells::Byte,
            StoredAs::Codes | StoredAs::Whole => StataCells::Double,
        }
    }

    #[allow(clippy::cast_possible_truncation, reason = "at most 2,045")]
    fn code(self) -> u16 {
        match self {
            StataCells::Byte => 65_530,
            StataCells::Int => 65_529,
            StataCells::Long => 65_528,
            StataCells::Double => 65_526,
            StataCells::Text(bytes) => bytes as u16,
        }
    }

    #[allow(clippy::cast_possible_truncation, reason = "the range was looked at")]
    fn bytes(self, number: Option<f64>, text: &str) -> Vec<u8> {
        match (self, number) {
            (StataCells::Byte, number) => (number.map_or(101, |number| number as i8)).to_le_bytes().to_vec(),
            (StataCells::Int, number) => (number.map_or(32_741, |number| number as i16)).to_le_bytes().to_vec(),
            (StataCells::Long, number) => (number.map_or(2_147_483_621, |number| number as i32)).to_le_bytes().to_vec(),
            (StataCells::Double, Some(number)) => number.to_le_bytes().to_vec(),
            (StataCells::Double, None) => 0x7fe0_0000_0000_0000_u64.to_le_bytes().to_vec(),
            (StataCells::Text(bytes), _) => padded(text, bytes, 0),
        }
    }

    fn width(self) -> u64 {
        self.bytes(None, "").len() as u64
    }
}

fn format_of(column: &StoredColumn, cells: StataCells) -> String {
    match (column.stored, cells) {
        (_, StataCells::Text(bytes)) => format!("%{bytes}s"),
        (StoredAs::Days, _) => "%tdCCYY-NN-DD".into(),
        (StoredAs::Instants, _) => "%tc".into(),
        _ => "%12.0g".into(),
    }
}

/// Writes the file.
pub(super) fn write(columns: &[StoredColumn], rows: u64, lines: impl Read, out: &mut impl Write) -> Option<()> {
    let cells: Vec<StataCells> = columns.iter().map(StataCells::of).collect();
    let before = Parts::new(columns, &cells, rows)?;
    out.write_all(&before.header).ok()?;
    out.write_all(&before.dictionary).ok()?;
    out.write_all(b"<data>").ok()?;
    let mut line = Vec::new();
    each_line(lines, |record| {
        line.clear();
        for ((column, cells), text) in columns.iter().zip(&cells).zip(record) {
            let number = column.number(text, STATA_DAYS);
            // Stata counts milliseconds.
            let number =
                number.map(|number| if column.stored == StoredAs::Instants { number * 1000.0 } else { number });
            line.extend(cells.bytes(number, text));
        }
        out.write_all(&line).ok()
    })?;
    out.write_all(b"</data><strls></strls>").ok()?;
    out.write_all(&before.labels).ok()?;
    out.write_all(b"</stata_dta>").ok()
}

/// What is written besides the rows.
struct Parts {
    header: Vec<u8>,
    dictionary: Vec<u8>,
    labels: Vec<u8>,
}

impl Parts {
    fn new(columns: &[StoredColumn], cells: &[StataCells], rows: u64) -> Option<Parts> {
        let mut header = b"<stata_dta><header><release>118</release><byteorder>LSF</byteorder><K>".to_vec();
        header.extend(u16::try_from(columns.len()).ok()?.to_le_bytes());
        header.extend(b"</K><N>");
        header.extend(rows.to_le_bytes());
        header.extend(b"</N><label>\0\0</label><timestamp>\0</timestamp></header>");
        let row: u64 = cells.iter().map(|cells| cells.width()).sum();
        let (labels, map) = (labels(columns)?, header.len() as u64);
        // The parts in their order; the first one is behind the map, which has 14 places.
        let mut places = vec![0, map];
        let (mut dictionary, start) = (Vec::new(), map + 5 + 14 * 8 + 6);
        let each = |make: &dyn Fn(usize) -> Vec<u8>| -> Vec<u8> { (0..columns.len()).flat_map(make).collect() };
        let set = |at: usize| if columns[at].labels().is_empty() { String::new() } else { format!("labels{at}") };
        let label = |at: usize| columns[at].label.chars().take(LABEL_LETTERS).collect::<String>();
        let parts: [(&str, Vec<u8>); 7] = [
            ("variable_types", each(&|at| cells[at].code().to_le_bytes().to_vec())),
            ("varnames", each(&|at| padded(&columns[at].name, NAME, 0))),
            ("sortlist", vec![0; 2 * (columns.len() + 1)]),
            ("formats", each(&|at| padded(&format_of(&columns[at], cells[at]), FORMAT, 0))),
            ("value_label_names", each(&|at| padded(&set(at), NAME, 0))),
            ("variable_labels", each(&|at| padded(&label(at), LABEL, 0))),
            ("characteristics", Vec::new()),
        ];
        for (tag, content) in parts {
            places.push(start + dictionary.len() as u64);
            dictionary.extend(format!("<{tag}>").bytes().chain(content).chain(format!("</{tag}>").bytes()));
        }
        let data = start + dictionary.len() as u64;
        let long_texts = data + 6 + row.checked_mul(rows)? + 7;
        let value_labels = long_texts + 15;
        let end = value_labels + labels.len() as u64;
        places.extend([data, long_texts, value_labels, end, end + 12]);
        header.extend(b"<map>");
        places.iter().for_each(|place| header.extend(place.to_le_bytes()));
        header.extend(b"</map>");
        Some(Parts { header, dictionary, labels })
    }
}

/// The labels of values that are published.
#[allow(clippy::cast_possible_truncation, reason = "codes were found to be whole numbers of 32 bits")]
fn labels(columns: &[StoredColumn]) -> Option<Vec<u8>> {
    let mut bytes = b"<value_labels>".to_vec();
    for (at, column) in columns.iter().enumerate() {
        let labels = column.labels();
        if labels.is_empty() {
            continue;
        }
        let (mut texts, mut places) = (Vec::new(), Vec::new());
        for (_, label) in &labels {
            places.push(u32::try_from(texts.len()).ok()?);
            texts.extend(label.bytes().chain([0]));
        }
        let mut table = u32::try_from(labels.len()).ok()?.to_le_bytes().to_vec();
        table.extend(u32::try_from(texts.len()).ok()?.to_le_bytes());
        places.iter().for_each(|place| table.extend(place.to_le_bytes()));
        labels.iter().for_each(|(code, _)| table.extend((*code as i32).to_le_bytes()));
        table.extend(texts);
        bytes.extend(b"<lbl>");
        bytes.extend(u32::try_from(table.len()).ok()?.to_le_bytes());
        bytes.extend(padded(&format!("labels{at}"), NAME, 0));
        bytes.extend([0; 3]);
        bytes.extend(table);
        bytes.extend(b"</lbl>");
    }
    bytes.extend(b"</value_labels>");
    Some(bytes)
}
