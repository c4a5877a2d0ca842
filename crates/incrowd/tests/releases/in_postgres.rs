//! Releases as tables of a real PostgreSQL. `INCROWD_POSTGRES` names it, as a URL; `.ci/postgres start` makes one.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use incrowd::core::{Cancel, Policy, Progress, Stage};
use incrowd::{
    AnonymizeOptions, Anonymized, Engine, Format, Publish, ReadOptions, Settings, Source, Verdict, VerifyOptions,
    anonymize, verify,
};

use super::postgres_schema::{PostgresSchema, connect};
use super::repeated::sorted_lines;
use super::support::Desk;

/// A schema of its own in the server that the environment names.
struct Server(PostgresSchema);

impl std::ops::Deref for Server {
    type Target = PostgresSchema;

    fn deref(&self) -> &PostgresSchema {
        &self.0
    }
}

impl Server {
    /// Nothing when no server is named.
    fn find() -> Option<Server> {
        PostgresSchema::create("incrowd_releases").map(Server)
    }

    /// How many tables the schema has.
    fn tables(&self) -> i64 {
        self.number(&format!("SELECT count(*) FROM pg_tables WHERE schemaname = '{}'", self.schema))
    }

    fn target(&self, name: &str) -> PathBuf {
        format!("postgres:{}.{name}", self.schema).into()
    }

    /// How to connect, in a file that is closed to others.
    fn reading(&self, desk: &Desk) -> ReadOptions {
        let path = desk.path("connection");
        std::fs::write(&path, &self.url).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        ReadOptions { connection: Some(path), ..ReadOptions::default() }
    }

    fn options(&self, desk: &Desk, name: &str) -> AnonymizeOptions {
        let record = Some(desk.path(&format!("{name}.internal")));
        AnonymizeOptions { record, reading: self.reading(desk), ..desk.options() }
    }

    fn release(&self, desk: &Desk, name: &str, options: &AnonymizeOptions) -> incrowd::Result<Anonymized> {
        anonymize(&desk.engine, &desk.source("patients.csv"), options, &self.target(name))
    }

    fn verdict(&self, desk: &Desk, name: &str, against: Option<PathBuf>) -> Verdict {
        let (connection, record) = (self.reading(desk).connection, Some(desk.path(&format!("{name}.internal"))));
        let options = VerifyOptions { against, connection, record, ..VerifyOptions::default() };
        verify(&self.target(name), &options).unwrap()
    }
}

#[test]
fn a_release_is_written_as_tables_verified_in_place_and_equal_to_the_one_in_files() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    let made = server.release(&desk, "visits", &server.options(&desk, "visits")).unwrap();
    assert!(made.verified && made.canaries.found == 0 && made.canaries.values > 200);
    assert_eq!(made.record, desk.path("visits.internal"));
    assert!(made.record.join("record.json").is_file());
    let pages = made.report.as_ref().unwrap();
    assert_eq!(pages.public, made.record.join("report.html"), "tables have no place for a page");
    assert!([&pages.public, &pages.internal, &pages.dossier].iter().all(|page| page.is_file()));
    assert_eq!(server.tables(), 2, "the table and its manifest");
    let verdict = server.verdict(&desk, "visits", Some(desk.path("patients.csv")));
    assert!(verdict.verified, "{:?}", verdict.faults);
    assert_eq!((verdict.rows, verdict.classes), (240, made.classes));
    // The same seed in files: the same rows, cell for cell, in an order of their own.
    let file = desk.release("file", &AnonymizeOptions { format: Format::Csv, ..desk.options() }).unwrap();
    assert_eq!(file.classes, made.classes);
    let folder = desk.path("exported");
    std::fs::create_dir(&folder).unwrap();
    let connection = server.reading(&desk).connection;
    let target = server.target("visits").display().to_string();
    incrowd_engine::postgres::fetch_release(&desk.engine, &target, connection.as_deref(), &folder).unwrap();
    assert_eq!(sorted_lines(&folder), sorted_lines(&desk.path("file")));
    let columns = format!(
        "SELECT count(*) FROM information_schema.columns WHERE table_schema = '{}' AND table_name = 'visits' \
         AND (column_name, data_type) IN (('age', 'text'), ('diagnosis', 'text'), ('visits', 'text'))",
        server.schema
    );
    assert_eq!(server.number(&columns), 3, "a CSV file has texts");
}

