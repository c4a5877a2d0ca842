//! What a privacy model is: its parameters ([`Model`]), and the same bound to a table ([`BoundModel`]).
//!
//! Bound to a table and to the sensitive attributes it protects, a model may read the whole table once, as t-closeness
//! has to, and then judges class by class. A class is given as [`Members`]: tuples of the frequency table, each with a
//! number of its rows.
//!
//! A model states which changes a conforming class survives ([`Survives`]). Algorithms depend on these claims:
//! tightening, sharding and pruning depend on surviving merging, and pruning with a suppression budget depends on
//! surviving growth. So each claim has a proof in the file of the model and a property test that tries to break it
//! (`model_laws/`).
//!
//! A model answers with numbers, not only with yes or no: [`BoundModel::gap`] is the number of rows that a class lacks,
//! [`BoundModel::spare`] the number of rows that may leave it, and [`BoundModel::excess`] the rows that would have to
//! be withheld. Solvers use the numbers to choose which classes to merge and which rows to move.

use std::sync::Arc;

use serde::Serialize;

use super::{ModelError, Variety};
use crate::{Cell, FrequencyTable, GivenPopulation, Members, Ratio};

/// A privacy model with its parameters.
pub trait Model: std::fmt::Debug + Send + Sync {
    /// The word that chooses it.
    fn id(&self) -> &'static str;

    /// What it promises to the people in a release, in one sentence.
    fn promise(&self) -> String;

    /// The same when people are counted, who may have several rows (see [`FrequencyTable::counts_people`]).
    fn promise_for_people(&self) -> String {
        self.promise()
    }

    /// What is wrong with a class that does not keep it, in words that follow "a class": "with fewer than p = 3
    /// distinct values".
    fn breach(&self) -> String;

    /// The same when people are counted.
    fn breach_for_people(&self) -> String {
        self.breach()
    }

    /// Under which changes a conforming class still conforms when rows are counted.
    fn survives(&self) -> Survives;

    /// Whether the union of two conforming classes conforms. When people are counted, who may be in both classes, only
    /// what survives growth survives merging: see [`crate::BoundPolicy`].
    fn survives_merging(&self) -> bool {
        self.survives() != Survives::Nothing
    }

    /// Whether a conforming class still conforms when any rows join it.
    fn survives_growth(&self) -> bool {
        self.survives() == Survives::Growth
    }

    /// A class of fewer rows cannot keep it, whatever the table.
    fn least_rows(&self) -> u64 {
        1
    }

    /// Whether it compares the values of a class with those of the whole. The whole are the rows that are published:
    /// see [`BoundModel::against`].
    fn compares(&self) -> bool {
        false
    }

    /// Whether it is about the people of a given population who match a class: then it is bound by
    /// [`Model::bind_population`].
    fn needs_population(&self) -> bool {
        false
    }

    /// Whether it is defined only where each column is published on one level, so that no two classes can be about the
    /// same person.
    fn needs_levels(&self) -> bool {
        false
    }

    /// Binds a model that needs a population; others give nothing.
    fn bind_population(&self, _population: &Arc<GivenPopulation>) -> Option<Box<dyn BoundModel>> {
        None
    }

    /// Binds the model to a table and to the sensitive attributes (by position) it is for.
    fn bind<'t>(&self, table: &'t FrequencyTable, sensitive: &[usize]) -> Result<Box<dyn BoundModel + 't>, ModelError>;
}

