test_that("cells with commas, quotes, line breaks and other scripts come back as they were", {
  need_program()
  table <- nasty_frame()
  release <- quick(table, k = 5, qi = c("region", "age"), insensitive = c("weight", "member", "since", "code", "note"),
                   others = "remove")
  expect_true(verify(release, against = table)$verified)
  released <- as.data.frame(release)
  expect_identical(sapply(released, class), sapply(table[names(released)], class))
  for (name in c("weight", "member", "since", "code", "note")) {
    expect_identical(sort(released[[name]], na.last = TRUE), sort(table[[name]], na.last = TRUE))
  }
  expect_setequal(levels(released$region), unique(as.character(table$region)))
})

test_that("nothing that was removed is in the release, its levels or its messages", {
  need_program()
  table <- nasty_frame()
  table$region <- factor(table$region, levels = c(levels(table$region), "level nobody has"))
  release <- quick(table, k = 5, qi = c("region", "age"), sensitive = "note")
  expect_false(holds_text(release, "ID-00001"))
  expect_false(holds_text(release, "level nobody has"))
  expect_false(holds_text(release, "never used"))
  printed <- utils::capture.output(print(release), print(summary(release)), print(check(table)),
                                   print(verify(release, against = table)))
  expect_false(any(grepl("ID-0|00501|left|M\u00fcnchen", printed)))
})

test_that("names of columns may have other scripts, quotes and spaces", {
  need_program()
  table <- data.frame("Gr\u00f6\u00dfe in cm" = rep(c(170, 180), 10), "say \"hi\"" = rep(c("a", "b"), each = 10),
                      "it's $HOME" = rep(c("x", "y"), 10), check.names = FALSE)
  release <- quick(table, k = 2, qi = names(table))
  expect_setequal(names(as.data.frame(release)), names(table))
  expect_true(verify(release, against = table)$verified)
  comma <- stats::setNames(table, c("a,b", "c", "d"))
  expect_error(quick(comma, k = 2, qi = "a,b"), "comma")
})

test_that("empty tables and doubled or missing names are refused", {
  need_program()
  code <- function(table) expect_error(check(table), class = "incrowd_refusal")$code
  expect_equal(code(data.frame(a = character(), b = numeric())), "IC403")
  expect_equal(code(data.frame()), "IC403")
  twice <- data.frame(a = 1:2, a = 1:2, check.names = FALSE)
  expect_equal(code(twice), "IC404")
  expect_match(expect_error(check(twice), class = "incrowd_refusal")$message, "^twice: ")
  expect_equal(code(stats::setNames(data.frame(1:2, 3:4), c("", "b"))), "IC404")
  expect_equal(code(stats::setNames(data.frame(1:2, 3:4), c(NA, "b"))), "IC404")
  expect_equal(code(data.frame(a = I(list(1, 2)))), "IC408")
})

test_that("NA and empty strings are one missing value", {
  need_program()
  table <- data.frame(a = rep(c("x", "", NA), each = 4), b = "same")
  expect_warning(asked <- diagnose(table, qi = "a"), "Columns with both: a")
  expect_equal(asked$tuples, 2)
  expect_equal(asked$k, 4)
  only <- data.frame(a = rep(c("x", ""), each = 4), b = rep(c("u", NA), 4))
  expect_silent(release <- quick(only, k = 2, qi = c("a", "b")))
  expect_setequal(as.data.frame(release)$a, c("x", ""))
  expect_setequal(as.data.frame(release)$b, c("u", NA))
  texts <- data.frame(a = rep(c("NA", NA, "NULL"), each = 4))
  released <- as.data.frame(quick(texts, k = 2, qi = "a"))
  expect_equal(sort(table(released$a, useNA = "always"))[["NA"]], 4)
  expect_equal(sum(is.na(released$a)), 4)
})

test_that("row names are not read", {
  need_program()
  table <- data.frame(a = rep(1:2, 5), row.names = sprintf("Person %d", 1:10))
  expect_equal(nrow(check(table)$columns), 1)
  expect_equal(attr(as.data.frame(quick(table, k = 2, qi = "a")), "row.names"), 1:10)
})

test_that("numbers stay numbers for intervals, whatever their digits", {
  need_program()
  set.seed(2)
  table <- data.frame(x = stats::rnorm(200), y = 10^stats::runif(200, -9, 9), n = sample(1e6, 200), s = "s")
  kinds <- check(table)$columns$kind
  expect_equal(kinds[1:3], c("number", "number", "integer"))
  release <- quick(table, k = 5, qi = c("x", "n"))
  expect_true(verify(release, against = table)$verified)
})

test_that("ordered factors, generalized or not, have the levels that occur", {
  need_program()
  table <- data.frame(
    size = factor(rep(c("small", "large"), 10), levels = c("small", "medium", "large"), ordered = TRUE),
    rare = factor(c(rep("a", 18), "b", "c"))
  )
  released <- as.data.frame(quick(table, k = 3, qi = c("size", "rare")))
  expect_s3_class(released$size, "ordered")
  expect_equal(levels(released$size), c("small", "large"))
  expect_s3_class(released$rare, "factor")
  expect_true("*" %in% levels(released$rare))
})

test_that("temporary files are removed after answers and refusals", {
  need_program()
  invisible(gc())
  left <- function() list.files(tempdir(), "^incrowd-")
  before <- left()
  table <- nasty_frame()
  check(table)
  try(diagnose(table, qi = "nothing"), silent = TRUE)
  release <- quick(table, k = 5, qi = "age")
  verify(release, against = table)
  expect_length(setdiff(left(), before), 1)
  rm(release)
  invisible(gc())
  expect_length(setdiff(left(), before), 0)
})

test_that("the C locale reads and writes UTF-8", {
  need_program()
  skip_on_os("windows")
  old <- Sys.getlocale("LC_CTYPE")
  on.exit(Sys.setlocale("LC_CTYPE", old))
  Sys.setlocale("LC_CTYPE", "C")
  table <- data.frame("Gr\u00f6\u00dfe" = rep(c("\u00fc", "\u65e5"), 10), check.names = FALSE)
  release <- quick(table, k = 2, qi = names(table))
  released <- as.data.frame(release)
  expect_true(identical(names(released), names(table)))
  expect_true(setequal(released[[1]], table[[1]]))
  expect_true(verify(release, against = table)$verified)
})

test_that("Arrow gives the same answer as CSV", {
  need_program()
  skip_if_not_installed("arrow")
  old <- options(incrowd.transport = "arrow")
  on.exit(options(old))
  table <- nasty_frame()
  release <- quick(table, k = 5, qi = c("region", "age"), insensitive = c("member", "since", "code"))
  expect_true(verify(release, against = table)$verified)
})

test_that("a missing arrow package is named", {
  skip_if(requireNamespace("arrow", quietly = TRUE), "arrow is installed")
  old <- options(incrowd.transport = "arrow")
  on.exit(options(old))
  expect_error(check(data.frame(a = 1:3)), "arrow")
})
