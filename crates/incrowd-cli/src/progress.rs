//! Output on stderr during the work: warnings, and a progress line in a terminal.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use incrowd::core::{Progress, Silent, Stage};
use indicatif::{ProgressBar, ProgressStyle};

use crate::printer::width;
use crate::text::{plain, wrap};

/// A progress line for a terminal, warnings alone for everything else, nothing with `--quiet`.
pub(crate) fn bar(quiet: bool) -> Box<dyn Progress> {
    match (quiet, std::io::stderr().is_terminal()) {
        (true, _) => Box::new(Silent),
        (false, true) => Box::new(Bar::new()),
        (false, false) => Box::new(Warnings),
    }
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

struct Bar {
    line: ProgressBar,
}

impl Bar {
    fn new() -> Self {
        let line = ProgressBar::no_length();
        line.enable_steady_tick(Duration::from_millis(120));
        Bar { line }
    }
}

impl Progress for Bar {
    fn update(&self, stage: Stage, done: u64, total: Option<u64>) {
        let total = total.filter(|&total| total > 0);
        if self.line.message() != stage.name() {
            let template =
                if total.is_some() { "{msg} {wide_bar} {percent}% {eta}" } else { "{spinner} {msg} {human_pos} rows" };
            if let Ok(style) = ProgressStyle::with_template(template) {
                self.line.set_style(style);
            }
            self.line.set_message(stage.name());
        }
        if let Some(total) = total {
            self.line.set_length(total.max(done));
        }
        self.line.set_position(done);
    }

    fn tell(&self, words: &str) {
        if let Ok(style) = ProgressStyle::with_template("{msg}: {prefix} {wide_bar} {percent}%") {
            self.line.set_style(style);
        }
        self.line.set_prefix(words.to_string());
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
