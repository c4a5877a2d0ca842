//! Sets of items: the label that each item is published as.
//!
//! The distinct cells of a column are counted in memory before anything is solved, and split into items. The labels come
//! from the hierarchy that is named for the column; without one an item is published as itself or as `*`. When rows are
//! suppressed, fewer than k may have some items together: the staged rows are counted, more items are raised, and the
//! rows are written again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use incrowd_algorithms::items::{ItemCut, combination_count};
use incrowd_core::{Dictionary, Domain, FrequencyTable, Hierarchy, ItemLabels, ItemTreatment, Treatment, ValueGroups};
use incrowd_engine::{Engine, Question, Source};

use super::AnonymizeOptions;
use super::columns::{ColumnGroups, Columns};
use crate::error::{Error, Result, TreatmentFault};
use crate::exposure::PublishedRows;

/// The most combinations of items that are counted.
const MOST_COMBINATIONS: u64 = 1 << 28;

/// Counts the sets of each column that is to be published as sets of items, and finds the labels.
pub(super) fn group(
    engine: &Engine,
    source: &Source,
    columns: &Columns,
    options: &AnonymizeOptions,
) -> Result<ColumnGroups> {
    let mut groups = ColumnGroups::new();
    for (column, treatment) in of_items(columns) {
        let question = Question { quasi_identifiers: vec![column.clone()], ..Question::default() };
        let counted = source.count_here(engine, &question)?.into_table(engine)?;
        let column = ItemColumn { name: column, treatment };
        let cells = cells(&counted);
        let items: BTreeSet<&str> = cells.iter().flat_map(|(cell, _)| treatment.items(cell)).collect();
        let (hierarchy, leaves) = column.hierarchy(&items, options, engine.memory())?;
        let mut cut = ItemCut::leaves(&hierarchy);
        let codes: BTreeMap<&str, u32> =
            items.iter().zip(&leaves).map(|(&item, &leaf)| (item, cut.leaf(leaf))).collect();
        let sets = column.sets(&cells, |item| codes.get(item).copied());
        column.refuse_many(&sets)?;
        let (k, known) = column.rule();
        if !cut.raise(&sets, k, known, &engine.watch().cancel)? {
            return Err(column.refused(TreatmentFault::FewSets));
        }
        cut.lower(&sets, k, known, &engine.watch().cancel)?;
        let labels = column.labels(&items, &leaves, &cut);
        groups.insert(column.name, labels);
    }
    Ok(groups)
}

/// The labels after those were raised that too few published rows have together; nothing of columns where none are.
pub(super) fn raised(
    engine: &Engine,
    columns: &Columns,
    options: &AnonymizeOptions,
    groups: &ColumnGroups,
    rows: &PublishedRows,
) -> Result<ColumnGroups> {
    let mut changed = ColumnGroups::new();
    for (name, treatment) in of_items(columns) {
        let Some(ValueGroups::Items(before)) = groups.get(&name).map(|groups| &**groups) else { continue };
        let column = ItemColumn { name, treatment };
        let Some(published) = rows.tuples(engine, [&column.name])? else {
            return Err(column.refused(TreatmentFault::ManyCombinations));
        };
        let items: BTreeSet<&str> = before.labels().keys().map(String::as_str).collect();
        let (hierarchy, leaves) = column.hierarchy(&items, options, engine.memory())?;
        let nodes: BTreeMap<&str, u32> =
            (0u32..).zip(hierarchy.nodes()).map(|(number, node)| (node.label(), number)).collect();
        let cells = cells(&published);
        let sets = column.sets(&cells, |label| nodes.get(label).copied());
        let given = items.iter().zip(&leaves).filter_map(|(item, &leaf)| {
            let label = before.labels().get(*item)?;
            Some((leaf, *nodes.get(label.as_str())?))
        });
        let mut cut = ItemCut::of_labels(&hierarchy, &given.collect::<Vec<_>>());
        let start = cut.clone();
        let (k, known) = column.rule();
        if !cut.raise(&sets, k, known, &engine.watch().cancel)? {
            return Err(column.refused(TreatmentFault::FewSets));
        }
        if cut == start {
            continue;
        }
        let labels = column.labels(&items, &leaves, &cut);
        changed.insert(column.name, labels);
    }
    Ok(changed)
}

