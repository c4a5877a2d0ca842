test_that("numbers keep all digits that they need and no others", {
  expect_equal(number_text(c(0.1, 0.1 + 0.2, 1 / 3, 2, -0, 34)),
               c("0.1", "0.30000000000000004", "0.3333333333333333", "2", "0", "34"))
  expect_equal(number_text(c(1e15, 1e-7, -1.5e-10, 1.25e20, 1e5, 100000)),
               c("1000000000000000", "0.0000001", "-0.00000000015", "125000000000000000000", "100000", "100000"))
  expect_equal(number_text(c(NA, NaN, Inf, -Inf)), c(NA, NA, "Inf", "-Inf"))
  expect_equal(number_text(numeric()), character())
  set.seed(1)
  values <- c(stats::rnorm(500), 10^stats::runif(500, -12, 12), .Machine$double.xmin, .Machine$double.xmax)
  expect_identical(as.numeric(number_text(values)), values)
  expect_false(any(grepl("e", number_text(values), fixed = TRUE)))
})

test_that("options of the session do not change numbers", {
  old <- options(OutDec = ",", digits = 3, scipen = -10)
  on.exit(options(old))
  expect_equal(number_text(c(1234.5678, 100000)), c("1234.5678", "100000"))
  expect_equal(cell_text(100000L, "a"), "100000")
})

test_that("cells of every class are written", {
  expect_equal(cell_text(factor(c("b", NA, "a"), levels = c("b", "a", "c")), "x"), c("b", NA, "a"))
  expect_equal(cell_text(c(TRUE, NA, FALSE), "x"), c("TRUE", NA, "FALSE"))
  expect_equal(cell_text(as.Date(c("2024-02-29", NA, "0987-06-05")), "x"), c("2024-02-29", NA, "0987-06-05"))
  expect_equal(cell_text(as.POSIXct(c("2024-02-29", NA), tz = "Asia/Tokyo"), "x"), c("2024-02-29", NA))
  times <- as.POSIXct(c("2024-02-29 00:00:00", "2024-02-29 13:05:09"), tz = "UTC")
  expect_equal(cell_text(times, "x"), c("2024-02-29 00:00:00", "2024-02-29 13:05:09"))
  expect_equal(cell_text(as.POSIXlt(times), "x"), cell_text(times, "x"))
  expect_equal(cell_text(as.difftime(c(1.5, 2), units = "hours"), "x"), c("1.5", "2"))
  expect_equal(cell_text(I(c("a", NA)), "x"), c("a", NA))
  labelled <- structure(c(1, 2), labels = c(yes = 1), class = c("haven_labelled", "vctrs_vctr", "double"))
  expect_equal(cell_text(labelled, "x"), c("1", "2"))
})

test_that("columns that cannot be grouped are refused without a value", {
  for (column in list(list("secret", 2), I(list("secret")), complex(2), raw(2), matrix(1:4, 2),
                      structure(1, class = "integer64"), structure("secret", class = "unknown"))) {
    refusal <- expect_error(cell_text(column, "col"), class = "incrowd_refusal")
    expect_equal(refusal$code, "IC408")
    expect_match(refusal$message, "col")
    expect_no_match(conditionMessage(refusal), "secret")
  }
})

test_that("encodings become UTF-8, and invalid texts are refused without a value", {
  latin <- "M\xfcnchen"
  Encoding(latin) <- "latin1"
  expect_equal(charToRaw(cell_text(latin, "x")), charToRaw("M\u00fcnchen"))
  bad <- "secret\xff"
  Encoding(bad) <- "UTF-8"
  refusal <- expect_error(cell_text(bad, "x"), class = "incrowd_refusal")
  expect_equal(refusal$code, "IC405")
  expect_no_match(conditionMessage(refusal), "secret")
})

test_that("a written table has the same cells when it is read", {
  table <- nasty_frame()
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  write_table(table, path)
  cells <- read_cells(path)
  expect_identical(names(cells), names(table))
  for (name in names(table)) expect_identical(cells[[name]], cell_text(table[[name]], name))
  expect_identical(typed(cells, column_types(table)), transform(table, region = droplevels(region)))
})

test_that("carriage returns of cells stay", {
  table <- data.frame(a = c("x\r\ny", "x\ry", "z\u00e9"), "b\rc" = 1:3, check.names = FALSE)
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  write_table(table, path)
  cells <- read_cells(path)
  expect_identical(cells$a, table$a)
  expect_identical(names(cells), names(table))
})

test_that("a missing value in the only column is a line", {
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  write_table(data.frame(a = c("x", NA, "")), path)
  expect_equal(readLines(path), c("\"a\"", "x", "\"\"", "\"\""))
  expect_equal(read_cells(path)$a, c("x", NA, NA))
})

test_that("types are given back only when every cell has them", {
  expect_identical(guessed(c("34", NA)), c(34L, NA))
  expect_identical(guessed(c("3000000000", "1")), c(3e9, 1))
  expect_identical(guessed(c("1.50", "2")), c(1.5, 2))
  expect_identical(guessed(c("00501", "1")), c("00501", "1"))
  expect_identical(guessed(c("12345678901234567", "1")), c("12345678901234567", "1"))
  expect_identical(guessed(c("2024-02-29", NA)), as.Date(c("2024-02-29", NA)))
  expect_identical(guessed(c("2023-02-29", NA)), c("2023-02-29", NA))
  expect_identical(guessed(c(NA_character_, NA)), c(NA_character_, NA))
  expect_identical(guessed(c("[20, 30)", "34")), c("[20, 30)", "34"))
})

test_that("tables with columns of several classes work as tibbles and data.tables do", {
  table <- structure(list(a = 1:2, b = c("x", "y")), class = c("tbl_df", "tbl", "data.frame"), row.names = 1:2)
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  write_table(table, path)
  expect_equal(readLines(path), c("\"a\",\"b\"", "1,x", "2,y"))
})
