//! What the system said about a file, in words.

use std::io;

/// An error of the system in words. Errors that Rust has no kind for, such as a failing disk or too many open files, are in the
/// words of the system.
///
/// ```
/// use std::io::{Error, ErrorKind};
///
/// assert_eq!(incrowd_engine::system_words(&ErrorKind::PermissionDenied.into()), "permission denied");
/// # #[cfg(target_os = "linux")]
/// assert_eq!(incrowd_engine::system_words(&Error::from_raw_os_error(5)), "Input/output error (os error 5)");
/// ```
pub fn system_words(error: &io::Error) -> String {
    // No system has an error of this number.
    let without_kind = io::Error::from_raw_os_error(i32::MAX).kind();
    match error.raw_os_error() {
        Some(_) if error.kind() == without_kind => error.to_string(),
        _ => error.kind().to_string(),
    }
}
