//! The attacks on tables where the answer is known, and on Adult.

#![allow(clippy::unwrap_used)]

mod attack {
    mod adult;
    mod downcoding;
    mod intersection;
    mod minimality;
    mod mondrian;
    mod order;
    mod published;
    mod record_linkage;
    mod small;
    mod tables;
}
