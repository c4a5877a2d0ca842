//! Under which published labels each value of a population's column lies.

use super::PopulationTable;
use crate::against::contain::Containment;
use crate::against::hierarchy::Hierarchy;
use crate::count::Counter;
use crate::manifest::{ColumnEntry, Labels, Technique};
use crate::options::Options;
use crate::verdict::VerifyError;

/// For each value of one column, the published labels that it lies under.
pub(super) struct LabelsOfValues {
    /// By the code of the value, sorted codes of labels.
    labels: Vec<Vec<u32>>,
    overlap: bool,
}

impl LabelsOfValues {
    /// `values` are the codes that the population has in the column, `at` is the place of the column among those that
    /// were counted.
    pub(super) fn new(
        column: &ColumnEntry,
        values: &[u32],
        published: &Counter,
        at: usize,
        population: &PopulationTable,
        options: &Options<'_>,
    ) -> Result<LabelsOfValues, VerifyError> {
        let texts = &published.encoders[at].texts;
        let mut shown: Vec<u32> = Vec::new();
        published.each(|codes, _| shown.push(codes[at]));
        shown.sort_unstable();
        shown.dedup();
        let path = population.table.hierarchies.get(&column.name);
        let hierarchy = path.map(|path| Hierarchy::read(path, options.memory)).transpose()?;
        // What is published is a value of the column, too: of labels that do not overlap, it lies under itself only.
        let mut all = [values, &shown].concat();
        all.sort_unstable();
        all.dedup();
        let mut labels = vec![Vec::new(); texts.codes()];
        let mut add = |value: u32, more: &[u32]| labels[value as usize].extend_from_slice(more);
        let by_hierarchy = hierarchy.as_ref().map(|hierarchy| Containment::new(texts, &all, &shown, Some(hierarchy)));
        let above = hierarchy.as_ref().map(Hierarchy::labels_above).unwrap_or_default();
        let describes_itself = column.labels == Some(Labels::SelfDescribing) || column.technique == Technique::Retained;
        let by_itself =
            (hierarchy.is_none() || describes_itself).then(|| Containment::new(texts, values, &shown, None));
        for &value in &all {
            let text = texts.text(value).map(|text| &**text);
            by_hierarchy.iter().for_each(|contained| add(value, contained.labels(value)));
            if values.binary_search(&value).is_ok() {
                by_itself.iter().for_each(|contained| add(value, contained.labels(value)));
            }
            // A label is under itself and under those above it, unless a value has the same name.
            let is_label = text.filter(|text| !hierarchy.as_ref().is_some_and(|hierarchy| hierarchy.has(text)));
            for name in is_label.and_then(|text| above.get(text)).into_iter().copied().flatten() {
                let known = texts.code(name).filter(|code| shown.binary_search(code).is_ok());
                known.iter().for_each(|&code| add(value, &[code]));
            }
        }
        labels.iter_mut().for_each(|labels| {
            labels.sort_unstable();
            labels.dedup();
        });
        let overlap = labels.iter().any(|labels| labels.len() > 1);
        Ok(LabelsOfValues { labels, overlap })
    }

    /// The labels that a value lies under, sorted.
    pub(super) fn of(&self, value: u32) -> &[u32] {
        &self.labels[value as usize]
    }

    /// Whether some value lies under two labels.
    pub(super) fn overlap(&self) -> bool {
        self.overlap
    }
}

#[cfg(test)]
mod tests;
