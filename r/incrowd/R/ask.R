# The questions: check, diagnose, verify, attack.

#' Measure the re-identification risk of a table
#'
#' Guesses the role of each column, counts equivalence classes on the quasi-identifiers, and finds the smallest column
#' sets with classes smaller than k. Needs no configuration.
#'
#' @param table A data frame, or a path: a file, a folder or a pattern (CSV, Parquet, Arrow) as on the command line.
#'   Row names of a data frame are not read.
#' @param k Minimum class size (default: 5).
#' @param qi,sensitive,identifier,insensitive Names of columns with this role; `qi` are the quasi-identifiers. In
#'   `check()` the roles of other columns are guessed.
#' @param subject Column that identifies the person of each row. People are then counted instead of rows.
#' @param rows_are_people `TRUE` declares that each row is a different person although an identifier has repeated
#'   values.
#' @param max_columns Maximum size of the column sets that are searched.
#' @param plan Path of a plan (`incrowd.toml`) with roles and k; other arguments override it.
#' @param null Texts that mean a missing value, such as `"?"`.
#' @param date_format Date formats of columns: `c(birth = "%d.%m.%Y")`.
#' @param show_values `TRUE` adds values of the table to the answer, which then contains cells.
#' @param memory,threads Limits on resources, such as `"4GiB"` and `2`.
#' @param args More arguments for the command line, as a character vector: `c("--input-format=csv")`.
#' @return A list of class `incrowd_check` with the keys of `incrowd check --format json`: among others `safe`,
#'   `verdict`, `k`, `unique_rows`, `rows_below_k`, and the data frames `findings`, `columns` (roles, with reasons),
#'   `dangerous_sets`, `curve` (share of rows to suppress for each k) and `attributes` (risk by quasi-identifier).
#'   `summary()` is a data frame with one row of figures; `plot()` draws the column sets or the suppression curve.
#' @seealso [diagnose()] for questions about columns you name; [anonymize()].
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' found <- check(people)
#' found$safe
#' found$findings[, c("severity", "code", "message")]
#' plot(found)
#' }
#' @export
check <- function(table, k = NULL, qi = NULL, sensitive = NULL, identifier = NULL, insensitive = NULL, subject = NULL,
                  rows_are_people = FALSE, max_columns = NULL, plan = NULL, null = NULL, date_format = NULL,
                  show_values = FALSE, memory = NULL, threads = NULL, args = character()) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  source <- table_source(table, substitute(table), folder)
  answer <- ask("check", c(
    reading(source, null, date_format),
    roles(qi, sensitive, identifier, insensitive, subject, rows_are_people, plan),
    flags(k = k, max_columns = max_columns, show_values = show_values),
    running(folder, memory, threads), args, source$path
  ), source$mask)
  answer_object(answer, "check")
}

#' Class sizes and suppression for given columns
#'
#' @inheritParams check
#' @param qi Quasi-identifiers: the columns on which classes are counted.
#' @param identifier,insensitive Names of columns with this role.
#' @param k Minimum class size to test. Without it, class sizes are measured without a verdict.
#' @param delta Maximum share of rows to suppress, such as 0.02.
#' @param at_most `TRUE` tests "at most k" instead of "at least k".
#' @param sets `TRUE` finds the largest column sets that reach k and the smallest that do not.
#' @param all_sets `TRUE` measures every column set.
#' @param curve `TRUE` (default) measures the share of rows to suppress for each k.
#' @param columns `TRUE` measures what each column adds to the risk.
#' @param sampling_fraction,population_size The share of the population that is in the table, or the number of people in
#'   the population; give one of them to estimate how many people are unique in the population (`population`).
#' @param special_uniques,depth `TRUE` finds rows that are unique on sets of at most `depth` columns (default: 6).
#' @param weight,household Columns with the survey weight and the household of each row; `weight` estimates the risk of
#'   each row (`survey`), `household` also that of households.
#' @param log_linear `TRUE` fits log-linear models to the unique rows; needs `sampling_fraction`, `population_size` or
#'   `weight`.
#' @param sensitive Columns for which to report the parameters of l-diversity, t-closeness and other models that the
#'   table keeps unchanged.
#' @return A list of class `incrowd_diagnosis` with the keys of `incrowd diagnose --format json`: `rows`, `tuples`
#'   (classes), `k` (size of the smallest class), `unique_rows`, and if requested `holds`,
#'   `rows_below_k`, `least_delta`, `k_suppressed`, `largest_safe`, `smallest_dangerous`, and the data frames `curve`,
#'   `attributes`, `sets`, `sensitive`. `plot()` draws the suppression curve.
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' asked <- diagnose(people, qi = c("age", "sex"), k = 5, delta = 0.02)
#' asked$holds
#' plot(asked)
#' }
#' @export
diagnose <- function(table, qi = NULL, k = NULL, delta = NULL, at_most = FALSE, sets = FALSE, all_sets = FALSE,
                     max_columns = NULL, curve = TRUE, columns = FALSE, sensitive = NULL, identifier = NULL,
                     insensitive = NULL, subject = NULL, rows_are_people = FALSE, plan = NULL, null = NULL,
                     date_format = NULL, show_values = FALSE, memory = NULL, threads = NULL, args = character(),
                     sampling_fraction = NULL, population_size = NULL, special_uniques = FALSE, depth = NULL,
                     weight = NULL, household = NULL, log_linear = FALSE) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  source <- table_source(table, substitute(table), folder)
  answer <- ask("diagnose", c(
    reading(source, null, date_format),
    roles(qi, sensitive, identifier, insensitive, subject, rows_are_people, plan),
    flags(
      k = k, delta = delta, at_most = at_most, sets = sets, all_sets = all_sets, max_columns = max_columns,
      curve = curve, columns = columns, show_values = show_values, sampling_fraction = sampling_fraction,
      population_size = population_size, special_uniques = special_uniques, depth = depth, weight = weight,
      household = household, log_linear = log_linear
    ),
    running(folder, memory, threads), args, source$path
  ), source$mask)
  # What was asked belongs to the picture.
  if (is.numeric(k)) answer$k_asked <- k
  if (is.numeric(delta)) answer$delta <- delta
  answer_object(answer, "diagnosis")
}

