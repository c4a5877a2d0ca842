//! The key numbers of each picture: what is drawn is what the dossier says.

#![allow(clippy::unwrap_used)]

mod support;

use incrowd_core::ClassSizes;
use incrowd_report::dossier::{EstimatorErrors, LevelShare, LossAtK, Rounded, Share, Utility};
use incrowd_report::{internal, public};
use support::example;

/// One figure of a page, from its opening to its closing tag.
fn figure(html: &str, id: &str) -> String {
    let start = html.find(&format!("<figure id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}"));
    html[start..start + html[start..].find("</figure>").unwrap()].to_owned()
}

fn utility(change: impl FnOnce(&mut Utility)) -> String {
    let mut dossier = example().public;
    change(dossier.utility.as_mut().unwrap());
    public(&dossier)
}

#[test]
fn the_least_class_size_is_drawn_against_the_logarithm_of_the_sampling_fraction() {
    let figure = figure(&public(&example().public), "picture-sampling-fraction");
    // Three points at 5, 10 and 20 %: the second halfway, and the largest size at the top.
    assert!(figure.contains("points=\"44,96 230,69.3 416,16\""), "{figure}");
    assert!(figure.contains("If 5 % of the population were in the table, classes of 3 would suffice"));
}

#[test]
fn the_bar_of_a_loss_is_as_long_as_the_loss() {
    let figure = figure(&public(&example().public), "picture-loss");
    // 0.094 of an axis that ends at 0.1, 440 wide; the longest first.
    assert!(figure.contains("width=\"413.6\" height=\"9\" class=\"bar\""), "{figure}");
    assert!(figure.find(">age<").unwrap() < figure.find(">sex<").unwrap());
    assert!(figure.contains("loses most: 0.094"));
}

#[test]
fn the_parts_of_a_level_bar_fill_it_and_small_ones_are_slivers() {
    let html = utility(|utility| {
        utility.columns.truncate(1);
        utility.columns[0].levels = LevelShare::of(&[15_000, 15_000, 3], 10);
    });
    let figure = figure(&html, "picture-levels");
    assert!(figure.contains("under 1 %"));
    let widths: Vec<f64> = figure
        .split("\" height=\"14\" class=\"level")
        .filter_map(|part| part.rsplit_once("width=\"")?.1.parse().ok())
        .collect();
    assert_eq!(widths.len(), 3);
    assert!((widths.iter().sum::<f64>() - 440.0).abs() < 0.5 && widths[2] < 4.0, "{widths:?}");
}

#[test]
fn suppression_is_drawn_as_the_range_that_is_told() {
    let html = utility(|utility| {
        utility.columns.truncate(1);
        utility.columns[0].suppressed = Some(Share::of(30, 100, 10));
    });
    let figure = figure(&html, "picture-suppression");
    // 21 to 31 % of an axis that ends at 40 %.
    assert!(figure.contains("21 to 31 %"));
    assert!(figure.contains("width=\"341\" height=\"9\" class=\"maybe\""), "{figure}");
    assert!(figure.contains("width=\"231\" height=\"9\" class=\"bar\""));
}

#[test]
fn the_curve_marks_the_release_and_the_bound() {
    let point = |k, loss| LossAtK { k, loss: Rounded::of(loss), bound: Some(Rounded::of(loss / 2.0)) };
    let html = utility(|utility| {
        (utility.k, utility.loss) = (Some(10), Some(Rounded::of(0.5)));
        utility.curve = vec![point(100, 1.0), point(1, 0.0), point(10, 0.5)];
    });
    let figure = figure(&html, "picture-curve");
    // k = 10 is half-way between 1 and 100 on a logarithmic axis; a loss of 0.5 half-way up.
    assert!(figure.contains("cx=\"234\" cy=\"121\" r=\"6\" class=\"chosen\""), "{figure}");
    assert!(figure.contains("points=\"44,226 234,121 424,16\" class=\"curve\""));
    assert!(figure.contains("points=\"44,226 234,173.5 424,121\" class=\"bound\""));
}

#[test]
fn the_error_of_answers_tells_the_better_estimator() {
    let html = utility(|utility| {
        let error = |estimator: &str, median, mean| EstimatorErrors {
            estimator: estimator.into(),
            mean: Rounded::of(mean),
            median: Rounded::of(median),
        };
        utility.queries.as_mut().unwrap().errors = vec![error("one", 0.3, 0.5), error("two", 0.1, 1.0)];
    });
    let figure = figure(&html, "picture-queries");
    assert!(figure.contains("an error of at most 10 % by the better estimator"));
    assert!(figure.contains("cx=\"434\" cy=\"69\""), "a mean of 1 stands at the end of the axis: {figure}");
}

#[test]
fn risk_is_drawn_before_and_after_with_the_threshold() {
    let figure = figure(&internal(&example()), "picture-risk");
    assert!(figure.contains("100 % → 20 %") && figure.contains("20 % (1 in 5)"));
    // 20 % of the axis from 7 to 433; the greatest chance before stands at its end.
    assert!(figure.contains("x1=\"92.2\"") && figure.contains("class=\"threshold\""), "{figure}");
    assert!(figure.contains("cx=\"433\" cy=\"24\" r=\"5.5\" class=\"before\""));
    assert_eq!(figure.matches("class=\"threshold\"").count(), 3);
}

#[test]
fn class_sizes_are_drawn_as_shares_of_rows() {
    let mut dossier = example();
    dossier.classes_before = Some(ClassSizes::from_sizes([1, 1, 1, 1, 4]));
    dossier.classes_after = Some(ClassSizes::from_sizes([4, 4]));
    let figure = figure(&internal(&dossier), "picture-classes");
    assert!(figure.contains("4 in 4 classes (50 %)") && figure.contains("8 in 2 classes (100 %)"), "{figure}");
    assert!(figure.contains("Unique before: 4, after: 0."));
    // All rows after: from the top of the axis to its foot.
    assert!(figure.contains("height=\"168\" class=\"bar\""));
}

#[test]
fn column_sets_are_drawn_with_counts_for_the_custodian_only() {
    let (inside, outside) = (internal(&example()), public(&example().public));
    let (inside, outside) = (figure(&inside, "picture-lattice"), figure(&outside, "picture-lattice"));
    assert_eq!(outside.matches("class=\"danger-dot\"").count(), 1 + 1 + 2 + 2 + 3 + 3 + 1);
    assert!(inside.contains(">122<") && !outside.contains("122"));
    assert!(inside.contains("unique rows") && !outside.contains("unique rows"));
    let layers = figure(&public(&example().public), "picture-layers");
    // Nothing with age or country is safe, and of the other 63 sets 33 are; 255 less 33 are dangerous.
    assert!(layers.contains("Of all 255 sets of the 8 quasi-identifiers, 222 have"), "{layers}");
}

#[test]
fn attacks_are_drawn_beside_their_baseline_and_the_worst_is_named() {
    let figure = figure(&internal(&example()), "picture-attacks");
    assert!(figure.contains("30.1 % against 13.5 %"));
    assert!(figure.contains("<bdi class=\"name\">learning</bdi> gains most over its baseline"));
    // Only the attack whose interval is above its baseline is marked.
    assert_eq!(figure.matches("class=\"danger-dot\"").count(), 1);
}
