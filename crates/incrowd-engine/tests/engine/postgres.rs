//! Tables in a real PostgreSQL. `INCROWD_POSTGRES` names it, as a URL of a superuser; `.ci/postgres start` makes one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use incrowd_core::{Cancel, Progress, Stage};
use incrowd_engine::{EngineError, ReadOptions, Settings, Source};

use crate::postgres_schema::{PostgresSchema, connect};
use crate::support::{Desk, question, refusal, tuples, whole};

/// A schema of its own in the server that the environment names.
struct Server(PostgresSchema);

impl std::ops::Deref for Server {
    type Target = PostgresSchema;

    fn deref(&self) -> &PostgresSchema {
        &self.0
    }
}

impl Server {
    /// A schema whose name wants quotes; nothing when no server is named.
    fn find() -> Option<Server> {
        PostgresSchema::create("Incrowd \"test\" ").map(Server)
    }

    /// The name of a table as a user would give it.
    fn named(&self, table: &str) -> String {
        format!("postgres:{}.{table}", self.quoted())
    }

    /// A file that says how to connect, closed to others.
    fn connection(&self, desk: &Desk, url: &str) -> PathBuf {
        let path = PathBuf::from(desk.write("connection", url));
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        path
    }

    fn open(&self, desk: &Desk, named: &str) -> incrowd_engine::Result<Source> {
        self.open_as(desk, named, &self.url)
    }

    fn open_as(&self, desk: &Desk, named: &str, url: &str) -> incrowd_engine::Result<Source> {
        let connection = Some(self.connection(desk, url));
        Source::open(&desk.engine, named, ReadOptions { connection, ..ReadOptions::default() })
    }
}

/// The labels of a column with their counts.
fn counted(desk: &Desk, source: &Source, column: &str) -> BTreeMap<String, u64> {
    let answer = source.count(&desk.engine, &question(&[column])).unwrap();
    tuples(whole(&answer)).into_iter().map(|(mut labels, count)| (labels.remove(0), count)).collect()
}

#[test]
fn every_type_comes_over_without_loss() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), server.quoted());
    // Column, type, what is written, what is read.
    let columns = [
        ("yes", "boolean", "true", "true"),
        ("small", "smallint", "-32768", "-32768"),
        ("whole", "integer", "2147483647", "2147483647"),
        ("big", "bigint", "-9223372036854775808", "-9223372036854775808"),
        ("single", "real", "1.5", "1.5"),
        ("double", "double precision", "0.1", "0.1"),
        ("price", "numeric(12, 3)", "-12345.670", "-12345.670"),
        ("zero", "numeric(4, 2)", "0", "0.00"),
        ("huge", "numeric(38, 0)", &"9".repeat(38), &"9".repeat(38)),
        (
            "beyond",
            "numeric",
            "1234567890123456789012345678901234567890.5",
            "1234567890123456789012345678901234567890.5",
        ),
        ("postcode", "text", "'00501'", "00501"),
        ("short", "varchar(9)", "'Zoë, \"x\"'", "Zoë, \"x\""),
        ("padded", "char(6)", "'ab'", "ab"),
        ("letter", "\"char\"", "'q'", "q"),
        ("named", "name", "'a name'", "a name"),
        ("born", "date", "'0044-03-15 BC'", "-0043-03-15"),
        ("day", "date", "'2024-02-29'", "2024-02-29"),
        ("seen", "timestamp", "'1999-12-31 23:59:59.000001'", "1999-12-31T23:59:59.000001"),
        ("at", "timestamptz", "'2000-01-01 02:30:00+02'", "2000-01-01T00:30:00"),
        ("hour", "time", "'12:34:56.5'", "12:34:56.500"),
        ("id", "uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("mood", "mood", "'rather sad'", "rather sad"),
        ("aged", "aged", "42", "42"),
        ("network", "inet", "'10.0.0.1'", "10.0.0.1/32"),
        ("doc", "jsonb", "'{\"a\": 1}'", "{\"a\": 1}"),
        ("list", "integer[]", "'{1,2}'", "{1,2}"),
        ("span", "interval", "'1 day 2 hours'", "P1DT2H"),
    ];
    server.run(&format!(
        "SET search_path = {s}; CREATE TYPE mood AS ENUM ('rather sad', 'ok'); \
         CREATE DOMAIN aged AS integer CHECK (value > 0); CREATE TABLE kinds ({}, bytes bytea); \
         INSERT INTO kinds VALUES ({}, '\\x00ff'), ({}); RESET search_path",
        columns.map(|(name, of, ..)| format!("\"{name}\" {of}")).join(", "),
        columns.map(|(_, _, cell, _)| cell).join(", "),
        vec!["NULL"; columns.len() + 1].join(", "),
    ));
    let source = server.open(&desk, &server.named("kinds")).unwrap();
    assert_eq!(source.stored(), "PostgreSQL");
    assert_eq!(source.columns().len(), columns.len() + 1);
    assert!(!source.plain_columns().contains(&"bytes".to_string()), "bytes are not looked at, as in a file");
    for (name, _, _, read) in columns {
        let expected = BTreeMap::from([(read.to_string(), 1), (incrowd_core::MISSING_LABEL.to_string(), 1)]);
        assert_eq!(counted(&desk, &source, name), expected, "{name}");
    }
}

