//! Section 4: the models with their parameters, what each promises, and what is not promised.

use crate::dossier::{Promise, Standing};
use maud::{Markup, html};

use super::sentences;
use crate::style::standing;
use crate::text::{name, words};
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let public = view.public;
    if public.promises.is_empty() && public.not_promised.is_empty() {
        return None;
    }
    Some(html! {
        @if !public.promises.is_empty() {
            p { "All of these hold together, for every row of the release." }
            div.promises { @for promise in &public.promises { (card(view, promise)) } }
            dl.standings aria-label="What the verdicts mean" {
                @for one in Standing::ALL { div { dt { (standing(one)) } dd { (meaning(one)) } } }
            }
        }
        @if !public.not_promised.is_empty() {
            div.not-promised { h3 { "Not promised" } (sentences(&public.not_promised)) }
        }
    })
}

fn card(view: &View<'_>, promise: &Promise) -> Markup {
    html! {
        article {
            h3 { (name(&promise.model)) @if !promise.parameters.is_empty() { " " span.parameters {
                (words(&promise.parameters)) } } }
            p { (words(&promise.sentence)) }
            p.small { (standing(promise.standing)) }
            @if !promise.quasi_identifiers.is_empty() { p.small { "By: " (view.columns(&promise.quasi_identifiers)) } }
            @if !promise.sensitive.is_empty() { p.small { "About: " (view.columns(&promise.sensitive)) } }
        }
    }
}

fn meaning(standing: Standing) -> &'static str {
    match standing {
        Standing::Proved => "it was counted on the published bytes, and there is no exception",
        Standing::NotFound => "an attack was tried and failed; another attack may succeed",
        Standing::Fails => "it was shown that it does not hold",
        Standing::NotJudged => "it was not tested",
    }
}
