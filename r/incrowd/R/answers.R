# JSON answers as lists, with a data frame for every list of objects.

# A data frame with one row for each object. `fields` names the columns and says what each holds.
table_of <- function(objects, fields) {
  empty <- list(text = NA_character_, number = NA_real_, flag = NA)
  columns <- lapply(names(fields), function(name) {
    values <- lapply(objects, function(object) object[[name]])
    if (fields[[name]] == "list") return(lapply(values, function(value) as.character(unlist(value))))
    missing <- empty[[fields[[name]]]]
    vapply(values, function(value) if (is.null(value)) missing else as.vector(value, mode(missing)), missing)
  })
  structure(columns, names = names(fields), class = "data.frame", row.names = .set_row_names(length(objects)))
}

FINDINGS <- c(severity = "text", code = "text", name = "text", columns = "list", message = "text", rows = "number",
              share = "number")
CURVE <- c(k = "number", suppressed_rows = "number", share = "number")
ATTRIBUTES <- c(name = "text", distinct = "number", distinction = "number", separation = "number", k = "number",
                unique_without = "number", below_without = "number")
SENSITIVE <- c(column = "text", values = "number", p = "number", distinct_l = "number", alpha = "number",
               frequency_l = "number", entropy_l = "number", recursive_c_l2 = "number", recursive_c_l3 = "number",
               t_equal = "number", t_ordered = "number", beta = "number", beta_enhanced = "number", delta = "number")
TABLES <- list(
  check = list(
    columns = c(name = "text", role = "text", kind = "text", distinct = "number", missing = "number",
                declared = "flag", confidence = "text", reason = "text"),
    curve = CURVE,
    attributes = ATTRIBUTES,
    dangerous_sets = c(columns = "list", k = "number", unique_rows = "number", rows_below_k = "number"),
    exposed_values = c(column = "text", value = "text", rows = "number", exposed = "number"),
    sensitive = SENSITIVE,
    findings = FINDINGS
  ),
  diagnosis = list(
    curve = CURVE,
    attributes = ATTRIBUTES,
    sets = c(columns = "list", k = "number", classes = "number", unique_rows = "number", least_delta = "number"),
    classes_to_suppress = c(values = "list", size = "number"),
    sensitive = SENSITIVE,
    findings = FINDINGS
  ),
  release = list(
    withheld_for = c(rule = "text", rows = "number", why = "text"),
    findings = FINDINGS
  ),
  verification = list(
    faults = c(kind = "text", message = "text"),
    models = c(model = "text", sensitive = "text", holds = "flag", classes_failing = "number", promise = "text"),
    not_checked = c(model = "text", sensitive = "text", promise = "text"),
    sql = c(model = "text", sensitive = "text", sql = "text")
  ),
  attack = list(
    attacks = c(attack = "text", column = "text", evidence = "text", success = "number", baseline = "number",
                low = "number", high = "number", limit = "number", above = "flag", meaning = "text"),
    not_run = c(attack = "text", needs = "text")
  )
)
TEXTS <- c("quasi_identifiers", "columns", "notes", "promises", "exceeded", "unmeasured")
ALWAYS <- c("findings", "faults", "models", "not_checked")

# The answer of a command as an object: every key of the JSON, lists of objects as data frames.
answer_object <- function(answer, kind) {
  tables <- TABLES[[kind]]
  for (name in union(intersect(names(tables), names(answer)), intersect(ALWAYS, names(tables)))) {
    answer[[name]] <- table_of(answer[[name]], tables[[name]])
  }
  for (name in intersect(TEXTS, names(answer))) {
    if (all(vapply(answer[[name]], is.character, NA))) answer[[name]] <- as.character(unlist(answer[[name]]))
  }
  for (name in intersect(c("largest_safe", "smallest_dangerous"), names(answer))) {
    answer[[name]] <- lapply(answer[[name]], function(set) as.character(unlist(set)))
  }
  structure(answer, class = c(paste0("incrowd_", kind), "incrowd_answer"))
}

# One row of figures; those that the answer does not have are NA.
figures <- function(answer, names) {
  values <- lapply(names, function(name) {
    value <- answer[[name]]
    if (is.null(value)) NA else value
  })
  as.data.frame(stats::setNames(values, names), stringsAsFactors = FALSE)
}
