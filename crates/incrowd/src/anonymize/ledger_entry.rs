//! The entry of a release in the custodian's ledger: a warning about earlier releases of the same people at once, and
//! the new entry at the end.

use std::path::{Path, PathBuf};

use incrowd_core::FrequencyTable;
use incrowd_engine::{Engine, Source};
use incrowd_verify::Manifest;

use crate::error::Result;
use crate::release::{Ledger, LedgerEntry, ReleasedBefore};

/// A release that is going to be entered.
pub(super) struct PendingEntry {
    path: PathBuf,
    ledger: Ledger,
    entry: LedgerEntry,
    before: Vec<ReleasedBefore>,
}

impl PendingEntry {
    /// Looks the people of a table up in the ledger, if there is one, and warns when they were released before.
    pub(super) fn of_table(
        engine: &Engine,
        path: Option<&Path>,
        table: &FrequencyTable,
        quasi_identifiers: &[String],
        source: &Source,
    ) -> Result<Option<PendingEntry>> {
        let mut pending = PendingEntry::open(path)?;
        if let Some(pending) = &mut pending {
            pending.add(table, quasi_identifiers, source);
            pending.warn(engine);
        }
        Ok(pending)
    }

    /// Opens the ledger, if there is one, for a table whose tuples come shard by shard.
    pub(super) fn open(path: Option<&Path>) -> Result<Option<PendingEntry>> {
        let Some(path) = path else { return Ok(None) };
        let ledger = Ledger::open(path)?;
        Ok(Some(PendingEntry { path: path.into(), ledger, entry: LedgerEntry::default(), before: Vec::new() }))
    }

    /// Adds the people of a shard.
    pub(super) fn add(&mut self, table: &FrequencyTable, quasi_identifiers: &[String], source: &Source) {
        let entry = self.ledger.entry(table, quasi_identifiers, source.name());
        self.entry.merge(entry);
    }

    /// What tasks need to make the entries of their shards.
    #[cfg(feature = "cluster")]
    pub(super) fn ledger(&self) -> Ledger {
        self.ledger.without_releases()
    }

    /// Adds the people of a shard that a task has looked at.
    #[cfg(feature = "cluster")]
    pub(super) fn merge(&mut self, entry: LedgerEntry) {
        self.entry.merge(entry);
    }

    /// Looks all of them up, and warns when they were released before.
    pub(super) fn warn(&mut self, engine: &Engine) {
        self.before = self.ledger.released_before(&self.entry);
        if let Some(first) = self.before.first() {
            engine.watch().progress.warn(&words(first, self.before.len()));
        }
    }

    /// Enters the release, and gives those of the same people before it, also those that were entered since this run
    /// began. Before it gets its name: an entry without a release warns for nothing, a release without an entry does
    /// not warn.
    pub(super) fn enter(mut self, engine: &Engine, manifest: &Manifest) -> Result<Vec<ReleasedBefore>> {
        self.entry.release.clone_from(&manifest.release);
        self.entry.created.clone_from(&manifest.created);
        let before = self.ledger.add(&self.path, self.entry)?;
        if let Some(first) = before.first().filter(|_| before.len() > self.before.len()) {
            engine.watch().progress.warn(&words(first, before.len()));
        }
        Ok(before)
    }
}

/// What a second release means, in a sentence.
pub(super) fn words(first: &ReleasedBefore, count: usize) -> String {
    let people = match first.share {
        Some(share) => format!("About {:.0} % of these people", 100.0 * share),
        None => "People of this table".into(),
    };
    let others = if count > 1 { format!(" (and in {} earlier ones)", count - 1) } else { String::new() };
    let (release, created) = (&first.release, &first.created);
    format!(
        "{people} were released before, as {release} on {created}{others}. Two releases of the same people can be \
         linked and may single people out: `incrowd attack DIR --also OTHER --against TABLE` measures this."
    )
}
