#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sweep/samplers/all_samplers.h"

namespace kml::sweep {

namespace {

/// Whether the trial has ended, so that another trial can continue its member.
bool is_over(const Observation& trial) {
  return trial.state != TrialState::running && trial.state != TrialState::paused;
}

/// A quantile of sorted values; interpolates linearly between two of them.
double quantile(const std::vector<double>& rising, double part) {
  const double place = part * static_cast<double>(rising.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, rising.size() - 1);
  return rising[below] + (place - std::floor(place)) * (rising[above] - rising[below]);
}

class PopulationSampler : public Sampler {
 public:
  PopulationSampler(const Space& space, SamplerOptions options)
      : space_(space), options_(std::move(options)) {}

  std::optional<Point> propose(std::uint64_t trial, const History& seen) override {
    const std::optional<Step> step = next(trial, seen);
    proposed_ = trial;
    lineage_ = step ? std::optional(step->lineage) : std::nullopt;
    return step ? std::optional(step->point) : std::nullopt;
  }

  std::optional<Lineage> lineage(std::uint64_t trial, const History& seen) override {
    if (proposed_ != trial) propose(trial, seen);
    proposed_.reset();
    return lineage_;
  }

 private:
  struct Step {
    Point point;
    Lineage lineage;
  };
  /// A member's last trial, and its last trial that has a result.
  struct Member {
    const Observation* last = nullptr;
    const Observation* best_known = nullptr;
  };
  using Members = std::map<std::uint64_t, Member>;

  static Members members_of(const History& seen) {
    Members members;
    const auto take = [&](const Observation& trial) {
      if (!trial.lineage) return;
      Member& member = members[trial.lineage->member];
      if (!member.last || trial.trial > member.last->trial) member.last = &trial;
      const bool has_result =
          trial.state == TrialState::complete && trial.objective && std::isfinite(*trial.objective);
      if (has_result && (!member.best_known || trial.trial > member.best_known->trial))
        member.best_known = &trial;
    };
    for (const Observation& trial : seen.ended) take(trial);
    for (const Observation& trial : seen.running) take(trial);
    return members;
  }

  std::optional<Step> next(std::uint64_t trial, const History& seen) const {
    const Members members = members_of(seen);
    Stream stream(options_.seed, trial, Purpose::evolve);
    for (std::uint64_t member = 0; member < static_cast<std::uint64_t>(options_.population.members); ++member)
      if (!members.contains(member)) return beginning(member, stream);
    const Member* free = nullptr;
    for (const auto& [number, member] : members)
      if (is_over(*member.last) && (!free || member.last->trial < free->last->trial)) free = &member;
    if (!free) return {};
    return continuation(*free, members, stream);
  }

  std::optional<Step> beginning(std::uint64_t member, Stream& stream) const {
    std::optional<Point> point = drawn([&](size_t) { return stream.uniform(); });
    if (!point) return {};
    return Step{std::move(*point), {member, {}}};
  }

  std::optional<Step> continuation(const Member& member, const Members& members, Stream& stream) const {
    const std::uint64_t number = member.last->lineage->member;
    std::vector<double> costs;
    for (const auto& [each, other] : members)
      if (other.best_known) costs.push_back(*other.best_known->objective);
    if (costs.empty()) return beginning(number, stream);
    std::sort(costs.begin(), costs.end());
    const double truncation = options_.population.truncation;
    const bool has_result = member.best_known == member.last;
    if (has_result && *member.last->objective <= quantile(costs, 1 - truncation))
      return explored(*member.last, stream);
    std::vector<const Observation*> best;
    for (const auto& [each, other] : members)
      if (other.best_known && *other.best_known->objective <= quantile(costs, truncation))
        best.push_back(other.best_known);
    const Observation& model = *best[stream.index(best.size())];
    return Step{model.point, {number, model.trial}};
  }

  std::optional<Step> explored(const Observation& base, Stream& stream) const {
    const std::optional<double> resample = options_.population.resample;
    std::optional<Point> point = drawn([&](size_t i) {
      const double drawn = stream.uniform(), choice = stream.uniform();
      if (std::isnan(base.point[i]) || (resample && choice < *resample)) return drawn;
      return unit_of(i, resample ? base.point[i] : changed(i, base.point[i], choice < 0.5));
    });
    if (!point) return {};
    return Step{std::move(*point), {base.lineage->member, base.trial}};
  }

  /// A value next to this one: one fifth lower or higher. In a list, this is a neighboring item; the first
  /// item is next to the last.
  double changed(size_t parameter, double value, bool is_down) const {
    const Parameter& of = space_.parameters()[parameter];
    const bool is_list = of.kind == Kind::ordinal || of.kind == Kind::categorical;
    if (is_list) {
      const auto count = static_cast<double>(of.choices.size());
      return std::fmod(value + (is_down ? count - 1 : 1), count);
    }
    const double wanted = std::clamp(value * (is_down ? 0.8 : 1.2), of.low, of.high);
    const double nearest = space_.value_at(parameter, unit_of(parameter, wanted));
    if (space_.values(parameter) == 0 || nearest != value) return nearest;
    const double step = of.step > 0 ? of.step : 1;  // a fifth is smaller than a step
    return std::clamp(value + (is_down ? -step : step), of.low, of.high);
  }

  double unit_of(size_t parameter, double value) const {
    const auto [begin, end] = space_.cell(parameter, value);
    return (begin + end) / 2;
  }

  /// The first allowed point among those with coordinates from `unit_at`.
  template <typename UnitAt>
  std::optional<Point> drawn(const UnitAt& unit_at) const {
    std::vector<double> unit(space_.dimensions());
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      for (size_t i = 0; i < unit.size(); ++i) unit[i] = unit_at(i);
      if (Point point = space_.from_unit(unit); space_.allows(point)) return point;
    }
    return {};
  }

  Space space_;
  SamplerOptions options_;
  std::optional<std::uint64_t>
      proposed_;  ///< the trial to which lineage_ belongs, until lineage_ is requested
  std::optional<Lineage> lineage_;
};

}  // namespace

std::unique_ptr<Sampler> make_population(const Space& space, SamplerOptions options) {
  return std::make_unique<PopulationSampler>(space, std::move(options));
}

}  // namespace kml::sweep
