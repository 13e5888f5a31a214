#include "sweep/samplers/hypervolume.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sweep/samplers/front.h"
#include "sweep/space/normal.h"

namespace kml::sweep {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
/// The maximum number of boxes. With more objectives, a front with fewer points already needs this many.
constexpr double kMostBoxes = 2000;
/// The distance of the reference point behind the worst values, relative to their ranges.
constexpr double kMargin = 0.1;

/// The distinct points of the front; at most as many as the number of boxes allows.
std::vector<Costs> front_of(const std::vector<Costs>& trials) {
  const std::vector<size_t> ranks = ranks_of(trials);
  std::vector<Costs> front;
  for (size_t i = 0; i < trials.size(); ++i)
    if (ranks[i] == 0) front.push_back(trials[i]);
  std::sort(front.begin(), front.end());
  front.erase(std::unique(front.begin(), front.end()), front.end());
  const auto axes = static_cast<double>(front[0].size());
  const auto most = static_cast<size_t>(std::pow(kMostBoxes, 1 / (axes - 1)));
  if (front.size() <= most) return front;
  std::vector<Costs> kept;
  for (size_t i = 0; i < most; ++i) kept.push_back(front[i * (front.size() - 1) / (most - 1)]);
  return kept;
}

/// The reference point is behind all trials, not just behind the front. Otherwise, if the first points of the
/// front are close together, the search would stay between them.
Costs reference_behind(const std::vector<Costs>& trials) {
  Costs reference;
  for (size_t axis = 0; axis < trials[0].size(); ++axis) {
    const auto smaller = [&](const Costs& a, const Costs& b) { return a[axis] < b[axis]; };
    const auto [least, most] = std::minmax_element(trials.begin(), trials.end(), smaller);
    const double range = (*most)[axis] - (*least)[axis];
    reference.push_back((*most)[axis] + kMargin * (range > 0 ? range : 1));
  }
  return reference;
}

/// Cuts the space of `axes` objectives into slices along the last one. In a slice, only the points below it
/// can dominate, whatever their last value is.
class Cutter {
 public:
  Cutter(const std::vector<Costs>& front, Boxes& boxes) : front_(front), boxes_(boxes) {}

  void cut(size_t axes, const std::vector<size_t>& points, Box& box) {
    const size_t axis = axes - 1;
    const std::vector<double>& levels = boxes_.levels[axis];
    const auto level_of = [&](size_t point) {
      const auto found = std::lower_bound(levels.begin(), levels.end(), front_[point][axis]);
      return static_cast<int>(found - levels.begin());
    };
    const int end = static_cast<int>(levels.size()) - 1;
    if (axis == 0) {
      int high = end;
      for (const size_t point : points) high = std::min(high, level_of(point));
      set(axis, -1, high, box);
      if (high >= 0) boxes_.boxes.push_back(box);
      return;
    }
    std::vector<int> cuts = {-1, end};
    for (const size_t point : points) cuts.push_back(level_of(point));
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      std::vector<size_t> below;
      for (const size_t point : points)
        if (level_of(point) <= cuts[i]) below.push_back(point);
      set(axis, cuts[i], cuts[i + 1], box);
      cut(axes - 1, below, box);
    }
  }

 private:
  static void set(size_t axis, int low, int high, Box& box) {
    box.low[axis] = low;
    box.high[axis] = high;
  }

  const std::vector<Costs>& front_;
  Boxes& boxes_;
};

/// The prediction for one objective at new points: a normal distribution at each point.
class ObjectiveModel {
 public:
  ObjectiveModel(const KnownObjective& known, const Eigen::MatrixXd& rows, bool noise_counts)
      : kernel_(known.kernel),
        noise_(noise_counts ? kernel_.noise : 0),
        rows_(rows),
        factor_(cholesky_of(kernel_, rows)) {
    weights_ = factor_.triangularView<Eigen::Lower>().solve(known.values);
    factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(weights_);
  }

  struct Prediction {
    Eigen::VectorXd means, deviations;
  };
  Prediction at(const Eigen::MatrixXd& places) const {
    Eigen::MatrixXd covariance = kernel_(rows_, places);
    Prediction prediction{covariance.transpose() * weights_, {}};
    factor_.triangularView<Eigen::Lower>().solveInPlace(covariance);
    prediction.deviations =
        (kernel_.scale + noise_ - covariance.colwise().squaredNorm().transpose().array()).max(kLeast).sqrt();
    return prediction;
  }

  /// The gradient, at a point, of a function of the mean and the deviation, given its derivatives with
  /// respect to these two.
  Eigen::VectorXd slope(const Eigen::VectorXd& place, double deviation, double by_mean,
                        double by_deviation) const {
    Eigen::VectorXd inverse = kernel_(rows_, place.transpose());
    factor_.triangularView<Eigen::Lower>().solveInPlace(inverse);
    factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(inverse);
    return kernel_.slope(rows_, weights_ * by_mean - by_deviation / deviation * inverse, place);
  }

 private:
  static constexpr double kLeast = 1e-12;

  Kernel kernel_;
  double noise_;
  Eigen::MatrixXd rows_, factor_;
  Eigen::VectorXd weights_;
};

/// The share that an objective is expected to cover below each level, max(level - value, 0), as logarithms.
struct Shares {
  Shares(const std::vector<double>& levels, double of_mean, double of_deviation)
      : mean(of_mean), deviation(of_deviation) {
    for (const double level : levels)
      logs.push_back(std::log(deviation) + log_improvement((level - mean) / deviation));
  }

