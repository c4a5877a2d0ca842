//! Pieces that are more than a task can hold: written in runs, which become one file at the end.
//!
//! The file of a stretch has a piece for each part. Where a stretch has many rows, what the task has collected is written now
//! and then, with pieces of its own, under a name that no other task uses; at the end, the pieces of all runs are
//! concatenated.

use std::fs::File;
use std::io::BufWriter;

use super::folder::TaskFolder;
use crate::runtime::error::{EngineError, Result};

/// How many groups, or rows, a task collects before it writes them. In tests few, so that there are runs.
pub(super) const MOST_COLLECTED: usize = if cfg!(test) { 50 } else { 1 << 21 };

/// Where pieces are written.
pub(super) type PieceWriter<'a> = BufWriter<&'a mut File>;

/// The runs of one file.
pub(super) struct PieceRuns<'a> {
    folder: TaskFolder<'a>,
    name: String,
    pieces: usize,
    /// Their names.
    runs: Vec<String>,
}

impl<'a> PieceRuns<'a> {
    pub(super) fn new(folder: TaskFolder<'a>, name: String, pieces: usize) -> PieceRuns<'a> {
        PieceRuns { folder, name, pieces, runs: Vec::new() }
    }

    /// Writes what was collected so far.
    pub(super) fn flush(&mut self, write: impl FnMut(usize, &mut PieceWriter<'_>) -> Result<()>) -> Result<()> {
        let run = self.folder.unfinished(&self.name);
        let run = run.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.runs.push(run.clone());
        self.folder.local().put_each_piece(&run, self.pieces, write)
    }

    /// Writes the file, with what was collected since the last run.
    pub(super) fn finish(self, mut write: impl FnMut(usize, &mut PieceWriter<'_>) -> Result<()>) -> Result<()> {
        let failed = |error| EngineError::io(&self.name, error);
        self.folder.put_each_piece(&self.name, self.pieces, |piece, out| {
            for run in &self.runs {
                let (mut bytes, length) = self.folder.local().open_piece(run, piece)?;
                if std::io::copy(&mut bytes, out).map_err(failed)? != length {
                    return Err(self.folder.damaged(run));
                }
            }
            write(piece, out)
        })
    }
}

impl Drop for PieceRuns<'_> {
    fn drop(&mut self) {
        // What cannot be removed goes with the folder.
        self.runs.iter().for_each(|run| drop(self.folder.local().remove(run)));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::cluster::tasks::shared_folder::SharedFolder;

    #[test]
    fn the_pieces_of_all_runs_stand_in_one_file_and_no_run_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let shared = SharedFolder::open(folder.path(), None).expect("a folder");
        let (disk, folder) = (folder.path(), shared.folder());
        let mut runs = PieceRuns::new(folder, "sums".into(), 3);
        let text = |run: usize| {
            move |piece: usize, out: &mut PieceWriter<'_>| {
                out.write_all(format!("{run}{piece} ").as_bytes()).map_err(|error| EngineError::io("sums", error))
            }
        };
        runs.flush(text(0)).expect("a run");
        runs.flush(text(1)).expect("a run");
        runs.finish(text(2)).expect("a file");
        let pieces = [0, 1, 2].map(|piece| folder.piece("sums", piece).expect("a piece"));
        assert_eq!(
            pieces.map(|piece| String::from_utf8_lossy(&piece).into_owned()),
            ["00 10 20 ", "01 11 21 ", "02 12 22 "]
        );
        assert_eq!(std::fs::read_dir(disk).map(Iterator::count).ok(), Some(1));
    }
}
