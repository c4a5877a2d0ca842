//! Section 9: verification of the written bytes for everyone; residual risk and the motivated intruder for the
//! custodian.

use incrowd_core::{size, thousands};
use maud::{Markup, html};

use super::{facts, sentences};
use crate::style::{internal, standing};
use crate::text::words;
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let verified = view.public.verification.as_ref().map(|verification| {
        let canaries = verification.canaries.map(|canaries| {
            html! {
                (thousands(canaries.found)) " of at least " (thousands(canaries.searched)) " removed values were found in "
                    (size(canaries.bytes)) " of written bytes, raw and decompressed"
            }
        });
        let facts = facts([
            ("by", Some(words(&verification.by))),
            ("when", Some(words(&verification.at))),
            ("result", Some(standing(verification.standing))),
            ("search for removed values", canaries),
        ]);
        html! { p { (words(&verification.sentence)) } @if let Some(facts) = facts { (facts) } }
    });
    let inside = view.internal.filter(|dossier| !dossier.residual_risk.is_empty() || !dossier.intruder.is_empty());
    if verified.is_none() && inside.is_none() {
        return None;
    }
    Some(html! {
        @if let Some(verified) = verified { (verified) }
        @if let Some(dossier) = inside {
            (internal(&html! {
                @if !dossier.residual_risk.is_empty() { h3 { "Residual risk" } (sentences(&dossier.residual_risk)) }
                @if !dossier.intruder.is_empty() {
                    h3 { "Instructions for a motivated intruder" }
                    p { "Before the report is signed, a person without special skills tries this with the release and "
                        "public information." }
                    ol { @for step in &dossier.intruder { li { (words(step)) } } }
                }
            }))
        }
    })
}
