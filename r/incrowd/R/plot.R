# Pictures in base graphics.

DARK <- "#a1283b"
LIGHT <- "#f0b49e"
INK <- "#2b4c7e"

#' Pictures of answers
#'
#' `plot()` of a check or a diagnosis draws the risk of the table, `plot()` of a release what the anonymization changed,
#' `plot()` of an attack what the attacker achieves, and `plot()` of a comparison the loss of releases against their
#' risk. All use base graphics.
#'
#' @param x An answer of [check()], [diagnose()], [anonymize()], [attack()] or [compare()].
#' @param which The picture. For a check: `"sets"`, the rows in small classes for the smallest column sets that have
#'   such rows, or `"curve"`, the share of rows to suppress for each k. For a diagnosis: `"curve"`, or `"columns"`, the
#'   unique rows with and without each column (asked with `columns = TRUE`). For a release: `"columns"`, the share of
#'   rows at each level of each quasi-identifier with its loss, or `"classes"`, the rows by the size of their class.
#' @param main Title of the picture (default: what it shows).
#' @param ... Further arguments of the underlying plot.
#' @return `x`, invisibly.
#' @examples
#' \dontrun{
#' people <- sample_table(1000)
#' plot(check(people))
#' plot(diagnose(people, qi = c("age", "sex"), k = 5))
#' }
#' @name plot.incrowd_answer
NULL

#' @rdname plot.incrowd_answer
#' @export
plot.incrowd_check <- function(x, which = c("sets", "curve"), main = NULL, ...) {
  which <- match.arg(which)
  if (which == "curve") {
    draw_curve(x, main, ...)
  } else {
    sets <- x$dangerous_sets
    if (NROW(sets) == 0) stop("No column set has classes smaller than ", x$k_asked, ": nothing to draw.", call. = FALSE)
    sets <- utils::head(sets[order(-sets$rows_below_k), ], 12)
    title <- paste0("Rows in classes smaller than ", x$k_asked, ", by column set")
    draw_bars(
      rbind(sets$unique_rows, sets$rows_below_k - sets$unique_rows) / x$rows, sets_text(sets$columns), c(DARK, LIGHT),
      c("unique", paste("in larger classes below", x$k_asked)), if (is.null(main)) title else main,
      right = c("rows", count(sets$rows_below_k)), ...
    )
  }
  invisible(x)
}

#' @rdname plot.incrowd_answer
#' @export
plot.incrowd_diagnosis <- function(x, which = c("curve", "columns"), main = NULL, ...) {
  which <- match.arg(which)
  if (which == "curve") {
    draw_curve(x, main, ...)
  } else {
    if (NROW(x$attributes) == 0) stop("The columns were not measured. Ask with `columns = TRUE`.", call. = FALSE)
    rest <- x$attributes$unique_without
    draw_bars(
      rbind(rest, x$unique_rows - rest) / x$rows, x$attributes$name, c("grey80", DARK),
      c("unique without the column", "unique only with it"), if (is.null(main)) "Unique rows, by column" else main, ...
    )
  }
  invisible(x)
}

#' @rdname plot.incrowd_answer
#' @export
plot.incrowd_release <- function(x, which = c("columns", "classes"), main = NULL, ...) {
  which <- match.arg(which)
  if (which == "columns") {
    names <- x$columns$name
    if (length(names) == 0 || nrow(x$levels) == 0) {
      stop("The release has no generalized columns to draw.", call. = FALSE)
    }
    levels <- seq(0, max(x$levels$level))
    shares <- vapply(names, function(name) {
      level <- x$levels[x$levels$name == name, ]
      vapply(levels, function(one) sum(level$share[level$level == one]), 0)
    }, numeric(length(levels)))
    shares <- matrix(shares, nrow = length(levels))
    title <- sprintf("Rows by level of generalization (overall loss LM %.3f)", x$loss$lm)
    draw_bars(
      shares, names, grDevices::colorRampPalette(c("#dbe6f3", INK))(length(levels)),
      c("unchanged", if (length(levels) > 1) paste("level", levels[-1])), if (is.null(main)) title else main,
      right = c("loss (LM)", sprintf("%.3f", x$columns$lm)), ...
    )
  } else {
    sizes <- class_sizes(x)
    bins <- size_bins(sizes)
    share <- 100 * tapply(sizes, bins, sum, default = 0) / sum(sizes)
    old <- graphics::par(mar = c(4.2, 4.6, 4, 1), las = 1)
    on.exit(graphics::par(old))
    middle <- graphics::barplot(
      share, col = INK, border = NA, xlab = "class size", ylab = "% of released rows", ylim = c(0, 1.1 * max(share)),
      main = if (is.null(main)) sprintf("Rows by the size of their class (k = %d)", as.integer(x$k)) else main, ...
    )
    graphics::text(middle, share, count(as.vector(table(bins))), pos = 3, xpd = NA, cex = 0.8)
    graphics::mtext("above each bar: number of classes", side = 3, line = 0.3, cex = 0.8)
  }
  invisible(x)
}

