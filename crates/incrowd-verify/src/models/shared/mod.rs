//! What several models need: exact numbers.

pub(crate) mod exact;
