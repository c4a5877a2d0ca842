//! Object stores: `s3://`, `gs://` and `az://` as places of tables and of releases.
//!
//! Credentials and endpoints come from the environment, under the names that each provider's own tools use (`AWS_ACCESS_KEY_ID`,
//! `AWS_ENDPOINT_URL`, `GOOGLE_APPLICATION_CREDENTIALS`, `AZURE_STORAGE_ACCOUNT_NAME`, …). `remote.rs` reads a file by ranges, as if it
//! were here; `find.rs` finds those that are meant; `upload.rs` writes a release, its manifest last, and fetches one back.

mod find;
mod remote;
mod upload;

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{Error, ObjectStore, RetryConfig};
use url::Url;

use crate::error::{EngineError, Result};

pub(crate) use find::find;
pub(crate) use remote::RemoteFile;
pub use upload::{Upload, fetch_release};

/// What names begin with that mean an object store.
const SCHEMES: [&str; 3] = ["s3://", "gs://", "az://"];

/// Whether a name means something in an object store.
pub fn is_remote(named: &str) -> bool {
    SCHEMES.iter().any(|scheme| named.starts_with(scheme))
}

/// What an object store refused, and why, in words of our own: its messages may quote addresses that hold signatures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{named}: {fact}")]
pub struct StoreFault {
    named: String,
    fact: &'static str,
    pub(crate) hint: &'static str,
}

impl StoreFault {
    fn refusal(named: &str, fact: &'static str, hint: &'static str) -> EngineError {
        EngineError::Store(StoreFault { named: named.into(), fact, hint })
    }

    fn of(named: &str, error: &Error) -> EngineError {
        let (fact, hint) = match error {
            Error::NotFound { .. } => ("there is no such object or bucket", "check the name and the bucket"),
            Error::PermissionDenied { .. } => ("permission denied", "ask for the right to read or write there"),
            Error::Unauthenticated { .. } => {
                ("the store did not let you in", "check the credentials in the environment")
            }
            Error::AlreadyExists { .. } => ("something of this name exists already", "choose another name"),
            Error::InvalidPath { .. } => {
                ("this is no name of an object", "use plain names, without . and .. between slashes")
            }
            _ => (
                "the store could not be spoken with",
                "check credentials and region in the environment and AWS_ENDPOINT_URL, then run again",
            ),
        };
        StoreFault::refusal(named, fact, hint)
    }
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
    let wrong =
        || StoreFault::refusal(named, "this is no address of a bucket", "write s3://bucket/path, gs://… or az://…");
    let rest = SCHEMES.iter().find_map(|scheme| named.strip_prefix(scheme)).ok_or_else(wrong)?;
    let (bucket, path) = rest.split_once('/').unwrap_or((rest, ""));
    let scheme = &named[..5];
    let url =
        Url::parse(&format!("{scheme}{bucket}")).ok().filter(|url| url.host_str() == Some(bucket)).ok_or_else(wrong)?;
    let store = build(scheme, url.as_str()).map_err(|error| StoreFault::of(named, &error))?;
    Ok((Bucket { store, url }, path.into()))
}

/// The path of an object as the store's crate writes it.
pub(crate) fn path_of(named: &str, path: &str) -> Result<Path> {
    Path::parse(path.trim_end_matches('/')).map_err(|_| {
        StoreFault::refusal(named, "this is no name of an object", "use plain names, without . and .. between slashes")
    })
}

fn build(scheme: &str, url: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
    // A store that does not answer is told within a minute, not within three.
    let retry = RetryConfig { max_retries: 6, retry_timeout: Duration::from_secs(60), ..RetryConfig::default() };
    let variables = |prefix: &'static str| {
        let named =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        named.filter(move |(name, _)| name.starts_with(prefix)).map(|(name, value)| (name.to_lowercase(), value))
    };
    macro_rules! from_environment {
        ($builder:expr, $prefix:literal) => {{
            let builder = variables($prefix).fold($builder, |builder, (name, value)| match name.parse() {
                Ok(key) => builder.with_config(key, value),
                Err(_) => builder,
            });
            builder.with_url(url).with_retry(retry)
        }};
    }
    Ok(match scheme {
        "s3://" => {
            let builder = from_environment!(AmazonS3Builder::new(), "AWS_");
            let loopback =
                ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"].iter().any(|name| is_loopback(name));
            // A server on this machine needs no TLS.
            Arc::new(if loopback { builder.with_allow_http(true) } else { builder }.build()?)
        }
        "gs://" => Arc::new(from_environment!(GoogleCloudStorageBuilder::new(), "GOOGLE_").build()?),
        _ => Arc::new(from_environment!(MicrosoftAzureBuilder::new(), "AZURE_").build()?),
    })
}

fn is_loopback(variable: &str) -> bool {
    let url = std::env::var(variable).ok().and_then(|value| Url::parse(&value).ok());
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
        assert!(is_remote("gs://a/b") && !is_remote("/s3://a") && !is_remote("http://a"));
    }
}
