//! Ballista by itself: the yardstick that `incrowd --cluster` is printed beside.
//!
//! `bare URL TABLE.parquet COLUMNS KEPT FOLDER` does what is left of a release when nothing is decided, with the same
//! session and the same plans: it groups the rows by the columns with a hash of each group, brings the groups here,
//! writes a mapping from hash to values into the folder, joins the rows with it, sorts them by a random number and
//! writes them there. Prints the seconds of both as JSON.

use std::fs::File;
use std::time::Instant;

use datafusion::arrow::array::RecordBatch;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::ParquetReadOptions;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(32 << 20).build()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, table, columns, kept, folder] = &arguments[..] else {
        return Err("usage: bare URL TABLE.parquet COLUMNS KEPT FOLDER".into());
    };
    let seconds = runtime.block_on(run(url, table, columns, kept, folder))?;
    #[allow(clippy::print_stdout)]
    {
        println!("{{\"group\": {:.3}, \"write\": {:.3}, \"groups\": {}}}", seconds.0, seconds.1, seconds.2);
    }
    Ok(())
}

async fn run(url: &str, table: &str, columns: &str, kept: &str, folder: &str) -> Result<(f64, f64, usize), Failure> {
    let started = Instant::now();
    let context = incrowd_cluster::connect(url, [7; 32])?.context;
    context.register_parquet("t", table, ParquetReadOptions::default()).await?;
    let names: Vec<String> = columns.split(',').map(|name| format!("\"{name}\"")).collect();
    let list = names.join(", ");
    let key = "07".repeat(32);
    let parts: Vec<String> = names.iter().map(|name| format!("chr(0), cast({name} AS VARCHAR)")).collect();
    let hash = format!("sha256(concat('{key}', {}))", parts.join(", "));
    let grouped = format!("SELECT {hash} AS m, {list}, n FROM (SELECT {list}, count(*) AS n FROM t GROUP BY {list})");
    let groups: Vec<RecordBatch> = context.sql(&grouped).await?.collect().await?;
    let rows = groups.iter().map(RecordBatch::num_rows).sum();
    let group_seconds = started.elapsed().as_secs_f64();

    let started = Instant::now();
    let map = format!("{folder}/bare-map.parquet");
    let schema = groups.first().ok_or("the table is empty")?.schema();
    let mut writer = ArrowWriter::try_new(File::create(&map)?, schema, None)?;
    groups.iter().try_for_each(|batch| writer.write(batch))?;
    writer.close()?;
    context.register_parquet("m", &map, ParquetReadOptions::default()).await?;
    let mapped: Vec<String> = names.iter().map(|name| format!("m.{name}")).collect();
    let others: Vec<String> = kept.split(',').map(|name| format!("\"{name}\"")).collect();
    let rows_of = format!("SELECT {hash} AS h, {} FROM t", others.join(", "));
    let joined = format!(
        "SELECT {}, {}, random() AS o FROM ({rows_of}) r JOIN m ON h = m",
        mapped.join(", "),
        others.join(", ")
    );
    let written = format!("SELECT {list}, {} FROM ({joined}) ORDER BY o", others.join(", "));
    let copy = format!(
        "COPY ({written}) TO '{folder}/bare.parquet' STORED AS PARQUET OPTIONS ('format.compression' 'snappy')"
    );
    context.sql(&copy).await?.collect().await?;
    Ok((group_seconds, started.elapsed().as_secs_f64(), rows))
}
