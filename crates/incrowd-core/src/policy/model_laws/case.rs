//! Small tables of two sensitive attributes, and models for them.

use proptest::prelude::*;

use super::{AskedParameters, ValueCounts};
use crate::{
    Attribute, BoundModel, Dictionary, FrequencyTable, MODELS, Members, Model, ModelEntry, Parameters, Role, TupleRows,
    Values,
};

/// The values of both attributes; a fifth code is the missing value.
pub(super) const VALUES: [i64; 4] = [10, 20, 30, 40];

/// Rows of (town, first attribute, second attribute).
pub(super) type SampleRows = Vec<([u32; 3], u64)>;

/// A class of some rows.
pub(super) type SampleClass = Vec<TupleRows>;

pub(super) fn attributes() -> Vec<Attribute> {
    let town = Attribute::new("town", Role::QuasiIdentifier, Dictionary::of_texts(["0", "1", "2", "3"]));
    let dictionary = || Dictionary::new(Values::Integers(VALUES.to_vec()), true);
    let illness = Attribute::new("illness", Role::Sensitive, dictionary());
    let salary = Attribute::new("salary", Role::Sensitive, dictionary());
    vec![town, illness, salary]
}

pub(super) fn table(rows: &SampleRows) -> FrequencyTable {
    FrequencyTable::from_tuples(attributes(), rows.iter().copied())
}

pub(super) fn whole(table: &FrequencyTable) -> SampleClass {
    table.tuple_rows().collect()
}

/// Some rows of the table: of each tuple as many as its part says.
pub(super) fn some(table: &FrequencyTable, parts: &[u64]) -> SampleClass {
    let part = |(tuple, rows): TupleRows| (tuple, parts[tuple % parts.len()].min(rows));
    table.tuple_rows().map(part).filter(|member| member.1 > 0).collect()
}

pub(super) fn holds(bound: &dyn BoundModel, table: &FrequencyTable, class: &SampleClass) -> bool {
    bound.holds(&Members::new(table, class))
}

pub(super) fn rows() -> impl Strategy<Value = SampleRows> {
    prop::collection::vec(([0u32..4, 0..5, 0..5], 1u64..4), 1..10)
}

/// A model with its parameters, for no attribute, for the first sensitive one or for both.
#[derive(Clone, Debug)]
pub(super) struct AskedModel {
    pub(super) entry: &'static ModelEntry,
    pub(super) parameters: Parameters,
    pub(super) sensitive: Vec<usize>,
}

impl AskedModel {
    pub(super) fn model(&self) -> Box<dyn Model> {
        self.entry.model(&self.parameters).expect("samples are valid")
    }

    pub(super) fn bind<'t>(&self, table: &'t FrequencyTable) -> Box<dyn BoundModel + 't> {
        self.model().bind(table, &self.sensitive).expect("the model fits the table")
    }

    /// Whether a class keeps the model beside the whole, by its definition; nothing when only rounding could decide.
    pub(super) fn is_kept(&self, table: &FrequencyTable, class: &[TupleRows], whole: &[TupleRows]) -> Option<bool> {
        let counts = if table.counts_people() { ValueCounts::of_people } else { ValueCounts::of_rows };
        let keeps = |at: usize| {
            let (class, whole) = (counts(table, class, at), counts(table, whole, at));
            (self.entry.definition)(&AskedParameters(&self.parameters), &class, &whole)
        };
        // A model that is not about sensitive attributes is defined on the rows, whatever their values are.
        let attributes = if self.sensitive.is_empty() { &[1] } else { &self.sensitive[..] };
        attributes.iter().try_fold(true, |all, &at| Some(all & keeps(at)?))
    }
}

/// The texts of the values.
pub(super) fn values() -> Vec<String> {
    VALUES.iter().map(ToString::to_string).collect()
}

/// Each model with one of its samples, but for those about a population, which have laws of their own.
pub(super) fn asked_models() -> impl Strategy<Value = AskedModel> {
    let entries: Vec<&'static ModelEntry> = MODELS.iter().filter(|entry| !entry.population).collect();
    (prop::sample::select(entries), any::<prop::sample::Index>(), any::<bool>()).prop_map(|(entry, sample, both)| {
        let samples = (entry.samples)(&values());
        let sensitive = match entry.sensitive {
            false => vec![],
            true if both => vec![1, 2],
            true => vec![1],
        };
        AskedModel { entry, parameters: samples[sample.index(samples.len())].clone(), sensitive }
    })
}
