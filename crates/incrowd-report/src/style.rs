//! How the page looks, and the signs that stand for roles and verdicts. Colour is never the only sign.

use crate::dossier::Standing;
use incrowd_core::{Role, Severity};
use maud::{Markup, html};

/// The sheet that stands in the page.
pub(crate) const SHEET: &str = include_str!("style.css");

/// The class that gives a role its colour: red identifying, yellow quasi-identifying, purple sensitive, green
/// insensitive.
pub(crate) fn role_class(role: Role) -> &'static str {
    match role {
        Role::Identifier => "role-i",
        Role::Subject => "role-p",
        Role::QuasiIdentifier => "role-q",
        Role::Sensitive => "role-s",
        Role::Insensitive | Role::Weight => "role-n",
    }
}

/// The badge of a role: its letter on its colour. The word is for screen readers.
pub(crate) fn badge(role: Role) -> Markup {
    html! {
        span class={ "badge " (role_class(role)) } title=(role.name()) {
            span aria-hidden="true" { (role.letter()) } span.unseen { (role.name()) }
        }
    }
}

/// What the letters mean.
pub(crate) fn legend() -> Markup {
    html! {
        ul.legend aria-label="Roles of columns" {
            @for role in Role::ALL { li { (badge(role)) "\u{a0}" (role.name()) } }
        }
    }
}

/// The class and the sign of a standing.
pub(crate) fn standing_class(standing: Standing) -> (&'static str, &'static str) {
    match standing {
        Standing::Proved => ("proved", "✓"),
        Standing::NotFound => ("searched", "○"),
        Standing::Fails => ("fails", "✕"),
        Standing::NotJudged => ("unjudged", "–"),
    }
}

/// How a statement stands, as a sign and words.
pub(crate) fn standing(standing: Standing) -> Markup {
    let (class, sign) = standing_class(standing);
    html! { span class={ "standing " (class) } { span aria-hidden="true" { (sign) } " " (standing.name()) } }
}

/// How much a finding matters, as a sign and a word.
pub(crate) fn severity(severity: Severity) -> Markup {
    let (class, sign) = match severity {
        Severity::Danger => ("fails", "✕"),
        Severity::Warning => ("searched", "!"),
        Severity::Note => ("unjudged", "i"),
        Severity::Refusal => ("fails", "–"),
    };
    html! { span class={ "standing " (class) } { span aria-hidden="true" { (sign) } " " (severity.name()) } }
}

/// What only the custodian's report shows.
pub(crate) fn internal(inner: &Markup) -> Markup {
    html! { div.internal { p.tag { "internal" } (inner) } }
}
