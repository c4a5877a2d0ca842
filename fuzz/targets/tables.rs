//! Tables as the engine reads them: opened, profiled column by column, and counted.

use std::io::{Cursor, Write};

use incrowd::{Format, Question, ReadOptions, Source, TextEncoding};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::engines::{file, first_line, with_engine};
use super::scratch::{assert_silent, folder};

/// Opens a table and reads all of it. The message of a table that cannot be opened may have what stands in `names`.
fn read(name: &str, bytes: &[u8], options: ReadOptions, names: &[u8]) -> bool {
    let path = file(name, bytes);
    let mut names = names.to_vec();
    let done = with_engine(|engine| {
        let source = Source::open(engine, path.to_str().unwrap(), options)?;
        names = source.columns().concat().into_bytes();
        let columns = source.plain_columns();
        source.profile_columns(engine, &columns)?;
        let question = Question {
            quasi_identifiers: columns.iter().take(2).cloned().collect(),
            sensitive: columns.iter().skip(2).take(1).cloned().collect(),
            ..Question::default()
        };
        source.count(engine, &question).map(|answer| answer.rows)
    });
    if let Err(error) = &done {
        assert_silent(&error.to_string(), &names);
    }
    done.is_ok()
}

/// The first commit of a Delta table whose only file is `data.parquet`.
pub(super) fn delta(data: &[u8]) -> bool {
    let folder = folder();
    std::fs::create_dir(folder.path().join("_delta_log")).unwrap();
    std::fs::write(folder.path().join("_delta_log/00000000000000000000.json"), data).unwrap();
    std::fs::write(folder.path().join("data.parquet"), include_bytes!("data.parquet")).unwrap();
    let opened = with_engine(|engine| {
        Source::open(engine, folder.path().to_str().unwrap(), ReadOptions::default()).map(|source| source.columns())
    });
    if let Err(error) = &opened {
        // Names of files, columns and features are in the log.
        assert_silent(&error.to_string(), data);
    }
    opened.is_ok()
}

/// The first byte chooses how the text is read.
pub(super) fn csv(data: &[u8]) -> bool {
    let Some((&choice, text)) = data.split_first() else { return false };
    let options = ReadOptions {
        delimiter: [None, Some(b';'), Some(b'\t'), Some(b'|')][usize::from(choice & 3)],
        header: [None, Some(true), Some(false), None][usize::from((choice >> 2) & 3)],
        nulls: if choice & 16 == 0 { vec![] } else { vec!["NA".into()] },
        ..ReadOptions::default()
    };
    let name = ["table.csv", "table.csv.gz", "table.csv.zst", "table.csv"][usize::from((choice >> 5) & 3)];
    // What is compressed has no line that can be seen here.
    let names = if name == "table.csv" { first_line(text) } else { text.to_vec() };
    read(name, text, options, &names)
}

const ENCODINGS: [&str; 8] =
    ["windows-1252", "utf-16le", "utf-16be", "shift_jis", "gb18030", "iso-2022-jp", "iso-8859-15", "utf-8"];

pub(super) fn encodings(data: &[u8]) -> bool {
    let Some((&choice, text)) = data.split_first() else { return false };
    let encoding = TextEncoding::named(ENCODINGS[usize::from(choice & 7)]);
    read("table.csv", text, ReadOptions { encoding, ..ReadOptions::default() }, &first_line(text))
}

/// A whole workbook: the first byte chooses the program it is of.
pub(super) fn workbook(data: &[u8]) -> bool {
    let Some((&choice, bytes)) = data.split_first() else { return false };
    let name = ["table.xlsx", "table.ods", "table.xls", "table.xlsb"][usize::from(choice & 3)];
    read(name, bytes, ReadOptions::default(), bytes)
}

/// One part of an Excel workbook, the other parts being well-formed: checksums of the archive would stop nearly every
/// change of a whole one.
pub(super) fn sheet(data: &[u8]) -> bool {
    let Some((&choice, bytes)) = data.split_first() else { return false };
    let mut parts = PARTS.map(|(name, text)| (name, text.as_bytes()));
    let at = usize::from(choice) % parts.len();
    parts[at].1 = bytes;
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    // The cells stand in one part and the names in another.
    read("table.xlsx", &bytes, ReadOptions::default(), data)
}

/// The parts of a small workbook, the last of which names the first.
const PARTS: [(&str, &str); 6] = [
    (
        "xl/workbook.xml",
        r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
    ),
    (
        "xl/_rels/workbook.xml.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>"#,
    ),
    (
        "xl/worksheets/sheet1.xml",
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:B2"/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2"><c r="A2" s="1"><v>34</v></c><c r="B2" t="s"><v>2</v></c></row></sheetData></worksheet>"#,
    ),
    (
        "xl/sharedStrings.xml",
        r#"<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>age</t></si><si><t>sex</t></si><si><r><t>f</t></r></si></sst>"#,
    ),
    (
        "xl/styles.xml",
        r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>"#,
    ),
    (
        "_rels/.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
    ),
];

pub(super) fn stata(data: &[u8]) -> bool {
    read("table.dta", data, ReadOptions::default(), data)
}

/// The first byte chooses between a file with compressed rows as a whole and one that is not.
pub(super) fn spss(data: &[u8]) -> bool {
    let Some((&choice, bytes)) = data.split_first() else { return false };
    read(["table.sav", "table.zsav"][usize::from(choice & 1)], bytes, ReadOptions::default(), bytes)
}

pub(super) fn sas(data: &[u8]) -> bool {
    read("table.xpt", data, ReadOptions::default(), data)
}

pub(super) fn parquet(data: &[u8]) -> bool {
    read("table.parquet", data, ReadOptions { format: Some(Format::Parquet), ..ReadOptions::default() }, data)
}

pub(super) fn arrow(data: &[u8]) -> bool {
    read("table.arrow", data, ReadOptions { format: Some(Format::Arrow), ..ReadOptions::default() }, data)
}
