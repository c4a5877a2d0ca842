//! Rows that changed, or would be lost.

use super::{Sentence, Setting};

/// What to do so that rows stay as they were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowsRemedy {
    /// A scan met another number of rows.
    CheckWriters,
    /// A later scan met other values.
    KeepUnchanged,
    /// A later scan met rows in another order.
    KeepOrder,
    /// The release would replace its source.
    ChooseAnotherName,
}

impl RowsRemedy {
    pub(super) fn sentence(self) -> Sentence {
        match self {
            RowsRemedy::CheckWriters => Sentence::plain(
                "check that no other program writes to the files; otherwise please report this: rows may be lost",
            ),
            RowsRemedy::KeepUnchanged => Sentence::plain(
                "make sure that no other program writes to the files, and run again; nothing was published",
            ),
            RowsRemedy::KeepOrder => Sentence::about(
                "make sure that nothing writes to the table during the run, add ORDER BY over a unique column, or \
                 raise {} so that rows need not be read a third time. Nothing was published",
                [Setting::named("memory")],
            ),
            RowsRemedy::ChooseAnotherName => {
                Sentence::plain("choose another name: the source of a run is never deleted")
            }
        }
    }
}