/// A column that is published as sets of items.
struct ItemColumn {
    name: String,
    treatment: ItemTreatment,
}

impl ItemColumn {
    fn rule(&self) -> (u64, usize) {
        (self.treatment.k.into(), self.treatment.known as usize)
    }

    fn refused(&self, why: TreatmentFault) -> Error {
        let treatment = Treatment::Items(self.treatment).to_string();
        Error::TreatmentRefused { column: self.name.clone(), treatment, why }
    }

    /// The hierarchy of its items, and the leaf of each.
    fn hierarchy(
        &self,
        items: &BTreeSet<&str>,
        options: &AnonymizeOptions,
        memory: Option<u64>,
    ) -> Result<(Hierarchy, Vec<u32>)> {
        let of_column = |error| Error::HierarchyOf { column: self.name.clone(), error };
        let dictionary = Dictionary::of_texts(items.iter().copied());
        let named = match options.hierarchies.get(&self.name) {
            Some(choice) => choice.plan.build(&dictionary, &choice.folder, memory).map_err(|error| match error {
                Error::Hierarchy(error) => of_column(error),
                other => other,
            })?,
            None => None,
        };
        let hierarchy = match named {
            Some(hierarchy) => hierarchy,
            None => Hierarchy::flat(&dictionary).map_err(of_column)?,
        };
        if hierarchy.nodes().iter().any(|node| node.label().contains(self.treatment.separator)) {
            return Err(self.refused(TreatmentFault::SeparatorInLabel));
        }
        let leaves = Domain::tree(&hierarchy).bind(&dictionary).map_err(of_column)?;
        Ok((hierarchy, leaves))
    }

    /// The sets of cells as nodes, by the node of an item or label.
    fn sets(&self, cells: &[(String, u64)], node: impl Fn(&str) -> Option<u32>) -> Vec<(Vec<u32>, u64)> {
        let set =
            |(cell, rows): &(String, u64)| (self.treatment.items(cell).into_iter().filter_map(&node).collect(), *rows);
        cells.iter().map(set).collect()
    }

    /// The labels of its items, whose leaves these are, in a cut.
    fn labels(&self, items: &BTreeSet<&str>, leaves: &[u32], cut: &ItemCut<'_>) -> Arc<ValueGroups> {
        let labels = items.iter().zip(leaves).map(|(item, &leaf)| ((*item).into(), cut.label(leaf).into()));
        Arc::new(ValueGroups::Items(ItemLabels::new(self.treatment, labels.collect())))
    }

    /// Refuses sets with more combinations than can be counted.
    fn refuse_many(&self, sets: &[(Vec<u32>, u64)]) -> Result<()> {
        let all = (1..=self.rule().1).map(|size| combination_count(sets, size)).fold(0, u64::saturating_add);
        if all > MOST_COMBINATIONS {
            return Err(self.refused(TreatmentFault::ManyCombinations));
        }
        Ok(())
    }
}

/// The columns that are published as sets of items.
fn of_items(columns: &Columns) -> Vec<(String, ItemTreatment)> {
    let names = columns.treated(|treatment| matches!(treatment, Treatment::Items(_)));
    let with_treatment = |name: String| match columns.treatment(&name)? {
        Treatment::Items(treatment) => Some((name, *treatment)),
        _ => None,
    };
    names.into_iter().filter_map(with_treatment).collect()
}

/// The cells of a table of one column that are not missing, with their rows.
fn cells(table: &FrequencyTable) -> Vec<(String, u64)> {
    let Some(attribute) = table.attributes().first() else { return Vec::new() };
    let cell = |tuple: usize| Some((attribute.dictionary.text(table.code(tuple, 0))?.into_owned(), table.count(tuple)));
    (0..table.tuples()).filter_map(cell).collect()
}
