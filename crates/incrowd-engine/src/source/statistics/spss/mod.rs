//! SPSS system files (`.sav`, `.zsav`), read by hand: the crate that reads them brings a second version of Arrow. The
//! format is described in the developers' guide of GNU PSPP.
//!
//! A file is a header, records that describe the columns ([`dictionary`]), and rows of elements of 8 bytes each
//! ([`elements`]), which may be compressed. A text takes several elements; one of more than 255 bytes takes several
//! columns of 255 bytes, which are put together here.

mod dictionary;
mod elements;
mod extensions;
mod records;

use std::io::{BufRead, Seek};

use super::calendar::{SPSS_DAYS, day_text, duration_text, instant_text};
use super::{FileFacts, RowVisit, StatisticsCell, StatisticsRead, StatisticsValue};
use crate::runtime::error::StatisticsFault;
use crate::runtime::limits::grows_too_much;
use dictionary::{ColumnKind, SpssColumn, SpssDictionary};
use elements::Elements;

/// Reads all rows.
pub(super) fn read(
    mut file: impl BufRead + Seek,
    facts: FileFacts,
    visit: RowVisit<'_>,
) -> Result<StatisticsRead, StatisticsFault> {
    let dictionary = SpssDictionary::read(&mut file, facts)?;
    let mut elements = Elements::new(file, &dictionary)?;
    let (mut row, mut cells, mut declared_missing) = (vec![[0; 8]; dictionary.row_elements], Vec::new(), 0);
    let mut rows = 0u64;
    while dictionary.rows.is_none_or(|all| rows < all) && elements.row(&mut row)? {
        cells.clear();
        for column in &dictionary.columns {
            let cell = cell(column, &row, &dictionary)?;
            let is_declared = cell.as_ref().is_some_and(|value| column.missing.holds(value));
            declared_missing += u64::from(is_declared);
            cells.push(if is_declared { None } else { shown(column, cell)? });
        }
        visit(&cells)?;
        rows += 1;
        if grows_too_much(facts.size, rows * 8 * row.len() as u64) {
            return Err(StatisticsFault::Expansion);
        }
    }
    // Rows behind those that are stated would be left out without a word.
    if let Some(all) = dictionary.rows
        && (rows < all || elements.row(&mut row)?)
    {
        return Err(StatisticsFault::Unreadable);
    }
    let variables = dictionary.columns.into_iter().map(|column| column.variable).collect();
    Ok(StatisticsRead { variables, declared_missing })
}

/// A cell as it is stored.
fn cell(column: &SpssColumn, row: &[[u8; 8]], dictionary: &SpssDictionary) -> Result<StatisticsCell, StatisticsFault> {
    let ColumnKind::Text { width } = column.kind else {
        let number = dictionary.number(row[column.first]);
        return Ok((number != dictionary::SYSTEM_MISSING).then_some(StatisticsValue::Number(number)));
    };
    let mut bytes: Vec<u8> = Vec::with_capacity(width);
    for &(first, width) in &column.segments {
        bytes.extend(row[first..].iter().flatten().take(width));
    }
    bytes.truncate(width);
    let text = dictionary.text(&bytes)?;
    let text = text.trim_end_matches([' ', '\0']);
    Ok((!text.is_empty()).then(|| StatisticsValue::Text(text.to_owned())))
}

/// A cell as the file shows it: days and instants are numbers of seconds.
fn shown(column: &SpssColumn, cell: StatisticsCell) -> Result<StatisticsCell, StatisticsFault> {
    let Some(StatisticsValue::Number(seconds)) = cell else { return Ok(cell) };
    let text = match column.kind {
        ColumnKind::Number | ColumnKind::Text { .. } => return Ok(cell),
        ColumnKind::Day => day_text((seconds / 86_400.0).floor(), SPSS_DAYS),
        ColumnKind::Instant => instant_text(seconds, SPSS_DAYS),
        ColumnKind::Duration => duration_text(seconds),
    };
    text.map(|text| Some(StatisticsValue::Text(text))).ok_or(StatisticsFault::Unreadable)
}

#[cfg(test)]
mod tests;
