#include <algorithm>
#include <array>

#include "job/spec/json_path.h"
#include "kml/base/text.h"
#include "kml/job/render/evaluate.h"
#include "kml/job/render/parameters.h"
#include "kml/job/render/template.h"

namespace kml::render {

namespace {

/// Placeholders that every template may use; flags and the command set their values.
const std::vector<std::string> kBuiltinNames = {"name", "nodes", "gpus", "image", "command"};

const std::string kVersion = "template/v1";

class HeaderReader {
 public:
  HeaderReader(Template& result, Problems& problems) : template_(result), problems_(problems) {}

  void read(const yaml::Node& root) {
    if (root.kind != yaml::Kind::mapping || !root.find("kml") || root.find("kml")->text != kVersion) {
      problems_.add(root.mark, {},
                    "not a template: a template starts with \"kml: " + kVersion +
                        "\" (a plain manifest is submitted with -f)");
      return;
    }
    check_keys(root, {"kml", "help", "parameters", "pods", "body"}, {}, problems_);
    template_.help = text(root, "help", {});
    if (const yaml::Node* list = root.find("parameters"))
      template_.parameters = parse_parameters(*list, kBuiltinNames, "parameters", problems_);
    if (const yaml::Node* list = root.find("pods")) pods(*list);
    const yaml::Node* body = root.find("body");
    if (!body || (body->kind != yaml::Kind::mapping && body->kind != yaml::Kind::sequence)) {
      problems_.add(body ? body->mark : root.mark, "body",
                    "a template needs a body: an object, or a list of objects");
      return;
    }
    template_.body = std::make_shared<const yaml::Node>(*body);
    std::vector<std::string> names = kBuiltinNames;
    for (const Parameter& parameter : template_.parameters) names.push_back(parameter.name);
    check_body(*body, std::move(names), problems_);
  }

 private:
  std::string text(const yaml::Node& node, std::string_view key, const std::string& path) {
    const yaml::Node* value = node.find(key);
    if (!value || value->kind == yaml::Kind::scalar) return value ? value->text : "";
    problems_.add(value->mark, path,
                  std::string(key) + " must be a string, not " + std::string(value->kind_name()));
    return {};
  }

  void pods(const yaml::Node& list) {
    if (list.kind != yaml::Kind::sequence) return problems_.add(list.mark, "pods", "`pods` must be a list");
    for (size_t i = 0; i < list.items.size(); ++i) {
      const std::string path = "pods[" + std::to_string(i) + "]";
      if (problems_.require_mapping(list.items[i], path)) pod_group(list.items[i], path);
    }
  }

  void pod_group(const yaml::Node& node, const std::string& path) {
    check_keys(node, {"path", "replicas", "count", "group", "without"}, path, problems_);
    PodGroup group;
    group.mark = node.mark;
    if (node.find("path"))
      group.path = json_path(*node.find("path"), path);
    else
      problems_.add(node.mark, path, "it must have \"path\", the path of a PodTemplateSpec");
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
        problems_.add(count->mark, path, "`count` must be \"nodes\" or \"nodes-1\"");
    }
    if (const yaml::Node* flags = node.find("without")) without(*flags, path, group.without);
    template_.pods.push_back(std::move(group));
  }

  void without(const yaml::Node& list, const std::string& path, std::vector<std::string>& flags) {
    if (list.kind != yaml::Kind::sequence) return problems_.add(list.mark, path, "`without` must be a list");
    for (const yaml::Node& flag : list.items) {
      flags.push_back(flag.text);
      if (std::find(kOptionalFlags.begin(), kOptionalFlags.end(), flag.text) == kOptionalFlags.end())
        problems_.add(flag.mark, path, "`without` must be a list of " + join(kOptionalFlags, ", "));
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
