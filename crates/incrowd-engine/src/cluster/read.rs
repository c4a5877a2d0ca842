//! Plans that read the files of a table. Executors see what is on a file system that all machines share or in an object
//! store, and nothing else.

use std::sync::Arc;

use datafusion::common::Column;
use datafusion::config::{ParquetOptions, TableParquetOptions};
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::arrow::ArrowFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::prelude::{DataFrame, Expr, SessionContext};

use super::failed;
use super::tasks::TaskSizes;
use crate::runtime::error::{EngineError, Result};
use crate::source::file_table::FileTable;
use crate::source::files::{Compression, Format, TableFile};
use crate::source::table::Source;

/// A plan of a cluster's session that reads these columns, of all files or of the one at this place.
pub(super) fn read(
    source: &Source,
    context: &SessionContext,
    columns: &[String],
    only: Option<usize>,
) -> Result<DataFrame> {
    for column in columns {
        source.data_type(column)?;
    }
    let table = provider(source, files_of(source)?, only)?;
    let context = &sized(context, source.rows_expected().unwrap_or(0));
    let expressions: Vec<Expr> = columns.iter().map(|name| Expr::Column(Column::from_name(name))).collect();
    let frame = context.read_table(Arc::new(table)).and_then(|frame| frame.select(expressions));
    frame.map_err(|error| failed("planning the scan", &error))
}

/// The session with as many tasks as this many rows are worth, if they are worth more than the usual ones.
fn sized(context: &SessionContext, rows: u64) -> SessionContext {
    let mut state = context.state();
    let partitions = &mut state.config_mut().options_mut().execution.target_partitions;
    *partitions = TaskSizes::of_at_least(PLAN_ROWS).tasks(rows).max(*partitions);
    SessionContext::new_with_state(state)
}

/// Fewer rows are not worth a task of a plan: each task sends something to every other.
const PLAN_ROWS: u64 = 1 << 17;

fn files_of(source: &Source) -> Result<&FileTable> {
    let what = match (source.file_table(), source.database()) {
        (Some(table), _) => return Ok(table),
        (None, Some(_)) => "reading a database",
        (None, None) => "reading a table in memory",
    };
    Err(EngineError::NotOnCluster { what })
}

/// The files, or the one at this place, as executors read them.
fn provider(source: &Source, table: &FileTable, only: Option<usize>) -> Result<ListingTable> {
    let opening = |error| failed("opening the table", &error);
    let url = |file: &TableFile| ListingTableUrl::try_new(file.url()?, None).map_err(opening);
    let files = table.files.paths.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at));
    let urls = files.map(|(_, file)| url(file)).collect::<Result<Vec<_>>>()?;
    let config = ListingTableConfig::new_with_multi_paths(urls)
        .with_listing_options(listing(table))
        .with_schema(source.schema().clone());
    ListingTable::try_new(config).map_err(opening)
}

fn listing(table: &FileTable) -> ListingOptions {
    let format: Arc<dyn FileFormat> = match table.files.format {
        Format::Csv | Format::Xlsx | Format::Dta | Format::Sav => Arc::new(
            CsvFormat::default()
                .with_has_header(table.has_header)
                .with_delimiter(table.delimiter.unwrap_or(b','))
                .with_newlines_in_values(!table.can_be_cut)
                .with_file_compression_type(match table.files.compression {
                    Compression::None => FileCompressionType::UNCOMPRESSED,
                    Compression::Gzip => FileCompressionType::GZIP,
                    Compression::Zstd => FileCompressionType::ZSTD,
                }),
        ),
        Format::Parquet => Arc::new(ParquetFormat::default().with_options(parquet_options())),
        Format::Arrow => Arc::new(ArrowFormat),
    };
    // An empty extension takes the files as they are named: they were chosen already.
    ListingOptions::new(format).with_file_extension("")
}

/// Pages are read one behind the other, as they were checked, and not by an index of theirs.
fn parquet_options() -> TableParquetOptions {
    let global = ParquetOptions { enable_page_index: false, pruning: false, ..ParquetOptions::default() };
    TableParquetOptions { global, ..TableParquetOptions::default() }
}

#[cfg(test)]
mod tests {
    use arrow::array::Int32Array;
    use arrow::record_batch::RecordBatch;

    use super::*;

    #[test]
    fn a_cluster_reads_files_and_nothing_else() {
        let numbers = Arc::new(Int32Array::from_iter_values(0..3));
        let batch = RecordBatch::try_from_iter([("n", numbers as _)]).expect("a batch");
        let source = Source::of_batches("frame", &batch.schema(), vec![batch.clone()]).expect("a source");
        let refused = read(&source, &SessionContext::new(), &["n".to_string()], None).err();
        let told = refused.map(|error| (error.code(), error.to_string()));
        assert_eq!(told, Some(("IC422", "reading a table in memory is not supported on a cluster".to_string())));
    }
}
