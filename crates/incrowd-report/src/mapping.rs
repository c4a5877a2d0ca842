//! Where the questions of other people's forms are answered: ISO/IEC 27559:2022, the anonymization report of EMA and
//! Health Canada, opinion 05/2014 of the EU working party, the ICO's motivated intruder.

use crate::dossier::DossierKind;
use maud::{Markup, html};

use crate::picture::DataTable;
use crate::sections::PARTS;
use crate::view::View;

pub(crate) const TITLE: &str = "References to other forms";

/// A form with what it asks and the sections that answer.
struct AuthorityForm {
    name: &'static str,
    asks: &'static [(&'static str, &'static [&'static str])],
}

const FORMS: [AuthorityForm; 4] = [
    AuthorityForm {
        name: "ISO/IEC 27559:2022, privacy enhancing data de-identification framework",
        asks: &[
            ("Clause 6, context assessment: threats, transparency, impact", &["context", "promises", "attacks"]),
            (
                "Clause 7, data assessment: people, attribute types, properties; attack modelling",
                &["data", "check", "risk"],
            ),
            ("Clause 8.2, assessing identifiability: quantified, tested as an attacker", &["risk", "tests", "attacks"]),
            ("Clause 8.3, mitigation: transforming the data, re-evaluation", &["data", "utility", "verification"]),
            (
                "Clause 9, governance: responsibilities, records, what follows",
                &["identity", "context", "reproduction", "signature"],
            ),
        ],
    },
    AuthorityForm {
        name: "Anonymization report of EMA (policy 0070) and Health Canada (PRCI)",
        asks: &[
            ("Initial risk", &["risk", "check"]),
            ("Threshold, its source and comparison", &["risk"]),
            ("Residual risk", &["risk", "verification"]),
            ("Identifiers, and the technique used for each", &["data"]),
            ("Impact on the use of the data", &["utility"]),
        ],
    },
    AuthorityForm {
        name: "Article 29 working party, opinion 05/2014: three tests",
        asks: &[("Singling out", &["tests"]), ("Linkability", &["tests"]), ("Inference", &["tests"])],
    },
    AuthorityForm {
        name: "ICO, motivated-intruder test",
        asks: &[
            ("What a motivated intruder is asked to try (internal)", &["verification"]),
            ("Attacks run in place of an intruder", &["attacks"]),
        ],
    },
];

/// The forms, with links to the sections that have something to say.
pub(crate) fn render(view: &View<'_>, stated: &[&str]) -> Markup {
    let answer = |ids: &[&'static str]| {
        let there: Vec<_> = ids.iter().filter(|&&id| id == "signature" || stated.contains(&id)).collect();
        html! {
            @if there.is_empty() { span.none { "not stated here" } }
            @for (at, id) in there.iter().enumerate() {
                @if at > 0 { ", " } a href={ "#" (id) } { (number(id)) }
            }
        }
    };
    let table = |form: &AuthorityForm| {
        let rows = form.asks.iter().map(|(ask, ids)| [html! { (ask) }, answer(ids)]);
        html! { h3 { (form.name) } (DataTable::new(["asks for", "section"], rows).render(form.name)) }
    };
    html! {
        p {
            "Authorities use their own forms. These tables show which section of this report answers each part; they "
            "do not say that a form is fulfilled."
            @if view.public.kind == DossierKind::Check { " Nothing was released, so questions about a release are not "
                "answered." }
        }
        div.forms { @for form in &FORMS { div { (table(form)) } } }
    }
}

/// The number of a section in every report.
fn number(id: &str) -> usize {
    PARTS.iter().position(|part| part.id == id).map_or(PARTS.len() + 2, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_points_at_sections_that_exist() {
        for (ask, ids) in FORMS.iter().flat_map(|form| form.asks) {
            for id in *ids {
                assert!(*id == "signature" || PARTS.iter().any(|part| part.id == *id), "{ask}: {id}");
            }
        }
    }
}
