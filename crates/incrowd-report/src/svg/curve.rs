//! The loss–k curve with the bound: what stronger promises would have cost.

use crate::dossier::{LossAtK, Rounded, Utility};
use maud::html;

use super::{at, dot, label, line, round_up};
use crate::picture::{DataTable, Picture, WIDTH, cell};
use crate::text::words;

const TOP: f64 = 16.0;
const BOTTOM: f64 = 226.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = WIDTH - 16.0;

/// Nothing when there are not at least two points.
pub(crate) fn figure(utility: &Utility) -> Option<Picture> {
    let mut points: Vec<&LossAtK> = utility.curve.iter().filter(|point| point.k > 0).collect();
    points.sort_by_key(|point| point.k);
    let (first, last) = (*points.first()?, *points.last()?);
    if first.k == last.k {
        return None;
    }
    let own = utility.k.zip(utility.loss).filter(|(k, _)| (first.k..=last.k).contains(k));
    let greatest = points.iter().map(|point| point.loss.value().max(point.bound.map_or(0.0, Rounded::value)));
    let greatest = greatest.chain(own.map(|(_, loss)| loss.value()));
    let end = round_up(greatest.fold(0.0, f64::max));
    let log = |k: u64| (k as f64).ln();
    let x = |k: u64| LEFT + (log(k) - log(first.k)) / (log(last.k) - log(first.k)) * (RIGHT - LEFT);
    let y = |loss: f64| BOTTOM - loss / end * (BOTTOM - TOP);
    let path =
        |ends: Vec<(f64, f64)>| ends.iter().map(|&(x, y)| format!("{},{}", at(x), at(y))).collect::<Vec<_>>().join(" ");
    let loss: Vec<(f64, f64)> = points.iter().map(|point| (x(point.k), y(point.loss.value()))).collect();
    let bound: Vec<(f64, f64)> =
        points.iter().filter_map(|point| Some((x(point.k), y(point.bound?.value())))).collect();
    let between: Vec<(f64, f64)> = loss.iter().copied().chain(bound.iter().rev().copied()).collect();
    let drawing = html! {
        @for step in 0..=4 {
            @let value = end * f64::from(step) / 4.0;
            (line((LEFT, y(value)), (RIGHT, y(value)), "grid"))
            (label(LEFT - 6.0, y(value) + 4.0, "tick end", &crate::numbers::trimmed(value, 4)))
        }
        @if bound.len() == loss.len() { polygon points=(path(between)) class="room" {} }
        @if !bound.is_empty() { polyline points=(path(bound.clone())) class="bound" {} }
        polyline points=(path(loss.clone())) class="curve" {}
        @for point in &points {
            (dot(x(point.k), y(point.loss.value()), 3.5, "on-curve"))
            (label(x(point.k), BOTTOM + 17.0, "tick middle", &point.k.to_string()))
        }
        @if let Some((x, y)) = own.map(|(k, loss)| (x(k), y(loss.value()))) {
            // A release that is better than the curve has room below it, another one above.
            @let below = loss.iter().any(|point| (point.0 - x).abs() < 0.5 && y > point.1 + 1.0);
            @let left = !below && x > LEFT + 90.0 || x > RIGHT - 90.0;
            (line((x, y), (x, BOTTOM), "guide"))
            (dot(x, y, 6.0, "chosen"))
            (label(x + if left { -10.0 } else { 10.0 }, if below { y + 14.0 } else { y - 12.0 },
                if left { "name end" } else { "name" }, "this release"))
        }
        (label(RIGHT, BOTTOM + 34.0, "tick end", "k (minimum class size) →"))
        (line((LEFT, BOTTOM + 30.0), (LEFT + 22.0, BOTTOM + 30.0), "curve"))
        (label(LEFT + 28.0, BOTTOM + 34.0, "tick", "loss"))
        @if !bound.is_empty() {
            (line((LEFT + 64.0, BOTTOM + 30.0), (LEFT + 86.0, BOTTOM + 30.0), "bound"))
            (label(LEFT + 92.0, BOTTOM + 34.0, "tick", "bound"))
        }
    };
    let rows = points.iter().map(|point| {
        let bound = point.bound.map_or_else(|| "–".into(), |bound| bound.to_string());
        [cell(point.k.to_string()), cell(point.loss.to_string()), cell(bound)]
    });
    Some(Picture {
        id: "picture-curve",
        title: "Loss against k, with the bound".into(),
        sentence: html! {
            "With k = " (first.k) " the loss is " (first.loss.to_string()) "; with k = " (last.k) " it is "
            (last.loss.to_string()) ". "
            @if bound.is_empty() { "No lower bound was computed." }
            @else { "The dashed line is a lower bound: no release with these promises and hierarchies is below it"
                @if bound.len() == loss.len() { "; another algorithm can gain at most the shaded area" } "." }
            @if let Some(by) = &utility.curve_by { " " (words(by)) }
        },
        description: format!(
            "A curve of loss from {} at k = {} to {} at k = {}, on a logarithmic axis of k, and the bound below it.",
            first.loss, first.k, last.loss, last.k
        ),
        height: BOTTOM + 42.0,
        drawing,
        data: DataTable::new(["k", "loss", "bound"], rows),
    })
}
