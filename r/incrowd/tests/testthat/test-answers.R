people <- if (program_found) sample_table(600, seed = 7)
qi <- c("age", "sex", "education")

test_that("a sample is the same for the same seed", {
  need_program()
  expect_equal(dim(people), c(600L, 13L))
  expect_identical(people, sample_table(600, seed = 7))
  expect_type(people$age, "integer")
  expect_s3_class(people[["birth-date"]], "Date")
})

test_that("check finds roles, classes and findings", {
  need_program()
  found <- check(people)
  expect_s3_class(found, "incrowd_check")
  expect_equal(found$source, "people")
  expect_false(found$safe)
  expect_equal(found$columns$role[found$columns$name == "age"], "quasi-identifier")
  expect_s3_class(found$findings, "data.frame")
  expect_true(all(grepl("^IC[0-9]+$", found$findings$code)))
  expect_true("IC101" %in% found$findings$code)
  expect_equal(summary(found)$dangers, sum(found$findings$severity == "danger"))
  expect_output(print(found), "Findings")
  others <- setdiff(names(people), c("sex", "person_id"))
  one <- check(people, qi = "sex", identifier = "person_id", insensitive = others)
  expect_equal(one$quasi_identifiers, "sex")
})

test_that("classes are counted as R counts them", {
  need_program()
  sizes <- table(paste(people$age, people$sex))
  asked <- diagnose(people, qi = c("age", "sex"), k = 5, delta = 0.05, sets = TRUE, columns = TRUE,
                    sensitive = "diagnosis")
  expect_equal(asked$tuples, length(sizes))
  expect_equal(asked$k, min(sizes))
  expect_equal(asked$unique_rows, sum(sizes == 1))
  expect_equal(asked$rows_below_k, sum(sizes[sizes < 5]))
  for (i in seq_len(nrow(asked$curve))) {
    expect_equal(asked$curve$suppressed_rows[i], sum(sizes[sizes < asked$curve$k[i]]))
  }
  expect_equal(asked$sensitive$column, "diagnosis")
  expect_type(asked$smallest_dangerous, "list")
  expect_output(print(asked), "does not hold")
  expect_equal(nrow(summary(asked)), 1)
})

test_that("data frames and files give the same answer", {
  need_program()
  path <- tempfile(fileext = ".csv")
  on.exit(unlink(path))
  utils::write.csv(people, path, row.names = FALSE, na = "")
  keys <- c("rows", "tuples", "k", "unique_rows", "curve", "least_delta")
  expect_equal(diagnose(path, qi = qi, k = 3)[keys], diagnose(people, qi = qi, k = 3)[keys])
})

test_that("a release is verified, and true to the data frame", {
  need_program()
  release <- quick(people, k = 4, qi = qi, alpha = c(diagnosis = 0.6),
                   hierarchies = list(age = c(5, 10, 20), sex = "flat"))
  expect_true(release$verified)
  expect_gte(release$smallest_class, 4)
  released <- as.data.frame(release)
  expect_equal(nrow(released), 600)
  expect_setequal(names(released), c(qi, "diagnosis"))
  expect_equal(sort(released$diagnosis), sort(people$diagnosis))
  expect_gte(min(table(do.call(paste, released[qi]))), 4)
  checked <- verify(release, against = people)
  expect_true(checked$verified)
  expect_true(all(checked$models$holds))
  expect_equal(nrow(checked$faults), 0)
  expect_output(print(checked), "true to the table")
  expect_equal(summary(checked)$holding, nrow(checked$models))
  expect_output(print(release), "information loss")
  expect_equal(nrow(rbind(summary(release), summary(release))), 2)
  expect_equal(sum(release$levels$share[release$levels$name == "age"]), 1)
  attacked <- attack(release, against = people, limits = c(prosecutor = 0.25))
  expect_equal(attacked$verdict, "within-limits")
  expect_true("prosecutor" %in% attacked$attacks$attack)
  expect_output(print(attacked), "prosecutor")
  expect_equal(attack(release, limits = c(prosecutor = 0.01))$verdict, "above-limit")
})

