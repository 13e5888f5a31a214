#include "sweep/importance/grid_density.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sweep/samplers/normal.h"

namespace kml::sweep {

namespace {

constexpr double kPriorWeight = 1;

double sum_of(const std::vector<double>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

/// The first occupied cell up to which more than `wanted` lie, or where `reached`, as many.
double quantile(const std::vector<double>& counts, double wanted, bool reached) {
  double below = 0;
  size_t last = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    last = i;
    below += counts[i];
    if (reached ? below >= wanted : below > wanted) break;
  }
  return static_cast<double>(last);
}

double width_of(const std::vector<double>& counts) {
  constexpr double kLeast = 0.5 / 1.64;  // nine tenths of a kernel within its cell
  const double sum = sum_of(counts);
  double mean = 0, squares = 0;
  for (size_t i = 0; i < counts.size(); ++i) mean += counts[i] * static_cast<double>(i) / sum;
  for (size_t i = 0; i < counts.size(); ++i)
    squares += counts[i] * std::pow(static_cast<double>(i) - mean, 2);
  const double deviation = std::sqrt(squares / std::max(1.0, sum - 1));
  const double quartiles =
      quantile(counts, std::floor(sum * 3 / 4), false) - quantile(counts, std::floor(sum / 4), true);
  return std::max(1.059 * std::min(quartiles / 1.34, deviation) * std::pow(sum, -0.2), kLeast);
}

void add_normal(std::vector<double>& density, double mean, double width, double weight) {
  const auto cells = static_cast<double>(density.size());
  const auto mass = [&](double from, double to) {
    return std::exp(log_normal_mass((from - 0.5 - mean) / width, (to - 0.5 - mean) / width));
  };
  const double inside = mass(0, cells);
  for (size_t i = 0; i < density.size(); ++i)
    density[i] += weight * mass(static_cast<double>(i), static_cast<double>(i) + 1) / inside;
}

}  // namespace

std::vector<double> grid_density(const std::vector<double>& counts) {
  const double sum = sum_of(counts) + kPriorWeight, width = width_of(counts),
               cells = static_cast<double>(counts.size());
  std::vector<double> density(counts.size());
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) add_normal(density, static_cast<double>(i), width, counts[i] / sum);
  add_normal(density, (cells - 1) / 2, cells, kPriorWeight / sum);
  return density;
}

std::vector<double> category_density(const std::vector<double>& counts) {
  const auto categories = static_cast<double>(counts.size());
  const auto kernels = 1 + static_cast<double>(std::count_if(counts.begin(), counts.end(),
                                                             [](double count) { return count > 0; }));
  const double seen = sum_of(counts), everywhere = kPriorWeight / kernels;
  std::vector<double> density;
  for (const double count : counts)
    density.push_back(
        ((count + seen * everywhere) / (1 + categories * everywhere) + kPriorWeight / categories) /
        (seen + kPriorWeight));
  return density;
}

}  // namespace kml::sweep
