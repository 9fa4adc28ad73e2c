// EVOLVE-BLOCK-START
#include <algorithm>
#include <cmath>
#include <vector>

// The smallest distance of two numbers: all pairs are compared.
double smallest_gap(const std::vector<double>& x) {
  double best = INFINITY;
  for (size_t i = 0; i < x.size(); i++)
    for (size_t j = i + 1; j < x.size(); j++)
      best = std::min(best, std::fabs(x[i] - x[j]));
  return best;
}
// EVOLVE-BLOCK-END

// Lines of JSON in and out: {"call": "smallest_gap", "args": [{"$array": "float64", "shape": [n]}]}, behind it the n numbers.
#include <cstdio>
#include <iostream>
#include <string>

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::vector<double> x(std::stoul(line.substr(line.find("\"shape\":[") + 9)));
    std::cin.read(reinterpret_cast<char*>(x.data()), x.size() * sizeof(double));
    std::printf("{\"value\": %.17g}\n", smallest_gap(x));
    std::fflush(stdout);
  }
}