test_that("another table is found out", {
  need_program()
  release <- quick(people, k = 4, qi = qi, sensitive = "diagnosis")
  other <- people
  other$sex <- rev(other$sex)
  checked <- verify(release, against = other)
  expect_false(checked$verified)
  expect_gt(nrow(checked$faults), 0)
  expect_output(print(checked), "NOT verified")
})

test_that("the same seed gives the same classes", {
  need_program()
  released <- lapply(1:2, function(i) {
    data <- as.data.frame(quick(people, k = 4, qi = qi))
    data[do.call(order, data), ]
  })
  expect_equal(released[[1]], released[[2]], ignore_attr = TRUE)
})

test_that("hierarchies are data frames, too", {
  need_program()
  values <- unique(people$education)
  tree <- data.frame(value = values, group = ifelse(grepl("Grades|High", values), "school", "beyond school"), top = "*")
  release <- quick(people, k = 20, qi = c("education", "sex"), hierarchies = list(education = tree))
  expect_true(all(as.data.frame(release)$education %in% c(values, "school", "beyond school", "*")))
  expect_true(verify(release, against = people)$verified)
  expect_error(quick(people, k = 5, qi = "age", hierarchies = list(c(5, 10))), "named by columns")
})

test_that("releases are saved whole, read again, and not overwritten", {
  need_program()
  release <- quick(people, k = 4, qi = qi, report = TRUE, sensitive = "diagnosis")
  target <- tempfile("saved-")
  on.exit(unlink(c(target, paste0(target, ".internal")), recursive = TRUE))
  private <- release$folder
  saved <- save_release(release, target)
  expect_true(verify(target, against = people)$verified)
  expect_true(file.exists(saved$report$public))
  expect_equal(read_release(target), as.data.frame(release))
  expect_error(save_release(release, target), "already exists")
  if (.Platform$OS.type == "unix") {
    expect_equal(format(file.info(paste0(target, ".internal"))$mode), "700")
  }
  rm(release)
  invisible(gc())
  expect_false(dir.exists(private))
  expect_true(dir.exists(saved$folder))
})

test_that("a release can be written to a folder at once", {
  need_program()
  target <- tempfile("written-")
  on.exit(unlink(c(target, paste0(target, ".internal")), recursive = TRUE))
  release <- quick(people, k = 4, qi = qi, output = target, read = FALSE)
  expect_null(release$data)
  expect_equal(nrow(as.data.frame(release)), 600)
  refusal <- expect_error(quick(people, k = 4, qi = qi, output = target), class = "incrowd_refusal")
  expect_match(refusal$code, "^IC6")
  expect_true(quick(people, k = 4, qi = qi, output = target, force = TRUE)$verified)
})

test_that("two tables are a list of two data frames", {
  need_program()
  release <- suppressWarnings(
    quick(people, k = 4, qi = c("age", "sex"), sensitive = "diagnosis", l = 2, publish = "two-tables")
  )
  expect_length(release$data, 2)
  expect_error(as.data.frame(release), "two tables")
  expect_output(print(release), "release of")
  expect_true(verify(release, against = people)$verified)
})

test_that("warnings of the program are warnings", {
  need_program()
  suppressWarnings(expect_warning(
    quick(people, k = 4, qi = c("age", "sex"), sensitive = "diagnosis", l = 2, publish = "two-tables"),
    class = "incrowd_warning"
  ))
})

test_that("refusals have a code, a message and a hint", {
  need_program()
  refusal <- expect_error(check("no-such-file.csv"), class = "incrowd_refusal")
  expect_equal(refusal$code, "IC401")
  expect_true(nzchar(refusal$message))
  expect_true(nzchar(refusal$hint))
  expect_match(conditionMessage(refusal), "IC401", fixed = TRUE)
  refusal <- expect_error(diagnose(people, qi = "agee"), class = "incrowd_refusal")
  expect_equal(refusal$code, "IC407")
  refusal <- expect_error(anonymize(people, k = 5, qi = "age"), class = "incrowd_refusal")
  expect_match(refusal$hint, "`others")
  refusal <- expect_error(quick(people, k = 5000, qi = "age"), class = "incrowd_infeasible")
  expect_equal(refusal$infeasible$model, "k-anonymity")
  expect_true(nzchar(refusal$infeasible$remedy))
  expect_identical(expect_error(check(people, k = "five"), class = "incrowd_refusal")$code, "IC626")
  expect_error(verify(1), "A release is")
  expect_error(check(1:3), "A table is")
  expect_output(print(explain("IC401")), "IC401")
  expect_error(explain("IC000"), class = "incrowd_refusal")
})

