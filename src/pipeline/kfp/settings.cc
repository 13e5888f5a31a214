#include <functional>
#include <map>

#include "kml/core/text.h"
#include "pipeline/kfp/placeholders.h"
#include "pipeline/kfp/task_steps.h"

namespace kml::pipeline::kfp {

namespace {

/// A text as a setting's value, in which "$" begins no placeholder.
yaml::Node setting_node(const std::string& text) {
  yaml::Node node;
  node.kind = yaml::Kind::scalar;
  node.quoted = true;
  for (const char c : text) node.text += c == '$' ? "$$" : std::string(1, c);
  return node;
}

class SettingsReader {
 public:
  SettingsReader(const SettingsSource& source, const LeafTask& leaf, render::Problems& problems)
      : path_(source.path), platform_path_(source.kubernetes_path), leaf_(leaf), problems_(problems) {}

  yaml::Node read(const Json& container, const Json& kubernetes) {
    settings_.kind = yaml::Kind::mapping;
    set("image", string_at(container, {"image"}));
    for (const Json& variable : array_at(container, {"env"})) {
      const std::string value = string_at(variable, {"value"});
      set_member("env", string_at(variable, {"name"}), known_text(value, ".env"));
    }
    resources(object_at(container, {"resources"}));
    metadata_ = object_at(kubernetes, {"podMetadata"});
    for (const auto& [field, value] : kubernetes.items()) platform(field, value);
    return std::move(settings_);
  }

 private:
  void set(const std::string& key, const std::string& text) {
    if (!text.empty()) settings_.entries.push_back({setting_node(key), setting_node(text)});
  }

  yaml::Node& entry(const std::string& key, yaml::Kind kind) {
    for (yaml::Node::Entry& there : settings_.entries)
      if (there.key.text == key) return there.value;
    settings_.entries.push_back({setting_node(key), {}});
    settings_.entries.back().value.kind = kind;
    return settings_.entries.back().value;
  }

  void set_member(const std::string& key, const std::string& name, const std::string& text) {
    entry(key, yaml::Kind::mapping).entries.push_back({setting_node(name), setting_node(text)});
  }

  void add_item(const std::string& key, const std::string& text) {
    entry(key, yaml::Kind::sequence).items.push_back(setting_node(text));
  }

  /// The numbers without "resource" are older forms of the same.
  void resources(const Json& resources) {
    check_fields(resources,
                 {"cpuLimit", "cpuRequest", "memoryLimit", "memoryRequest", "resourceCpuLimit",
                  "resourceCpuRequest", "resourceMemoryLimit", "resourceMemoryRequest", "accelerator"},
                 path_ + ".resources", problems_);
    set("cpu", quantity(resources, {"resourceCpuRequest", "cpuRequest", "resourceCpuLimit", "cpuLimit"}, ""));
    set("memory",
        quantity(resources, {"resourceMemoryLimit", "memoryLimit", "resourceMemoryRequest", "memoryRequest"},
                 "G"));
    const Json& accelerator = object_at(resources, {"accelerator"});
    if (accelerator.empty()) return;
    const std::string type = text_at(accelerator, {"resourceType", "type"});
    if (type.empty()) return;  // Kubeflow asks for none either; and a parameter's value may still be open
    if (type != "nvidia.com/gpu")
      refuse(problems_, path_ + ".resources.accelerator",
             "kml cannot run the accelerator type \"" + type + "\"; it knows nvidia.com/gpu");
    set("gpus", text_at(accelerator, {"resourceCount", "count"}));
  }

  std::string text_at(const Json& object, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys)
      if (const Json* value = find(object, {key})) return known_text(text_of(*value), ".resources");
    return {};
  }

  /// Settings are known before the run: placeholders must stand for what is.
  std::string known_text(const std::string& text, const char* field) {
    return substituted(text, [&](const std::string& name) {
      const auto input = leaf_.inputs.find(key_in(name, "inputs.parameters"));
      if (input != leaf_.inputs.end() && input->second.kind == Binding::Kind::constant)
        return text_of(input->second.value);
      refuse(problems_, path_ + field, "kml cannot run \"{{$." + name + "}}\", which no task can set there");
      return std::string();
    });
  }

  std::string quantity(const Json& resources, std::initializer_list<std::string_view> keys,
                       const std::string& unit) {
    for (const std::string_view key : keys) {
      const Json* value = find(resources, {key});
      if (!value || (value->is_number() && *value == 0)) continue;
      const std::string text = known_text(text_of(*value), ".resources");
      return value->is_number() ? text + unit : text;
    }
    return {};
  }

  void platform(const std::string& field, const Json& value) {
    static const std::map<std::string, void (SettingsReader::*)(const Json&)> kFields = {
        {"nodeSelector", &SettingsReader::node_selector},
        {"tolerations", &SettingsReader::tolerations},
        {"podMetadata", &SettingsReader::pod_metadata},
        {"fieldPathAsEnv", &SettingsReader::field_env},
        {"imagePullSecret", &SettingsReader::pull_secrets},
        {"pvcMount", &SettingsReader::claims},
        {"secretAsVolume", &SettingsReader::secret_volumes},
        {"secretAsEnv", &SettingsReader::secret_env},
        {"activeDeadlineSeconds", &SettingsReader::deadline},
        {"enabledSharedMemory", &SettingsReader::shared_memory}};
    const auto known = kFields.find(field);
    field_ = field;
    if (known != kFields.end()) return (this->*known->second)(value);
    if (field != "imagePullPolicy") wrong("kml cannot run \"" + field + "\"");  // no image is pulled here
  }

