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
            RowsRemedy::CheckWriters => {
                Sentence::plain("check that nobody writes to the files; if nobody does, report it: no row may be lost")
            }
            RowsRemedy::KeepUnchanged => Sentence::plain(
                "let nobody write to the files while they are read, and run again; nothing was published",
            ),
            RowsRemedy::KeepOrder => Sentence::about(
                "let nobody write to the table while it is read; give a query an ORDER BY over a unique column; or raise \
                 {} so that rows need not be read a third time. Nothing was published",
                [Setting::named("memory")],
            ),
            RowsRemedy::ChooseAnotherName => {
                Sentence::plain("choose another name: the source of a run is never deleted")
            }
        }
    }
}
