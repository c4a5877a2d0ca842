//! The field's file form (ARX, sdcMicro, Amnesia): one line per leaf, `leaf;level 1;…;*`, no header.
//!
//! `;` separates when the first line has one outside quotes, else `,`. Cells may be quoted as in RFC 4180; an
//! opening byte order mark, CRLF and blank lines are taken as they come. Cells are compared byte for byte.
//!
//! **The root.** The last cell of every line is the root when all lines agree on it, whatever its name. Files without
//! the `*` column are common: when the last cells differ and none of them is `*`, or when lines have a single cell,
//! a root `*` is put on top. When some lines end in `*` and some do not, the file is refused.
//!
//! **Lines of different length** are refused unless allowed. Allowed, a short line repeats its last label below the
//! root, so that the first cells keep their levels: `a;b;*` among lines of four cells reads as `a;b;b;*`.

use std::borrow::Cow;

use super::{Hierarchy, HierarchyBuilder, HierarchyError, ROOT_LABEL};

/// How a hierarchy file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HierarchyReadOptions {
    /// The separator, when the first line should not decide between `;` and `,`.
    pub separator: Option<char>,
    /// Whether lines may have different numbers of cells.
    pub ragged: bool,
}

/// The most cells of a line. No hierarchy in use has more than a dozen.
const MOST_LEVELS: usize = 256;

/// A file may have this many cells once short lines are filled up, or as many as it has bytes: one long line among many
/// short ones would ask for much more memory than the file has bytes.
const MOST_CELLS: usize = 1 << 20;

/// The cells of one line, and its number from 1.
struct Line<'a> {
    number: usize,
    cells: Vec<Cow<'a, str>>,
}

impl Line<'_> {
    fn last(&self) -> &str {
        self.cells.last().map_or("", |cell| cell.as_ref())
    }
}

impl Hierarchy {
    /// Reads the file form; every line must have the same number of cells.
    ///
    /// ```
    /// use incrowd_core::Hierarchy;
    /// let race = Hierarchy::read("White;White-race;*\nBlack;Other-race;*\n")?;
    /// assert_eq!(race.height(), 2);
    /// let error = Hierarchy::read("a;X;*\nb;X;Y;*\n").expect_err("ragged");
    /// assert!(error.to_string().starts_with("line 2 has 4 cells and line 1 has 3"));
    /// # Ok::<(), incrowd_core::HierarchyError>(())
    /// ```
    pub fn read(text: &str) -> Result<Self, HierarchyError> {
        Self::read_with(text, HierarchyReadOptions::default())
    }

    /// Reads the file form with options.
    pub fn read_with(text: &str, options: HierarchyReadOptions) -> Result<Self, HierarchyError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = records(text, options.separator.unwrap_or_else(|| sniff(text)))?;
        let first = lines.first().ok_or(HierarchyError::Empty)?;
        let (first, expected) = (first.number, first.cells.len());
        if let Some(odd) = lines.iter().find(|line| !options.ragged && line.cells.len() != expected) {
            return Err(HierarchyError::Ragged { line: odd.number, cells: odd.cells.len(), first, expected });
        }
        let root = match root(&lines)? {
            Some(root) => {
                // A line of one cell is a leaf that bears the root's name.
                lines.iter_mut().filter(|line| line.cells.len() > 1).for_each(|line| drop(line.cells.pop()));
                root
            }
            None => ROOT_LABEL.to_owned(),
        };
        let height = lines.iter().map(|line| line.cells.len()).max().unwrap_or(0);
        if lines.len().saturating_mul(height) > text.len().max(MOST_CELLS) {
            return Err(HierarchyError::TooManyCells { lines: lines.len(), levels: height });
        }
        let mut builder = HierarchyBuilder::new(height, &root);
        for mut line in lines {
            let fill = line.cells.last().cloned().unwrap_or_default();
            line.cells.resize(height, fill);
            builder.add(line.number, &line.cells)?;
        }
        builder.finish()
    }
}

/// The root on which all lines agree; none if it has to be added.
fn root(lines: &[Line<'_>]) -> Result<Option<String>, HierarchyError> {
    let last = lines[0].last();
    if lines.iter().all(|line| line.cells.len() == 1) {
        return Ok(None);
    }
    if lines.iter().all(|line| line.last() == last) {
        let empty = HierarchyError::EmptyLabel { line: lines[0].number, level: lines[0].cells.len() - 1 };
        return if last.is_empty() { Err(empty) } else { Ok(Some(last.to_owned())) };
    }
    let star = lines.iter().find(|line| line.last() == ROOT_LABEL);
    let other = lines.iter().find(|line| line.last() != ROOT_LABEL);
    match (star, other) {
        (Some(star), Some(other)) => Err(HierarchyError::NoRoot { line: other.number, first: star.number }),
        _ => Ok(None),
    }
}

/// The separator of the first line that has cells.
fn sniff(text: &str) -> char {
    let (mut quoted, mut comma) = (false, false);
    for character in text.trim_start_matches(['\r', '\n']).chars() {
        match character {
            '"' => quoted = !quoted,
            ';' if !quoted => return ';',
            ',' if !quoted => comma = true,
            '\n' if !quoted => break,
            _ => {}
        }
    }
    if comma { ',' } else { ';' }
}

/// Cuts a text into lines of cells; blank lines are left out.
fn records(text: &str, separator: char) -> Result<Vec<Line<'_>>, HierarchyError> {
    let mut lines = Vec::new();
    let (mut rest, mut number) = (text, 1);
    while !rest.is_empty() {
        let mut line = Line { number, cells: Vec::new() };
        let blank = rest.starts_with('\n') || rest.starts_with("\r\n");
        loop {
            let (cell, after) = cell(rest, separator).ok_or(HierarchyError::Quote { line: number })?;
            number += rest[..rest.len() - after.len()].matches('\n').count();
            if line.cells.len() == MOST_LEVELS {
                return Err(HierarchyError::TooManyLevels { line: line.number, most: MOST_LEVELS });
            }
            line.cells.push(cell);
            rest = after;
            match rest.strip_prefix(separator) {
                Some(next) => rest = next,
                None => break,
            }
        }
        rest = rest.strip_prefix('\r').unwrap_or(rest);
        rest = rest.strip_prefix('\n').unwrap_or(rest);
        number += 1;
        if !blank {
            lines.push(line);
        }
    }
    Ok(lines)
}

/// The first cell and what follows it: a separator, the end of the line or nothing. None if a quote is out of place.
fn cell(text: &str, separator: char) -> Option<(Cow<'_, str>, &str)> {
    let ends = |rest: &str| {
        rest.is_empty()
            || rest.starts_with(separator)
            || rest.starts_with('\n')
            || rest == "\r"
            || rest.starts_with("\r\n")
    };
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([separator, '\n']).unwrap_or(text.len());
        let cell = &text[..end];
        let cell = if text[end..].starts_with(separator) { cell } else { cell.strip_suffix('\r').unwrap_or(cell) };
        return Some((Cow::Borrowed(cell), &text[cell.len()..]));
    };
    let mut closing = quoted.find('"')?;
    while quoted[closing + 1..].starts_with('"') {
        closing += 2 + quoted[closing + 2..].find('"')?;
    }
    let (inside, after) = (&quoted[..closing], &quoted[closing + 1..]);
    let inside = if inside.contains('"') { Cow::Owned(inside.replace("\"\"", "\"")) } else { Cow::Borrowed(inside) };
    ends(after).then_some((inside, after))
}
