# Releases: making, reading and saving them.
#
# The released table is read from the written files, and its columns get their classes back. The levels of a factor are
# taken from the released cells only.

#' Anonymize a table
#'
#' Generalizes the quasi-identifiers until the release meets the policy, with as little information loss as the solver
#' finds, verifies the written files, and only then returns them. Nothing is guessed: every column needs a role, and
#' every promise is one that you request.
#'
#' @inheritParams check
#' @param k Minimum number of people (rows, without `subject`) in each class.
#' @param qi Quasi-identifiers: columns that an attacker may know. They are generalized.
#' @param sensitive Sensitive columns. They are published unchanged, and protected by `alpha`, `p`, `l`, `t`, `models`.
#' @param identifier Columns that identify people directly. They are removed.
#' @param insensitive Columns that neither identify people nor are sensitive. They are published unchanged.
#' @param others What to do with columns without a role: `"refuse"` (default), `"remove"` or `"keep"`.
#' @param alpha Maximum share of a sensitive value in a class: `c(diagnosis = 0.5)` for every value of the column,
#'   `c("diagnosis:HIV" = 0.1)` for one value. Ratios are exact as texts: `c(diagnosis = "1/3")`.
#' @param p,l,t p-sensitivity, distinct l-diversity and t-closeness: a number for every sensitive column, or numbers
#'   named by columns, `c(diagnosis = 3)`.
#' @param models Other models as on the command line: `"entropy-l-diversity:diagnosis,l=3"`.
#' @param suppress Maximum share of rows to suppress, such as 0.02 (default: none).
#' @param hierarchies How columns are generalized, a list named by columns. Each is widths of nested intervals
#'   (`c(5, 10, 20)`), a data frame with one row per value and one column per level (the value first, the most general
#'   level last), the path of a hierarchy file, or one of `"intervals"`, `"dates"`, `"prefix"`, `"flat"`, `"sets"`,
#'   `"free-intervals"`. Columns that are not named are generalized by their type.
#' @param algorithm,loss The solver and the loss measure that it minimizes (default: `"auto"`, and that of the solver).
#' @param effort Work limit of the solver: `"low"`, `"normal"`, `"high"`, or a multiple of normal. The result does
#'   not depend on the speed of the machine.
#' @param time Time limit in seconds. A release that it stopped cannot be repeated exactly.
#' @param bound `FALSE` skips the lower bound on the loss of any release, which may take half the effort again.
#' @param seed Seed of the solver: the same table, policy and seed give the same classes.
#' @param keep_identifying Columns to publish unchanged although they single out people.
#' @param fold_spellings,keep_spellings Columns in which spellings that differ only in letter case, spaces or Unicode
#'   form are one value, or different values.
#' @param publish `"one-table"` (default) or `"two-tables"`: unchanged quasi-identifiers and the sensitive columns in
#'   separate tables.
#' @param output Folder to write the release to. Without it, the release stays in a private temporary folder until
#'   [save_release()] copies it, and is deleted with the object or the session.
#' @param output_format `"csv"`, `"parquet"` or `"arrow"` (default: `"csv"` without `output`, otherwise that of the
#'   table).
#' @param force `TRUE` replaces a release of the same name.
#' @param report `FALSE` does not write the report pages.
#' @param ledger Path of the ledger of releases: adds this release and warns if the same people were released before.
#' @param read `FALSE` does not read the released table into memory; [as.data.frame()] reads it later.
#' @return A list of class `incrowd_release` with the keys of `incrowd anonymize --format json` (among others `classes`,
#'   `smallest_class`, `suppressed_rows`, `loss`, `promises`, and the data frame `findings`), and:
#'   \describe{
#'     \item{`data`}{The released table, a data frame in random order of rows. Factors have the levels that occur in
#'       it and no others; columns that were not generalized keep their class, generalized ones are texts or factors.
#'       With two tables, a list of two data frames.}
#'     \item{`columns`}{A data frame with the loss of each quasi-identifier and the share of its unchanged cells.}
#'     \item{`levels`}{A data frame with the share of rows at each level of each quasi-identifier.}
#'     \item{`folder`}{The folder of the release.}
#'     \item{`manifest`}{The manifest of the release, a list.}
#'   }
#'   `summary()` is a data frame with one row of figures, so that releases can be compared with [rbind()]. `plot()`
#'   draws the loss of each column or the class sizes.
#' @seealso [verify()], [attack()], [save_release()].
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' release <- anonymize(
#'   people,
#'   k = 5, qi = c("age", "sex", "education"), alpha = c(diagnosis = 0.5), others = "remove",
#'   hierarchies = list(age = c(5, 10, 20)), seed = 1
#' )
#' released <- as.data.frame(release)
#' summary(release)
#' plot(release)
#' }
#' @export
anonymize <- function(table, k = NULL, qi = NULL, sensitive = NULL, identifier = NULL, insensitive = NULL,
                      subject = NULL, others = NULL, alpha = NULL, p = NULL, l = NULL, t = NULL, models = NULL,
                      suppress = NULL, hierarchies = NULL, algorithm = NULL, loss = NULL, effort = NULL, time = NULL,
                      bound = TRUE, seed = NULL, rows_are_people = FALSE, keep_identifying = NULL,
                      fold_spellings = NULL, keep_spellings = NULL, plan = NULL, publish = NULL, output = NULL,
                      output_format = NULL, force = FALSE, report = TRUE, ledger = NULL, null = NULL,
                      date_format = NULL, memory = NULL, threads = NULL, read = TRUE, args = character()) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  source <- table_source(table, substitute(table), folder)
  handle <- NULL
  if (is.null(output)) {
    handle <- private_place()
    output <- file.path(handle$folder, "release")
    if (is.null(output_format)) output_format <- "csv"
  }
  read_as <- reading(source, null, date_format)
  answer <- ask("anonymize", c(
    read_as,
    roles(qi, sensitive, identifier, insensitive, subject, rows_are_people, plan),
    flags(
      others = others, k = k, alpha = pairs_text(alpha, "alpha"), model = models, suppress = suppress,
      keep_identifying = columns(keep_identifying), fold_spellings = columns(fold_spellings),
      keep_spellings = columns(keep_spellings), algorithm = algorithm, loss = loss, effort = effort,
      time = if (!is.null(time)) paste0(number_text(time), "s"), no_bound = !bound, seed = seed, publish = publish,
      output_format = output_format, force = force, no_report = !report,
      ledger = if (!is.null(ledger)) path_argument(ledger), output = path_argument(output)
    ),
    for_columns(p, "p", "p-sensitive", "p"),
    for_columns(l, "l", "l-diversity", "l"),
    for_columns(t, "t", "t-closeness", "t"),
    hierarchy_flags(hierarchies, source, folder, read_as),
    running(folder, memory, threads), args, source$path
  ), source$mask)
  release_object(answer, path_argument(output), handle, source$types, read)
}

