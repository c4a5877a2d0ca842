//! A release as tables of a database: all of them and the manifest in one transaction, or nothing.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::types::Int64Type;
use arrow::array::{ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::ipc::reader::FileReader;
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use futures::SinkExt;
use incrowd_core::Stage;
use sha2::{Digest, Sha256};
use tokio_postgres::CopyInSink;

use crate::publish::postgres::encode::{HEADER, TRAILER, rows, stored, stored_type};
use crate::publish::postgres::export::{MANIFEST, TABLES, export, manifest_text};
use crate::publish::release_file::WrittenFile;
use crate::publish::staging::misfit;
use crate::runtime::database_fault::DatabaseFault;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::DatabaseRemedy;
use crate::source::instants::ticks;
use crate::source::postgres::after_prefix;
use crate::source::postgres::names::{TableName, check_length, quoted};
use crate::source::postgres::session::Session;
use crate::source::postgres::settings::{ConnectionSettings, settings};
use crate::source::postgres::snapshot::{exists, first_cell};
use crate::source::postgres::types::sql_type;
use crate::source::table::Source;

/// A release on its way into a database. Dropped before [`Publication::commit`], it leaves nothing there.
pub struct Publication {
    pub(super) named: String,
    pub(super) name: TableName,
    pub(super) settings: ConnectionSettings,
    /// The connection whose transaction holds what was loaded.
    pub(super) session: Option<Arc<Session>>,
    /// The tables that were loaded.
    pub(super) loaded: Vec<TableName>,
}

impl std::fmt::Debug for Publication {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Publication").field("named", &self.named).finish_non_exhaustive()
    }
}

impl Publication {
    /// Refuses, before any work is done, a name that is taken, that the source is read from, too long, or in a schema
    /// where nothing may be created.
    pub fn begin(
        engine: &Engine,
        source: &Source,
        named: &str,
        connection: Option<&Path>,
        force: bool,
    ) -> Result<Publication> {
        let name = TableName::parse(after_prefix(named).unwrap_or(named))?;
        let settings = settings(named, connection, &|name| std::env::var(name).ok())?;
        TABLES.iter().try_for_each(|(_, ending)| name.with(ending).map(drop))?;
        let publication = Publication { named: named.into(), name, settings, session: None, loaded: Vec::new() };
        engine.block_on(async {
            let session = Session::connect(named, &publication.settings).await?;
            let schema = publication.name.schema.as_ref();
            let schema = schema.map_or("pg_catalog.current_schema()".into(), |schema| literal(schema));
            let may = format!("SELECT pg_catalog.has_schema_privilege({schema}, 'CREATE')");
            if first_cell(&session, &may).await?.as_deref() != Some("t") {
                let remedy = DatabaseRemedy::AskForSchema;
                return Err(DatabaseFault::new(named, "no permission to create tables there", remedy).into());
            }
            for table in publication.check_taken(&session, force).await? {
                // A release that replaces its own source would wait for the lock that its own reading holds.
                let Some(database) = source.database() else { break };
                if database.reads(&table).await? {
                    return Err(EngineError::OverSource(named.into()));
                }
            }
            Ok(())
        })?;
        Ok(publication)
    }

    /// The tables of an existing release; refused unless it may be replaced.
    async fn check_taken(&self, session: &Session, force: bool) -> Result<Vec<TableName>> {
        let mut taken = Vec::new();
        for ending in TABLES.iter().map(|(_, ending)| *ending).chain([MANIFEST]) {
            let table = self.name.with(ending)?;
            if exists(session, &table).await? {
                taken.push(table);
            }
        }
        if !taken.is_empty() && !force {
            let (fact, remedy) = ("a table of this name already exists", DatabaseRemedy::ForceOrRename);
            return Err(DatabaseFault::new(&self.named, fact, remedy).into());
        }
        if !taken.is_empty() {
            self.check_ours(session, &taken).await?;
        }
        Ok(taken)
    }

    /// Refuses to replace tables unless one is a manifest, and each has the mark of that very manifest.
    async fn check_ours(&self, session: &Session, taken: &[TableName]) -> Result<()> {
        let manifest = self.name.with(MANIFEST)?;
        let remedy = DatabaseRemedy::DropOrRename;
        if !taken.contains(&manifest) || !comment(session, &manifest).await?.starts_with(MARK) {
            return Err(DatabaseFault::new(&self.named, "the table of this name is not a release", remedy).into());
        }
        let mark = mark(&manifest_text(session, &manifest).await?);
        for table in taken {
            if comment(session, table).await? != mark {
                let fact = format!("the table {table} is not part of the release, or its manifest was changed");
                return Err(DatabaseFault::new(&self.named, fact, remedy).into());
            }
        }
        Ok(())
    }

