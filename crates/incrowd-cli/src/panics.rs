//! The message of a panic: the location, and nothing else.
//!
//! The text of a panic may quote a cell (cutting a string at the wrong place prints the string), so it is not shown.

use std::io::Write;
use std::panic::{Location, PanicHookInfo};

/// Replaces the standard panic message. With RUST_BACKTRACE set, the names of functions follow; they hold no values.
pub fn keep_silent() {
    std::panic::set_hook(Box::new(|panic| {
        // A file that its reader cannot take is refused in words of its own.
        if !incrowd::panic_is_caught() {
            say(panic, &mut std::io::stderr().lock());
        }
    }));
}

fn say(panic: &PanicHookInfo<'_>, out: &mut dyn Write) {
    let _ = writeln!(out, "{}", words(panic.location()));
    let backtrace = std::backtrace::Backtrace::capture();
    if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
        let _ = writeln!(out, "{backtrace}");
    }
}

fn words(place: Option<&Location<'_>>) -> String {
    let place =
        place.map_or_else(|| "an unknown location".into(), |place| format!("{}:{}", place.file(), place.line()));
    format!(
        "error: incrowd failed at {place}. This is a bug\n  hint: the internal message is not shown because it could \
         quote the table. Please report the location"
    )
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn a_panic_tells_its_place_and_not_its_message() {
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = said.clone();
        std::panic::set_hook(Box::new(move |panic| say(panic, &mut *heard.lock().expect("one thread"))));
        let cell = String::from("Müller");
        // Cutting a character in two panics with the whole text in the message.
        assert!(std::panic::catch_unwind(|| cell[..2].len()).is_err());
        let _ = std::panic::take_hook();
        let said = String::from_utf8(said.lock().expect("one thread").clone()).expect("text");
        assert!(said.contains("panics.rs:") && !said.contains(&cell), "{said}");
    }
}
