# What answers print. Figures and the names of columns, never a cell.

count <- function(x) format(x, big.mark = ",", scientific = FALSE, trim = TRUE)
percent <- function(x) sprintf("%.1f %%", 100 * x)
wrapped <- function(text, indent = 0) cat(strwrap(text, 96, indent = indent, exdent = indent), sep = "\n")
nouns <- function(number, one, many = paste0(one, "s")) paste(count(number), if (number == 1) one else many)

# A small table with headings, texts to the left and numbers to the right. The last column is wrapped.
print_table <- function(columns) {
  if (length(columns[[1]]) == 0) return(invisible())
  last <- length(columns)
  cells <- lapply(seq_along(columns), function(i) {
    values <- columns[[i]]
    text <- if (is.numeric(values)) count(values) else as.character(values)
    text[is.na(text)] <- "-"
    shown <- c(names(columns)[i], text)
    if (i == last) shown else formatC(shown, width = max(nchar(shown)), flag = if (is.numeric(values)) "" else "-")
  })
  before <- if (last > 1) do.call(paste, c(cells[-last], sep = "  ")) else rep("", length(cells[[1]]))
  width <- nchar(before[1])
  for (i in seq_along(before)) {
    parts <- strwrap(cells[[last]][i], max(40, 94 - width))
    if (length(parts) == 0) parts <- ""
    cat(sprintf("  %s  %s\n", c(before[i], rep(strrep(" ", width), length(parts) - 1)), parts), sep = "")
  }
}

# With a subject column, classes count people: each once in every class with rows of theirs.
unit <- function(x) if (is.null(x$people) || x$people == x$rows) "rows" else "people"

sets_text <- function(sets) vapply(sets, paste, "", collapse = " + ")

print_findings <- function(findings) {
  if (is.null(findings) || nrow(findings) == 0) return(invisible())
  cat("\nFindings (explain(\"", findings$code[1], "\") describes a code)\n", sep = "")
  shown <- utils::head(findings, 12)
  print_table(list(severity = shown$severity, code = shown$code, finding = shown$message))
  more <- nrow(findings) - nrow(shown)
  if (more > 0) cat("  and ", more, " more: `findings`\n", sep = "")
}

#' @export
print.incrowd_check <- function(x, ...) {
  cat(x$source, ": ", nouns(x$rows, "row"), ", ", nouns(nrow(x$columns), "column"), "\n", sep = "")
  wrapped(x$verdict)
  cat("\nColumns\n")
  print_table(list(
    column = x$columns$name, role = x$columns$role, kind = x$columns$kind, values = x$columns$distinct,
    missing = x$columns$missing,
    "role is" = ifelse(x$columns$declared, "declared", paste("guessed,", x$columns$confidence))
  ))
  if (length(x$quasi_identifiers)) {
    cat("\nClasses on ", nouns(length(x$quasi_identifiers), "quasi-identifier"), "\n", sep = "")
    print_figures(c(
      "classes" = count(x$classes), "smallest class (k)" = count(x$k),
      stats::setNames(count(x$unique_rows), paste("unique", unit(x))),
      stats::setNames(count(x$rows_below_k), paste(unit(x), "in classes smaller than", x$k_asked))
    ))
  }
  if (NROW(x$dangerous_sets)) {
    cat("\nSmallest column sets with classes smaller than ", x$k_asked, "\n", sep = "")
    shown <- utils::head(x$dangerous_sets, 8)
    print_table(list(
      k = shown$k, unique = shown$unique_rows, below = shown$rows_below_k, columns = sets_text(shown$columns)
    ))
    more <- nrow(x$dangerous_sets) - nrow(shown)
    if (more > 0) cat("  and ", more, " more: `dangerous_sets`\n", sep = "")
  }
  print_findings(x$findings)
  invisible(x)
}

print_figures <- function(values) {
  values <- values[!is.na(values)]
  left <- formatC(names(values), width = max(nchar(names(values))), flag = "-")
  cat(sprintf("  %s  %s\n", left, values), sep = "")
}

