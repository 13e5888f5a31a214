#include "pipeline/language/foreach.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/base/yaml_texts.h"
#include "kml/job/render/evaluate.h"

namespace kml::pipeline {

namespace {

constexpr size_t kMostOfOneStep = 10'000;
constexpr std::string_view kPrefix = "foreach.";

/// Whether the node is not a list, but refers to an output: "load.seeds".
bool is_output_name(const yaml::Node& node) {
  const size_t dot = node.text.find('.');
  return node.kind == yaml::Kind::scalar && dot != std::string::npos && dot + 1 < node.text.size() &&
         node.text[0] >= 'a' && node.text[0] <= 'z' && node.text.find("${") == std::string::npos;
}

/// Turns a map into a list of {key, value}, as $each does in a template.
Json as_list(Json values) {
  if (!values.is_object()) return values;
  Json list = Json::array();
  for (const auto& [key, value] : values.items()) list.push_back({{"key", key}, {"value", value}});
  return list;
}

/// The values in an input: either a text that contains a JSON list or map, or the values of all steps of a
/// foreach.
Json made_values(const Json& input) {
  if (input.is_array()) {
    Json values = Json::array();
    for (const Json& one : input) values.push_back(one.value("value", Json()));
    return values;
  }
  Json value = input.value("value", Json());
  if (!value.is_string()) return value;
  Json parsed = Json::parse(value.get<std::string>(), nullptr, false);
  return parsed.is_structured() ? parsed : value;
}

std::string source_of_input(const Step& step, const std::string& name) {
  for (const Input& input : step.inputs)
    if (input.name == name && !input.sources.empty()) return input.sources[0].text();
  return name;
}

}  // namespace

void read_foreach(const yaml::Node& value, const std::string& path, Step& step, render::Problems& problems) {
  if (value.kind != yaml::Kind::mapping || value.entries.empty())
    return problems.add(value.mark, path,
                        "`foreach` must be a mapping of names to values: {seed: [1, 2, 3]}");
  for (const yaml::Node::Entry& entry : value.entries) {
    if (entry.key.text == "parallel") {
      const auto number = whole_number(entry.value.text);
      step.parallel = number.value_or(0);
      if (!number || *number == 0)
        problems.add(entry.value.mark, path + ".parallel", "`parallel` must be a whole number of at least 1");
      continue;
    }
    Each& each = step.each.emplace_back(Each{entry.key.text, entry.value, is_output_name(entry.value)});
    yaml::keep_letters(each.values);
    yaml::keep_number_texts(each.values);
    render::check_body(entry.value, {"params"}, problems, path + "." + each.name);
    if (!each.is_made) continue;
    const size_t dot = entry.value.text.find('.');
    step.inputs.push_back(
        {.name = each.input(),
         .sources = {{entry.value.text.substr(0, dot), entry.value.text.substr(dot + 1), entry.value.mark}}});
  }
}

bool is_made_foreach(const Step& step) {
  return std::any_of(step.each.begin(), step.each.end(), [](const Each& each) { return each.is_made; });
}

bool is_for_foreach(const Input& input) {
  return input.name.starts_with(kPrefix);
}

std::vector<Json> foreach_items(const Step& step, const Json& params, const Json& inputs,
                                render::Problems& problems) {
  std::vector<Json> items{Json::object()};
  for (const Each& each : step.each) {
    const Json given = each.is_made ? made_values(object_at(inputs, {each.input()}))
                                    : render::evaluate(each.values, {{"params", params}}, problems);
    const Json values = as_list(given);
    const std::string path = "spec.steps." + step.name + ".foreach." + each.name;
    if (!values.is_array()) {
      problems.add(each.values.mark, path,
                   each.is_made ? source_of_input(step, each.input()) +
                                      " is not a list or a map in JSON: " + compact_text(given).substr(0, 100)
                                : "its values must be a list or a map");
      return {};
    }
    if (items.size() * values.size() > kMostOfOneStep) {
      problems.add(each.values.mark, path, "this step would become more than 10,000 steps");
      return {};
    }
    std::vector<Json> longer;
    for (const Json& item : items)
      for (const Json& value : values) {
        longer.push_back(item);
        longer.back()[each.name] = value;
      }
    items = std::move(longer);
  }
  return items;
}

}  // namespace kml::pipeline
