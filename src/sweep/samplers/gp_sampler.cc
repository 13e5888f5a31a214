#include "sweep/samplers/all_samplers.h"

#include <LBFGSB.h>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "sweep/samplers/front.h"
#include "sweep/samplers/gaussian_process.h"
#include "sweep/samplers/hypervolume.h"
#include "sweep/samplers/ranking.h"
#include "sweep/samplers/sobol.h"
#include "sweep/samplers/standardize.h"
#include "sweep/samplers/tried.h"
#include "sweep/samplers/trust_region.h"

namespace kml::sweep {

namespace {

/// how many trials the Gaussian process uses at most; its time grows with the cube of this number
constexpr size_t kMostRows = 300;
constexpr size_t kMostFitted = 120;  ///< how many trials are used to fit the kernel
constexpr int kLocalSearches = 10;
/// this many trials per dimension come before a search near the best trial
constexpr size_t kGlobalPerAxis = 10;

struct Candidate {
  Eigen::VectorXd place;
  double worth;
};

Eigen::VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<long>(values.size()));
}

std::vector<double> as_unit(const Eigen::VectorXd& place) {
  return {place.data(), place.data() + place.size()};
}

Eigen::MatrixXd stacked(const std::vector<Eigen::VectorXd>& places, size_t axes) {
  Eigen::MatrixXd rows(static_cast<long>(places.size()), static_cast<long>(axes));
  for (size_t i = 0; i < places.size(); ++i) rows.row(static_cast<long>(i)) = places[i].transpose();
  return rows;
}

class GaussianProcessSampler : public Sampler {
 public:
  GaussianProcessSampler(const Space& space, SamplerOptions options)
      : space_(space), options_(std::move(options)), startup_(space.dimensions(), options_.seed) {
    for (const Parameter& parameter : space.parameters())
      metrics_.push_back(parameter.kind == Kind::categorical ? Metric::equality : Metric::distance);
  }

  std::optional<Point> propose(std::uint64_t trial, const History& seen) override {
    tried_.follow(seen);
    const size_t known = seen.ended.size() + options_.warm_start.size();
    const bool starts =
        known < static_cast<size_t>(std::max(options_.startup.value_or(default_startup()), 2));
    if (!starts)
      if (auto point = options_.objectives > 1 ? most_extending(trial, seen) : most_promising(trial, seen))
        return point;
    Stream retry(options_.seed, trial, Purpose::retry);
    return first_untried(space_, tried_, Stream(options_.seed, trial, Purpose::scan), [&](int attempt) {
      if (attempt == 0 && starts) return space_.from_unit(startup_.point(static_cast<std::uint32_t>(trial)));
      std::vector<double> unit(space_.dimensions());
      for (double& coordinate : unit) coordinate = retry.uniform();
      return space_.from_unit(unit);
    });
  }

 private:
  int default_startup() const { return std::clamp(2 * static_cast<int>(space_.dimensions()) + 2, 6, 12); }

  Eigen::VectorXd place_of(const Point& point) const { return as_vector(space_.to_unit(point)); }

  /// After enough trials, and if all axes have distances, searches for every second proposal only near the
  /// best trial. A Gaussian process that is fitted to all trials is too smooth for local optima, and too
  /// coarse for the last digits. One that is fitted to nearby trials is neither.
  std::optional<Point> most_promising(std::uint64_t trial, const History& seen) {
    std::vector<const Observation*> ended;
    for (const Observation& one : options_.warm_start) ended.push_back(&one);
    for (const Observation& one : seen.ended) ended.push_back(&one);
    std::vector<double> scores = scores_of(ended, options_.rungs, space_.dimensions());
    if (scores.empty() ||
        *std::min_element(scores.begin(), scores.end()) == *std::max_element(scores.begin(), scores.end()))
      return std::nullopt;
    if (trial % 2 == 1 && ended.size() >= kGlobalPerAxis * space_.dimensions() && has_distances())
      if (auto point = most_promising_nearby(trial, seen, ended, scores)) return point;
    const std::vector<size_t> kept = most_telling(scores, kMostRows),
                              fitted = most_telling(scores, kMostFitted);
    const Eigen::VectorXd y = standardized(scores);
    const Eigen::MatrixXd fit_rows = rows_of(ended, fitted), rows = rows_of(ended, kept);
    const Eigen::VectorXd values = y(as_indices(kept));
    const Improvement improvement(fitted_kernel(fit_rows, y(as_indices(fitted)), metrics_), rows, values,
                                  running_rows(seen), options_.seed + trial, space_.size().has_value());
    return best_of_searches(improvement, Region::whole(rows.cols()), trial, rows, values);
  }

