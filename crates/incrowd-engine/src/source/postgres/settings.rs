//! Where the database is and who asks: from a file, the environment and `~/.pgpass`, never from arguments.
//!
//! In this order, each filling in what those before left open: the file of `--connection`, `DATABASE_URL`, the section
//! of `PGSERVICE` in `~/.pg_service.conf`, the `PG*` variables, the defaults of libpq. A password that is still missing
//! is looked up in `~/.pgpass`. File and URL are written as for libpq: `postgres://user@host/database`, or `host=…
//! dbname=…`.

use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::runtime::database_fault::DatabaseFault;
use crate::runtime::error::{EngineError, Result};
use crate::runtime::remedy::DatabaseRemedy;
use crate::source::postgres::passwords;

/// How the connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// Not at all.
    Plain,
    /// By TLS if the server has it.
    Preferred,
    /// By TLS, or there is no connection.
    Required,
}

/// A way to connect. Its Debug shows nothing of it.
#[derive(Clone)]
pub(crate) struct ConnectionSettings {
    pub(crate) config: Config,
    pub(crate) root_certificate: Option<PathBuf>,
}

impl std::fmt::Debug for ConnectionSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").finish_non_exhaustive()
    }
}

/// What variables are set; tests give their own.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Words of a connection: each name once, the first that is given.
#[derive(Default)]
struct Words(Vec<(String, String)>);

impl Words {
    fn add(&mut self, name: &str, value: String) {
        if self.get(name).is_none() {
            self.0.push((name.into(), value));
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Puts the settings together.
pub(crate) fn settings(named: &str, file: Option<&Path>, environment: Environment<'_>) -> Result<ConnectionSettings> {
    let wrong = |what: &str| {
        let fact = format!("{what} has no valid connection settings");
        EngineError::from(DatabaseFault::new(named, fact, DatabaseRemedy::DescribeConnection))
    };
    let mut words = Words::default();
    if let Some(path) = file {
        let text = passwords::private_text(path)?;
        read(&text, &mut words).ok_or_else(|| wrong(&path.display().to_string()))?;
    }
    if let Some(text) = environment("DATABASE_URL") {
        read(&text, &mut words).ok_or_else(|| wrong("DATABASE_URL"))?;
    }
    if let Some(service) = environment("PGSERVICE") {
        for (name, value) in passwords::service(&service, environment)?.ok_or_else(|| wrong("PGSERVICE"))? {
            words.add(&name, value);
        }
    }
    const VARIABLES: [(&str, &str); 11] = [
        ("PGHOST", "host"),
        ("PGHOSTADDR", "hostaddr"),
        ("PGPORT", "port"),
        ("PGUSER", "user"),
        ("PGDATABASE", "dbname"),
        ("PGPASSWORD", "password"),
        ("PGSSLMODE", "sslmode"),
        ("PGSSLROOTCERT", "sslrootcert"),
        ("PGAPPNAME", "application_name"),
        ("PGCONNECT_TIMEOUT", "connect_timeout"),
        ("PGOPTIONS", "options"),
    ];
    for (variable, name) in VARIABLES {
        if let Some(value) = environment(variable).filter(|value| !value.is_empty()) {
            words.add(name, value);
        }
    }
    if words.get("user").is_none() {
        words.add("user", environment("USER").unwrap_or_else(|| "postgres".into()));
    }
    if words.get("host").is_none() && words.get("hostaddr").is_none() {
        let socket = Path::new("/var/run/postgresql");
        words.add("host", if socket.is_dir() { socket.display().to_string() } else { "localhost".into() });
    }
    words.add("application_name", "incrowd".into());
    words.add("connect_timeout", "30".into());
    build(named, &words, environment).ok_or_else(|| wrong("the connection"))?
}

fn build(named: &str, words: &Words, environment: Environment<'_>) -> Option<Result<ConnectionSettings>> {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('\'', "\\'");
    let ours = |name: &str| matches!(name, "sslmode" | "sslrootcert" | "service");
    let text: Vec<String> = words
        .0
        .iter()
        .filter(|(name, _)| !ours(name))
        .map(|(name, value)| format!("{name}='{}'", escaped(value)))
        .collect();
    let mut config: Config = text.join(" ").parse().ok()?;
    let local = is_local(&config);
    config.ssl_mode(match protection(words.get("sslmode"), local)? {
        Protection::Plain => SslMode::Disable,
        Protection::Preferred => SslMode::Prefer,
        Protection::Required => SslMode::Require,
    });
    if config.get_password().is_none() {
        match passwords::password(&config, environment) {
            Ok(Some(password)) => drop(config.password(password)),
            Ok(None) => {}
            Err(error) => return Some(Err(error)),
        }
    }
    let root = words.get("sslrootcert").filter(|&path| path != "system").map(PathBuf::from);
    if let Some(missing) = root.as_ref().filter(|path| !path.is_file()) {
        let fact = format!("sslrootcert names {}, which is not a file", missing.display());
        return Some(Err(DatabaseFault::new(named, fact, DatabaseRemedy::NameAuthority).into()));
    }
    Some(Ok(ConnectionSettings { config, root_certificate: root }))
}

/// A certificate is always checked. People's data do not leave the machine in the clear unless that was requested.
fn protection(mode: Option<&str>, local: bool) -> Option<Protection> {
    Some(match mode {
        None if local => Protection::Plain,
        None => Protection::Required,
        Some("disable") => Protection::Plain,
        Some("allow" | "prefer") => Protection::Preferred,
        Some("require" | "verify-ca" | "verify-full") => Protection::Required,
        Some(_) => return None,
    })
}

/// Whether every host is this machine.
fn is_local(config: &Config) -> bool {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|at| at.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    config.get_hosts().iter().all(host) && config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback)
}

/// Reads a URL, or names and values.
fn read(text: &str, words: &mut Words) -> Option<()> {
    let text: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.starts_with('#')).collect();
    let text = text.join(" ");
    let text = text.trim();
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return read_url(text, words);
    }
    passwords::pairs(text)?.into_iter().for_each(|(name, value)| words.add(&name, value));
    Some(())
}

