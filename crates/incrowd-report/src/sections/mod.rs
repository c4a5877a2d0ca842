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
mod three_tests;
mod utility;
mod verification;

use maud::{Markup, html};

use crate::view::View;

/// A section of the report.
pub(crate) struct ReportPart {
    /// Its place in the page.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// Its body; nothing when there is nothing to say.
    pub(crate) render: fn(&View<'_>) -> Option<Markup>,
}

/// Every section, in order.
pub(crate) static PARTS: &[ReportPart] = &[
    ReportPart { id: "identity", title: "Identity", render: identity::render },
    ReportPart { id: "context", title: "Purpose", render: context::render },
    ReportPart { id: "data", title: "The data", render: data::render },
    ReportPart { id: "promises", title: "What is promised, and what is not", render: promises::render },
    ReportPart { id: "risk", title: "Risk before and after", render: risk::render },
    ReportPart { id: "tests", title: "Singling out, linkability, inference", render: three_tests::render },
    ReportPart { id: "attacks", title: "Attacks that were run", render: attacks::render },
    ReportPart { id: "utility", title: "Information loss", render: utility::render },
    ReportPart { id: "verification", title: "Verification and residual risk", render: verification::render },
    ReportPart { id: "reproduction", title: "How to reproduce it", render: reproduction::render },
    ReportPart { id: "check", title: "Findings, and what the original reveals", render: check::render },
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
