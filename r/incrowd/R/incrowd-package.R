#' Anonymize tables about people, and verify the result
#'
#' [check()] measures what a table reveals, [diagnose()] answers questions about given columns, [anonymize()] makes a
#' release that meets a policy, [verify()] checks the written files, [attack()] reports what an attacker learns from
#' them, and [compare()] what their readers lose. [sample_table()] makes a table of made-up people.
#'
#' The package runs the command line `incrowd`, which must be installed: see [incrowd_path()]. When there is no answer,
#' the functions signal an [incrowd_refusal].
#'
#' @section Data frames:
#' A data frame is written as CSV into a folder that only you can read, and deleted when the function ends. `NA` and the
#' empty string are the same missing value. Row names are not written. Lists, matrices, complex numbers, raw bytes and
#' 64-bit integers are refused.
#'
#' @section Options:
#' \describe{
#'   \item{`incrowd.path`}{Path of the command line.}
#'   \item{`incrowd.transport`}{`"csv"` (default), or `"arrow"` to pass data frames as Arrow files with the package
#'     arrow.}
#' }
"_PACKAGE"
