//! Counting by tasks of ours, as the one who starts them sees it: tuples, and rows that agree.

use std::sync::Arc;

use arrow::array::AsArray;
use arrow::array::types::UInt64Type;
use incrowd_core::{Attribute, ColumnProfile, Layout};

use super::exchange;
use super::group_coder::{GroupCoder, as_expected};
use super::tasks::{self, MergedGroups, TaskSizes, TaskSpace};
use crate::count::codebook::{Codebook, CodedColumn};
use crate::count::dictionaries::Dictionaries;
use crate::count::groups::ExecutorGroups;
use crate::count::intern::MISSING;
use crate::count::outgrown::Outgrown;
use crate::count::profile::CodeCounts;
use crate::count::question::{AgreeingRows, Question};
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
    let groups = Arc::new(groups);
    let parts = Codebook::of_groups(coded.clone(), groups.clone(), source, None).parts(&attributes);
    let outgrown = Outgrown::new(attributes, Codebook::of_groups(coded, groups, source, subject), rows)?;
    let most = question.at_once.tuples(outgrown.words());
    // Two writings of a value are two groups and one tuple: tuples are counted only where groups are too many.
    let is_outgrown = merged.groups > most && merged.sizes(space, parts, &outgrown.layout())?.classes() > most;
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

/// The most sets of columns that one scan answers for: a task holds 16 bytes for each row of a run and each set.
const MOST_SETS: usize = 8;

/// How many rows agree on each set of columns, counted by tasks; nothing when there are none that can read the table, or so
/// few rows that jobs would take longer.
pub(crate) fn agreeing_rows(
    cluster: &Cluster,
    engine: &Engine,
    source: &Source,
    sets: &[Vec<String>],
) -> Result<Option<Vec<AgreeingRows>>> {
    let sizes = TaskSizes::of_at_least(cluster.task_rows);
    let Some(beside) = engine.shared_folder().filter(|_| sizes.are_many(source.rows_expected().unwrap_or(0))) else {
        return Ok(None);
    };
    let mut agreeing = Vec::with_capacity(sets.len());
    for sets in sets.chunks(MOST_SETS) {
        // A space for each scan: a task of the last one that still runs must not overwrite a file of the next.
        let Some(space) = engine.task_space(beside)? else { return Ok(None) };
        let Some(counted) = agreeing_rows_in(&space, source, (sets, words_of(&cluster.key)), sizes)? else {
            return Ok(None);
        };
        agreeing.extend(counted);
    }
    Ok(Some(agreeing))
}

pub(super) fn agreeing_rows_in(
    space: &TaskSpace<'_>,
    source: &Source,
    asked: (&[Vec<String>], [u64; 4]),
    sizes: TaskSizes,
) -> Result<Option<Vec<AgreeingRows>>> {
    let stretches = sizes.tasks(source.rows_expected().unwrap_or(0));
    let agreeing = tasks::agreeing_rows(space, source, asked, stretches)?;
    for counted in agreeing.iter().flatten() {
        as_expected(source, counted.sizes.total())?;
    }
    Ok(agreeing)
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
