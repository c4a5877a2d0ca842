//! incrowd