  /// Whether a box around a point is defined, because all axes have distances.
  bool has_distances() const {
    const auto& parameters = space_.parameters();
    return std::none_of(parameters.begin(), parameters.end(), [](const Parameter& parameter) {
      return parameter.kind == Kind::categorical || parameter.condition;
    });
  }

  std::optional<Point> most_promising_nearby(std::uint64_t trial, const History& seen,
                                             const std::vector<const Observation*>& ended,
                                             const std::vector<double>& scores) {
    std::vector<size_t> all(ended.size());
    std::iota(all.begin(), all.end(), size_t{0});
    const Eigen::MatrixXd places = rows_of(ended, all);
    const Region region = trust_region(places, scores);
    const std::vector<long> near = trials_near(region, places);
    std::vector<double> own;
    for (const long i : near) own.push_back(scores[static_cast<size_t>(i)]);
    const Eigen::VectorXd y = standardized(own);
    if (!y.allFinite()) return std::nullopt;  // all scores are equal
    const Eigen::MatrixXd rows = places(near, Eigen::all), scaled = region.scaled(rows);
    const Improvement improvement(fitted_kernel(scaled, y, metrics_), scaled, y,
                                  region.scaled(running_rows(seen)), options_.seed + trial,
                                  space_.size().has_value());
    return best_of_searches(improvement, region, trial, rows, y);
  }

  /// With several objectives: the point that is expected to extend the Pareto front the most.
  std::optional<Point> most_extending(std::uint64_t trial, const History& seen) {
    std::vector<const Observation*> ended;
    for (const Observation& one : seen.ended) ended.push_back(&one);
    std::vector<std::vector<double>> scores;
    for (size_t axis = 0; axis < options_.objectives; ++axis) {
      scores.push_back(scores_of_objective(seen, axis));
      if (scores.back().empty()) return std::nullopt;
    }
    std::vector<Costs> costs(ended.size());
    for (const std::vector<double>& of_axis : scores)
      for (size_t i = 0; i < costs.size(); ++i) costs[i].push_back(of_axis[i]);
    // Trials with the same rank are in random order, so that candidates are drawn near all parts of the
    // front.
    Stream stream(options_.seed, trial, Purpose::batch);
    std::vector<double> order;
    for (const size_t rank : ranks_of(costs)) order.push_back(static_cast<double>(rank) + stream.uniform());
    const std::vector<size_t> kept = most_telling(order, kMostRows),
                              fitted = most_telling(order, kMostFitted);
    const Eigen::MatrixXd fit_rows = rows_of(ended, fitted), rows = rows_of(ended, kept);
    std::vector<KnownObjective> known;
    for (const std::vector<double>& of_axis : scores) {
      const Eigen::VectorXd y = standardized(of_axis);
      if (!y.allFinite()) return std::nullopt;  // all scores are equal
      known.push_back({fitted_kernel(fit_rows, y(as_indices(fitted)), metrics_), y(as_indices(kept))});
    }
    const auto improvement =
        hypervolume_improvement(std::move(known), rows, running_rows(seen), space_.size().has_value());
    return best_of_searches(*improvement, Region::whole(rows.cols()), trial, rows,
                            as_vector(order)(as_indices(kept)));
  }

  /// The scores of the trials for one of several objectives.
  std::vector<double> scores_of_objective(const History& seen, size_t axis) const {
    std::vector<Observation> trials;
    for (const Observation& one : seen.ended) {
      Observation& trial = trials.emplace_back();
      const bool has_all = one.objective && one.further.size() + 1 == options_.objectives;
      trial.state = has_all ? one.state : TrialState::failed;
      if (has_all) trial.objective = axis == 0 ? *one.objective : one.further[axis - 1];
    }
    std::vector<const Observation*> pointers;
    for (const Observation& trial : trials) pointers.push_back(&trial);
    return scores_of(pointers, {}, space_.dimensions());
  }

