//! A table whose tuples do not fit in memory: solved shard by shard, with codes on disk.
//!
//! ```text
//! scan 1   dictionaries; the tuples turn out to be too many                              Outgrown
//! scan 2   packed codes of every row, in the order of the rows; some rows are drawn      RowCodes   lay_out.rs
//! pass     codes go to the shard that a tree names; which one is noted for each row      Shards     route.rs
//! a shard  its codes become a frequency table, which is solved; each row's class is      Shards     load.rs, assign.rs
//!          noted in the order of the rows
//! scan 3   rows are read with the cells that are kept, and each gets its class; were      ByRow      by_row.rs
//!          they the rows of scan 2, in the same order?                                   RowOrder   row_order.rs
//! ```
//!
//! **Nothing is ever looked up at random on disk.** Rows of a shard are in the order of the table, so the class of
//! the next row is the next class of its shard: two streams, one of shards (16 bits a row) and one of classes (32 bits
//! a row), are all the third scan needs.
//!
//! **What is on disk is codes**: ranks in dictionaries that stay in memory, numbers of shards and of classes. (With a
//! subject column also its keyed hashes, whose key stays in memory.)
//!
//! **Cuts are along hierarchies, never by a hash** (`shard_tree` of `incrowd-algorithms`): rows that would be one class
//! have to be in one shard. The tree of cuts holds leaf numbers, so it applies to any tuple, not only to those that
//! were drawn.
//!
//! **Two shards may publish the same cells**: when a cut separates the children of a node, classes on both sides can
//! publish that node. A reader sees one class. So the policy must survive merging, and classes are counted as a reader
//! sees them (`classes.rs`).
//!
//! The verifier limits its memory in another way: it reads the release several times, each time for a part of the
//! classes, and writes nothing (`count/part.rs` of `incrowd-verify`).

mod apply_by_row;
mod assign;
mod by_row;
mod classes;
mod distinct_estimate;
mod entries;
mod lay_out;
mod load;
mod number_file;
mod route;
mod row_order;

#[cfg(feature = "cluster")]
pub(crate) use self::{
    assign::{ShardAssigner, class_rows},
    classes::DistinctCells,
    distinct_estimate::{Sketch, mixed},
    entries::entries,
    lay_out::{DrawnRows, drawn_below, is_drawn},
};
pub use apply_by_row::RowRecipe;
pub(crate) use apply_by_row::apply_by_row;
pub use by_row::ByRow;
pub use lay_out::RowCodes;
pub use route::Shards;
