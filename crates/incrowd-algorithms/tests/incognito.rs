//! Extended Incognito against the worked examples and measured figures of Wong, Li, Fu and Wang, "(α, k)-anonymity",
//! KDD 2006, and against brute force.

#![allow(clippy::unwrap_used)]

mod incognito {
    mod adult;
    mod brute_force;
    mod by_the_book;
    mod ends;
    mod golden;
    mod tables;
}
