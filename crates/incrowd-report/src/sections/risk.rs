//! Section 5: risk before and after by the same measure: the verdict for everyone, the numbers for the custodian.

use crate::dossier::{ChosenAttacker, RiskVerdict, ThresholdSide};
use maud::{Markup, html};

use crate::numbers::chance;
use crate::picture::{DataTable, cell};
use crate::style::{internal, standing};
use crate::svg;
use crate::text::{capital, words};
use crate::view::View;

pub(crate) fn render(view: &View<'_>) -> Option<Markup> {
    let verdict = view.public.risk.as_ref().map(verdict);
    let numbers = view.internal.and_then(|dossier| {
        let risk = dossier.risk.as_ref().and_then(svg::risk::figure);
        let counted = view.public.data.counted.name();
        let classes =
            svg::class_sizes::figure(dossier.classes_before.as_ref(), dossier.classes_after.as_ref(), counted);
        let figures: Vec<Markup> = risk.iter().chain(&classes).map(crate::picture::Picture::render).collect();
        (!figures.is_empty()).then(|| internal(&html! { @for figure in figures { (figure) } }))
    });
    if verdict.is_none() && numbers.is_none() {
        return None;
    }
    Some(html! {
        @if let Some(verdict) = verdict { (verdict) }
        @match numbers {
            Some(numbers) => (numbers),
            None => p.small { "The figures are in the internal edition, because exact risks can reveal small counts." }
        }
    })
}

fn verdict(risk: &RiskVerdict) -> Markup {
    let threshold = &risk.threshold;
    let rows = risk
        .adversaries
        .iter()
        .map(|one| [cell(capital(one.adversary.name())), cell(one.adversary.knows()), standing(one.standing)]);
    html! {
        p {
            "The risk is the probability of identifying the right person. It is acceptable if it is "
            @match threshold.rule { ThresholdSide::AtMost => "at most ", ThresholdSide::Below => "below " }
            strong.whole { (chance(threshold.value)) } "; a risk equal to it "
            @match threshold.rule { ThresholdSide::AtMost => "is acceptable", ThresholdSide::Below => "is not" }
            ". Source of the threshold: " (words(&threshold.source)) "."
        }
        (DataTable::new(["attacker", "description", "“the risk is acceptable”"], rows).render("Risk by attacker"))
        @if !risk.counted_columns.is_empty() {
            p {
                "Rows were counted on " (words(&risk.counted_columns.join(", "))) "."
                @if !risk.other_columns.is_empty() {
                    " Not counted: " (words(&risk.other_columns.join(", ")))
                    ". The risk can be higher if an attacker knows their values."
                }
            }
        }
        @if let Some(chosen) = &risk.chosen { (chosen_attacker(chosen)) }
    }
}

/// For which attacker the policy was made, on which basis, and how much depends on the sampling fraction.
fn chosen_attacker(chosen: &ChosenAttacker) -> Markup {
    html! {
        p {
            "The policy was made for the " strong { (chosen.adversary.name()) } " attacker, who "
            (chosen.adversary.knows()) ". It asks for " (chosen.people) " matching people of the population per class. "
            (words(&chosen.basis))
        }
        @if let Some(figure) = svg::sampling_fraction::figure(chosen) { (figure.render()) }
    }
}
