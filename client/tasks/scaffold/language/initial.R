# EVOLVE-BLOCK-START
# The smallest distance of two numbers: all pairs are compared.
smallest_gap <- function(x) {
  best <- Inf
  for (i in seq_along(x)) best <- min(best, abs(x[i] - x[-i]))
  best
}
# EVOLVE-BLOCK-END

# Lines of JSON in and out: {"call": "smallest_gap", "args": [{"$array": "float64", "shape": [n]}]}, behind it the n numbers.
input <- file("stdin", "rb")
while (length(line <- readLines(input, 1)) > 0) {
  n <- as.integer(sub('.*"shape":\\[([0-9]+)\\].*', "\\1", line))
  x <- readBin(input, "double", n, endian = "little")
  cat(sprintf('{"value": %.17g}\n', smallest_gap(x)))
}