#[test]
fn a_table_of_the_database_is_released_into_it_with_its_types() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), &server.schema);
    server.run(&format!(
        "CREATE TABLE {s}.patients AS SELECT 'person ' || i AS name, 20 + i % 40 AS age, \
         (ARRAY['Ulm','Bonn','Wien','Graz'])[1 + i / 7 % 4] AS town, (i % 5)::smallint AS visits, \
         (ARRAY['flu','cold','gout'])[1 + i % 3] AS diagnosis, (i % 7) * 1.25::numeric(5, 2) AS cost0, \
         (i % 7 * 1.25)::numeric(5, 2) AS cost, (i % 9 * 0.1)::float8 AS dose, DATE '2024-01-01' + i % 5 AS seen, \
         TIMESTAMP '2024-01-01 10:00' + i % 3 * INTERVAL '1 hour' AS came, i % 2 = 0 AS member, \
         NULLIF(i % 11, 0) AS gap FROM generate_series(1, 300) AS i; ALTER TABLE {s}.patients DROP COLUMN cost0"
    ));
    let source = Source::open(&desk.engine, &format!("postgres:{s}.patients"), server.reading(&desk)).unwrap();
    let mut options = server.options(&desk, "out");
    options.policy = Policy::k_anonymity(4);
    options.declared.insensitive = ["visits", "cost", "dose", "seen", "came", "member", "gap"].map(Into::into).to_vec();
    options.keep_identifying.clone_from(&options.declared.insensitive);
    let made = anonymize(&desk.engine, &source, &options, &server.target("out")).unwrap();
    assert_eq!((made.source.as_str(), made.rows), (format!("postgres:{s}.patients").as_str(), 300));
    let verdict = server.verdict(&desk, "out", None);
    assert!(verdict.verified, "{:?}", verdict.faults);
    // What is kept as it is has the same type and the same values.
    for column in ["visits", "cost", "dose", "seen", "came", "member", "gap", "diagnosis"] {
        let differ = format!(
            "SELECT count(*) FROM ((SELECT {column}, count(*) FROM {s}.patients GROUP BY 1) EXCEPT \
             (SELECT {column}, count(*) FROM {s}.out GROUP BY 1)) AS d"
        );
        assert_eq!(server.number(&differ), 0, "{column}");
        let kinds = format!(
            "SELECT count(DISTINCT (data_type, numeric_precision, numeric_scale)) FROM information_schema.columns \
             WHERE table_schema = '{s}' AND table_name IN ('patients', 'out') AND column_name = '{column}'"
        );
        assert_eq!(server.number(&kinds), 1, "{column}");
    }
}

#[test]
fn two_tables_are_written_and_verified_together() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    let options = AnonymizeOptions { publish: Publish::TwoTables, ..server.options(&desk, "pair") };
    server.release(&desk, "pair", &options).unwrap();
    assert_eq!(server.tables(), 3);
    let verdict = server.verdict(&desk, "pair", None);
    assert!(verdict.verified, "{:?}", verdict.faults);
    server.run(&format!("DROP TABLE {}.pair_sensitive", server.schema));
    assert!(!server.verdict(&desk, "pair", None).verified, "half of it is no release");
}

#[test]
fn a_release_that_somebody_changed_in_the_database_is_refused() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), &server.schema);
    let tampering = [
        "UPDATE %.visits SET diagnosis = 'gout' WHERE ctid = (SELECT min(ctid) FROM %.visits)",
        "DELETE FROM %.visits WHERE ctid = (SELECT min(ctid) FROM %.visits)",
        "INSERT INTO %.visits SELECT * FROM %.visits LIMIT 1",
        "ALTER TABLE %.visits ADD COLUMN name text",
        "ALTER TABLE %.visits RENAME COLUMN town TO city",
        "UPDATE %.visits_manifest SET manifest = replace(manifest, '240', '241')",
        "DELETE FROM %.visits_manifest",
        "INSERT INTO %.visits_manifest SELECT * FROM %.visits_manifest",
        "DROP TABLE %.visits_manifest",
        "DROP TABLE %.visits",
    ];
    for change in tampering {
        server.run(&format!("DROP SCHEMA {s} CASCADE; CREATE SCHEMA {s}"));
        let options = AnonymizeOptions { force: true, ..server.options(&desk, "visits") };
        server.release(&desk, "visits", &options).unwrap();
        assert!(server.verdict(&desk, "visits", None).verified);
        server.run(&change.replace('%', s));
        let verdict = server.verdict(&desk, "visits", None);
        assert!(!verdict.verified && !verdict.faults.is_empty(), "{change}");
    }
}

