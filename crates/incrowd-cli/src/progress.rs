//! The progress line, on stderr and only when a person looks at it.

use std::io::IsTerminal;
use std::time::Duration;

use incrowd::core::{Progress, Silent, Stage};
use indicatif::{ProgressBar, ProgressStyle};

/// A progress line for a terminal, silence otherwise.
pub(crate) fn bar(quiet: bool) -> Box<dyn Progress> {
    if quiet || !std::io::stderr().is_terminal() { Box::new(Silent) } else { Box::new(Bar::new()) }
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
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
