//! Suppression by column: the share of cells that are `*`, as the range that is stated.

use crate::dossier::{Share, Utility};
use maud::html;

use super::{heading, label, line, rect, round_up};
use crate::numbers::trimmed;
use crate::picture::{DataTable, Picture, WIDTH, cell};
use crate::view::View;

const ROW: f64 = 38.0;

/// Nothing when no column tells how much of it is suppressed.
pub(crate) fn figure(view: &View<'_>, utility: &Utility) -> Option<Picture> {
    let mut columns: Vec<(&str, Share)> =
        utility.columns.iter().filter_map(|column| Some((column.column.as_str(), column.suppressed?))).collect();
    let ends = |share: Share| share.range().unwrap_or((0, 0));
    columns.sort_by_key(|(_, share)| std::cmp::Reverse(ends(*share)));
    let (worst, greatest) = *columns.first()?;
    let end = round_up(f64::from(ends(greatest).1) / 100.0);
    let wide = |percent: u8| f64::from(percent) / 100.0 / end * WIDTH;
    let foot = ROW * columns.len() as f64;
    let drawing = html! {
        @for (y, (column, share)) in (0..).map(|row| f64::from(row) * ROW).zip(&columns) {
            @let (from, to) = ends(*share);
            (heading(view, column, y, &share.to_string()))
            (rect(0.0, y + 19.0, WIDTH, 9.0, "track"))
            (rect(0.0, y + 19.0, wide(to), 9.0, "maybe"))
            (rect(0.0, y + 19.0, wide(from), 9.0, "bar"))
        }
        (line((0.0, foot + 2.0), (WIDTH, foot + 2.0), "axis"))
        (label(0.0, foot + 17.0, "tick", "0 %"))
        (label(WIDTH / 2.0, foot + 17.0, "tick middle", "light: upper limit"))
        (label(WIDTH, foot + 17.0, "tick end", &format!("{} %", trimmed(100.0 * end, 2))))
    };
    let rows = columns.iter().map(|(column, share)| [view.column(column), cell(share.to_string())]);
    Some(Picture {
        id: "picture-suppression",
        title: "Suppression by column".into(),
        sentence: html! {
            "Of " (view.column(worst)) ", " (greatest.to_string()) " of the cells are published as " code { "*" }
            " (any value). "
            "No other column has more."
        },
        description: format!(
            "Bars, one for each of {} columns, longest first; the largest is {greatest}.",
            columns.len()
        ),
        height: foot + 24.0,
        drawing,
        data: DataTable::new(["column", "cells suppressed"], rows),
    })
}
