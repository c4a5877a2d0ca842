//! What can be checked before a row is read: the manifest does not contradict itself, and the files are those it lists.

pub(crate) mod consistency;
mod delta_log;
pub(crate) mod files;
