//! Questions asked of releases: against every original there could be, against the real one, and against the paper.

#![allow(clippy::unwrap_used)]

mod queries {
    mod golden;
    mod made;
    mod one_table;
    mod oracle;
    mod refusals;
    mod speed;
    mod support;
    mod two_tables;
}
