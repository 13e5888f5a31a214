#include "sweep/spec/parameters.h"

#include <algorithm>

#include "sweep/spec/fields.h"

namespace kml::sweep {

namespace {

/// Katib writes the numbers of a list as texts.
std::vector<Json> choices_of(Fields& space, bool are_numbers) {
  std::vector<Json> choices;
  const Json* list = space.take("list");
  if (!list || !list->is_array() || list->empty()) {
    space.problem("list", "is missing: the values to choose from");
    return choices;
  }
  for (const Json& value : *list) {
    const std::optional<double> number = are_numbers ? number_of(value) : std::nullopt;
    if (are_numbers && !number)
      space.problem("list", value.dump() + " is no number");
    else if (value.is_structured() || value.is_null())
      space.problem("list", "holds something that is neither a text, a number, true nor false");
    else if (number && value.is_string() && *number == static_cast<double>(static_cast<long long>(*number)))
      choices.emplace_back(static_cast<long long>(*number));
    else
      choices.push_back(number && value.is_string() ? Json(*number) : value);
  }
  if (are_numbers)
    std::sort(choices.begin(), choices.end(),
              [](const Json& a, const Json& b) { return a.get<double>() < b.get<double>(); });
  return choices;
}

void read_range(Fields& space, Parameter& parameter) {
  for (std::string_view bound : {"min", "max"})
    if (!space.take(bound)) space.problem(bound, "is missing");
  parameter.low = space.number("min").value_or(0);
  parameter.high = space.number("max").value_or(0);
  parameter.step = space.number("step").value_or(0);
  parameter.log = space.word("distribution", {"uniform", "logUniform"}) == "logUniform";
}

void read_condition(Fields& fields, Parameter& parameter, std::vector<Problem>& problems) {
  const Json* object = fields.take("condition");
  if (!object) return;
  Fields condition(object, fields.path_of("condition"), problems);
  parameter.condition.emplace();
  parameter.condition->parent = condition.text("parameter");
  const Json* values = condition.take("values");
  if (!values || !values->is_array() || values->empty())
    condition.problem("values", "is missing: a list of the parent's values");
  else
    parameter.condition->values = values->get<std::vector<Json>>();
  condition.end();
}

}  // namespace

std::vector<Parameter> read_parameters(const Json* list, const std::string& path,
                                       std::vector<Problem>& problems) {
  std::vector<Parameter> parameters;
  if (!list || !list->is_array() || list->empty()) {
    problems.push_back({{}, 0, 0, path, "is missing: a list of what is tried"});
    return parameters;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    Fields fields(&(*list)[i], path + "[" + std::to_string(i) + "]", problems);
    Parameter parameter;
    parameter.name = fields.text("name");
    if (parameter.name.empty()) fields.problem("name", "is missing");
    const std::string type = fields.word("parameterType", {"double", "int", "discrete", "categorical"});
    if (!fields.take("parameterType"))
      fields.problem("parameterType", "is missing: double, int, discrete or categorical");
    Fields space(fields.take("feasibleSpace"), fields.path_of("feasibleSpace"), problems);
    if (type == "double" || type == "int") {
      parameter.kind = type == "int" ? Kind::integer : Kind::real;
      read_range(space, parameter);
    } else {
      parameter.kind = type == "discrete" ? Kind::ordinal : Kind::categorical;
      parameter.choices = choices_of(space, type == "discrete");
      space.word("distribution", {"uniform"});
    }
    space.end();
    read_condition(fields, parameter, problems);
    fields.end();
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace kml::sweep
