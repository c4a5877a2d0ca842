//! Query error: how far answers from the release are from those of the original.

use crate::dossier::{EstimatorErrors, Queries};
use maud::html;

use super::{dot, label, line, round_up};
use crate::numbers::{per_cent, trimmed};
use crate::picture::{DataTable, Picture, WIDTH, cell};
use crate::text::{clip, name, words};

const ROW: f64 = 44.0;

/// Nothing when no estimator answered.
pub(crate) fn figure(queries: &Queries) -> Option<Picture> {
    let best = queries.errors.iter().min_by(|a, b| a.median.value().total_cmp(&b.median.value()))?;
    let greatest = queries.errors.iter().map(|error| error.mean.value().max(error.median.value())).fold(0.0, f64::max);
    let end = round_up(greatest);
    let wide = |error: f64| 6.0 + error / end * (WIDTH - 12.0);
    let foot = ROW * queries.errors.len() as f64;
    let told = |error: &EstimatorErrors| {
        format!("{} median, {} mean", per_cent(error.median.value()), per_cent(error.mean.value()))
    };
    let drawing = html! {
        @for (y, error) in (0..).map(|row| f64::from(row) * ROW).zip(&queries.errors) {
            (label(0.0, y + 12.0, "name", &clip(&error.estimator, 30)))
            (label(WIDTH, y + 12.0, "number end", &told(error)))
            (line((0.0, y + 25.0), (WIDTH, y + 25.0), "grid"))
            (line((wide(error.median.value()), y + 25.0), (wide(error.mean.value()), y + 25.0), "span"))
            (dot(wide(error.median.value()), y + 25.0, 5.5, "after"))
            (dot(wide(error.mean.value()), y + 25.0, 5.5, "before"))
        }
        (line((0.0, foot + 2.0), (WIDTH, foot + 2.0), "axis"))
        (label(0.0, foot + 17.0, "tick", "0 %"))
        (label(WIDTH / 2.0, foot + 17.0, "tick middle", "filled: median, hollow: mean"))
        (label(WIDTH, foot + 17.0, "tick end", &format!("{} %", trimmed(100.0 * end, 1))))
    };
    let rows = queries.errors.iter().map(|error| {
        [name(&error.estimator), cell(per_cent(error.median.value())), cell(per_cent(error.mean.value()))]
    });
    Some(Picture {
        id: "picture-queries",
        title: "Query error".into(),
        sentence: html! {
            "Of " (incrowd_core::thousands(queries.asked)) " random queries, half are answered from the release "
            "with an error of at most "
            (per_cent(best.median.value())) @if queries.errors.len() > 1 { " by the better estimator" } ". "
            (words(&queries.about))
        },
        description: format!(
            "A line for each of {} estimators with a dot for the median and one for the mean.",
            queries.errors.len()
        ),
        height: foot + 24.0,
        drawing,
        data: DataTable::new(["estimator", "median relative error", "mean relative error"], rows),
    })
}
