#include "pipeline/file/parameter_texts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "kml/base/yaml_texts.h"
#include "kml/job/render/parameters.h"
#include "pipeline/file/parse_pipeline.h"
#include "pipeline/kfp/import.h"

namespace kml::pipeline {

namespace {

/// The value, or the text if the value is a number that would be printed differently.
Json number_or_its_text(Json value, const yaml::Node& given) {
  if (!value.is_number() || given.kind != yaml::Kind::scalar) return value;
  yaml::Node plain = given;
  plain.quoted = false;
  yaml::keep_number_texts(plain);
  return plain.quoted || value.dump() != given.text ? Json(given.text) : value;
}

/// Keeps the texts of names, of numbers, and of y and n, in a list or a map.
void keep_item_texts(yaml::Node& items) {
  yaml::keep_keys(items);
  yaml::keep_letters(items);
  yaml::keep_number_texts(items);
}

/// The value of a flag -p. A list keeps the texts of its numbers, too.
Json value_as_given(const render::Parameter& parameter, const std::string& text) {
  Json value = render::value_of(parameter, text);
  const bool is_fraction = text.find_first_of(".eE") != std::string::npos;
  if (parameter.type == render::Type::integer && is_fraction)  // Python's int() rejects "3.0"
    return static_cast<std::int64_t>(value.get<double>());
  yaml::Node given;
  given.kind = yaml::Kind::scalar;
  given.text = text;
  if (!value.is_structured() || text.empty() || (text[0] != '[' && text[0] != '{'))
    return number_or_its_text(std::move(value), given);
  given = yaml::parse_one(text + "\n#", "value");  // not read as JSON, which loses the text of numbers
  keep_item_texts(given);
  return yaml::to_json(given, "value");
}

}  // namespace

std::vector<render::Parameter> parameters_of(const yaml::Node& declared, render::Problems& problems) {
  yaml::Node with_texts = declared;
  std::map<std::string, yaml::Node> defaults;
  const auto keep = [&](const std::string& name, yaml::Node& value) {
    if (value.kind != yaml::Kind::scalar) keep_item_texts(value);
    defaults[name] = value;
  };
  for (yaml::Node::Entry& entry : with_texts.entries) {
    if (entry.value.kind != yaml::Kind::mapping) keep(entry.key.text, entry.value);
    for (yaml::Node::Entry& field : entry.value.entries)
      if (field.key.text == "default") keep(entry.key.text, field.value);
  }
  std::vector<render::Parameter> parameters =
      render::parse_parameters(with_texts, {}, "spec.params", problems);
  for (render::Parameter& parameter : parameters)
    if (const auto given = defaults.find(parameter.name); parameter.default_value && given != defaults.end())
      parameter.default_value = number_or_its_text(std::move(*parameter.default_value), given->second);
  return parameters;
}

Json parameter_values(const Pipeline& pipeline, const std::vector<std::string>& given) {
  Json values = Json::object();
  for (const render::Parameter& parameter : pipeline.parameters)
    values[parameter.name] = parameter.default_value.value_or(nullptr);
  render::Problems problems(pipeline.file);
  std::set<std::string> set;
  for (const std::string& text : given) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto parameter = std::find_if(pipeline.parameters.begin(), pipeline.parameters.end(),
                                        [&](const render::Parameter& each) { return each.name == name; });
    std::string problem;
    if (equals == std::string::npos) {
      problem = "write -p NAME=VALUE";
    } else if (parameter == pipeline.parameters.end()) {
      std::vector<std::string> known;
      for (const render::Parameter& each : pipeline.parameters) known.push_back(each.name);
      problem = "no parameter \"" + name + "\"; " + hint(name, known, "the pipeline has none");
    } else {
      try {
        const std::string_view value = std::string_view(text).substr(equals + 1);
        values[name] = pipeline.for_values ? kfp::flag_value(pipeline, *parameter, value)
                                           : value_as_given(*parameter, std::string(value));
      } catch (const Error& error) {
        problem = error.message;
      }
    }
    set.insert(name);
    if (!problem.empty()) problems.add({{}, 0, 0, "-p " + text, problem});
  }
  for (const render::Parameter& parameter : pipeline.parameters)
    if (parameter.required && !set.contains(parameter.name))
      problems.add(
          parameter.mark, "spec.params",
          "parameter \"" + parameter.name + "\" must be given: -p " + parameter.name + "=" +
              (parameter.sample.empty() ? std::string(render::name_of(parameter.type)) : parameter.sample));
  problems.raise("the parameters do not match the pipeline");
  return values;
}

}  // namespace kml::pipeline
