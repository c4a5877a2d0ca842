//! A table or a query in a database, as the origin of rows.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatchOptions;
use futures::{StreamExt, TryStreamExt};
use tokio_postgres::CopyOutStream;

use crate::runtime::database_fault::DatabaseFault;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::DatabaseRemedy;
use crate::source::file_table::TableShape;
use crate::source::files::ReadOptions;
use crate::source::header::check_names;
use crate::source::postgres::decode::{Decoder, Undecoded};
use crate::source::postgres::names::TableName;
use crate::source::postgres::session::Session;
use crate::source::postgres::settings::{ConnectionSettings, settings};
use crate::source::postgres::snapshot::{Relation, Snapshot, first_cell, label};
use crate::source::postgres::types::DatabaseColumn;
use crate::source::projection::RowWindow;
use crate::source::stream::{BatchStream, StreamFault};

/// A connection is worth making for this many pages.
const PAGES_EACH: u64 = 128;
/// A batch ends when its cells take this many bytes.
const BATCH_BYTES: usize = 4 << 20;

/// A table in a database as one snapshot shows it.
#[derive(Clone)]
pub(crate) struct DatabaseTable {
    named: String,
    settings: ConnectionSettings,
    snapshot: Arc<Snapshot>,
    relation: Relation,
    columns: Vec<DatabaseColumn>,
}

impl std::fmt::Debug for DatabaseTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatabaseTable").field("named", &self.named).finish_non_exhaustive()
    }
}

impl DatabaseTable {
    /// Connects, takes a snapshot and looks at the columns.
    pub(crate) fn open(engine: &Engine, asked: &str, options: &ReadOptions) -> Result<(DatabaseTable, TableShape)> {
        let label = label(asked);
        let settings = settings(&label, options.connection.as_deref(), &|name| std::env::var(name).ok())?;
        let (snapshot, relation, columns) = engine.block_on(async {
            let snapshot = Snapshot::take(&label, &settings).await?;
            let relation = snapshot.relation(asked).await?;
            let columns = snapshot.columns(&relation).await?;
            Ok::<_, EngineError>((snapshot, relation, columns))
        })?;
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        check_names(label.as_ref(), &names)?;
        let fields = columns.iter().map(|column| Field::new(&column.name, column.data_type.clone(), true)).collect();
        let table = DatabaseTable { named: label, settings, snapshot: Arc::new(snapshot), relation, columns };
        Ok((table, TableShape { fields, ..TableShape::default() }))
    }

    /// Whether this table, or a query's, is among the relations that are read. The transaction of the snapshot has
    /// looked at each of them, so it holds a lock on each.
    pub(crate) async fn reads(&self, table: &TableName) -> Result<bool> {
        let name = table.to_string().replace('\'', "''");
        let held = format!(
            "SELECT 1 FROM pg_catalog.pg_locks WHERE locktype = 'relation' AND pid = pg_catalog.pg_backend_pid() \
             AND relation = pg_catalog.to_regclass('{name}')::pg_catalog.oid"
        );
        Ok(first_cell(self.snapshot.session(), &held).await?.is_some())
    }

    /// A stream of these columns for each stretch of pages, each on its own connection.
    pub(crate) async fn streams(
        &self,
        columns: &[String],
        window: RowWindow,
        threads: usize,
    ) -> Result<Vec<BatchStream>> {
        let find = |name: &String| self.columns.iter().find(|column| column.name == *name);
        let columns: Vec<&DatabaseColumn> = columns.iter().filter_map(find).collect();
        let mut streams = Vec::new();
        for pages in self.stretches(threads, window.most_rows) {
            let session = self.snapshot.share(&self.settings).await?;
            let copy = self.relation.copy(&columns, pages, window.most_rows);
            streams.push(copied(session, &copy, &columns, window.batch_rows).await?.1);
        }
        Ok(streams)
    }

    /// Stretches of pages, the same for as many threads; the whole when it cannot be cut, or is not worth it.
    fn stretches(&self, threads: usize, most_rows: Option<usize>) -> Vec<Option<Range<u64>>> {
        let Some(pages) = self.relation.pages.filter(|_| most_rows.is_none()) else { return vec![None] };
        let stretches = (pages / PAGES_EACH).clamp(1, threads as u64);
        let border = |at: u64| if at == stretches { u64::MAX } else { pages * at / stretches };
        (0..stretches).map(|at| Some(border(at)..border(at + 1))).collect()
    }
}

/// The rows that a COPY statement sends, and the columns that they have.
pub(crate) async fn copied(
    session: Arc<Session>,
    copy: &str,
    columns: &[&DatabaseColumn],
    batch_rows: usize,
) -> Result<(SchemaRef, BatchStream)> {
    let rows = session.client().copy_out(copy).await.map_err(|error| session.failed("reading", &error))?;
    let fields: Vec<Field> =
        columns.iter().map(|column| Field::new(&column.name, column.data_type.clone(), true)).collect();
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let reader = CopyReader {
        session,
        rows: Box::pin(rows),
        decoder: Decoder::new(columns.iter().map(|column| &column.data_type)),
        schema: schema.clone(),
        batch_rows,
        done: false,
    };
    let batches = futures::stream::try_unfold(reader, |mut reader| async move {
        let batch = reader.next().await?;
        Ok::<_, StreamFault>(batch.map(|batch| (batch, reader)))
    });
    Ok((schema, batches.boxed()))
}

struct CopyReader {
    // Dropped last of what it serves; the connection ends with it.
    session: Arc<Session>,
    rows: std::pin::Pin<Box<CopyOutStream>>,
    decoder: Decoder,
    schema: SchemaRef,
    batch_rows: usize,
    done: bool,
}

impl CopyReader {
    async fn next(&mut self) -> std::result::Result<Option<RecordBatch>, StreamFault> {
        while !self.done && self.decoder.rows < self.batch_rows && self.decoder.bytes < BATCH_BYTES {
            let piece = self.rows.try_next().await;
            let piece = piece
                .map_err(|error| StreamFault::Database(DatabaseFault::of(&self.session.named, "reading", &error)))?;
            match piece {
                Some(piece) => self.decoder.take(&piece).map_err(|undecoded| self.undecoded(undecoded))?,
                None if self.decoder.ended() => self.done = true,
                None => return Err(self.cut()),
            }
        }
        let rows = self.decoder.rows;
        if rows == 0 {
            return Ok(None);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), self.decoder.finish(), &options);
        batch.map(Some).map_err(|_| self.cut())
    }

    fn undecoded(&self, undecoded: Undecoded) -> StreamFault {
        match undecoded {
            Undecoded::Form => self.cut(),
            Undecoded::Cell(at, fault) => StreamFault::Cell { column: self.schema.field(at).name().clone(), fault },
        }
    }

    /// What cannot be decoded to its end is treated as a stream that was cut.
    fn cut(&self) -> StreamFault {
        let (fact, remedy) = ("the rows were transferred incompletely", DatabaseRemedy::RunAgainOrReadAsText);
        StreamFault::Database(DatabaseFault::new(&self.session.named, fact, remedy))
    }
}