  /// The share between two levels; minus infinity if the levels are too close to be distinguished.
  double between(int low, int high) const {
    const double upper = logs[static_cast<size_t>(high)];
    if (low < 0) return upper;
    const double part = -std::expm1(logs[static_cast<size_t>(low)] - upper);
    return part > 0 ? upper + std::log(part) : kNothing;
  }

  double mean, deviation;
  std::vector<double> logs;
};

class HypervolumeImprovement final : public Acquisition {
 public:
  HypervolumeImprovement(std::vector<ObjectiveModel> models, Boxes boxes)
      : models_(std::move(models)), boxes_(std::move(boxes)) {}

  Eigen::VectorXd at(const Eigen::MatrixXd& places) const override {
    std::vector<ObjectiveModel::Prediction> predicted;
    for (const ObjectiveModel& model : models_) predicted.push_back(model.at(places));
    Eigen::VectorXd logs(places.rows());
    for (long i = 0; i < places.rows(); ++i) {
      const Logs each = logs_of(shares_of(predicted, i));
      logs[i] = each.total;
    }
    return logs;
  }

  double at(const Eigen::VectorXd& place, Eigen::VectorXd* slope) const override {
    std::vector<ObjectiveModel::Prediction> predicted;
    for (const ObjectiveModel& model : models_) predicted.push_back(model.at(place.transpose()));
    const std::vector<Shares> shares = shares_of(predicted, 0);
    const Logs logs = logs_of(shares);
    if (!slope) return logs.total;
    *slope = Eigen::VectorXd::Zero(place.size());
    for (size_t axis = 0; axis < models_.size(); ++axis) {
      const auto [by_mean, by_deviation] = derivatives(axis, shares[axis], logs);
      *slope += models_[axis].slope(place, shares[axis].deviation, by_mean, by_deviation);
    }
    return logs.total;
  }

 private:
  struct Logs {
    double total;
    std::vector<double> boxes;
  };

  std::vector<Shares> shares_of(const std::vector<ObjectiveModel::Prediction>& predicted, long place) const {
    std::vector<Shares> shares;
    for (size_t axis = 0; axis < predicted.size(); ++axis)
      shares.emplace_back(boxes_.levels[axis], predicted[axis].means[place],
                          predicted[axis].deviations[place]);
    return shares;
  }

  Logs logs_of(const std::vector<Shares>& shares) const {
    Logs logs{kNothing, {}};
    double most = kNothing;
    for (const Box& box : boxes_.boxes) {
      double log = 0;
      for (size_t axis = 0; axis < shares.size(); ++axis)
        log += shares[axis].between(box.low[axis], box.high[axis]);
      logs.boxes.push_back(log);
      most = std::max(most, log);
    }
    double sum = 0;
    for (const double log : logs.boxes) sum += std::exp(log - most);
    logs.total = most + std::log(sum);
    return logs;
  }

  /// The derivatives of the total with respect to the mean and the deviation of one objective. At a level, d
  /// share / d mean = -Phi(z) and d share / d deviation = phi(z).
  std::pair<double, double> derivatives(size_t axis, const Shares& shares, const Logs& logs) const {
    double by_mean = 0, by_deviation = 0;
    for (size_t i = 0; i < logs.boxes.size(); ++i) {
      const Box& box = boxes_.boxes[i];
      if (!std::isfinite(logs.boxes[i])) continue;
      const double log = logs.boxes[i] - logs.total - shares.between(box.low[axis], box.high[axis]);
      for (const auto& [level, sign] : {std::pair(box.high[axis], 1.0), {box.low[axis], -1.0}}) {
        if (level < 0) continue;
        const double z = (boxes_.levels[axis][static_cast<size_t>(level)] - shares.mean) / shares.deviation;
        by_mean -= sign * std::exp(log + log_normal_cdf(z));
        by_deviation += sign * std::exp(log - 0.5 * z * z - kLogSqrt2Pi);
      }
    }
    return {by_mean, by_deviation};
  }

  std::vector<ObjectiveModel> models_;
  Boxes boxes_;
};

}  // namespace

Boxes boxes_above(const std::vector<std::vector<double>>& front, const std::vector<double>& reference) {
  const size_t axes = reference.size();
  Boxes boxes;
  for (size_t axis = 0; axis < axes; ++axis) {
    std::vector<double> levels = {reference[axis]};
    for (const Costs& point : front) levels.push_back(std::min(point[axis], reference[axis]));
    std::sort(levels.begin(), levels.end());
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    boxes.levels.push_back(std::move(levels));
  }
  std::vector<size_t> all(front.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  Box box{std::vector<int>(axes), std::vector<int>(axes)};
  Cutter(front, boxes).cut(axes, all, box);
  return boxes;
}

std::unique_ptr<Acquisition> hypervolume_improvement(std::vector<KnownObjective> objectives,
                                                     const Eigen::MatrixXd& rows,
                                                     const Eigen::MatrixXd& running, bool noise_counts) {
  Eigen::MatrixXd all(rows.rows() + running.rows(), rows.cols());
  all << rows, running;
  std::vector<Costs> costs(static_cast<size_t>(all.rows()));
  std::vector<ObjectiveModel> models;
  for (KnownObjective& objective : objectives) {
    if (running.rows() > 0) {
      const Eigen::VectorXd expected = ObjectiveModel(objective, rows, false).at(running).means;
      objective.values.conservativeResize(all.rows());
      objective.values.tail(running.rows()) = expected;
    }
    for (size_t i = 0; i < costs.size(); ++i) costs[i].push_back(objective.values[static_cast<long>(i)]);
    models.emplace_back(objective, all, noise_counts);
  }
  const std::vector<Costs> front = front_of(costs);
  return std::make_unique<HypervolumeImprovement>(std::move(models),
                                                  boxes_above(front, reference_behind(costs)));
}

}  // namespace kml::sweep
