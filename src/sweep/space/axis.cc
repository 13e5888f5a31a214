#include "sweep/space/axis.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "sweep/space/normal.h"

namespace kml::sweep {

namespace {

constexpr double kMostValues = 9007199254740992;  // 2^53: above this, a double cannot represent all integers

/// Rounds 0.1 + 2 * 0.1 to 0.3, as a user would write it.
double tidy(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 13).ptr;
  std::from_chars(digits, end, value);
  return value;
}

bool are_whole(double a, double b) {
  return a == std::floor(a) && b == std::floor(b);
}

/// The number of steps in the range. A bound that is a whole number of steps away is included in spite of
/// rounding errors.
double steps_in(const Parameter& parameter, double step) {
  const double range = parameter.high - parameter.low;
  if (are_whole(range, step)) return (range - std::fmod(range, step)) / step;
  return std::floor(range / step * (1 + 1e-12) + 1e-9);
}

std::string fault_of_choices(const Parameter& parameter) {
  const auto& choices = parameter.choices;
  if (choices.empty()) return "has no values to choose from";
  if (!parameter.weights.empty() && parameter.weights.size() != choices.size())
    return "does not have one probability for each of its values";
  for (size_t i = 0; i < choices.size(); ++i)
    if (std::find(choices.begin(), choices.begin() + static_cast<long>(i), choices[i]) !=
        choices.begin() + static_cast<long>(i))
      return "lists the value " + choices[i].dump() + " twice";
  if (parameter.kind == Kind::categorical) return {};
  if (!std::all_of(choices.begin(), choices.end(), number_of))
    return "is ordinal, but not all of its values are numbers";
  if (!std::ranges::is_sorted(choices, {}, number_of))
    return "is ordinal, but its values are not in ascending order";
  return {};
}

}  // namespace

std::string fault_of(const Parameter& parameter) {
  if (is_choice(parameter)) return fault_of_choices(parameter);
  const bool integer = parameter.kind == Kind::integer;
  const auto& [low, high, step] = std::tie(parameter.low, parameter.high, parameter.step);
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(high - low)) return "needs finite bounds";
  if (low > high) return "has a minimum above its maximum";
  if (!(step >= 0) || !std::isfinite(step)) return "has a step below 0";
  if (integer && (low != std::floor(low) || high != std::floor(high) || step != std::floor(step)))
    return "is an integer, but its bounds or step are not";
  if (integer && std::max(std::abs(low), std::abs(high)) > kMostValues) return "has bounds beyond 2^53";
  if (parameter.log && !parameter.drawn && step > (integer ? 1 : 0))
    return "cannot have a step on a logarithmic scale";
  if (parameter.log && (parameter.drawn ? parameter.drawn->first : low) <= 0)
    return "has a logarithmic scale, so its minimum must be above 0";
  if (step > 0 && steps_in(parameter, step) >= kMostValues) return "has more than 2^53 steps";
  return {};
}

Axis::Axis(const Parameter& parameter) : log_(parameter.log), low_(parameter.low), high_(parameter.high) {
  if (is_choice(parameter)) {
    log_ = false;
    low_ = 0;
    step_ = 1;
    count_ = parameter.choices.size();
    set_weights(parameter.weights);
    return;
  }
  if (parameter.kind == Kind::integer || parameter.step > 0) {
    step_ = parameter.step > 0 ? parameter.step : 1;
    count_ = static_cast<std::uint64_t>(steps_in(parameter, step_)) + 1;
    if (parameter.drawn && !are_whole(low_, step_)) low_ = tidy(low_);
  } else if (low_ == high_) {
    count_ = 1;
    step_ = 1;
  }
  if (count_ == 1)
    log_ = false;
  else
    set_scale(parameter);
}

void Axis::set_weights(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) ends_.push_back(sum += weight);
  for (double& end : ends_) end /= sum;
  is_even_ = ends_.empty();
}

void Axis::set_scale(const Parameter& parameter) {
  normal_ = parameter.normal;
  is_even_ = !log_ && !normal_ && !parameter.drawn;
  const auto [low, high] = parameter.drawn.value_or(std::pair(low_, high_));
  const double half = count_ == 0 || parameter.drawn ? 0 : step_ / 2,
               last = count_ == 0 || parameter.drawn ? high : at(count_ - 1);
  drawn_low_ = low - half;
  drawn_high_ = last + half;
  if (count_ > 0 && is_even_) return;
  begin_ = scaled(drawn_low_);
  end_ = scaled(drawn_high_);
  if (!normal_) return;
  mean_ = (scaled(low) + scaled(high)) / 2;
  deviation_ = (scaled(high) - scaled(low)) / (2 * parameter.deviations);
  below_begin_ = normal_cdf((begin_ - mean_) / deviation_);
  inside_ = normal_cdf((end_ - mean_) / deviation_) - below_begin_;
}

/// The unit coordinate for a position on the scaled axis.
double Axis::unit_of(double place) const {
  const double unit = normal_ ? (normal_cdf((place - mean_) / deviation_) - below_begin_) / inside_
                              : (place - begin_) / (end_ - begin_);
  return std::clamp(unit, 0.0, 1.0);
}

/// The inverse of unit_of().
double Axis::place_of(double unit) const {
  if (!normal_) return begin_ + unit * (end_ - begin_);
  const double below = std::clamp(below_begin_ + unit * inside_, 1e-300, 1 - 1e-16);
  return std::clamp(mean_ + deviation_ * normal_quantile(below), begin_, end_);
}

double Axis::scaled(double value) const {
  return log_ ? std::log(value) : value;
}

/// Whole numbers up to 2^53 are exact, so they need not be rounded.
double Axis::at(std::uint64_t rank) const {
  const double value = low_ + static_cast<double>(rank) * step_;
  return rank == 0 || are_whole(low_, step_) ? value : tidy(value);
}

std::uint64_t Axis::rank(double value) const {
  const double steps = std::round((value - low_) / step_);
  return static_cast<std::uint64_t>(std::clamp(steps, 0.0, static_cast<double>(count_ - 1)));
}

double Axis::from_unit(double unit) const {
  if (!ends_.empty()) {
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), unit);
    return at(std::min(static_cast<std::uint64_t>(end - ends_.begin()), count_ - 1));
  }
  if (count_ == 0 || !is_even_) {
    const double place = place_of(unit), value = log_ ? std::exp(place) : place;
    return count_ == 0 ? std::clamp(value, low_, high_) : at(rank(value));
  }
  const double place = std::floor(unit * static_cast<double>(count_));
  return at(static_cast<std::uint64_t>(std::clamp(place, 0.0, static_cast<double>(count_ - 1))));
}

double Axis::to_unit(double value) const {
  if (count_ == 0) return unit_of(scaled(value));
  const auto [begin, end] = cell(value);
  return (begin + end) / 2;
}

/// The unit coordinate of the value that is this many steps above the lowest one.
double Axis::edge(double steps) const {
  return unit_of(scaled(std::clamp(low_ + steps * step_, drawn_low_, drawn_high_)));
}

std::pair<double, double> Axis::cell(double value) const {
  if (count_ == 0) return {to_unit(value), to_unit(value)};
  const std::uint64_t rank = this->rank(value);
  if (!ends_.empty()) return {rank == 0 ? 0 : ends_[rank - 1], ends_[rank]};
  const auto count = static_cast<double>(count_);
  const auto place = static_cast<double>(rank);
  if (is_even_) return {place / count, (place + 1) / count};
  return {edge(place - 0.5), edge(place + 0.5)};
}

}  // namespace kml::sweep
