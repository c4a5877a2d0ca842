//! The page itself. Built from `workbench/` in the repository and committed, so that Cargo never runs npm.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Name, type and bytes of each file.
const FILES: &[(&str, &str, &[u8])] = &[
    ("index.html", "text/html; charset=utf-8", include_bytes!("../assets/index.html")),
    ("workbench.js", "text/javascript; charset=utf-8", include_bytes!("../assets/workbench.js")),
    ("workbench.css", "text/css; charset=utf-8", include_bytes!("../assets/workbench.css")),
];

/// A file of the page.
pub(crate) fn file(name: &str) -> Response {
    let name = if name.is_empty() { "index.html" } else { name };
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, bytes)) => ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], *bytes).into_response(),
        None => (StatusCode::NOT_FOUND, "not found").into_response(),
    }
}
