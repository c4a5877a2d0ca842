//! The sections of a report, one file each. A section is a function of what the report may see, and is left out when
//! the dossier has nothing for it. Its number is its place in the list, so that it is the same in every report.

mod attacks;
mod check;
mod context;
mod data;
mod identity;
mod promises;
mod reproduction;
mod risk;
pub(crate) mod signature;
pub(crate) mod summary;
mod tests;
mod utility;
mod verification;

use maud::{Markup, html};

use crate::view::View;

/// A section of the report.
pub(crate) struct Part {
    /// Its place in the page.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// Its body; nothing when there is nothing to say.
    pub(crate) render: fn(&View<'_>) -> Option<Markup>,
}

/// Every section, in order.
pub(crate) static PARTS: &[Part] = &[
    Part { id: "identity", title: "Identity", render: identity::render },
    Part { id: "context", title: "What it is for", render: context::render },
    Part { id: "data", title: "The data", render: data::render },
    Part { id: "promises", title: "What is promised, and what is not", render: promises::render },
    Part { id: "risk", title: "Risk before and after", render: risk::render },
    Part { id: "tests", title: "Singling out, linkability, inference", render: tests::render },
    Part { id: "attacks", title: "Attacks that were run", render: attacks::render },
    Part { id: "utility", title: "What users lose", render: utility::render },
    Part { id: "verification", title: "Verification and residual risk", render: verification::render },
    Part { id: "reproduction", title: "How to repeat it", render: reproduction::render },
    Part { id: "check", title: "Findings, and what the original gives away", render: check::render },
];

/// A list of names and what they are; nothing when it is empty.
fn facts(pairs: impl IntoIterator<Item = (&'static str, Option<Markup>)>) -> Option<Markup> {
    let known: Vec<_> = pairs.into_iter().filter_map(|(term, fact)| Some((term, fact?))).collect();
    (!known.is_empty()).then(|| {
        html! { dl.facts { @for (term, fact) in known { div { dt { (term) } dd { (fact) } } } } }
    })
}

/// Sentences as a list.
fn sentences(texts: &[String]) -> Markup {
    html! { ul { @for text in texts { li { (crate::text::words(text)) } } } }
}
