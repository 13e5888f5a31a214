#include "kml/sweep/importance/importance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sweep/space/normal.h"

namespace kml::sweep {

namespace {

constexpr double kPriorWeight = 1;

double sum_of(const std::vector<double>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

/// The first occupied cell that has, together with the cells before it, more than `wanted` observations, or
/// at least `wanted` if `reached` is set.
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
  constexpr double kLeast = 0.5 / 1.64;  // chosen so that nine tenths of a kernel are within its cell
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

/// The probability of each cell in a regular grid, computed from the number of observations in each cell.
/// Adds up a normal distribution for each occupied cell, truncated at the ends of the grid, with a width by
/// Scott's rule ("Multivariate Density Estimation", 1992). A wide distribution in the middle is the prior; it
/// has the weight of one observation.
std::vector<double> grid_density(const std::vector<double>& counts) {
  const double sum = sum_of(counts) + kPriorWeight, width = width_of(counts),
               cells = static_cast<double>(counts.size());
  std::vector<double> density(counts.size());
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) add_normal(density, static_cast<double>(i), width, counts[i] / sum);
  add_normal(density, (cells - 1) / 2, cells, kPriorWeight / sum);
  return density;
}

/// Like grid_density(), for categories: each kernel adds 1 to its own category, and 1 / kernels to every
/// category.
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

constexpr size_t kBestOneIn = 10;

constexpr size_t kLeastActive = 2;  ///< the number of trials in which a parameter must be active

using Trials = std::vector<const Observation*>;

/// The cells for a parameter: one for each category, otherwise at most 50 cells of equal width along its
/// axis.
class Grid {
 public:
  Grid(const Space& space, size_t index)
      : index_(index),
        categories_(space.parameters()[index].kind == Kind::categorical),
        log_(space.parameters()[index].log),
        low_(scaled(space.value_at(index, 0))),
        high_(scaled(space.value_at(index, 1))) {
    constexpr std::uint64_t kMostCells = 50;
    const std::uint64_t values = space.values(index);
    // On a logarithmic axis, small integers are too far apart for one cell each.
    const auto octaves = [&] { return std::ceil(std::log2(static_cast<double>(values))) + 1; };
    cells_ = categories_   ? values
             : values == 0 ? kMostCells
             : log_        ? std::min(static_cast<std::uint64_t>(octaves()), kMostCells)
                           : std::min(values, kMostCells);
  }

  std::vector<double> density(const Trials& trials) const {
    std::vector<double> counts(cells_);
    for (const Observation* trial : trials) ++counts[cell_of(trial->point[index_])];
    return categories_ ? category_density(counts) : grid_density(counts);
  }

 private:
  double scaled(double value) const { return log_ ? std::log(value) : value; }

  size_t cell_of(double value) const {
    if (categories_) return static_cast<size_t>(value);
    const auto last = static_cast<double>(cells_ - 1);
    return static_cast<size_t>(
        std::clamp(std::ceil((scaled(value) - low_) / (high_ - low_) * last - 0.5), 0.0, last));
  }

  size_t index_;
  bool categories_, log_;
  double low_, high_;
  size_t cells_;
};

double pearson_divergence(const std::vector<double>& best, const std::vector<double>& all) {
  constexpr double kTiny = 1e-12;
  double sum = 0;
  for (size_t i = 0; i < all.size(); ++i)
    sum += (all[i] + kTiny) * std::pow((best[i] + kTiny) / (all[i] + kTiny) - 1, 2);
  return sum;
}

Trials active(const Trials& trials, size_t parameter) {
  Trials found;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(found),
               [&](const Observation* trial) { return !std::isnan(trial->point[parameter]); });
  return found;
}

/// All trials that are not worse than the last trial in the best tenth.
Trials best_of(const Trials& trials) {
  std::vector<double> values;
  for (const Observation* trial : trials) values.push_back(*trial->objective);
  const auto last = values.begin() + static_cast<long>((trials.size() - 1) / kBestOneIn);
  std::nth_element(values.begin(), last, values.end());
  Trials found;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(found),
               [&](const Observation* trial) { return *trial->objective <= *last; });
  return found;
}

double share(size_t part, size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<double> importance(const Space& space, std::span<const Observation> trials) {
  Trials all;
  for (const Observation& trial : trials)
    if (trial.state == TrialState::complete && trial.objective && std::isfinite(*trial.objective))
      all.push_back(&trial);
  if (all.size() < 2) return {};
  const Trials best = best_of(all);
  std::vector<double> shares(space.dimensions());
  for (size_t i = 0; i < shares.size(); ++i) {
    const Trials all_active = active(all, i), best_active = active(best, i);
    if (space.values(i) == 1 || all_active.size() < kLeastActive || best_active.empty()) continue;
    const Grid grid(space, i);
    shares[i] = std::pow(share(best_active.size(), best.size()), 2) / share(all_active.size(), all.size()) *
                pearson_divergence(grid.density(best_active), grid.density(all_active));
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (sum <= 0) return {};
  for (double& one : shares) one /= sum;
  return shares;
}

}  // namespace kml::sweep
