//! The tables that are damaged: the same rows in every format, and what the formats can do besides.

use std::io::Write;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float64Array, Int32Array, Int64Array, StringArray,
    StringViewArray, TimestampMillisecondArray,
};
use arrow::datatypes::Int32Type;
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};

/// Rows of every seed.
pub(crate) const ROWS: u64 = 60;

/// A table as a file.
pub(crate) struct Seed {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
}

impl Seed {
    pub(crate) fn is_text(&self) -> bool {
        self.name.contains(".csv")
    }
}

/// The seeds of a family: `parquet`, `arrow` or `csv`.
pub(crate) fn seeds(family: &str) -> Vec<Seed> {
    let (whole, plain) = (batch(), WriterProperties::builder().set_max_row_group_row_count(Some(25)));
    let parquet = |name: &'static str, properties: WriterProperties| {
        let mut writer = ArrowWriter::try_new(Vec::new(), whole.schema(), Some(properties)).unwrap();
        writer.write(&whole).unwrap();
        Seed { name, bytes: writer.into_inner().unwrap() }
    };
    let halves = [whole.slice(0, 35), whole.slice(35, 25)];
    match family {
        "parquet" => vec![
            parquet("plain.parquet", plain.clone().build()),
            parquet("snappy.parquet", plain.clone().set_compression(Compression::SNAPPY).build()),
            parquet("gzip.parquet", plain.clone().set_compression(Compression::GZIP(Default::default())).build()),
            parquet("zstd.parquet", plain.clone().set_compression(Compression::ZSTD(Default::default())).build()),
            parquet(
                "delta.parquet",
                plain
                    .set_writer_version(WriterVersion::PARQUET_2_0)
                    .set_dictionary_enabled(false)
                    .set_column_encoding("town".into(), Encoding::DELTA_BYTE_ARRAY)
                    .set_column_encoding("illness".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY)
                    .set_column_encoding("age".into(), Encoding::DELTA_BINARY_PACKED)
                    .build(),
            ),
        ],
        "arrow" => {
            let file = |name: &'static str, options: IpcWriteOptions| {
                let mut writer = FileWriter::try_new_with_options(Vec::new(), &whole.schema(), options).unwrap();
                halves.iter().for_each(|half| writer.write(half).unwrap());
                Seed { name, bytes: writer.into_inner().unwrap() }
            };
            let mut stream = StreamWriter::try_new(Vec::new(), &whole.schema()).unwrap();
            halves.iter().for_each(|half| stream.write(half).unwrap());
            let packed = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME)).unwrap();
            vec![
                file("file.arrow", IpcWriteOptions::default()),
                file("lz4.arrow", packed),
                Seed { name: "stream.arrow", bytes: stream.into_inner().unwrap() },
            ]
        }
        _ => {
            let mut text = String::from("age,town,born,score,illness\n");
            for row in 0..ROWS {
                let illness = if row % 7 == 0 { "\"flu, \"\"bad\"\"\"" } else { "cold" };
                text += &format!("{},{},{},{},{illness}\n", age(row), town(row), day(row), row % 4);
            }
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            gzip.write_all(text.as_bytes()).unwrap();
            let packed = gzip.finish().unwrap();
            vec![Seed { name: "table.csv", bytes: text.into() }, Seed { name: "table.csv.gz", bytes: packed }]
        }
    }
}

fn age(row: u64) -> u64 {
    20 + row * 7919 % 5
}

fn town(row: u64) -> &'static str {
    ["Ulm", "Ulmen", "Bonn", "a town with a long name"][(row * 7919 / 7 % 4) as usize]
}

fn day(row: u64) -> String {
    format!("1980-01-{:02}", 1 + row % 3)
}

/// The rows with columns of many types, some of whose cells are missing.
fn batch() -> RecordBatch {
    let column = |cell: &dyn Fn(u64) -> i64| (0..ROWS).map(cell).collect::<Vec<_>>();
    let some = |row: u64, value: i64| (!row.is_multiple_of(11)).then_some(value);
    let ages = Int32Array::from_iter((0..ROWS).map(|row| some(row, age(row) as i64).map(|age| age as i32)));
    let towns = StringArray::from_iter((0..ROWS).map(|row| (row % 13 != 0).then(|| town(row))));
    let views = StringViewArray::from_iter((0..ROWS).map(|row| Some(town(row + 1))));
    let illness = (0..ROWS).map(|row| if row % 7 == 0 { "flu" } else { "cold" });
    let kinds: DictionaryArray<Int32Type> = (0..ROWS).map(|row| ["x", "y", "z"][(row % 3) as usize]).collect();
    let times = TimestampMillisecondArray::from(column(&|row| 1_577_833_200_000 + row as i64 % 3 * 86_400_000));
    RecordBatch::try_from_iter([
        ("age", Arc::new(ages) as ArrayRef),
        ("town", Arc::new(towns)),
        ("street", Arc::new(views)),
        ("illness", Arc::new(StringArray::from_iter_values(illness))),
        ("kind", Arc::new(kinds)),
        ("born", Arc::new(Date32Array::from_iter_values((0..ROWS).map(|row| row as i32 % 3)))),
        ("seen", Arc::new(times.with_timezone("Europe/Berlin"))),
        ("score", Arc::new(Float64Array::from_iter_values((0..ROWS).map(|row| row as f64 % 4.0 / 2.0)))),
        ("visits", Arc::new(Int64Array::from(column(&|row| row as i64 % 5)))),
        ("smokes", Arc::new(BooleanArray::from_iter((0..ROWS).map(|row| (row % 5 != 0).then_some(row % 2 == 0))))),
    ])
    .unwrap()
}
