//! The fingerprint of the input: which table it was, for anyone who holds the table and the custodian's record.
//!
//! It is keyed, so that no one without the record can try guesses of the table against it, and taken of the distinct
//! tuples, so that it does not depend on the order of the rows or on the form of the file.

use incrowd_core::{counted, thousands};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::Made;
use crate::release::keys::hex;

/// Tuples that are hashed at once.
const PIECE: usize = 1 << 16;

/// Rows, columns and the keyed SHA-256 of the table.
pub(super) fn of(made: &Made<'_>) -> String {
    let (table, key) = (&made.classes.table, made.run.randomness.fingerprint_key());
    let width = table.attributes().len();
    let mut whole = Sha256::new_with_prefix(key);
    for attribute in table.attributes() {
        // Lengths first, so that no two tables are written alike.
        let mut add = |text: &str| {
            whole.update((text.len() as u64).to_le_bytes());
            whole.update(text.as_bytes());
        };
        add(&attribute.name);
        (0..).take(attribute.dictionary.len()).for_each(|code| add(&attribute.dictionary.label(code)));
    }
    let piece = |start: usize| {
        let mut piece = Sha256::new_with_prefix(key);
        for tuple in start..(start + PIECE).min(table.tuples()) {
            (0..width).for_each(|column| piece.update(table.code(tuple, column).to_le_bytes()));
            piece.update(table.count(tuple).to_le_bytes());
        }
        piece.finalize()
    };
    let starts: Vec<usize> = (0..table.tuples()).step_by(PIECE).collect();
    let pieces: Vec<_> = starts.into_par_iter().map(piece).collect();
    pieces.iter().for_each(|piece| whole.update(piece));
    let columns = counted(width as u64, "column", "columns");
    format!("keyed-sha256:{} ({} rows, {columns} counted)", hex(&whole.finalize()), thousands(table.rows()))
}
