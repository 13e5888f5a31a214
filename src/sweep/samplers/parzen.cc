// A mixture with one kernel for each trial and dimension, which is evaluated at many candidates at once. The
// number of operations is candidates times trials times parameters, so the data is in Eigen arrays. Computes
// with logarithms: with many parameters, products would underflow to 0, and their ratios would be
// meaningless.

#include "sweep/samplers/parzen.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sweep/space/normal.h"

namespace kml::sweep {

namespace {

constexpr double kHalfRoot = 0.70710678118654752440;
constexpr size_t kFlat = 25;  ///< how many of the latest trials have full weight
/// how many kernels are processed together, so that they stay in the cache for all points
constexpr size_t kBlock = 512;
constexpr size_t kMany = 256;  ///< with this many kernels of one smooth parameter, leaves out far ones

using Array = Eigen::Map<const Eigen::ArrayXd>;

/// The logarithm of the part of a normal distribution that is inside the unit interval.
double log_inside(double mean, double width) {
  constexpr double kAll = 8.3;  // the part beyond this is below the precision of a double
  if (mean > kAll * width && 1 - mean > kAll * width) return 0;
  return log_normal_mass(-mean / width, (1 - mean) / width);
}

/// Computes log(sum(exp(x))) of numbers that are given in several parts.
struct LogSum {
  double most = -std::numeric_limits<double>::infinity();
  double sum = 0;

  double log() const { return most + std::log(sum); }