#[test]
fn only_a_release_is_written_over_and_only_when_told_so() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), &server.schema);
    let options = server.options(&desk, "visits");
    server.release(&desk, "visits", &options).unwrap();
    let refused = server.release(&desk, "visits", &options).unwrap_err();
    assert!(refused.to_string().ends_with("a table of this name already exists"), "{refused}");
    let forced = AnonymizeOptions { force: true, seed: Some(8), ..options.clone() };
    server.release(&desk, "visits", &forced).unwrap();
    assert!(server.verdict(&desk, "visits", Some(desk.path("patients.csv"))).verified);
    server.run(&format!("CREATE TABLE {s}.mine (n int); INSERT INTO {s}.mine VALUES (1)"));
    let refused = server.release(&desk, "mine", &AnonymizeOptions { force: true, ..server.options(&desk, "mine") });
    assert!(refused.unwrap_err().to_string().ends_with("the table of this name is not a release"));
    assert_eq!(server.number(&format!("SELECT count(*) FROM {s}.mine")), 1);
    let long = "x".repeat(50);
    let refused = server.release(&desk, &long, &server.options(&desk, "long")).unwrap_err();
    assert!(refused.to_string().contains("more than 63 bytes"), "{refused}");
    let nowhere = PathBuf::from("postgres:nowhere_at_all.visits");
    let refused = anonymize(&desk.engine, &desk.source("patients.csv"), &server.options(&desk, "n"), &nowhere);
    assert!(refused.unwrap_err().to_string().contains("the schema does not exist"));
}

#[test]
fn force_drops_only_tables_that_bear_the_mark_of_the_manifest_beside_them() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), &server.schema);
    let forced = |name: &str| AnonymizeOptions { force: true, ..server.options(&desk, name) };
    let refused = |name: &str| server.release(&desk, name, &forced(name)).unwrap_err().to_string();
    // Somebody's table beside a table that is called like a manifest.
    server.run(&format!(
        "CREATE TABLE {s}.v (n int); INSERT INTO {s}.v VALUES (1); CREATE TABLE {s}.v_manifest (x text)"
    ));
    assert!(refused("v").ends_with("the table of this name is not a release"), "{}", refused("v"));
    assert_eq!(server.number(&format!("SELECT count(*) FROM {s}.v")), 1);
    // Somebody's table in the place of the released one, beside a manifest of ours.
    server.release(&desk, "visits", &server.options(&desk, "visits")).unwrap();
    server.run(&format!("ALTER TABLE {s}.visits RENAME TO kept; CREATE TABLE {s}.visits (n int)"));
    assert!(refused("visits").contains("is not part of the release"), "{}", refused("visits"));
    assert_eq!(server.number(&format!("SELECT count(*) FROM {s}.kept")), 240);
    // Somebody's table under a name that a release in two tables would take.
    server.run(&format!(
        "DROP TABLE {s}.visits; ALTER TABLE {s}.kept RENAME TO visits; CREATE TABLE {s}.visits_sensitive (n int)"
    ));
    assert!(refused("visits").contains("visits_sensitive"), "{}", refused("visits"));
    server.run(&format!("DROP TABLE {s}.visits_sensitive"));
    server.release(&desk, "visits", &forced("visits")).unwrap();
}

