//! Errors as the page reads them: a code, what is wrong, and what to do.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use incrowd::Setting;
use schemars::JsonSchema;
use serde::Serialize;

/// An answer that says what is wrong.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) body: ErrorBody,
}

/// What is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ErrorBody {
    /// A finding's or refusal's code, or a word that the page acts on.
    pub(crate) code: Option<String>,
    /// What is wrong. Never a cell's value.
    pub(crate) message: String,
    /// What to do.
    pub(crate) remedy: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ErrorAnswer {
    error: ErrorBody,
}

pub(crate) type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> ApiError {
        ApiError { status, body: ErrorBody { code: Some(code.into()), message: message.into(), remedy: None } }
    }

    pub(crate) fn with_remedy(mut self, remedy: impl Into<String>) -> ApiError {
        self.body.remedy = Some(remedy.into());
        self
    }

    pub(crate) fn invalid(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "not-found", message)
    }

    /// A file is in the way.
    pub(crate) fn exists(name: &str) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, "exists", format!("{name} exists already"))
            .with_remedy("choose another name, or confirm that it is replaced")
    }

    /// No table is open.
    pub(crate) fn nothing_open() -> ApiError {
        ApiError::new(StatusCode::CONFLICT, "nothing-open", "no table is open")
            .with_remedy("open a table or a plan first")
    }

    /// The values of a column are not revealed.
    pub(crate) fn needs_reveal(column: &str) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, "reveal", format!("the values of “{column}” are not revealed"))
            .with_remedy("reveal the values of this column first")
    }

    /// The work ended in a way that nobody foresaw. Its words may quote anything, so they are not passed on.
    pub(crate) fn panicked() -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the work ended by an internal error")
            .with_remedy("please report what you did; the session goes on")
    }
}

impl From<incrowd::Error> for ApiError {
    fn from(error: incrowd::Error) -> Self {
        let remedy = error.remedy().written(Setting::as_in_a_plan);
        let status = match &error {
            incrowd::Error::FileExists(_) => StatusCode::CONFLICT,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        let body = ErrorBody {
            code: Some(error.code().into()),
            message: error.to_string(),
            remedy: (!remedy.is_empty()).then_some(remedy),
        };
        ApiError { status, body }
    }
}

impl From<incrowd::EngineError> for ApiError {
    fn from(error: incrowd::EngineError) -> Self {
        incrowd::Error::from(error).into()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(ErrorAnswer { error: self.body })).into_response()
    }
}
