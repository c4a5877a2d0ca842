test_that("refusals are read from what the program prints", {
  fault <- refusal_of(
    "error[IC404]: people: columns 1 and 2 are both named x\n  hint: rename one\n  more: incrowd explain IC404\n"
  )
  expect_equal(fault, list(code = "IC404", message = "people: columns 1 and 2 are both named x", hint = "rename one"))
  fault <- refusal_of("warning: slow\nerror: unexpected argument '--x' found\n\n  tip: no\n\nUsage: incrowd\n")
  expect_equal(fault, list(code = NA_character_, message = "unexpected argument '--x' found", hint = NULL))
  expect_null(refusal_of("warning: something\n"))
  expect_null(refusal_of(""))
})

test_that("warnings are read with their following lines", {
  expect_equal(unname(warnings_of("warning: one\n         and more\nwarning: two\n")), c("one and more", "two"))
  expect_length(warnings_of(""), 0)
})

test_that("flags in messages become arguments", {
  expect_equal(as_r_arguments("name it with --qi or --rows-are-people"), "name it with `qi` or `rows_are_people`")
  expect_equal(as_r_arguments("`--others remove` leaves it out"), "`others = \"remove\"` leaves it out")
  expect_equal(as_r_arguments("invalid value 'x' for '--k <N>'"), "invalid value 'x' for `k`")
  expect_equal(as_r_arguments("use --no-bound"), "use `bound = FALSE`")
})

test_that("arguments of functions become arguments of the program", {
  expect_equal(flags(k = 5, sets = TRUE, curve = FALSE, qi = NULL, null = c("?", "-99")),
               c("--k=5", "--sets", "--null=?", "--null=-99"))
  expect_equal(flags(seed = 1e9), "--seed=1000000000")
  expect_equal(columns(c("a b", "c")), "a b,c")
  expect_error(columns("a,b"), "comma")
  expect_error(columns(1), "character")
  expect_equal(pairs_text(c(a = 0.1, b = "1/3"), "alpha"), c("a=0.1", "b=1/3"))
  expect_equal(pairs_text(list(a = 0.1, b = "1/3"), "alpha"), c("a=0.1", "b=1/3"))
  expect_error(pairs_text(0.1, "alpha"), "named")
  expect_equal(for_columns(3, "l", "l-diversity", "l"), "--l=3")
  expect_equal(for_columns(c(a = 3), "l", "l-diversity", "l"), "--l-diversity=a=3")
})

test_that("the program is looked for in the option, the variable and the search path", {
  fake <- tempfile("program")
  file.create(fake)
  on.exit(unlink(fake))
  old <- options(incrowd.path = fake)
  on.exit(options(old), add = TRUE)
  expect_equal(incrowd_path(), fake)
  options(incrowd.path = "/no/such/program")
  expect_error(incrowd_path(), "option incrowd.path", class = "incrowd_not_found")
  options(incrowd.path = NULL)
  before <- Sys.getenv(c("INCROWD_BIN", "PATH"), NA)
  on.exit(do.call(Sys.setenv, as.list(before[!is.na(before)])), add = TRUE)
  Sys.setenv(INCROWD_BIN = "/no/such/program")
  expect_error(incrowd_path(), "INCROWD_BIN", class = "incrowd_not_found")
  Sys.unsetenv("INCROWD_BIN")
  Sys.setenv(PATH = tempdir())
  expect_error(incrowd_path(), "Install incrowd", class = "incrowd_not_found")
})

test_that("a program that gives no answer is a refusal without a code", {
  skip_on_os("windows")
  fake <- tempfile("program")
  writeLines(c("#!/bin/sh", "exit 101"), fake)
  Sys.chmod(fake, "0700")
  old <- options(incrowd.path = fake)
  on.exit({
    options(old)
    unlink(fake)
  })
  refusal <- expect_error(check("x.csv"), "101", class = "incrowd_refusal")
  expect_true(is.na(refusal$code))
  Sys.chmod(fake, "0600")
  expect_error(check("x.csv"), "cannot be run", class = "incrowd_not_found")
})

test_that("a refusal in JSON is taken before the text", {
  skip_on_os("windows")
  fake <- tempfile("program")
  writeLines(c(
    "#!/bin/sh", "echo '{\"error\": {\"code\": \"IC401\", \"message\": \"no such file\", \"hint\": \"\"}}'",
    "echo 'error[IC401]: another text' >&2", "exit 2"
  ), fake)
  Sys.chmod(fake, "0700")
  old <- options(incrowd.path = fake)
  on.exit({
    options(old)
    unlink(fake)
  })
  refusal <- expect_error(check("x.csv"), "no such file", class = "incrowd_refusal")
  expect_equal(refusal$code, "IC401")
  expect_true(is.na(refusal$hint))
})

test_that("objects of JSON become rows, with NA where a key is missing", {
  rows <- table_of(list(list(a = 1L, b = list("x", "y")), list(b = list())), c(a = "number", b = "list", c = "flag"))
  expect_equal(rows$a, c(1, NA))
  expect_equal(rows$b, list(c("x", "y"), character()))
  expect_equal(rows$c, c(NA, NA))
  expect_equal(dim(table_of(NULL, c(a = "number"))), c(0L, 1L))
})

test_that("temporary folders are private", {
  skip_on_os("windows")
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  expect_equal(format(file.info(folder)$mode), "700")
})

test_that("the version is that of the package", {
  need_program()
  expect_equal(incrowd_version(), utils::packageVersion("incrowd"))
})
