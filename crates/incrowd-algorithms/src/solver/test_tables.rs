//! A small table for unit tests.

#![allow(clippy::unwrap_used)]

use incrowd_core::{Attribute, Dictionary, FrequencyTable, Hierarchy, QuasiIdentifier, Role};

/// A table of (postcode, illness): the postcodes 4351, 4352, 4361 and 5000 along their digits, and these illnesses.
pub(crate) fn of_postcodes(illnesses: &[&str], rows: &[([u32; 2], u64)]) -> (FrequencyTable, [QuasiIdentifier; 1]) {
    let postcodes = Dictionary::of_texts(["4351", "4352", "4361", "5000"]);
    let hierarchy = Hierarchy::prefix(&postcodes, None).unwrap();
    let quasi = [QuasiIdentifier::new(0, &hierarchy, &postcodes).unwrap()];
    let attributes = vec![
        Attribute::new("postcode", Role::QuasiIdentifier, postcodes),
        Attribute::new("illness", Role::Sensitive, Dictionary::of_texts(illnesses.iter().copied())),
    ];
    (FrequencyTable::from_tuples(attributes, rows.iter().copied()), quasi)
}
