library(testthat)
library(incrowd)

test_check("incrowd")
