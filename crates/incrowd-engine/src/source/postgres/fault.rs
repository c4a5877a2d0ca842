//! Why a database refused, in words of our own: its messages may quote cells, and a connection's may quote secrets.

use std::error::Error as _;
use std::io::ErrorKind;

use tokio_postgres::error::{Error, SqlState};

use crate::runtime::database_fault::DatabaseFault;
use crate::runtime::remedy::DatabaseRemedy;
use crate::runtime::system_words::system_words;

impl DatabaseFault {
    /// A failure in the words for its SQLSTATE; its own text is not shown.
    pub(crate) fn of(named: &str, doing: &str, error: &Error) -> DatabaseFault {
        let Some(state) = error.code() else { return DatabaseFault::of_connection(named, doing, error) };
        let (fact, remedy) = words(state);
        DatabaseFault::new(named, format!("{fact} (SQLSTATE {}, while {doing})", state.code()), remedy)
    }

    fn of_connection(named: &str, doing: &str, error: &Error) -> DatabaseFault {
        let system = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
        let (fact, remedy) = match system {
            Some(system) if is_certificate(system) => {
                ("the server's certificate is not trusted".into(), DatabaseRemedy::TrustCertificate)
            }
            Some(system) => (unreachable(system), DatabaseRemedy::CheckConnection),
            None if error.is_closed() => ("the connection was lost".into(), DatabaseRemedy::CheckConnection),
            // The text of such an error names what is missing from the configuration, or a step of the protocol.
            None => ("communication with the server failed".into(), DatabaseRemedy::CheckConnection),
        };
        DatabaseFault::new(named, format!("{fact} (while {doing})"), remedy)
    }
}

/// Why no connection could be made.
fn unreachable(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no server socket at this path".into(),
        ErrorKind::ConnectionRefused => "no server is listening".into(),
        ErrorKind::TimedOut => "the server does not respond".into(),
        _ => format!("the connection failed: {}", system_words(error)),
    }
}

fn is_certificate(error: &std::io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    matches!(inner, Some(rustls::Error::InvalidCertificate(_)))
}

fn words(state: &SqlState) -> (&'static str, DatabaseRemedy) {
    match *state {
        SqlState::INSUFFICIENT_PRIVILEGE => ("permission denied", DatabaseRemedy::AskForRights),
        SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            ("authentication failed", DatabaseRemedy::CheckPassword)
        }
        SqlState::INVALID_CATALOG_NAME => ("the database does not exist", DatabaseRemedy::CheckDatabase),
        SqlState::UNDEFINED_TABLE => ("the table does not exist", DatabaseRemedy::CheckName),
        SqlState::INVALID_SCHEMA_NAME => ("the schema does not exist", DatabaseRemedy::CheckName),
        SqlState::UNDEFINED_COLUMN => ("the column does not exist", DatabaseRemedy::CheckName),
        SqlState::SYNTAX_ERROR => ("SQL syntax error", DatabaseRemedy::TryQuery),
        SqlState::READ_ONLY_SQL_TRANSACTION => ("the query modifies data", DatabaseRemedy::OnlyRead),
        SqlState::DUPLICATE_TABLE | SqlState::UNIQUE_VIOLATION => {
            ("a table of this name already exists", DatabaseRemedy::ForceOrRename)
        }
        SqlState::LOCK_NOT_AVAILABLE => ("another session holds a lock on the table", DatabaseRemedy::Wait),
        SqlState::DEPENDENT_OBJECTS_STILL_EXIST => {
            ("something depends on a table that would be replaced", DatabaseRemedy::DropDependents)
        }
        SqlState::ADMIN_SHUTDOWN | SqlState::CRASH_SHUTDOWN | SqlState::CANNOT_CONNECT_NOW => {
            ("the server ended the connection", DatabaseRemedy::RunAgain)
        }
        SqlState::QUERY_CANCELED => ("the server stopped the query", DatabaseRemedy::CheckTimeout),
        SqlState::DISK_FULL | SqlState::OUT_OF_MEMORY => {
            ("the server is out of disk space or memory", DatabaseRemedy::RunAgain)
        }
        SqlState::TOO_MANY_CONNECTIONS => ("the server has too many connections", DatabaseRemedy::UseFewerConnections),
        _ => ("the server returned an error", DatabaseRemedy::TryInPsql),
    }
}