    /// Begins the transaction, makes a table of each staged Arrow file, and writes the content of the tables into
    /// a folder as CSV: that is what is to be verified.
    pub fn load(
        &mut self,
        engine: &Engine,
        staged: &Path,
        files: &[WrittenFile],
        force: bool,
        folder: &Path,
    ) -> Result<Vec<WrittenFile>> {
        engine.block_on(async {
            let session = Arc::new(Session::connect(&self.named, &self.settings).await?);
            session.run("beginning to write", "BEGIN").await?;
            let doing = "replacing the old release";
            for table in self.check_taken(&session, force).await? {
                session.run(doing, &format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")).await?;
            }
            // Once more, now that they can no longer change.
            for table in self.check_taken(&session, force).await? {
                session.run(doing, &format!("DROP TABLE {table}")).await?;
            }
            let mut written = Vec::new();
            for file in files {
                let stem = file.name.split('.').next().unwrap_or_default();
                let ending = TABLES.iter().find(|(name, _)| *name == stem).map_or("", |(_, ending)| ending);
                let (table, path) = (self.name.with(ending)?, staged.join(&file.name));
                self.copy_in(engine, &session, &table, &path, file.rows).await?;
                self.loaded.push(table.clone());
                let exported = export(engine, &session, &table, stem, folder).await?;
                if exported.rows != file.rows {
                    let (read, expected) = (exported.rows, file.rows);
                    return Err(EngineError::RowsDiffer { name: self.named.clone(), read, expected });
                }
                written.push(exported);
            }
            self.session = Some(session);
            Ok(written)
        })
    }

    async fn copy_in(
        &self,
        engine: &Engine,
        session: &Session,
        table: &TableName,
        path: &Path,
        total: u64,
    ) -> Result<()> {
        let types = stored_types(path)?;
        let mut columns = Vec::new();
        for (name, data_type) in &types {
            check_length(&self.named, name)?;
            columns.push(format!("{} {}", quoted(name), sql_type(data_type)));
        }
        session.run("creating the table", &format!("CREATE TABLE {table} ({})", columns.join(", "))).await?;
        let failed = |error: tokio_postgres::Error| session.failed("writing", &error);
        let copy = format!("COPY {table} FROM STDIN (FORMAT binary)");
        let sink: CopyInSink<Bytes> = session.client().copy_in(&copy).await.map_err(failed)?;
        let mut sink = Box::pin(sink);
        sink.send(Bytes::from_static(HEADER)).await.map_err(failed)?;
        let mut done = 0;
        for batch in batches(path)? {
            engine.check_cancelled()?;
            let batch = batch?;
            let columns = batch.columns().iter().zip(&types).map(|(column, (_, to))| stored(column, to));
            let mut bytes = Vec::new();
            rows(&columns.collect::<Result<Vec<ArrayRef>>>()?, &mut bytes);
            sink.send(bytes.into()).await.map_err(failed)?;
            done += batch.num_rows() as u64;
            engine.progress.update(Stage::Write, done, Some(total));
        }
        sink.send(Bytes::copy_from_slice(&TRAILER)).await.map_err(failed)?;
        sink.as_mut().finish().await.map_err(failed)?;
        Ok(())
    }
}

/// What the comment on every table of a release begins with.
const MARK: &str = "incrowd release, manifest SHA-256 ";

/// The comment on every table of the release with this manifest.
pub(super) fn mark(manifest: &str) -> String {
    let sum: String = Sha256::digest(manifest.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{MARK}{sum}")
}

/// The comment on a table; empty when it has none.
async fn comment(session: &Session, table: &TableName) -> Result<String> {
    let name = literal(&table.to_string());
    let comment =
        format!("SELECT pg_catalog.obj_description(pg_catalog.to_regclass({name})::pg_catalog.oid, 'pg_class')");
    Ok(first_cell(session, &comment).await?.unwrap_or_default())
}

/// A text in quotes, whatever the server takes a backslash for.
pub(super) fn literal(text: &str) -> String {
    format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn batches(path: &Path) -> Result<impl Iterator<Item = Result<RecordBatch>>> {
    let file = File::open(path).map_err(|error| EngineError::io(path, error))?;
    let reader = FileReader::try_new(BufReader::new(file), None).map_err(|_| misfit())?;
    let path: PathBuf = path.into();
    Ok(reader.map(move |batch| batch.map_err(|_| EngineError::Damaged { path: path.clone(), format: "Arrow" })))
}

/// The columns of a staged file, in the types that the database has for them.
fn stored_types(path: &Path) -> Result<Vec<(String, DataType)>> {
    let mut about: Vec<(String, DataType, Instants)> = Vec::new();
    for batch in batches(path)? {
        let batch = batch?;
        if about.is_empty() {
            let fields = batch
                .schema()
                .fields()
                .iter()
                .map(|field| (field.name().clone(), field.data_type().clone(), Instants::default()))
                .collect();
            about = fields;
        }
        for (column, (_, data_type, instants)) in batch.columns().iter().zip(&mut about) {
            if let Some(second) = ticks(data_type) {
                instants.look_at(column, second)?;
            }
        }
    }
    if about.is_empty() {
        return Err(EngineError::Empty(path.display().to_string()));
    }
    let stored = |(name, data_type, instants): (String, DataType, Instants)| {
        let of = stored_type(&data_type, instants.any && instants.days, instants.microseconds);
        (name, of)
    };
    Ok(about.into_iter().map(stored).collect())
}

/// What the instants of a column have in common.
struct Instants {
    any: bool,
    days: bool,
    microseconds: bool,
}

impl Default for Instants {
    fn default() -> Self {
        Instants { any: false, days: true, microseconds: true }
    }
}

impl Instants {
    fn look_at(&mut self, column: &ArrayRef, second: i64) -> Result<()> {
        let ticks = cast(column, &DataType::Int64).map_err(|_| misfit())?;
        for tick in ticks.as_primitive::<Int64Type>().iter().flatten() {
            self.any = true;
            self.days &= tick % (second * 86_400) == 0;
            self.microseconds &= second <= 1_000_000 || tick % (second / 1_000_000) == 0;
        }
        Ok(())
    }
}
