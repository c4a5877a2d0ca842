//! `query`: what would the original have answered? An estimate from a release, and an interval that holds the truth.
//!
//! A release is opened once for the columns that will be asked about ([`ReleaseView`]): its distinct tuples with
//! counts, and for each column what its cells may have been. Any number of questions is then answered without touching
//! the rows. Estimators: of a generalized table the share of each cell (`uniform`) or mere overlap (`overlap`); of two
//! tables that are joined by class ids, the expected count (`expected`) or the count as the paper on the lossy join
//! prints it (`printed`).
//!
//! A question looks at each label of its columns once, and then passes over the tuples once: products of shares are the
//! estimate, and conjunctions of "all values satisfy it" and of "any value satisfies it" are the ends of the interval.
//! Two tables are held as rows with class ids, and matches are counted in arrays by class. `choices.rs` finds the
//! extremes of sums and means over all originals that are possible. docs/query.md describes it for users.

mod answer;
mod choices;
mod groups;
mod manifest_facts;
mod one_table;
mod reading;
mod sides;
mod tables;
mod two_tables;
mod view;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use incrowd_core::query::Query;
use incrowd_engine::{Engine, ReadOptions, Source, TextEncoding};

pub use answer::{Answered, Estimator, NamedFigure, QueryFigure as Figure, QueryGroup as Group};
pub use incrowd_engine::parse_query;
pub(crate) use reading::Hierarchies;
pub use reading::{ColumnReading, ReadAs};
pub(crate) use sides::Sides;
pub(crate) use tables::{published_rows, published_texts};
pub use view::ReleaseView;

use crate::error::Result;
use crate::release::{OpenedRelease, Record};

/// How a release is asked.
#[derive(Clone, Debug, Default)]
pub struct QueryOptions {
    /// The estimator; without one, the better of the release's form.
    pub estimator: Option<Estimator>,
    /// Hierarchy files by column, before those of the record.
    pub hierarchies: BTreeMap<String, PathBuf>,
    /// The folder of the custodian's record, when it is not next to the release.
    pub record: Option<PathBuf>,
}

/// Answers a question from a release.
pub fn query(engine: &Engine, release: &Path, query: &Query, options: &QueryOptions) -> Result<Answered> {
    let opened = OpenedRelease::open_with(engine, release, options.record.as_deref())?;
    ReleaseView::open_with(engine, &opened, &query.columns(), &options.hierarchies)?.answer(query, options.estimator)
}

/// As [`query`], and holds the estimates against what the original answers.
pub fn query_against(
    engine: &Engine,
    release: &Path,
    original: &Source,
    asked: &Query,
    options: &QueryOptions,
) -> Result<Answered> {
    let mut answered = query(engine, release, asked, options)?;
    let truth = ReleaseView::of_original(engine, original, &asked.columns())?.answer(asked, None)?;
    answered.compare(&truth);
    Ok(answered)
}

/// What is said about reading the original, and what the record of the release knows besides: the one next to it, or in
/// the folder that is named.
pub fn original_options(release: &Path, named: Option<&Path>, said: ReadOptions) -> Result<ReadOptions> {
    let Some(record) = Record::find(release, named)? else { return Ok(said) };
    let told = record.reading.delimiter.and_then(|delimiter| u8::try_from(delimiter).ok());
    let mut options = said;
    options.delimiter = options.delimiter.or(told);
    options.header = options.header.or(record.reading.header);
    options.encoding = options.encoding.or(record.reading.encoding.as_deref().and_then(TextEncoding::named));
    options.sheet.sheet = options.sheet.sheet.or(record.reading.sheet);
    options.sheet.range = options.sheet.range.or(record.reading.range.and_then(|range| range.parse().ok()));
    options.nulls.extend(record.reading.nulls);
    options.date_formats.extend(record.reading.date_formats);
    options.decimal_commas.extend(record.reading.decimal_commas);
    options.spellings.extend(record.reading.spellings);
    Ok(options)
}