release_object <- function(answer, folder, handle, types, read) {
  answer <- unclass(answer_object(answer, "release"))
  answer$columns <- table_of(answer$loss$columns, c(
    name = "text", lm = "number", distortion_ratio = "number", precision = "number", unchanged = "number"
  ))
  answer$loss$columns <- NULL
  answer$levels <- level_table(answer$why)
  answer$why <- NULL
  local <- dir.exists(folder)
  answer$folder <- if (local) normalizePath(folder, winslash = "/") else folder
  answer$release <- answer$folder
  answer$manifest <- if (local) read_manifest(folder)
  # Removes the private folder when the last copy of the release is gone.
  answer$handle <- handle
  if (read && local) answer$data <- read_files(folder, answer$manifest, types)
  structure(answer, class = c("incrowd_release", "incrowd_answer"))
}

level_table <- function(why) {
  rows <- unlist(lapply(why, function(column) {
    lapply(column$levels, function(level) {
      forced <- level$forced_by
      most <- if (length(forced)) forced[[which.max(vapply(forced, function(one) one$share, 0))]]$rule
      list(name = column$name, level = level$level, share = level$share, mostly_forced_by = most)
    })
  }), recursive = FALSE)
  table_of(rows, c(name = "text", level = "number", share = "number", mostly_forced_by = "text"))
}

private_place <- function() {
  handle <- new.env(parent = emptyenv())
  handle$folder <- private_folder()
  handle$process <- Sys.getpid()
  # A forked process must not delete what its parent still uses.
  remove <- function(e) if (e$process == Sys.getpid()) unlink(e$folder, recursive = TRUE)
  environment(remove) <- baseenv()
  reg.finalizer(handle, remove, onexit = TRUE)
  handle
}