#' @rdname plot.incrowd_answer
#' @export
plot.incrowd_attack <- function(x, main = NULL, ...) {
  attacks <- x$attacks[!is.na(x$attacks$success), ]
  if (nrow(attacks) == 0) stop("No attack was run: nothing to draw.", call. = FALSE)
  on <- !is.na(attacks$column) & nzchar(attacks$column)
  labels <- ifelse(on, paste0(attacks$attack, " (", attacks$column, ")"), attacks$attack)
  y <- rev(seq_along(labels))
  with_margin(labels, function() {
    graphics::plot(
      100 * attacks$success, y, type = "n", xlim = c(0, 100), ylim = c(0.5, length(y) + 0.5), axes = FALSE,
      xlab = "success (%)", ylab = "", main = if (is.null(main)) "What attacks achieve" else main, ...
    )
    graphics::abline(h = y, col = "grey90")
    graphics::axis(1)
    graphics::axis(2, at = y, labels = labels, tick = FALSE, las = 1)
    graphics::segments(100 * attacks$baseline, y, 100 * attacks$success, y, col = INK, lwd = 2)
    graphics::points(100 * attacks$baseline, y, pch = 21, bg = "white", col = INK)
    graphics::points(100 * attacks$success, y, pch = 19, col = ifelse(attacks$above %in% TRUE, DARK, INK))
    graphics::points(100 * attacks$limit, y, pch = "|", col = DARK, cex = 1.2)
    legend_below(c("success", "baseline", "limit"), pch = c(19, 21, 124), col = c(INK, INK, DARK))
  })
  invisible(x)
}

#' @rdname plot.incrowd_answer
#' @export
plot.incrowd_comparison <- function(x, main = NULL, ...) {
  shown <- x$releases[!is.na(x$releases$risk), ]
  if (nrow(shown) == 0) stop("No release is in one table: there is no risk to draw.", call. = FALSE)
  old <- graphics::par(mar = c(4.2, 4.6, 3, 1), las = 1)
  on.exit(graphics::par(old))
  graphics::plot(
    100 * shown$risk, shown$lm, pch = 19, col = INK, bty = "l", xlim = c(0, 115 * max(shown$risk)),
    ylim = c(0, 1.15 * max(shown$lm, 0.001)), xlab = "largest re-identification risk (%, 1 / smallest class)",
    ylab = "information loss (LM)", main = if (is.null(main)) "Loss and risk of releases" else main, ...
  )
  graphics::text(100 * shown$risk, shown$lm, shown$release, pos = 3, xpd = NA)
  invisible(x)
}

# Rows of every class of a release in one table, counted on its quasi-identifiers.
class_sizes <- function(x) {
  data <- as.data.frame(x)
  published <- vapply(x$manifest$columns, function(column) {
    column$role == "quasi-identifier" && column$technique != "removed"
  }, NA)
  names <- vapply(x$manifest$columns, function(column) column$name, "")[published]
  codes <- lapply(data[names], function(column) match(column, unique(column)))
  as.vector(table(do.call(paste, c(codes, sep = " "))))
}

