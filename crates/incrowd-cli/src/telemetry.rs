//! A trace of a run for OpenTelemetry: a span for the run, and one for each of its stages, sent when the run has ended.
//!
//! Only in builds with the feature `telemetry`, and only if the environment names a collector (`OTEL_EXPORTER_OTLP_ENDPOINT` or
//! `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, gRPC without TLS). A span has names, times and counts and never a value of a cell, a
//! column or a path. `TRACEPARENT` makes the run part of a trace that another program began. If the collector does not accept
//! the trace, a warning is printed, without the address, which can contain a password; the exit status does not change.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{Span, SpanKind, Status, TraceContextExt, Tracer, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;

/// The variables that name a collector; the first that is set counts.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];
/// How long a run waits for the collector after its end.
const PATIENCE: Duration = Duration::from_secs(5);

/// A run that has ended.
pub(crate) struct EndedRun<'a> {
    pub(crate) command: &'a str,
    pub(crate) began: SystemTime,
    pub(crate) exit: u8,
    pub(crate) code: Option<&'a str>,
    pub(crate) figures: &'a [(&'static str, u64)],
    pub(crate) stages: Vec<EndedStage>,
}

/// A stage of it: seconds after its beginning, and how much was done.
pub(crate) struct EndedStage {
    pub(crate) name: &'static str,
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) done: u64,
}

/// Whether the environment names a collector.
pub(crate) fn is_wanted() -> bool {
    endpoint().is_some()
}

fn endpoint() -> Option<String> {
    ENDPOINTS.iter().find_map(|name| std::env::var(name).ok().filter(|text| !text.is_empty()))
}

/// Why a trace was not sent.
const NOT_ACCEPTED: &str = "the collector did not accept it within 5 seconds";

/// Sends the spans of a run; if they could not be sent, the reason.
pub(crate) fn send(run: &EndedRun<'_>) -> Result<(), &'static str> {
    let Some(endpoint) = endpoint() else { return Ok(()) };
    if !endpoint.starts_with("http://") {
        return Err("the address of the collector has to begin with http://");
    }
    // The exporter needs threads of a runtime, and a run of the command has none of its own at its end.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|_| "no thread could be started")?;
    let _inside = runtime.enter();
    let exporter = SpanExporter::builder().with_tonic().with_endpoint(endpoint).with_timeout(PATIENCE).build();
    let exporter = exporter.map_err(|_| "the address of the collector is not valid")?;
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_service_name(service()).with_attribute(version).build();
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    spans(run, &provider);
    let sent = provider.force_flush().map_err(|_| NOT_ACCEPTED);
    // Everything was sent, or the warning says that it was not.
    let _ = provider.shutdown_with_timeout(PATIENCE);
    sent
}

fn service() -> String {
    std::env::var("OTEL_SERVICE_NAME").ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "incrowd".into())
}

fn spans(run: &EndedRun<'_>, provider: &SdkTracerProvider) {
    let tracer = provider.tracer("incrowd");
    let at = |seconds: f64| run.began + Duration::from_secs_f64(seconds);
    let carrier: HashMap<String, String> =
        std::env::var("TRACEPARENT").map(|parent| ("traceparent".to_owned(), parent)).into_iter().collect();
    let parent = TraceContextPropagator::new().extract(&carrier);
    let mut attributes = vec![KeyValue::new("incrowd.exit", i64::from(run.exit))];
    attributes.extend(run.code.map(|code| KeyValue::new("incrowd.code", code.to_owned())));
    let figure = |&(name, figure): &(&str, u64)| {
        KeyValue::new(format!("incrowd.{name}"), i64::try_from(figure).unwrap_or(i64::MAX))
    };
    attributes.extend(run.figures.iter().map(figure));
    let whole = tracer.span_builder(format!("incrowd {}", run.command));
    let whole = whole.with_kind(SpanKind::Internal).with_start_time(run.began).with_attributes(attributes);
    let mut whole = whole.start_with_context(&tracer, &parent);
    if run.exit > 1 {
        whole.set_status(Status::error(run.code.unwrap_or_default().to_owned()));
    }
    let context = Context::new().with_remote_span_context(whole.span_context().clone());
    for stage in &run.stages {
        let done = KeyValue::new("incrowd.done", i64::try_from(stage.done).unwrap_or(i64::MAX));
        let span = tracer.span_builder(stage.name).with_start_time(at(stage.from)).with_attributes([done]);
        span.start_with_context(&tracer, &context).end_with_timestamp(at(stage.to));
    }
    whole.end();
}
