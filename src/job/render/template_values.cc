#include "job/render/template_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "job/render/overlay.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/job/render/evaluate.h"
#include "kml/job/render/parameters.h"
#include "kml/job/render/problems.h"

namespace kml::render {

namespace {

Scope builtin_scope(const spec::SubmitSpec& spec) {
  const auto text = [](const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); };
  Json command = Json::array();
  for (const std::string& word : spec.command) command.push_back(escape_dollars(word));
  return {{"name", text(spec.name)},
          {"nodes", spec.nodes.value_or(1)},
          {"gpus", spec.gpus ? spec.gpus->count : 0},
          {"image", text(spec.image)},
          {"command", std::move(command)}};
}

std::string unknown_parameter(const Template& source, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : source.parameters) names.push_back(parameter.name);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = names.empty() ? "it has no parameters" : "known parameters: " + join(names, ", ");
  return fmt::format("template \"{}\" has no parameter \"{}\"; {}", source.name, name, hint);
}

/// `is_lenient` means that the template was chosen on the command line or by the environment. Parameters from
/// a file may then belong to a different template.
void set_parameter(const spec::Setting& setting, const Template& source, bool is_lenient, Scope& scope,
                   Problems& problems) {
  const auto parameter = std::find_if(source.parameters.begin(), source.parameters.end(),
                                      [&](const Parameter& known) { return known.name == setting.name; });
  if (parameter == source.parameters.end() && is_lenient && setting.origin.source != spec::Source::flag)
    return;
  if (parameter == source.parameters.end())
    return problems.add(setting.origin.problem(unknown_parameter(source, setting.name)));
  try {
    scope[setting.name] = value_of(*parameter, setting.value);
  } catch (const Error& error) {
    problems.add(setting.origin.problem("parameter \"" + setting.name + "\": " + error.message));
  }
}

}  // namespace

Json evaluate_body(const spec::SubmitSpec& spec, const Template& source, Problems& problems) {
  Scope scope = builtin_scope(spec);
  for (const Parameter& parameter : source.parameters) {
    scope[parameter.name] = parameter.default_value.value_or(nullptr);
    const bool is_given = std::any_of(spec.parameters.begin(), spec.parameters.end(),
                                      [&](const spec::Setting& s) { return s.name == parameter.name; });
    if (parameter.required && !is_given)
      problems.add(parameter.mark, {},
                   fmt::format("parameter \"{0}\" must be given: -p {0}={1}", parameter.name,
                               name_of(parameter.type)));
  }
  const bool is_lenient = spec.given.contains("template");
  for (const spec::Setting& setting : spec.parameters)
    set_parameter(setting, source, is_lenient, scope, problems);
  return evaluate(*source.body, scope, problems);
}

}  // namespace kml::render
