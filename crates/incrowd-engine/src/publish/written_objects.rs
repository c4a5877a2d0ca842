//! The files of a release that executors wrote into an object store: verified where they are, and copied by the store.

#[cfg(feature = "cluster")]
use std::any::Any;
#[cfg(feature = "cluster")]
use std::sync::Arc;

/// The files of a release as objects of a store. They stay until this is dropped.
#[derive(Clone, Debug)]
pub struct WrittenObjects {
    /// The address of the folder that they are in.
    pub(crate) folder: String,
    /// The names of the objects, in the order of the files.
    pub names: Vec<String>,
    /// Removes the folder when nobody holds it any more.
    #[cfg(feature = "cluster")]
    pub(crate) kept: Arc<dyn Any + Send + Sync>,
}

impl WrittenObjects {
    /// The addresses of the objects, in the order of the files.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = String> {
        self.names.iter().map(|name| format!("{}/{name}", self.folder))
    }
}

impl PartialEq for WrittenObjects {
    fn eq(&self, other: &WrittenObjects) -> bool {
        (&self.folder, &self.names) == (&other.folder, &other.names)
    }
}

impl Eq for WrittenObjects {}
