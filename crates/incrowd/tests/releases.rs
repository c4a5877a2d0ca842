//! Releases made by the whole way through: what stands in them, what tampering does, what the promises say elsewhere.

#![allow(clippy::unwrap_used)]

mod releases {
    mod copied;
    mod delta_tables;
    mod dialects;
    mod drawn;
    mod golden;
    mod in_memory;
    mod in_postgres;
    mod item_sets;
    mod kept_columns;
    mod linked_rows;
    mod linked_tables;
    mod lost_answers;
    mod made;
    mod microaggregated;
    mod nasty_values;
    #[path = "../../../incrowd-engine/tests/shared/postgres_schema.rs"]
    mod postgres_schema;
    mod queries;
    mod reading;
    mod record_linkage;
    mod repeated;
    mod report;
    mod sensitive;
    mod sharded;
    mod statistics;
    mod support;
    mod tampering;
    mod treated;
    mod two_tables;
    mod withheld;
    mod workbooks;
}
