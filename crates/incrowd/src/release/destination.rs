//! Where a release goes: a folder; or tables of a database, or an object store, and then only the record stays here.
//!
//! **Into a database** the engine writes typed cells, which are copied into tables inside a transaction, read back as
//! CSV and verified. The manifest and the tables become visible by one COMMIT. A comment on each table names its
//! manifest, and only tables with that comment are ever dropped.
//!
//! **Into an object store** a run first creates a claim, which only one run can create, then uploads the files, and the
//! manifest last, in one PUT.
//!
//! In both cases the record exists before the release does. The page about the release goes into the store with the
//! data. A database has no place for it: the page stays with the record, and the manifest does not name it. The
//! verifier knows neither databases nor object stores: it gets a folder.

use std::path::{Path, PathBuf};

use incrowd_engine::postgres::{self, PREFIX, Publication};
use incrowd_engine::stores::{self, Upload, is_remote};
use incrowd_engine::{Applied, Engine, Format, PublishOutcome, Source, platform};
use incrowd_verify::{DELTA_LOG, Manifest, ManifestError};

use super::{MANIFEST, StagedRelease, internal_of};
use crate::error::{Error, Result};

/// Where a release goes besides its name, and what it may replace.
pub(crate) struct DestinationOptions<'a> {
    /// Replace a release of the same name.
    pub(crate) force: bool,
    /// The folder of the custodian's record, for a release that goes elsewhere.
    pub(crate) record: Option<&'a Path>,
    /// A file that says how to connect to the database.
    pub(crate) connection: Option<&'a Path>,
}

/// A release in the making, on its way to where it goes. Dropped before it is published, it leaves nothing.
#[derive(Debug)]
pub(crate) struct Destination {
    staging: StagedFolders,
    elsewhere: Elsewhere,
    force: bool,
}

/// The hidden folders that a release is made in.
#[derive(Debug)]
enum StagedFolders {
    /// Those of a release, which get its name.
    Release(StagedRelease),
    /// Those of a table, inside the folders of a release of several tables.
    Table(TableFolders),
}

/// The folders of one of several tables.
#[derive(Debug)]
struct TableFolders {
    public: PathBuf,
    internal: PathBuf,
    record: PathBuf,
}

impl StagedFolders {
    fn public(&self) -> PathBuf {
        match self {
            StagedFolders::Release(staging) => staging.public(),
            StagedFolders::Table(folders) => folders.public.clone(),
        }
    }

    fn internal(&self) -> PathBuf {
        match self {
            StagedFolders::Release(staging) => staging.internal(),
            StagedFolders::Table(folders) => folders.internal.clone(),
        }
    }

    fn record(&self) -> &Path {
        match self {
            StagedFolders::Release(staging) => staging.record(),
            StagedFolders::Table(folders) => &folders.record,
        }
    }

    /// What is neither published nor kept.
    fn scratch(&self) -> PathBuf {
        match self {
            StagedFolders::Release(staging) => staging.scratch(),
            StagedFolders::Table(folders) => folders.internal.clone(),
        }
    }

    /// Gives the names of a release; what is done last elsewhere comes with them. A table gets its name with the others.
    fn publish(self, last: Option<impl FnOnce() -> Result<PublishOutcome>>) -> Result<()> {
        match (self, last) {
            (StagedFolders::Release(staging), Some(last)) => staging.publish_apart(last),
            (StagedFolders::Release(staging), None) => staging.publish(),
            (StagedFolders::Table(folders), _) => StagedRelease::seal_table(&folders.internal, &folders.public),
        }
    }
}

#[derive(Debug)]
enum Elsewhere {
    /// In the folder next to which it is staged.
    Here,
    Database(Box<Publication>),
    Store(Box<Upload>, Vec<String>),
}

impl Destination {
    /// Refuses a target that is taken, before any work is done.
    pub(crate) fn begin(
        engine: &Engine,
        source: &Source,
        target: &Path,
        options: &DestinationOptions<'_>,
    ) -> Result<Destination> {
        let force = options.force;
        let record = record_of(target, options.record);
        refuse_source_in(source, &[target, &record])?;
        let elsewhere = match remote(target) {
            None => {
                return Ok(Destination {
                    staging: StagedFolders::Release(StagedRelease::begin(target, force)?),
                    elsewhere: Elsewhere::Here,
                    force,
                });
            }
            Some(Remote::Database(named)) => {
                Elsewhere::Database(Box::new(Publication::begin(engine, source, named, options.connection, force)?))
            }
            Some(Remote::Store(named)) => {
                let upload = Upload::begin(engine, named, force)?;
                refuse_foreign_objects(&upload, target)?;
                Elsewhere::Store(Box::new(upload), Vec::new())
            }
        };
        let staging = StagedRelease::begin_apart(&record, force)?;
        let scratch = staging.scratch();
        std::fs::create_dir(&scratch).map_err(|error| Error::file(&scratch, &error))?;
        Ok(Destination { staging: StagedFolders::Release(staging), elsewhere, force })
    }

