//! The original table, opened: where the published columns stand in it, and how its cells are read.

use std::collections::BTreeMap;
use std::sync::Arc;

use encoding_rs::Encoding;

use super::drawn_rows::{DrawnColumn, DrawnRows};
use super::spellings;
use crate::count::Counter;
use crate::manifest::{ColumnEntry, Format, Role};
use crate::options::{Against, Options};
use crate::read::{
    CellEncoder, CellRules, ColumnTexts, FileColumn, MemoryBounds, ReadError, ReadProgress, TableFile, TextRewrite,
    instants, is_statistics, is_workbook, sheet_as_csv, statistics_as_csv,
};
use crate::treatments::{ColumnTreatment, GroupMeans};
use crate::verdict::{Fault, FaultKind, Verdict, VerifyError};

/// The original, open for reading, with the published columns.
pub(crate) struct OriginalTable<'a> {
    described: &'a Against,
    pub(crate) table: TableFile<'a>,
    /// All its columns.
    columns: Vec<FileColumn>,
    published: Vec<&'a ColumnEntry>,
    /// Where each published column stands in it.
    pub(crate) wanted: Vec<usize>,
    /// The means of the groups of microaggregated columns, as far as their groups are known.
    means: BTreeMap<String, Arc<GroupMeans>>,
}

