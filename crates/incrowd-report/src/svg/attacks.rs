//! The attacks: success with its interval, next to the baseline without the attack. Internal.

use incrowd_core::Outcome;
use maud::html;

use super::{dot, label, line};
use crate::numbers::{per_cent, spoken};
use crate::picture::{DataTable, Picture, WIDTH, cell};
use crate::text::{capital, clip, name};
use crate::view::View;

const ROW: f64 = 42.0;

/// Nothing when no attack was run.
pub(crate) fn figure(view: &View<'_>, outcomes: &[Outcome]) -> Option<Picture> {
    let gain = |outcome: &Outcome| outcome.success - outcome.baseline;
    let worst = outcomes.iter().max_by(|a, b| gain(a).total_cmp(&gain(b)))?;
    let x = |share: f64| 7.0 + share.clamp(0.0, 1.0) * (WIDTH - 14.0);
    let foot = ROW * outcomes.len() as f64;
    let title = |outcome: &Outcome| match outcome.column.as_str() {
        "" => capital(&spoken(&outcome.attack)),
        column => format!("{} of {column}", capital(&spoken(&outcome.attack))),
    };
    let drawing = html! {
        @for (y, outcome) in (0..).map(|row| f64::from(row) * ROW).zip(outcomes) {
            @let middle = y + 25.0;
            (label(0.0, y + 12.0, "name", &clip(&title(outcome), 36)))
            (label(WIDTH, y + 12.0, "number end", &format!("{} against {}", per_cent(outcome.success),
                per_cent(outcome.baseline))))
            (line((0.0, middle), (WIDTH, middle), "grid"))
            (line((x(outcome.low), middle), (x(outcome.high), middle), "interval"))
            (line((x(outcome.baseline), middle - 8.0), (x(outcome.baseline), middle + 8.0), "baseline"))
            (dot(x(outcome.success), middle, 5.0, if outcome.low > outcome.baseline { "danger-dot" } else { "after" }))
        }
        (line((0.0, foot + 2.0), (WIDTH, foot + 2.0), "axis"))
        (label(0.0, foot + 17.0, "tick", "0 %"))
        (label(WIDTH / 2.0, foot + 17.0, "tick middle", "dot: success, vertical line: baseline"))
        (label(WIDTH, foot + 17.0, "tick end", "100 %"))
    };
    let rows = outcomes.iter().map(|outcome| {
        let column = if outcome.column.is_empty() { cell("–") } else { view.column(&outcome.column) };
        let interval = format!("{} to {}", per_cent(outcome.low), per_cent(outcome.high));
        let rows = format!("{} ({})", incrowd_core::thousands(outcome.rows), per_cent(outcome.sampled));
        [
            name(&outcome.attack),
            column,
            cell(per_cent(outcome.success)),
            cell(interval),
            cell(per_cent(outcome.baseline)),
            cell(rows),
        ]
    });
    Some(Picture {
        id: "picture-attacks",
        title: "Attack results".into(),
        sentence: html! {
            "The attack " (name(&worst.attack)) " gains most over its baseline: right about " (per_cent(worst.success))
            " of the rows, against "
            (per_cent(worst.baseline)) " without it."
        },
        description: format!(
            "A line from 0 to 100 % for each of {} attacks, with success and baseline marked.",
            outcomes.len()
        ),
        height: foot + 24.0,
        drawing,
        data: DataTable::new(["attack", "column", "success", "95 % interval", "baseline", "rows (share of all)"], rows),
    })
}