/// A model that knows its table.
pub trait BoundModel: Send + Sync {
    /// How far a class is from conforming: 0 when it conforms, else at least how many rows would have to join it.
    fn gap(&self, class: &Members<'_>) -> u64;

    /// Whether a class conforms.
    fn holds(&self, class: &Members<'_>) -> bool {
        self.gap(class) == 0
    }

    /// Whether a class conforms when it publishes these cells. Only a model about a population looks at them; its
    /// [`BoundModel::holds`] takes the smallest cells that hold the members.
    fn holds_published(&self, class: &Members<'_>, _cells: &[Cell]) -> bool {
        self.holds(class)
    }

    /// Whether a release conforms whose classes, each of which does, publish these cells on one level each.
    fn holds_for_release(&self, _classes: &[Vec<Cell>]) -> bool {
        true
    }

    /// Whether it looks at the published cells of a class, and not only at its rows and values.
    fn looks_at_cells(&self) -> bool {
        false
    }

    /// Whether it is proven that the table does not conform as a single class, whatever cells that publishes.
    fn fails_as_whole(&self, whole: &Members<'_>) -> bool {
        !self.holds(whole)
    }

    /// How many rows may leave a conforming class, whichever they are, so that the rest conforms.
    fn spare(&self, class: &Members<'_>) -> u64;

    /// Why the table cannot keep the model, given that it does not as a single class.
    fn infeasible(&self, whole: &Members<'_>) -> Infeasible;

    /// The fewest rows whose suppression makes the whole conform; none when it conforms or suppressing does not help.
    fn excess(&self, whole: &Members<'_>) -> Vec<ExcessRows>;

    /// When people are counted: the sets of values that too many people of the whole have, and how many people too many.
    /// Suppressing rows of any of these people brings the whole nearer to conforming.
    fn too_many(&self, whole: &Members<'_>) -> Vec<TooMany> {
        let one =
            |excess: ExcessRows| TooMany { attribute: excess.attribute, codes: vec![excess.code], people: excess.rows };
        self.excess(whole).into_iter().map(one).collect()
    }

    /// The same model with these rows as the whole that classes are compared with; nothing for a model that looks at a
    /// class alone.
    ///
    /// A model is bound with all rows of the table as the whole. When rows are suppressed, a reader of the release can
    /// compare a class only with what is published, and so does the verifier: then the model has to be taken against the
    /// rows that are left. Against itself the whole always conforms.
    fn against(&self, _whole: &[Members<'_>]) -> Option<Box<dyn BoundModel>> {
        None
    }

    /// The one set of values whose share it bounds, for models that do just that.
    fn bounded_share(&self) -> Option<BoundedShare<'_>> {
        None
    }

    /// Limits on shares of values that every conforming class keeps, when rows and not people are counted; there may be
    /// more to the model than that.
    fn share_limits(&self) -> Vec<ShareLimits> {
        Vec::new()
    }

    /// A class of fewer rows does not conform, if all rows of the table are published: what models that compare classes with
    /// the whole know besides [`Model::least_rows`].
    fn fewest_rows(&self) -> u64 {
        1
    }

    /// Limits on distances along an order that every conforming class keeps, when rows and not people are counted and all
    /// rows of the table are published.
    fn order_limits(&self) -> Vec<OrderLimit> {
        Vec::new()
    }

    /// Of which attributes it wants how many different things in a class, for models that ask for that.
    fn varieties(&self) -> Vec<Variety> {
        Vec::new()
    }
}

/// Under which changes a conforming class still conforms. Pruning, sharding and tightening depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Survives {
    /// Any rows may join the class, and so it may be merged with any other. Pruning depends on it when rows may be
    /// suppressed: only then a class that does not conform has no part that does.
    Growth,
    /// The class may be merged with another one that conforms.
    Merging,
    /// Neither: the union of two conforming classes need not conform.
    Nothing,
}

/// Rows to suppress because their value is too frequent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExcessRows {
    /// The position of the attribute.
    pub attribute: usize,
    /// The code of the value.
    pub code: u32,
    /// The number of rows that have it and have to be suppressed.
    pub rows: u64,
}

/// Values that too many people of a class have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooMany {
    /// The position of the attribute.
    pub attribute: usize,
    /// The codes of the values, taken together.
    pub codes: Vec<u32>,
    /// How many people should have none of them who have some.
    pub people: u64,
}

/// A bound on the share of some values of one attribute.
#[derive(Clone, Copy, Debug)]
pub struct BoundedShare<'a> {
    /// The position of the attribute.
    pub attribute: usize,
    /// For each of its codes whether it is one of the values.
    pub protected: &'a [bool],
    /// The largest share.
    pub alpha: Ratio,
    /// Whether ⌈α·rows⌉ are allowed instead of α·rows.
    pub refined: bool,
}

/// Limits on the shares of values of one attribute among the rows of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareLimits {
    /// The position of the attribute.
    pub attribute: usize,
    /// The group of each of its codes.
    pub groups: Vec<usize>,
    /// The share that each group may have; never below the exact one.
    pub most: Vec<f64>,
    /// By how much the groups that have more may exceed these shares, in sum.
    pub excess: f64,
    /// Whether they follow from the rows that are published, and are these only when all rows of the table are.
    pub compares: bool,
}

/// Exact shares are made larger by this part, so that rounding never makes one smaller.
const ROUNDING: f64 = 1e-9;

impl ShareLimits {
    /// The limits on each code separately, given the largest shares.
    pub(crate) fn of_codes(attribute: usize, most: impl Iterator<Item = f64>, compares: bool) -> Self {
        let most: Vec<f64> = most.map(|share| (share * (1.0 + ROUNDING)).min(1.0)).collect();
        ShareLimits { attribute, groups: (0..most.len()).collect(), most, excess: 0.0, compares }
    }

    /// The limit on some codes together.
    pub(crate) fn of_set(attribute: usize, codes: &[bool], most: f64) -> Self {
        let groups = codes.iter().map(|&is_in| usize::from(is_in)).collect();
        let most = vec![1.0, (most * (1.0 + ROUNDING)).min(1.0)];
        ShareLimits { attribute, groups, most, excess: 0.0, compares: false }
    }

    /// The limit on what groups have more than their shares of the whole.
    pub(crate) fn near(attribute: usize, groups: Vec<usize>, shares: impl Iterator<Item = f64>, excess: f64) -> Self {
        let most = shares.map(|share| share * (1.0 + ROUNDING)).collect();
        ShareLimits { attribute, groups, most, excess: excess + ROUNDING, compares: true }
    }
}

/// A limit on the distance of a class from all rows of the table along an order of values: the mean over the gaps between
/// places of |share below in the class − share below in the table|.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderLimit {
    /// The position of the attribute.
    pub attribute: usize,
    /// The place of each of its codes, from 0.
    pub places: Vec<usize>,
    /// The share of the table up to each place and with it.
    pub below: Vec<f64>,
    /// The largest distance; never below the exact one.
    pub most: f64,
}

impl OrderLimit {
    /// The limit, given the exact distance.
    pub(crate) fn new(attribute: usize, places: Vec<usize>, below: Vec<f64>, most: f64) -> Self {
        OrderLimit { attribute, places, below, most: most + ROUNDING }
    }
}

/// Why a policy cannot be kept, and what would help. Holds no value of any cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Infeasible {
    /// The model's id.
    pub model: &'static str,
    /// The columns it is about.
    pub columns: Vec<String>,
    /// Why it cannot be kept.
    pub fact: String,
    /// What would help. The key is that of the first version: keys of answers are stable.
    #[serde(rename = "way_out")]
    pub remedy: String,
}

impl std::fmt::Display for Infeasible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.fact, self.remedy)
    }
}