impl<'a> OriginalTable<'a> {
    /// Opens the original. Nothing when it lacks a published column; then the verdict has a fault.
    pub(crate) fn open(
        described: &'a Against,
        published: Vec<&'a ColumnEntry>,
        options: &Options<'_>,
        verdict: &mut Verdict,
    ) -> Result<Option<OriginalTable<'a>>, VerifyError> {
        spellings::check(&described.spellings)?;
        verdict.notes.extend(spellings::notes(&described.spellings));
        let bounds = MemoryBounds::new(options.memory);
        let Against { path, format, delimiter, header, .. } = described;
        let (format, delimiter, header) = (*format, *delimiter, *header);
        if path.is_dir() {
            return Err(VerifyError::Original(
                "the original is a folder; the comparison needs a table in one file".into(),
            ));
        }
        let encoding = match described.encoding.as_deref() {
            None => None,
            Some(name) => Some(
                Encoding::for_label(name.as_bytes())
                    .ok_or_else(|| VerifyError::Original(format!("the original: the encoding {name} is unknown")))?,
            ),
        };
        let part = (described.sheet.as_deref(), described.range.as_deref());
        let sheet = match path {
            path if is_workbook(path) => Some(sheet_as_csv(path, part.0, part.1).map_err(unread)?),
            path if is_statistics(path) => Some(statistics_as_csv(path, encoding).map_err(unread)?),
            _ => None,
        };
        // A statistics package has names of columns in any case.
        let header = header || is_statistics(path);
        let (format, delimiter) = if sheet.is_some() { (Format::Csv, b',') } else { (format, delimiter) };
        let table = TableFile {
            path,
            format,
            delimiter,
            encoding,
            escaped: false,
            decimal_commas: Vec::new(),
            header,
            sheet,
            bounds,
        };
        let columns = table.columns().map_err(unread)?;
        let mut wanted = Vec::with_capacity(published.len());
        for ColumnEntry { name, .. } in &published {
            let Some(at) = columns.iter().position(|column| column.name.trim() == name) else {
                let message = format!("the original has no column {name}");
                verdict.faults.push(Fault::new(FaultKind::Columns, message));
                return Ok(None);
            };
            wanted.push(at);
        }
        Ok(Some(OriginalTable { described, table, columns, published, wanted, means: BTreeMap::new() }))
    }

    /// Computes the means of the groups of microaggregated columns from the numbers of the original.
    pub(super) fn find_means(&mut self, rules: &[CellRules], progress: &ReadProgress<'_>) -> Result<(), VerifyError> {
        for ((column, &at), rules) in self.published.iter().zip(&self.wanted).zip(rules) {
            let Some(ColumnTreatment::Microaggregate { base, .. }) = ColumnTreatment::of(column) else { continue };
            let Some(bounds) = self.described.group_bounds.get(&column.name) else { continue };
            let decimal_comma = self.described.decimal_commas.contains(&column.name);
            let rules = CellRules { decimal_comma, rewrite: None, ..rules.clone() };
            let mut counter = Counter::new(vec![CellEncoder::new(ColumnTexts::default(), rules)], 1);
            self.table.count(&[at], &mut counter, progress).map_err(unread)?;
            let mut cells = Vec::new();
            counter.each(|codes, rows| cells.extend(counter.encoders[0].texts.text(codes[0]).map(|text| (text, rows))));
            let means = GroupMeans::new(bounds, base, cells.into_iter().map(|(text, rows)| (&**text, rows)));
            let broken =
                || VerifyError::Original(format!("the record has no valid groups for the column {}", column.name));
            self.means.insert(column.name.clone(), Arc::new(means.ok_or_else(broken)?));
        }
        Ok(())
    }

    /// How the cells of each published column are read on both sides: a number that one side stores as such has one
    /// text on both. `in_files` are the columns of the published files.
    pub(crate) fn rules(
        &self,
        in_files: &[FileColumn],
        progress: &ReadProgress<'_>,
    ) -> Result<Vec<CellRules>, VerifyError> {
        let rules = |(column, &at): (&&ColumnEntry, &usize)| -> Result<CellRules, VerifyError> {
            let published = in_files.iter().any(|other| other.name == column.name && other.is_float);
            // Cells that are published unchanged keep the time of day, also at midnight.
            let days = column.role == Role::QuasiIdentifier && self.are_days(at, progress).map_err(unread)?;
            Ok(CellRules {
                nulls: self.described.nulls.clone(),
                empty_is_missing: true,
                as_float: published || self.columns[at].is_float,
                days,
                rewrite: self.not_compared(column),
                ..CellRules::default()
            })
        };
        self.published.iter().zip(&self.wanted).map(rules).collect()
    }

    /// Counts the rows of the original by the published columns, each cell as its treatment publishes it. `subject` is the
    /// column that says which rows belong to one person.
    pub(super) fn count(
        &self,
        mut encoders: Vec<CellEncoder>,
        subject: Option<&str>,
        progress: &ReadProgress<'_>,
    ) -> Result<Counter, VerifyError> {
        let (mut wanted, counted) = (self.wanted.clone(), self.wanted.len());
        let drawn = self.drawn();
        if drawn.is_empty() {
            let mut counter = Counter::new(encoders, counted);
            self.table.count(&wanted, &mut counter, progress).map_err(unread)?;
            return Ok(counter);
        }
        if let Some(subject) = subject {
            let at = self.columns.iter().position(|column| column.name.trim() == subject);
            wanted.push(at.ok_or_else(|| VerifyError::Original(format!("the original has no column {subject}")))?);
            let spellings = self.described.spellings.get(subject).cloned().unwrap_or_default();
            let (nulls, empty_is_missing) = (self.described.nulls.clone(), true);
            let rules = CellRules { nulls, empty_is_missing, spellings, ..CellRules::default() };
            encoders.push(CellEncoder::new(ColumnTexts::default(), rules));
        }
        let mut rows = DrawnRows::new(Counter::new(encoders, counted), counted, drawn);
        self.table.read(&wanted, &mut rows, progress).map_err(unread)?;
        Ok(rows.counter)
    }

    /// The columns whose cells were drawn with a key that is known.
    fn drawn(&self) -> Vec<DrawnColumn> {
        let drawn = |(at, column): (usize, &&ColumnEntry)| {
            let treatment = ColumnTreatment::of(column).filter(ColumnTreatment::is_drawn)?;
            let key = *self.described.treatment_keys.get(&column.name)?;
            Some(DrawnColumn { at, treatment, key })
        };
        self.published.iter().enumerate().filter_map(drawn).collect()
    }

    /// What makes the published text of an original cell of a treated column, as far as that can be known from the cell.
    fn treated(&self, column: &ColumnEntry) -> Option<TextRewrite> {
        let treatment = ColumnTreatment::of(column).filter(|treatment| !treatment.is_drawn())?;
        if let ColumnTreatment::Microaggregate { .. } = treatment {
            let means = Arc::clone(self.means.get(&column.name)?);
            return Some(Arc::new(move |text: &str| Some(means.of(text).unwrap_or_else(|| text.to_string()))));
        }
        if let ColumnTreatment::Items(rule) = treatment {
            let labels = self.described.item_labels.get(&column.name)?.clone();
            // A cell with an item that the record lacks is left unchanged, and equals no published one.
            return Some(Arc::new(move |text: &str| {
                Some(rule.labelled(text, &labels).unwrap_or_else(|| text.to_string()))
            }));
        }
        let key = self.described.treatment_keys.get(&column.name).copied();
        let key = if treatment.has_key() { key? } else { [0; 32] };
        Some(Arc::new(move |text: &str| treatment.applied(text, &key)))
    }

    /// Of cells whose key, groups or labels are not known only the missing ones are compared.
    fn not_compared(&self, column: &ColumnEntry) -> Option<TextRewrite> {
        let Against { treatment_keys, group_bounds, item_labels, .. } = self.described;
        let is_known = match ColumnTreatment::of(column)? {
            ColumnTreatment::Microaggregate { .. } => group_bounds.contains_key(&column.name),
            ColumnTreatment::Items(_) => item_labels.contains_key(&column.name),
            treatment => !treatment.has_key() || treatment_keys.contains_key(&column.name),
        };
        (!is_known).then(|| -> TextRewrite { Arc::new(|_: &str| Some("treated".to_string())) })
    }

    /// What a reader should know about columns that were not compared.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let left_out = self.published.iter().filter(|column| self.not_compared(column).is_some());
        left_out.map(|column| {
            let (cells, needed) = match ColumnTreatment::of(column) {
                Some(treatment) if treatment.is_pseudonym() => ("pseudonyms", "their key is"),
                Some(ColumnTreatment::Microaggregate { .. }) => ("means", "their groups are"),
                Some(ColumnTreatment::Items(_)) => ("sets", "the labels of their items are"),
                _ => ("cells", "their key is"),
            };
            let name = &column.name;
            format!("the {cells} of {name} were not compared with the original: {needed} in the internal record")
        })
    }

    /// Whether a column has instants that are all midnight: then they are published as days.
    fn are_days(&self, at: usize, progress: &ReadProgress<'_>) -> Result<bool, ReadError> {
        if !self.columns[at].is_instant {
            return Ok(false);
        }
        let mut counter = Counter::new(vec![CellEncoder::plain()], 1);
        self.table.count(&[at], &mut counter, progress)?;
        let (texts, mut days) = (&counter.encoders[0].texts, true);
        counter.each(|codes, _| days &= texts.text(codes[0]).is_none_or(|text| instants::day(text) != &**text));
        Ok(days)
    }

    /// What reads the cells of the original. Only they are read in another spelling or form of dates: what is published
    /// has to be in the right one. `dates` says of a column whether its dates are published in one form, whatever the
    /// original's.
    pub(crate) fn encoders(&self, rules: &[CellRules], dates: impl Fn(&ColumnEntry) -> bool) -> Vec<CellEncoder> {
        let encoder = |(rules, column): (&CellRules, &&ColumnEntry)| {
            let spellings = self.described.spellings.get(&column.name).cloned().unwrap_or_default();
            let in_one_form = dates(column) && self.not_compared(column).is_none();
            let dates = self.described.date_formats.get(&column.name).filter(|_| in_one_form).cloned();
            let decimal_comma = in_one_form && self.described.decimal_commas.contains(&column.name);
            let rewrite = self.treated(column).or_else(|| rules.rewrite.clone());
            CellEncoder::new(
                ColumnTexts::default(),
                CellRules { spellings, dates, decimal_comma, rewrite, ..rules.clone() },
            )
        };
        rules.iter().zip(&self.published).map(encoder).collect()
    }
}

/// Why there is no verdict when the original cannot be read.
pub(crate) fn unread(error: ReadError) -> VerifyError {
    match error {
        ReadError::Cancelled => VerifyError::Cancelled,
        ReadError::Unreadable(why) => VerifyError::Original(format!("the original: {why}")),
    }
}
