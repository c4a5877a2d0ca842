//! The column sets of danger: the smallest that are dangerous and the largest that are safe, as columns of dots. Every
//! set above a dangerous one is dangerous, every set below a safe one is safe, so these two borders say it for all.
//!
//! How many stand below k is drawn above each set, in the custodian's report only.

use crate::dossier::{ColumnSets, SetNumbers};
use incrowd_core::{counted, thousands};
use maud::{Markup, html};

use super::{badge, dot, label, line, rect};
use crate::picture::{DataTable, Picture, WIDTH, cell};
use crate::text::clip;
use crate::view::View;

const ROW: f64 = 22.0;
const LEFT: f64 = 152.0;
const BARS: f64 = 64.0;
/// Sets that are drawn; all of them stand in the data.
const MOST: usize = 9;

/// Nothing when no set is named.
pub(crate) fn figure(view: &View<'_>, sets: &ColumnSets) -> Option<Picture> {
    let mut dangerous: Vec<&Vec<String>> = sets.dangerous.iter().collect();
    dangerous.sort_by_key(|set| set.len());
    let mut safe: Vec<&Vec<String>> = sets.safe.iter().collect();
    safe.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let shown: Vec<(&Vec<String>, bool)> = dangerous.iter().take(MOST).map(|set| (*set, true)).collect();
    let shown: Vec<_> =
        shown.into_iter().chain(safe.iter().take(14 - dangerous.len().min(MOST)).map(|set| (*set, false))).collect();
    if shown.is_empty() {
        return None;
    }
    let columns = columns(&shown);
    let numbers = |set: &[String]| find(view, set);
    let most = shown.iter().filter_map(|(set, _)| numbers(set)).map(|set| set.rows_below_k).max();
    let top = if most.is_some() { BARS + 16.0 } else { 18.0 };
    let step = ((WIDTH - LEFT) / shown.len() as f64).min(34.0);
    let x = |at: usize| LEFT + step * (at as f64 + 0.5);
    let y = |column: &String| top + ROW * (columns.iter().position(|one| one == &column).unwrap_or(0) as f64 + 0.5);
    let foot = top + ROW * columns.len() as f64;
    let drawing = html! {
        @for (at, column) in columns.iter().enumerate() {
            @if at % 2 == 0 { (rect(0.0, y(column) - ROW / 2.0, WIDTH, ROW, "stripe")) }
            @if let Some(role) = view.role(column) { (badge(3.0, y(column) - 7.5, role)) }
            (label(24.0, y(column) + 4.0, "name", &clip(column, 16)))
        }
        @for (at, (set, is_dangerous)) in shown.iter().enumerate() {
            (chain(set, x(at), &y, *is_dangerous))
            @if let (Some(set), Some(most)) = (numbers(set), most) {
                @let height = BARS * (1.0 + set.rows_below_k as f64).ln() / (1.0 + most as f64).ln().max(1e-9);
                (rect(x(at) - 7.0, top - 4.0 - height, 14.0, height, "danger-bar"))
                (label(x(at), top - 7.0 - height, "tick small middle", &thousands(set.rows_below_k)))
            } @else {
                (label(x(at), top - 5.0, if *is_dangerous { "sign danger-sign" } else { "sign safe-sign" },
                    if *is_dangerous { "✕" } else { "✓" }))
            }
        }
        (dot(LEFT + 6.0, foot + 13.0, 5.0, "danger-dot"))
        (label(LEFT + 16.0, foot + 17.0, "tick", &format!("dangerous at k = {}", sets.k)))
        (dot(LEFT + 170.0, foot + 13.0, 5.0, "safe-dot"))
        (label(LEFT + 180.0, foot + 17.0, "tick", "safe"))
        @if most.is_some() { (label(0.0, 12.0, "tick", "in classes below k")) }
    };
    let smallest = dangerous.first();
    Some(Picture {
        id: "picture-lattice",
        title: "Dangerous column sets".into(),
        sentence: html! {
            @match smallest {
                Some(set) => {
                    (view.columns(set)) (if set.len() == 1 { " alone has" } else { " together have" })
                    " classes smaller than " (sets.k) ". Every superset of a dangerous set is dangerous; every subset "
                    "of a safe set is safe. "
                }
                None => "No dangerous set was found. "
            }
            (counted(sets.measured, "set was", "sets were")) " measured"
            @match &sets.not_searched[..] {
                [] if sets.complete => ", of every size.",
                [] => "; larger ones were not searched.",
                left => { "; " (left.join("; ")) "." }
            }
        },
        description: format!(
            "A grid of columns and sets: {} dangerous and {} safe; dots mark the columns of each set.",
            dangerous.len(),
            safe.len()
        ),
        height: foot + 24.0,
        drawing,
        data: data(view, sets),
    })
}

fn data(view: &View<'_>, sets: &ColumnSets) -> DataTable {
    let all = sets.dangerous.iter().map(|set| (set, "dangerous")).chain(sets.safe.iter().map(|set| (set, "safe")));
    if view.internal.is_none() {
        return DataTable::new(["columns", "verdict"], all.map(|(set, verdict)| [view.columns(set), cell(verdict)]));
    }
    let number = |set: &[String], take: fn(&SetNumbers) -> u64| {
        cell(find(view, set).map_or_else(|| "–".into(), |set| thousands(take(set))))
    };
    let rows = all.map(|(set, verdict)| {
        let told = [number(set, |set| set.k), number(set, |set| set.unique_rows), number(set, |set| set.rows_below_k)];
        let [k, alone, below] = told;
        [view.columns(set), cell(verdict), k, alone, below]
    });
    DataTable::new(["columns", "verdict", "k", "unique rows", "in classes below k"], rows)
}

/// The numbers of a set, in the custodian's report.
fn find<'a>(view: &View<'a>, set: &[String]) -> Option<&'a SetNumbers> {
    view.internal?.dangerous_sets.iter().find(|known| known.columns == set)
}

/// Every column of the sets, the most frequent first.
fn columns<'a>(shown: &[(&'a Vec<String>, bool)]) -> Vec<&'a String> {
    let mut columns: Vec<(&String, usize)> = Vec::new();
    for column in shown.iter().flat_map(|(set, _)| *set) {
        match columns.iter_mut().find(|(known, _)| *known == column) {
            Some(known) => known.1 += 1,
            None => columns.push((column, 1)),
        }
    }
    columns.sort_by_key(|(_, sets)| std::cmp::Reverse(*sets));
    columns.into_iter().map(|(column, _)| column).collect()
}

/// The dots of one set, tied together.
fn chain(set: &[String], x: f64, y: &impl Fn(&String) -> f64, is_dangerous: bool) -> Markup {
    let ends = set.iter().map(y).fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
    let class = if is_dangerous { "danger-line" } else { "safe-line" };
    html! {
        @if set.len() > 1 { (line((x, ends.0), (x, ends.1), class)) }
        @for column in set { (dot(x, y(column), 5.0, if is_dangerous { "danger-dot" } else { "safe-dot" })) }
    }
}
