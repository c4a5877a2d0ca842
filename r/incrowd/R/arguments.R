# Arguments of R functions as arguments of the command line.

# `--name=value` for each value of each argument; TRUE is the bare flag, NULL and FALSE are nothing.
flags <- function(...) {
  given <- list(...)
  unlist(lapply(names(given), function(name) {
    value <- given[[name]]
    flag <- paste0("--", gsub("_", "-", name, fixed = TRUE))
    if (is.null(value) || identical(value, FALSE)) return(NULL)
    if (identical(value, TRUE)) return(flag)
    if (anyNA(value) || is.list(value)) stop("`", name, "` must not be NA or a list.", call. = FALSE)
    paste0(flag, "=", value_text(value))
  }))
}

value_text <- function(value) {
  if (is.numeric(value)) number_text(value) else utf8(as.character(value))
}

# Names of columns as one list. The command line separates them by commas.
columns <- function(names) {
  if (is.null(names)) return(NULL)
  if (!is.character(names) || anyNA(names)) stop("Columns are named by a character vector.", call. = FALSE)
  if (any(grepl(",", names, fixed = TRUE))) {
    stop("A column whose name has a comma cannot be given a role. Rename the column.", call. = FALSE)
  }
  if (length(names) == 0) NULL else paste(utf8(names), collapse = ",")
}

# c(diagnosis = 0.5) as "diagnosis=0.5".
pairs_text <- function(values, what) {
  if (length(values) == 0) return(NULL)
  values <- unlist(lapply(values, value_text))
  if (is.null(names(values)) || !all(nzchar(names(values)))) {
    stop("`", what, "` must be named by columns, such as ", what, " = c(diagnosis = ...).", call. = FALSE)
  }
  paste0(utf8(names(values)), "=", values)
}

# A parameter of all sensitive columns, or of those that the names say.
for_columns <- function(value, all, each, what) {
  if (is.null(value)) return(NULL)
  if (is.null(names(value))) return(paste0("--", all, "=", value_text(value)))
  paste0("--", each, "=", pairs_text(value, what))
}

reading <- function(source, null, date_format) {
  flags(delimiter = source$delimiter, null = null, date_format = pairs_text(date_format, "date_format"))
}

roles <- function(qi, sensitive, identifier, insensitive, subject, rows_are_people, plan) {
  flags(
    qi = columns(qi), sensitive = columns(sensitive), identifier = columns(identifier),
    insensitive = columns(insensitive), subject = columns(subject), rows_are_people = rows_are_people,
    plan = if (!is.null(plan)) path_argument(plan)
  )
}

running <- function(folder, memory, threads) {
  flags(temp = folder, memory = memory, threads = threads)
}

# Hierarchies as the command line takes them. Data frames and widths become files.
hierarchy_flags <- function(hierarchies, source, folder, reading) {
  if (length(hierarchies) == 0) return(NULL)
  if (is.null(names(hierarchies)) || !all(nzchar(names(hierarchies)))) {
    stop("`hierarchies` must be named by columns, such as hierarchies = list(age = c(5, 10)).", call. = FALSE)
  }
  unlist(lapply(seq_along(hierarchies), function(i) {
    hierarchy <- hierarchies[[i]]
    column <- utf8(names(hierarchies)[i])
    path <- file.path(folder, paste0("hierarchy-", i, ".csv"))
    if (is.data.frame(hierarchy)) {
      write_hierarchy(hierarchy, path)
    } else if (is.numeric(hierarchy)) {
      widths <- paste(number_text(hierarchy), collapse = ",")
      built <- run_program(
        c("hierarchy", "build", reading, flags(column = column, widths = widths, output = path), source$path),
        source$mask
      )
      fault <- refusal_of(built$err)
      if (!is.null(fault)) refuse(fault$code, fault$message, fault$hint)
    } else {
      path <- path_argument(hierarchy)
    }
    paste0("--hierarchy=", column, "=", path)
  }))
}

write_hierarchy <- function(hierarchy, path) {
  cells <- lapply(seq_along(hierarchy), function(i) {
    text <- cell_text(hierarchy[[i]], names(hierarchy)[i])
    text[is.na(text)] <- ""
    paste0("\"", gsub("\"", "\"\"", text, fixed = TRUE), "\"")
  })
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeLines(do.call(paste, c(cells, sep = ";")), connection, useBytes = TRUE)
}
