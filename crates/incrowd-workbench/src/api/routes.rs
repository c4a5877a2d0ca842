//! Every route of the interface: the server is built from this list, and so is its description.

use std::sync::Arc;

use axum::routing::{MethodRouter, delete, get, patch, post, put};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::session::{LogView, Nothing, SessionView};
use super::{assess, candidates, columns, files, help, hierarchies, jobs, open, plan, promise, release, session};
use crate::jobs::{JobView, Started};
use crate::session::WorkSession;

/// Writes the schema of a type.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// One route.
pub(super) struct RouteEntry {
    pub(super) method: &'static str,
    /// Below `/api`.
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    /// What is sent; nothing for questions.
    pub(super) request: Option<SchemaOf>,
    pub(super) answer: SchemaOf,
    /// Whether the plan's tag has to be sent.
    pub(super) needs_etag: bool,
    pub(super) handler: fn() -> MethodRouter<Arc<WorkSession>>,
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// What the command line prints with `--format json`.
fn as_printed(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

const fn ask(
    path: &'static str,
    summary: &'static str,
    answer: SchemaOf,
    handler: fn() -> MethodRouter<Arc<WorkSession>>,
) -> RouteEntry {
    RouteEntry { method: "get", path, summary, request: None, answer, needs_etag: false, handler }
}

const fn act(
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    (request, answer): (SchemaOf, SchemaOf),
    handler: fn() -> MethodRouter<Arc<WorkSession>>,
) -> RouteEntry {
    RouteEntry { method, path, summary, request: Some(request), answer, needs_etag: false, handler }
}

const fn edit(
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    request: SchemaOf,
    handler: fn() -> MethodRouter<Arc<WorkSession>>,
) -> RouteEntry {
    let answer: SchemaOf = schema::<plan::PlanView>;
    RouteEntry { method, path, summary, request: Some(request), answer, needs_etag: true, handler }
}

/// Every route. Routes of one path and several methods stand side by side in it and are merged by the router.
pub(super) const ROUTES: &[RouteEntry] = &[
    ask("/session", "What is open.", schema::<SessionView>, || get(session::view)),
    ask("/log", "What was done in this session.", schema::<LogView>, || get(session::log)),
    act("post", "/close", "Close the table or release.", (schema::<Nothing>, schema::<SessionView>), || {
        post(session::close)
    }),
    act("post", "/quit", "End the server.", (schema::<Nothing>, schema::<SessionView>), || post(session::quit)),
    ask("/files", "The files of a folder.", schema::<files::FileList>, || get(files::list)),
    act(
        "post",
        "/open",
        "Open a table, a plan or a release.",
        (schema::<open::OpenRequest>, schema::<Started>),
        || post(open::open),
    ),
    ask("/jobs", "All jobs.", schema::<jobs::JobList>, || get(jobs::list)),
    ask("/jobs/{id}", "A job.", schema::<JobView>, || get(jobs::one)),
    act("delete", "/jobs/{id}", "Cancel a job.", (schema::<Nothing>, schema::<JobView>), || delete(jobs::cancel)),
    ask("/jobs/{id}/events", "A job as server-sent events.", schema::<JobView>, || get(jobs::events)),
    act(
        "post",
        "/jobs/{id}/finish",
        "End a search and keep the best result.",
        (schema::<Nothing>, schema::<JobView>),
        || post(jobs::finish),
    ),
    ask("/table", "The table and how it is read.", schema::<columns::TableView>, || get(columns::table)),
    ask(
        "/rows",
        "The first rows; cells of columns that are not revealed are null.",
        schema::<columns::RowsView>,
        || get(columns::rows),
    ),
    act(
        "post",
        "/reveal",
        "Show the values of a column.",
        (schema::<columns::RevealRequest>, schema::<columns::RevealedView>),
        || post(columns::reveal),
    ),
    ask("/columns", "The columns with their roles.", schema::<columns::ColumnsView>, || get(columns::columns)),
    ask("/risk", "What the roles of the plan reveal.", as_printed, || get(columns::risk)),
    ask("/plan", "The plan.", schema::<plan::PlanView>, || get(plan::view)),
    edit("put", "/plan", "Change the plan.", schema::<plan::PlanRequest>, || put(plan::put)),
    edit("post", "/plan/confirm", "Confirm entries.", schema::<plan::ConfirmRequest>, || post(plan::confirm)),
    edit("post", "/plan/undo", "Undo the last change.", schema::<Nothing>, || post(plan::undo)),
    edit("post", "/plan/redo", "Redo the last change.", schema::<Nothing>, || post(plan::redo)),
    edit("post", "/plan/save", "Write the plan to its file.", schema::<plan::SaveRequest>, || post(plan::save)),
    ask("/builders", "The builders of hierarchies.", schema::<hierarchies::BuilderList>, || get(hierarchies::builders)),
    ask("/hierarchies/{column}", "The hierarchy of a column.", schema::<hierarchies::HierarchyView>, || {
        get(hierarchies::view)
    }),
    ask("/hierarchies/{column}/nodes/{node}", "A node with its children.", schema::<super::tree::NodeView>, || {
        get(hierarchies::node)
    }),
    act(
        "post",
        "/hierarchies/{column}/preview",
        "A hierarchy before it is applied.",
        (schema::<hierarchies::PreviewRequest>, schema::<hierarchies::HierarchyView>),
        || post(hierarchies::preview),
    ),
    act(
        "post",
        "/hierarchies/{column}/import",
        "A hierarchy file before it is applied.",
        (schema::<hierarchies::ImportRequest>, schema::<hierarchies::HierarchyView>),
        || post(hierarchies::import),
    ),
    act(
        "post",
        "/hierarchies/{column}/edit",
        "One step of the editor.",
        (schema::<hierarchies::EditRequest>, schema::<hierarchies::HierarchyView>),
        || post(hierarchies::edit),
    ),
    act(
        "post",
        "/hierarchies/{column}/save",
        "Write an edited hierarchy and use it.",
        (schema::<hierarchies::SaveHierarchyRequest>, schema::<plan::PlanView>),
        || post(hierarchies::save),
    ),
    ask("/lists", "Models, losses, algorithms and attacks.", schema::<promise::Lists>, || get(promise::lists)),
    ask("/feasibility", "Whether the plan's policy can be met.", as_printed, || get(promise::feasible)),
    ask("/candidates", "All candidates.", schema::<candidates::CandidateList>, || get(candidates::list)),
    act(
        "post",
        "/candidates",
        "Make a candidate.",
        (schema::<candidates::CandidateRequest>, schema::<candidates::StartedCandidate>),
        || post(candidates::add),
    ),
    act(
        "patch",
        "/candidates/{id}",
        "Name or pin a candidate.",
        (schema::<candidates::CandidatePatch>, schema::<candidates::CandidateList>),
        || patch(candidates::patch),
    ),
    act(
        "delete",
        "/candidates/{id}",
        "Remove a candidate.",
        (schema::<Nothing>, schema::<candidates::CandidateList>),
        || delete(candidates::remove),
    ),
    act(
        "post",
        "/candidates/{id}/use",
        "Put its settings into the plan.",
        (schema::<Nothing>, schema::<plan::PlanView>),
        || post(candidates::adopt),
    ),
    act("post", "/lattice", "Measure all full-domain recodings.", (schema::<Nothing>, schema::<Started>), || {
        post(candidates::lattice_of)
    }),
    act(
        "post",
        "/compare",
        "Compare with the original.",
        (schema::<assess::CompareRequest>, schema::<Started>),
        || post(assess::compare_target),
    ),
    act("post", "/attack", "Run the attacks.", (schema::<assess::AttackRequest>, schema::<Started>), || {
        post(assess::attack_target)
    }),
    act("post", "/query", "Ask a release.", (schema::<assess::QueryRequest>, schema::<Started>), || post(assess::ask)),
    ask("/release", "The release that was opened or made last.", schema::<release::ReleaseSummary>, || {
        get(release::view)
    }),
    act("post", "/release", "Publish the plan.", (schema::<release::ReleaseRequest>, schema::<Started>), || {
        post(release::publish)
    }),
    act("post", "/verify", "Verify the written bytes.", (schema::<release::VerifyRequest>, schema::<Started>), || {
        post(release::check)
    }),
    act("post", "/report", "Write the report pages.", (schema::<release::ReportRequest>, schema::<Started>), || {
        post(release::write_report)
    }),
    ask("/glossary", "The sentence of every term.", schema::<help::Glossary>, || get(help::glossary)),
    ask("/explain/{code}", "The explanation of a code.", schema::<help::CodeView>, || get(help::explain)),
    ask("/openapi.json", "This description.", as_printed, || get(|| async { axum::Json(super::openapi()) })),
];