#[test]
fn numbers_that_are_none_are_missing_and_infinite_dates_are_refused() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), server.quoted());
    server.run(&format!(
        "CREATE TABLE {s}.odd (n numeric(5, 2), f float8, d date, t timestamp); \
         INSERT INTO {s}.odd VALUES ('NaN', 'NaN', '2020-01-01', 'infinity'), (1, '-0', 'infinity', '2020-01-01')"
    ));
    let source = server.open(&desk, &server.named("odd")).unwrap();
    assert_eq!(counted(&desk, &source, "n")[incrowd_core::MISSING_LABEL], 1);
    assert_eq!(
        counted(&desk, &source, "f"),
        BTreeMap::from([("0".into(), 1), (incrowd_core::MISSING_LABEL.into(), 1)])
    );
    for column in ["d", "t"] {
        let refused = refusal(source.count(&desk.engine, &question(&[column])));
        assert_eq!(refused.to_string(), format!("column “{column}”: a cell is an infinite date"));
    }
}

#[test]
fn hostile_names_are_names_and_nothing_else() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), server.quoted());
    let table = "\"Müsli'; DROP TABLE x; --\"\"\"";
    server.run(&format!(
        "CREATE TABLE {s}.{table} (\"Größe \"\"x\"\"\" text, \"a,b\" int, \"select\" text); \
         INSERT INTO {s}.{table} VALUES ('l', 1, 'x'), ('m', 2, 'y')"
    ));
    let source = server.open(&desk, &server.named(table)).unwrap();
    assert_eq!(source.columns(), ["Größe \"x\"", "a,b", "select"]);
    assert_eq!(counted(&desk, &source, "Größe \"x\"").len(), 2);
    assert_eq!(counted(&desk, &source, "a,b").len(), 2);
    let folded = format!("CREATE TABLE {s}.visits (n int); INSERT INTO {s}.visits VALUES (1)");
    server.run(&folded);
    assert!(server.open(&desk, &server.named("Visits")).is_ok(), "names without quotes are folded, as in SQL");
    let refused = refusal(server.open(&desk, &server.named("\"Visits\"")));
    assert!(refused.to_string().contains("the table does not exist (SQLSTATE 42P01"), "{refused}");
}

