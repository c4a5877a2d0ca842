//! A collector of traces on loopback receives the stages and counts of a run, and no value.

#![allow(clippy::unwrap_used)]

use std::process::Command;
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::trace::v1::Span;
use tonic::{Request, Response, Status};

/// What was sent.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<ExportTraceServiceRequest>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().unwrap().push(request.into_inner());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn incrowd(folder: &std::path::Path, port: u16, words: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_incrowd"));
    command.current_dir(folder).args(words).env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://127.0.0.1:{port}"));
    command.env("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let done = command.output().unwrap();
    (done.status.code().unwrap(), String::from_utf8(done.stderr).unwrap())
}

const RELEASE: [&str; 11] =
    ["anonymize", "census.csv", "--qi", "age,sex", "--others", "remove", "--k", "5", "--quiet", "-o", "release"];

#[test]
fn a_collector_receives_the_stages_of_a_run_and_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (collector, port) = (Collector::default(), free_port());
    let server = tonic::transport::Server::builder().add_service(TraceServiceServer::new(collector.clone()));
    runtime.spawn(server.serve(([127, 0, 0, 1], port).into()));
    assert_eq!(incrowd(folder.path(), port, &["sample", "--rows", "400", "--quiet"]).0, 0);
    let (status, printed) = incrowd(folder.path(), port, &RELEASE);
    assert_eq!(status, 0, "{printed}");
    assert!(!printed.contains("the trace of this run"), "{printed}");
    let sent = collector.0.lock().unwrap().clone();
    let spans: Vec<&Span> = sent
        .iter()
        .flat_map(|request| &request.resource_spans)
        .flat_map(|of| &of.scope_spans)
        .flat_map(|of| &of.spans)
        .collect();
    let named = |name: &str| spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no span {name}"));
    let run = named("incrowd anonymize");
    assert_eq!(run.parent_span_id, [0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31], "the trace was begun elsewhere");
    for stage in ["count", "solve", "write", "verify"] {
        let span = named(stage);
        assert_eq!(span.parent_span_id, run.span_id, "{stage}");
        assert!(
            span.start_time_unix_nano >= run.start_time_unix_nano && span.end_time_unix_nano <= run.end_time_unix_nano
        );
    }
    let shown = format!("{sent:?}");
    for secret in ["census", "release", "\"age\"", "education", "Female", folder.path().to_str().unwrap()] {
        assert!(!shown.contains(secret), "{secret} is in the trace: {shown}");
    }
}

#[test]
fn without_a_collector_the_run_succeeds_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    assert_eq!(incrowd(folder.path(), port, &["sample", "--rows", "400", "--quiet"]).0, 0);
    let (status, printed) = incrowd(folder.path(), port, &RELEASE);
    assert_eq!(status, 0, "{printed}");
    let expected = "warning: the trace of this run was not sent: the collector did not accept it within 5 seconds";
    assert!(printed.contains(expected), "{printed}");
    assert!(!printed.contains(&port.to_string()), "addresses can contain passwords: {printed}");
    assert!(folder.path().join("release/manifest.json").is_file());
}
