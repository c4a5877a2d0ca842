//! What the manifest declares about the labels of a generalized column, so that a reader without the record knows what
//! is certain about them.
//!
//! The declaration is checked, not assumed: every published label is read as a reader would read it, and must hold all
//! values of the table that it stands for.

use incrowd_core::query::describe_themselves;
use incrowd_core::{Attribute, Cell, Kind, QuasiIdentifier};
use incrowd_verify::{ColumnEntry, Labels, Technique, ValueType};

/// Declares the type of each quasi-identifier and, where it is generalized, how its labels are to be read. `cells`
/// gives the published cells of the quasi-identifier at a place.
pub(super) fn declare(
    columns: &mut [ColumnEntry],
    attributes: &[Attribute],
    quasi: &[QuasiIdentifier],
    cells: impl Fn(usize) -> Vec<Cell>,
) {
    for (at, quasi) in quasi.iter().enumerate() {
        let Attribute { name, dictionary, .. } = &attributes[quasi.column];
        let Some(entry) = columns.iter_mut().find(|entry| entry.name == *name) else { continue };
        entry.value_type = Some(match dictionary.kind() {
            Kind::Integer => ValueType::Integer,
            Kind::Number => ValueType::Number,
            Kind::Date => ValueType::Date,
            Kind::Text => ValueType::Text,
        });
        if entry.technique == Technique::Generalized {
            let readable = describe_themselves(quasi, dictionary, cells(at));
            entry.labels = Some(if readable { Labels::SelfDescribing } else { Labels::Names });
        }
    }
}
