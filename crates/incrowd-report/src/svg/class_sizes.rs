//! Class sizes before and after, in steps that double. Internal.

use incrowd_core::{ClassSizes, thousands};
use maud::{Markup, html};

use super::{label, line, rect, round_up};
use crate::numbers::per_cent;
use crate::picture::{DataTable, Picture, WIDTH, cell};

const TOP: f64 = 22.0;
const BOTTOM: f64 = 190.0;
const LEFT: f64 = 40.0;
/// Up to this many steps both ends can be written without touching each other.
const MOST_RANGES: usize = 7;
/// Beyond this many steps the largest are one.
const MOST_STEPS: usize = 11;

/// Nothing when neither is known.
pub(crate) fn figure(before: Option<&ClassSizes>, after: Option<&ClassSizes>, counted: &str) -> Option<Picture> {
    let largest = [before, after].into_iter().flatten().filter_map(|sizes| sizes.histogram().last()).map(|last| last.0);
    let steps = (largest.max()?.max(1).ilog2() as usize + 1).min(MOST_STEPS);
    let spread = |sizes: Option<&ClassSizes>| sizes.map(|sizes| by_step(sizes, steps));
    let bars = Bars { steps, before: spread(before), after: spread(after) };
    let alone = |sizes: &ClassSizes| thousands(sizes.unique());
    let smallest = |sizes: &ClassSizes| thousands(sizes.k());
    let title = if before.is_some() && after.is_some() { "Class sizes before and after" } else { "Class sizes" };
    Some(Picture {
        id: "picture-classes",
        title: title.into(),
        sentence: html! {
            @if let (Some(before), Some(after)) = (before, after) {
                "Unique before: " (alone(before)) ", after: " (alone(after)) ". The smallest class had "
                (smallest(before)) ", and has " (smallest(after)) "."
            } @else if let Some(only) = before.or(after) {
                "Unique: " (alone(only)) ". The smallest class has " (smallest(only)) "."
            }
            " Bars show shares of " (counted) " by the size of their class."
        },
        description: format!("Bars for {steps} steps of class sizes, each step twice as large as the last."),
        height: BOTTOM + 44.0,
        drawing: bars.drawing(),
        data: bars.data(),
    })
}

/// The bars of the picture: class sizes before and after, as far as they are known.
struct Bars {
    steps: usize,
    before: Option<Vec<SizeBar>>,
    after: Option<Vec<SizeBar>>,
}

impl Bars {
    fn drawing(&self) -> Markup {
        let Bars { steps, before, after } = self;
        let shares = before.iter().chain(after).flatten().map(|step| step.share);
        let end = round_up(shares.fold(0.0, f64::max)).min(1.0);
        let room = (WIDTH - LEFT) / *steps as f64;
        let bar = (room * 0.4).min(20.0);
        let y = |share: f64| BOTTOM - share / end * (BOTTOM - TOP);
        let key = match (before, after) {
            (Some(_), Some(_)) => vec![(LEFT, "bar-before", "before"), (LEFT + 70.0, "bar", "after")],
            _ => Vec::new(),
        };
        html! {
            @for step in 0..=4 {
                @let share = end * f64::from(step) / 4.0;
                (line((LEFT, y(share)), (WIDTH, y(share)), "grid"))
                (label(LEFT - 6.0, y(share) + 4.0, "tick end", &per_cent(share)))
            }
            @for at in 0..*steps {
                @let x = LEFT + room * (at as f64 + 0.5);
                @if let Some(step) = before.as_ref().map(|steps| &steps[at]) {
                    (rect(x - bar, y(step.share), bar, BOTTOM - y(step.share), "bar-before"))
                }
                @if let Some(step) = after.as_ref().map(|steps| &steps[at]) {
                    (rect(x, y(step.share), bar, BOTTOM - y(step.share), "bar"))
                }
                (label(x, BOTTOM + 16.0, "tick small middle", &short_name(at, *steps)))
            }
            (line((LEFT, BOTTOM), (WIDTH, BOTTOM), "axis"))
            @for (x, class, text) in key {
                (rect(x, BOTTOM + 26.0, 12.0, 10.0, class))
                (label(x + 18.0, BOTTOM + 35.0, "tick", text))
            }
            (label(WIDTH, BOTTOM + 35.0, "tick end",
                if *steps > MOST_RANGES { "size of the class, from →" } else { "size of the class →" }))
        }
    }

    fn data(&self) -> DataTable {
        let told = |steps: &[SizeBar], at: usize| {
            let SizeBar { classes, rows, share } = steps[at];
            let classes = incrowd_core::counted(classes, "class", "classes");
            cell(format!("{} in {classes} ({})", thousands(rows), per_cent(share)))
        };
        let names = (0..self.steps).map(|at| cell(name(at, self.steps)));
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                let rows = names.zip(0..).map(|(name, at)| [name, told(before, at), told(after, at)]);
                DataTable::new(["size of the class", "before", "after"], rows)
            }
            (known, other) => {
                let known = known.as_ref().or(other.as_ref()).map(Vec::as_slice).unwrap_or_default();
                let rows = names.zip(0..known.len()).map(|(name, at)| [name, told(known, at)]);
                DataTable::new(["size of the class", "how many"], rows)
            }
        }
    }
}

/// Classes of similar size.
#[derive(Clone, Copy, Default)]
struct SizeBar {
    classes: u64,
    rows: u64,
    share: f64,
}

fn by_step(sizes: &ClassSizes, steps: usize) -> Vec<SizeBar> {
    let mut found = vec![SizeBar::default(); steps];
    for &(size, classes) in sizes.histogram().iter().filter(|(size, _)| *size > 0) {
        let step = &mut found[(size.ilog2() as usize).min(steps - 1)];
        (step.classes, step.rows) = (step.classes + classes, step.rows + size * classes);
    }
    let total = sizes.total().max(1) as f64;
    found.iter_mut().for_each(|step| step.share = step.rows as f64 / total);
    found
}

/// The sizes of a step as there is room for them: among many steps, the least of each.
fn short_name(step: usize, steps: usize) -> String {
    match steps > MOST_RANGES {
        true if steps == MOST_STEPS && step + 1 == steps => name(step, steps),
        true => (1u64 << step).to_string(),
        false => name(step, steps),
    }
}

/// The sizes of a step.
fn name(step: usize, steps: usize) -> String {
    let from = 1u64 << step;
    match from {
        1 => "1".into(),
        _ if step + 1 == steps && steps == MOST_STEPS => format!("{from}+"),
        _ => format!("{from}–{}", 2 * from - 1),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_largest_classes_share_the_last_step() {
        let sizes = ClassSizes::from_sizes([1, 1, 3, 5_000, 9_000_000]);
        let figure = figure(Some(&sizes), None, "rows").unwrap();
        let data = figure.render().into_string();
        assert!(
            data.contains("2 in 2 classes") && data.contains("1024+") && data.contains("9,005,000 in 2 classes"),
            "{data}"
        );
    }
}
