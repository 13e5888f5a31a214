#include <algorithm>
#include <array>

#include "kml/core/text.h"
#include "kml/render/template.h"
#include "kml/spec/json_path.h"
#include "render/check_body.h"
#include "render/parameter.h"

namespace kml::render {

namespace {

constexpr std::pair<Type, std::string_view> kTypeNames[] = {
    {Type::string, "string"}, {Type::integer, "int"},       {Type::number, "float"},
    {Type::boolean, "bool"},  {Type::quantity, "quantity"}, {Type::duration, "duration"},
    {Type::list, "list"},     {Type::map, "map"},
};

/// Set by flags, whatever the template.
const std::vector<std::string> kBuiltinNames = {"name", "nodes", "gpus", "image", "command"};

const std::string kVersion = "template/v1";

class HeaderReader {
 public:
  HeaderReader(Template& result, Problems& problems) : template_(result), problems_(problems) {}

  void read(const yaml::Node& root) {
    if (root.kind != yaml::Kind::mapping || !root.find("kml") || root.find("kml")->text != kVersion) {
      problems_.add(root.mark, {},
                    "not a template: it must begin with \"kml: " + kVersion +
                        "\" (a plain manifest is submitted with -f)");
      return;
    }
    known_keys(root, {"kml", "help", "parameters", "pods", "body"}, {});
    template_.help = text(root, "help", {});
    if (const yaml::Node* list = root.find("parameters")) parameters(*list);
    if (const yaml::Node* list = root.find("pods")) pods(*list);
    const yaml::Node* body = root.find("body");
    if (!body || (body->kind != yaml::Kind::mapping && body->kind != yaml::Kind::sequence)) {
      problems_.add(body ? body->mark : root.mark, "body",
                    "a template needs a body: one object, or a list of them");
      return;
    }
    template_.body = std::make_shared<const yaml::Node>(*body);
    std::vector<std::string> names = kBuiltinNames;
    for (const Parameter& parameter : template_.parameters) names.push_back(parameter.name);
    check_body(*body, std::move(names), problems_);
  }

 private:
  void known_keys(const yaml::Node& node, const std::vector<std::string>& known, const std::string& path) {
    for (const yaml::Node::Entry& entry : node.entries) {
      if (std::find(known.begin(), known.end(), entry.key.text) != known.end()) continue;
      const std::string guess = did_you_mean(entry.key.text, known);
      problems_.add(entry.key.mark, path,
                    "unknown key \"" + entry.key.text + "\"; " +
                        (guess.empty() ? "known are " + join(known, ", ") : guess));
    }
  }

  std::string text(const yaml::Node& node, std::string_view key, const std::string& path) {
    const yaml::Node* value = node.find(key);
    if (!value || value->kind == yaml::Kind::scalar) return value ? value->text : "";
    problems_.add(value->mark, path,
                  std::string(key) + " must be text, not " + std::string(value->kind_name()));
    return {};
  }

  bool is_mapping(const yaml::Node& node, const std::string& path) {
    if (node.kind == yaml::Kind::mapping) return true;
    problems_.add(node.mark, path, "this must be a mapping, not " + std::string(node.kind_name()));
    return false;
  }

  void parameters(const yaml::Node& list) {
    if (list.kind == yaml::Kind::null || !is_mapping(list, "parameters")) return;
    for (const yaml::Node::Entry& entry : list.entries) {
      const std::string path = "parameters." + entry.key.text;
      if (is_mapping(entry.value, path)) parameter(entry.key, entry.value, path);
    }
  }

  void parameter(const yaml::Node& key, const yaml::Node& node, const std::string& path) {
    known_keys(node, {"type", "default", "required", "help", "enum", "min", "max", "pattern"}, path);
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
      if (parameter.required) problems_.add(value->mark, path, "a required parameter has no default");
      Json initial = read(*value, parameter.type, path);
      std::string problem = initial.is_null() ? "" : check_value(parameter, initial);
      if (!problem.empty()) problems_.add(value->mark, path, "the default " + problem);
      parameter.default_value = std::move(initial);
    }
    template_.parameters.push_back(std::move(parameter));
  }