# Each size apart when there are few, else ranges.
size_bins <- function(sizes) {
  if (diff(range(sizes)) < 20) return(factor(sizes, seq(min(sizes), max(sizes))))
  steps <- c(0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, Inf)
  breaks <- unique(c(min(sizes) - 1, steps[steps >= min(sizes)]))
  breaks <- breaks[c(TRUE, utils::head(breaks, -1) < max(sizes))]
  from <- utils::head(breaks, -1) + 1
  to <- breaks[-1]
  range <- ifelse(from == to, count(from), paste0(count(from), "\u2013", count(to)))
  cut(sizes, breaks, ifelse(is.infinite(to), paste("from", count(from)), range))
}

draw_curve <- function(x, main, ...) {
  curve <- x$curve
  if (NROW(curve) == 0) stop("The suppression curve was not measured. Ask with `curve = TRUE`.", call. = FALSE)
  if (nrow(curve) == 1) {
    stop("Every class has the same size, k = ", curve$k, ": the suppression curve has one point.", call. = FALSE)
  }
  old <- graphics::par(mar = c(4.2, 4.6, 3, 1), las = 1)
  on.exit(graphics::par(old))
  log <- if (max(curve$k) > 60) "x" else ""
  graphics::plot(
    curve$k, 100 * curve$share, type = "S", log = log, lwd = 2, col = INK, ylim = c(0, max(100 * curve$share)),
    xlab = "k (minimum class size)", ylab = "% of rows to suppress",
    main = if (is.null(main)) "Suppression needed for each k" else main, bty = "l", ...
  )
  graphics::points(curve$k, 100 * curve$share, pch = 19, cex = 0.6, col = INK)
  marks <- character()
  if (!is.null(x$k_asked)) {
    graphics::abline(v = x$k_asked, lty = 2, col = DARK)
    marks <- paste("k =", x$k_asked)
    share <- if (!is.null(x$least_delta)) x$least_delta else x$rows_below_k / x$rows
    if (length(share)) marks <- paste0(marks, ": ", percent(share))
  }
  if (!is.null(x$delta)) graphics::abline(h = 100 * x$delta, lty = 3, col = "grey40")
  keys <- c(marks, if (!is.null(x$delta)) paste("allowed:", percent(x$delta)))
  if (length(keys)) {
    graphics::legend("topleft", keys, lty = c(if (length(marks)) 2, if (!is.null(x$delta)) 3),
                     col = c(if (length(marks)) DARK, if (!is.null(x$delta)) "grey40"), bty = "n")
  }
}

# Stacked horizontal bars in percent, the first on top, with a legend below and texts at the right.
draw_bars <- function(shares, labels, colours, keys, main, right = NULL, ...) {
  with_margin(labels, right = !is.null(right), draw = function() {
    order <- rev(seq_along(labels))
    middle <- graphics::barplot(
      100 * shares[, order, drop = FALSE], horiz = TRUE, names.arg = labels[order], las = 1, col = colours, border = NA,
      xlab = "% of rows", main = main, xlim = c(0, max(100 * colSums(shares), 1)), ...
    )
    if (!is.null(right)) {
      at <- graphics::par("usr")[2]
      graphics::text(at, middle, right[-1][order], pos = 4, xpd = NA, cex = 0.9)
      graphics::mtext(right[1], side = 3, at = at, adj = 0, line = 0, cex = 0.8)
    }
    legend_below(keys, fill = colours, border = NA)
  })
}

# Room for labels at the left, and for a legend below.
with_margin <- function(labels, draw, right = FALSE) {
  old <- graphics::par(no.readonly = TRUE)
  on.exit(graphics::par(old))
  inches <- max(graphics::strwidth(labels, units = "inches", cex = graphics::par("cex.axis"))) + 0.3
  width <- graphics::par("din")[1]
  graphics::par(mai = c(1.15, min(inches, 0.5 * width), 0.7, if (right) 0.85 else 0.25), mgp = c(2, 0.6, 0))
  draw()
}

legend_below <- function(keys, ...) {
  graphics::legend(
    x = mean(graphics::par("usr")[1:2]), y = graphics::par("usr")[3] - 0.82 * graphics::par("mai")[1] *
      diff(graphics::par("usr")[3:4]) / graphics::par("pin")[2],
    legend = keys, horiz = TRUE, xjust = 0.5, yjust = 0.5, bty = "n", xpd = NA,
    cex = if (length(keys) > 5) 0.75 else 1, ...
  )
}
