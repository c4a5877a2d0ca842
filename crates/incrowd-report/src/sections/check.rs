//! Section 11: what a check of the original found: codes and columns for everyone, counts for the custodian.

use crate::dossier::DossierKind;
use incrowd_core::thousands;
use maud::{Markup, html};

use crate::numbers::per_cent;
use crate::picture::{DataTable, cell};
use crate::style::{internal, severity};
use crate::svg;
use crate::text::{name, words};
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let public = view.public;
    let numbers = view.internal.map(|dossier| dossier.findings.as_slice()).unwrap_or_default();
    if public.findings.is_empty() && numbers.is_empty() && view.column_sets().is_none() {
        return None;
    }
    let columns = |columns: &[String]| if columns.is_empty() { cell("–") } else { view.columns(columns) };
    // One row for each code: a wide table has the same finding about dozens of column sets.
    let rows = public.findings.chunk_by(|one, next| one.code == next.code).map(|alike| {
        let sets = html! { @for finding in alike { div { (columns(&finding.columns)) } } };
        [code(&alike[0].code), severity(alike[0].severity), words(&alike[0].summary), sets]
    });
    let exact = numbers.iter().map(|finding| {
        let concerned = match (finding.rows, finding.share) {
            (Some(rows), Some(share)) => format!("{} ({})", thousands(rows), per_cent(share)),
            (Some(rows), None) => thousands(rows),
            _ => "–".into(),
        };
        [code(&finding.code), words(&finding.message), cell(concerned)]
    });
    let lattice = view.column_sets().and_then(|sets| svg::lattice::figure(view, sets));
    let layers = view.column_sets().and_then(|sets| svg::layers::figure(view, sets));
    let counts = view.internal.is_some_and(|dossier| !dossier.dangerous_sets.is_empty());
    let about = match public.kind {
        DossierKind::Release if !public.findings.is_empty() => {
            "Findings are about columns that are published unchanged or treated; column sets are those of the original table. "
        }
        _ => "What was found in the original table, before anonymization. ",
    };
    Some(html! {
        p { (about) "Each code is explained by " code { "incrowd explain" } "." }
        @if !public.findings.is_empty() { (DataTable::new(["code", "severity", "what it means", "columns"],
            rows).render("Findings")) }
        @if !numbers.is_empty() {
            (internal(&html! { p { "The findings in numbers." } (DataTable::new(["code", "finding", "concerns"],
                exact).render("Findings in numbers")) }))
        }
        @if let Some(lattice) = lattice {
            @if counts { (internal(&lattice.render())) } @else { (lattice.render()) }
        }
        @if let Some(layers) = layers { (layers.render()) }
    })
}

/// A finding's code, which is never broken over lines.
fn code(code: &str) -> Markup {
    html! { code class="short" { (name(code)) } }
}
