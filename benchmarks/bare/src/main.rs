//! DataFusion by itself: the yardstick that incrowd's figures are printed beside.
//!
//! `bare-engine FILE COLUMNS [MEMORY_BYTES TEMP_DIR]` reads a CSV or Parquet file and answers the question "how large
//! is the smallest class?" with the engine's own GROUP BY, on all cores, with its default settings.

use std::sync::Arc;

use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{CsvReadOptions, ParquetReadOptions, SessionConfig, SessionContext};

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, columns, limits @ ..] = &arguments[..] else {
        return Err("usage: bare-engine FILE COLUMNS [MEMORY_BYTES TEMP_DIR]".into());
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
    if file.ends_with(".csv") {
        context.register_csv("t", file, CsvReadOptions::new()).await?;
    } else {
        context.register_parquet("t", file, ParquetReadOptions::default()).await?;
    }
    let columns: Vec<String> = columns.split(',').map(|name| format!("\"{name}\"")).collect();
    let columns = columns.join(", ");
    let query = format!("SELECT min(c), count(*) FROM (SELECT count(*) AS c FROM t GROUP BY {columns})");
    context.sql(&query).await?.show().await?;
    Ok(())
}
