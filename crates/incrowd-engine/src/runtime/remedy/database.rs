//! Databases: names, rights, connections.

use super::{Sentence, Setting};

/// What to do about a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseRemedy {
    /// Nothing has the name.
    CheckName,
    /// The name cannot be read.
    QuoteName,
    /// The name is too long.
    ShortenName,
    /// The user may not read or create.
    AskForRights,
    /// The user may not create in the schema.
    AskForSchema,
    /// The user was not let in.
    CheckPassword,
    /// A file of secrets is open to others.
    CloseFile,
    /// There is no such database.
    CheckDatabase,
    /// The connection failed.
    CheckConnection,
    /// The settings do not say how to connect.
    DescribeConnection,
    /// The server's certificate is not trusted.
    TrustCertificate,
    /// No certificate can be read.
    NameCertificate,
    /// The named certificate is not there.
    NameAuthority,
    /// The query is not understood.
    TryQuery,
    /// The query would change something.
    OnlyRead,
    /// The server refused for a reason that is not passed on.
    TryInPsql,
    /// The server stopped the query.
    CheckTimeout,
    /// A table of the name exists.
    ForceOrRename,
    /// A table of the name exists and is no release.
    DropOrRename,
    /// Something depends on the table.
    DropDependents,
    /// Another session holds a lock.
    Wait,
    /// No connection is left.
    UseFewerConnections,
    /// The server ended what was under way.
    RunAgain,
    /// The rows did not arrive as they should.
    RunAgainOrReadAsText,
}

impl DatabaseRemedy {
    pub(super) fn sentence(self) -> Sentence {
        let settings = match self {
            DatabaseRemedy::ForceOrRename | DatabaseRemedy::DropOrRename => vec![Setting::on("force")],
            DatabaseRemedy::UseFewerConnections => vec![Setting::with("threads", "1")],
            _ => Vec::new(),
        };
        Sentence::about(self.text(), settings)
    }

    fn text(self) -> &'static str {
        match self {
            DatabaseRemedy::CheckName => {
                "check the name; names with capitals or special characters need double quotes, as in SQL"
            }
            DatabaseRemedy::QuoteName => {
                "write schema.table, with double quotes around names that are not plain: '\"Schema\".\"Table\"'"
            }
            DatabaseRemedy::ShortenName => "choose a shorter name",
            DatabaseRemedy::AskForRights => {
                "request the permission to read the table, or to create tables in the schema"
            }
            DatabaseRemedy::AskForSchema => {
                "request the permission to create tables in the schema, or name another schema"
            }
            DatabaseRemedy::CheckPassword => "check PGUSER and the password in ~/.pgpass, PGPASSWORD or the file",
            DatabaseRemedy::CloseFile => "run chmod 600 on it",
            DatabaseRemedy::CheckDatabase => "check PGDATABASE",
            DatabaseRemedy::CheckConnection => {
                "check that the server runs and PGHOST, PGPORT, PGUSER, PGDATABASE and sslmode are right, then run again"
            }
            DatabaseRemedy::DescribeConnection => {
                "write postgres://user@host/database, or host=… port=… dbname=… user=…, as for psql"
            }
            DatabaseRemedy::TrustCertificate => {
                "name the certificate that signed it with PGSSLROOTCERT, or connect to the host name in the certificate"
            }
            DatabaseRemedy::NameCertificate => {
                "name a certificate in PEM form with PGSSLROOTCERT, or install the system's (ca-certificates)"
            }
            DatabaseRemedy::NameAuthority => "name the certificate of the authority",
            DatabaseRemedy::TryQuery => "try the query in psql first",
            DatabaseRemedy::OnlyRead => "use a read-only query",
            DatabaseRemedy::TryInPsql => {
                "try the same in psql; the message of the server is not shown here because it may quote cells"
            }
            DatabaseRemedy::CheckTimeout => "check for a statement_timeout, and run again",
            DatabaseRemedy::ForceOrRename => "choose another name, or use {} to replace a release",
            DatabaseRemedy::DropOrRename => {
                "choose another name, or drop the tables yourself: {} replaces only an unchanged release"
            }
            DatabaseRemedy::DropDependents => "drop the view or constraint first, or choose another name",
            DatabaseRemedy::Wait => "wait until that session has ended, and run again",
            DatabaseRemedy::UseFewerConnections => "use {} for fewer connections, or wait",
            DatabaseRemedy::RunAgain => "run again; nothing was published",
            DatabaseRemedy::RunAgainOrReadAsText => {
                "run again; if the error remains, read the column as text: 'postgres:SELECT …, column::text FROM …'"
            }
        }
    }
}
