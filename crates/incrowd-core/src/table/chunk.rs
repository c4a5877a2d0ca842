//! A stretch of rows, column by column: what is handed to the engine to be written.

use std::sync::Arc;

/// The cells of one column in a chunk.
#[derive(Clone, Debug, PartialEq)]
pub enum ChunkColumn {
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Days since 1970-01-01.
    Dates(Vec<i32>),
    /// Labels by number: cell `i` is `labels[codes[i]]`.
    Labels {
        /// The label number of each cell.
        codes: Vec<u32>,
        /// The labels.
        labels: Arc<[String]>,
    },
    /// Texts.
    Texts(Vec<String>),
}

impl ChunkColumn {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        match self {
            ChunkColumn::Integers(cells) => cells.len(),
            ChunkColumn::Dates(cells) => cells.len(),
            ChunkColumn::Labels { codes, .. } => codes.len(),
            ChunkColumn::Texts(cells) => cells.len(),
        }
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Some rows of a table with named columns of equal length.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// Name and cells of each column.
    pub columns: Vec<(String, ChunkColumn)>,
}

impl Chunk {
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, cells)| cells.len())
    }
}
