//! Who may ask: rules that every request has to keep before it is routed.
//!
//! - `Host` has to be exactly ours. A page elsewhere whose name was rebound to loopback sends its own name, and a
//!   same-origin GET carries no `Origin`.
//! - Everything under `/api` and `/pages` needs the cookie, which only the holder of the one-time token got.
//! - Requests that change something need `Origin` equal to ours, `Sec-Fetch-Site: same-origin` and a JSON body, so that
//!   neither a form nor a script of another page can send them.
//! - Answers may not be stored, framed or read by others, and the page may load nothing from elsewhere.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::errors::ApiError;
use crate::session::WorkSession;

/// What the page may load: its own files, and nothing inline.
pub(crate) const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                                         img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// Checks a request, and adds the headers that every answer has.
pub(crate) async fn guard(State(session): State<Arc<WorkSession>>, request: Request, next: Next) -> Response {
    session.note_request();
    let mut response = match refused(&session, &request) {
        Some(error) => error.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(CONTENT_POLICY));
    response
}

fn refused(session: &WorkSession, request: &Request) -> Option<ApiError> {
    let (headers, path) = (request.headers(), request.uri().path());
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let no = |status: StatusCode, code: &str, words: &str| Some(ApiError::new(status, code, words));
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = match (hosts.next().and_then(|host| host.to_str().ok()), hosts.next()) {
        (Some(host), None) if session.is_our_host(host) => host,
        _ => return no(StatusCode::MISDIRECTED_REQUEST, "host", "this server answers only under its own address"),
    };
    let site = text(HeaderName::from_static("sec-fetch-site"));
    if !(path.starts_with("/api/") || path.starts_with("/pages/")) {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        return if reads { None } else { no(StatusCode::METHOD_NOT_ALLOWED, "method", "the page can only be read") };
    }
    if !matches!(site, None | Some("same-origin" | "none")) {
        return no(StatusCode::FORBIDDEN, "site", "another site asked for this");
    }
    if !session.secrets().is_in(headers, session.port()) {
        return Some(
            ApiError::new(StatusCode::UNAUTHORIZED, "session", "this browser is not part of the session")
                .with_remedy("run incrowd open again and use the address that it prints"),
        );
    }
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    if text(header::ORIGIN) != Some(format!("http://{host}").as_str()) || site != Some("same-origin") {
        return no(StatusCode::FORBIDDEN, "origin", "only the page of this server may change something");
    }
    let kind = text(header::CONTENT_TYPE).map(|kind| kind.split(';').next().unwrap_or_default().trim());
    if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        return no(StatusCode::UNSUPPORTED_MEDIA_TYPE, "json", "the body has to be JSON");
    }
    None
}
