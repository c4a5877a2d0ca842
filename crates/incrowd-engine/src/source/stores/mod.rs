//! Object stores: `s3://`, `gs://` and `az://` as places of tables.
//!
//! Credentials and endpoints come from the environment, under the names that each provider's own tools use
//! (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, `GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_ACCOUNT_NAME`, …).
//! `remote.rs` reads a file by ranges, as if it were here; `find.rs` finds those that are meant,
//! `delta_table.rs` those of a Delta table.

mod delta_table;
mod find;
mod remote;

#[cfg(feature = "cluster")]
use std::collections::BTreeMap;
use std::sync::Arc;
#[cfg(feature = "cluster")]
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, Error, ObjectStore, RetryConfig};
use tokio::runtime::{Handle, RuntimeFlavor};
use url::Url;

use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::StoreRemedy;
use crate::runtime::store_fault::StoreFault;

pub(crate) use find::find;
#[cfg(feature = "cluster")]
pub(crate) use find::known_file;
pub(crate) use remote::RemoteFile;

/// What names begin with that mean an object store.
const SCHEMES: [&str; 3] = ["s3://", "gs://", "az://"];

/// Whether a name means something in an object store.
pub fn is_remote(named: &str) -> bool {
    SCHEMES.iter().any(|scheme| named.starts_with(scheme))
}

impl StoreFault {
    /// A failure in words that quote nothing of it.
    pub(crate) fn of(named: &str, error: &Error) -> EngineError {
        let (fact, remedy) = match error {
            Error::NotFound { .. } => ("the object or bucket does not exist", StoreRemedy::CheckName),
            Error::PermissionDenied { .. } => ("permission denied", StoreRemedy::AskForRights),
            Error::Unauthenticated { .. } => ("authentication failed", StoreRemedy::CheckCredentials),
            Error::AlreadyExists { .. } => ("an object of this name already exists", StoreRemedy::ChooseAnotherName),
            Error::InvalidPath { .. } => ("not a valid object name", StoreRemedy::UsePlainNames),
            _ => ("communication with the store failed", StoreRemedy::CheckConnection),
        };
        StoreFault::refusal(named, fact, remedy)
    }
}

/// Waits for an answer, whoever asks; nothing when the one that was asked ended unexpectedly.
pub(crate) fn wait<T: Send>(runtime: &Handle, asked: impl Future<Output = T> + Send) -> Option<T> {
    // On a thread of its own: who calls may be one of the runtime's threads, which must not wait for it.
    let wait = || std::thread::scope(|scope| scope.spawn(|| runtime.block_on(asked)).join().ok());
    // Another thread takes over its work: if all of them only waited, nobody would receive what they wait for.
    let on_workers = Handle::try_current().is_ok_and(|here| here.runtime_flavor() == RuntimeFlavor::MultiThread);
    if on_workers { tokio::task::block_in_place(wait) } else { wait() }
}

/// Threads that wait for stores where no engine does, in the tasks of an executor.
#[cfg(feature = "cluster")]
pub(crate) fn runtime() -> Result<Handle> {
    static RUNTIME: std::sync::OnceLock<tokio::runtime::Runtime> = std::sync::OnceLock::new();
    if RUNTIME.get().is_none() {
        let started = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let started = started.map_err(|source| EngineError::System { what: "starting threads", source })?;
        if let Err(second) = RUNTIME.set(started) {
            // Another task was faster.
            second.shutdown_background();
        }
    }
    let missing = || EngineError::System { what: "starting threads", source: std::io::ErrorKind::Other.into() };
    RUNTIME.get().map(|runtime| runtime.handle().clone()).ok_or_else(missing)
}

/// A store, and the address that its objects have in it.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// Scheme and bucket.
    pub(crate) url: Url,
}

