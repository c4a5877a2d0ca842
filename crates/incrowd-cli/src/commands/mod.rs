//! One file per command.

pub(crate) mod anonymize;
pub(crate) mod attack;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod confirm;
pub(crate) mod diagnose;
pub(crate) mod explain;
pub(crate) mod hierarchy;
pub(crate) mod init;
mod kept;
mod linked_tables;
pub(crate) mod list;
pub(crate) mod open;
mod population;
pub(crate) mod query;
pub(crate) mod released;
pub(crate) mod report;
pub(crate) mod sample;
mod sarif;
pub(crate) mod shell;
mod special_uniques;
pub(crate) mod verify;