  void add(const Eigen::Ref<const Eigen::ArrayXd>& values) {
    const double peak = values.maxCoeff();
    if (peak > most) {
      sum *= std::exp(most - peak);
      most = peak;
    }
    sum += (values - most).exp().sum();
  }
};

}  // namespace

Parzen::Parzen(const Space& space, std::span<const size_t> parameters, const UnitCache& cache,
               std::span<const size_t> slots)
    : space_(space), kernels_(slots.size() + 1) {
  std::vector<long> place_of(cache.slots(), -1);
  for (size_t i = 0; i < slots.size(); ++i) place_of[slots[i]] = static_cast<long>(i);
  for (const size_t parameter : parameters) {
    Dimension dimension{.parameter = parameter};
    if (space.parameters()[parameter].kind == Kind::categorical) {
      set_categories(dimension, cache, slots);
    } else {
      dimension.shape = space.values(parameter) > 0 ? Shape::cells : Shape::smooth;
      set_widths(dimension, cache, slots, place_of);
      finish(dimension);
    }
    dimensions_.push_back(std::move(dimension));
  }
  const size_t ramp = slots.size() > kFlat ? slots.size() - kFlat : 0;
  const auto n = static_cast<double>(slots.size());
  double sum = 0;
  for (size_t i = 0; i < kernels_; ++i) {
    const double rise = ramp > 1 ? (1 - 1 / n) / static_cast<double>(ramp - 1) : 0;
    sum += i < ramp ? 1 / n + rise * static_cast<double>(i) : 1;
    cumulative_weight_.push_back(sum);
  }
  for (size_t i = 0; i < kernels_; ++i)
    log_weight_.push_back(std::log((cumulative_weight_[i] - (i ? cumulative_weight_[i - 1] : 0)) / sum));
  if (dimensions_.size() == 1 && dimensions_[0].shape == Shape::smooth && kernels_ >= kMany) sort_kernels();
}

void Parzen::sort_kernels() {
  const Dimension& dimension = dimensions_[0];
  const double narrow = 1.0 / 100;  // the smallest width allowed, which most kernels have
  std::vector<size_t> order, others;
  for (const size_t i : dimension.rising)
    if (dimension.kernels[i].width <= narrow) order.push_back(i);
  for (size_t i = 0; i < kernels_; ++i)
    if (dimension.kernels[i].width > narrow) others.push_back(i);
  double highest = -std::numeric_limits<double>::infinity();
  for (const size_t i : order) {
    near_.mean.push_back(dimension.kernels[i].mean);
    highest = std::max(highest, log_weight_[i] + dimension.norm[i]);
  }
  order.insert(order.end(), others.begin(), others.end());
  for (const size_t i : order) {
    near_.narrowness.push_back(dimension.narrowness[i]);
    near_.shift.push_back(dimension.shift[i]);
    near_.norm.push_back(dimension.norm[i]);
    near_.log_weight.push_back(log_weight_[i]);
  }
  // The prior is smallest at the ends of the axis. The part left out is less than exp(-45) of it; the
  // precision of a double is exp(-36).
  const double least = log_weight_.back() + dimension.norm.back() - 0.125;
  near_.reach = narrow * std::sqrt(2 * (highest - least + std::log(static_cast<double>(kernels_)) + 45));
}

double Parzen::log_density_near(double unit) const {
  LogSum sum;
  Eigen::ArrayXd room(kBlock);
  const auto add = [&](size_t begin, size_t end) {
    for (; begin < end; begin += kBlock) {
      const auto count = static_cast<long>(std::min(kBlock, end - begin));
      const auto of = [&](const std::vector<double>& values) { return Array(values.data() + begin, count); };
      auto terms = room.head(count);
      terms =
          of(near_.log_weight) + of(near_.norm) - (unit * of(near_.narrowness) - of(near_.shift)).square();
      sum.add(terms);
    }
  };
  const auto& mean = near_.mean;
  const auto from = std::lower_bound(mean.begin(), mean.end(), unit - near_.reach),
             to = std::upper_bound(from, mean.end(), unit + near_.reach);
  add(static_cast<size_t>(from - mean.begin()), static_cast<size_t>(to - mean.begin()));
  add(mean.size(), kernels_);
  return sum.log();
}

void Parzen::set_categories(Dimension& dimension, const UnitCache& cache, std::span<const size_t> slots) {
  dimension.shape = Shape::categories;
  dimension.categories = space_.values(dimension.parameter);
  for (const size_t slot : slots) {
    const double value = cache.point(slot)[dimension.parameter];
    dimension.kind.push_back(std::isnan(value) ? dimension.categories : static_cast<size_t>(value));
  }
  dimension.kind.push_back(dimension.categories);
}

void Parzen::set_widths(Dimension& dimension, const UnitCache& cache, std::span<const size_t> slots,
                        const std::vector<long>& place_of) {
  constexpr Kernel kPrior = {0.5, 1};
  dimension.kernels.assign(kernels_, kPrior);
  std::vector<size_t>& sorted = dimension.rising;
  sorted.reserve(slots.size());
  for (const size_t slot : cache.order(dimension.parameter))
    if (place_of[slot] >= 0) sorted.push_back(static_cast<size_t>(place_of[slot]));
  const auto mean = [&](size_t i) { return cache.unit(dimension.parameter, slots[sorted[i]]); };
  const double least = 1.0 / std::min(100.0, static_cast<double>(kernels_) + 1);
  for (size_t i = 0; i < sorted.size(); ++i) {
    // The ends of the axis are only treated as neighbors of a trial that has no others.
    double gap = sorted.size() == 1 ? std::max(mean(i), 1 - mean(i)) : 0;
    if (i > 0) gap = mean(i) - mean(i - 1);
    if (i + 1 < sorted.size()) gap = std::max(gap, mean(i + 1) - mean(i));
    dimension.kernels[sorted[i]] = {mean(i), std::clamp(gap, least, 1.0)};
  }
}

void Parzen::finish(Dimension& dimension) const {
  if (dimension.shape == Shape::cells) {
    std::map<std::pair<double, double>, size_t> known;
    for (const Kernel& kernel : dimension.kernels) {
      const auto [found, is_new] = known.try_emplace({kernel.mean, kernel.width}, dimension.kinds.size());
      if (is_new) dimension.kinds.push_back(kernel);
      dimension.kind.push_back(found->second);
    }
    return;
  }
  for (const auto& [mean, width] : dimension.kernels) {
    dimension.narrowness.push_back(kHalfRoot / width);
    dimension.shift.push_back(mean * kHalfRoot / width);
    dimension.norm.push_back(-kLogSqrt2Pi - std::log(width) - log_inside(mean, width));
  }
}

void Parzen::draw(Stream& stream, std::vector<double>& unit) const {
  const double pick = stream.uniform() * cumulative_weight_.back();
  const auto kernel =
      static_cast<size_t>(std::upper_bound(cumulative_weight_.begin(), cumulative_weight_.end() - 1, pick) -
                          cumulative_weight_.begin());
  for (const Dimension& dimension : dimensions_) {
    double& coordinate = unit[dimension.parameter];
    if (dimension.shape == Shape::categories) {
      const auto count = static_cast<double>(dimension.categories), extra = 1 / static_cast<double>(kernels_);
      const size_t own = dimension.kind[kernel];
      const double place =
          stream.uniform() * (own < dimension.categories ? 1 + count * extra : count * extra);
      coordinate = place < count * extra ? place / (count * extra) : (static_cast<double>(own) + 0.5) / count;
      continue;
    }
    const auto& [mean, width] = dimension.kernels[kernel];
    const double low = normal_cdf(-mean / width), high = normal_cdf((1 - mean) / width);
    const double inside = std::clamp(low + stream.uniform() * (high - low), 1e-300, 1 - 1e-16);
    coordinate = std::clamp(mean + width * normal_quantile(inside), 0.0, 1.0);
  }
}

std::vector<double> Parzen::log_masses(const Dimension& dimension, double value) const {
  std::vector<double> masses;
  if (dimension.shape == Shape::categories) {
    const auto count = static_cast<double>(dimension.categories), extra = 1 / static_cast<double>(kernels_);
    masses.assign(dimension.categories, std::log(extra / (1 + count * extra)));
    masses[static_cast<size_t>(value)] = std::log((1 + extra) / (1 + count * extra));
    masses.push_back(-std::log(count));
    return masses;
  }
  const auto [begin, end] = space_.cell(dimension.parameter, value);
  for (const auto& [mean, width] : dimension.kinds)
    masses.push_back(log_normal_mass((begin - mean) / width, (end - mean) / width) - log_inside(mean, width));
  return masses;
}

std::vector<double> Parzen::log_density(std::span<const Point> points,
                                        std::span<const std::vector<double>> units) const {
  if (!near_.norm.empty()) {
    std::vector<double> densities;
    for (size_t i = 0; i < points.size(); ++i) {
      const size_t parameter = dimensions_[0].parameter;
      densities.push_back(std::isnan(points[i][parameter]) ? 0 : log_density_near(units[i][parameter]));
    }
    return densities;
  }

  // The logarithms of the masses, computed once for each value that occurs.
  std::vector<std::map<double, std::vector<double>>> masses(dimensions_.size());
  for (size_t d = 0; d < dimensions_.size(); ++d)
    if (dimensions_[d].shape != Shape::smooth)
      for (const Point& point : points)
        if (const double value = point[dimensions_[d].parameter];
            !std::isnan(value) && !masses[d].contains(value))
          masses[d][value] = log_masses(dimensions_[d], value);

  std::vector<LogSum> sums(points.size());
  Eigen::ArrayXd room(kBlock);
  for (size_t begin = 0; begin < kernels_; begin += kBlock) {
    const auto count = static_cast<long>(std::min(kBlock, kernels_ - begin));
    for (size_t i = 0; i < points.size(); ++i) {
      auto terms = room.head(count);
      terms = Array(log_weight_.data() + begin, count);
      for (size_t d = 0; d < dimensions_.size(); ++d) {
        const Dimension& dimension = dimensions_[d];
        const double value = points[i][dimension.parameter];
        if (std::isnan(value)) continue;
        if (dimension.shape == Shape::smooth) {
          const Array narrowness(dimension.narrowness.data() + begin, count),
              shift(dimension.shift.data() + begin, count), norm(dimension.norm.data() + begin, count);
          terms += norm - (units[i][dimension.parameter] * narrowness - shift).square();
        } else {
          const std::vector<double>& mass = masses[d].at(value);
          for (long k = 0; k < count; ++k) terms[k] += mass[dimension.kind[begin + static_cast<size_t>(k)]];
        }
      }
      sums[i].add(terms);
    }
  }
  std::vector<double> densities;
  for (const LogSum& sum : sums) densities.push_back(sum.log());
  return densities;
}

}  // namespace kml::sweep
