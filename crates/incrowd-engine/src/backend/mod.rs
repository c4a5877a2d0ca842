//! Where rows are counted and written: in this process, or on a cluster.
//!
//! The one place that chooses. Everything before and after it is the same wherever the rows are: the question, the
//! answer, the recipe and what was written are plain data.

#[cfg(feature = "cluster")]
mod on_cluster;

use std::collections::HashMap;
use std::path::Path;

use incrowd_core::{ClassSizes, ColumnProfile};

use crate::count::answer::Answer;
use crate::count::codebook::Codebook;
use crate::count::question::{AgreeingRows, Question};
use crate::out_of_core::{ByRow, RowRecipe, apply_by_row};
use crate::publish::apply::apply;
use crate::publish::recipe::{Applied, Recipe};
use crate::runtime::engine::Engine;
use crate::runtime::error::Result;
use crate::source::table::Source;

/// What was decided about the rows of a table, and is to be written.
enum Decided<'a> {
    /// A class for each tuple, all of which are in memory.
    ByTuple(&'a Codebook, &'a Recipe<'a>),
    /// A class for each row, noted on disk because the tuples outgrew memory.
    ByRow(&'a ByRow, &'a RowRecipe<'a>),
}

/// A place where rows are counted and written.
trait Backend {
    /// The tuples of the question, and a profile of each of these columns.
    fn count(
        &self,
        source: &Source,
        question: &Question,
        profiled: Option<&[String]>,
    ) -> Result<(Answer, Vec<ColumnProfile>)>;

    /// A profile of each of these columns.
    fn profile(&self, source: &Source, columns: &[String]) -> Result<Vec<ColumnProfile>>;

    /// Reads the rows again and writes them into a folder as it was decided.
    fn write(&self, source: &Source, decided: &Decided<'_>, folder: &Path) -> Result<Applied>;
}

/// This process, in memory and, where memory is short, through private files.
struct ThisProcess<'a> {
    engine: &'a Engine,
}

impl Backend for ThisProcess<'_> {
    fn count(
        &self,
        source: &Source,
        question: &Question,
        profiled: Option<&[String]>,
    ) -> Result<(Answer, Vec<ColumnProfile>)> {
        source.read_once(self.engine, question, profiled)
    }

    fn profile(&self, source: &Source, columns: &[String]) -> Result<Vec<ColumnProfile>> {
        source.profile_rows(self.engine, columns, None)
    }

    fn write(&self, source: &Source, decided: &Decided<'_>, folder: &Path) -> Result<Applied> {
        match decided {
            Decided::ByTuple(codebook, recipe) => apply(self.engine, source, codebook, recipe, folder),
            Decided::ByRow(by_row, recipe) => apply_by_row(self.engine, source, by_row, recipe, folder),
        }
    }
}

/// Where the engine counts and writes.
fn backend(engine: &Engine) -> Box<dyn Backend + '_> {
    match engine.cluster() {
        #[cfg(feature = "cluster")]
        Some(cluster) => Box::new(on_cluster::OnCluster { engine, cluster }),
        #[cfg(not(feature = "cluster"))]
        Some(&none) => match none {},
        None => Box::new(ThisProcess { engine }),
    }
}

impl Source {
    /// Reads the columns of the question once and counts their tuples.
    pub fn count(&self, engine: &Engine, question: &Question) -> Result<Answer> {
        self.check_question(question)?;
        backend(engine).count(self, question, None).map(|(answer, _)| answer)
    }

    /// As [`Source::count`], on this machine even when the engine has a cluster: what is staged here is counted here.
    pub fn count_here(&self, engine: &Engine, question: &Question) -> Result<Answer> {
        self.check_question(question)?;
        ThisProcess { engine }.count(self, question, None).map(|(answer, _)| answer)
    }

    /// How many rows agree on each set of columns, counted by tasks of a cluster whose executors carry our code, as keyed
    /// hashes: no value is sent here. Nothing without such a cluster, or if the rows are few.
    pub fn agreeing_rows(&self, engine: &Engine, sets: &[Vec<String>]) -> Result<Option<Vec<AgreeingRows>>> {
        for name in sets.iter().flatten() {
            self.data_type(name)?;
        }
        match engine.cluster() {
            #[cfg(feature = "cluster")]
            Some(cluster) => crate::cluster::agreeing_rows(cluster, engine, self, sets),
            #[cfg(not(feature = "cluster"))]
            Some(&none) => match none {},
            None => Ok(None),
        }
    }

    /// The sizes of the classes by these quasi-identifiers, in rows: on this machine, or by tasks of a cluster whose
    /// executors carry our code. The question names nothing else.
    pub fn class_sizes(&self, engine: &Engine, question: &Question) -> Result<ClassSizes> {
        self.check_question(question)?;
        let by_tasks = self.agreeing_rows(engine, std::slice::from_ref(&question.quasi_identifiers))?;
        if let Some(agreeing) = by_tasks.and_then(|mut sets| sets.pop()) {
            return Ok(agreeing.sizes);
        }
        self.count_here(engine, &Question { sizes_only: true, ..question.clone() }).map(|answer| answer.sizes)
    }

    /// As [`Source::count`], and profiles these columns in the same scan.
    pub fn profile_and_count(
        &self,
        engine: &Engine,
        columns: &[String],
        question: &Question,
    ) -> Result<(Vec<ColumnProfile>, Answer)> {
        self.check_question(question)?;
        let (answer, mut profiles) = backend(engine).count(self, question, Some(columns))?;
        let place: HashMap<&String, usize> = columns.iter().zip(0..).collect();
        profiles.retain(|profile| place.contains_key(&profile.name));
        profiles.sort_by_key(|profile| place.get(&profile.name).copied());
        Ok((profiles, answer))
    }

    /// Reads every column on its own.
    pub fn profile(&self, engine: &Engine) -> Result<Vec<ColumnProfile>> {
        self.profile_columns(engine, &self.columns())
    }

    /// As [`Source::profile`], for some columns only: those of lists or documents can be left out.
    pub fn profile_columns(&self, engine: &Engine, columns: &[String]) -> Result<Vec<ColumnProfile>> {
        backend(engine).profile(self, columns)
    }

    /// As [`Source::profile_columns`], on this machine even when the engine has a cluster: values that name people do
    /// not leave it.
    pub fn profile_columns_here(&self, engine: &Engine, columns: &[String]) -> Result<Vec<ColumnProfile>> {
        ThisProcess { engine }.profile(self, columns)
    }

    /// Reads the rows again, recodes and shuffles them, and writes the data files into a folder.
    ///
    /// The codebook and the table are those of one [`Source::count`]. A table that changed since is refused. What was
    /// written until an error stays in the folder, which is the caller's to remove.
    ///
    /// # Panics
    /// If the recoding is not one of this table and these quasi-identifiers.
    pub fn apply(&self, engine: &Engine, codebook: &Codebook, recipe: &Recipe<'_>, folder: &Path) -> Result<Applied> {
        backend(engine).write(self, &Decided::ByTuple(codebook, recipe), folder)
    }

    /// Reads the rows again and writes the data file into a folder, each row with the class that was noted for it.
    ///
    /// As [`Source::apply`] refuses, so does this: a table that changed since its rows were laid out, or that gives
    /// them in another order.
    pub fn apply_by_row(
        &self,
        engine: &Engine,
        by_row: &ByRow,
        recipe: &RowRecipe<'_>,
        folder: &Path,
    ) -> Result<Applied> {
        backend(engine).write(self, &Decided::ByRow(by_row, recipe), folder)
    }
}
