//! What is said when the program itself fails: where, and nothing else.
//!
//! The text of a panic may quote a cell (cutting a string at the wrong place prints the string), so it is withheld.

use std::io::Write;
use std::panic::{Location, PanicHookInfo};

/// Replaces the standard panic message. With RUST_BACKTRACE set, the names of functions follow; they hold no values.
pub(crate) fn keep_silent() {
    std::panic::set_hook(Box::new(say));
}

fn say(panic: &PanicHookInfo<'_>) {
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(stderr, "{}", words(panic.location()));
    let backtrace = std::backtrace::Backtrace::capture();
    if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
        let _ = writeln!(stderr, "{backtrace}");
    }
}

fn words(place: Option<&Location<'_>>) -> String {
    let place = place.map_or_else(|| "an unknown place".into(), |place| format!("{}:{}", place.file(), place.line()));
    format!(
        "error: incrowd failed at {place}; this is a fault of the program\n  hint: its message is withheld, because it \
         could quote the table. Please report the place"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_tells_its_place_and_not_its_message() {
        keep_silent();
        let cell = String::from("Müller");
        assert!(std::panic::catch_unwind(|| cell[..2].len()).is_err());
        let _ = std::panic::take_hook();
        let said = words(Some(Location::caller()));
        assert!(said.contains("panics.rs:") && !said.contains(&cell), "{said}");
    }
}