#' Check whether a release keeps its promises
#'
#' Reads the written files again, with code that the solver does not share, and checks every promise of the manifest.
#' With `against`, it also checks that every published cell is true to the original table and that no row was lost or
#' added.
#'
#' @inheritParams check
#' @param release A release of [anonymize()], or the path of a release's folder.
#' @param against The original table: a data frame or a path, as it was given to [anonymize()].
#' @param memory Limit on memory, such as `"4GiB"`.
#' @param sql `TRUE` adds for each promise an SQL query that returns no row exactly if the promise holds.
#' @param record Path of the internal record (default: next to the release).
#' @return A list of class `incrowd_verification` with the keys of `incrowd verify --format json`: `verified`, `rows`,
#'   `classes`, `smallest_class`, and the data frames `models` (every promise, and whether it holds) and `faults`.
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' release <- anonymize(people, k = 5, qi = c("age", "sex"), sensitive = "diagnosis", others = "remove")
#' verify(release, against = people)$verified
#' }
#' @export
verify <- function(release, against = NULL, sql = FALSE, record = NULL, null = NULL, date_format = NULL, memory = NULL,
                   args = character()) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  source <- if (!is.null(against)) table_source(against, substitute(against), folder)
  answer <- ask("verify", c(
    reading(source, null, date_format),
    flags(
      against = source$path, sql = sql, record = if (!is.null(record)) path_argument(record), memory = memory
    ),
    args, release_folder(release)
  ), source$mask)
  answer$release <- release_folder(release)
  answer$against <- !is.null(against)
  answer_object(answer, "verification")
}

#' What an attacker learns from a release
#'
#' Runs every attack for which the data is given, and reports what the others need. Proven results hold for
#' any attacker; for the others, a better attacker may succeed more often.
#'
#' @inheritParams verify
#' @inheritParams check
#' @param memory,threads Limits on resources, such as `"4GiB"` and `2`.
#' @param register Population register with the same quasi-identifier columns: a data frame or a path.
#' @param also Another release of the same people: a release or its folder.
#' @param risk Risk above which a person counts as exposed (default: 0.09).
#' @param limits Maximum success of attacks: `c(prosecutor = 0.2)`. Without it, an attack is compared with what
#'   the policy promises about it.
#' @return A list of class `incrowd_attack`: `verdict` (`"within-limits"`, `"above-limit"`, `"not-measured"` or
#'   `"no-limits"`), and the data frames `attacks` (success, baseline, limit) and `not_run`. `plot()` draws the success
#'   of each attack with its baseline and limit.
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' release <- anonymize(people, k = 5, qi = c("age", "sex"), sensitive = "diagnosis", others = "remove")
#' plot(attack(release, against = people))
#' }
#' @export
attack <- function(release, against = NULL, register = NULL, also = NULL, risk = NULL, limits = NULL, plan = NULL,
                   record = NULL, null = NULL, date_format = NULL, memory = NULL, threads = NULL, args = character()) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  source <- if (!is.null(against)) table_source(against, substitute(against), folder)
  if (!is.null(register)) {
    inner <- file.path(folder, "register")
    dir.create(inner, mode = "0700")
    register <- table_source(register, substitute(register), inner)
  }
  answer <- ask("attack", c(
    reading(source, null, date_format),
    flags(
      against = source$path, register = register$path, also = if (!is.null(also)) release_folder(also), risk = risk,
      limit = pairs_text(limits, "limits"), plan = if (!is.null(plan)) path_argument(plan),
      record = if (!is.null(record)) path_argument(record)
    ),
    running(folder, memory, threads), args, release_folder(release)
  ), c(source$mask, register$mask))
  answer_object(answer, "attack")
}

