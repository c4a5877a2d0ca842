//! Section 2: purpose, recipients, release model, who answers for it, next review.

use maud::{Markup, html};

use super::facts;
use crate::text::words;
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let context = &view.public.context;
    let text = |text: &Option<String>| text.as_ref().map(|text| words(text));
    let facts = facts([
        ("purpose", text(&context.purpose)),
        ("recipients", text(&context.recipients)),
        ("release model", context.release_model.map(|model| html! { (model.name()) })),
        ("responsible", text(&context.responsible)),
        ("next review", text(&context.next_review)),
    ])?;
    Some(html! {
        p {
            "From the plan. The acceptable risk depends on it: the more people get the table, the more protection it "
            "needs."
        }
        (facts)
    })
}
