//! What a caller may ask of a verification: the original to compare with, progress, cancellation, a limit of memory.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use crate::manifest::Format;

/// How to verify.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The original table, to check that every published row is truthful.
    pub against: Option<Against>,
    /// The population that the policy is about, if it is about one. Without it such promises are not checked.
    pub population: Option<PopulationTable>,
    /// Ends the work soon after it became true.
    pub cancel: Option<&'a AtomicBool>,
    /// Is called with the rows read so far, and with all rows.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    /// Bytes that classes may take; no limit when left out. When classes take more, the files are read several times,
    /// each time for a part of the classes.
    pub memory: Option<u64>,
}

/// The original table, read by the verifier itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Against {
    /// Where it is.
    pub path: PathBuf,
    /// How it is written.
    pub format: Format,
    /// What separates the cells of a CSV file.
    pub delimiter: u8,
    /// The name of the encoding of a CSV file; UTF-8 when left out.
    pub encoding: Option<String>,
    /// The sheet of a workbook; without it, there must be only one.
    pub sheet: Option<String>,
    /// The cells of the sheet that are the table, such as `B3:F200`; all of them when left out.
    pub range: Option<String>,
    /// Whether the first line of a CSV file names the columns. Otherwise they are column_1, column_2 and so on.
    pub header: bool,
    /// Texts that mean a missing value, besides the empty text.
    pub nulls: Vec<String>,
    /// By column, spellings of the original that the release publishes as another one.
    pub spellings: BTreeMap<String, BTreeMap<String, String>>,
    /// For each column that writes its dates in a form of its own, that form in `strftime` letters.
    pub date_formats: BTreeMap<String, String>,
    /// The columns whose numbers have a decimal comma.
    pub decimal_commas: BTreeSet<String>,
    /// For each column that has one, the file that says what its labels stand for.
    pub hierarchies: BTreeMap<String, PathBuf>,
    /// For each column with pseudonyms or with something that was drawn, the key. Without it they are not compared.
    pub treatment_keys: BTreeMap<String, [u8; 32]>,
    /// For each column that was microaggregated, the largest number of each group, in ascending order. Without them its cells
    /// are not compared.
    pub group_bounds: BTreeMap<String, Vec<String>>,
    /// For each column that was published as sets of items, the label of each item. Without them its cells are
    /// not compared.
    pub item_labels: BTreeMap<String, BTreeMap<String, String>>,
}

impl fmt::Debug for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the keys.
        f.debug_struct("Against").field("path", &self.path).field("format", &self.format).finish_non_exhaustive()
    }
}

impl Against {
    /// A CSV file in UTF-8 with commas and a header, whose labels describe themselves.
    pub fn csv(path: impl Into<PathBuf>) -> Against {
        Against {
            path: path.into(),
            format: Format::Csv,
            delimiter: b',',
            encoding: None,
            sheet: None,
            range: None,
            header: true,
            nulls: Vec::new(),
            spellings: BTreeMap::new(),
            date_formats: BTreeMap::new(),
            decimal_commas: BTreeSet::new(),
            hierarchies: BTreeMap::new(),
            treatment_keys: BTreeMap::new(),
            group_bounds: BTreeMap::new(),
            item_labels: BTreeMap::new(),
        }
    }
}

/// The table of a population, read by the verifier itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PopulationTable {
    /// Where it is and how it is read. It has the quasi-identifiers of the release as columns.
    pub table: Against,
    /// The column that says how many people a row stands for; one person each when left out.
    pub count_column: Option<String>,
}
