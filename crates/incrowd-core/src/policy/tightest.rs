//! The tightest parameters with which a table, unchanged, keeps each model about sensitive values.
//!
//! "For which k is the table k-anonymous?", asked of the other models: one pass over the classes gives, for each
//! sensitive attribute, the figure at which each model just holds. Each model computes its own figures
//! ([`crate::ModelEntry::tightest`]) with the code that judges classes; ratios are compared as whole numbers, and only
//! the worst becomes a decimal.
//!
//! Figures are rounded at the twelfth decimal, to the side on which the model holds: given back as a parameter, a figure
//! is kept. Two models require "less than" instead of "at most"; they hold for every parameter *above* the figure.
//!
//! When people are counted, the figures are about people, and the table as a whole is one of the classes. Where some
//! people have several values of an attribute, models that are about one value for each person have no figure.

use std::collections::BTreeMap;

use serde::Serialize;

use super::models::MODELS;
use super::sensitive::{Sensitive, Whole, several};
use super::{ModelError, Parameters, ValueRelations};
use crate::{ColumnSet, FrequencyTable, Members, Stopped, Watch};

/// One figure of a model: the tightest value of one of its parameters.
#[derive(Clone, Copy, Debug)]
pub struct TightestEntry {
    /// The key of the figure in an answer.
    pub key: &'static str,
    /// The parameter that the figure is a value of.
    pub parameter: &'static str,
    /// For which values of the parameter the model holds.
    pub holds: HoldsFor,
    /// The other parameters of the model; nothing when they need relations between values that are not known.
    pub others: fn(&ValueRelations) -> Option<Parameters>,
}

/// For which values of a parameter a model holds, given the tightest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldsFor {
    /// Up to the figure.
    UpTo,
    /// From the figure on.
    From,
    /// Above the figure.
    Above,
}

impl TightestEntry {
    /// A figure of a model that needs no other parameters.
    pub(crate) const fn of(key: &'static str, parameter: &'static str, holds: HoldsFor) -> Self {
        TightestEntry { key, parameter, holds, others: |_| Some(Parameters::default()) }
    }

    /// A figure of a model with these other parameters.
    pub(crate) const fn with(
        key: &'static str,
        parameter: &'static str,
        holds: HoldsFor,
        others: fn(&ValueRelations) -> Option<Parameters>,
    ) -> Self {
        TightestEntry { key, parameter, holds, others }
    }
}

/// The value of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TightestValue {
    /// A whole number.
    Whole(u64),
    /// A decimal, rounded to the side on which the model holds.
    Decimal(f64),
}

/// A sensitive attribute of a table whose figures are computed.
pub(crate) struct ExaminedColumn<'a> {
    pub(crate) table: &'a FrequencyTable,
    pub(crate) attribute: Sensitive,
    /// How often each value occurs in the table.
    pub(crate) whole: Whole,
    /// How many people have several values of the attribute.
    pub(crate) several: u64,
    pub(crate) relations: &'a ValueRelations,
}

/// The values of the examined attribute in one class.
pub(crate) struct ExaminedClass<'a> {
    pub(crate) members: &'a Members<'a>,
    /// The rows of the class; its people, when people are counted.
    pub(crate) rows: u64,
    /// The codes that occur, ascending, each with its rows.
    pub(crate) by_code: &'a [(u32, u64)],
    /// The rows of each value that occurs, the most frequent first.
    pub(crate) descending: &'a [u64],
}

