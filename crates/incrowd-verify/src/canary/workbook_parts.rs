//! The parts of a workbook, unpacked: texts that no cell shows, properties, names, styles.
//!
//! A release has one sheet and what a workbook cannot do without. Every other part is a fault, whatever it holds: a list
//! of texts, a second sheet, comments, a cache of a pivot table.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::search::CanarySearch;
use crate::read::ReadError;

/// All parts that a released workbook may have.
const PARTS: [&str; 9] = [
    "[Content_Types].xml",
    "_rels/.rels",
    "docProps/app.xml",
    "docProps/core.xml",
    "xl/_rels/workbook.xml.rels",
    "xl/styles.xml",
    "xl/theme/theme1.xml",
    "xl/workbook.xml",
    "xl/worksheets/sheet1.xml",
];

/// Attributes that say where a cell is. The numbers of many rows are those of some people, too.
const PLACES: [&[u8]; 3] = [b" r=\"", b" ref=\"", b" spans=\""];

/// Searches every part of a workbook.
pub(super) fn scan(path: &Path, search: &mut CanarySearch) -> Result<(), ReadError> {
    let unreadable = || ReadError::unreadable("the workbook cannot be unpacked");
    let file = File::open(path).map_err(|_| unreadable())?;
    let mut archive = zip::ZipArchive::new(file).map_err(|_| unreadable())?;
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).map_err(|_| unreadable())?;
        if !part.name().is_ok_and(|name| PARTS.contains(&&*name)) {
            return Err(ReadError::unreadable("the workbook has a part that no release has"));
        }
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes).map_err(|_| unreadable())?;
        search.bytes += bytes.len() as u64;
        hide_places(&mut bytes);
        search.loose(&bytes);
    }
    Ok(())
}

/// Overwrites the places of cells with spaces. What is no place stays, whatever its attribute is called.
fn hide_places(xml: &mut [u8]) {
    let mut at = 0;
    while at < xml.len() {
        match PLACES.iter().find(|start| xml[at..].starts_with(start)) {
            None => at += 1,
            Some(start) => {
                at += start.len();
                let place = xml[at..].split_mut(|byte| *byte == b'"').next().unwrap_or_default();
                if is_place(place) {
                    place.fill(b' ');
                }
            }
        }
    }
}

/// Whether a text is a cell, a row, a column, or a range of them: a column has at most three letters, a row at most
/// seven digits.
fn is_place(text: &[u8]) -> bool {
    text.split(|byte| *byte == b':').all(|corner| {
        let letters = corner.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
        let digits = &corner[letters..];
        letters <= 3 && digits.len() <= 7 && digits.iter().all(u8::is_ascii_digit)
    })
}

#[cfg(test)]
mod tests;
