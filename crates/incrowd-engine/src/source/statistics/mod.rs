//! Files of statistics packages (Stata, SPSS, SAS transport), written once more as CSV into the run's private folder, and
//! read from there as any text.
//!
//! Such a file knows more than its cells. A number may be a day, which is written as `2024-02-29`; a value may be declared
//! missing, which is read as missing; and numbers may have labels. A column in which every value has a label of its own is
//! read by its labels: they are what people see, and the order of the numbers means nothing. Where a value has none, the
//! column is a number with a few special values, and is read as numbers. What was found is kept ([`StatisticsFacts`]),
//! so that a release can have the labels of what it publishes, and of nothing else.

mod calendar;
mod labels;
mod spss;
mod stata;
mod stata_lengths;
mod xport;

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use encoding_rs::Encoding;

use crate::runtime::engine::Engine;
use crate::runtime::error::{EngineError, Result, StatisticsFault};
use crate::runtime::guard::guarded;
use crate::runtime::platform;
use crate::source::encoding::TextEncoding;
use crate::source::files::{Format, ReadSeek, TableFile};

pub(crate) use calendar::{SPSS_DAYS, STATA_DAYS, day_number, instant_seconds};
use labels::LabelUse;

/// What the file says of its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct StatisticsFacts {
    /// Its columns in their order.
    pub variables: Arc<[StatisticsVariable]>,
    /// Values that the file declares missing, and that were read as missing.
    pub declared_missing: u64,
}

impl StatisticsFacts {
    /// What is said of a column.
    pub fn variable(&self, name: &str) -> Option<&StatisticsVariable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}

/// A column of such a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatisticsVariable {
    /// Its name.
    pub name: String,
    /// What it is about, in words.
    pub label: String,
    /// Values with their labels.
    pub labels: Vec<(StatisticsValue, String)>,
    /// Whether its values are texts.
    pub is_text: bool,
    /// Whether the column was read by its labels.
    pub by_label: bool,
}

/// A value as such a file stores it.
#[derive(Clone, Debug, PartialEq)]
pub enum StatisticsValue {
    /// A number.
    Number(f64),
    /// A number of single precision.
    Single(f32),
    /// A text; days and instants in ISO 8601, too.
    Text(String),
}

impl StatisticsValue {
    /// The shortest text that is read as the same value.
    fn text(&self) -> String {
        match self {
            StatisticsValue::Number(number) => number.to_string(),
            StatisticsValue::Single(number) => number.to_string(),
            StatisticsValue::Text(text) => text.clone(),
        }
    }
}

/// A cell: nothing when it is missing.
type StatisticsCell = Option<StatisticsValue>;

/// What is done with each row.
type RowVisit<'v> = &'v mut dyn FnMut(&[StatisticsCell]) -> std::result::Result<(), StatisticsFault>;

/// The columns of a file, and the values it declares missing that were met.
struct StatisticsRead {
    variables: Vec<StatisticsVariable>,
    declared_missing: u64,
}

/// What is known of a file before it is read.
#[derive(Clone, Copy)]
struct FileFacts {
    size: u64,
    /// The encoding that was named. Without it, texts are UTF-8 unless the file says something else.
    encoding: Option<&'static Encoding>,
}

impl FileFacts {
    /// A text of a file that does not say how it is encoded.
    fn text<'b>(&self, bytes: &'b [u8]) -> std::result::Result<Cow<'b, str>, StatisticsFault> {
        let encoding = self.encoding.unwrap_or(encoding_rs::UTF_8);
        encoding.decode_without_bom_handling_and_without_replacement(bytes).ok_or(StatisticsFault::NotText)
    }
}

/// The packages whose files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatisticsKind {
    /// Stata, `.dta`.
    Stata,
    /// SPSS, `.sav` and `.zsav`.
    Spss,
    /// SAS transport, `.xpt`.
    Transport,
}

impl StatisticsKind {
    /// By the ending of a file's name.
    pub(crate) fn of(path: &Path) -> Option<StatisticsKind> {
        match path.extension()?.to_str()?.to_lowercase().as_str() {
            "dta" => Some(StatisticsKind::Stata),
            "sav" | "zsav" => Some(StatisticsKind::Spss),
            "xpt" => Some(StatisticsKind::Transport),
            _ => None,
        }
    }

