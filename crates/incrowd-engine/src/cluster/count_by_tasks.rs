//! Counting by tasks of ours, as the one who starts them sees it: tuples, class sizes and values.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::array::types::UInt64Type;
use incrowd_core::{Attribute, ClassSizes, ColumnProfile, Layout};

use super::exchange;
use super::group_coder::{GroupCoder, as_expected};
use super::tasks::{self, MergedGroups, TaskSizes, TaskSpace};
use crate::count::codebook::{Codebook, CodedColumn};
use crate::count::dictionaries::Dictionaries;
use crate::count::groups::ExecutorGroups;
use crate::count::intern::MISSING;
use crate::count::outgrown::Outgrown;
use crate::count::profile::CodeCounts;
use crate::count::question::{Question, ValueCount};
use crate::runtime::cluster_session::Cluster;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::source::table::Source;

/// A key of people from the key of a run.
pub(super) fn words_of(key: &[u8; 32]) -> [u64; 4] {
    let (words, _) = key.as_chunks::<8>();
    [0, 1, 2, 3].map(|at| u64::from_le_bytes(words[at]))
}

/// A table with too many tuples to be worked on at once, and a profile of each of its columns: only the distinct cells of
/// the columns are read. Nothing when the groups can be.
pub(super) fn outgrown(
    space: &TaskSpace<'_>,
    source: &Source,
    question: &Question,
    (merged, subject): (&MergedGroups, Option<(String, [u64; 4])>),
) -> Result<Option<(Outgrown, Vec<ColumnProfile>)>> {
    let widest = Layout::WORD_SIZES[Layout::WORD_SIZES.len() - 1];
    if merged.groups <= question.at_once.tuples(widest) {
        return Ok(None);
    }
    let CodedValues { attributes, coded, profiles } = coded_values(space, source, question, merged)?;
    let rows = merged.stretch_rows.iter().sum();
    as_expected(source, rows)?;
    let mut groups = ExecutorGroups::new(0, exchange::stamps(source)?);
    groups.stretch_rows.clone_from(&merged.stretch_rows);
    let codebook = Codebook::of_groups(coded, Arc::new(groups), source, subject);
    let outgrown = Outgrown::new(attributes, codebook, rows)?;
    let is_outgrown = merged.groups > question.at_once.tuples(outgrown.words());
    Ok(is_outgrown.then_some((outgrown, profiles)))
}

/// The columns of groups, by their distinct cells alone.
struct CodedValues {
    attributes: Vec<Attribute>,
    coded: Vec<CodedColumn>,
    profiles: Vec<ColumnProfile>,
}

fn coded_values(
    space: &TaskSpace<'_>,
    source: &Source,
    question: &Question,
    merged: &MergedGroups,
) -> Result<CodedValues> {
    let names: Vec<String> = question.quasi_identifiers.iter().chain(&question.sensitive).cloned().collect();
    let dictionaries = Dictionaries::new(source, space.engine(), &names, 1)?;
    let (mut encoders, mut codes) = (dictionaries.encoders(), Vec::new());
    let (mut counts, mut missing) = (vec![CodeCounts::default(); names.len()], vec![false; names.len()]);
    merged.values(space, &mut |column, cells, rows| {
        let encoded = encoders[column].encode(cells, &mut codes);
        encoded.map_err(|no_code| no_code.refusal(&names[column], dictionaries.most_bytes()))?;
        counts[column].add_weighted(&codes, rows);
        missing[column] |= codes.contains(&MISSING);
        Ok(())
    })?;
    drop(encoders);
    let rows = merged.stretch_rows.iter().sum();
    let mut values = CodedValues { attributes: Vec::new(), coded: Vec::new(), profiles: Vec::new() };
    for (index, column) in dictionaries.rank(source, &missing).enumerate() {
        let (name, column) = column?;
        values.profiles.push(counts[index].profile(&name, &column, rows));
        values.coded.push(CodedColumn::new(&name, &column));
        values.attributes.push(Attribute::new(name, question.role(index), column.dictionary));
    }
    Ok(values)
}

