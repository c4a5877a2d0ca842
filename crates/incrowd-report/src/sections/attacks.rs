//! Section 7: the attack suite: what was tried and the verdict for everyone, success and baseline for the custodian.

use incrowd_core::Outcome;
use maud::{Markup, html};

use crate::numbers::{figure as number, spoken};
use crate::picture::{DataTable, cell};
use crate::style::{internal, standing};
use crate::svg;
use crate::text::{name, words};
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let attacks = &view.public.attacks;
    let outcomes = view.internal.map(|dossier| dossier.attacks.as_slice()).unwrap_or_default();
    if attacks.is_empty() && outcomes.is_empty() {
        return None;
    }
    let rows = attacks.iter().map(|attack| {
        let column = attack.column.as_ref().map_or_else(|| cell("–"), |column| view.column(column));
        [name(&attack.attack), words(&attack.tries), column, standing(attack.standing)]
    });
    Some(html! {
        p {
            "Each attack was run on the release and compared with a baseline without the attack. "
            "The verdict is about the statement “the attack gains nothing”; attacks that were not run may gain "
            "something."
        }
        @if !attacks.is_empty() { (DataTable::new(["attack", "what it tries", "about", "“gains nothing”"],
            rows).render("Attacks that were run")) }
        @if let Some(figure) = svg::attacks::figure(view, outcomes) {
            (internal(&html! { (figure.render()) (meanings(outcomes)) }))
        }
    })
}

/// Each outcome in its own sentence, with what else was counted.
fn meanings(outcomes: &[Outcome]) -> Markup {
    html! {
        ul {
            @for outcome in outcomes {
                li {
                    (name(&outcome.attack)) ": " (words(&outcome.meaning))
                    @if !outcome.figures.is_empty() {
                        p.small {
                            @for (at, figure) in outcome.figures.iter().enumerate() {
                                @if at > 0 { " · " }
                                (spoken(&crate::text::plain(&figure.name))) ": " (number(figure.value))
                            }
                        }
                    }
                }
            }
        }
    }
}
