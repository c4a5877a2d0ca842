//! Small steps: rows move to another class, and a class is dissolved into others.
//!
//! A step is taken when the loss of the classes it touches falls and all of them keep the policy. Where rows may go is
//! read from the index: classes whose cells hold them in all but two quasi-identifiers.

use super::classes::{PointClass, PointClasses, RefineContext};
use crate::solver::PointRows;
use crate::solver::clock::did;
use crate::solver::effort::WorkCounter;

/// A step must gain more than this, so that rounding never makes steps go in a circle.
pub(super) const LEAST_GAIN: f64 = 1e-9;

/// In how many quasi-identifiers a class may miss a point that is to join it.
const MISSES: usize = 2;

/// Moves rows and dissolves classes until no step gains, beginning with the classes that changed. Whether the time was
/// over or the effort spent before.
pub(super) fn descend(context: &RefineContext<'_, '_>, classes: &mut PointClasses, work: &mut WorkCounter<'_>) -> bool {
    loop {
        let todo = classes.take_changed();
        if todo.is_empty() {
            return false;
        }
        for place in todo {
            if work.is_over() {
                return true;
            }
            loop {
                let loses = classes.get(place).loss() > 0.0;
                // Each member looks for the nearest classes, and so it does when the class is dissolved.
                work.spend(if loses { classes.get(place).members.len() as u64 * classes.search_work() } else { 1 });
                if !loses || work.is_late() || !move_one(context, classes, place, work) {
                    break;
                }
            }
            if classes.get(place).loss() > 0.0 {
                dissolve(context, classes, place, work);
            }
        }
    }
}

/// Rows of a point that go from one class to another.
struct RowMove {
    gain: f64,
    member: PointRows,
    to: usize,
}

/// Takes the best step that moves rows of one point out of a class; none when the time is over.
fn move_one(
    context: &RefineContext<'_, '_>,
    classes: &mut PointClasses,
    place: usize,
    work: &mut WorkCounter<'_>,
) -> bool {
    let class = classes.get(place);
    let without = CellsWithout::new(context, class);
    let mut best: Option<RowMove> = None;
    for (at, &(point, rows)) in class.members.iter().enumerate() {
        let mut tried = 0;
        did(classes.places());
        if work.is_late() {
            return false;
        }
        // All rows of the point, as many as can be done without, or one.
        for moved in [rows, class.rows.saturating_sub(context.judge.least()).min(rows), 1] {
            let left = class.rows - moved;
            if moved == 0 || moved == tried || left < context.judge.least() {
                continue;
            }
            tried = moved;
            let price = if moved == rows { without.price(context, at) } else { class.price };
            let saved = class.loss() - left as f64 * price;
            let least = best.as_ref().map_or(LEAST_GAIN, |best| best.gain);
            let Some((cost, to)) = cheapest(context, classes, (point, moved), saved - least, &[place]) else {
                continue;
            };
            if allowed(context, classes, (place, to), (point, moved), work) {
                best = Some(RowMove { gain: saved - cost, member: (point, moved), to });
            }
        }
    }
    let Some(step) = best else { return false };
    let left = class.without(context, step.member);
    let grown = classes.get(step.to).with(context, step.member);
    classes.set(context, place, left);
    classes.set(context, step.to, grown);
    true
}

/// Whether both classes keep the policy when rows go from one to the other.
fn allowed(
    context: &RefineContext<'_, '_>,
    classes: &PointClasses,
    (from, to): (usize, usize),
    (point, moved): PointRows,
    work: &mut WorkCounter<'_>,
) -> bool {
    if context.judge.only_counts_rows() {
        return true;
    }
    let (from, to) = (classes.get(from), classes.get(to));
    work.spend((from.members.len() + to.members.len()) as u64);
    let left = from.members.iter().map(|&(other, rows)| (other, if other == point { rows - moved } else { rows }));
    let grown = to.members.iter().copied().chain([(point, moved)]);
    context.judge.holds(&context.points, left, from.rows - moved)
        && context.judge.holds(&context.points, grown, to.rows + moved)
}

