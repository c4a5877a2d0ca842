//! The bodies of requests: JSON, or an error in our own words.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;

use crate::errors::ApiError;

/// A body of this type.
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|_| ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "the request is too large"))?;
        // The words of the parser may quote what was sent; the place is enough.
        serde_json::from_slice(&bytes).map(Body).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            ApiError::new(
                StatusCode::BAD_REQUEST,
                "body",
                format!("the body is not what was expected (line {line}, column {column})"),
            )
        })
    }
}

/// The tag that the page has seen.
pub(super) fn if_match(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::IF_MATCH).and_then(|value| value.to_str().ok())
}