#' @export
print.incrowd_diagnosis <- function(x, ...) {
  wrapped(paste0(x$source, " on ", paste(x$quasi_identifiers, collapse = ", ")))
  shown <- function(value, text = count(value)) if (is.null(value)) NA else text
  print_figures(c(
    "rows" = count(x$rows), "people" = shown(x$people), "classes" = count(x$tuples),
    "smallest class (k)" = count(x$k),
    stats::setNames(count(x$unique_rows), paste("unique", unit(x))),
    stats::setNames(shown(x$rows_below_k), paste(unit(x), "in classes smaller than", x$k_asked)),
    stats::setNames(
      shown(x$least_delta, paste0(format(x$least_delta, digits = 4), " (", percent(x$least_delta), ")")),
      paste("share to suppress for k =", x$k_asked)
    ),
    stats::setNames(shown(x$k_suppressed), paste("k with at most", x$delta, "suppressed"))
  ))
  if (length(x$largest_safe)) {
    cat("Largest column sets that reach k = ", x$k_asked, "\n", sep = "")
    cat(paste0("  ", sets_text(x$largest_safe), "\n"), sep = "")
  }
  if (length(x$smallest_dangerous)) {
    cat("Smallest column sets that do not\n")
    cat(paste0("  ", sets_text(x$smallest_dangerous), "\n"), sep = "")
  }
  if (NROW(x$attributes)) {
    cat("Columns\n")
    print_table(list(
      column = x$attributes$name, values = x$attributes$distinct, k = x$attributes$k,
      "unique without it" = x$attributes$unique_without, separates = percent(x$attributes$separation)
    ))
  }
  print_findings(x$findings)
  if (!is.null(x$holds)) cat("k = ", x$k_asked, if (x$holds) " holds\n" else " does not hold\n", sep = "")
  invisible(x)
}

#' @export
print.incrowd_release <- function(x, ...) {
  cat(x$source, ": release of ", nouns(x$rows - x$suppressed_rows, "row"),
      if (x$verified) ", verified on the written files" else ", not verified", "\n", sep = "")
  loss <- x$loss
  figure <- function(value, words) if (is.null(value)) NA else sprintf("%.4f  %s", value, words)
  bound <- if (isTRUE(x$optimal)) "(the loss is proven optimal)"
    else if (!is.null(loss$ratio)) sprintf("(the loss is %.2f times the bound)", loss$ratio)
    else ""
  print_figures(c(
    "classes" = count(x$classes),
    "smallest class" = paste(count(x$smallest_class), if (identical(x$counts, "people")) "people" else "rows"),
    "suppressed rows" = paste0(count(x$suppressed_rows), " of ", count(x$rows)),
    "information loss (LM)" = figure(loss$lm, "(0 = none, 1 = all detail lost)"),
    "lower bound on LM" = figure(loss$bound, bound),
    "solver" = x$algorithm
  ))
  if (nrow(x$columns)) {
    cat("\nQuasi-identifiers\n")
    lm <- sprintf("%.4f", x$columns$lm)
    print_table(c(
      list(column = x$columns$name, unchanged = percent(x$columns$unchanged), "loss (LM)" = lm),
      if (nrow(x$levels)) list("levels: share of rows" = vapply(x$columns$name, function(name) {
        level <- x$levels[x$levels$name == name, ]
        paste0(level$level, ": ", sprintf("%.0f %%", 100 * level$share), collapse = ", ")
      }, ""))
    ))
  }
  if (length(x$promises)) {
    cat("\nPromises\n")
    for (promise in x$promises) wrapped(promise, 2)
  }
  print_findings(x$findings)
  for (note in x$notes) wrapped(paste("note:", note))
  if (!is.null(x$handle)) cat("\nThe release is in a temporary folder. save_release() keeps it.\n")
  else cat("\nFolder: ", x$folder, "\n", sep = "")
  invisible(x)
}

