#include "sweep/spec/warm_start.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kml/sweep/journal/record.h"
#include "sweep/spec/fields.h"

namespace kml::sweep {

namespace {

Error broken(const std::string& source, size_t line, const std::string& what) {
  return usage_error("line " + std::to_string(line) + " of " + source + " cannot be read", what,
                     "give a file written by `kml sweep export`, CSV or JSON lines");
}

std::vector<Json> json_lines(std::string_view text, const std::string& source) {
  std::vector<Json> rows;
  size_t number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    Json row = Json::parse(line, nullptr, false);
    if (!row.is_object()) throw broken(source, number, "it is not a JSON object");
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Removes one record from the front of the text, and returns it. A quoted field may contain separators and
/// line breaks.
std::vector<std::string> take_record(std::string_view& text, size_t& line, const std::string& source) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (is_quoted) {
      if (c != '"')
        fields.back() += c;
      else if (at + 1 < text.size() && text[at + 1] == '"')
        fields.back() += text[++at];
      else
        is_quoted = false;
    } else if (c == '"' && fields.back().empty()) {
      is_quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  if (is_quoted) throw broken(source, line, "a quote is not closed");
  text.remove_prefix(std::min(at + 1, text.size()));
  return fields;
}

/// The rows of JSON lines, or of CSV with a header (RFC 4180), as objects. In CSV, all values are texts.
/// Throws usage Error with the line if the text is neither.
std::vector<Json> rows_of(std::string_view text, const std::string& source) {
  if (trim(text).starts_with("{")) return json_lines(text, source);
  size_t line = 0;
  const std::vector<std::string> header = take_record(text, line, source);
  std::vector<Json> rows;
  while (!text.empty()) {
    const std::vector<std::string> fields = take_record(text, line, source);
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (fields.size() != header.size())
      throw broken(source, line,
                   "it has " + std::to_string(fields.size()) + " fields, but the header has " +
                       std::to_string(header.size()));
    Json row = Json::object();
    for (size_t i = 0; i < fields.size(); ++i) row[header[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Whether the outcome depends on the trial's values. It does not if the trial was rejected or lost.
bool teaches(std::optional<Outcome> outcome) {
  return outcome && *outcome != Outcome::refused && *outcome != Outcome::lost;
}

/// Converts a value from a text file to the parameter's type: "64" becomes 64, and "adam" is unchanged.
Json typed(const Parameter& parameter, const Json& value) {
  if (!value.is_string()) return value;
  for (const Json& choice : parameter.choices)
    if ((choice.is_string() ? choice.get<std::string>() : choice.dump()) == value.get<std::string>())
      return choice;
  const auto number = number_of(value);
  return number ? Json(*number) : value;
}

/// If a column in a CSV row is empty, the parameter is inactive.
bool is_given(const Json& value) {
  return !value.is_null() && !(value.is_string() && value.get_ref<const std::string&>().empty());
}

/// The value of the parameter. If another column in an export has the same name as a parameter, the
/// parameter's column is called "parameters.NAME".
const Json* value_of(const Json& row, const std::string& parameter) {
  const Json* own = find(row, {"parameters." + parameter});
  const Json* value = own ? own : find(row, {parameter});
  return value && is_given(*value) ? value : nullptr;
}

/// Adds the trial if its values are a point in the space.
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
    // The trial is added to the number `outside`.
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

WarmStart warm_start_of(std::span<const Trial> earlier, const Space& space) {
  WarmStart warm;
  for (const Trial& trial : earlier)
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
