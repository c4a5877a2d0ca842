# Tests that run the command line are skipped where it is not installed, with a line that says so.
program_found <- !inherits(try(incrowd_path(), silent = TRUE), "try-error")
if (!program_found) {
  message("SKIPPED: tests that run the command line `incrowd`: set INCROWD_BIN to its path")
}

need_program <- function() {
  if (!program_found) skip("the command line `incrowd` was not found: set INCROWD_BIN")
}

# A quick release: little effort, no bound, no pages.
quick <- function(table, ...) {
  given <- list(...)
  usual <- list(effort = "low", bound = FALSE, report = FALSE, seed = 1, others = "remove")
  do.call(anonymize, c(list(table), given, usual[setdiff(names(usual), names(given))]))
}

# The texts of an R object in memory, to search for values that must not be in it.
holds_text <- function(object, text) {
  bytes <- serialize(object, NULL, ascii = FALSE)
  length(grepRaw(charToRaw(enc2utf8(text)), bytes, fixed = TRUE)) > 0
}

# Made-up people with everything that goes wrong in CSV files.
nasty_frame <- function(rows = 60) {
  pick <- function(values) rep_len(values, rows)
  data.frame(
    id = sprintf("ID-%05d", seq_len(rows)),
    region = factor(pick(c("north, east", "south \"low\"", "two\nlines", "M\u00fcnchen")),
                    levels = c("never used", "north, east", "south \"low\"", "two\nlines", "M\u00fcnchen")),
    age = pick(c(34L, NA, 71L, 20L)),
    weight = pick(c(0.1 + 0.2, 1 / 3, 1e-7, 123456789.123)),
    member = pick(c(TRUE, FALSE, NA)),
    since = as.Date(pick(c("1999-12-31", NA, "2020-02-29"))),
    code = pick(c("00501", "NA", "007", "1e3")),
    note = pick(c(" left", "right ", "\u65e5\u672c\u8a9e", "a;b|c", "back\\slash, \\", "it's #1")),
    stringsAsFactors = FALSE
  )
}
