//! What classes reveal about sensitive columns, and which parameters of which model they meet.

use incrowd::core::{TightestParameters, percent};
use incrowd::{counted, thousands};

use crate::printer::{Printer, plain};

/// Every figure, column by column, with the parameters that hold; of people, or of rows.
pub(crate) fn print(printer: &mut Printer, sensitive: &[TightestParameters], people: bool) {
    for found in sensitive {
        printer.line("");
        let values = counted(found.values, "distinct value", "distinct values");
        let title = format!("{} ({values}), in the worst class", plain(&found.column));
        printer.line(printer.bold(&title));
        if found.people_with_several_values > 0 {
            printer.hanging("  ", &several(found), 2);
        }
        let head = ["  MEASURE", "FIGURE", "THE TABLE MEETS"].map(|text| printer.dim(text));
        let rows: Vec<Vec<String>> = std::iter::once(head.to_vec()).chain(lines(found, people)).collect();
        printer.table(&[1], &rows);
    }
}

/// One sentence for each column.
pub(crate) fn print_briefly(printer: &mut Printer, sensitive: &[TightestParameters]) {
    if sensitive.is_empty() {
        return;
    }
    printer.line(printer.bold("What the worst class reveals"));
    let row = |found: &TightestParameters| {
        let share = percent_up(found.alpha);
        let values = match found.p {
            None => format!("one value has {share} of the people of a class; {}", several(found)),
            Some(1) => "a class has a single value".into(),
            Some(p) => {
                format!("{} in a class; one value has {share} of a class", counted(p, "value", "distinct values"))
            }
        };
        vec![format!("  {}", plain(&found.column)), values]
    };
    printer.table(&[], &sensitive.iter().map(row).collect::<Vec<_>>());
    printer.line("");
}

/// Why most figures are missing.
fn several(found: &TightestParameters) -> String {
    let people = counted(found.people_with_several_values, "person has", "people have");
    format!("{people} several values, so only α and frequency ℓ are defined")
}

fn line(what: &str, figure: String, kept: String) -> Vec<String> {
    vec![format!("  {what}"), figure, kept]
}

fn lines(found: &TightestParameters, people: bool) -> Vec<Vec<String>> {
    let (alpha, frequency) = (up(found.alpha), down(found.frequency_l));
    let mut lines = Vec::new();
    if let Some(p) = found.p {
        lines.push(line("fewest distinct values", thousands(p), format!("p and distinct ℓ up to {}", thousands(p))));
    }
    if let Some(p) = found.p_extended {
        lines.push(line("… distinct categories", thousands(p), format!("extended p up to {}", thousands(p))));
    }
    lines.push(line(
        "largest share of one value",
        percent_up(found.alpha),
        format!("α from {alpha}, frequency ℓ up to {frequency}"),
    ));
    if let (Some(entropy), Some(beta)) = (found.entropy_l, found.beta) {
        let kept = format!("entropy ℓ up to {}", down(entropy));
        lines.push(line("effective number of values (exp of entropy)", down(entropy), kept));
        lines.extend(spread(found, beta, people));
    }
    lines
}

/// The figures of models about the whole distribution.
fn spread(found: &TightestParameters, beta: f64, people: bool) -> Vec<Vec<String>> {
    let times = |times: f64| format!("{} ×", up(times));
    let mut lines = Vec::new();
    let recursive = [
        (2, "most frequent value / all others", found.recursive_c_l2),
        (3, "… / all but the two most frequent", found.recursive_c_l3),
    ];
    for (l, what, c) in recursive {
        let kept = c.map_or_else(|| format!("no c for ℓ = {l}"), |c| format!("c above {} for ℓ = {l}", up(c)));
        lines.push(line(what, c.map_or_else(|| "no others".into(), times), kept));
    }
    let largest = [(1, found.recursive_l_c1), (2, found.recursive_l_c2), (3, found.recursive_l_c3)];
    let figures = largest.map(|(_, l)| l.map_or_else(|| "none".into(), thousands));
    let kept = largest.iter().filter_map(|(c, l)| Some(format!("({c}, {})", thousands((*l)?))));
    let kept = match kept.collect::<Vec<_>>() {
        pairs if pairs.is_empty() => "no ℓ for c up to 3".into(),
        pairs => format!("(c, ℓ) of {}", pairs.join(", ")),
    };
    lines.push(line("largest ℓ for c = 1, 2, 3", figures.join(", "), kept));
    let who = if people { "people" } else { "rows" };
    let t = [
        ("equal", found.t_equal, "distance from the overall distribution"),
        ("ordered", found.t_ordered, "… ordered distance"),
        ("hierarchical", found.t_hierarchical, "… hierarchical distance"),
    ];
    for (distance, t, what) in t {
        if let Some(t) = t {
            lines.push(line(what, percent_up(t), format!("t from {} ({distance} distance)", up(t))));
        }
    }
    let enhanced =
        if found.beta_enhanced.is_some() { "also for the enhanced rule" } else { "none for the enhanced rule" };
    lines.push(line(
        &format!("largest share / its share of all {who}"),
        times(1.0 + beta),
        format!("β from {}, {enhanced}", up(beta)),
    ));
    let (figure, kept) = match found.delta {
        // Its exponential is no parameter: the nearest number will do.
        Some(delta) => (format!("{} ×", short((delta.exp() * 1e4).round() / 1e4)), format!("δ above {}", up(delta))),
        None => ("infinite".into(), "no δ".into()),
    };
    lines.push(line("… or the inverse, if larger", figure, kept));
    lines
}

/// Rounded so that a parameter that is at least this holds: at most four decimals.
fn up(figure: f64) -> String {
    short((figure * 1e4 - 1e-9).ceil() / 1e4)
}

/// Rounded so that a parameter that is at most this holds.
fn down(figure: f64) -> String {
    short((figure * 1e4 + 1e-9).floor() / 1e4)
}

fn percent_up(share: f64) -> String {
    // Adding nothing turns a negative zero into a plain one.
    percent((share * 1e4 - 1e-9).ceil() / 1e4 + 0.0)
}

/// Without zeros at the end; adding nothing turns a negative zero into a plain one.
fn short(figure: f64) -> String {
    (figure + 0.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_to_the_side_on_which_the_model_holds() {
        assert_eq!([up(1.0 / 3.0), up(0.5), up(0.0), up(2.0)], ["0.3334", "0.5", "0", "2"]);
        assert_eq!([down(5.0 / 3.0), down(2.0), down(2.999_999_999_999)], ["1.6666", "2", "2.9999"]);
        assert_eq!([percent_up(5.0 / 7.0), percent_up(1.0), percent_up(0.0)], ["71.43 %", "100 %", "0 %"]);
    }
}
