# Finding the command line, running it, and turning its refusals into conditions.
#
# The package runs the command line and reads its JSON. It contains no compiled code.

#' The command line that the package runs
#'
#' `incrowd_path()` looks for the command line `incrowd` in this order: the option `incrowd.path`, the environment
#' variable `INCROWD_BIN`, the search path. `incrowd_version()` is the version of the program it finds.
#'
#' @return `incrowd_path()`: the path of the program, a string. `incrowd_version()`: a [package_version].
#' @examples
#' \dontrun{
#' options(incrowd.path = "~/bin/incrowd")
#' incrowd_version()
#' }
#' @export
incrowd_path <- function() {
  for (place in c("option incrowd.path", "environment variable INCROWD_BIN")) {
    path <- if (startsWith(place, "option")) getOption("incrowd.path", "") else Sys.getenv("INCROWD_BIN")
    if (!nzchar(path)) next
    path <- path.expand(path)
    if (!file.exists(path) || dir.exists(path)) {
      not_found(paste0("The ", place, " names a program that does not exist: ", path))
    }
    return(path)
  }
  path <- Sys.which("incrowd")[[1]]
  if (!nzchar(path)) {
    not_found("The command line `incrowd` was not found on the search path.")
  }
  path
}

#' @rdname incrowd_path
#' @export
incrowd_version <- function() {
  said <- run_program("--version")
  package_version(sub("^incrowd +", "", trimws(said$out)))
}

not_found <- function(message) {
  remedy <- paste(
    "Install incrowd, or set options(incrowd.path = \"path/to/incrowd\") or the environment variable INCROWD_BIN."
  )
  stop(structure(
    class = c("incrowd_not_found", "incrowd_error", "error", "condition"),
    list(message = paste(message, remedy, sep = "\n"), call = NULL)
  ))
}

# Runs the program. `mask` maps the paths of temporary tables to the names under which the user knows them.
run_program <- function(arguments, mask = character()) {
  program <- incrowd_path()
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  out <- file.path(folder, "out")
  err <- file.path(folder, "err")
  # `system2` translates arguments to the encoding of the session; unmarked bytes are passed on unchanged.
  status <- suppressWarnings(system2(program, shell_quoted(unmarked(arguments)), stdout = out, stderr = err))
  if (status %in% 126:127) not_found(paste0("The program cannot be run: ", program))
  masked <- function(file) {
    text <- file_text(file)
    for (path in names(mask)) text <- gsub(path, mask[[path]], text, fixed = TRUE)
    text
  }
  list(status = status, out = masked(out), err = masked(err))
}

# The JSON answer of a command, as a list. A refusal becomes a condition, a warning of the program a warning.
ask <- function(command, arguments, mask = character()) {
  said <- run_program(c(command, "--format=json", arguments), mask)
  answer <- tryCatch(jsonlite::fromJSON(said$out, simplifyVector = FALSE), error = function(e) NULL)
  # A refusal is the object `error`; where there is another answer (a policy that cannot be kept) or none (a command line
  # that cannot be parsed), it is text only.
  fault <- if (is.null(answer$error)) refusal_of(said$err) else answer$error
  if (!is.null(fault) || is.null(answer) || !said$status %in% 0:1) {
    if (is.null(fault)) {
      fault <- list(message = paste0("incrowd ended with status ", said$status, " and gave no answer."))
    }
    refuse(fault$code, fault$message, fault$hint, infeasible = table_of(
      lapply(answer$infeasible, function(one) c(one, remedy = one$way_out)[c("model", "columns", "fact", "remedy")]),
      c(model = "text", columns = "list", fact = "text", remedy = "text")
    ))
  }
  for (text in warnings_of(said$err)) {
    warning(structure(
      class = c("incrowd_warning", "warning", "condition"),
      list(message = as_r_arguments(text), call = NULL)
    ))
  }
  answer
}

# `error[IC404]: ...`, `  hint: ...`, `  more: ...` on stderr; errors of the argument parser have no code.
refusal_of <- function(text) {
  lines <- strsplit(text, "\n", fixed = TRUE)[[1]]
  first <- grep("^error(\\[IC[0-9]+\\])?: ", lines)
  if (length(first) == 0) return(NULL)
  lines <- lines[first[1]:length(lines)]
  code <- regmatches(lines[1], regexpr("IC[0-9]+(?=\\]: )", lines[1], perl = TRUE))
  part <- cumsum(grepl("^  (hint|more|tip): |^$", lines))
  hint <- grep("^  hint: ", lines)
  list(
    code = if (length(code)) code else NA_character_,
    message = paste(sub("^error(\\[IC[0-9]+\\])?: ", "", trimws(lines[part == 0])), collapse = " "),
    hint = if (length(hint)) paste(sub("^hint: ", "", trimws(lines[part == part[hint[1]]])), collapse = " ")
  )
}

