#include "kml/sweep/space/space.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "sweep/space/axis.h"
#include "sweep/space/constraint.h"
#include "sweep/space/tree.h"

namespace kml::sweep {

namespace {

constexpr double kInactive = std::numeric_limits<double>::quiet_NaN();

/// The number that stands for the value in a Point; empty if it is not a value of the parameter.
std::optional<double> internal_value(const Parameter& parameter, const Axis& axis, const Json& value) {
  if (is_choice(parameter)) {
    const auto found = std::find(parameter.choices.begin(), parameter.choices.end(), value);
    if (found == parameter.choices.end()) return std::nullopt;
    return static_cast<double>(found - parameter.choices.begin());
  }
  const std::optional<double> given = number_of(value);
  if (!given) return std::nullopt;
  const double number = *given;
  const double slack = 1e-9 * std::max(1.0, std::abs(number));
  if (!(number >= parameter.low - slack && number <= parameter.high + slack)) return std::nullopt;
  if (axis.values() == 0) return std::clamp(number, parameter.low, parameter.high);
  const double nearest = axis.at(axis.rank(number));
  if (std::abs(nearest - number) > slack) return std::nullopt;
  return nearest;
}

}  // namespace

struct Space::State {
  std::vector<Parameter> parameters;
  std::vector<Axis> axes = {};
  std::optional<ConditionTree> tree = {};
  std::vector<Constraint> constraints = {};
};

std::string Parameter::own_name() const {
  size_t begin = 0;
  for (const std::string& parent : parents) begin += parent.size() + 1;
  return name.substr(std::min(begin, name.size()));
}

std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool same(const Point& a, const Point& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double left, double right) {
    return left == right || (std::isnan(left) && std::isnan(right));
  });
}

Space::Space(std::vector<Parameter> parameters, const std::vector<std::string>& constraints) {
  const auto state = std::make_shared<State>(State{std::move(parameters)});
  Error error = usage_error("invalid search space");
  const auto add = [&](const char* list, size_t i, const std::string& text) {
    error.problems.push_back({.path = list + ("[" + std::to_string(i) + "]"), .text = text});
  };
  if (state->parameters.empty()) error.problems.push_back({.path = "parameters", .text = "is empty"});
  std::set<std::string> names;
  for (size_t i = 0; i < state->parameters.size(); ++i) {
    const Parameter& parameter = state->parameters[i];
    if (parameter.name.empty())
      add("parameters", i, "has no name");
    else if (!names.insert(parameter.name).second)
      add("parameters", i, "\"" + parameter.name + "\" is given twice");
    if (const std::string fault = fault_of(parameter); !fault.empty())
      add("parameters", i, "\"" + parameter.name + "\" " + fault);
  }
  if (error.problems.empty()) {
    for (const Parameter& parameter : state->parameters) state->axes.emplace_back(parameter);
    std::vector<std::pair<size_t, std::string>> faults;
    state->tree.emplace(state->parameters, state->axes, faults);
    for (const auto& [i, fault] : faults)
      add("parameters", i, "\"" + state->parameters[i].name + "\" " + fault);
  }
  for (size_t i = 0; i < constraints.size(); ++i) try {
      state->constraints.emplace_back(constraints[i], state->parameters);
    } catch (const Error& fault) {
      std::string text = fault.message;
      for (const std::string& more : {fault.why, fault.fix})
        if (!more.empty()) text += "; " + more;
      add("constraints", i, text);
    }
  if (!error.problems.empty()) throw error;
  state_ = state;
}

const std::vector<Parameter>& Space::parameters() const {
  return state_->parameters;
}

Json Space::assignment(const Point& point) const {
  Json values = Json::object();
  for (size_t i = 0; i < point.size(); ++i) {
    const Parameter& parameter = parameters()[i];
    if (std::isnan(point[i])) continue;
    if (is_choice(parameter))
      values[parameter.name] = parameter.choices.at(static_cast<size_t>(point[i]));
    else if (parameter.kind == Kind::integer)
      values[parameter.name] = static_cast<std::int64_t>(point[i]);
    else
      values[parameter.name] = point[i];
  }
  return values;
}

Point Space::point(const Json& assignment) const {
  Point point(dimensions(), kInactive);
  const auto refuse = [](const std::string& why) {
    throw usage_error("these values are outside the search space", why);
  };
  size_t used = 0;
  for (const size_t i : state_->tree->order()) {
    const Parameter& parameter = parameters()[i];
    if (!state_->tree->active(i, point)) continue;
    const auto found = assignment.find(parameter.name);
    if (found == assignment.end()) refuse(parameter.name + " is missing");
    const auto value = internal_value(parameter, state_->axes[i], *found);
    if (!value) refuse(parameter.name + " cannot be " + found->dump());
    point[i] = *value;
    ++used;
  }
  for (const auto& [name, value] : assignment.items()) {
    if (used == assignment.size()) break;
    const auto known =
        std::find_if(parameters().begin(), parameters().end(),
                     [&name = name](const Parameter& parameter) { return parameter.name == name; });
    if (known == parameters().end()) refuse("\"" + name + "\" is not a parameter");
    if (std::isnan(point[static_cast<size_t>(known - parameters().begin())]))
      refuse(name + " is inactive with the other values");
  }
  return point;
}

bool Space::allows(const Point& point) const {
  if (state_->constraints.empty()) return true;
  std::vector<double> numbers = point;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (parameters()[i].kind == Kind::ordinal && !std::isnan(point[i]))
      numbers[i] = number_of(parameters()[i].choices[static_cast<size_t>(point[i])]).value();
  return std::all_of(state_->constraints.begin(), state_->constraints.end(),
                     [&](const Constraint& constraint) { return constraint.holds(numbers); });
}

std::optional<std::uint64_t> Space::size() const {
  return state_->tree->size();
}
Point Space::grid_point(std::uint64_t index) const {
  return state_->tree->grid_point(index);
}
std::uint64_t Space::values(size_t parameter) const {
  return state_->axes[parameter].values();
}

Point Space::from_unit(std::span<const double> unit) const {
  Point point(dimensions(), kInactive);
  for (const size_t i : state_->tree->order())
    if (state_->tree->active(i, point)) point[i] = state_->axes[i].from_unit(unit[i]);
  return point;
}

double Space::value_at(size_t parameter, double unit) const {
  return state_->axes[parameter].from_unit(unit);
}

std::vector<double> Space::to_unit(const Point& point) const {
  std::vector<double> unit(dimensions(), kInactive);
  for (size_t i = 0; i < unit.size(); ++i)
    if (!std::isnan(point[i])) unit[i] = state_->axes[i].to_unit(point[i]);
  return unit;
}

std::pair<double, double> Space::cell(size_t parameter, double value) const {
  return state_->axes[parameter].cell(value);
}

}  // namespace kml::sweep
