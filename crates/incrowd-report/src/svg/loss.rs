//! Loss per column: bars on a common axis.

use crate::dossier::{ColumnUtility, Rounded, Utility};
use maud::html;

use super::{heading, label, line, rect, round_up};
use crate::numbers::trimmed;
use crate::picture::{DataTable, Picture, WIDTH, cell};
use crate::view::View;

const ROW: f64 = 38.0;

/// Nothing when no column has a loss.
pub(crate) fn figure(view: &View<'_>, utility: &Utility) -> Option<Picture> {
    let mut columns: Vec<(&ColumnUtility, Rounded)> =
        utility.columns.iter().filter_map(|column| Some((column, column.loss?))).collect();
    columns.sort_by(|a, b| b.1.value().total_cmp(&a.1.value()));
    let (worst, greatest) = *columns.first()?;
    let end = round_up(greatest.value());
    let wide = |loss: f64| loss / end * WIDTH;
    let mean = utility.loss.map(Rounded::value).filter(|mean| *mean <= end).map(wide);
    let foot = ROW * columns.len() as f64;
    let drawing = html! {
        @for (y, (column, loss)) in (0..).map(|row| f64::from(row) * ROW).zip(&columns) {
            (heading(view, &column.column, y, &loss.to_string()))
            (rect(0.0, y + 19.0, WIDTH, 9.0, "track"))
            (rect(0.0, y + 19.0, wide(loss.value()), 9.0, "bar"))
            @if let Some(mean) = mean { (line((mean, y + 16.0), (mean, y + 31.0), "mean")) }
        }
        (line((0.0, foot + 2.0), (WIDTH, foot + 2.0), "axis"))
        (label(0.0, foot + 17.0, "tick", "0"))
        (label(WIDTH, foot + 17.0, "tick end", &trimmed(end, 4)))
        @if mean.is_some() { (label(WIDTH / 2.0, foot + 17.0, "tick middle", "vertical line: mean over columns")) }
    };
    let rows = columns.iter().map(|(column, loss)| {
        let told =
            |share: Option<crate::dossier::Share>| cell(share.map_or_else(|| "–".into(), |share| share.to_string()));
        [view.column(&column.column), cell(loss.to_string()), told(column.unchanged)]
    });
    Some(Picture {
        id: "picture-loss",
        title: "Loss per column".into(),
        sentence: html! {
            (view.column(&worst.column)) " loses most: " (greatest.to_string())
                " (0 = no loss, 1 = all detail lost). A cell "
            "loses the share of the other values that it could stand for."
        },
        description: format!("Bars, one for each of {} columns, longest first, from {greatest} down.", columns.len()),
        height: foot + 24.0,
        drawing,
        data: DataTable::new(["column", "loss", "cells unchanged"], rows),
    })
}
