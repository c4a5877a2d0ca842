//! A release in PostgreSQL whose last answer is lost: it is there with its record, or neither is, or nobody knows and both stay.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use incrowd::{AnonymizeOptions, Anonymized, Error, ReadOptions, anonymize};

use super::postgres_schema::PostgresSchema;
use super::support::Desk;

/// What is lost with the connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lost {
    Commit,
    Answer,
    /// And no other connection can be made.
    AnswerForGood,
}

/// Stands between a run and the server, and breaks the connection that sends COMMIT. Returns where to connect.
fn proxy(url: &str, lost: Lost) -> String {
    let (before, after) = url.split_once("127.0.0.1:").unwrap();
    let (port, rest) = after.split_once('/').unwrap();
    let server = format!("127.0.0.1:{port}");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    let is_broken = Arc::new(AtomicBool::new(false));
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            if is_broken.load(Ordering::SeqCst) && lost == Lost::AnswerForGood {
                continue;
            }
            let server = TcpStream::connect(&server).unwrap();
            let answers = (server.try_clone().unwrap(), client.try_clone().unwrap(), is_broken.clone());
            let is_committing = Arc::new(AtomicBool::new(false));
            let asks = is_committing.clone();
            thread::spawn(move || {
                pass(client, server, |bytes| {
                    let is_commit = bytes.windows(6).any(|word| word == b"COMMIT");
                    asks.fetch_or(is_commit, Ordering::SeqCst);
                    is_commit && lost == Lost::Commit
                });
            });
            thread::spawn(move || {
                let (from, to, is_broken) = answers;
                pass(from, to, |_| {
                    let is_answer = is_committing.load(Ordering::SeqCst);
                    is_broken.fetch_or(is_answer, Ordering::SeqCst);
                    is_answer
                });
            });
        }
    });
    format!("{before}127.0.0.1:{own}/{rest}?sslmode=disable")
}

/// Passes bytes on until some of them break the connection.
fn pass(mut from: TcpStream, mut to: TcpStream, mut breaks: impl FnMut(&[u8]) -> bool) {
    let mut bytes = [0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if breaks(&bytes[..count]) || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        // The other thread may have done so.
        let _ = stream.shutdown(Shutdown::Both);
    }
}

struct Trial {
    desk: Desk,
    server: PostgresSchema,
}

impl Trial {
    /// Nothing when no server is named.
    fn new() -> Option<Trial> {
        Some(Trial { server: PostgresSchema::create("incrowd_lost")?, desk: Desk::new() })
    }

    fn record(&self) -> PathBuf {
        self.desk.path("visits.internal")
    }

    /// Makes a release, which replaces one, through a connection that breaks.
    fn release(&self, lost: Option<Lost>) -> incrowd::Result<Anonymized> {
        let url = lost.map_or(self.server.url.clone(), |lost| proxy(&self.server.url, lost));
        let connection = self.desk.path("connection");
        std::fs::write(&connection, url).unwrap();
        std::fs::set_permissions(&connection, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let reading = ReadOptions { connection: Some(connection), ..ReadOptions::default() };
        let options = AnonymizeOptions { record: Some(self.record()), reading, force: true, ..self.desk.options() };
        let target = PathBuf::from(format!("postgres:{}.visits", self.server.schema));
        anonymize(&self.desk.engine, &self.desk.source("patients.csv"), &options, &target)
    }

    /// Whether a record is of the release that is in the database.
    fn is_of_the_release_there(&self, record: &std::path::Path) -> bool {
        let text = std::fs::read_to_string(record.join("record.json")).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        let there = format!(
            "SELECT count(*) FROM {}.visits_manifest WHERE manifest::json ->> 'release' = {}",
            self.server.schema,
            record["release"].to_string().replace('"', "'")
        );
        self.server.number(&there) == 1
    }
}

#[test]
fn a_release_whose_commit_did_not_arrive_is_refused_and_the_old_one_stays_with_its_record() {
    let Some(trial) = Trial::new() else { return };
    trial.release(None).unwrap();
    let refused = trial.release(Some(Lost::Commit)).unwrap_err();
    assert_eq!(refused.code(), "IC416", "{refused}");
    assert!(trial.is_of_the_release_there(&trial.record()));
}

#[test]
fn a_release_whose_commit_was_carried_out_unanswered_is_published_with_its_record() {
    let Some(trial) = Trial::new() else { return };
    trial.release(None).unwrap();
    trial.release(Some(Lost::Answer)).unwrap();
    assert!(trial.is_of_the_release_there(&trial.record()));
    assert!(!trial.desk.path("visits.internal.before").exists());
}

#[test]
fn when_nobody_can_be_asked_about_a_commit_both_records_stay() {
    let Some(trial) = Trial::new() else { return };
    trial.release(None).unwrap();
    match trial.release(Some(Lost::AnswerForGood)).unwrap_err() {
        error @ Error::OutcomeUnknown { .. } => assert_eq!(error.code(), "IC620"),
        other => panic!("{other}"),
    }
    assert!(trial.is_of_the_release_there(&trial.record()));
    assert!(!trial.is_of_the_release_there(&trial.desk.path("visits.internal.before")));
    trial.release(None).unwrap();
    assert!(trial.is_of_the_release_there(&trial.record()), "the next run replaces what is there");
}
