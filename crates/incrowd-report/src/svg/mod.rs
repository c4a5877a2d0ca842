//! The pictures, one file each: pure functions from numbers of the dossier to a [`Picture`](crate::picture::Picture).
//!
//! Drawings are 440 wide, so that their text can be read at the width of a telephone; what a label cannot hold there
//! stands in the data below. Colours are classes of the style sheet, so that dark pages and paper have their own.

pub(crate) mod attacks;
pub(crate) mod class_sizes;
pub(crate) mod curve;
pub(crate) mod lattice;
pub(crate) mod layers;
pub(crate) mod levels;
pub(crate) mod loss;
pub(crate) mod queries;
pub(crate) mod risk;
pub(crate) mod sampling_fraction;
pub(crate) mod suppression;

use incrowd_core::Role;
use maud::{Markup, html};

use crate::picture::WIDTH;
use crate::style::role_class;
use crate::text::clip;
use crate::view::View;

/// A coordinate with one decimal: enough for a pixel, and the same on every machine.
fn at(value: f64) -> String {
    let digits = format!("{value:.1}");
    digits.strip_suffix(".0").map(String::from).unwrap_or(digits)
}

/// A text; `class` says its size and place.
fn label(x: f64, y: f64, class: &str, text: &str) -> Markup {
    html! { text x=(at(x)) y=(at(y)) class=(class) { (text) } }
}

/// A rectangle.
fn rect(x: f64, y: f64, width: f64, height: f64, class: &str) -> Markup {
    html! { rect x=(at(x)) y=(at(y)) width=(at(width.max(0.0))) height=(at(height.max(0.0))) class=(class) {} }
}

/// A line.
fn line(from: (f64, f64), to: (f64, f64), class: &str) -> Markup {
    html! { line x1=(at(from.0)) y1=(at(from.1)) x2=(at(to.0)) y2=(at(to.1)) class=(class) {} }
}

/// A dot.
fn dot(x: f64, y: f64, radius: f64, class: &str) -> Markup {
    html! { circle cx=(at(x)) cy=(at(y)) r=(at(radius)) class=(class) {} }
}

/// The badge of a role, its upper left corner at a point.
fn badge(x: f64, y: f64, role: Role) -> Markup {
    html! {
        rect x=(at(x)) y=(at(y)) width="15" height="15" rx="3" class={ "badge-box " (role_class(role)) } {}
        text x=(at(x + 7.5)) y=(at(y + 11.5)) class={ "badge-letter " (role_class(role)) } { (role.letter()) }
    }
}

/// The line above a bar: badge and name of a column at the left, what is said of it at the right.
fn heading(view: &View<'_>, column: &str, y: f64, told: &str) -> Markup {
    let role = view.role(column);
    html! {
        @if let Some(role) = role { (badge(0.0, y, role)) }
        (label(if role.is_some() { 21.0 } else { 0.0 }, y + 12.0, "name", &clip(column, 30)))
        (label(WIDTH, y + 12.0, "number end", told))
    }
}

/// The least round number that is not below the value: the end of an axis.
fn round_up(value: f64) -> f64 {
    if value.is_nan() || value <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    // A quarter of each is a short number too: axes have four lines.
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|end| *end >= value * 0.999_999).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_at_a_round_number_that_holds_the_value() {
        assert_eq!([0.094, 0.19, 1.0, 3.5, 0.0, f64::NAN].map(round_up), [0.1, 0.2, 1.0, 4.0, 1.0, 1.0]);
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([1.0, 0.26, 439.96].map(at), ["1", "0.3", "440"]);
    }
}
