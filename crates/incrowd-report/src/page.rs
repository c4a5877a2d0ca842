//! The page around the sections.

use crate::dossier::DossierKind;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::sections::{PARTS, ReportPart, signature, summary};
use crate::style::SHEET;
use crate::text::plain;
use crate::view::View;
use crate::{mapping, text};

/// Nothing is loaded and nothing is run, whatever a text in the page says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// A section that has something to say, with its number, which is the same in every report.
struct Shown {
    number: usize,
    part: &'static ReportPart,
    body: Markup,
}

pub(crate) fn render(view: &View<'_>) -> String {
    let public = view.public;
    let (mut shown, mut silent) = (Vec::new(), Vec::new());
    for (number, part) in (1..).zip(PARTS) {
        match (part.render)(view) {
            Some(body) => shown.push(Shown { number, part, body }),
            None => silent.push((number, part)),
        }
    }
    let edition = if view.internal.is_some() { "internal" } else { "public" };
    let kind = match public.kind {
        DossierKind::Check => "Check of a table",
        DossierKind::Release => "Report of a release",
    };
    let (maps, signs) = (PARTS.len() + 1, PARTS.len() + 2);
    let stated: Vec<&str> = shown.iter().map(|section| section.part.id).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="generator" content={ "incrowd " (plain(&public.identity.version)) };
                title { (plain(&public.title)) " – " (kind) " (" (edition) ")" }
                style { (PreEscaped(SHEET)) }
            }
            body class=(edition) {
                a.skip href="#main" { "To the report" }
                @if view.internal.is_some() {
                    p.banner role="note" { strong { "Internal." } " Contains exact figures about few people: do "
                        "not publish." }
                }
                header {
                    p.kind { (kind) " · " (edition) " edition" }
                    h1 { (text::name(&public.title)) }
                    (summary::render(view))
                }
                nav aria-label="Contents" {
                    h2 { "Contents" }
                    ol {
                        @for section in &shown {
                            li value=(section.number) { a href={ "#" (section.part.id) } { (section.part.title) } }
                        }
                        li value=(maps) { a href="#mapping" { (mapping::TITLE) } }
                        li value=(signs) { a href="#signature" { (signature::TITLE) } }
                    }
                }
                main id="main" {
                    @for section in &shown {
                        (section_of(section.number, section.part.id, section.part.title, &section.body))
                    }
                    @if !silent.is_empty() {
                        p.silent {
                            "Not covered in this report: "
                            @for (at, (number, part)) in silent.iter().enumerate() {
                                @if at > 0 { "; " } (number) " " (part.title)
                            }
                            "."
                        }
                    }
                    (section_of(maps, "mapping", mapping::TITLE, &mapping::render(view, &stated)))
                    (section_of(signs, "signature", signature::TITLE, &signature::render(view)))
                }
                footer {
                    p {
                        "Made by incrowd " (plain(&public.identity.version))
                        ". This file has no scripts and loads nothing. "
                        "Counts below " (public.least_told) " are not shown in the public edition; shares are rounded "
                        "separately and may not add up."
                    }
                }
            }
        }
    };
    page.into_string()
}

fn section_of(number: usize, id: &str, title: &str, body: &Markup) -> Markup {
    html! {
        section id=(id) aria-labelledby={ (id) "-head" } {
            h2 id={ (id) "-head" } { span.number { (number) } " " (title) }
            (body)
        }
    }
}
