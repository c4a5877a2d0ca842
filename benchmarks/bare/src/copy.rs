//! Binary COPY into Arrow builders and nothing else: the least that reading a table from PostgreSQL can cost.
//!
//! `bare-engine --copy URL TABLE COLUMNS CONNECTIONS` reads the columns on so many connections, each a stretch of the table's
//! pages, and prints the rows.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Date32Builder, Int32Builder, Int64Builder, StringBuilder};
use futures::TryStreamExt;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, NoTls};

use crate::Failure;

enum Builder {
    Int32(Int32Builder),
    Int64(Int64Builder),
    Date(Date32Builder),
    Text(StringBuilder),
}

impl Builder {
    fn new(of: &Type) -> Result<Builder, Failure> {
        Ok(match *of {
            Type::INT4 => Builder::Int32(Int32Builder::new()),
            Type::INT8 => Builder::Int64(Int64Builder::new()),
            Type::DATE => Builder::Date(Date32Builder::new()),
            Type::TEXT | Type::VARCHAR => Builder::Text(StringBuilder::new()),
            _ => return Err("only int4, int8, date and text are read here".into()),
        })
    }

    fn add(&mut self, cell: Option<&[u8]>) -> Result<(), Failure> {
        match self {
            Builder::Int32(builder) => {
                builder.append_option(cell.map(|cell| cell.try_into().map(i32::from_be_bytes)).transpose()?);
            }
            Builder::Int64(builder) => {
                builder.append_option(cell.map(|cell| cell.try_into().map(i64::from_be_bytes)).transpose()?);
            }
            Builder::Date(builder) => {
                let days = cell.map(|cell| cell.try_into().map(i32::from_be_bytes)).transpose()?;
                builder.append_option(days.map(|days| days + 10_957));
            }
            Builder::Text(builder) => builder.append_option(cell.map(std::str::from_utf8).transpose()?),
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Int32(builder) => Arc::new(builder.finish()),
            Builder::Int64(builder) => Arc::new(builder.finish()),
            Builder::Date(builder) => Arc::new(builder.finish()),
            Builder::Text(builder) => Arc::new(builder.finish()),
        }
    }
}

async fn connect(url: &str) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(async move { drop(connection.await) });
    Ok(client)
}

/// Reads the table on so many connections; returns its rows.
pub(crate) async fn copy(url: &str, table: &str, columns: &str, connections: u64) -> Result<u64, Failure> {
    let columns = columns.split(',').map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let client = connect(url).await?;
    let size = "SELECT pg_relation_size($1::text::regclass) / current_setting('block_size')::int8";
    let pages = client.query_one(size, &[&table]).await?.get::<_, i64>(0) as u64;
    let types = client.prepare(&format!("SELECT {columns} FROM {table}")).await?;
    let types: Vec<Type> = types.columns().iter().map(|column| column.type_().clone()).collect();
    let mut tasks = Vec::new();
    for at in 0..connections {
        let (from, to) = (pages * at / connections, pages * (at + 1) / connections);
        let until = if at + 1 == connections { String::new() } else { format!(" AND ctid < '({to},0)'") };
        let query =
            format!("COPY (SELECT {columns} FROM {table} WHERE ctid >= '({from},0)'{until}) TO STDOUT (FORMAT binary)");
        let (client, types) = (connect(url).await?, types.clone());
        tasks.push(tokio::spawn(
            async move { stretch(&client, &query, &types).await.map_err(|error| error.to_string()) },
        ));
    }
    let mut rows = 0;
    for task in tasks {
        rows += task.await??;
    }
    Ok(rows)
}

async fn stretch(client: &Client, query: &str, types: &[Type]) -> Result<u64, Failure> {
    let mut builders = types.iter().map(Builder::new).collect::<Result<Vec<_>, _>>()?;
    let mut stream = Box::pin(client.copy_out(query).await?);
    let (mut rows, mut began) = (0, false);
    // The server sends each row in a message of its own, the header before the first of them.
    while let Some(message) = stream.try_next().await? {
        let mut bytes = if began { &message[..] } else { message.get(19..).unwrap_or_default() };
        began = true;
        while let Some((count, mut rest)) = bytes.split_first_chunk::<2>() {
            if i16::from_be_bytes(*count) < 0 {
                break;
            }
            for builder in &mut builders {
                let (length, after) = rest.split_first_chunk::<4>().ok_or("a cell was cut")?;
                let (cell, after) = match usize::try_from(i32::from_be_bytes(*length)) {
                    Ok(length) => {
                        after.split_at_checked(length).map(|(cell, after)| (Some(cell), after)).ok_or("cut")?
                    }
                    Err(_) => (None, after),
                };
                builder.add(cell)?;
                rest = after;
            }
            rows += 1;
            bytes = rest;
            if rows % 8192 == 0 {
                std::hint::black_box(builders.iter_mut().map(Builder::finish).collect::<Vec<_>>());
            }
        }
    }
    std::hint::black_box(builders.iter_mut().map(Builder::finish).collect::<Vec<_>>());
    Ok(rows)
}