fn read_url(text: &str, words: &mut Words) -> Option<()> {
    let url = url::Url::parse(text).ok()?;
    for (name, value) in url.query_pairs() {
        words.add(&name, value.into_owned());
    }
    if let Some(host) = url.host_str().filter(|host| !host.is_empty()) {
        words.add("host", decoded(host.trim_start_matches('[').trim_end_matches(']'))?);
    }
    if let Some(port) = url.port() {
        words.add("port", port.to_string());
    }
    if !url.username().is_empty() {
        words.add("user", decoded(url.username())?);
    }
    if let Some(password) = url.password() {
        words.add("password", decoded(password)?);
    }
    let database = decoded(url.path().trim_start_matches('/'))?;
    if !database.is_empty() {
        words.add("dbname", database);
    }
    Some(())
}

/// A text without its percent signs.
fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::remedy::Setting;

    fn from(variables: &[(&str, &str)]) -> Result<ConnectionSettings> {
        let environment = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.to_string())
        };
        settings("postgres:t", None, &environment)
    }

    #[test]
    fn a_url_comes_before_the_variables_which_fill_in_what_it_leaves_open() {
        let url = ("DATABASE_URL", "postgres://ada:p%40ss'w@db.example:5433/visits?sslmode=verify-full");
        let config = from(&[url, ("PGUSER", "bo"), ("PGAPPNAME", "x")]).expect("settings").config;
        assert_eq!((config.get_user(), config.get_dbname()), (Some("ada"), Some("visits")));
        assert_eq!(config.get_password(), Some(&b"p@ss'w"[..]));
        assert_eq!((config.get_ports(), config.get_ssl_mode()), (&[5433][..], SslMode::Require));
        assert_eq!(config.get_application_name(), Some("x"));
    }

    #[test]
    fn data_leave_the_machine_in_the_clear_only_when_that_was_asked_for() {
        let mode = |variables: &[(&str, &str)]| from(variables).map(|settings| settings.config.get_ssl_mode()).ok();
        assert_eq!(mode(&[("PGHOST", "127.0.0.1")]), Some(SslMode::Disable));
        assert_eq!(mode(&[("PGHOST", "/tmp")]), Some(SslMode::Disable));
        assert_eq!(mode(&[("PGHOST", "db.example")]), Some(SslMode::Require));
        assert_eq!(mode(&[("PGHOST", "db.example"), ("PGSSLMODE", "disable")]), Some(SslMode::Disable));
        assert_eq!(mode(&[("PGHOST", "db.example"), ("PGSSLMODE", "prefer")]), Some(SslMode::Prefer));
        assert_eq!(mode(&[("PGHOST", "db.example"), ("PGSSLMODE", "sometimes")]), None);
    }

    #[test]
    fn neither_a_refusal_nor_debug_repeats_a_password() {
        let secret = "hunter2-CANARY";
        let url = format!("postgres://ada:{secret}@db.example:notaport/visits");
        let refused = from(&[("DATABASE_URL", &url)]).expect_err("the port is none");
        assert!(
            !format!("{refused} {refused:?} {}", refused.remedy().sentence().written(Setting::as_in_a_plan))
                .contains(secret)
        );
        let settings = from(&[("PGPASSWORD", secret)]).expect("settings");
        assert!(!format!("{settings:?}").contains(secret));
    }
}