/// The bucket of a name, and the path in it. A pattern is part of the path.
pub(crate) fn open(named: &str) -> Result<(Bucket, String)> {
    let wrong = || StoreFault::refusal(named, "not a valid bucket URL", StoreRemedy::WriteAddress);
    let rest = SCHEMES.iter().find_map(|scheme| named.strip_prefix(scheme)).ok_or_else(wrong)?;
    let (bucket, path) = rest.split_once('/').unwrap_or((rest, ""));
    let scheme = &named[..5];
    let url =
        Url::parse(&format!("{scheme}{bucket}")).ok().filter(|url| url.host_str() == Some(bucket)).ok_or_else(wrong)?;
    #[cfg(test)]
    if bucket == "in-memory" {
        static STORE: std::sync::LazyLock<Arc<object_store::memory::InMemory>> = std::sync::LazyLock::new(Arc::default);
        return Ok((Bucket { store: STORE.clone(), url }, path.into()));
    }
    let variables: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    if !may_connect(scheme, &variables) {
        let fact = "an endpoint in the environment is on another machine and has no TLS";
        return Err(StoreFault::refusal(named, fact, StoreRemedy::UseTls));
    }
    let store = build(scheme, url.as_str(), &variables).map_err(|error| StoreFault::of(named, &error))?;
    Ok((Bucket { store, url }, path.into()))
}

/// As [`open`], for tasks: a process opens each bucket once, because certificates and connections belong to it.
#[cfg(feature = "cluster")]
pub(crate) fn open_once(named: &str) -> Result<(Bucket, String)> {
    static OPENED: Mutex<BTreeMap<String, Bucket>> = Mutex::new(BTreeMap::new());
    let after_scheme = named.find("://").map_or(0, |at| at + 3);
    let end = named[after_scheme..].find('/').map_or(named.len(), |at| after_scheme + at);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bucket) = opened.get(&named[..end]) {
        return Ok((bucket.clone(), named[end..].strip_prefix('/').unwrap_or_default().into()));
    }
    let (bucket, path) = open(named)?;
    opened.insert(named[..end].into(), bucket.clone());
    Ok((bucket, path))
}

/// The store of an address, opened with what the environment of this process says.
///
/// # Errors
/// The address is none of a store, or the environment does not say how to open it.
#[cfg(feature = "cluster")]
pub fn object_store(named: &str) -> Result<Arc<dyn ObjectStore>> {
    Ok(open(named)?.0.store)
}

/// The path of an object as the store's crate writes it.
pub(crate) fn path_of(named: &str, path: &str) -> Result<Path> {
    Path::parse(path.trim_end_matches('/'))
        .map_err(|_| StoreFault::refusal(named, "not a valid object name", StoreRemedy::UsePlainNames))
}

fn build(scheme: &str, url: &str, variables: &[(String, String)]) -> object_store::Result<Arc<dyn ObjectStore>> {
    // A store that is busy for ten seconds is waited for; one that does not answer is reported within one minute. Each wait
    // is drawn at random, up to three times the one before, so that twelve of them take 11 to 50 seconds.
    let backoff =
        BackoffConfig { init_backoff: Duration::from_millis(500), max_backoff: Duration::from_secs(5), base: 3.0 };
    let retry = RetryConfig { backoff, max_retries: 12, retry_timeout: Duration::from_secs(60) };
    let named = |prefix: &'static str| {
        let named = variables.iter().filter(move |(name, _)| name.starts_with(prefix));
        named.map(|(name, value)| (name.to_lowercase(), value.clone()))
    };
    macro_rules! from_environment {
        ($builder:expr, $prefix:literal) => {{
            let builder = named($prefix).fold($builder, |builder, (name, value)| match name.parse() {
                Ok(key) => builder.with_config(key, value),
                Err(_) => builder,
            });
            builder.with_url(url).with_retry(retry)
        }};
    }
    Ok(match scheme {
        "s3://" => {
            let builder = from_environment!(AmazonS3Builder::new(), "AWS_");
            // A server on this machine needs no TLS. Plain HTTP is allowed for all endpoints or for none, so
            // `may_connect` has seen that each of them is on this machine or has TLS.
            let plain = endpoints(variables).any(|(_, value)| is_plain(value));
            Arc::new(if plain { builder.with_allow_http(true) } else { builder }.build()?)
        }
        "gs://" => Arc::new(from_environment!(GoogleCloudStorageBuilder::new(), "GOOGLE_").build()?),
        _ => Arc::new(from_environment!(MicrosoftAzureBuilder::new(), "AZURE_").build()?),
    })
}

