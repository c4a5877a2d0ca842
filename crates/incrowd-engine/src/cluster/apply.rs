//! Recoding on a cluster: rows are joined with what their class publishes, shuffled and written by executors.

use std::path::Path;
use std::sync::Arc;

use arrow::array::types::Int64Type;
use arrow::array::{ArrayRef, AsArray, BinaryArray, Int64Array};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::functions_aggregate::expr_fn::max;
use datafusion::logical_expr::{JoinType, cast, lit};
use datafusion::prelude::{DataFrame, Expr};
use incrowd_core::{Recoding, Stage};

use super::exchange::stamps;
use super::exchange::{self, ExchangeFolder};
use super::finished::finished;
use super::misfit;
use super::plans::{HASH, cleaned, column, function, hashed, kept, label, plain, value};
use super::read;
use super::split::{self, AssignedRow};
use crate::count::groups::{ExecutorGroups, TupleHash};
use crate::publish::kept_cells::KeptColumn;
use crate::publish::labels::ColumnLabels;
use crate::publish::recipe::{Applied, PublishedColumn, Recipe};
use crate::runtime::cluster_session::Cluster;
use crate::runtime::engine::Engine;
use crate::runtime::error::{CellFault, EngineError, Result};
use crate::runtime::limits::MAX_CELL_BYTES;
use crate::source::table::Source;

/// Rows of a mapping that are written at once.
const BATCH: usize = 1 << 16;

/// What the steps share.
pub(super) struct Applying<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) engine: &'a Engine,
    pub(super) source: &'a Source,
    pub(super) recipe: &'a Recipe<'a>,
    pub(super) exchange: &'a ExchangeFolder,
    /// The columns of the table, then those that are kept besides.
    pub(super) read: Vec<String>,
    /// How many of them are the table's.
    attributes: usize,
    pub(super) kept: Vec<KeptColumn>,
    /// The quasi-identifiers whose labels are published, in order.
    labels: Vec<usize>,
}

/// As a local run: reads the rows again, recodes, shuffles and writes them.
pub(crate) fn apply(
    cluster: &Cluster,
    engine: &Engine,
    source: &Source,
    (names, groups): (Vec<String>, &ExecutorGroups),
    recipe: &Recipe<'_>,
    folder: &Path,
) -> Result<Applied> {
    if recipe.second.is_some() {
        return Err(EngineError::NotOnCluster { what: "publishing in two tables" });
    }
    let changed = || EngineError::Changed(source.name().into());
    let exchange = ExchangeFolder::beside(folder)?;
    let applying = Applying::new(cluster, engine, source, recipe, &exchange, names)?;
    applying.survey()?;
    let tuples = groups.tuples(recipe.table).ok_or_else(changed)?;
    let aside = split::set_aside(&applying, &tuples)?;
    let mapped = applying.map(&tuples)?;
    let mut rows = applying.joined(&mapped)?;
    if let Some(aside) = &aside {
        let seated = applying.seats(&aside.seated)?;
        rows = rows.union(applying.joined_aside(&aside.path, &seated)?).map_err(|error| applying.failed(&error))?;
    }
    let data = exchange.file("data.parquet");
    cluster.write(engine, Stage::Write, applying.shuffled(rows)?, &data)?;
    // The files are those that were counted, and so are the rows.
    let targets = (0..recipe.table.tuples()).flat_map(|tuple| recipe.recoding.targets(tuple));
    let withheld = targets.filter(|target| target.0 == Recoding::WITHHELD).map(|target| target.1).sum();
    if groups.files != stamps(source)? || exchange::open(&data, Some(0))?.0 + withheld != recipe.table.rows() {
        return Err(changed());
    }
    let file = finished(recipe, &applying.kept, &data, folder, exchange::open(&data, None)?.1)?;
    let rows = file.rows;
    Ok(Applied { in_known_order: false, ..Applied::of(vec![file], rows, withheld) })
}

impl<'a> Applying<'a> {
    fn new(
        cluster: &'a Cluster,
        engine: &'a Engine,
        source: &'a Source,
        recipe: &'a Recipe<'a>,
        exchange: &'a ExchangeFolder,
        names: Vec<String>,
    ) -> Result<Self> {
        let (attributes, mut read) = (names.len(), names);
        let (mut kept, mut labels) = (Vec::new(), Vec::new());
        for column in recipe.columns {
            match column {
                PublishedColumn::Recoded { quasi_identifier, .. } => labels.push(*quasi_identifier),
                PublishedColumn::Kept { treatment: Some(_), .. } => {
                    return Err(EngineError::NotOnCluster { what: "treating columns" });
                }
                PublishedColumn::Kept { name, treatment: None } => {
                    kept.push(KeptColumn::new(source, name, None)?);
                    if !read.contains(name) {
                        read.push(name.clone());
                    }
                }
                PublishedColumn::ClassId { .. } => {
                    return Err(EngineError::NotOnCluster { what: "publishing the numbers of classes" });
                }
            }
        }
        Ok(Applying { cluster, engine, source, recipe, exchange, read, attributes, kept, labels })
    }

