# Data frames on their way to the command line: files in a private folder.

# A table as the command line takes it: a path is passed on, a data frame is written into a private folder.
table_source <- function(table, name, folder) {
  if (is.data.frame(table)) {
    label <- if (is.name(name) && grepl("^[A-Za-z][A-Za-z0-9._]*$", name)) as.character(name) else "table"
    arrow <- identical(getOption("incrowd.transport", "csv"), "arrow")
    path <- file.path(folder, paste0(label, if (arrow) ".arrow" else ".csv"))
    types <- column_types(table)
    if (arrow) write_arrow(table, path) else write_table(table, path)
    both <- names(types)[vapply(types, function(type) type$empty && type$missing, NA)]
    if (length(both)) {
      warning("NA and empty strings are the same missing value for incrowd. Columns with both: ",
              paste(both, collapse = ", "), ".", call. = FALSE)
    }
    return(list(path = path, delimiter = if (!arrow) ",", mask = stats::setNames(label, path), types = types))
  }
  if (!is.character(table) || length(table) != 1 || is.na(table) || !nzchar(table)) {
    stop("A table is a data frame, or the path of a file, a folder or a pattern as one string.", call. = FALSE)
  }
  list(path = path_argument(table), mask = character())
}

path_argument <- function(path) {
  path <- path.expand(path)
  if (startsWith(path, "-")) file.path(".", path) else path
}

write_table <- function(table, path) {
  names <- column_names(table)
  lone <- length(names) == 1
  cells <- lapply(seq_along(names), function(i) {
    text <- cell_text(table[[i]], names[i])
    text[is.na(text)] <- ""
    # A line without any character would be skipped by readers.
    quoted(text, lone & text == "")
  })
  connection <- file(path, "wb")
  on.exit(close(connection))
  writeLines(paste(quoted(names, TRUE), collapse = ","), connection, useBytes = TRUE)
  rows <- nrow(table)
  step <- 100000
  for (start in seq(1, by = step, length.out = ceiling(rows / step))) {
    part <- start:min(rows, start + step - 1)
    lines <- do.call(paste, c(lapply(cells, `[`, part), sep = ","))
    writeLines(lines, connection, useBytes = TRUE)
  }
}

write_arrow <- function(table, path) {
  need_arrow("to pass data frames by Arrow")
  names <- column_names(table)
  columns <- lapply(seq_along(names), function(i) {
    column <- table[[i]]
    text <- cell_text(column, names[i])
    plain <- is.numeric(column) || inherits(column, c("Date", "POSIXct")) || is.logical(column)
    if (plain) return(unlabelled(column))
    text[!is.na(text) & text == ""] <- NA
    text
  })
  frame <- structure(columns, names = names, class = "data.frame", row.names = .set_row_names(nrow(table)))
  arrow::write_feather(frame, path, compression = "uncompressed")
}

need_arrow <- function(why) {
  if (!requireNamespace("arrow", quietly = TRUE)) {
    stop("The package `arrow` is needed ", why, ". Install it, or use CSV.", call. = FALSE)
  }
}

quoted <- function(text, also = FALSE) {
  quote <- also | grepl("[\",\r\n]", text)
  text[quote] <- paste0("\"", gsub("\"", "\"\"", text[quote], fixed = TRUE), "\"")
  text
}

column_names <- function(table) {
  names <- names(table)
  names[is.na(names)] <- ""
  utf8(names)
}

# The cells of a column as text, NA where a value is missing. An empty text is a missing value for incrowd.
cell_text <- function(column, name) {
  cannot <- function(what) {
    refuse("IC408", paste0("column \u201c", name, "\u201d ", what), "Convert the column to a vector, or leave it out.")
  }
  if (inherits(column, "integer64")) cannot("holds 64-bit integers, which base R cannot read")
  if (is.list(column) && !inherits(column, "POSIXlt")) cannot("holds lists, which cannot be grouped")
  if (length(dim(column)) > 1) cannot("is a matrix or an array, not a vector")
  if (is.complex(column) || is.raw(column)) cannot("holds complex numbers or raw bytes, which cannot be grouped")
  if (is.factor(column)) {
    text <- text_cells(levels(column), name)[as.integer(column)]
  } else if (inherits(column, "Date")) {
    text <- ifelse(is.finite(column), day_text(column), NA_character_)
  } else if (inherits(column, c("POSIXct", "POSIXlt"))) {
    text <- time_text(column)
  } else if (inherits(column, "difftime")) {
    text <- number_text(as.numeric(column))
  } else {
    plain <- unlabelled(column)
    if (is.object(plain)) cannot(paste0("has the class ", class(plain)[1], ", which is not known here"))
    text <- switch(typeof(plain),
      logical = as.character(plain),
      integer = as.character(plain),
      double = number_text(plain),
      character = text_cells(plain, name),
      cannot("holds neither texts nor numbers")
    )
  }
  text
}

