// EVOLVE-BLOCK-START
#include <math.h>
#include <stdlib.h>

// The smallest distance of two numbers: all pairs are compared.
static double smallest_gap(double *x, long n) {
  double best = INFINITY;
  for (long i = 0; i < n; i++)
    for (long j = i + 1; j < n; j++)
      best = fmin(best, fabs(x[i] - x[j]));
  return best;
}
// EVOLVE-BLOCK-END

// Lines of JSON in and out: {"call": "smallest_gap", "args": [{"$array": "float64", "shape": [n]}]}, behind it the n numbers.
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    size_t n = strtoul(strstr(line, "\"shape\":[") + 9, NULL, 10);
    double *x = malloc(n * sizeof *x);
    if (fread(x, sizeof *x, n, stdin) < n) return 1;
    printf("{\"value\": %.17g}\n", smallest_gap(x, (long)n));
    fflush(stdout);
    free(x);
  }
}
