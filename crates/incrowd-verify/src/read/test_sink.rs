//! Rows as a test reads them.

use std::sync::Mutex;

use super::{CellEncoder, MergeableSink, ReadError, ReadProgress, RowSink};

/// Rows as texts, and how many came together.
pub(super) struct TextRows {
    encoders: Vec<CellEncoder>,
    pub(super) rows: Vec<Vec<String>>,
    pub(super) pieces: Vec<usize>,
    pub(super) merged: usize,
}

impl TextRows {
    pub(super) fn new(columns: usize) -> TextRows {
        let encoders = (0..columns).map(|_| CellEncoder::plain()).collect();
        TextRows { encoders, rows: Vec::new(), pieces: Vec::new(), merged: 0 }
    }

    pub(super) fn sorted(mut self) -> Vec<Vec<String>> {
        self.rows.sort();
        self.rows
    }
}

impl RowSink for TextRows {
    fn encoders(&mut self) -> &mut [CellEncoder] {
        &mut self.encoders
    }

    fn add(&mut self, columns: &[Vec<u32>], rows: usize) {
        let text = |column: usize, row: usize| {
            let text = self.encoders[column].texts.text(columns[column][row]);
            text.map_or("(missing)", |text| text).to_owned()
        };
        self.rows.extend((0..rows).map(|row| (0..columns.len()).map(|column| text(column, row)).collect::<Vec<_>>()));
        self.pieces.push(rows);
    }

    fn rows(&self) -> u64 {
        self.rows.len() as u64
    }
}

impl MergeableSink for TextRows {
    fn sibling(&self) -> TextRows {
        TextRows::new(self.encoders.len())
    }

    fn merge(&mut self, sibling: TextRows) {
        self.rows.extend(sibling.rows);
        self.pieces.extend(sibling.pieces);
        self.merged += 1 + sibling.merged;
    }
}

/// What reading tells of its progress, in order.
pub(super) fn steps(
    read: impl FnOnce(&ReadProgress<'_>) -> Result<(), ReadError>,
) -> (Result<(), ReadError>, Vec<(u64, u64)>) {
    let steps = Mutex::new(Vec::new());
    let report = |done: u64, total: u64| steps.lock().expect("nobody has panicked").push((done, total));
    let told = read(&ReadProgress::new(None, Some(&report), 1_000));
    let mut steps = steps.into_inner().expect("nobody has panicked");
    steps.sort_unstable();
    (told, steps)
}