/// The worst of the classes that a model has examined so far.
pub(crate) trait WorstClass {
    /// Examines one more class, which is not empty.
    fn examine(&mut self, class: &ExaminedClass<'_>);

    /// The figures of the model, in the order of its entry; nothing where no parameter holds.
    fn figures(&self) -> Vec<Option<TightestValue>>;
}

/// For which parameters the classes of a table keep each model about one sensitive attribute.
///
/// ```
/// use incrowd_core::{Attribute, ColumnSet, Dictionary, FrequencyTable, Role, TightestParameters, Watch};
/// let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["Ulm", "Wien"]));
/// let illness = Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(["cold", "flu", "gout"]));
/// let rows = [([0, 0], 2), ([0, 1], 1), ([0, 2], 1), ([1, 0], 2), ([1, 2], 2)];
/// let table = FrequencyTable::from_tuples(vec![town, illness], rows);
/// let classes = ColumnSet::single(0);
/// let found = TightestParameters::of(&table, classes, &[1], &Watch::default()).expect("it is not cancelled");
/// assert_eq!((found[0].p, found[0].alpha, found[0].entropy_l), (Some(2), 0.5, Some(2.0)));
/// assert_eq!((found[0].recursive_c_l2, found[0].recursive_c_l3), (Some(1.0), None));
/// assert_eq!((found[0].t_equal, found[0].delta), (Some(0.125), None));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TightestParameters {
    /// The attribute's name.
    pub column: String,
    /// How many distinct values it has, a missing one included.
    pub values: u64,
    /// How many people have several values of it; 0 when rows are counted. When there are any, only models that are
    /// defined for them have a figure.
    #[serde(skip_serializing_if = "is_zero")]
    pub people_with_several_values: u64,
    /// The largest p of p-sensitivity: the fewest distinct values of a class.
    pub p: Option<u64>,
    /// The largest ℓ of distinct ℓ-diversity, which is the same number.
    pub distinct_l: Option<u64>,
    /// The smallest α of α-deassociation: the largest share of a value in a class.
    pub alpha: f64,
    /// The largest ℓ of frequency ℓ-diversity: one divided by that share.
    pub frequency_l: f64,
    /// The largest ℓ of entropy ℓ-diversity.
    pub entropy_l: Option<f64>,
    /// With ℓ = 2, recursive (c, ℓ)-diversity holds for every c above this; for none when a class has a single value.
    pub recursive_c_l2: Option<f64>,
    /// The same with ℓ = 3; for none when a class has fewer than three values.
    pub recursive_c_l3: Option<f64>,
    /// With c = 1, the largest ℓ of recursive (c, ℓ)-diversity; nothing when no ℓ holds.
    pub recursive_l_c1: Option<u64>,
    /// The same with c = 2.
    pub recursive_l_c2: Option<u64>,
    /// The same with c = 3.
    pub recursive_l_c3: Option<u64>,
    /// The largest p of extended p-sensitivity: the fewest different kinds of values of a class, when it is known which
    /// are of one kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_extended: Option<u64>,
    /// The smallest t of t-closeness with equal distance.
    pub t_equal: Option<f64>,
    /// The smallest t with ordered distance; nothing for texts, which have no order of their own.
    pub t_ordered: Option<f64>,
    /// The smallest t with hierarchical distance, when a hierarchy is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_hierarchical: Option<f64>,
    /// The smallest β of basic β-likeness.
    pub beta: Option<f64>,
    /// The smallest β of enhanced β-likeness; nothing when a value grows by more than −ln of its share, which no β allows.
    pub beta_enhanced: Option<f64>,
    /// δ-disclosure privacy holds for every δ above this; for none when a value is missing in a class.
    pub delta: Option<f64>,
    /// The figures of models that have no field of their own here, by key.
    #[serde(flatten)]
    pub more: BTreeMap<&'static str, TightestValue>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl TightestParameters {
    /// The figures of each of these sensitive attributes, over the classes of these columns, which must be the first ones
    /// of the table; nothing for a table without rows.
    pub fn of(
        table: &FrequencyTable,
        classes: ColumnSet,
        sensitive: &[usize],
        watch: &Watch,
    ) -> Result<Vec<TightestParameters>, Stopped> {
        let sensitive: Vec<(usize, ValueRelations)> =
            sensitive.iter().map(|&at| (at, ValueRelations::default())).collect();
        // Only relations between values can be refused, and none are given.
        TightestParameters::knowing(table, classes, &sensitive, watch).unwrap_or_else(|_| Ok(Vec::new()))
    }

