//! Class sizes by tasks: groups become tuples, and tuples are counted part by part, so that no machine holds all of them.
//!
//! Several groups can be one tuple: two writings of a number, or of a missing cell. So the cells of each group are coded as a
//! scan would code them, by the dictionaries of the whole table, and the keys are added up once more.

use ahash::RandomState;
use arrow::array::AsArray;
use arrow::array::types::UInt64Type;
use hashbrown::HashMap;
use incrowd_core::{ClassSizes, Layout, Stage};

use super::coded;
use super::folder::{TaskFolder, of_task};
use super::group::{MergedGroups, part_of, read_part, shape_of_groups};
use super::group_file::counts;
use super::job::{CODE, SIZES};
use super::recode::SOURCE;
use super::space::TaskSpace;
use crate::count::codebook::{CodebookParts, OpenCodebook};
use crate::count::packer::Packer;
use crate::runtime::engine::Engine;
use crate::runtime::error::Result;
use crate::source::table::Source;

/// The keys of the groups of a part, with their rows.
fn keys_of(part: usize) -> String {
    of_task("keys-of", part)
}

/// Codes the groups of a part.
pub(super) fn code(engine: &Engine, folder: TaskFolder<'_>, part: usize) -> Result<()> {
    let (source, coded) = (Source::of_parts(folder.json(SOURCE)?)?, coded::codebook(folder)?);
    let layout = coded.layout();
    let codebook = OpenCodebook::of_parts(&source, coded.codebook)?;
    let (mut packer, (parts, subject)) = (Packer::new(&codebook), shape_of_groups(folder)?);
    let (mut keys, words) = (Vec::new(), layout.words());
    let mut pieces = vec![Vec::new(); parts];
    read_part(folder, part, &mut |batch| {
        engine.check_cancelled()?;
        keys.clear();
        keys.extend_from_slice(packer.pack(&codebook, layout.fields(), words, batch)?);
        if let Some((at, field)) = subject.zip(layout.fields().last()) {
            let people = batch.column(at).as_primitive::<UInt64Type>().values();
            keys.chunks_exact_mut(words).zip(people).for_each(|(key, &person)| field.put(key, person));
        }
        for (key, count) in keys.chunks_exact(words).zip(counts(batch)?) {
            let key: Vec<u8> = key.iter().flat_map(|word| word.to_le_bytes()).collect();
            let piece: &mut Vec<u8> = &mut pieces[part_of(&key, parts)];
            piece.extend_from_slice(&key);
            piece.extend(count.to_le_bytes());
        }
        Ok(())
    })?;
    folder.put_pieces(&keys_of(part), &pieces)?;
    folder.put_json(&of_task(CODE, part), &())
}

/// Counts the tuples of a part by their rows.
pub(super) fn sizes(engine: &Engine, folder: TaskFolder<'_>, part: usize) -> Result<()> {
    let words = coded::codebook(folder)?.layout().words();
    let mut tuples: HashMap<Vec<u64>, u64, RandomState> = HashMap::default();
    for from in 0..shape_of_groups(folder)?.0 {
        engine.check_cancelled()?;
        for key in folder.piece_words(&keys_of(from), part)?.chunks_exact(words + 1) {
            *tuples.entry_ref(&key[..words]).or_insert(0) += key[words];
        }
    }
    folder.put_json(&of_task(SIZES, part), &ClassSizes::from_sizes(tuples.into_values()))
}

impl MergedGroups {
    /// How many tuples of each size the groups are, given how cells are coded. People are distinguished if groups are; their
    /// hashes have the last field of the layout.
    pub(crate) fn sizes(&self, space: &TaskSpace<'_>, codebook: CodebookParts, layout: &Layout) -> Result<ClassSizes> {
        let folder = space.folder();
        coded::put_codebook(folder, codebook, layout)?;
        space.run(Stage::Count, CODE, self.parts)?;
        space.run(Stage::Count, SIZES, self.parts)?;
        let parts = (0..self.parts).map(|part| folder.json(&of_task(SIZES, part)));
        let sizes = parts.collect::<Result<Vec<ClassSizes>>>()?;
        Ok(sizes.iter().fold(ClassSizes::default(), |all, part| all.merge(part)))
    }
}
