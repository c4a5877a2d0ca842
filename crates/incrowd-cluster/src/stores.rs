//! Object stores for plans: each process opens them with the credentials in its own environment, when a plan first names one.
//!
//! Plans carry the addresses of files and no credentials. The scheduler looks at the files of a table when it plans a scan,
//! so it needs access, too.

use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::object_store::ObjectStore;
use url::Url;

/// The stores of a process.
#[derive(Debug, Default)]
struct ProcessStores {
    /// Files of this machine, and stores that were opened.
    opened: DefaultObjectStoreRegistry,
}

impl ObjectStoreRegistry for ProcessStores {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.opened.register_store(url, store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        if let Ok(store) = self.opened.get_store(url) {
            return Ok(store);
        }
        // Without the words of the error, which may quote an address.
        let unusable = |_| DataFusionError::Execution("the object store cannot be opened".into());
        let store = incrowd_engine::stores::object_store(url.as_str()).map_err(unusable)?;
        self.opened.register_store(url, store.clone());
        Ok(store)
    }
}

/// What plans of a process run in, with these settings and the stores of the process.
pub(crate) fn runtime(settings: RuntimeEnvBuilder) -> Result<Arc<RuntimeEnv>> {
    Ok(Arc::new(settings.with_object_store_registry(Arc::new(ProcessStores::default())).build()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_knows_its_own_files_and_opens_no_store_that_it_has_no_name_for() {
        let stores = ProcessStores::default();
        let url = |text: &str| Url::parse(text).expect("an address");
        assert!(stores.get_store(&url("file:///tmp/a.parquet")).is_ok());
        let refused = stores.get_store(&url("ftp://host/a.parquet")).expect_err("no store").to_string();
        assert!(refused.contains("cannot be opened") && !refused.contains("host"), "{refused}");
    }
}