/// The class whose loss grows least when rows join it, by less than `limit`, and by how much it grows.
pub(super) fn cheapest(
    context: &RefineContext<'_, '_>,
    classes: &PointClasses,
    (point, rows): PointRows,
    limit: f64,
    except: &[usize],
) -> Option<(f64, usize)> {
    let (mut least, mut to) = (limit, None);
    classes.near(point, MISSES, |place, class| {
        // The rows that join lose at least what they lose alone, so a price above this can be given up.
        let grown = class.loss_with(context, point, rows, least / rows as f64) - class.loss();
        if grown < least && !except.contains(&place) {
            (least, to) = (grown, Some(place));
        }
    });
    to.map(|to| (least, to))
}

/// The cells of a class without each of its members: joined from both ends.
struct CellsWithout {
    width: usize,
    before: Vec<u64>,
    after: Vec<u64>,
    count: usize,
}

impl CellsWithout {
    fn new(context: &RefineContext<'_, '_>, class: &PointClass) -> Self {
        let (count, width) = (class.members.len(), class.nodes.len());
        let leaves = |at: usize| context.points.leaves(class.members[at].0);
        let mut before: Vec<u64> = Vec::with_capacity(count * width);
        let mut after = vec![0; count * width];
        for at in 0..count {
            before.extend_from_slice(leaves(at));
            if at > 0 {
                let (done, new) = before.split_at_mut(at * width);
                context.space.widen(new, &done[(at - 1) * width..]);
            }
        }
        for at in (0..count).rev() {
            let (new, done) = after.split_at_mut((at + 1) * width);
            let new = &mut new[at * width..];
            new.copy_from_slice(leaves(at));
            if at + 1 < count {
                context.space.widen(new, &done[..width]);
            }
        }
        CellsWithout { width, before, after, count }
    }

    /// What a row loses in the class without a member.
    fn price(&self, context: &RefineContext<'_, '_>, at: usize) -> f64 {
        let before = |at: usize| &self.before[at * self.width..][..self.width];
        let after = |at: usize| &self.after[at * self.width..][..self.width];
        match (at.checked_sub(1), at + 1 < self.count) {
            (None, false) => 0.0,
            (None, true) => context.space.row_price(after(at + 1)),
            (Some(last), false) => context.space.row_price(before(last)),
            (Some(last), true) => context.space.widened_price(before(last), after(at + 1), f64::INFINITY),
        }
    }
}

/// Dissolves a class if its rows lose less in other classes, each point in the one that grows least.
fn dissolve(
    context: &RefineContext<'_, '_>,
    classes: &mut PointClasses,
    place: usize,
    work: &mut WorkCounter<'_>,
) -> bool {
    let class = classes.get(place);
    let mut limit = class.loss() - LEAST_GAIN;
    let mut grown: Vec<(usize, PointClass)> = Vec::new();
    for &(point, rows) in &class.members {
        did(classes.places());
        if work.is_late() {
            return false;
        }
        let except: Vec<usize> = grown.iter().map(|grown| grown.0).chain([place]).collect();
        let elsewhere = cheapest(context, classes, (point, rows), limit, &except);
        let among = grown
            .iter()
            .enumerate()
            .map(|(at, (_, class))| (class.loss_with(context, point, rows, limit / rows as f64) - class.loss(), at));
        let among = among.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|among| among.0 < limit);
        let cost = match (elsewhere, among) {
            (Some((cost, to)), among) if among.is_none_or(|among| cost < among.0) => {
                grown.push((to, classes.get(to).with(context, (point, rows))));
                cost
            }
            (_, Some((cost, at))) => {
                grown[at].1 = grown[at].1.with(context, (point, rows));
                cost
            }
            _ => return false,
        };
        limit -= cost;
    }
    if !context.judge.only_counts_rows() {
        work.spend(grown.iter().map(|(_, class)| class.members.len() as u64).sum());
        if !grown.iter().all(|(_, class)| context.holds(class)) {
            return false;
        }
    }
    classes.set(context, place, PointClass::default());
    grown.into_iter().for_each(|(to, class)| classes.set(context, to, class));
    true
}
