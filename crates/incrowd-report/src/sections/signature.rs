//! The lines on which it is signed.

use crate::dossier::DossierKind;
use maud::{Markup, html};

use crate::text::plain;
use crate::view::View;

pub(crate) const TITLE: &str = "Signature";

pub(crate) fn render(view: &View<'_>) -> Markup {
    let what = match view.public.kind {
        DossierKind::Check => "the table",
        DossierKind::Release => "the release",
    };
    html! {
        p {
            "I have read this report. I know what it promises about " (what)
            ", what it does not, and the purpose and recipients it "
            "was made for."
            @if let Some(release) = &view.public.identity.release { " Release " code { (plain(release)) } "." }
        }
        div.signatures {
            @for who in ["Data protection officer", "Responsible for the release"] {
                div {
                    h3 { (who) }
                    @for line in ["Name", "Role", "Date", "Signature"] { p.line { span { (line) } } }
                }
            }
        }
    }
}
