//! Section 6: the three tests of opinion 05/2014: verdict and evidence for everyone, numbers for the custodian.

use crate::dossier::{Test, TestVerdict};
use maud::{Markup, html};

use crate::numbers::{figure as number, spoken};
use crate::picture::{DataTable, cell};
use crate::style::{internal, standing};
use crate::text::{capital, words};
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let tests = &view.public.tests;
    let numbers = view.internal.map(|dossier| dossier.tests.as_slice()).unwrap_or_default();
    if tests.is_empty() && numbers.is_empty() {
        return None;
    }
    let figures = numbers.iter().flat_map(|test| {
        test.figures
            .iter()
            .map(|figure| [cell(capital(test.test.name())), cell(spoken(&figure.name)), cell(number(figure.value))])
    });
    let card = |test: Test| {
        let found: Vec<&TestVerdict> = tests.iter().filter(|one| one.test == test).collect();
        html! {
            article {
                h3 { (capital(test.name())) }
                p.small { (test.question()) }
                @if found.is_empty() { p { (standing(crate::dossier::Standing::NotJudged)) } }
                @for one in found { p { (standing(one.standing)) } p { (words(&one.evidence)) } }
            }
        }
    };
    Some(html! {
        p { "The EU working party’s opinion 05/2014 asks three questions of anonymized data. The verdict is on “no "
            "longer possible”." }
        div.promises { @for test in Test::ALL { (card(test)) } }
        @if !numbers.is_empty() {
            (internal(&html! { p { "The numbers behind the verdicts; shares are between 0 and 1." }
                (DataTable::new(["test", "figure", "number"], figures).render("Numbers behind the three tests")) }))
        }
    })
}
