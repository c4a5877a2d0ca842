//! Publishing a release, verifying it, and its report.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use incrowd::core::{Policy, Watch};
use incrowd::report::{ReportOptions, report};
use incrowd::{OpenedRelease, Source, VerifyOptions, anonymize, verify};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::accepted;
use super::assess::{original, recorded_original};
use super::body::Body;
use super::plan::quoted;
use super::{blocking, candidates};
use crate::errors::{ApiError, ApiResult};
use crate::jobs::{JobKind, Started};
use crate::session::WorkSession;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReleaseRequest {
    /// The folder of the release.
    path: String,
    /// Publish the bytes of this candidate.
    candidate: Option<u64>,
    #[serde(default)]
    force: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifyRequest {
    release: String,
    /// Whether it is held against the original, where that is at hand.
    against: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportRequest {
    release: String,
    against: Option<bool>,
    folder: Option<String>,
    #[serde(default)]
    force: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ReleaseSummary {
    path: String,
    has_record: bool,
    id: String,
    version: String,
    created: String,
    algorithm: String,
    rows: u64,
    classes: u64,
    smallest_class: u64,
    k: Option<u64>,
    /// What is promised, one sentence for each model.
    promises: Vec<String>,
    columns: Vec<Value>,
    policy: Value,
    loss: Value,
    files: Vec<Value>,
    pages: PageLinks,
    original: Option<String>,
}

/// Where the report pages are served; nothing where there is none.
#[derive(Serialize, JsonSchema)]
struct PageLinks {
    public: Option<String>,
    internal: Option<String>,
}

impl PageLinks {
    fn of(session: &WorkSession, release: &Path) -> PageLinks {
        let name = session.folder().name(release);
        let link = |kind: &str, page: Option<PathBuf>| {
            page.filter(|page| page.is_file()).map(|_| format!("/pages/{kind}/{}", encoded(&name)))
        };
        PageLinks {
            public: link("public", super::pages::public(release)),
            internal: link("internal", super::pages::internal(release)),
        }
    }
}

/// A name as a part of an address.
fn encoded(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./~".contains(&byte);
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

pub(super) async fn view(State(session): State<Arc<WorkSession>>) -> ApiResult<Json<ReleaseSummary>> {
    blocking(move || {
        let path = session.release().ok_or_else(|| ApiError::not_found("no release was opened or made"))?;
        view_of(&session, &path).map(Json)
    })
    .await
}

fn view_of(session: &WorkSession, path: &Path) -> ApiResult<ReleaseSummary> {
    let opened = OpenedRelease::open(path, None)?;
    let manifest = opened.manifest();
    let column = |column: &incrowd::Manifest| serde_json::to_value(&column.columns).unwrap_or_default();
    let columns = column(manifest);
    // Labels of columns are values of the table.
    let plain =
        |column: &Value| json!({ "name": column["name"], "role": column["role"], "technique": column["technique"] });
    let columns = columns.as_array().map(|columns| columns.iter().map(plain).collect()).unwrap_or_default();
    let files = manifest.files.iter().map(|file| json!({ "name": file.name, "sha256": file.sha256 })).collect();
    let policy: Option<Policy> = serde_json::to_value(&manifest.policy).and_then(serde_json::from_value).ok();
    let sentence = |rule: &incrowd::core::Rule| {
        let model = rule.model().ok()?;
        let people = manifest.counts == incrowd::Counts::People;
        Some(if people { model.promise_for_people() } else { model.promise() })
    };
    let promises = policy.iter().flat_map(|policy| &policy.models).filter_map(sentence).collect();
    Ok(ReleaseSummary {
        path: session.folder().name(path),
        has_record: opened.record().is_some(),
        id: manifest.release.clone(),
        version: manifest.version.clone(),
        created: manifest.created.clone(),
        algorithm: manifest.algorithm.clone(),
        rows: manifest.rows,
        classes: manifest.classes,
        smallest_class: manifest.smallest_class,
        k: policy.as_ref().map(Policy::k),
        promises,
        columns,
        policy: serde_json::to_value(&manifest.policy).unwrap_or_default(),
        loss: manifest.loss.clone(),
        files,
        pages: PageLinks::of(session, path),
        original: recorded_original(session, path).map(|path| session.folder().name(&path)),
    })
}

/// Publishes the plan as it is saved.
pub(super) async fn publish(
    State(session): State<Arc<WorkSession>>,
    Body(request): Body<ReleaseRequest>,
) -> ApiResult<(StatusCode, Json<Started>)> {
    let target = session.folder().place(&request.path)?;
    let table = session.table()?;
    let (plan, plan_path) = {
        let document = table.document();
        if !document.is_saved() {
            return Err(ApiError::new(StatusCode::CONFLICT, "unsaved", "the plan has changes that are not saved")
                .with_remedy("save the plan first: a release is made from its file"));
        }
        (document.plan().clone(), document.path().to_owned())
    };
    plan.refuse_unconfirmed(false, |_| false)?;
    session.refuse_files_outside(&plan, &table.plan_folder())?;
    if target.exists() && !request.force {
        return Err(ApiError::exists(&request.path));
    }
    let repeat = match request.candidate {
        Some(id) => candidates::record_for(&table, id, &plan)?,
        None => None,
    };
    let name = request.path.clone();
    let job = session.start(JobKind::Release, format!("Release {name}"), move |session, engine| {
        let plan = plan.of_file(&plan_path);
        let source = Source::open(engine, &table.path.display().to_string(), plan.read_options())?;
        let mut options = plan.options(source.format())?;
        options.force = request.force;
        let file = plan_path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        options.command = Some(format!("incrowd anonymize {}", quoted(&file)));
        if repeat.is_some() {
            (options.repeat, options.seed) = (repeat, None);
        }
        let made = anonymize(engine, &source, &options, &target)?;
        session.set_release(Some(target.clone()));
        session.note(format!("The release {name} was published."));
        let (plan_name, table_name) = (session.folder().name(&plan_path), session.folder().name(&table.path));
        let record = session.folder().name(&made.record);
        let mut answer = candidates::figures(&made);
        answer["path"] = name.clone().into();
        answer["record"] = record.clone().into();
        answer["pages"] = serde_json::to_value(PageLinks::of(session, &target)).unwrap_or_default();
        answer["commands"] = json!({
            "anonymize": format!("incrowd anonymize {} -o {}", quoted(&plan_name), quoted(&name)),
            "repeat": format!("incrowd anonymize {} -o {} --repeat {}", quoted(&plan_name), quoted(&format!("{name}-again")), quoted(&record)),
            "verify": format!("incrowd verify {} --against {}", quoted(&name), quoted(&table_name)),
        });
        Ok(answer)
    })?;
    Ok(accepted(job))
}

/// Verifies the written bytes with the independent checker.
pub(super) async fn check(
    State(session): State<Arc<WorkSession>>,
    Body(request): Body<VerifyRequest>,
) -> ApiResult<(StatusCode, Json<Started>)> {
    let release = session.folder().existing(&request.release)?;
    let job = session.start(JobKind::Verify, format!("Verify {}", request.release), move |session, engine| {
        let table = session.table().map(|table| table.path.clone()).ok();
        let against = match request.against {
            Some(false) => None,
            _ => table.or_else(|| recorded_original(session, &release)),
        };
        let watch: Watch = engine.watch();
        let options = VerifyOptions { against, watch, memory: engine.memory(), ..VerifyOptions::default() };
        serde_json::to_value(verify(&release, &options)?).map_err(|_| ApiError::panicked())
    })?;
    Ok(accepted(job))
}

/// Writes the report pages of a release into a folder.
pub(super) async fn write_report(
    State(session): State<Arc<WorkSession>>,
    Body(request): Body<ReportRequest>,
) -> ApiResult<(StatusCode, Json<Started>)> {
    let release = session.folder().existing(&request.release)?;
    let folder = session.folder().place(&request.folder.unwrap_or_else(|| format!("{}.report", request.release)))?;
    let job = session.start(JobKind::Report, format!("Report on {}", request.release), move |session, engine| {
        let against = match request.against {
            Some(false) => None,
            _ => original(session, engine, &release)?,
        };
        let options = ReportOptions { against: against.as_ref(), force: request.force, ..ReportOptions::default() };
        report(engine, &release, &options, &folder)?;
        let name = session.folder().name(&folder);
        Ok(json!({ "folder": name, "pages": {
            "public": format!("/pages/report-public/{}", encoded(&name)),
            "internal": format!("/pages/report-internal/{}", encoded(&name)),
        } }))
    })?;
    Ok(accepted(job))
}
