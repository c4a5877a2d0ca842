//! One set of features for every build of this workspace; there is no code here.
//!
//! Cargo compiles a dependency once per set of features, and the default build, its tests and the Python wheel ask
//! different features of shared crates. This crate asks for all of them, and is a member of the default build and a
//! dependency of the wheel: Arrow and all that stands on it are compiled once. Programs built for themselves
//! (`cargo install`, `-p incrowd-cli`) do not see it.