#[test]
fn a_query_is_read_as_a_table_and_may_not_write() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), server.quoted());
    server.run(&format!(
        "CREATE SEQUENCE {s}.numbers; CREATE TABLE {s}.visits (town text, age int); \
         INSERT INTO {s}.visits VALUES ('Ulm', 30), ('Ulm', 40), ('Wien', 50)"
    ));
    let query = format!("postgres:SELECT town, age / 10 AS decade FROM {s}.visits WHERE age < 50");
    for end in [";", " -- all of them", " ;\n"] {
        assert!(server.open(&desk, &format!("{query}{end}")).is_ok(), "{end}");
    }
    let source = server.open(&desk, &query).unwrap();
    assert_eq!(source.columns(), ["town", "decade"]);
    assert_eq!(counted(&desk, &source, "town"), BTreeMap::from([("Ulm".into(), 2)]));
    let writing = format!("postgres:SELECT nextval('{}.numbers') AS n", s.replace('\'', "''"));
    let refused =
        refusal(server.open(&desk, &writing).and_then(|source| source.count(&desk.engine, &question(&["n"]))));
    assert!(refused.to_string().contains("the query modifies data"), "{refused}");
    let twice = refusal(server.open(&desk, "postgres:SELECT 1 AS a, 2 AS a"));
    assert!(matches!(twice, EngineError::DuplicateColumn { first: 1, second: 2, .. }));
    let nonsense = refusal(server.open(&desk, "postgres:SELECT 'SECRET-CANARY-77'::int AS a FROM nowhere WHERE"));
    assert_eq!(nonsense.code(), "IC416");
}

#[test]
fn an_empty_table_is_refused() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    server.run(&format!("CREATE TABLE {}.nobody (age int)", server.quoted()));
    let source = server.open(&desk, &server.named("nobody")).unwrap();
    assert!(matches!(refusal(source.count(&desk.engine, &question(&["age"]))), EngineError::Empty(_)));
}

/// A table of this many rows, a few hundred pages long.
fn people(server: &Server, name: &str, rows: u64) {
    let table = format!("{}.{name}", server.quoted());
    server.run(&format!(
        "CREATE TABLE {table} AS SELECT i AS id, i % 97 AS age, 'town ' || i % 13 AS town, repeat('x', 60) AS filler \
         FROM generate_series(1, {rows}) AS i"
    ));
}

#[test]
fn one_run_sees_one_snapshot_whatever_others_write() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    people(&server, "people", 30_000);
    let table = format!("{}.people", server.quoted());
    let source = server.open(&desk, &server.named("people")).unwrap();
    let before = tuples(whole(&source.count(&desk.engine, &question(&["age", "town"])).unwrap()));
    server.run(&format!("INSERT INTO {table} SELECT 1, 0, 'SECRET-CANARY-77', '' FROM generate_series(1, 9000)"));
    server.run(&format!("DELETE FROM {table} WHERE id % 3 = 0; UPDATE {table} SET age = 1 WHERE id % 5 = 0"));
    server.run(&format!("VACUUM {table}"));
    let after = tuples(whole(&source.count(&desk.engine, &question(&["age", "town"])).unwrap()));
    assert!(before == after && before.values().sum::<u64>() == 30_000);
    let anew = server.open(&desk, &server.named("people")).unwrap();
    let anew = tuples(whole(&anew.count(&desk.engine, &question(&["age", "town"])).unwrap()));
    assert_eq!(anew.values().sum::<u64>(), 29_000, "another run sees what was written");
}

#[test]
fn the_answer_is_the_same_on_any_number_of_connections() {
    let Some(server) = Server::find() else { return };
    people(&server, "people", 40_000);
    let (s, p) = (server.quoted(), "parted");
    server.run(&format!(
        "CREATE TABLE {s}.{p} (LIKE {s}.people) PARTITION BY RANGE (id); \
         CREATE TABLE {s}.p1 PARTITION OF {s}.{p} FOR VALUES FROM (0) TO (25000); \
         CREATE TABLE {s}.p2 PARTITION OF {s}.{p} FOR VALUES FROM (25000) TO (99999); \
         INSERT INTO {s}.{p} SELECT * FROM {s}.people; CREATE VIEW {s}.seen AS SELECT * FROM {s}.people"
    ));
    let mut answers = Vec::new();
    for threads in [1, 4] {
        let desk = Desk::with(&Settings { threads: Some(threads), ..Settings::default() });
        for table in ["people", "parted", "seen"] {
            let source = server.open(&desk, &server.named(table)).unwrap();
            answers.push(tuples(whole(&source.count(&desk.engine, &question(&["age", "town"])).unwrap())));
        }
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]) && answers[0].values().sum::<u64>() == 40_000);
}

