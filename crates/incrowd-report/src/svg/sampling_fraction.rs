//! How the least class size of an estimate depends on the sampling fraction, which is rarely known exactly.

use maud::html;

use super::{at, dot, label, line};
use crate::dossier::{ChosenAttacker, LeastClassSize};
use crate::numbers::per_cent;
use crate::picture::{DataTable, Picture, WIDTH, cell};

const TOP: f64 = 16.0;
const BOTTOM: f64 = 176.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = WIDTH - 24.0;

/// Nothing when there are not at least two fractions.
pub(crate) fn figure(chosen: &ChosenAttacker) -> Option<Picture> {
    let mut points: Vec<LeastClassSize> =
        chosen.by_sampling_fraction.iter().copied().filter(|point| point.sampling_fraction > 0.0).collect();
    points.sort_by(|a, b| a.sampling_fraction.total_cmp(&b.sampling_fraction));
    let (first, last) = (*points.first()?, *points.last()?);
    if first.sampling_fraction >= last.sampling_fraction {
        return None;
    }
    let log = |point: &LeastClassSize| point.sampling_fraction.ln();
    let x = |point: &LeastClassSize| LEFT + (log(point) - log(&first)) / (log(&last) - log(&first)) * (RIGHT - LEFT);
    let end = points.iter().map(|point| point.k).max().unwrap_or(1).max(1) as f64;
    let y = |k: f64| BOTTOM - k / end * (BOTTOM - TOP);
    let path: Vec<String> = points.iter().map(|point| format!("{},{}", at(x(point)), at(y(point.k as f64)))).collect();
    let drawing = html! {
        @for value in [0.0, end] {
            (line((LEFT, y(value)), (RIGHT, y(value)), "grid"))
            (label(LEFT - 6.0, y(value) + 4.0, "tick end", &crate::numbers::trimmed(value, 0)))
        }
        polyline points=(path.join(" ")) class="curve" {}
        @for point in &points {
            (dot(x(point), y(point.k as f64), 3.5, "on-curve"))
            (label(x(point), BOTTOM + 17.0, "tick middle", &per_cent(point.sampling_fraction)))
        }
        (label(RIGHT, BOTTOM + 34.0, "tick end", "sampling fraction →"))
        (label(LEFT, BOTTOM + 34.0, "tick", "↑ least class size"))
    };
    let rows = points.iter().map(|point| [cell(per_cent(point.sampling_fraction)), cell(point.k.to_string())]);
    Some(Picture {
        id: "picture-sampling-fraction",
        title: "Least class size by sampling fraction".into(),
        sentence: html! {
            "If " (per_cent(first.sampling_fraction)) " of the population were in the table, classes of "
            (first.k) " would suffice; if " (per_cent(last.sampling_fraction)) " were, classes of " (last.k) "."
        },
        description: format!(
            "The least class size, from {} at a sampling fraction of {} to {} at {}, on a logarithmic axis.",
            first.k,
            per_cent(first.sampling_fraction),
            last.k,
            per_cent(last.sampling_fraction)
        ),
        height: BOTTOM + 42.0,
        drawing,
        data: DataTable::new(["sampling fraction", "least class size"], rows),
    })
}
