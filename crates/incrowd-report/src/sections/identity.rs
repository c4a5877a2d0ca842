//! Section 1: release id, time, version, hashes; the fingerprint of the input is internal.

use crate::dossier::DossierKind;
use incrowd_core::size;
use maud::{Markup, html};

use super::facts;
use crate::picture::{DataTable, cell};
use crate::style::internal;
use crate::text::{name, plain};
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let identity = &view.public.identity;
    let code = |text: &Option<String>| text.as_ref().map(|text| html! { code { (plain(text)) } });
    let facts = facts([
        ("release", code(&identity.release)),
        ("made", identity.created.as_ref().map(|at| cell(at.clone()))),
        (
            "by",
            Some(&identity.version)
                .filter(|version| !version.is_empty())
                .map(|version| html! { "incrowd " (plain(version)) }),
        ),
        ("build", identity.build.as_ref().map(|build| cell(build.clone()))),
        ("plan (SHA-256)", code(&identity.plan_hash)),
    ]);
    let fingerprint = view.internal.and_then(|internal| code(&internal.input_fingerprint));
    if facts.is_none() && fingerprint.is_none() && identity.files.is_empty() {
        return None;
    }
    let rows = identity
        .files
        .iter()
        .map(|file| [name(&file.name), cell(size(file.bytes)), html! { code { (plain(&file.sha256)) } }]);
    Some(html! {
        @if view.public.kind == DossierKind::Release {
            p {
                "These identify the release. A file with another SHA-256 is not the one that was verified."
            }
        }
        @if let Some(facts) = facts { (facts) }
        @if !identity.files.is_empty() { (DataTable::new(["file", "size", "SHA-256"], rows)
            .render("Files of the release"))
            }
        @if let Some(fingerprint) = fingerprint {
            (internal(&html! { p { "Fingerprint of the input, keyed: " (fingerprint) } }))
        }
    })
}
