//! Output on stderr during the work: warnings, and a progress line in a terminal.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use incrowd::core::{Progress, Silent, Stage};
use indicatif::{ProgressBar, ProgressStyle};

use crate::events::watched;
use crate::printer::width;
use crate::text::{plain, wrap};

/// A progress line for a terminal, warnings alone for everything else, nothing with `--quiet`.
pub(crate) fn bar(quiet: bool) -> Box<dyn Progress> {
    watched(match (quiet, std::io::stderr().is_terminal()) {
        (true, _) => Box::new(Silent),
        (false, true) => Box::new(Bar::new()),
        (false, false) => Box::new(Warnings),
    })
}

/// Warnings without a progress line.
struct Warnings;

impl Progress for Warnings {
    fn update(&self, _: Stage, _: u64, _: Option<u64>) {}

    fn warn(&self, words: &str) {
        say(words);
    }
}

/// A warning on stderr. A failure to write it cannot be reported anywhere.
fn say(words: &str) {
    let width = width(std::io::stderr().is_terminal());
    let lines = wrap(&format!("warning: {}", plain(words)), width, 0, 9);
    let _ = writeln!(std::io::stderr(), "{}", lines.join("\n         "));
}

/// How the line looks.
#[derive(Clone, Copy, PartialEq)]
enum LineStyle {
    /// How many rows, when nobody knows of how many.
    Count,
    /// A bar, without a time that nobody knows at its beginning.
    Bar,
    /// A bar and the time that is left.
    BarWithTime,
    /// The losses that a search has found.
    Losses,
}

impl LineStyle {
    fn template(self) -> &'static str {
        match self {
            LineStyle::Count => "{spinner} {msg} {human_pos} rows",
            LineStyle::Bar => "{msg} {wide_bar} {percent}%",
            LineStyle::BarWithTime => "{msg} {wide_bar} {percent}% {eta}",
            LineStyle::Losses => "{spinner} {wide_msg}",
        }
    }
}

struct Bar {
    line: ProgressBar,
    shown: Mutex<ShownLine>,
}

/// What the line shows.
struct ShownLine {
    stage: Option<Stage>,
    style: Option<LineStyle>,
    search: FoundLosses,
}

/// What a search has found so far.
struct FoundLosses {
    began: Instant,
    /// The first loss and when it was found.
    first: Option<(Duration, f64)>,
    least: f64,
    bound: f64,
    /// How long it will take, if that can be said.
    left: Option<Duration>,
}

impl FoundLosses {
    fn new() -> Self {
        FoundLosses { began: Instant::now(), first: None, least: f64::INFINITY, bound: 0.0, left: None }
    }

    fn found_loss(&mut self, loss: f64) {
        self.first.get_or_insert((self.began.elapsed(), loss));
        self.least = self.least.min(loss);
    }

    /// The time that is left, if the part that is done is large enough to tell.
    fn spent(&mut self, done: u64, total: Option<u64>) {
        let part = total.map(|total| done as f64 / total.max(1) as f64).filter(|part| (0.05..1.0).contains(part));
        let left = |part: f64| self.began.elapsed().mul_f64((1.0 - part) / part);
        self.left = part.map(left);
    }

    /// The losses in words; none before the first.
    fn words(&self) -> Option<String> {
        let (after, first) = self.first?;
        let mut words = format!("first loss after {} s: {first:.4}; now {:.4}", after.as_secs().max(1), self.least);
        if self.bound > 0.0 && self.least >= self.bound {
            let above = (self.least / self.bound - 1.0) * 100.0;
            words += &format!(", at most {above:.1} % above the lower bound");
        }
        if let Some(left) = self.left {
            words += &format!("; about {} s left", left.as_secs().max(1));
        }
        Some(words)
    }
}

impl Bar {
    fn new() -> Self {
        let line = ProgressBar::no_length();
        line.enable_steady_tick(Duration::from_millis(120));
        Bar { line, shown: Mutex::new(ShownLine { stage: None, style: None, search: FoundLosses::new() }) }
    }

    fn change(&self, change: impl FnOnce(&mut ShownLine)) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut shown);
    }

    fn show(&self, shown: &mut ShownLine, style: LineStyle, message: String) {
        if shown.style != Some(style) {
            shown.style = Some(style);
            if let Ok(style) = ProgressStyle::with_template(style.template()) {
                self.line.set_style(style);
            }
        }
        self.line.set_message(message);
    }

    /// Shows what a search has found, once it has found something.
    fn show_search(&self, shown: &mut ShownLine) -> bool {
        let words = shown.search.words();
        let is_there = words.is_some();
        words.into_iter().for_each(|words| self.show(shown, LineStyle::Losses, words));
        is_there
    }
}

impl Progress for Bar {
    fn update(&self, stage: Stage, done: u64, total: Option<u64>) {
        let total = total.filter(|&total| total > 0);
        self.change(|shown| {
            let searches = matches!(stage, Stage::Solve | Stage::Refine | Stage::Bound);
            if shown.stage != Some(stage) {
                let begins = shown.stage.is_none_or(|before| before != Stage::Solve && before != Stage::Refine);
                if begins && stage == Stage::Solve {
                    shown.search = FoundLosses::new();
                }
                shown.stage = Some(stage);
                self.line.reset_eta();
            }
            if searches {
                // A bound after the search has a limit of its own, and how long a start takes says little.
                shown.search.spent(done, total.filter(|_| stage == Stage::Refine));
                if self.show_search(shown) {
                    return;
                }
            }
            let is_under_way = total.is_some_and(|total| done > 0 && done < total);
            let style = match (total, is_under_way) {
                (None, _) => LineStyle::Count,
                (Some(_), false) => LineStyle::Bar,
                (Some(_), true) => LineStyle::BarWithTime,
            };
            self.show(shown, style, stage.name().to_owned());
            total.into_iter().for_each(|total| self.line.set_length(total.max(done)));
            self.line.set_position(done);
        });
    }

    fn tell(&self, words: &str) {
        self.change(|shown| shown.style = None);
        if let Ok(style) = ProgressStyle::with_template("{msg}: {prefix} {wide_bar} {percent}%") {
            self.line.set_style(style);
        }
        self.line.set_prefix(words.to_string());
    }

    fn found_loss(&self, loss: f64) {
        self.change(|shown| {
            shown.search.found_loss(loss);
            self.show_search(shown);
        });
    }

    fn found_bound(&self, bound: f64) {
        self.change(|shown| {
            shown.search.bound = shown.search.bound.max(bound);
            self.show_search(shown);
        });
    }

    fn warn(&self, words: &str) {
        self.line.suspend(|| say(words));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_search_says_what_is_known_and_nothing_else() {
        let mut search = FoundLosses::new();
        assert_eq!(search.words(), None);
        search.found_loss(0.052);
        search.spent(1, Some(100));
        assert_eq!(search.words().as_deref(), Some("first loss after 1 s: 0.0520; now 0.0520"));
        search.found_loss(0.0471);
        search.found_loss(0.0480);
        search.bound = 0.0444;
        search.began = search.began.checked_sub(Duration::from_millis(10_500)).unwrap_or(search.began);
        search.spent(500, Some(1000));
        let words = "first loss after 1 s: 0.0520; now 0.0471, at most 6.1 % above the lower bound; about 10 s left";
        assert_eq!(search.words().as_deref(), Some(words));
        search.spent(1000, Some(1000));
        assert!(search.words().is_some_and(|words| !words.contains("left")), "nobody knows how long the end takes");
    }
}