#' @export
print.incrowd_verification <- function(x, ...) {
  cat(if (x$verified) "verified" else "NOT verified", ": ", nouns(x$rows, "row"), " in ",
      nouns(x$classes, "class", "classes"), ", the smallest with ", nouns(x$smallest_class, "row"), "\n", sep = "")
  if (x$verified && x$against) {
    cat("Every published cell is true to the table, and no row was lost or added.\n")
  }
  models <- x$models
  print_table(list(
    result = ifelse(models$holds, "holds", "fails"), model = models$model, column = models$sensitive,
    promise = models$promise
  ))
  if (nrow(x$not_checked)) {
    cat("Not checked on the written files\n")
    print_table(list(model = x$not_checked$model, column = x$not_checked$sensitive, promise = x$not_checked$promise))
  }
  if (nrow(x$faults)) {
    cat("Faults\n")
    print_table(list(kind = x$faults$kind, fault = x$faults$message))
  }
  invisible(x)
}

#' @export
print.incrowd_attack <- function(x, ...) {
  cat("Attacks on ", nouns(x$rows, "row"), ": ", gsub("-", " ", x$verdict), "\n", sep = "")
  share <- function(value) ifelse(is.na(value), "-", sprintf("%.3f", value))
  attacks <- x$attacks
  print_table(list(
    attack = attacks$attack, column = attacks$column, evidence = attacks$evidence, success = share(attacks$success),
    baseline = share(attacks$baseline), limit = share(attacks$limit)
  ))
  if (NROW(x$not_run)) {
    cat("Not run\n")
    print_table(list(attack = x$not_run$attack, needs = x$not_run$needs))
  }
  invisible(x)
}

#' @export
print.incrowd_comparison <- function(x, ...) {
  cat(nouns(nrow(x$releases), "release"), " of ", x$original, ", ", nouns(x$rows, "row"), "\n", sep = "")
  share <- function(value) ifelse(is.na(value), "-", sprintf("%.4f", value))
  one <- x$releases
  print_table(c(
    list(
      release = one$release, "smallest class" = one$smallest_class, suppressed = one$suppressed_rows,
      "loss (LM)" = share(one$lm), "query error" = share(one$query_error),
      "column distance" = share(one$marginal_distance), "dependence change" = share(one$dependence_difference)
    ),
    if (!all(is.na(one$accuracy))) list(accuracy = share(one$accuracy))
  ))
  cat("Loss, query error, distance and change: 0 = no loss.\n")
  if (!all(is.na(one$accuracy))) cat(sprintf("Accuracy on the original: %.4f\n", x$classifier$accuracy))
  invisible(x)
}

#' @export
summary.incrowd_comparison <- function(object, ...) object$releases

#' @export
summary.incrowd_check <- function(object, ...) {
  severity <- factor(object$findings$severity, c("danger", "warning", "note"))
  cbind(
    figures(object, c("source", "safe", "rows", "k_asked", "k", "classes", "unique_rows", "rows_below_k", "mean_risk")),
    as.data.frame(as.list(stats::setNames(tabulate(severity, 3), c("dangers", "warnings", "notes"))))
  )
}

#' @export
summary.incrowd_diagnosis <- function(object, ...) {
  object$classes <- object$tuples
  figures(object, c("source", "rows", "classes", "k", "unique_rows", "mean_risk", "k_asked", "holds", "rows_below_k",
                    "least_delta"))
}

#' @export
summary.incrowd_release <- function(object, ...) {
  cbind(
    figures(object, c("source", "algorithm", "k", "rows", "classes", "smallest_class", "suppressed_rows")),
    figures(object$loss, c("lm", "bound", "ratio", "distortion_ratio", "precision", "dm", "avg")),
    figures(object, c("verified", "seconds"))
  )
}

#' @export
summary.incrowd_verification <- function(object, ...) {
  cbind(
    figures(object, c("verified", "rows", "classes", "smallest_class", "against")),
    promises = nrow(object$models), holding = sum(object$models$holds), faults = nrow(object$faults)
  )
}

#' @export
summary.incrowd_attack <- function(object, ...) {
  cbind(
    figures(object, c("verdict", "rows")),
    attacks = nrow(object$attacks), with_limit = sum(!is.na(object$attacks$limit)),
    above_limit = sum(object$attacks$above, na.rm = TRUE), not_run = NROW(object$not_run)
  )
}