# Without the classes that only annotate a vector.
unlabelled <- function(column) {
  if (inherits(column, c("AsIs", "haven_labelled", "labelled"))) {
    class(column) <- setdiff(class(column), c("AsIs", "haven_labelled", "haven_labelled_spss", "labelled", "vctrs_vctr",
                                              "double", "integer", "character"))
  }
  column
}

text_cells <- function(text, name) {
  text <- utf8(text)
  if (any(Encoding(text) == "bytes") || !all(validUTF8(text[!is.na(text)]))) {
    refuse("IC405", paste0("column \u201c", name, "\u201d has texts that are not valid in their encoding"),
           "Convert the column with iconv(), for example from latin1 to UTF-8.")
  }
  text
}

utf8 <- function(text) {
  # In the C locale R does not know the encoding of unmarked bytes; the command line takes UTF-8 only.
  if (!l10n_info()[["MBCS"]] && !l10n_info()[["Latin-1"]]) {
    text[Encoding(text) == "unknown"] <- mark_utf8(text[Encoding(text) == "unknown"])
  }
  known <- Encoding(text) != "bytes"
  text[known] <- enc2utf8(text[known])
  text
}

mark_utf8 <- function(text) {
  Encoding(text) <- "UTF-8"
  text
}

day_text <- function(column) {
  parts <- as.POSIXlt(column)
  sprintf("%04d-%02d-%02d", as.integer(parts$year) + 1900L, as.integer(parts$mon) + 1L, as.integer(parts$mday))
}

# Times that all fall on midnight are days.
time_text <- function(column) {
  parts <- as.POSIXlt(column)
  known <- !is.na(parts)
  text <- rep(NA_character_, length(known))
  day <- day_text(parts[known])
  seconds <- parts$sec[known]
  if (any(parts$hour[known] != 0 | parts$min[known] != 0 | seconds != 0)) {
    form <- if (any(seconds != floor(seconds))) "%s %02d:%02d:%09.6f" else "%s %02d:%02d:%02.0f"
    day <- sprintf(form, day, as.integer(parts$hour[known]), as.integer(parts$min[known]), seconds)
  }
  text[known] <- day
  text
}

# The shortest decimal that reads as the same number, without an exponent: the form that incrowd takes for a number.
number_text <- function(x) {
  x <- as.numeric(x) + 0
  values <- unique(x)
  text <- rep(NA_character_, length(values))
  finite <- is.finite(values)
  for (digits in 15:17) {
    todo <- which(finite & (is.na(text) | suppressWarnings(as.numeric(text)) != values))
    text[todo] <- sprintf(paste0("%.", digits, "g"), values[todo])
  }
  raised <- grepl("e", text, fixed = TRUE)
  text[raised] <- vapply(text[raised], without_exponent, "", USE.NAMES = FALSE)
  text[is.infinite(values)] <- as.character(values[is.infinite(values)])
  text[match(x, values)]
}

without_exponent <- function(text) {
  parts <- regmatches(text, regexec("^(-?)([0-9])(?:\\.([0-9]+))?e([+-][0-9]+)$", text))[[1]]
  digits <- paste0(parts[3], parts[4])
  point <- 1 + as.integer(parts[5])
  if (point <= 0) return(paste0(parts[2], "0.", strrep("0", -point), digits))
  if (point >= nchar(digits)) return(paste0(parts[2], digits, strrep("0", point - nchar(digits))))
  paste0(parts[2], substr(digits, 1, point), ".", substring(digits, point + 1))
}

# What the columns of a data frame were, to give the release the same classes. Not kept in answers: levels are values.
column_types <- function(table) {
  types <- lapply(seq_along(table), function(i) {
    column <- table[[i]]
    kind <- if (is.factor(column)) "factor"
      else if (inherits(column, "Date")) "date"
      else if (is.object(unlabelled(column))) "text"
      else typeof(unlabelled(column))
    list(
      kind = kind,
      ordered = is.ordered(column),
      levels = if (kind == "factor") text_cells(levels(column), names(table)[i]),
      missing = anyNA(column),
      empty = kind %in% c("character", "factor") && any(as.character(unique(column)) == "", na.rm = TRUE)
    )
  })
  stats::setNames(types, column_names(table))
}