/// The variables that name an endpoint of S3 or of a service that credentials come from.
fn endpoints(variables: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    let named = variables.iter().filter(|(name, _)| name == "AWS_ENDPOINT" || name.starts_with("AWS_ENDPOINT_URL"));
    named.map(|(name, value)| (name.as_str(), value.as_str()))
}

/// Whether every endpoint is on this machine or has TLS, or plain HTTP was requested.
fn may_connect(scheme: &str, variables: &[(String, String)]) -> bool {
    let asked = variables.iter().any(|(name, value)| name == "AWS_ALLOW_HTTP" && value.eq_ignore_ascii_case("true"));
    scheme != "s3://" || asked || endpoints(variables).all(|(_, value)| !is_plain(value) || is_loopback(value))
}

fn is_plain(endpoint: &str) -> bool {
    !endpoint.trim_start().to_ascii_lowercase().starts_with("https://") && !endpoint.trim().is_empty()
}

fn is_loopback(endpoint: &str) -> bool {
    let url = Url::parse(endpoint).ok();
    url.and_then(|url| {
        url.host().map(|host| match host {
            url::Host::Domain(name) => name == "localhost",
            url::Host::Ipv4(address) => address.is_loopback(),
            url::Host::Ipv6(address) => address.is_loopback(),
        })
    })
    .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_into_bucket_and_path() {
        let cut = |named: &str| open(named).map(|(bucket, path)| (bucket.url.to_string(), path)).ok();
        assert_eq!(cut("s3://tables/a/b*.csv"), Some(("s3://tables".into(), "a/b*.csv".into())));
        assert_eq!(cut("s3://tables"), Some(("s3://tables".into(), String::new())));
        assert_eq!(cut("s3://user:secret@tables/a"), None, "secrets do not stand in names");
        #[cfg(feature = "cluster")]
        for named in ["s3://in-memory/a/b", "s3://in-memory", "s3://in-memory/a/b"] {
            let both =
                [open(named), open_once(named)].map(|opened| opened.map(|(bucket, path)| (bucket.url, path)).ok());
            assert_eq!(both[0], both[1]);
        }
        assert!(is_remote("gs://a/b") && !is_remote("/s3://a") && !is_remote("http://a"));
    }

    #[test]
    fn plain_http_to_this_machine_allows_none_to_another() {
        let may = |set: &[(&str, &str)]| {
            let set: Vec<(String, String)> =
                set.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
            may_connect("s3://", &set)
        };
        let (here, there) = ("http://127.0.0.1:9000", "http://store.example:9000");
        assert!(
            may(&[]) && may(&[("AWS_ENDPOINT_URL", here)]) && may(&[("AWS_ENDPOINT_URL", "https://store.example")])
        );
        assert!(!may(&[("AWS_ENDPOINT_URL", there)]));
        assert!(!may(&[("AWS_ENDPOINT_URL", there), ("AWS_ENDPOINT_URL_S3", here)]));
        assert!(!may(&[("AWS_ENDPOINT_URL_S3", there), ("AWS_ENDPOINT_URL", here)]));
        assert!(!may(&[("AWS_ENDPOINT_URL_STS", there), ("AWS_ENDPOINT_URL", here)]));
        assert!(may(&[("AWS_ENDPOINT_URL_S3", "http://localhost:1"), ("AWS_ENDPOINT_URL", here)]));
        assert!(may(&[("AWS_ENDPOINT_URL", there), ("AWS_ALLOW_HTTP", "true")]));
        assert!(!may(&[("AWS_ENDPOINT_URL", "store.example:9000")]), "no scheme is no TLS");
    }
}
