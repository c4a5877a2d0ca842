//! incrowd-risk