/// The sizes of the classes of a table, counted by tasks; nothing when there are none that can read it.
pub(crate) fn class_sizes(
    cluster: &Cluster,
    engine: &Engine,
    source: &Source,
    question: &Question,
) -> Result<Option<ClassSizes>> {
    let Some((space, sizes)) = space_for_many_rows(cluster, engine, source)? else { return Ok(None) };
    class_sizes_in(&space, source, question, sizes)
}

/// A space for a question that can be answered here, too: nothing when there are no tasks, or so few rows that jobs would
/// take longer.
fn space_for_many_rows<'a>(
    cluster: &Cluster,
    engine: &'a Engine,
    source: &Source,
) -> Result<Option<(TaskSpace<'a>, TaskSizes)>> {
    let sizes = TaskSizes::of_at_least(cluster.task_rows);
    let Some(beside) = engine.shared_folder().filter(|_| sizes.are_many(source.rows_expected().unwrap_or(0))) else {
        return Ok(None);
    };
    Ok(engine.task_space(beside)?.map(|space| (space, sizes)))
}

pub(super) fn class_sizes_in(
    space: &TaskSpace<'_>,
    source: &Source,
    question: &Question,
    sizes: TaskSizes,
) -> Result<Option<ClassSizes>> {
    let stretches = sizes.tasks(source.rows_expected().unwrap_or(0));
    let columns = (&question.quasi_identifiers[..], None);
    let Some(merged) = tasks::count(space, source, columns, stretches)? else { return Ok(None) };
    as_expected(source, merged.stretch_rows.iter().sum())?;
    let CodedValues { attributes, coded, .. } = coded_values(space, source, question, &merged)?;
    let widths: Vec<u32> = attributes.iter().map(|attribute| Layout::bits_for(attribute.dictionary.len())).collect();
    if !Layout::fits(&widths) {
        return Err(EngineError::TooWide);
    }
    let codebook = Codebook::of_groups(coded, Arc::new(ExecutorGroups::new(0, Vec::new())), source, None);
    merged.sizes(space, codebook.parts(&attributes), &Layout::new(widths)).map(Some)
}

/// How many values a column has, counted by tasks as keyed hashes; nothing when there are none that can read it.
pub(crate) fn count_values(
    cluster: &Cluster,
    engine: &Engine,
    source: &Source,
    column: &str,
) -> Result<Option<ValueCount>> {
    let Some((space, sizes)) = space_for_many_rows(cluster, engine, source)? else { return Ok(None) };
    count_values_in(&space, source, (column.to_owned(), words_of(&cluster.key)), sizes)
}

pub(super) fn count_values_in(
    space: &TaskSpace<'_>,
    source: &Source,
    subject: (String, [u64; 4]),
    sizes: TaskSizes,
) -> Result<Option<ValueCount>> {
    let stretches = sizes.tasks(source.rows_expected().unwrap_or(0));
    let Some(merged) = tasks::count(space, source, (&[], Some(subject)), stretches)? else { return Ok(None) };
    let rows: u64 = merged.stretch_rows.iter().sum();
    as_expected(source, rows)?;
    let missing = u64::from(merged.of_nobody > 0);
    Ok(Some(ValueCount { values: merged.groups - missing, rows: rows - merged.of_nobody }))
}

/// Codes the groups that tasks counted.
pub(super) fn by_tasks(
    space: &TaskSpace<'_>,
    source: &Source,
    (names, subject): (&[String], bool),
    (dictionaries, merged): (&Dictionaries, MergedGroups),
) -> Result<ExecutorGroups> {
    let mut coder = GroupCoder::new(space.engine(), source, names, dictionaries)?;
    if subject {
        coder.groups = coder.groups.of_people();
    }
    merged.each(space, &mut |batch| {
        space.engine().check_cancelled()?;
        if subject {
            coder.groups.add_people(batch.column(names.len()).as_primitive::<UInt64Type>().values());
        }
        coder.add(batch, names.len() + usize::from(subject), std::iter::empty())
    })?;
    let (read, mut groups) = (merged.stretch_rows.iter().sum::<u64>(), coder.groups);
    groups.stretch_rows = merged.stretch_rows;
    as_expected(source, read.max(groups.rows()))?;
    if read == groups.rows() { Ok(groups) } else { Err(EngineError::Changed(source.name().into())) }
}
