//! Section 3: people and rows, sample or population, each column with role, reason and technique.

use crate::dossier::{Column, Counted, Data, DossierKind, Drawn, Technique};
use incrowd_core::thousands;
use maud::{Markup, html};

use super::facts;
use crate::picture::{DataTable, cell};
use crate::style::{badge, internal, legend};
use crate::text::{name, words};
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let data = &view.public.data;
    let rows = match view.public.kind {
        DossierKind::Check => "rows",
        DossierKind::Release => "rows published",
    };
    let drawn = data.drawn.map(|drawn| match drawn {
        Drawn::Sample => html! { "a sample: it is not known whether a person is in it" },
        Drawn::Population => html! { "the whole population: everyone is in it" },
    });
    let counted = match data.counted {
        Counted::Rows => html! { "rows: each row counts as a person" },
        Counted::People => html! { "people, identified by a subject column that is not published" },
    };
    let withheld = data.withheld.map(|count| {
        html! {
            (count.to_string()) " rows" @if let Some(share) = data.withheld_share { ", " (share.to_string())
                " of the original" }
        }
    });
    let known = data.rows.is_some() || !data.columns.is_empty() || withheld.is_some();
    let facts = facts([
        (rows, data.rows.map(|rows| cell(thousands(rows)))),
        ("people", data.people.map(|people| cell(people.to_string()))),
        ("suppressed", withheld),
        ("classes are counted in", Some(counted)),
        ("the table is", drawn),
    ]);
    if !known {
        return None;
    }
    Some(html! {
        p {
            @match view.public.kind {
                DossierKind::Check => "The columns of the table.",
                DossierKind::Release => "The columns of the table, and how they were treated.",
            }
            " The role of a column says how an attacker could use it."
        }
        @if let Some(facts) = facts { (facts) }
        @if !data.columns.is_empty() {
            (legend())
            (columns(data).render("Columns of the table"))
        }
        @if let Some(inner) = withheld_for(view) { (internal(&inner)) }
    })
}

/// The columns; what was done to them only where something was.
fn columns(data: &Data) -> DataTable {
    let role = |column: &Column| html! { span.whole { (badge(column.role)) "\u{a0}" (column.role.name()) } };
    let reason = |column: &Column| column.reason.as_ref().map_or_else(|| cell("–"), |reason| words(reason));
    if data.columns.iter().all(|column| column.technique.is_none()) {
        let rows = data.columns.iter().map(|column| [name(&column.name), role(column), reason(column)]);
        return DataTable::new(["column", "role", "why this role"], rows);
    }
    let told = |column: &Column| {
        let technique = match (&column.treatment, column.technique) {
            (Some(treatment), Some(technique)) => format!("{} ({treatment})", technique.name()),
            (_, technique) => technique.map_or("–", Technique::name).into(),
        };
        let published = column.is_published().map_or("–", |published| if published { "yes" } else { "no" });
        [name(&column.name), role(column), cell(technique), cell(published)]
    };
    if data.columns.iter().all(|column| column.reason.is_none()) {
        return DataTable::new(["column", "role", "technique", "published"], data.columns.iter().map(told));
    }
    let rows = data.columns.iter().map(|column| {
        let [name, role, technique, published] = told(column);
        [name, role, technique, published, reason(column)]
    });
    DataTable::new(["column", "role", "technique", "published", "why this role"], rows)
}

/// For which rules rows were suppressed, in numbers.
fn withheld_for(view: &View<'_>) -> Option<Markup> {
    let rules = &view.internal?.withheld_for;
    let rows = rules.iter().map(|rule| [name(&rule.rule), cell(thousands(rule.rows)), words(&rule.why)]);
    (!rules.is_empty()).then(|| {
        html! {
            p { "Rows were suppressed because of these rules. The numbers add up to all suppressed rows." }
            (DataTable::new(["rule", "rows", "why"], rows).render("Suppressed rows by rule"))
        }
    })
}
