//! Section 8: what users lose, overall and per column: levels, suppression by column and subgroup, query error, bound
//! and ratio.

use crate::dossier::Utility;
use incrowd_core::thousands;
use maud::{Markup, html};

use super::sentences;
use crate::numbers::per_cent;
use crate::picture::{DataTable, Picture, cell};
use crate::style::internal;
use crate::svg;
use crate::text::{name, plain};
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let utility = view.utility()?;
    let figures = [
        svg::loss::figure(view, utility),
        svg::levels::figure(view, utility),
        svg::suppression::figure(view, utility),
        svg::curve::figure(utility),
        utility.queries.as_ref().and_then(svg::queries::figure),
    ];
    Some(html! {
        (overall(utility))
        @if !utility.keeps.is_empty() { h3 { "What can be computed from it" } (sentences(&utility.keeps)) }
        @for figure in figures.iter().flatten() { (Picture::render(figure)) }
        (subgroups(view, utility))
    })
}

fn overall(utility: &Utility) -> Markup {
    let measure = if utility.measure.is_empty() { "the measure of the run".into() } else { plain(&utility.measure) };
    html! {
        @if let Some(loss) = utility.loss {
            p {
                "The loss by " (measure) " is " strong { (loss.to_string()) }
                " over all quasi-identifiers" @if utility.of_published { " of the published rows" }
                " (0 = no loss, 1 = all detail lost). "
                @if utility.of_published { "The policy allows suppression. Figures that compare the release with the "
                    "original are only in the internal report, because they would reveal how many rows were "
                    "suppressed. " }
                @if let Some(bound) = utility.bound {
                    "No release with the same promises and hierarchies can lose less than "
                    strong { (bound.to_string()) } ". "
                }
                @if let Some(ratio) = utility.ratio { "This release loses " strong { (ratio.to_string()) }
                    " times this lower bound." }
            }
        }
        @if let Some(distance) = utility.marginal_distance {
            p {
                "The distributions of single columns differ from the original by " strong { (distance.to_string()) }
                " on average (0 = same distribution, 1 = no common values)."
                @if let Some(difference) = utility.dependence_difference {
                    " The dependence of pairs of columns differs by " strong { (difference.to_string()) }
                    " on average (Cramér’s V)."
                }
            }
        }
    }
}

fn subgroups(view: &View<'_>, utility: &Utility) -> Markup {
    let rows = utility
        .subgroups
        .iter()
        .map(|spread| [view.column(&spread.column), cell(spread.least.to_string()), cell(spread.most.to_string())]);
    let numbers = view.internal.map(|dossier| dossier.subgroups.as_slice()).unwrap_or_default();
    let exact = numbers.iter().map(|group| {
        let share = group.withheld as f64 / group.rows.max(1) as f64;
        let told = format!("{} ({})", thousands(group.withheld), per_cent(share));
        [view.column(&group.column), name(&group.label), cell(thousands(group.rows)), cell(told)]
    });
    html! {
        @if !utility.subgroups.is_empty() {
            h3 { "Suppressed rows by subgroup" }
            p { "Suppressed rows are missing from every statistic. If one subgroup lost more rows than another, "
                "compare them with care." }
            (DataTable::new(["subgroups of", "smallest share suppressed", "largest share suppressed"], rows)
                .render("Share of suppressed rows by subgroup"))
        }
        @if !numbers.is_empty() {
            (internal(&html! { p { "The numbers of rows, by published label." }
                (DataTable::new(["column", "subgroup", "rows", "suppressed"], exact)
                    .render("Number of suppressed rows by subgroup")) }))
        }
    }
}
