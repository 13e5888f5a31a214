#include <functional>
#include <map>

#include "kml/base/text.h"
#include "pipeline/kfp/field_reader.h"
#include "pipeline/kfp/placeholders.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

namespace {

yaml::Node setting_node(std::string text) {
  yaml::Node node;
  node.kind = yaml::Kind::scalar;
  node.quoted = true;
  node.text = std::move(text);
  return node;
}

class SettingsReader : public FieldReader {
 public:
  using FieldReader::FieldReader;

  void container(const Json& container) {
    set("image", without_placeholders(string_at(container, {"image"})));
    for (const Json& variable : array_at(container, {"env"}))
      set_member("env", string_at(variable, {"name"}), filled(string_at(variable, {"value"}), "env"));
    resources(object_at(container, {"resources"}));
  }

  bool platform(const std::string& field, const Json& value) {
    static const std::map<std::string, void (SettingsReader::*)(const Json&)> kFields = {
        {"nodeSelector", &SettingsReader::node_selector},
        {"podMetadata", &SettingsReader::pod_metadata},
        {"imagePullSecret", &SettingsReader::pull_secrets},
        {"pvcMount", &SettingsReader::claims},
        {"activeDeadlineSeconds", &SettingsReader::deadline},
        {"enabledSharedMemory", &SettingsReader::shared_memory}};
    const auto found = kFields.find(field);
    if (found == kFields.end()) return false;
    field_ = field;
    (this->*found->second)(value);
    return true;
  }

 private:
  void set(const std::string& key, const std::string& text) {
    if (!text.empty()) step().settings.entries.push_back({setting_node(key), setting_node(text)});
  }

  yaml::Node& entry(const std::string& key, yaml::Kind kind) {
    for (yaml::Node::Entry& there : step().settings.entries)
      if (there.key.text == key) return there.value;
    step().settings.entries.push_back({setting_node(key), {}});
    step().settings.entries.back().value.kind = kind;
    return step().settings.entries.back().value;
  }

  void set_member(const std::string& key, const std::string& name, const std::string& text) {
    entry(key, yaml::Kind::mapping)
        .entries.push_back({setting_node(without_placeholders(name)), setting_node(text)});
  }

  void add_item(const std::string& key, const std::string& text) {
    entry(key, yaml::Kind::sequence).items.push_back(setting_node(text));
  }

  /// Reads the resources. The names without "resource" are older names for the same fields.
  void resources(const Json& resources) {
    known(resources,
          {"cpuLimit", "cpuRequest", "memoryLimit", "memoryRequest", "resourceCpuLimit", "resourceCpuRequest",
           "resourceMemoryLimit", "resourceMemoryRequest", "accelerator"},
          "resources");
    set("cpu", quantity(resources, {"resourceCpuRequest", "cpuRequest", "resourceCpuLimit", "cpuLimit"}, ""));
    set("memory",
        quantity(resources, {"resourceMemoryLimit", "memoryLimit", "resourceMemoryRequest", "memoryRequest"},
                 "G"));
    const Json& accelerator = object_at(resources, {"accelerator"});
    if (accelerator.empty()) return;
    const std::string type = text_at(accelerator, {"resourceType", "type"});
    // Without a type, Kubeflow does not request an accelerator, either. The type may be a parameter that has
    // no value yet.
    if (type.empty()) return;
    if (type != "nvidia.com/gpu")
      wrong("resources.accelerator",
            type.starts_with("${")
                ? "kml cannot read \"resourceType\" from another task's output"
                : "kml does not support the accelerator type \"" + type + "\", only nvidia.com/gpu");
    set("gpus", text_at(accelerator, {"resourceCount", "count"}));
  }

  std::string text_at(const Json& object, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys)
      if (const Json* value = find(object, {key})) return filled(text_of(*value), "resources");
    return {};
  }

  std::string quantity(const Json& resources, std::initializer_list<std::string_view> keys,
                       const std::string& unit) {
    for (const std::string_view key : keys) {
      const Json* value = find(resources, {key});
      if (!value || (value->is_number() && *value == 0)) continue;
      const std::string text = filled(text_of(*value), "resources");
      return value->is_number() ? text + unit : text;
    }
    return {};
  }

  void node_selector(const Json& value) {
    known(value, {"labels", "nodeSelectorJson"}, field_);
    Json labels = object_at(value, {"labels"});
    if (const Json* given = find(value, {"nodeSelectorJson"})) {
      const Binding binding = source(*given);
      if (binding.kind == Binding::Kind::constant)
        labels = typed(binding.value, "STRUCT");
      else if (binding.kind != Binding::Kind::none)
        wrong(field_, "kml cannot read \"nodeSelectorJson\" from another task's output");
    }
    if (!labels.is_object()) return;
    for (const auto& [name, label] : labels.items())
      set_member("node-selector", name, without_placeholders(text_of(label)));
  }

  /// kml's setting for annotations applies to the job, so the pod's annotations are added separately.
  void pod_metadata(const Json& value) {
    known(value, {"labels", "annotations"}, field_);
    for (const char* key : {"labels", "annotations"})
      for (const auto& [name, text] : object_at(value, {key}).items()) {
        const std::string escaped = without_placeholders(text_of(text));
        set_member(key, name, escaped);
        if (key == std::string_view("annotations")) step().pod[key][name] = escaped;
      }
  }

  void pull_secrets(const Json& list) {
    for (const Json& secret : list) {
      known(secret, {"secretName", "secretNameParameter"}, field_);
      if (const auto name = name_in(secret, "secretName", "secretNameParameter", field_))
        add_item("pull-secrets", *name);
    }
  }

  void claims(const Json& list) {
    for (const Json& claim : list) {
      known(claim,
            {"constant", "componentInputParameter", "taskOutputParameter", "pvcNameParameter", "mountPath",
             "subPath"},
            field_);
      const std::string below = string_at(claim, {"subPath"});
      if (const auto name = name_in(claim, "constant", "pvcNameParameter", field_))
        add_item("mounts", "pvc/" + *name +
                               without_placeholders((below.empty() ? "" : "/" + below) + ":" +
                                                    string_at(claim, {"mountPath"})));
    }
  }

  void deadline(const Json& value) { set("time-limit", text_of(value) + "s"); }

  void shared_memory(const Json& value) {
    known(value, {"volumeName", "size"}, field_);
    set("shm", without_placeholders(string_at(value, {"size"})));
  }

  std::string field_;
};

}  // namespace

void read_settings(const SettingsSource& from, const LeafTask& leaf, Step& step, render::Problems& problems) {
  step.settings.kind = yaml::Kind::mapping;
  SettingsReader(from.path, leaf, step, problems).container(from.container);
  SettingsReader platform(from.kubernetes_path, leaf, step, problems);
  for (const auto& [field, value] : from.kubernetes.items())
    if (!platform.platform(field, value) &&
        !read_pod_field(field, value, from.kubernetes_path, leaf, step, problems))
      refuse(problems, from.kubernetes_path + "." + field, "kml does not support \"" + field + "\"");
}

}  // namespace kml::pipeline::kfp