    fn failed(&self, error: &datafusion::error::DataFusionError) -> EngineError {
        self.cluster.failed(Stage::Recode, error)
    }

    /// The kept cells as fields of a file of the exchange.
    pub(super) fn kept_fields(&self) -> impl Iterator<Item = Field> {
        self.kept.iter().enumerate().map(|(at, cells)| Field::new(kept(at), cells.data_type().clone(), true))
    }

    /// Of each row: the hash of its tuple, and its kept cells.
    pub(super) fn rows(&self) -> Result<Vec<Expr>> {
        let values = self.read[..self.attributes].iter().map(|name| value(self.cluster, self.source, name));
        let values = values.collect::<Result<Vec<Expr>>>()?;
        let mut select =
            vec![hashed(self.cluster, values.into_iter()).map_err(|error| self.failed(&error))?.alias(HASH)];
        for (at, cells) in self.kept.iter().enumerate() {
            let from = self.source.data_type(cells.name())?;
            select.push(cleaned(self.cluster, cells.name(), from, cells.data_type())?.alias(kept(at)));
        }
        Ok(select)
    }

    /// Kept texts that may not be published are refused before a row is written, as in a local run. (Those of the table
    /// were inspected when it was counted.)
    fn survey(&self) -> Result<()> {
        let texts: Vec<&KeptColumn> = self
            .kept
            .iter()
            .filter(|cells| *cells.data_type() == DataType::Utf8)
            .filter(|cells| !self.read[..self.attributes].iter().any(|name| name == cells.name()))
            .collect();
        if texts.is_empty() {
            return Ok(());
        }
        let failed = |error| self.failed(&error);
        let names: Vec<String> = texts.iter().map(|cells| cells.name().to_string()).collect();
        let [length, find] = ["octet_length", "strpos"].map(|name| function(&self.cluster.context, name));
        let (length, find) = (length.map_err(failed)?, find.map_err(failed)?);
        let mut asked = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let text = cast(plain(name, self.source.data_type(name)?), DataType::Utf8);
            let bytes = cast(length.call(vec![text.clone()]), DataType::Int64);
            let nul = cast(find.call(vec![text, lit("\0")]), DataType::Int64);
            asked.extend([max(bytes).alias(format!("b{at}")), max(nul).alias(format!("n{at}"))]);
        }
        let frame = read::read(self.source, &self.cluster.context, &names, None)?;
        let frame = frame.aggregate(vec![], asked).map_err(failed)?;
        let most = |batch: &RecordBatch, at: usize| {
            let cells = batch.column(at).as_primitive::<Int64Type>().iter().flatten();
            cells.max().unwrap_or(0)
        };
        let surveyed = self.cluster.collect(self.engine, Stage::Recode, &frame, &mut |batch| {
            for (at, name) in names.iter().enumerate() {
                let fault = match (most(batch, 2 * at) > MAX_CELL_BYTES as i64, most(batch, 2 * at + 1) > 0) {
                    (true, _) => CellFault::TooLong,
                    (false, true) => CellFault::Nul,
                    (false, false) => continue,
                };
                return Err(EngineError::BadValue { column: name.clone(), fault });
            }
            Ok(true)
        });
        surveyed.map_err(|error| self.source.locate_fault(error))
    }

    fn label_fields(&self) -> impl Iterator<Item = Field> {
        (0..self.labels.len()).map(|at| Field::new(label(at), DataType::Utf8, true))
    }

    /// What these classes publish, one array for each recoded column.
    fn label_arrays(&self, classes: &[u32]) -> Vec<ArrayRef> {
        let Recipe { recoding, quasi_identifiers, .. } = self.recipe;
        let of = |&quasi: &usize| {
            let cells = classes.iter().map(|&class| recoding.cells(class)[quasi]);
            ColumnLabels::new(&quasi_identifiers[quasi].domain, cells).plain()
        };
        self.labels.iter().map(of).collect()
    }

    /// The mapping from a tuple's hash to labels, of tuples that go to one class as a whole.
    fn map(&self, tuples: &[(TupleHash, u32)]) -> Result<DataFrame> {
        let whole = |&(hash, tuple): &(TupleHash, u32)| match self.recipe.recoding.targets(tuple as usize) {
            [(class, _)] if *class != Recoding::WITHHELD => Some((hash, *class)),
            _ => None,
        };
        let whole: Vec<(TupleHash, u32)> = tuples.iter().filter_map(whole).collect();
        let hash = Field::new("m", DataType::Binary, false);
        let schema = Schema::new([hash].into_iter().chain(self.label_fields()).collect::<Vec<_>>());
        let batches = whole.chunks(BATCH).map(|chunk| {
            let hashes: ArrayRef = Arc::new(BinaryArray::from_iter_values(chunk.iter().map(|(hash, _)| hash)));
            let classes: Vec<u32> = chunk.iter().map(|(_, class)| *class).collect();
            let columns = [hashes].into_iter().chain(self.label_arrays(&classes)).collect();
            RecordBatch::try_new(Arc::new(schema.clone()), columns).map_err(|_| misfit(Stage::Recode))
        });
        let path = self.exchange.write("map.parquet", Arc::new(schema.clone()), batches)?;
        exchange::read(&self.cluster.context, &path, &schema)
    }

    /// The labels of rows that were set aside.
    fn seats(&self, seated: &[AssignedRow]) -> Result<DataFrame> {
        let own = ["sf", "sr"].map(|name| Field::new(name, DataType::Int64, false));
        let schema = Schema::new(own.into_iter().chain(self.label_fields()).collect::<Vec<_>>());
        let batches = seated.chunks(BATCH).map(|chunk| {
            let files: ArrayRef = Arc::new(Int64Array::from_iter_values(chunk.iter().map(|seat| seat.file)));
            let rows: ArrayRef = Arc::new(Int64Array::from_iter_values(chunk.iter().map(|seat| seat.row)));
            let classes: Vec<u32> = chunk.iter().map(|seat| seat.class).collect();
            let columns = [files, rows].into_iter().chain(self.label_arrays(&classes)).collect();
            RecordBatch::try_new(Arc::new(schema.clone()), columns).map_err(|_| misfit(Stage::Recode))
        });
        let path = self.exchange.write("seats.parquet", Arc::new(schema.clone()), batches)?;
        exchange::read(&self.cluster.context, &path, &schema)
    }

    /// Rows of whole tuples, as they are published.
    fn joined(&self, mapped: &DataFrame) -> Result<DataFrame> {
        let failed = |error| self.failed(&error);
        let rows = read::read(self.source, &self.cluster.context, &self.read, None)?;
        let rows = rows.select(self.rows()?).map_err(failed)?;
        let rows = rows.join(mapped.clone(), JoinType::Inner, &[HASH], &["m"], None).map_err(failed)?;
        rows.select(self.published()).map_err(failed)
    }

    /// Rows that were set aside, as they are published.
    fn joined_aside(&self, path: &Path, seated: &DataFrame) -> Result<DataFrame> {
        let failed = |error| self.failed(&error);
        let rows = exchange::read(&self.cluster.context, path, &split::schema(self))?;
        let on = (["f", "r"], ["sf", "sr"]);
        let rows = rows.join(seated.clone(), JoinType::Inner, &on.0, &on.1, None).map_err(failed)?;
        rows.select(self.published()).map_err(failed)
    }

    fn published(&self) -> Vec<Expr> {
        let names = (0..self.labels.len()).map(label).chain((0..self.kept.len()).map(kept));
        names.map(|name| column(&name)).collect()
    }

    /// The rows in a random order, in the columns of the release.
    ///
    /// The order comes from each executor's own generator: it depends on nothing that is known, neither the input
    /// nor the seed. A task that runs twice gives its rows another order, and the same rows.
    fn shuffled(&self, rows: DataFrame) -> Result<DataFrame> {
        let failed = |error| self.failed(&error);
        let random = function(&self.cluster.context, "random").map_err(failed)?;
        let mut select = self.published();
        select.push(random.call(vec![]).alias("o"));
        let rows = rows.select(select).and_then(|rows| rows.sort(vec![column("o").sort(true, false)]));
        let (mut labels, mut cells) = ((0..).map(label), (0..).map(kept));
        let named = self.recipe.columns.iter().filter_map(|published| match published {
            PublishedColumn::Recoded { name, .. } => Some(column(&labels.next()?).alias(name)),
            PublishedColumn::Kept { name, .. } => Some(column(&cells.next()?).alias(name)),
            PublishedColumn::ClassId { .. } => None,
        });
        rows.and_then(|rows| rows.select(named.collect::<Vec<Expr>>())).map_err(failed)
    }
}
