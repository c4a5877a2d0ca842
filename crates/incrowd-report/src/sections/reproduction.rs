//! Section 10: how the run is repeated; the seed is internal.

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
            p { "The same table, plan and seed give the same bytes" @if !version.is_empty() { " with incrowd "
                (plain(version)) } "." }
            (lines(&reproduction.command))
            @if let Some(plan) = &reproduction.plan { h3 { "The plan" } (lines(plan)) }
        }
        @if let Some(seed) = seed {
            (internal(&html! { p { "Seed: " code { (plain(seed)) } ". Whoever learns it can undo the shuffle of the "
                "rows." } }))
        }
    })
}