#' How useful are releases of a table?
#'
#' Measures what releases of the same table lost for their readers: the error of random counting queries, the distance
#' of each column's distribution from the original, and the change in the dependence between columns.
#'
#' @inheritParams check
#' @param original The table that the releases were made from: a data frame or a path.
#' @param releases A release or the path of its folder, or a list of several. Names of the list are labels.
#' @param target Column to predict; reports the accuracy of a classifier trained on each release.
#' @param queries Number of random queries (default: 1000).
#' @param seed Seed of the queries.
#' @return A list of class `incrowd_comparison`: the data frames `releases` (one row each, with `smallest_class`,
#'   `risk`, which is 1 / smallest class for a release in one table, the loss `lm`, `query_error`, the mean relative
#'   error, `marginal_distance` and `dependence_difference`) and `marginals` (one row for each release and column).
#'   `summary()` is the first of the two. `plot()` draws the loss of each release against its risk.
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' releases <- lapply(c("k = 3" = 3, "k = 10" = 10), function(k) {
#'   anonymize(people, k = k, qi = c("age", "sex"), others = "remove")
#' })
#' compared <- compare(people, releases)
#' plot(compared)
#' }
#' @export
compare <- function(original, releases, target = NULL, queries = NULL, seed = NULL, null = NULL, date_format = NULL,
                    memory = NULL, threads = NULL, args = character()) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  source <- table_source(original, substitute(original), folder)
  if (inherits(releases, "incrowd_release") || is.character(releases)) {
    releases <- if (is.character(releases)) as.list(releases) else list(releases)
  }
  answer <- ask("compare", c(
    reading(source, null, date_format),
    flags(target = columns(target), queries = queries, seed = seed),
    running(folder, memory, threads), args, source$path, vapply(releases, release_folder, "", USE.NAMES = FALSE)
  ), source$mask)
  labels <- names(releases)
  if (is.null(labels)) labels <- rep("", length(releases))
  labels <- ifelse(nzchar(labels), labels, paste("release", seq_along(releases)))
  rows <- Map(function(one, label) {
    two <- identical(one$publish, "two-tables")
    list(
      release = label, publish = one$publish, algorithm = one$algorithm, rows = one$rows,
      suppressed_rows = one$suppressed_rows, classes = one$class_sizes$classes,
      smallest_class = one$class_sizes$smallest, risk = if (!two) 1 / one$class_sizes$smallest, lm = one$loss$lm,
      query_error = if (length(one$queries)) one$queries[[1]]$mean, marginal_distance = one$marginal_distance,
      dependence_difference = one$dependence_difference, accuracy = one$accuracy
    )
  }, answer$releases, labels)
  marginals <- unlist(Map(function(one, label) lapply(one$marginals, c, release = label), answer$releases, labels),
                      recursive = FALSE)
  answer$marginals <- table_of(unname(marginals), c(
    release = "text", column = "text", distance = "number", mean_before = "number", mean_after = "number"
  ))
  answer$releases <- table_of(unname(rows), c(
    release = "text", publish = "text", algorithm = "text", rows = "number", suppressed_rows = "number",
    classes = "number", smallest_class = "number", risk = "number", lm = "number", query_error = "number",
    marginal_distance = "number", dependence_difference = "number", accuracy = "number"
  ))
  answer_object(answer, "comparison")
}

#' A census-like table of made-up people
#'
#' @param rows Number of rows.
#' @param seed The same seed gives the same table.
#' @return A data frame of made-up people: `person_id`, `age`, `sex`, `education`, `postcode`, `diagnosis` and other
#'   columns.
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' }
#' @export
sample_table <- function(rows = 10000, seed = 42) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  path <- file.path(folder, "people.csv")
  said <- run_program(c("sample", flags(rows = rows, seed = seed, output = path), "--quiet"))
  fault <- refusal_of(said$err)
  if (!is.null(fault)) refuse(fault$code, fault$message, fault$hint)
  typed(read_cells(path))
}