test_that("pictures are drawn, and a picture that cannot be says why", {
  need_program()
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  found <- check(people, max_columns = 2)
  expect_invisible(plot(found))
  asked <- diagnose(people, qi = qi, k = 5, delta = 0.02, columns = TRUE)
  expect_identical(plot(asked), asked)
  expect_identical(plot(asked, "columns", main = "Columns"), asked)
  expect_error(plot(diagnose(people, qi = qi), "columns"), "columns = TRUE")
  expect_error(plot(diagnose(people, qi = qi, curve = FALSE)), "curve = TRUE")
  expect_error(plot(diagnose(people, qi = "person_id")), "one point")
  release <- quick(people, k = 4, qi = qi, sensitive = "diagnosis")
  expect_identical(plot(release)$folder, release$folder)
  expect_identical(plot(release, "classes")$folder, release$folder)
  expect_invisible(plot(attack(release)))
})

test_that("sizes are binned", {
  expect_equal(levels(size_bins(c(5, 6, 8))), c("5", "6", "7", "8"))
  bins <- size_bins(c(5, 6, 30, 20000))
  expect_equal(levels(bins)[c(1, 2)], c("5", "6\u201310"))
  expect_false(anyNA(bins))
  expect_false(anyNA(size_bins(c(1, 2, 50))))
})

test_that("people are counted where a subject is named", {
  need_program()
  visits <- data.frame(
    person = rep(sprintf("p%03d", 1:60), each = 3), age = rep(rep(c(30L, 40L, 50L), 20), each = 3),
    diagnosis = rep_len(c("flu", "gout", "cold", "asthma"), 180)
  )
  refusal <- expect_error(quick(visits, k = 3, qi = "age", identifier = "person"), class = "incrowd_refusal")
  expect_equal(refusal$code, "IC525")
  asked <- diagnose(visits, qi = "age", subject = "person", k = 3)
  expect_equal(asked$people, 60)
  expect_equal(asked$k, 20)
  expect_output(print(asked), "unique people")
  release <- quick(visits, k = 3, qi = "age", subject = "person", alpha = c(diagnosis = 0.9))
  expect_equal(release$counts, "people")
  expect_output(print(release), "20 people")
  expect_gt(nrow(verify(release)$not_checked), 0)
})

test_that("suppressed rows are counted and explained", {
  need_program()
  table <- data.frame(a = c(rep("x", 50), "y"), b = c(rep(c("u", "v"), 25), "u"))
  release <- quick(table, k = 5, qi = c("a", "b"), suppress = 0.1, algorithm = "incognito")
  expect_equal(release$suppressed_rows, 1)
  expect_equal(nrow(as.data.frame(release)), 50)
  expect_equal(sum(release$withheld_for$rows), 1)
  expect_output(print(release), "1 of 51")
})

test_that("releases are compared with the original", {
  need_program()
  releases <- lapply(c(low = 3, high = 20), function(k) quick(people, k = k, qi = qi, sensitive = "diagnosis"))
  compared <- compare(people, releases, queries = 50, target = "diagnosis")
  expect_equal(compared$releases$release, c("low", "high"))
  expect_equal(compared$releases$risk, 1 / compared$releases$smallest_class)
  expect_lt(compared$releases$lm[1], compared$releases$lm[2])
  expect_false(anyNA(compared$releases$accuracy))
  expect_equal(nrow(compared$marginals), 2 * length(compared$columns))
  expect_equal(nrow(summary(compared)), 2)
  expect_output(print(compared), "high")
  expect_equal(compare(people, releases[[1]], queries = 10)$releases$release, "release 1")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_invisible(plot(compared))
})
