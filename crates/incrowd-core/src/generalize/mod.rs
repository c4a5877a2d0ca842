//! What a value may become and what a class publishes: cells, the domains and hierarchies they belong to, partitions of
//! a table into classes, and recodings.

mod cell;
pub(crate) mod domain;
pub(crate) mod hierarchy;
mod partition;
mod quasi_identifier;
mod recoding;

pub use cell::Cell;
pub use domain::{Domain, LeafCount};
pub use hierarchy::{Built, Coverage, Hierarchy, HierarchyError, HierarchyReadOptions, Node, ROOT_LABEL, Suggestion};
pub use partition::Partition;
pub use quasi_identifier::QuasiIdentifier;
pub use recoding::Recoding;