release_folder <- function(release) {
  if (inherits(release, "incrowd_release")) return(release$folder)
  if (is.character(release) && length(release) == 1 && !is.na(release)) return(path_argument(release))
  stop("A release is what anonymize() returned, or the path of a release's folder.", call. = FALSE)
}

#' Read or save a release
#'
#' `read_release()` reads the table of a release's folder. `save_release()` copies a release, and the internal record
#' next to it, to a new folder, only if the copy is complete and verified. Publish the folder; do not publish the record
#' (`<folder>.internal`).
#'
#' @param release A release of [anonymize()], or the path of a release's folder.
#' @param folder The folder to write. It must not exist.
#' @return `read_release()`: a data frame, or a list of two for a release in two tables. Columns of numbers and dates
#'   get these types when every cell has them. `save_release()`: the release at its new place, invisibly.
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' release <- anonymize(people, k = 5, qi = c("age", "sex"), others = "remove")
#' save_release(release, "people-release")
#' released <- read_release("people-release")
#' }
#' @export
read_release <- function(release) {
  folder <- release_folder(release)
  read_files(folder, read_manifest(folder))
}

#' @rdname read_release
#' @export
save_release <- function(release, folder) {
  from <- release_folder(release)
  folder <- path.expand(folder)
  targets <- c(folder, paste0(folder, ".internal"))
  for (target in targets) {
    if (file.exists(target)) stop("The folder already exists: ", target, call. = FALSE)
  }
  # Beside the target, so that the last step is a renaming.
  place <- tempfile(".incrowd-", dirname(folder))
  if (!dir.create(place, mode = "0700")) stop("The folder cannot be written: ", dirname(folder), call. = FALSE)
  on.exit(unlink(place, recursive = TRUE))
  parts <- file.path(place, c("release", "release.internal"))
  sources <- c(from, paste0(from, ".internal"))
  for (i in which(dir.exists(sources))) {
    dir.create(parts[i], mode = if (i == 1) "0755" else "0700")
    entries <- list.files(sources[i], all.files = TRUE, no.. = TRUE, full.names = TRUE)
    if (!all(file.copy(entries, parts[i], recursive = TRUE))) {
      stop("The release cannot be copied to ", dirname(folder), call. = FALSE)
    }
  }
  checked <- verify(parts[1])
  if (!checked$verified) stop("The copy of the release was not verified. Nothing was saved.", call. = FALSE)
  # The record first: a release without its record could never be verified against the original.
  for (i in rev(which(dir.exists(parts)))) {
    if (!file.rename(parts[i], targets[i])) stop("The folder cannot be written: ", targets[i], call. = FALSE)
  }
  if (!inherits(release, "incrowd_release")) return(invisible(folder))
  release$folder <- release$release <- normalizePath(folder, winslash = "/")
  for (page in intersect(names(release$report), c("public", "internal", "dossier"))) {
    release$report[[page]] <- sub(from, release$folder, release$report[[page]], fixed = TRUE)
  }
  release$handle <- NULL
  invisible(release)
}

#' @export
as.data.frame.incrowd_release <- function(x, ...) {
  data <- if (is.null(x$data)) read_release(x) else x$data
  if (!is.data.frame(data)) {
    stop("The release has two tables. `release$data` is a list of both.", call. = FALSE)
  }
  data
}

read_manifest <- function(folder) {
  path <- file.path(folder, "manifest.json")
  if (!file.exists(path)) stop("The folder is not a release, it has no manifest.json: ", folder, call. = FALSE)
  jsonlite::fromJSON(file_text(path), simplifyVector = FALSE)
}

read_files <- function(folder, manifest, types = NULL) {
  frames <- lapply(manifest$files, function(file) {
    path <- file.path(folder, file$name)
    if (identical(file$format, "csv")) {
      return(typed(read_cells(path, file$dialect), types))
    }
    need_arrow("to read releases in Parquet or Arrow")
    if (identical(file$format, "parquet")) {
      as.data.frame(arrow::read_parquet(path))
    } else {
      as.data.frame(arrow::read_feather(path, mmap = FALSE))
    }
  })
  if (length(frames) == 1) return(frames[[1]])
  stats::setNames(frames, without_ending(vapply(manifest$files, function(file) file$name, "")))
}

