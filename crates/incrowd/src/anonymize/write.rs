//! The third stage: the rows are written where no one sees them yet, and the manifest is drafted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use incrowd_core::{Attribute, ClassSizes, Hierarchy, QuasiIdentifier, ValueGroups};
use incrowd_engine::{Applied, Engine, EngineError, Outgrown, PublishedColumn, Recipe, RowRecipe, TextDialect};
use incrowd_verify::Manifest;

use super::columns::{ColumnGroups, PublishedTables};
use super::kept_columns::Exposure;
use super::prepare::Prepared;
use super::repeat::Repeat;
use super::solve::{ClassesInMemory, SolveSummary, Solved, SolvedClasses};
use super::{OutputDialect, Publish, canaries, delta_table, labels, linked_rows, manifest_text, value_groups};
use crate::error::{Error, Result};
use crate::exposure::{PublishedRows, release_reading};
use crate::release::Destination;

/// A release whose rows are written and not verified.
pub(super) struct WrittenRelease {
    pub(super) classes: WrittenClasses,
    pub(super) hierarchies: Vec<Option<Hierarchy>>,
    pub(super) summary: SolveSummary,
    pub(super) manifest: Manifest,
    pub(super) applied: Applied,
    /// What columns that are published unchanged add to what an attacker knows.
    pub(super) exposure: Exposure,
    /// Values that must not be found in the written bytes.
    pub(super) canaries: Vec<Vec<u8>>,
    /// What is published of columns whose treatment looks at all cells.
    pub(super) groups: ColumnGroups,
}

/// What is kept of the classes once their rows are written.
pub(super) enum WrittenClasses {
    InMemory(Box<ClassesInMemory>),
    /// Of classes that were solved in shards, their sizes in rows; the rest is dropped, because the verifier needs the
    /// memory.
    Sizes(ClassSizes, Box<Outgrown>),
}

/// Writes the rows, measures what columns that are kept unchanged give away, and drafts the manifest.
pub(super) fn write(run: &Prepared<'_>, solved: Solved, destination: &mut Destination) -> Result<WrittenRelease> {
    let (engine, options) = (run.engine, run.options);
    let Solved { mut classes, hierarchies, mut summary } = solved;
    let (tables, applied, groups) = apply_with_groups(run, &classes, destination)?;
    if let SolvedClasses::OnDisk(classes) = &mut classes {
        classes.rows.remove_notes();
    }
    let applied = destination.place(engine, applied)?;
    summary.spilled_bytes += applied.spilled_bytes;
    let apart = options.publish == Publish::TwoTables;
    let memory = match &classes {
        SolvedClasses::InMemory(classes) if !apart => Some(&**classes),
        _ => None,
    };
    let mut rows = published_rows(engine, &destination.public(), (&applied, apart), &tables.first)?;
    let mut exposure = run.kept.measure(engine, &mut rows, memory)?;
    exposure.findings.extend(linked_rows::measure(run, &rows)?);
    let mut manifest = manifest_text::draft(run, &summary, &applied, &tables)?;
    if options.delta {
        delta_table::write(&mut manifest, &applied, destination)?;
    }
    labels::declare(&mut manifest.columns, classes.attributes(), classes.quasi(), |at| classes.cells(at));
    let recoded: &[QuasiIdentifier] = if apart { &[] } else { classes.quasi() };
    let canaries = canaries::choose(
        engine,
        run.source,
        (&run.columns, &run.randomness, &groups),
        classes.attributes(),
        recoded,
        |at| classes.cells(at),
    )?;
    let classes = WrittenClasses::of(classes);
    Ok(WrittenRelease { classes, hierarchies, summary, manifest, applied, exposure, canaries, groups })
}

/// Writes the rows, and again with coarser cells while some of a treated column have too few published rows.
fn apply_with_groups(
    run: &Prepared<'_>,
    classes: &SolvedClasses,
    destination: &Destination,
) -> Result<(PublishedTables, Applied, ColumnGroups)> {
    let mut groups = run.groups.clone();
    loop {
        let tables = run.columns.tables(run.options.publish, &run.randomness, &groups);
        let applied = apply(run, classes, &tables, destination)?;
        if groups.is_empty() {
            return Ok((tables, applied, groups));
        }
        let folder = destination.written_to();
        let rows = published_rows(run.engine, &folder, (&applied, tables.second.is_some()), &tables.first)?;
        let Some(merged) = value_groups::merged(run.engine, &run.columns, run.options, &groups, &rows)? else {
            return Ok((tables, applied, groups));
        };
        groups = merged;
        for file in &applied.files {
            let path = folder.join(&file.name);
            std::fs::remove_file(&path).map_err(|error| Error::file(&path, &error))?;
        }
    }
}