warnings_of <- function(text) {
  lines <- strsplit(text, "\n", fixed = TRUE)[[1]]
  starts <- grepl("^warning: ", lines)
  group <- cumsum(starts)
  kept <- starts | (group > 0 & startsWith(lines, " "))
  vapply(split(trimws(lines[kept]), group[kept]), function(part) sub("^warning: ", "", paste(part, collapse = " ")), "")
}

#' Refusals
#'
#' When there is no answer, the functions of this package signal an error of class `incrowd_refusal`: the table cannot
#' be read, the request is invalid, the policy is infeasible, or the release was not verified. No message
#' contains a cell of the table.
#'
#' The condition has these elements:
#' \describe{
#'   \item{`code`}{A code such as `"IC404"`, or `NA` for a malformed argument. [explain()] describes it.}
#'   \item{`message`}{What is wrong, and where.}
#'   \item{`hint`}{What to do about it, or `NA`.}
#'   \item{`infeasible`}{For an infeasible policy: a data frame with `model`, `columns`, `fact` and
#'     `remedy`. The condition then also has the class `incrowd_infeasible`.}
#' }
#' A program that cannot be found is an error of class `incrowd_not_found`. Both have the class `incrowd_error`.
#'
#' @name incrowd_refusal
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' tryCatch(
#'   anonymize(people, k = 5000, qi = "age", others = "remove"),
#'   incrowd_refusal = function(refusal) refusal$code
#' )
#' }
NULL

refuse <- function(code, message, hint = NULL, infeasible = NULL) {
  condition <- list(
    message = as_r_arguments(message),
    call = NULL,
    code = if (is.null(code)) NA_character_ else code,
    hint = if (is.null(hint) || !nzchar(hint)) NA_character_ else as_r_arguments(hint)
  )
  many <- !is.null(infeasible) && nrow(infeasible) > 0
  if (many) condition$infeasible <- infeasible
  stop(structure(
    class = c(if (many) "incrowd_infeasible", "incrowd_refusal", "incrowd_error", "error", "condition"),
    condition
  ))
}

#' @export
conditionMessage.incrowd_refusal <- function(c) {
  paste0(
    if (!is.na(c$code)) paste0("[", c$code, "] "), c$message,
    if (!is.na(c$hint)) paste0("\n  hint: ", c$hint),
    if (!is.na(c$code)) paste0("\n  more: explain(\"", c$code, "\")")
  )
}

# Messages of the program name its flags. Here they are arguments of functions.
as_r_arguments <- function(text) {
  special <- c(
    "no-bound" = "bound = FALSE", "no-report" = "report = FALSE", "hierarchy" = "hierarchies", "model" = "models",
    "limit" = "limits", "p-sensitive" = "p", "l-diversity" = "l", "t-closeness" = "t"
  )
  plain <- setdiff(
    unlist(lapply(list(check, diagnose, anonymize, verify, attack, compare), function(f) names(formals(f)))),
    c("table", "release", "original", "releases", "args", "read")
  )
  for (name in c(names(special), plain)) {
    flag <- if (name %in% names(special)) name else gsub("_", "-", name, fixed = TRUE)
    word <- if (name %in% names(special)) special[[name]] else name
    bare <- paste0("--", flag, "(?![a-z-])")
    text <- gsub(paste0("[`']", bare, "(?: <[A-Z]+>)?[`']"), paste0("`", word, "`"), text, perl = TRUE)
    text <- gsub(paste0("`", bare, " ([a-z-]+)`"), paste0("`", word, " = \"\\1\"`"), text, perl = TRUE)
    text <- gsub(bare, paste0("`", word, "`"), text, perl = TRUE)
  }
  text
}

#' What a code means
#'
#' @param code A code of a finding or a refusal, such as `"IC103"`.
#' @return The explanation, a string with line breaks, of class `incrowd_text`: printing it writes the text.
#' @examples
#' \dontrun{
#' explain("IC103")
#' }
#' @export
explain <- function(code) {
  stopifnot(is.character(code), length(code) == 1, !is.na(code))
  said <- run_program(c("explain", code))
  fault <- refusal_of(said$err)
  if (!is.null(fault)) refuse(fault$code, fault$message, fault$hint)
  structure(said$out, class = "incrowd_text")
}

#' @export
print.incrowd_text <- function(x, ...) {
  cat(x)
  invisible(x)
}

# The bytes of a file as UTF-8 text, whatever the locale is.
file_text <- function(path) {
  text <- rawToChar(readBin(path, "raw", file.size(path)))
  Encoding(text) <- "UTF-8"
  text
}

unmarked <- function(text) {
  text <- utf8(text)
  Encoding(text) <- "unknown"
  text
}

shell_quoted <- function(arguments) {
  shQuote(arguments, if (.Platform$OS.type == "windows") "cmd2" else "sh")
}

# A folder that only this user can read.
private_folder <- function() {
  folder <- tempfile("incrowd-", tempdir(check = TRUE))
  if (!dir.create(folder, mode = "0700")) {
    stop("The temporary folder cannot be created in ", tempdir(), call. = FALSE)
  }
  normalizePath(folder, winslash = "/")
}