  void name(const yaml::Node& key, const std::string& path) {
    static const Pattern kName = whole_pattern("[A-Za-z][A-Za-z0-9_-]{0,62}");
    if (!kName.matches(key.text))
      problems_.add(key.mark, path,
                    "a parameter's name begins with a letter and holds letters, digits, \"-\" and \"_\"");
    if (std::find(kBuiltinNames.begin(), kBuiltinNames.end(), key.text) != kBuiltinNames.end())
      problems_.add(key.mark, path, "\"" + key.text + "\" is set by the flag of that name");
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

  /// null if the value is not of the type, which is a problem then.
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
      if (list->kind != yaml::Kind::sequence) problems_.add(list->mark, path, "enum must be a list");
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
                           std::string(key) + " means nothing for a " + std::string(name_of(type)));
    if (Json limit = read(*value, type, path); !limit.is_null()) result = std::move(limit);
  }

  void pods(const yaml::Node& list) {
    if (list.kind != yaml::Kind::sequence) return problems_.add(list.mark, "pods", "pods must be a list");
    for (size_t i = 0; i < list.items.size(); ++i) {
      const std::string path = "pods[" + std::to_string(i) + "]";
      if (is_mapping(list.items[i], path)) pod_group(list.items[i], path);
    }
  }

  void pod_group(const yaml::Node& node, const std::string& path) {
    known_keys(node, {"path", "replicas", "count", "group", "without"}, path);
    PodGroup group;
    group.mark = node.mark;
    if (node.find("path"))
      group.path = json_path(*node.find("path"), path);
    else
      problems_.add(node.mark, path, "it needs the path of a PodTemplateSpec");
    if (node.find("group")) group.group = json_path(*node.find("group"), path);
    if (const yaml::Node* replicas = node.find("replicas")) {
      if (replicas->kind == yaml::Kind::scalar) group.replicas.push_back(json_path(*replicas, path));
      for (const yaml::Node& item : replicas->items) group.replicas.push_back(json_path(item, path));
    }
    if (const yaml::Node* count = node.find("count")) {
      if (count->text == "nodes")
        group.count = PodGroup::Count::nodes;
      else if (count->text == "nodes-1")
        group.count = PodGroup::Count::others;
      else
        problems_.add(count->mark, path, "count is \"nodes\" or \"nodes-1\"");
    }
    if (const yaml::Node* flags = node.find("without")) without(*flags, path, group.without);
    template_.pods.push_back(std::move(group));
  }

  void without(const yaml::Node& list, const std::string& path, std::vector<std::string>& flags) {
    if (list.kind != yaml::Kind::sequence) return problems_.add(list.mark, path, "without must be a list");
    for (const yaml::Node& flag : list.items) {
      flags.push_back(flag.text);
      if (std::find(kOptionalFlags.begin(), kOptionalFlags.end(), flag.text) == kOptionalFlags.end())
        problems_.add(flag.mark, path, "without is a list of " + join(kOptionalFlags, ", "));
    }
  }

  std::string json_path(const yaml::Node& node, const std::string& path) {
    if (!spec::parse_path(node.text))
      problems_.add(node.mark, path, "\"" + node.text + "\" is not a path; write spec.template");
    return node.text;
  }

  Template& template_;
  Problems& problems_;
};

}  // namespace

std::string_view name_of(Type type) {
  const auto* found = std::find_if(std::begin(kTypeNames), std::end(kTypeNames),
                                   [&](const auto& known) { return known.first == type; });
  return found->second;
}

Template parse_template(std::string_view text, std::string name, std::string file) {
  Template result;
  result.name = std::move(name);
  result.file = std::move(file);
  result.text = text;
  Problems problems(result.file);
  HeaderReader(result, problems).read(yaml::parse_one(text, result.file));
  problems.raise("invalid template \"" + result.name + "\"");
  return result;
}

}  // namespace kml::render
