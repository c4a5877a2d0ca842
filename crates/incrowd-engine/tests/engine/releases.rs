//! Making a release at a desk, and reading its bytes back.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::Array;
use arrow::ipc::reader::FileReader;
use arrow::record_batch::RecordBatch;
use arrow::util::display::array_value_to_string;
use incrowd_core::{Domain, FrequencyTable, Partition, QuasiIdentifier, Recoding};
use incrowd_engine::{Applied, Codebook, Format, PublishedColumn, Question, Recipe, Result, Source, TextDialect};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::support::{Desk, Dice};

pub(crate) const FORMATS: [Format; 3] = [Format::Csv, Format::Parquet, Format::Arrow];

/// A counted table, and what is to become of it.
pub(crate) struct Job {
    pub(crate) source: Source,
    pub(crate) table: FrequencyTable,
    pub(crate) codebook: Codebook,
    pub(crate) quasi: Vec<QuasiIdentifier>,
    pub(crate) recoding: Recoding,
    pub(crate) columns: Vec<PublishedColumn>,
    pub(crate) second: Option<Vec<PublishedColumn>>,
    pub(crate) key: [u8; 32],
}

impl Job {
    /// Counts the table and decides by `divide`; publishes the quasi-identifiers, then the kept columns.
    pub(crate) fn new(
        desk: &Desk,
        source: Source,
        asked: &Question,
        kept: &[&str],
        divide: impl Fn(&FrequencyTable) -> Partition,
    ) -> Job {
        let (table, codebook) = source.count(&desk.engine, asked).unwrap().into_parts(&desk.engine).unwrap();
        let quasi = |column: usize| {
            let dictionary = &table.attributes()[column].dictionary;
            let leaves = (0..dictionary.len() as u32).collect();
            QuasiIdentifier { column, domain: Domain::ordered(dictionary), leaves }
        };
        let quasi: Vec<QuasiIdentifier> = (0..asked.quasi_identifiers.len()).map(quasi).collect();
        let recoding = Recoding::tightened(&table, &quasi, &divide(&table));
        let recoded = asked.quasi_identifiers.iter().enumerate();
        let recoded = recoded.map(|(at, name)| PublishedColumn::Recoded { name: name.clone(), quasi_identifier: at });
        let kept = kept.iter().map(|name| PublishedColumn::Kept { name: name.to_string(), treatment: None });
        let columns = recoded.chain(kept).collect();
        Job { source, table, codebook, quasi, recoding, columns, second: None, key: [42; 32] }
    }

    /// The same in two tables: quasi-identifiers as they are with some columns beside them, and the others.
    pub(crate) fn in_two_tables(self, beside: &[&str], apart: &[&str]) -> Job {
        let kept = |name: &str| PublishedColumn::Kept { name: name.into(), treatment: None };
        let class = PublishedColumn::ClassId { name: "class".into() };
        let quasi = self.quasi.iter().map(|quasi| kept(&self.table.attributes()[quasi.column].name));
        let columns = quasi.chain(beside.iter().map(|name| kept(name))).chain([class.clone()]).collect();
        let second = [class].into_iter().chain(apart.iter().map(|name| kept(name))).collect();
        Job { columns, second: Some(second), ..self }
    }

    pub(crate) fn publish(&self, desk: &Desk, folder: &str, format: Format) -> Result<(Applied, PathBuf)> {
        std::fs::create_dir_all(desk.path(folder)).unwrap();
        let recipe = Recipe {
            one_file: true,
            escape_formulas: false,
            dialect: &TextDialect::default(),
            table: &self.table,
            quasi_identifiers: &self.quasi,
            recoding: &self.recoding,
            columns: &self.columns,
            second: self.second.as_deref(),
            format,
            key: self.key,
        };
        let applied = self.source.apply(&desk.engine, &self.codebook, &recipe, desk.path(folder).as_ref())?;
        let path = Path::new(&desk.path(folder)).join(&applied.files[0].name);
        Ok((applied, path))
    }

    /// The file of a release, byte for byte.
    pub(crate) fn bytes(&self, desk: &Desk, folder: &str, format: Format) -> Vec<u8> {
        std::fs::read(self.publish(desk, folder, format).unwrap().1).unwrap()
    }
}

/// Every tuple is a class of its own.
pub(crate) fn each_alone(table: &FrequencyTable) -> Partition {
    let mut partition = Partition::default();
    (0..table.tuples()).for_each(|tuple| partition.push([(tuple, table.count(tuple))]));
    partition
}

/// Rows of every tuple go to classes by chance, some are withheld.
pub(crate) fn by_chance(table: &FrequencyTable, classes: u64) -> Partition {
    let mut dice = Dice(table.rows());
    let mut members: Vec<Vec<(usize, u64)>> = vec![Vec::new(); classes as usize];
    let mut partition = Partition::default();
    for tuple in 0..table.tuples() {
        let mut left = table.count(tuple);
        while left > 0 {
            let rows = 1 + dice.roll(left);
            left -= rows;
            match dice.roll(10) {
                0 => partition.withhold([(tuple, rows)]),
                _ => members[dice.roll(classes) as usize].push((tuple, rows)),
            }
        }
    }
    members.into_iter().for_each(|class| partition.push(class));
    partition
}

/// A published table: names, and rows of cells as text.
pub(crate) type Published = (Vec<String>, Vec<Vec<Option<String>>>);

/// Reads a data file back; an empty cell of a CSV file is nothing.
pub(crate) fn read(path: &Path) -> Published {
    match path.extension().unwrap().to_str().unwrap() {
        "csv" => {
            let mut reader = csv::Reader::from_path(path).unwrap();
            let names = reader.headers().unwrap().iter().map(String::from).collect();
            let cell = |cell: &str| Some(cell.to_string()).filter(|cell| !cell.is_empty());
            (names, reader.records().map(|row| row.unwrap().iter().map(cell).collect()).collect())
        }
        "parquet" => {
            let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
            assert!(reader.metadata().file_metadata().key_value_metadata().is_none(), "no metadata");
            texts(&reader.build().unwrap().map(std::result::Result::unwrap).collect::<Vec<_>>())
        }
        _ => texts(&arrow_batches(path)),
    }
}

pub(crate) fn arrow_batches(path: &Path) -> Vec<RecordBatch> {
    let reader = FileReader::try_new(File::open(path).unwrap(), None).unwrap();
    reader.map(std::result::Result::unwrap).collect()
}

fn texts(batches: &[RecordBatch]) -> Published {
    let schema = batches[0].schema();
    assert!(schema.metadata().is_empty() && schema.fields().iter().all(|field| field.metadata().is_empty()));
    let names = schema.fields().iter().map(|field| field.name().clone()).collect();
    let cell =
        |array: &dyn Array, row: usize| (!array.is_null(row)).then(|| array_value_to_string(array, row).unwrap());
    let row = |batch: &RecordBatch, row: usize| batch.columns().iter().map(|array| cell(array, row)).collect();
    let rows = batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |at| row(batch, at)));
    (names, rows.collect())
}