fn apply(
    run: &Prepared<'_>,
    classes: &SolvedClasses,
    tables: &PublishedTables,
    destination: &Destination,
) -> Result<Applied> {
    let Prepared { engine, source, options, .. } = *run;
    let (format, escape_formulas) = (destination.format(options.format), options.escape_formulas);
    let (key, folder) = (run.randomness.shuffle_key(), destination.written_to());
    let dialect = dialect(run, tables);
    let one_file = destination.is_one_file() || run.repeat.as_ref().is_some_and(Repeat::is_one_file);
    Ok(match classes {
        SolvedClasses::InMemory(classes) => {
            let recipe = Recipe {
                table: &classes.table,
                quasi_identifiers: &classes.quasi,
                recoding: &classes.recoding,
                columns: &tables.first,
                second: tables.second.as_deref(),
                format,
                one_file,
                escape_formulas,
                dialect: &dialect,
                key,
            };
            source.apply(engine, &classes.codebook, &recipe, &folder)?
        }
        SolvedClasses::OnDisk(classes) => {
            let recipe = RowRecipe {
                attributes: classes.outgrown.attributes(),
                quasi_identifiers: &classes.quasi,
                columns: &tables.first,
                format,
                one_file,
                escape_formulas,
                dialect: &dialect,
                key,
            };
            classes.rows.write(engine, source, &recipe, &folder)?
        }
    })
}

/// The dialect of a text release: that of the table, unless the usual one is asked for. Cells that are published unchanged
/// keep the commas that they have.
fn dialect(run: &Prepared<'_>, tables: &PublishedTables) -> TextDialect {
    if run.options.dialect == OutputDialect::Standard {
        return TextDialect::default();
    }
    let dialect = run.source.text_dialect();
    if run.source.delimiter().is_none() {
        return dialect;
    }
    let is_written = |name: &&String| {
        tables.first.iter().any(|column| match column {
            PublishedColumn::Recoded { name: written, .. } => written == *name,
            PublishedColumn::Kept { name: written, treatment } => treatment.is_some() && written == *name,
            PublishedColumn::ClassId { .. } => false,
        })
    };
    let commas = run.source.read_options().decimal_commas.iter().filter(is_written);
    TextDialect { decimal_commas: commas.cloned().collect(), ..dialect }
}

/// The staged rows, as their readers will see them.
fn published_rows(
    engine: &Engine,
    folder: &Path,
    (applied, apart): (&Applied, bool),
    columns: &[PublishedColumn],
) -> Result<PublishedRows> {
    let file = applied.files.first().ok_or(EngineError::Empty(folder.display().to_string()))?;
    let names = columns.iter().map(|column| column.name().to_owned()).collect();
    // Of two tables the first is in the first file; otherwise all files are one table.
    let count = if apart { 1 } else { applied.files.len() };
    let files: Vec<PathBuf> = applied.files.iter().take(count).map(|file| folder.join(&file.name)).collect();
    PublishedRows::open(engine, &files, release_reading(&manifest_text::file(file)), names)
}

impl WrittenRelease {
    /// The largest number of each group of the columns that are microaggregated.
    pub(super) fn group_bounds(&self) -> BTreeMap<String, Vec<String>> {
        let bounds = |(column, groups): (&String, &Arc<ValueGroups>)| match &**groups {
            ValueGroups::Means(groups) => Some((column.clone(), groups.bounds())),
            ValueGroups::Items(_) => None,
        };
        self.groups.iter().filter_map(bounds).collect()
    }

    /// The label of each item of the columns that are published as sets of items.
    pub(super) fn item_labels(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        let labels = |(column, groups): (&String, &Arc<ValueGroups>)| match &**groups {
            ValueGroups::Items(labels) => Some((column.clone(), labels.labels().clone())),
            ValueGroups::Means(_) => None,
        };
        self.groups.iter().filter_map(labels).collect()
    }
}

impl WrittenClasses {
    fn of(classes: SolvedClasses) -> WrittenClasses {
        match classes {
            SolvedClasses::InMemory(classes) => WrittenClasses::InMemory(classes),
            SolvedClasses::OnDisk(classes) => WrittenClasses::Sizes(classes.rows.sizes(), Box::new(classes.outgrown)),
        }
    }

    /// The columns that were counted.
    pub(super) fn attributes(&self) -> &[Attribute] {
        match self {
            WrittenClasses::InMemory(classes) => classes.table.attributes(),
            WrittenClasses::Sizes(_, outgrown) => outgrown.attributes(),
        }
    }
}
