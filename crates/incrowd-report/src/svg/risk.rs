//! Risk before and after, on one axis with the threshold. Internal.

use crate::dossier::{Adversary, AdversaryRisk, Risk, ThresholdSide};
use maud::{Markup, html};

use super::{dot, label, line};
use crate::numbers::{chance, per_cent};
use crate::picture::{DataTable, Picture, WIDTH, cell};
use crate::text::capital;

const ROW: f64 = 40.0;

/// One measure of one attacker, before and after.
struct RiskPair {
    adversary: Adversary,
    measure: &'static str,
    before: Option<f64>,
    after: Option<f64>,
    /// Whether the threshold is about this measure.
    held: bool,
}

/// Nothing when there are no numbers.
pub(crate) fn figure(risk: &Risk) -> Option<Picture> {
    let pairs = pairs(risk);
    let first = pairs.iter().find(|pair| pair.held)?;
    let x = |share: f64| 7.0 + share.clamp(0.0, 1.0) * (WIDTH - 14.0);
    let foot = ROW * pairs.len() as f64;
    let limit = x(risk.threshold.value);
    let drawing = html! {
        @for (y, pair) in (0..).map(|row| f64::from(row) * ROW).zip(&pairs) {
            // Where it does not apply it is not drawn: a share of rows has no threshold.
            @if pair.held { (line((limit, y + 15.5), (limit, y + 33.0), "threshold")) }
            (row(pair, y, &x))
        }
        (line((0.0, foot + 2.0), (WIDTH, foot + 2.0), "axis"))
        (label(0.0, foot + 17.0, "tick", "0 %"))
        (label(WIDTH / 2.0, foot + 17.0, "tick middle", "hollow: before, filled: after, vertical line: threshold"))
        (label(WIDTH, foot + 17.0, "tick end", "100 %"))
    };
    let number = |share: Option<f64>| cell(share.map_or_else(|| "–".into(), chance));
    let rows = pairs
        .iter()
        .map(|pair| [cell(pair.adversary.name()), cell(pair.measure), number(pair.before), number(pair.after)]);
    let side = match risk.threshold.rule {
        ThresholdSide::AtMost => "is accepted",
        ThresholdSide::Below => "is not accepted",
    };
    Some(Picture {
        id: "picture-risk",
        title: "Risk before and after".into(),
        sentence: html! {
            "A " (first.adversary.name()) " " (first.adversary.knows()) ": the " (first.measure) " "
            @match (first.before, first.after) {
                (Some(before), Some(after)) => { "was " (chance(before)) " and is " (chance(after)) }
                (Some(only), None) | (None, Some(only)) => { "is " (chance(only)) }
                (None, None) => "is not known"
            }
            ". The threshold is " (per_cent(risk.threshold.value)) "; a risk equal to it " (side) "."
        },
        description: format!("{} lines from 0 to 100 %, each from the risk before to the risk after.", pairs.len()),
        height: foot + 24.0,
        drawing,
        data: DataTable::new(["attacker", "measure", "before", "after"], rows),
    })
}

fn pairs(risk: &Risk) -> Vec<RiskPair> {
    let of = |all: &[AdversaryRisk], adversary| all.iter().find(|risk| risk.adversary == adversary).copied();
    let mut pairs = Vec::new();
    for adversary in Adversary::ALL {
        let (before, after) = (of(&risk.before, adversary), of(&risk.after, adversary));
        let mut push = |measure, held, take: fn(&AdversaryRisk) -> Option<f64>| {
            let (before, after) = (before.as_ref().and_then(take), after.as_ref().and_then(take));
            if before.is_some() || after.is_some() {
                pairs.push(RiskPair { adversary, measure, before, after, held });
            }
        };
        let has_greatest = before.or(after).is_some_and(|risk| risk.max.is_some());
        push("maximum risk", true, |risk| risk.max);
        push("mean risk", !has_greatest, |risk| Some(risk.mean));
        push("share above the threshold", false, |risk| risk.above);
    }
    pairs
}

fn row(pair: &RiskPair, y: f64, x: &impl Fn(f64) -> f64) -> Markup {
    let short = |share: Option<f64>| share.map_or_else(|| "–".into(), per_cent);
    let middle = y + 24.0;
    html! {
        (label(0.0, y + 12.0, "name", &format!("{}, {}", capital(pair.adversary.name()), pair.measure)))
        (label(WIDTH, y + 12.0, "number end", &format!("{} → {}", short(pair.before), short(pair.after))))
        (line((0.0, middle), (WIDTH, middle), "grid"))
        @if let (Some(before), Some(after)) = (pair.before, pair.after) {
            (line((x(before), middle), (x(after), middle), "span"))
        }
        @if let Some(before) = pair.before { (dot(x(before), middle, 5.5, "before")) }
        @if let Some(after) = pair.after { (dot(x(after), middle, 5.5, "after")) }
    }
}
