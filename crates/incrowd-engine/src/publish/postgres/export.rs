//! Released tables as plain files, for a verifier that knows no database.
//!
//! Rows are written in the order of the table, in the form of a CSV release. So the SHA-256 that
//! the manifest has for such a file is a digest of the table's rows, cells and their order, whatever the server's pages
//! hold.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::Schema;
use futures::StreamExt;
use tokio_postgres::SimpleQueryMessage;

use crate::publish::release_file::{Encoding, PublishedCells, ReleaseFile, TextStyle, WrittenColumn, WrittenFile};
use crate::runtime::database_fault::DatabaseFault;
use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::DatabaseRemedy;
use crate::source::files::Format;
use crate::source::postgres::after_prefix;
use crate::source::postgres::names::TableName;
use crate::source::postgres::session::Session;
use crate::source::postgres::settings::settings;
use crate::source::postgres::snapshot::{Relation, Snapshot, columns, exists};
use crate::source::postgres::table::copied;
use crate::source::stream::BatchStream;

/// The tables that a release may have: the name of the file each is known by, and what its name ends with.
pub(crate) const TABLES: [(&str, &str); 3] =
    [("data", ""), ("quasi_identifiers", "_quasi_identifiers"), ("sensitive", "_sensitive")];
/// What the name of the table with the manifest ends with.
pub(crate) const MANIFEST: &str = "_manifest";

/// The rows of a batch.
const ROWS: usize = 1 << 13;

/// Writes the tables of a release, and its manifest, into a folder as if it had been published as CSV files.
///
/// What is not there is not written: the verifier says what is missing.
pub fn fetch_release(engine: &Engine, named: &str, connection: Option<&Path>, folder: &Path) -> Result<()> {
    let asked = after_prefix(named).unwrap_or(named);
    let name = TableName::parse(asked)?;
    let settings = settings(named, connection, &|name| std::env::var(name).ok())?;
    engine.block_on(async {
        let snapshot = Snapshot::take(named, &settings).await?;
        let mut found = 0;
        for (file, ending) in TABLES {
            let Ok(table) = name.with(ending) else { continue };
            if exists(snapshot.session(), &table).await? {
                found += 1;
                export(engine, &snapshot.share(&settings).await?, &table, file, folder).await?;
            }
        }
        let manifest = name.with(MANIFEST)?;
        if exists(snapshot.session(), &manifest).await? {
            let text = manifest_text(snapshot.session(), &manifest).await?;
            let path = folder.join("manifest.json");
            std::fs::write(&path, text).map_err(|error| EngineError::io(path, error))?;
        } else if found == 0 {
            return Err(DatabaseFault::new(named, "the release does not exist", DatabaseRemedy::CheckName).into());
        }
        Ok(())
    })
}

/// The text of the manifest; nothing when the table has not exactly one row, which no verifier accepts.
pub(crate) async fn manifest_text(session: &Session, table: &TableName) -> Result<String> {
    let rows = session.client().simple_query(&format!("SELECT manifest FROM {table} LIMIT 2")).await;
    let rows = rows.map_err(|error| session.failed("reading the manifest", &error))?;
    let mut texts = rows.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row.try_get(0).ok().flatten().unwrap_or_default()),
        _ => None,
    });
    let only = texts.next().filter(|_| texts.next().is_none());
    Ok(only.unwrap_or_default().into())
}

/// Writes a table into a CSV file of this name, in the order of its rows.
pub(crate) async fn export(
    engine: &Engine,
    session: &Arc<Session>,
    table: &TableName,
    file: &str,
    folder: &Path,
) -> Result<WrittenFile> {
    let relation = Relation::whole(table);
    let found = columns(session, &relation).await?;
    let all: Vec<_> = found.iter().collect();
    let (schema, rows) = copied(session.clone(), &relation.copy(&all, None, None), &all, ROWS).await?;
    let (file, encoding) = ReleaseFile::create(folder, file, Format::Csv, plain(&schema), TextStyle::default())?;
    write(engine, rows, file, &encoding).await
}

async fn write(
    engine: &Engine,
    mut rows: BatchStream,
    mut file: ReleaseFile,
    encoding: &Encoding,
) -> Result<WrittenFile> {
    while let Some(batch) = rows.next().await {
        engine.check_cancelled()?;
        let batch = batch.map_err(|fault| fault.refusal("reading"))?;
        let cells = batch.columns().iter().map(|column| PublishedCells::Kept(column.clone())).collect();
        file.append(encoding.encode(cells, batch.num_rows())?, batch.num_rows() as u64)?;
    }
    file.finish()
}

fn plain(schema: &Schema) -> Vec<WrittenColumn> {
    let column = |field: &Arc<arrow::datatypes::Field>| WrittenColumn {
        name: field.name().clone(),
        kept: Some(field.data_type().clone()),
        days: false,
        statistics: None,
    };
    schema.fields().iter().map(column).collect()
}
