#include "kml/job/render/parameters.h"

#include <algorithm>

#include "job/render/parameter.h"
#include "kml/base/text.h"

namespace kml::render {

namespace {

constexpr std::pair<Type, std::string_view> kTypeNames[] = {
    {Type::string, "string"}, {Type::integer, "int"},       {Type::number, "float"},
    {Type::boolean, "bool"},  {Type::quantity, "quantity"}, {Type::duration, "duration"},
    {Type::list, "list"},     {Type::map, "map"},
};

class ParameterReader {
 public:
  ParameterReader(const std::vector<std::string>& taken, Problems& problems)
      : taken_(taken), problems_(problems) {}

  std::vector<Parameter> read(const yaml::Node& list, const std::string& path) {
    if (list.kind == yaml::Kind::null || !problems_.require_mapping(list, path)) return {};
    for (const yaml::Node::Entry& entry : list.entries) {
      const std::string place = path + "." + entry.key.text;
      if (entry.value.kind == yaml::Kind::scalar || entry.value.kind == yaml::Kind::sequence)
        default_alone(entry.key, entry.value, place);
      else if (problems_.require_mapping(entry.value, place))
        parameter(entry.key, entry.value, place);
    }
    return std::move(parameters_);
  }

 private:
  std::string text(const yaml::Node& node, std::string_view key, const std::string& path) {
    const yaml::Node* value = node.find(key);
    if (!value || value->kind == yaml::Kind::scalar) return value ? value->text : "";
    problems_.add(value->mark, path,
                  std::string(key) + " must be a string, not " + std::string(value->kind_name()));
    return {};
  }

  void parameter(const yaml::Node& key, const yaml::Node& node, const std::string& path) {
    check_keys(node, {"type", "default", "required", "help", "enum", "min", "max", "pattern"}, path,
               problems_);
    Parameter parameter;
    parameter.name = key.text;
    parameter.mark = key.mark;
    parameter.help = text(node, "help", path);
    parameter.pattern = text(node, "pattern", path);
    name(key, path);
    if (!type(node, path, parameter.type)) return;
    checks(node, path, parameter);
    if (const yaml::Node* value = node.find("required"))
      if (Json required = read(*value, Type::boolean, path); required.is_boolean())
        parameter.required = required;
    if (const yaml::Node* value = node.find("default")) {
      if (parameter.required) problems_.add(value->mark, path, "a required parameter cannot have a default");
      Json initial = read(*value, parameter.type, path);
      std::string problem = initial.is_null() ? "" : check_value(parameter, initial);
      if (!problem.empty()) problems_.add(value->mark, path, "the default " + problem);
      parameter.default_value = std::move(initial);
    }
    parameters_.push_back(std::move(parameter));
  }

  /// Reads `trees: 100`: the parameter only has a default, which also determines its type.
  void default_alone(const yaml::Node& key, const yaml::Node& value, const std::string& path) {
    Parameter parameter;
    parameter.name = key.text;
    parameter.mark = key.mark;
    name(key, path);
    Json initial = to_json(value, problems_.file());
    parameter.type = initial.is_number_integer() ? Type::integer
                     : initial.is_number()       ? Type::number
                     : initial.is_boolean()      ? Type::boolean
                     : initial.is_array()        ? Type::list
                                                 : Type::string;
    parameter.default_value = std::move(initial);
    parameters_.push_back(std::move(parameter));
  }

  void name(const yaml::Node& key, const std::string& path) {
    static const Pattern kName = whole_pattern("[A-Za-z][A-Za-z0-9_-]{0,62}");
    if (!kName.matches(key.text))
      problems_.add(key.mark, path,
                    "the name of a parameter must start with a letter, and may have up to 63 letters, "
                    "digits, \"-\" and \"_\"");
    if (std::find(taken_.begin(), taken_.end(), key.text) != taken_.end())
      problems_.add(key.mark, path,
                    "\"" + key.text + "\" is a reserved name, which the flags or the command set");
  }

  bool type(const yaml::Node& node, const std::string& path, Type& type) {
    const yaml::Node* value = node.find("type");
    if (!value) return true;
    std::vector<std::string> names;
    for (const auto& [known, known_name] : kTypeNames) {
      type = known;
      if (value->text == known_name) return true;
      names.emplace_back(known_name);
    }
    const std::string guess = did_you_mean(value->text, names);
    problems_.add(
        value->mark, path,
        "unknown type \"" + value->text + "\"; " + (guess.empty() ? "one of " + join(names, ", ") : guess));
    return false;
  }

  /// The node's value. If it does not have the type, adds a problem and returns null.
  Json read(const yaml::Node& node, Type type, const std::string& path) {
    try {
      return parse_as(type, node, problems_.file());
    } catch (const Error& error) {
      problems_.add(error, node.mark, path);
      return nullptr;
    }
  }

  void checks(const yaml::Node& node, const std::string& path, Parameter& parameter) {
    if (const yaml::Node* list = node.find("enum")) {
      if (list->kind != yaml::Kind::sequence) problems_.add(list->mark, path, "`enum` must be a list");
      for (const yaml::Node& item : list->items) parameter.one_of.push_back(read(item, parameter.type, path));
    }
    bound(node, "min", path, parameter.type, parameter.min);
    bound(node, "max", path, parameter.type, parameter.max);
    try {
      whole_pattern(parameter.pattern);
    } catch (const Error& error) {
      problems_.add(node.find("pattern")->mark, path, "not a regular expression: " + error.why);
      parameter.pattern.clear();
    }
  }

  void bound(const yaml::Node& node, std::string_view key, const std::string& path, Type type,
             std::optional<Json>& result) {
    const yaml::Node* value = node.find(key);
    if (!value) return;
    const bool has_order =
        type == Type::integer || type == Type::number || type == Type::quantity || type == Type::duration;
    if (!has_order)
      return problems_.add(value->mark, path,
                           std::string(key) + " has no effect for type " + std::string(name_of(type)));
    if (Json limit = read(*value, type, path); !limit.is_null()) result = std::move(limit);
  }

  const std::vector<std::string>& taken_;
  Problems& problems_;
  std::vector<Parameter> parameters_;
};

}  // namespace

std::string_view name_of(Type type) {
  const auto* found = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                                   [&](const auto& known) { return known.first == type; });
  return found->second;
}

void check_keys(const yaml::Node& mapping, const std::vector<std::string>& known, const std::string& path,
                Problems& problems) {
  for (const yaml::Node::Entry& entry : mapping.entries) {
    if (std::find(known.begin(), known.end(), entry.key.text) != known.end()) continue;
    const std::string guess = did_you_mean(entry.key.text, known);
    problems.add(entry.key.mark, path,
                 "unknown key \"" + entry.key.text + "\"; " +
                     (guess.empty() ? "known keys: " + join(known, ", ") : guess));
  }
}

std::vector<Parameter> parse_parameters(const yaml::Node& list, const std::vector<std::string>& taken,
                                        const std::string& path, Problems& problems) {
  return ParameterReader(taken, problems).read(list, path);
}

Json value_of(const Parameter& parameter, std::string_view text) {
  Json value = parse_as(parameter.type, text);
  if (std::string problem = check_value(parameter, value); !problem.empty()) throw usage_error(problem);
  return value;
}

}  // namespace kml::render
