//! DataFusion by itself: the yardstick that incrowd's figures are printed beside.
//!
//! `bare-engine FILE COLUMNS [MEMORY_BYTES TEMP_DIR]` reads a CSV or Parquet file and answers the question "how large
//! is the smallest class?" with the engine's own GROUP BY, on all cores, with its default settings.
//!
//! `bare-engine --release OUT.parquet WRITTEN FILE COLUMNS [MEMORY_BYTES TEMP_DIR]` does what is left of a release when
//! nothing is decided: it groups the rows by the columns, then writes the columns WRITTEN of all rows in random order to a
//! Parquet file with snappy.
//!
//! `bare-engine --write OUT.parquet WRITTEN FILE [MEMORY_BYTES TEMP_DIR]` does the same without grouping.
//!
//! `bare-engine --count FILE CONDITION` counts the rows of a file whose published labels satisfy an SQL condition.
//!
//! `bare-engine --count FILE CONDITION SECOND CONDITION CLASS` counts the rows of a second file that satisfy the second
//! condition and whose class has a row in the first that satisfies the first.
//!
//! `bare-engine --scan FILE` reads every cell of a file, and prints the number of rows.
//!
//! `bare-engine --copy URL TABLE COLUMNS CONNECTIONS` copies columns of a table in PostgreSQL into Arrow.

mod copy;

use std::sync::Arc;

use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{CsvReadOptions, ParquetReadOptions, SessionConfig, SessionContext};
use futures::TryStreamExt;

/// As incrowd writes.
const SNAPPY: &str = "OPTIONS ('format.compression' 'snappy')";

type Failure = Box<dyn std::error::Error>;

/// A file as a table.
async fn register(context: &SessionContext, name: &str, file: &str) -> Result<(), Failure> {
    if file.ends_with(".csv") {
        context.register_csv(name, file, CsvReadOptions::new()).await?;
    } else {
        context.register_parquet(name, file, ParquetReadOptions::default()).await?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [option, url, table, columns, connections] = &arguments[..]
        && option == "--copy"
    {
        let rows = copy::copy(url, table, columns, connections.parse()?).await?;
        std::io::Write::write_all(&mut std::io::stdout(), format!("{rows}\n").as_bytes())?;
        return Ok(());
    }
    if let [option, file] = &arguments[..]
        && option == "--scan"
    {
        let context = SessionContext::new();
        let table = match file.ends_with(".csv") {
            true => context.read_csv(file, CsvReadOptions::new()).await?,
            false => context.read_parquet(file, ParquetReadOptions::default()).await?,
        };
        let mut stream = table.execute_stream().await?;
        let mut rows = 0;
        while let Some(batch) = stream.try_next().await? {
            rows += std::hint::black_box(batch).num_rows();
        }
        std::io::Write::write_all(&mut std::io::stdout(), format!("{rows}\n").as_bytes())?;
        return Ok(());
    }
    if let [option, file, condition, second @ ..] = &arguments[..]
        && option == "--count"
    {
        let context = SessionContext::new();
        register(&context, "t", file).await?;
        let mut query = format!("SELECT count(*) FROM t WHERE {condition}");
        if let [file, other, class] = second {
            register(&context, "s", file).await?;
            let touched = format!("SELECT \"{class}\" FROM t WHERE {condition}");
            query = format!("SELECT count(*) FROM s WHERE {other} AND \"{class}\" IN ({touched})");
        }
        return Ok(context.sql(&query).await?.show().await?);
    }
    let (release, arguments) = match &arguments[..] {
        [option, out, written, rest @ ..] if option == "--release" || option == "--write" => {
            (Some((out, written, option == "--release")), rest)
        }
        all => (None, all),
    };
    let groups = release.is_none_or(|(_, _, groups)| groups);
    let (file, columns, limits) = match arguments {
        [file, limits @ ..] if !groups => (file, "", limits),
        [file, columns, limits @ ..] => (file, columns.as_str(), limits),
        _ => {
            return Err(
                "usage: bare-engine [--release|--write OUT.parquet WRITTEN] FILE COLUMNS [MEMORY_BYTES TEMP_DIR]"
                    .into(),
            );
        }
    };
    let mut environment = RuntimeEnvBuilder::new();
    if let [memory, temp] = limits {
        let disk = DiskManagerBuilder::default()
            .with_mode(DiskManagerMode::Directories(vec![temp.into()]))
            .with_max_temp_directory_size(1 << 40);
        let pool = Arc::new(FairSpillPool::new(memory.parse()?));
        environment = environment.with_memory_pool(pool).with_disk_manager_builder(disk);
    }
    let context = SessionContext::new_with_config_rt(SessionConfig::new(), environment.build_arc()?);
    register(&context, "t", file).await?;
    let list = |names: &str| names.split(',').map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    if groups {
        let columns = list(columns);
        let query = format!("SELECT min(c), count(*) FROM (SELECT count(*) AS c FROM t GROUP BY {columns})");
        context.sql(&query).await?.show().await?;
    }
    if let Some((out, written, _)) = release {
        let (out, written) = (out.replace('\'', "''"), list(written));
        let copy = format!("COPY (SELECT {written} FROM t ORDER BY random()) TO '{out}' STORED AS PARQUET {SNAPPY}");
        context.sql(&copy).await?.show().await?;
    }
    Ok(())
}
