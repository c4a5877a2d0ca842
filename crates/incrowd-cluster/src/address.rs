//! Where a scheduler is.

use std::net::ToSocketAddrs;
use std::time::Duration;

use url::Url;

use crate::error::{ClusterError, Result};

/// The port of a scheduler that names none.
pub(crate) const USUAL_PORT: u16 = 50050;

/// Where a scheduler is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Address {
    /// `df://host:port`, or the same with another word or none before it.
    pub(crate) fn parse(text: &str) -> Result<Address> {
        let with_scheme = if text.contains("://") { text.to_string() } else { format!("df://{text}") };
        let wrong = || ClusterError::Address(text.into());
        let url = Url::parse(&with_scheme).map_err(|_| wrong())?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
        Ok(Address { host: host.into(), port: url.port().unwrap_or(USUAL_PORT) })
    }

    /// As people write it.
    pub(crate) fn shown(&self) -> String {
        format!("df://{}:{}", self.host, self.port)
    }

    /// Whether something listens there.
    pub(crate) fn answers(&self, within: Duration) -> bool {
        let addresses = (self.host.as_str(), self.port).to_socket_addrs();
        addresses.is_ok_and(|mut all| all.any(|address| std::net::TcpStream::connect_timeout(&address, within).is_ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_leave_out_its_scheme_and_its_port() {
        let address = |text: &str| Address::parse(text).ok().map(|address| (address.host, address.port));
        for text in ["df://host:7", "host:7", "http://host:7", "https://host:7/"] {
            assert_eq!(address(text), Some(("host".into(), 7)), "{text}");
        }
        assert_eq!(address("df://10.0.0.1"), Some(("10.0.0.1".into(), USUAL_PORT)));
        assert_eq!(address("df://:7"), None);
        assert_eq!(address("df://host:port"), None);
    }
}
