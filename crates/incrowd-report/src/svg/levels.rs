//! Level used per column: one bar of all rows for each column, cut by the level on which they publish it.

use crate::dossier::{ColumnUtility, LevelShare, Utility};
use maud::{Markup, html};

use super::{heading, label, rect};
use crate::picture::{DataTable, Picture, WIDTH, cell};
use crate::text::plain;
use crate::view::View;

const ROW: f64 = 44.0;

/// Nothing when no column has levels.
pub(crate) fn figure(view: &View<'_>, utility: &Utility) -> Option<Picture> {
    let columns: Vec<&ColumnUtility> = utility.columns.iter().filter(|column| !column.levels.is_empty()).collect();
    let first = columns.first()?;
    let foot = ROW * columns.len() as f64;
    let drawing = html! {
        @for (y, column) in (0..).map(|row| f64::from(row) * ROW).zip(&columns) {
            (heading(view, &column.column, y, &told(column)))
            (bar(&column.levels, y + 19.0))
        }
        (label(0.0, foot + 11.0, "tick", "unchanged"))
        @for step in 0..6 { (rect(70.0 + 22.0 * step as f64, foot + 2.0, 22.0, 11.0, shade(step, 5))) }
        (label(210.0, foot + 11.0, "tick", "any value"))
    };
    let rows = columns.iter().flat_map(|column| {
        column.levels.iter().map(|level| {
            [
                view.column(&column.column),
                cell(level.level.to_string()),
                cell(name(level)),
                cell(level.share.to_string()),
            ]
        })
    });
    Some(Picture {
        id: "picture-levels",
        title: "Generalization level per column".into(),
        sentence: html! {
            "Each bar shows all published rows; darker means more generalized. Of "
            (view.column(&first.column)) ", " (told(first)) ". Shares are rounded separately."
        },
        description: format!(
            "Stacked bars, one for each of {} columns, from the value itself at the left to any value at the right.",
            columns.len()
        ),
        height: foot + 20.0,
        drawing,
        data: DataTable::new(["column", "level", "meaning", "share of rows"], rows),
    })
}

/// What stands beside the column's name.
fn told(column: &ColumnUtility) -> String {
    match column.levels.first() {
        Some(level) => format!("{} unchanged", level.share),
        None => String::new(),
    }
}

fn name(level: &LevelShare) -> String {
    match (&level.name, level.level) {
        (Some(name), _) => plain(name),
        (None, 0) => "the value itself".into(),
        (None, level) => format!("{level} above the value"),
    }
}

/// The shade of a level, of this many levels.
fn shade(level: usize, last: usize) -> &'static str {
    const SHADES: [&str; 6] = ["level l0", "level l1", "level l2", "level l3", "level l4", "level l5"];
    SHADES[(5 * level).div_ceil(last.max(1)).min(5)]
}

fn bar(levels: &[LevelShare], y: f64) -> Markup {
    // A small part is drawn as half a per cent: there, and not to be measured.
    let widths: Vec<f64> = levels.iter().map(|level| level.share.middle().max(0.005)).collect();
    let whole: f64 = widths.iter().sum();
    let starts = widths.iter().scan(0.0, |start, width| {
        *start += width;
        Some((*start - width) / whole)
    });
    let untold = levels.iter().all(|level| level.share.range().is_none());
    html! {
        @if untold {
            (rect(0.0, y, WIDTH, 14.0, "track"))
            (label(6.0, y + 11.0, "tick", "not shown: the table is too small"))
        } @else {
            @for (at, (start, width)) in starts.zip(&widths).enumerate() {
                (rect(start * WIDTH, y, width / whole * WIDTH, 14.0, shade(at, levels.len() - 1)))
            }
        }
    }
}
