//! One set of features for every build of this workspace; there is no code here.
//!
//! Cargo compiles a dependency once per set of features, and the default build, its tests and the Python wheel ask
//! different features of crates below DataFusion. This crate asks for all of them, and is a member of the default build
//! and a dependency of the wheel: DataFusion, which takes longer than all else, is compiled once. Programs built
//! for themselves (`cargo install`, `-p incrowd-cli`) do not see it.
