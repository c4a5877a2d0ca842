//! Section 10: whether and how the run is repeated; the key and the seed are internal.

use crate::dossier::Repeatability;
use maud::{Markup, html};

use crate::style::internal;
use crate::text::{lines, plain};
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let reproduction = view.public.reproduction.as_ref();
    let seed = view.internal.and_then(|dossier| dossier.seed.as_ref());
    if reproduction.is_none() && seed.is_none() {
        return None;
    }
    let version = &view.public.identity.version;
    Some(html! {
        @if let Some(reproduction) = reproduction {
            p { (sentence(reproduction.repeatability, &plain(version))) }
            (lines(&reproduction.command))
            @if let Some(plan) = &reproduction.plan { h3 { "The plan" } (lines(plan)) }
        }
        @if let Some(seed) = seed {
            (internal(&html! { p { "Seed of the solver: " code { (plain(seed)) } ". The order of the rows does not depend "
                "on it: its key is in the internal record, and anyone who has the record can undo that order." } }))
        }
    })
}

/// Whether a second run gives the same bytes.
fn sentence(repeatability: Option<Repeatability>, version: &str) -> String {
    let by = if version.is_empty() { "incrowd".into() } else { format!("incrowd {version}") };
    let again = format!(
        "With the custodian's internal record, the same table and the same plan, {by} writes the same data files again, \
         byte for byte"
    );
    match repeatability {
        Some(Repeatability::Exact) => format!("{again}."),
        Some(Repeatability::TimeLimit) => {
            "The search was stopped before its end, by a time limit or by hand, so a second run may find other classes: this release cannot be repeated \
             exactly."
                .into()
        }
        Some(Repeatability::Cluster) => {
            "A cluster wrote the rows in an order that is not recorded: this release cannot be repeated byte for byte."
                .into()
        }
        Some(Repeatability::SeveralTables) => {
            "The table was released together with other tables of the same people: this release cannot be repeated.".into()
        }
        None => format!("{again}, unless the search was stopped before its end or a cluster wrote the rows."),
    }
}
