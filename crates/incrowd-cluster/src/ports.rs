//! Free ports.

use std::net::TcpListener;

use crate::error::{ClusterError, Result};

/// A port that was free a moment ago.
pub(crate) fn free(host: &str) -> Result<u16> {
    let listener = TcpListener::bind((host, 0)).and_then(|listener| listener.local_addr());
    let taken = |source: std::io::Error| ClusterError::Process { what: "a listener", source };
    Ok(listener.map_err(taken)?.port())
}
