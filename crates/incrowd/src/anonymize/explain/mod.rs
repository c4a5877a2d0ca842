//! What is said of a release besides its bytes: which rule forced each level, why rows are withheld, how many classes any
//! release can have, and what any release must lose.

pub(crate) mod loss_report;
pub(crate) mod most_classes;
pub(crate) mod why;
pub(crate) mod withheld;
