//! Rows of a batch as packed keys: the codes of the first scan, found again.

use arrow::record_batch::RecordBatch;
use incrowd_core::Field;

use super::codebook::OpenCodebook;
use crate::count::encode::ColumnEncoder;
use crate::runtime::error::Result;

/// Packs the rows that one thread reads.
pub(crate) struct Packer {
    encoders: Vec<ColumnEncoder>,
    codes: Vec<u32>,
    people: Vec<u64>,
    keys: Vec<u64>,
}

impl Packer {
    pub(crate) fn new(codebook: &OpenCodebook) -> Self {
        Packer { encoders: codebook.encoders(), codes: Vec::new(), people: Vec::new(), keys: Vec::new() }
    }

    /// The key of every row, each of this many words, with the fields of the attributes and, after them, of the person.
    pub(crate) fn pack(
        &mut self,
        codebook: &OpenCodebook,
        fields: &[Field],
        words: usize,
        batch: &RecordBatch,
    ) -> Result<&[u64]> {
        self.keys.clear();
        self.keys.resize(batch.num_rows() * words, 0);
        let attributes = self.encoders.len();
        for (at, encoder) in self.encoders.iter_mut().enumerate() {
            encoder.encode(batch.column(at), &mut self.codes).map_err(|no_code| codebook.refusal(at, no_code))?;
            let field = fields[at];
            for (key, &code) in self.keys.chunks_exact_mut(words).zip(&self.codes) {
                field.put(key, u64::from(codebook.rank(at, code).ok_or_else(|| codebook.changed())?));
            }
        }
        if let Some((hasher, field)) = codebook.hasher().zip(fields.get(attributes)) {
            self.people.clear();
            hasher.hash(batch.column(attributes), &mut self.people);
            self.keys.chunks_exact_mut(words).zip(&self.people).for_each(|(key, &person)| field.put(key, person));
        }
        Ok(&self.keys)
    }
}
