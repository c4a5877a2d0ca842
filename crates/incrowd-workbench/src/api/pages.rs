//! The report pages of a release, as files of their own in a new tab.
//!
//! They hold one style sheet and no script. Their content policy allows exactly that style sheet, by its hash.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Path as UrlPath, State};
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::blocking;
use crate::errors::{ApiError, ApiResult};
use crate::session::WorkSession;

/// The page of a release that may be published.
pub(super) fn public(release: &Path) -> Option<PathBuf> {
    Some(release.join("report.html"))
}

/// The page for the custodian, beside the release.
pub(super) fn internal(release: &Path) -> Option<PathBuf> {
    let mut name = release.file_name()?.to_owned();
    name.push(".internal");
    Some(release.with_file_name(name).join("internal.html"))
}

pub(super) async fn page(
    State(session): State<Arc<WorkSession>>,
    UrlPath((kind, release)): UrlPath<(String, String)>,
) -> ApiResult<Response> {
    blocking(move || {
        let folder = session.folder().existing(&release)?;
        // A page of a release that was changed is not shown as if it were the page that was written.
        if matches!(kind.as_str(), "public" | "internal") {
            incrowd::OpenedRelease::open(&folder, None)?;
        }
        let page = match kind.as_str() {
            "public" => public(&folder),
            "internal" => internal(&folder),
            "report-public" => Some(folder.join("public.html")),
            "report-internal" => Some(folder.join("internal.html")),
            _ => None,
        };
        let page = page.ok_or_else(|| ApiError::not_found("there is no such page"))?;
        let page = session.folder().existing(&session.folder().name(&page))?;
        let text = std::fs::read_to_string(&page).map_err(|error| incrowd::Error::file(&page, &error))?;
        let policy = HeaderValue::from_str(&policy(&text)).map_err(|_| ApiError::panicked())?;
        let mut response = Html(text).into_response();
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        Ok(response)
    })
    .await
}

/// What a report page may load: its own style sheets and pictures in itself.
fn policy(text: &str) -> String {
    let styles = text.split("<style>").skip(1).filter_map(|rest| rest.split("</style>").next());
    let hashes: Vec<String> = styles.map(|style| format!("'sha256-{}'", base64(&Sha256::digest(style)))).collect();
    let styles = if hashes.is_empty() { "'none'".into() } else { hashes.join(" ") };
    format!(
        "default-src 'none'; style-src {styles}; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// Bytes in base 64, with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let digit = (word >> (18 - 6 * at)) & 63;
            text.push(if at <= three.len() { char::from(DIGITS[digit as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_base_64_as_the_standard_has_it() {
        let written = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(written, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn a_report_page_may_load_its_own_style_sheet_and_nothing_else() {
        let policy = policy("<style>a{}</style><p>");
        assert!(
            policy.contains("style-src 'sha256-")
                && !policy.contains("unsafe")
                && policy.contains("default-src 'none'")
        );
    }
}
