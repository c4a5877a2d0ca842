//! incrowd-engine
