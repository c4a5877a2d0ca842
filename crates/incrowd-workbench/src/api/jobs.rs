//! Jobs as the page follows them.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures::Stream;
use futures::stream::unfold;
use schemars::JsonSchema;
use serde::Serialize;

use super::body::Body;
use super::session::Nothing;
use crate::errors::ApiResult;
use crate::jobs::{Job, JobStatus, JobView};
use crate::session::WorkSession;

/// How often the page hears of a job at most.
const PAUSE: Duration = Duration::from_millis(120);

#[derive(Serialize, JsonSchema)]
pub(super) struct JobList {
    jobs: Vec<JobView>,
}

pub(super) async fn list(State(session): State<Arc<WorkSession>>) -> Json<JobList> {
    Json(JobList { jobs: session.jobs().views() })
}

pub(super) async fn one(State(session): State<Arc<WorkSession>>, Path(id): Path<u64>) -> ApiResult<Json<JobView>> {
    Ok(Json(session.jobs().find(id)?.view()))
}

pub(super) async fn cancel(
    State(session): State<Arc<WorkSession>>,
    Path(id): Path<u64>,
    _: Body<Nothing>,
) -> ApiResult<Json<JobView>> {
    let job = session.jobs().find(id)?;
    job.cancel();
    Ok(Json(job.view()))
}

pub(super) async fn finish(
    State(session): State<Arc<WorkSession>>,
    Path(id): Path<u64>,
    _: Body<Nothing>,
) -> ApiResult<Json<JobView>> {
    let job = session.jobs().find(id)?;
    job.finish_early();
    Ok(Json(job.view()))
}

/// What a stream of events remembers.
struct Follower {
    session: Arc<WorkSession>,
    job: Arc<Job>,
    seen: Option<u64>,
    has_ended: bool,
}

/// A job whenever something changed, until it has ended.
pub(super) async fn events(
    State(session): State<Arc<WorkSession>>,
    Path(id): Path<u64>,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let job = session.jobs().find(id)?;
    let follower = Follower { session, job, seen: None, has_ended: false };
    let stream = unfold(follower, |mut follower| async move {
        while !follower.has_ended {
            let version = follower.job.version();
            if follower.seen != Some(version) {
                let view = follower.job.view();
                follower.seen = Some(version);
                follower.has_ended = view.state != JobStatus::Running;
                let event = Event::default().event("job").json_data(&view).unwrap_or_default();
                if follower.has_ended {
                    return Some((Ok(event), follower));
                }
                tokio::time::sleep(PAUSE).await;
                return Some((Ok(event), follower));
            }
            if follower.session.has_quit() {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        None
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}