    /// The folders of a table in those of a release of several tables.
    pub(crate) fn of_table(staging: &StagedRelease, name: &str) -> Result<Destination> {
        let [public, internal] = [staging.public(), staging.internal()].map(|folder| folder.join(name));
        for folder in [&public, &internal] {
            std::fs::create_dir(folder).map_err(|error| Error::file(folder, &error))?;
        }
        platform::close(&internal).map_err(|error| Error::file(&internal, &error))?;
        let record = staging.record().join(name);
        let staging = StagedFolders::Table(TableFolders { public, internal, record });
        Ok(Destination { staging, elsewhere: Elsewhere::Here, force: false })
    }

    /// The folder that the engine writes to.
    pub(crate) fn written_to(&self) -> PathBuf {
        match self.elsewhere {
            Elsewhere::Database(_) => self.staging.scratch(),
            Elsewhere::Here | Elsewhere::Store(..) => self.staging.public(),
        }
    }

    /// The format that the engine writes: a database takes typed cells.
    pub(crate) fn format(&self, asked: Format) -> Format {
        match self.elsewhere {
            Elsewhere::Database(_) => Format::Arrow,
            Elsewhere::Here | Elsewhere::Store(..) => asked,
        }
    }

    /// Whether each table is written into one file: a database takes a file as a table.
    pub(crate) fn is_one_file(&self) -> bool {
        matches!(self.elsewhere, Elsewhere::Database(_))
    }

    /// Brings what was written into a database, and what then stands there into the public folder, to be verified.
    pub(crate) fn place(&mut self, engine: &Engine, applied: Applied) -> Result<Applied> {
        let (scratch, public) = (self.staging.scratch(), self.staging.public());
        match &mut self.elsewhere {
            Elsewhere::Here => Ok(applied),
            Elsewhere::Database(publication) => {
                let files = publication.load(engine, &scratch, &applied.files, self.force, &public)?;
                Ok(Applied { files, ..applied })
            }
            Elsewhere::Store(upload, files) => {
                *files = applied.files.iter().map(|file| file.name.clone()).collect();
                if let Some(objects) = &applied.in_store {
                    upload.copy_from(objects, files.iter().cloned());
                }
                Ok(applied)
            }
        }
    }

    /// What is verified.
    pub(crate) fn public(&self) -> PathBuf {
        self.staging.public()
    }

    /// Writes a page among what is published, and says whether it is. A database has no place for one: it stays with the
    /// custodian's record.
    pub(crate) fn add_page(&mut self, name: &str, text: &str) -> Result<bool> {
        match &mut self.elsewhere {
            Elsewhere::Here => {}
            Elsewhere::Store(_, files) => files.push(name.into()),
            Elsewhere::Database(_) => {
                StagedRelease::write(&self.staging.internal().join(name), text)?;
                return Ok(false);
            }
        }
        StagedRelease::write(&self.staging.public().join(name), text)?;
        Ok(true)
    }

    /// Writes the log of a Delta table among what is published. In an object store it comes last but for the manifest: it is
    /// what makes the files a table to others.
    pub(crate) fn add_delta_log(&mut self, text: &str) -> Result<()> {
        if let Elsewhere::Store(_, files) = &mut self.elsewhere {
            files.push(DELTA_LOG.into());
        }
        let path = self.staging.public().join(DELTA_LOG);
        let folder = path.parent().unwrap_or(&path);
        std::fs::create_dir(folder).map_err(|error| Error::file(folder, &error))?;
        StagedRelease::write(&path, text)?;
        platform::sync_folder(folder).map_err(|error| Error::file(folder, &error))
    }

    /// What stays with the custodian.
    pub(crate) fn internal(&self) -> PathBuf {
        self.staging.internal()
    }

    /// Where the custodian's record will stand.
    pub(crate) fn record(&self) -> PathBuf {
        self.staging.record().into()
    }

    /// Makes the release visible, whole.
    pub(crate) fn publish(self, engine: &Engine, manifest: &str) -> Result<()> {
        StagedRelease::write(&self.staging.public().join(MANIFEST), manifest)?;
        let public = self.staging.public();
        let last: Option<Box<dyn FnOnce() -> Result<PublishOutcome> + '_>> = match self.elsewhere {
            Elsewhere::Here => None,
            Elsewhere::Database(publication) => Some(Box::new(move || Ok(publication.commit(engine, manifest)?))),
            Elsewhere::Store(upload, mut files) => {
                files.sort_by_key(|name| name == DELTA_LOG);
                Some(Box::new(move || Ok(upload.publish(engine, &public, &files, manifest)?)))
            }
        };
        self.staging.publish(last)
    }
}

