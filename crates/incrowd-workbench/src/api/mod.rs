//! What the page can ask: one file for each screen, and the table of routes that the server and its description share.

pub(crate) mod assess;
mod body;
pub(crate) mod candidates;
mod columns;
mod files;
mod help;
mod hierarchies;
mod jobs;
mod open;
mod openapi;
mod pages;
mod plan;
mod promise;
mod release;
mod routes;
mod session;
mod tree;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Path, RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};

use crate::assets;
use crate::errors::{ApiError, ApiResult};
use crate::guard::guard;
use crate::jobs::Started;
use crate::session::WorkSession;

pub(crate) use open::open_at_start;
pub use openapi::openapi;

/// The largest body of a request: a plan of thousands of columns.
const MOST_BYTES: usize = 8 << 20;

/// All routes behind the guard.
pub(crate) fn router(session: &Arc<WorkSession>) -> Router {
    let mut router: Router<Arc<WorkSession>> = Router::new();
    for route in routes::ROUTES {
        router = router.route(&format!("/api{}", route.path), (route.handler)());
    }
    router
        .route("/", get(index))
        .route("/pages/{kind}/{*release}", get(pages::page))
        .route("/{file}", get(|Path(file): Path<String>| async move { assets::file(&file) }))
        .fallback(|| async { ApiError::not_found("there is nothing here") })
        .method_not_allowed_fallback(|| async {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this cannot be asked in this way")
        })
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(from_fn_with_state(session.clone(), guard))
        .with_state(session.clone())
}

/// The page, or, with a token, the cookie and the way to the page without the token.
async fn index(State(session): State<Arc<WorkSession>>, RawQuery(query): RawQuery) -> Response {
    let token = query.as_deref().and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("token=")));
    let Some(token) = token else { return assets::file("") };
    if !session.secrets().take_token(token) {
        let words = "This address was used already, or is not the one that incrowd printed. Run incrowd open again.";
        return (StatusCode::FORBIDDEN, words).into_response();
    }
    session.note("A browser joined the session.");
    let mut response = Redirect::to("/").into_response();
    if let Ok(cookie) = HeaderValue::from_str(&session.secrets().set_cookie(session.port())) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Does work that may take a moment without holding up other requests.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> ApiResult<T> + Send + 'static) -> ApiResult<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(ApiError::panicked()))
}

/// The answer to a request that started a job.
fn accepted(job: u64) -> (StatusCode, Json<Started>) {
    (StatusCode::ACCEPTED, Json(Started { job }))
}
