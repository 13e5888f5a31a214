#include "job/render/parameter.h"

#include <algorithm>

#include "kml/base/clock.h"
#include "kml/base/text.h"
#include "kml/base/yaml_texts.h"
#include "kml/kube/objects/quantity.h"

namespace kml::render {

namespace {

Json scalar_of(std::string_view text) {
  yaml::Node node;
  node.kind = yaml::Kind::scalar;
  node.text = text;
  return yaml::scalar_to_json(node, "value");
}

/// The value as a user types it: names keep their text, and y and n are texts.
Json typed_yaml(std::string_view text) {
  yaml::Node node = yaml::parse_one(text, "value");
  yaml::keep_keys(node);
  yaml::keep_letters(node);
  return yaml::to_json(node, "value");
}

Json parse_list(std::string_view text) {
  if (!text.starts_with('[')) {
    Json list = Json::array();
    if (!text.empty())
      for (std::string& item : split(text, ',')) list.push_back(std::move(item));
    return list;
  }
  Json list = typed_yaml(text);
  if (!list.is_array()) throw usage_error("is not a list; write a,b,c or [a, b, c]");
  return list;
}

/// The value as a number that can be compared: the amount of a quantity, or the length of a duration.
double magnitude(Type type, const Json& value) {
  if (type != Type::quantity) return value.get<double>();
  return static_cast<double>(api::quantity_milli(value.get<std::string>()).value_or(0));
}

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Json parse_text(Type type, std::string_view text) {
  switch (type) {
    case Type::string: return std::string(text);
    case Type::integer:
      if (Json value = scalar_of(text); value.is_number_integer())
        return value;  // accepts "3.0" as an integer, too, as JSON Schema does
      throw usage_error("is not a whole number");
    case Type::number:
      if (Json value = scalar_of(text); value.is_number()) return Json(value.get<double>());
      throw usage_error("is not a number");
    case Type::boolean:
      if (Json value = scalar_of(text); value.is_boolean()) return value;
      throw usage_error("must be true or false");
    case Type::quantity:
      if (!api::quantity_milli(text)) throw usage_error("is not a quantity; write 500m, 4 or 16Gi");
      return std::string(text);
    case Type::duration:
      if (auto duration = parse_duration(text)) return Json(duration->count());
      throw usage_error("is not a duration; write 90s, 15m or 2h30m");
    case Type::list: return parse_list(text);
    case Type::map:
      if (Json map = typed_yaml(text); map.is_object()) return map;
      throw usage_error("is not a map; write {a: 1, b: 2}");
  }
  throw usage_error("has no type");
}

}  // namespace

Json parse_as(Type type, std::string_view text) {
  try {
    return parse_text(type, text);
  } catch (const Error& error) {
    throw usage_error("\"" + std::string(text) + "\" " +
                      (error.problems.empty() ? error.message : "is not YAML: " + error.problems[0].text));
  }
}

Json parse_as(Type type, const yaml::Node& node, std::string_view file) {
  if (node.kind == yaml::Kind::scalar) return parse_as(type, node.text);
  if (node.kind == yaml::Kind::null) return nullptr;
  const bool fits = node.kind == yaml::Kind::sequence ? type == Type::list : type == Type::map;
  if (!fits) throw usage_error(std::string(node.kind_name()) + " is not a " + std::string(name_of(type)));
  return yaml::to_json(node, file);
}

std::string check_value(const Parameter& parameter, const Json& value) {
  const auto& allowed = parameter.one_of;
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    std::vector<std::string> names;
    std::transform(allowed.begin(), allowed.end(), std::back_inserter(names), shown);
    const std::string guess = did_you_mean(shown(value), names);
    return "\"" + shown(value) + "\" is not one of " + join(names, ", ") +
           (guess.empty() ? "" : "; " + guess);
  }
  if (parameter.min && magnitude(parameter.type, value) < magnitude(parameter.type, *parameter.min))
    return shown(value) + " is less than " + shown(*parameter.min);
  if (parameter.max && magnitude(parameter.type, value) > magnitude(parameter.type, *parameter.max))
    return shown(value) + " is more than " + shown(*parameter.max);
  if (!parameter.pattern.empty()) {
    const std::string text = shown(value);
    if (!whole_pattern(parameter.pattern).matches(text))
      return "\"" + text + "\" does not match " + parameter.pattern;
  }
  return {};
}

Pattern whole_pattern(const std::string& expression) {
  // checks the user's expression alone, so that the error shows it unchanged
  static_cast<void>(Pattern(expression));
  return Pattern("\\A(?:" + expression + ")\\z");
}

}  // namespace kml::render
