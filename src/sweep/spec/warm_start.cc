#include "kml/sweep/spec/warm_start.h"

#include <algorithm>
#include <cmath>

#include "kml/core/error.h"
#include "kml/sweep/journal/record.h"
#include "sweep/spec/csv.h"
#include "sweep/spec/fields.h"

namespace kml::sweep {

namespace {

/// A trial that was refused or lost says nothing of its values.
bool teaches(std::optional<Outcome> outcome) {
  return outcome && *outcome != Outcome::refused && *outcome != Outcome::lost;
}

/// A value out of a text file, as the parameter has it: 64 for "64", and "adam" as it is.
Json typed(const Parameter& parameter, const Json& value) {
  if (!value.is_string()) return value;
  for (const Json& choice : parameter.choices)
    if ((choice.is_string() ? choice.get<std::string>() : choice.dump()) == value.get<std::string>())
      return choice;
  const auto number = number_of(value);
  return number ? Json(*number) : value;
}

/// A column of CSV may be empty: an inactive parameter's.
bool is_given(const Json& value) {
  return !value.is_null() && !(value.is_string() && value.get_ref<const std::string&>().empty());
}

/// Where another column of an export has a parameter's name, its own is "parameters.NAME".
const Json* value_of(const Json& row, const std::string& parameter) {
  const Json* own = find(row, {"parameters." + parameter});
  const Json* value = own ? own : find(row, {parameter});
  return value && is_given(*value) ? value : nullptr;
}

/// Adds the trial, where its values are a point of the space.
void add(WarmStart& warm, const Space& space, const Json& values, Json entry) {
  Json known = Json::object();
  for (const Parameter& parameter : space.parameters())
    if (const Json* value = value_of(values, parameter.name))
      known[parameter.name] = typed(parameter, *value);
  try {
    const Point point = space.point(known);
    if (space.allows(point)) {
      entry["values"] = space.assignment(point);
      warm.entries.push_back(std::move(entry));
      return;
    }
  } catch (const Error&) {
    // Counted.
  }
  ++warm.outside;
}

Json entry_of(Outcome outcome, const Json& value, const Json& curve) {
  Json entry = {{"outcome", in_words(outcome)}};
  if (value.is_number()) entry["value"] = value;
  if (curve.is_array() && !curve.empty()) entry["curve"] = curve;
  return entry;
}

void add_row(WarmStart& warm, const Space& space, const Json& row, const std::string& metric) {
  const auto own = row.find("parameters");
  const bool is_of_export = own != row.end() && own->is_object();
  Json value = row.value(is_of_export ? "value" : metric, Json());
  if (value.is_string())
    if (const auto number = number_of(value)) value = *number;
  const auto outcome = outcome_of(string_at(row, {"state"}, value.is_number() ? "complete" : ""));
  if (!teaches(outcome) || (*outcome == Outcome::complete && !value.is_number())) return;
  add(warm, space, is_of_export ? *own : row, entry_of(*outcome, value, row.value("curve", Json())));
}

}  // namespace

WarmStart warm_start_of(const SweepState& earlier, const Space& space) {
  WarmStart warm;
  for (const Trial& trial : earlier.trials())
    if (teaches(trial.outcome))
      add(warm, space, trial.values,
          entry_of(*trial.outcome, trial.value && std::isfinite(*trial.value) ? Json(*trial.value) : Json(),
                   trial.curve));
  return warm;
}

WarmStart warm_start_of_file(std::string_view text, const std::string& source, const std::string& metric,
                             const Space& space) {
  WarmStart warm;
  for (const Json& row : rows_of(text, source)) add_row(warm, space, row, metric);
  return warm;
}

std::vector<Observation> observations_of(const Json& entries, const Space& space,
                                         const Objective& objective) {
  std::vector<Observation> seen;
  for (const Json& entry : entries) {
    Observation one;
    one.trial = seen.size();
    one.point = space.point(object_at(entry, {"values"}));
    one.state = state_of(outcome_of(string_at(entry, {"outcome"}, "complete")).value_or(Outcome::failed));
    if (const Json* value = find(entry, {"value"}); value && value->is_number())
      one.objective = objective.cost(value->get<double>());
    else if (one.state == TrialState::complete)
      throw usage_error("an earlier result has no value");
    for (const Json& point : array_at(entry, {"curve"}))
      if (point.is_array() && point.size() == 2 && point[0].is_number() && point[1].is_number())
        one.curve.emplace_back(point[0].get<double>(), objective.cost(point[1].get<double>()));
    seen.push_back(std::move(one));
  }
  return seen;
}

}  // namespace kml::sweep