#[test]
fn a_release_does_not_replace_the_table_it_is_made_from_nor_wait_for_its_own_lock() {
    let Some(server) = Server::find() else { return };
    let (desk, s) = (Desk::new(), &server.schema);
    server.release(&desk, "visits", &server.options(&desk, "visits")).unwrap();
    for asked in [format!("postgres:{s}.visits"), format!("postgres:SELECT * FROM {s}.visits")] {
        let source = Source::open(&desk.engine, &asked, server.reading(&desk)).unwrap();
        let mut options = AnonymizeOptions { force: true, ..server.options(&desk, "visits") };
        options.declared.identifiers.clear();
        let refused = anonymize(&desk.engine, &source, &options, &server.target("visits")).unwrap_err();
        assert_eq!(refused.code(), "IC616", "{refused}");
    }
    assert_eq!(server.number(&format!("SELECT count(*) FROM {s}.visits")), 240);
    // Another session's lock is waited for some seconds, not for ever.
    let other = server.runtime.block_on(connect(&server.url));
    server.runtime.block_on(other.batch_execute(&format!("BEGIN; LOCK TABLE {s}.visits"))).unwrap();
    let forced = AnonymizeOptions { force: true, ..server.options(&desk, "visits") };
    let refused = server.release(&desk, "visits", &forced).unwrap_err();
    assert!(refused.to_string().contains("another session holds a lock on the table"), "{refused}");
}

#[test]
fn a_backslash_in_a_name_is_a_backslash_whatever_the_server_takes_it_for() {
    let Some(mut server) = Server::find() else { return };
    let desk = Desk::new();
    server.0.url += "?options=-c%20standard_conforming_strings%3Doff";
    let name = r#""vis\its""#;
    server.release(&desk, name, &server.options(&desk, name)).unwrap();
    assert!(server.verdict(&desk, name, None).verified);
    let refused = server.release(&desk, name, &server.options(&desk, "again")).unwrap_err();
    assert!(refused.to_string().ends_with("a table of this name already exists"), "{refused}");
}

/// Ends the connections that write to a schema as soon as a stage is told.
struct Cutter {
    url: String,
    schema: String,
    stage: Stage,
    done: AtomicU64,
}

impl Progress for Cutter {
    fn update(&self, stage: Stage, _: u64, _: Option<u64>) {
        if stage != self.stage || self.done.load(Ordering::SeqCst) > 0 {
            return;
        }
        let (url, schema) = (self.url.clone(), self.schema.clone());
        let cut = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let client = connect(&url).await;
                let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                           WHERE position($1 IN query) > 0 AND application_name = 'incrowd'";
                client.execute(cut, &[&schema]).await.unwrap()
            })
        });
        self.done.fetch_add(cut.join().unwrap(), Ordering::SeqCst);
    }
}

#[test]
fn a_connection_that_is_cut_while_a_release_is_written_leaves_nothing() {
    let Some(server) = Server::find() else { return };
    // While rows are copied in, and after that, when the release is verified and only the manifest is missing.
    for stage in [Stage::Write, Stage::Verify] {
        let desk = Desk::new();
        let cutter =
            Arc::new(Cutter { url: server.url.clone(), schema: server.schema.clone(), stage, done: AtomicU64::new(0) });
        let settings = Settings { temp: Some(desk.path("temp-cut")), ..Settings::default() };
        let engine = Engine::watched(&settings, Cancel::default(), cutter.clone()).unwrap();
        let source =
            Source::open(&engine, desk.path("patients.csv").to_str().unwrap(), ReadOptions::default()).unwrap();
        let refused = anonymize(&engine, &source, &server.options(&desk, "visits"), &server.target("visits"));
        assert!(cutter.done.load(Ordering::SeqCst) > 0, "a connection was cut");
        let refused = refused.unwrap_err();
        assert_eq!(refused.code(), "IC416", "{refused}");
        assert_eq!(server.tables(), 0, "nothing is there");
        assert!(!desk.path("visits.internal").exists(), "nor a record of it");
        let left: Vec<_> = std::fs::read_dir(desk.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().contains("partial")), "{left:?}");
    }
}

#[test]
fn the_record_of_a_release_says_which_table_it_was_made_from() {
    let Some(server) = Server::find() else { return };
    let desk = Desk::new();
    server.release(&desk, "visits", &server.options(&desk, "visits")).unwrap();
    let record = std::fs::read_to_string(desk.path("visits.internal").join("record.json")).unwrap();
    assert!(record.contains("patients.csv"));
    assert!(!record.contains(&server.url), "how to connect is written nowhere");
}