    /// The same figures where relations between the values of the attributes are known. Refused when these do not fit the
    /// values.
    pub fn knowing(
        table: &FrequencyTable,
        classes: ColumnSet,
        sensitive: &[(usize, ValueRelations)],
        watch: &Watch,
    ) -> Result<Result<Vec<TightestParameters>, Stopped>, ModelError> {
        if table.rows() == 0 || sensitive.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        let positions: Vec<usize> = sensitive.iter().map(|one| one.0).collect();
        let attributes = Sensitive::of("", table, &positions)?.into_iter().zip(sensitive);
        let mut columns = attributes
            .map(|(attribute, (_, relations))| ColumnExamination::new(table, attribute, relations))
            .collect::<Result<Vec<ColumnExamination<'_>>, ModelError>>()?;
        for (start, end) in table.grouping().runs(classes) {
            if watch.cancel.is_cancelled() {
                return Ok(Err(Stopped));
            }
            let class = Members::of_run(table.grouping(), start, end);
            columns.iter_mut().for_each(|column| column.examine(&class));
        }
        if table.counts_people() {
            columns.iter_mut().for_each(|column| column.examine(&Members::whole(table)));
        }
        Ok(Ok(columns.into_iter().map(ColumnExamination::finish).collect()))
    }
}

/// One attribute with the worst class of each model.
struct ColumnExamination<'a> {
    column: ExaminedColumn<'a>,
    models: Vec<(&'static [TightestEntry], Box<dyn WorstClass>)>,
    /// Kept between classes for their memory.
    by_code: Vec<(u32, u64)>,
    descending: Vec<u64>,
}

impl<'a> ColumnExamination<'a> {
    fn new(table: &'a FrequencyTable, attribute: Sensitive, relations: &'a ValueRelations) -> Result<Self, ModelError> {
        let whole = attribute.whole(&[Members::whole(table)]);
        let several = several(&Members::whole(table), attribute.at, |code| code);
        let column = ExaminedColumn { table, attribute, whole, several, relations };
        let mut models = Vec::new();
        for entry in MODELS {
            if let Some(worst) = (entry.worst_class)(&column)? {
                models.push((entry.tightest, worst));
            }
        }
        Ok(ColumnExamination { column, models, by_code: Vec::new(), descending: Vec::new() })
    }

    fn examine(&mut self, class: &Members<'_>) {
        let ColumnExamination { column, models, by_code, descending } = self;
        by_code.clear();
        class.tally(column.attribute.at, |code, rows| by_code.push((code, rows)));
        descending.clear();
        descending.extend(by_code.iter().map(|&(_, rows)| rows));
        descending.sort_unstable_by(|a, b| b.cmp(a));
        let class = ExaminedClass { members: class, rows: class.size(), by_code, descending };
        models.iter_mut().for_each(|(_, worst)| worst.examine(&class));
    }

    fn finish(self) -> TightestParameters {
        let mut figures = Figures::default();
        for (entries, worst) in &self.models {
            let values = entries.iter().zip(worst.figures());
            figures.0.extend(values.filter_map(|(entry, value)| Some((entry.key, value?))));
        }
        TightestParameters {
            column: self.column.attribute.name,
            values: self.column.whole.values(),
            people_with_several_values: self.column.several,
            p: figures.whole("p"),
            distinct_l: figures.whole("distinct_l"),
            alpha: figures.decimal("alpha").unwrap_or(1.0),
            frequency_l: figures.decimal("frequency_l").unwrap_or(1.0),
            entropy_l: figures.decimal("entropy_l"),
            recursive_c_l2: figures.decimal("recursive_c_l2"),
            recursive_c_l3: figures.decimal("recursive_c_l3"),
            recursive_l_c1: figures.whole("recursive_l_c1"),
            recursive_l_c2: figures.whole("recursive_l_c2"),
            recursive_l_c3: figures.whole("recursive_l_c3"),
            p_extended: figures.whole("p_extended"),
            t_equal: figures.decimal("t_equal"),
            t_ordered: figures.decimal("t_ordered"),
            t_hierarchical: figures.decimal("t_hierarchical"),
            beta: figures.decimal("beta"),
            beta_enhanced: figures.decimal("beta_enhanced"),
            delta: figures.decimal("delta"),
            more: figures.0,
        }
    }
}

/// The figures of all models by key.
#[derive(Default)]
struct Figures(BTreeMap<&'static str, TightestValue>);

impl Figures {
    /// Takes out a whole number.
    fn whole(&mut self, key: &str) -> Option<u64> {
        match self.0.remove(key)? {
            TightestValue::Whole(number) => Some(number),
            TightestValue::Decimal(_) => None,
        }
    }

    /// Takes out a decimal.
    fn decimal(&mut self, key: &str) -> Option<f64> {
        match self.0.remove(key)? {
            TightestValue::Whole(_) => None,
            TightestValue::Decimal(number) => Some(number),
        }
    }
}