  void wrong(std::string text) { refuse(problems_, platform_path_ + "." + field_, std::move(text)); }

  void known(const Json& object, std::initializer_list<std::string_view> names) {
    check_fields(object, names, platform_path_ + "." + field_, problems_);
  }

  /// The SDK writes names twice, for older and for newer servers.
  std::string name_in(const Json& object, const char* old_key, const char* key) {
    const Json* source = find(object, {key});
    if (!source) return string_at(object, {old_key});
    if (const Json* name = find(*source, {"runtimeValue", "constant"})) return text_of(*name);
    const auto input = leaf_.group_inputs.find(string_at(*source, {"componentInputParameter"}));
    if (input != leaf_.group_inputs.end() && input->second.kind == Binding::Kind::constant)
      return text_of(input->second.value);
    wrong("kml cannot run \"" + std::string(key) + "\" of what another task makes");
    return "unknown";
  }

  void node_selector(const Json& value) {
    known(value, {"labels"});
    for (const auto& [name, label] : object_at(value, {"labels"}).items())
      set_member("node-selector", name, text_of(label));
  }

  void tolerations(const Json& list) {
    for (const Json& toleration : list) {
      known(toleration, {"key", "operator", "value", "effect"});
      std::string text = string_at(toleration, {"key"});
      if (const std::string value = string_at(toleration, {"value"}); !value.empty()) text += "=" + value;
      if (const std::string effect = string_at(toleration, {"effect"}); !effect.empty()) text += ":" + effect;
      if (string_at(toleration, {"key"}).empty()) wrong("kml cannot run a toleration without \"key\"");
      add_item("tolerations", text);
    }
  }

  void pod_metadata(const Json& value) {
    known(value, {"labels", "annotations"});
    for (const char* key : {"labels", "annotations"})
      for (const auto& [name, text] : object_at(value, {key}).items()) set_member(key, name, text_of(text));
  }

  /// Labels and annotations are known here; what else a field can name is so once the pod runs.
  void field_env(const Json& list) {
    for (const Json& variable : list) {
      known(variable, {"name", "fieldPath"});
      const std::string path = string_at(variable, {"fieldPath"});
      const std::string label = key_in(path, "metadata.labels"),
                        annotation = key_in(path, "metadata.annotations");
      if (label.empty() && annotation.empty())
        wrong("kml cannot run the field \"" + path + "\"; it knows labels and annotations of podMetadata");
      const std::string value = label.empty() ? string_at(metadata_, {"annotations", annotation})
                                              : string_at(metadata_, {"labels", label});
      set_member("env", string_at(variable, {"name"}), value);  // "" where the pod has none
    }
  }

  void pull_secrets(const Json& list) {
    for (const Json& secret : list) {
      known(secret, {"secretName", "secretNameParameter"});
      add_item("pull-secrets", name_in(secret, "secretName", "secretNameParameter"));
    }
  }

  void claims(const Json& list) {
    for (const Json& claim : list) {
      known(claim, {"constant", "componentInputParameter", "taskOutputParameter", "pvcNameParameter",
                    "mountPath", "subPath"});
      const std::string below = string_at(claim, {"subPath"});
      add_item("mounts", "pvc/" + name_in(claim, "constant", "pvcNameParameter") +
                             (below.empty() ? "" : "/" + below) + ":" + string_at(claim, {"mountPath"}));
    }
  }

  void secret_volumes(const Json& list) {
    for (const Json& secret : list) {
      known(secret, {"secretName", "secretNameParameter", "mountPath", "optional"});
      if (bool_at(secret, {"optional"})) wrong("kml cannot run \"optional\" of a Secret");
      add_item("mounts", "secret/" + name_in(secret, "secretName", "secretNameParameter") + ":" +
                             string_at(secret, {"mountPath"}));
    }
  }

  /// As --env-from has it: keys that are variables already.
  void secret_env(const Json& list) {
    for (const Json& secret : list) {
      known(secret, {"secretName", "secretNameParameter", "keyToEnv", "optional"});
      if (bool_at(secret, {"optional"})) wrong("kml cannot run \"optional\" of a Secret");
      for (const Json& key : array_at(secret, {"keyToEnv"}))
        if (string_at(key, {"secretKey"}) != string_at(key, {"envVar"}))
          wrong("kml cannot rename the key " + string_at(key, {"secretKey"}) + " of a Secret to " +
                string_at(key, {"envVar"}) + "; name the key as the variable");
      add_item("env-from", name_in(secret, "secretName", "secretNameParameter"));
    }
  }

  void deadline(const Json& value) { set("time-limit", text_of(value) + "s"); }

  void shared_memory(const Json& value) {
    known(value, {"volumeName", "size"});
    set("shm", string_at(value, {"size"}));
  }

  const std::string path_, platform_path_;
  const LeafTask& leaf_;
  render::Problems& problems_;
  std::string field_;
  Json metadata_;
  yaml::Node settings_;
};

}  // namespace

yaml::Node settings_of(const SettingsSource& source, const LeafTask& leaf, render::Problems& problems) {
  return SettingsReader(source, leaf, problems).read(source.container, source.kubernetes);
}

}  // namespace kml::pipeline::kfp