#[test]
fn who_may_not_read_is_told_so_and_a_password_is_never_repeated() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), server.quoted());
    let role = format!("incrowd_nobody_{}", std::process::id());
    server.run(&format!(
        "CREATE TABLE {s}.closed (age int); CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA {s} TO {role}"
    ));
    let mut url = url::Url::parse(&server.url).unwrap();
    url.set_username(&role).unwrap();
    url.set_password(Some("SECRET-CANARY-77")).unwrap();
    let refused = refusal(server.open_as(&desk, &server.named("closed"), url.as_str()));
    server.run(&format!("REVOKE USAGE ON SCHEMA {s} FROM {role}; DROP ROLE {role}"));
    assert!(refused.to_string().contains("permission denied (SQLSTATE 42501"), "{refused}");
    url.set_port(Some(1)).unwrap();
    let refused = refusal(server.open_as(&desk, &server.named("closed"), url.as_str()));
    assert!(refused.to_string().contains("no server is listening"), "{refused}");
}

#[test]
#[allow(clippy::print_stderr)]
fn tls_is_used_when_it_is_asked_for_and_only_with_a_certificate_that_is_trusted() {
    let Some(server) = Server::find() else { return };
    let Ok(root) = std::env::var("INCROWD_POSTGRES_ROOT") else {
        eprintln!("SKIPPED: INCROWD_POSTGRES_ROOT is not set, so TLS was not tried");
        return;
    };
    let desk = Desk::new();
    let query = "postgres:SELECT ssl::text AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let asked = |words: &str| server.open_as(&desk, query, &format!("{}?{words}", server.url));
    let trusted = asked(&format!("sslmode=verify-full&sslrootcert={root}")).unwrap();
    assert_eq!(counted(&desk, &trusted, "ssl").into_keys().collect::<Vec<_>>(), ["true"]);
    assert_eq!(counted(&desk, &asked("sslmode=disable").unwrap(), "ssl").into_keys().collect::<Vec<_>>(), ["false"]);
    for mode in ["require", "verify-full", "prefer"] {
        let refused = refusal(asked(&format!("sslmode={mode}")));
        assert!(refused.to_string().contains("the server's certificate is not trusted"), "{mode}: {refused}");
    }
}

/// Ends all other connections of this program's kind to the server when it is told of a stage.
struct Cutter {
    url: String,
    schema: String,
    done: AtomicU64,
}

impl Progress for Cutter {
    fn update(&self, _: Stage, _: u64, _: Option<u64>) {
        if self.done.fetch_add(1, Ordering::SeqCst) > 0 {
            return;
        }
        let (url, schema) = (self.url.clone(), self.schema.clone());
        // On a thread of its own: this one belongs to the engine's runtime.
        let cut = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let client = connect(&url).await;
                let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%' AND position($1 IN query) > 0";
                client.execute(cut, &[&schema]).await.unwrap();
            });
        });
        cut.join().unwrap();
    }
}

#[test]
fn a_connection_that_is_cut_while_rows_are_read_is_an_error_and_never_a_shorter_table() {
    let Some(server) = Server::find() else { return };
    people(&server, "people", 400_000);
    let cutter = |_: PathBuf, _: Cancel| {
        let schema = server.schema.replace('"', "\"\"");
        Arc::new(Cutter { url: server.url.clone(), schema, done: AtomicU64::new(0) }) as Arc<dyn Progress>
    };
    let desk = Desk::watched(&Settings { threads: Some(2), ..Settings::default() }, cutter);
    let source = server.open(&desk, &server.named("people")).unwrap();
    let refused = refusal(source.count(&desk.engine, &question(&["age", "town", "filler"])));
    assert!(matches!(refused, EngineError::Database(_)), "{refused}");
    assert!(desk.left_behind().is_empty());
}