/// Refuses to replace a folder, here or in a store, that the table is read from.
pub(crate) fn refuse_source_in(source: &Source, places: &[&Path]) -> Result<()> {
    // Links lead to where a file is; an address in a store is compared as it is written.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
    let files: Vec<PathBuf> = source.files().iter().map(|file| real(file)).collect();
    match places.iter().find(|place| files.iter().any(|file| file.starts_with(real(place)))) {
        Some(place) => Err(Error::OverSource((*place).into())),
        None => Ok(()),
    }
}

/// Refuses to replace a folder of a store that holds objects which the sealed manifest in it does not list.
fn refuse_foreign_objects(upload: &Upload, target: &Path) -> Result<()> {
    let Some(manifest) = upload.manifest() else { return Ok(()) };
    let foreign = |fact: String| Error::ForeignFiles { folder: target.into(), fact };
    let changed = "manifest.json is not the manifest of a release, or was changed";
    let manifest = Manifest::from_sealed_json(manifest).map_err(|_| foreign(changed.into()))?;
    let listed: Vec<_> = manifest.listed_files().collect();
    match upload.replaced().find(|object| !listed.contains(object)) {
        Some((name, _)) => Err(foreign(format!("{name} is not in the manifest, or has another size"))),
        None => Ok(()),
    }
}

/// Something that is not a folder on this machine.
pub(crate) enum Remote<'a> {
    Database(&'a str),
    Store(&'a str),
}

impl Remote<'_> {
    /// Writes the released files into a folder here.
    pub(crate) fn fetch(&self, engine: &Engine, connection: Option<&Path>, folder: &Path) -> Result<()> {
        match self {
            Remote::Database(named) => postgres::fetch_release(engine, named, connection, folder)?,
            Remote::Store(named) => stores::fetch_release(engine, named, folder)?,
        }
        Ok(())
    }
}

/// What a name means, if it is none of a folder.
pub(crate) fn remote(target: &Path) -> Option<Remote<'_>> {
    let named = target.to_str()?;
    match named {
        _ if named.starts_with(PREFIX) => Some(Remote::Database(named)),
        _ if is_remote(named) => Some(Remote::Store(named)),
        _ => None,
    }
}

/// The folder of the custodian's record of a release: next to a folder; for a release elsewhere, the given folder,
/// or here under the release's own name.
pub(crate) fn record_of(target: &Path, named: Option<&Path>) -> PathBuf {
    match (named, remote(target)) {
        (Some(named), _) => named.into(),
        (None, None) => internal_of_table(target).unwrap_or_else(|| internal_of(target)),
        (None, Some(_)) => internal_of(Path::new(&name_of(target))),
    }
}

/// The folder of the record of one of several tables: it is in that of the whole release.
fn internal_of_table(target: &Path) -> Option<PathBuf> {
    let (release, name) = (target.parent().filter(|release| release.file_name().is_some())?, target.file_name()?);
    let is_table = matches!(Manifest::read(release), Err(ManifestError::SeveralTables(tables)) if tables.iter().any(|table| name == table.as_str()));
    is_table.then(|| internal_of(release).join(name))
}

/// The name that a release is known by: the last part of where it goes.
pub(crate) fn name_of(target: &Path) -> String {
    let last = match remote(target) {
        None => return target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        Some(Remote::Store(asked)) => asked.rsplit('/').find(|part| !part.is_empty()),
        Some(Remote::Database(asked)) => asked.rsplit(['.', '"', ':', '/']).find(|part| !part.is_empty()),
    };
    let plain: String = last.unwrap_or_default().chars().filter(|letter| !matches!(letter, '/' | '\\')).collect();
    if plain.is_empty() { "release".into() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_of_a_release_elsewhere_bears_its_name() {
        let record = |target: &str| record_of(Path::new(target), None).display().to_string();
        assert_eq!(record("out/adult"), "out/adult.internal");
        assert_eq!(record("postgres:public.visits"), "visits.internal");
        assert_eq!(record("postgres:\"My Schema\".\"Visits 2\""), "Visits 2.internal");
        assert_eq!(record("s3://bucket/a/visits.v2/"), "visits.v2.internal");
        assert_eq!(record_of(Path::new("postgres:visits"), Some(Path::new("kept"))), Path::new("kept"));
    }
}