without_ending <- function(names) sub("\\.[^.]*$", "", names)

# All cells of a CSV file as texts, NA where a cell is empty. A dialect is that of a file in a manifest.
read_cells <- function(path, dialect = NULL) {
  bytes <- readBin(path, "raw", file.size(path))
  if (!is.null(dialect$encoding)) {
    text <- sub("^\uFEFF", "", iconv(list(bytes), from = dialect$encoding, to = "UTF-8"))
    bytes <- charToRaw(enc2utf8(text))
    decoded <- tempfile("incrowd-", tempdir(check = TRUE))
    on.exit(unlink(decoded))
    writeBin(bytes, decoded)
    path <- decoded
  }
  if (any(bytes == as.raw(13))) {
    # R turns carriage returns of a cell into line breaks. A character of the private use area holds their place.
    text <- gsub("\r", "\uE00D", mark_utf8(rawToChar(bytes)), fixed = TRUE)
    path <- tempfile("incrowd-", tempdir(check = TRUE))
    on.exit(unlink(path), add = TRUE)
    writeBin(charToRaw(text), path)
  }
  delimiter <- if (is.null(dialect)) "," else dialect$delimiter
  cells <- utils::read.csv(
    path, sep = delimiter, colClasses = "character", na.strings = "", check.names = FALSE, comment.char = "",
    strip.white = FALSE, blank.lines.skip = FALSE, fill = FALSE, encoding = "UTF-8", stringsAsFactors = FALSE, row.names = NULL
  )
  names(cells) <- mark_utf8(names(cells))
  if (any(bytes == as.raw(13))) {
    restore <- function(text) gsub("\uE00D", "\r", text, fixed = TRUE)
    cells[] <- lapply(cells, restore)
    names(cells) <- restore(names(cells))
  }
  for (name in intersect(unlist(dialect$decimal_comma), names(cells))) {
    cells[[name]] <- sub("^(-?[0-9]+),([0-9]+)$", "\\1.\\2", cells[[name]])
  }
  cells
}

# Cells with the types of the table they come from, or with those that every cell has.
typed <- function(cells, types = NULL) {
  cells[] <- lapply(names(cells), function(name) {
    text <- cells[[name]]
    type <- types[[name]]
    if (is.null(type)) return(guessed(text))
    # Empty texts are written as missing values. Where the table had no other missing values, they become texts again.
    if (type$empty && !type$missing) text[is.na(text)] <- ""
    switch(type$kind,
      factor = {
        # Only what occurs in the release: unused levels would reveal removed values.
        seen <- unique(text[!is.na(text)])
        known <- type$levels[type$levels %in% seen]
        labels <- sort(setdiff(seen, known), method = "radix")
        factor(text, levels = c(known, labels), ordered = type$ordered && length(labels) == 0)
      },
      date = if (all(is_date(text))) as.Date(text) else text,
      integer = if (all(is_integer(text))) as.integer(text) else text,
      double = if (all(is_number(text))) as.numeric(text) else text,
      logical = if (all(is.na(text) | text %in% c("TRUE", "FALSE"))) as.logical(text) else text,
      text
    )
  })
  cells
}

guessed <- function(text) {
  if (all(is.na(text))) return(text)
  if (all(is_integer(text))) return(as.integer(text))
  # More digits than a double holds would be lost.
  if (all(is_number(text) & (is.na(text) | nchar(gsub("[^0-9]", "", text)) <= 15))) return(as.numeric(text))
  if (all(is_date(text))) return(as.Date(text))
  text
}

is_integer <- function(text) {
  whole <- grepl("^(0|-?[1-9][0-9]{0,9})$", text)
  whole[whole] <- abs(as.numeric(text[whole])) <= .Machine$integer.max
  is.na(text) | whole
}

is_number <- function(text) {
  is.na(text) | grepl("^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$", text) | text %in% c("Inf", "-Inf")
}

is_date <- function(text) {
  is.na(text) | (grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}$", text) & !is.na(as.Date(text, format = "%Y-%m-%d")))
}