    /// By the format that was named.
    pub(crate) fn of_format(format: Format) -> Option<StatisticsKind> {
        match format {
            Format::Dta => Some(StatisticsKind::Stata),
            Format::Sav => Some(StatisticsKind::Spss),
            Format::Csv | Format::Parquet | Format::Arrow | Format::Xlsx => None,
        }
    }

    /// The format in which a release of such a table is written unless another one is named.
    pub(crate) fn format(self) -> Format {
        match self {
            StatisticsKind::Stata => Format::Dta,
            StatisticsKind::Spss => Format::Sav,
            StatisticsKind::Transport => Format::Csv,
        }
    }

    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            StatisticsKind::Stata => "Stata",
            StatisticsKind::Spss => "SPSS",
            StatisticsKind::Transport => "SAS transport",
        }
    }

    /// Reads all rows; then the columns are known.
    fn read(
        self,
        file: Box<dyn ReadSeek>,
        facts: FileFacts,
        visit: RowVisit<'_>,
    ) -> std::result::Result<StatisticsRead, StatisticsFault> {
        let file = BufReader::with_capacity(1 << 16, file);
        match self {
            StatisticsKind::Stata => stata::read(file, facts, visit),
            StatisticsKind::Spss => spss::read(file, facts, visit),
            StatisticsKind::Transport => xport::read(file, facts, visit),
        }
    }
}

/// Writes the rows of a file as CSV into a private folder: where they are then, and what the file says of its columns.
pub(crate) fn transcribed(
    engine: &Engine,
    file: &TableFile,
    kind: StatisticsKind,
    encoding: Option<TextEncoding>,
) -> Result<(PathBuf, StatisticsFacts)> {
    let refused = |fault: StatisticsFault| EngineError::Statistics { path: file.to_path_buf(), fault };
    let failed = |error| EngineError::io(file.to_path_buf(), error);
    let facts = FileFacts { size: file.size()?, encoding: encoding.map(TextEncoding::encoding) };
    let each_row = |visit: RowVisit<'_>| -> Result<StatisticsRead> {
        let (mut stopped, mut rows) = (None, 0u64);
        let opened = file.open().map_err(failed)?;
        let read = guarded(|| {
            kind.read(opened, facts, &mut |cells| {
                rows += 1;
                if rows.is_multiple_of(1 << 12) {
                    stopped = engine.check_cancelled().err();
                }
                if stopped.is_some() { Err(StatisticsFault::Unreadable) } else { visit(cells) }
            })
        });
        match stopped {
            Some(stopped) => Err(stopped),
            None => read.unwrap_or(Err(StatisticsFault::Unreadable)).map_err(refused),
        }
    };
    // Labels may follow the rows, and only at the end is it known whether every value has one.
    let mut seen = labels::ValuesSeen::default();
    let read = each_row(&mut |cells| {
        seen.add(cells);
        Ok(())
    })?;
    if read.variables.is_empty() {
        return Err(refused(StatisticsFault::NoColumns));
    }
    let uses: Vec<LabelUse> = seen.uses(&read.variables);
    let into = engine.private_file("statistics", "table.csv")?;
    let unwritten = |error| EngineError::temp(&into, error);
    let target = platform::private(File::options().write(true).create_new(true)).open(&into).map_err(unwritten)?;
    let mut writer = csv::Writer::from_writer(BufWriter::new(target));
    let names: Vec<&str> = read.variables.iter().map(|variable| variable.name.as_str()).collect();
    writer.write_record(&names).map_err(|_| refused(StatisticsFault::Unwritten))?;
    each_row(&mut |cells| {
        let texts = cells.iter().zip(&uses).map(|(cell, used)| used.text(cell));
        writer
            .write_record(texts.collect::<Vec<_>>().iter().map(|text| text.as_bytes()))
            .map_err(|_| StatisticsFault::Unwritten)
    })?;
    let written = writer.into_inner().map_err(csv::IntoInnerError::into_error);
    written.and_then(|mut target| target.flush()).map_err(unwritten)?;
    let variables = read.variables.into_iter().zip(&uses);
    let variables = variables.map(|(variable, used)| StatisticsVariable { by_label: used.is_by_label(), ..variable });
    Ok((into, StatisticsFacts { variables: variables.collect(), declared_missing: read.declared_missing }))
}