  static std::vector<long> as_indices(const std::vector<size_t>& which) {
    return {which.begin(), which.end()};
  }

  Eigen::MatrixXd rows_of(const std::vector<const Observation*>& trials,
                          const std::vector<size_t>& which) const {
    std::vector<Eigen::VectorXd> rows;
    for (const size_t i : which) rows.push_back(place_of(trials[i]->point));
    return stacked(rows, space_.dimensions());
  }

  Eigen::MatrixXd running_rows(const History& seen) const {
    std::vector<Eigen::VectorXd> rows;
    for (const Observation& one : seen.running) rows.push_back(place_of(one.point));
    return stacked(rows, space_.dimensions());
  }

  /// At most `most` trials: half of them are the best ones, and the others are the latest of the rest. Keeps
  /// their order.
  static std::vector<size_t> most_telling(const std::vector<double>& scores, size_t most) {
    std::vector<size_t> all(scores.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (all.size() <= most) return all;
    std::stable_sort(all.begin(), all.end(), [&](size_t a, size_t b) { return scores[a] < scores[b]; });
    std::sort(all.begin() + static_cast<long>(most / 2), all.end(), std::greater<>());
    all.resize(most);
    std::sort(all.begin(), all.end());
    return all;
  }

  /// The best point that was found from candidates in the region, is allowed and was not tried. `improvement`
  /// expects points in the region's own scale.
  std::optional<Point> best_of_searches(const Acquisition& improvement, const Region& region,
                                        std::uint64_t trial, const Eigen::MatrixXd& rows,
                                        const Eigen::VectorXd& values) {
    std::vector<Candidate> candidates = draw_candidates(improvement, region, trial, rows, values);
    const auto is_better = [](const Candidate& a, const Candidate& b) { return a.worth > b.worth; };
    std::stable_sort(candidates.begin(), candidates.end(), is_better);
    const size_t searches = std::min<size_t>(kLocalSearches, candidates.size());
    for (size_t i = 0; i < searches; ++i) candidates.push_back(searched(improvement, region, candidates[i]));
    std::stable_sort(candidates.begin(), candidates.end(), is_better);
    for (const Candidate& candidate : candidates)
      if (Point point = space_.from_unit(as_unit(candidate.place));
          space_.allows(point) && !tried_.contains(point))
        return point;
    return std::nullopt;
  }

  /// Points all over the region, and some points near the best ones. Only includes points that are allowed.
  std::vector<Candidate> draw_candidates(const Acquisition& improvement, const Region& region,
                                         std::uint64_t trial, const Eigen::MatrixXd& rows,
                                         const Eigen::VectorXd& values) const {
    const size_t spread = std::clamp<size_t>(200'000 / static_cast<size_t>(rows.rows()), 512, 2048),
                 near = spread / 8;
    const Sobol sobol(space_.dimensions(), mixed(options_.seed + trial));
    Stream stream(options_.seed, trial, Purpose::candidates);
    std::vector<long> order(static_cast<size_t>(rows.rows()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](long a, long b) { return values[a] < values[b]; });
    const size_t centres = std::min<size_t>(order.size(), 4);
    std::vector<Eigen::VectorXd> places;
    for (size_t i = 0; i < spread + near; ++i) {
      std::vector<double> unit(space_.dimensions());
      if (i < spread) {
        unit = sobol.point(static_cast<std::uint32_t>(i));
        for (size_t k = 0; k < unit.size(); ++k)
          unit[k] = region.low[static_cast<long>(k)] + region.width(static_cast<long>(k)) * unit[k];
      } else {
        const double width = std::pow(10, -1 - 2 * stream.uniform());
        for (size_t k = 0; k < unit.size(); ++k) {
          const auto axis = static_cast<long>(k);
          const double centre = rows(order[i % centres], axis);
          const bool moves = metrics_[k] == Metric::distance ? true : stream.uniform() < 0.3;
          if (std::isnan(centre) || (moves && metrics_[k] == Metric::equality))
            unit[k] = stream.uniform();
          else
            unit[k] = std::clamp(centre + (moves ? width * region.width(axis) * stream.normal() : 0),
                                 region.low[axis], region.high[axis]);
        }
      }
      const Point point = space_.from_unit(unit);
      if (space_.allows(point)) places.push_back(place_of(point));
    }
    std::vector<Candidate> candidates;
    const Eigen::VectorXd worth = improvement.at(region.scaled(stacked(places, space_.dimensions())));
    for (size_t i = 0; i < places.size(); ++i) candidates.push_back({places[i], worth[static_cast<long>(i)]});
    return candidates;
  }

  Candidate searched(const Acquisition& improvement, const Region& region, Candidate from) const {
    constexpr int kRounds = 4;
    for (int round = 0; round < kRounds; ++round) {
      const double before = from.worth;
      climb(improvement, region, from);
      bool any_discrete = false;
      for (size_t axis = 0; axis < space_.dimensions(); ++axis)
        if (space_.values(axis) > 1) any_discrete = true, try_values(improvement, region, from, axis);
      if (!any_discrete || from.worth < before + 1e-4) break;
    }
    return from;
  }

  /// Follows the gradient along continuous parameters.
  void climb(const Acquisition& improvement, const Region& region, Candidate& from) const {
    std::vector<long> axes;
    for (size_t axis = 0; axis < space_.dimensions(); ++axis)
      if (space_.values(axis) == 0 && !std::isnan(from.place[static_cast<long>(axis)]))
        axes.push_back(static_cast<long>(axis));
    if (axes.empty()) return;
    Candidate best = from;
    Eigen::VectorXd scaled = region.scaled(from.place.transpose()).transpose(), start = scaled(axes), slope;
    auto loss = [&](const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
      scaled(axes) = at;
      const double worth = improvement.at(scaled, &slope);
      gradient = -slope(axes);
      if (worth > best.worth) best = {region.place_of(scaled), worth};
      return -worth;
    };
    LBFGSpp::LBFGSBParam<double> options;
    options.max_iterations = 40;
    options.epsilon = options.epsilon_rel = 1e-3;
    options.past = 2;
    options.delta = 1e-5;
    try {
      LBFGSpp::LBFGSBSolver<double> solver(options);
      double value = 0;
      solver.minimize(loss, start, value, Eigen::VectorXd(Eigen::VectorXd::Zero(start.size())),
                      Eigen::VectorXd(Eigen::VectorXd::Ones(start.size())));
    } catch (const std::exception&) {  // the line search has failed, so the best point so far is used
    }
    from = best;
  }

  /// Tries all values of one parameter; if it has many, some near values and some far ones.
  void try_values(const Acquisition& improvement, const Region& region, Candidate& from, size_t axis) const {
    constexpr std::uint64_t kAll = 32;
    const auto count = space_.values(axis);
    const auto own = from.place[static_cast<long>(axis)];
    if (std::isnan(own)) return;
    std::vector<double> units;
    if (count <= kAll)
      for (std::uint64_t k = 0; k < count; ++k)
        units.push_back((static_cast<double>(k) + 0.5) / static_cast<double>(count));
    else
      for (double step = 1.01 / static_cast<double>(count); step < 1; step *= 2)
        units.insert(units.end(), {own - step, own + step});
    std::vector<Eigen::VectorXd> places;
    for (const double unit : units) {
      if (unit < 0 || unit > 1) continue;
      std::vector<double> moved = as_unit(from.place);
      for (double& coordinate : moved)
        if (std::isnan(coordinate)) coordinate = 0.5;
      moved[axis] = unit;
      const Point point = space_.from_unit(moved);
      if (space_.allows(point) && !tried_.contains(point)) places.push_back(place_of(point));
    }
    if (places.empty()) return;
    const Eigen::VectorXd worth = improvement.at(region.scaled(stacked(places, space_.dimensions())));
    long best = 0;
    worth.maxCoeff(&best);
    if (worth[best] > from.worth) from = {places[static_cast<size_t>(best)], worth[best]};
  }

  Space space_;
  SamplerOptions options_;
  Sobol startup_;
  Tried tried_;
  std::vector<Metric> metrics_;
};

}  // namespace

std::unique_ptr<Sampler> make_gp(const Space& space, SamplerOptions options) {
  return std::make_unique<GaussianProcessSampler>(space, std::move(options));
}

}  // namespace kml::sweep
