#include <map>

#include "pipeline/kfp/field_reader.h"
#include "pipeline/kfp/placeholders.h"
#include "pipeline/kfp/values.h"

namespace kml::pipeline::kfp {

namespace {

/// The names for a Secret or ConfigMap in the SDK and in Kubernetes.
struct Kept {
  const char *old_name, *name, *key;            ///< the names in the SDK
  const char *variable, *volume, *volume_name;  ///< in Kubernetes
};
constexpr Kept kSecret{"secretName", "secretNameParameter", "secretKey", "secretKeyRef",
                       "secret",     "secretName"};
constexpr Kept kConfigMap{
    "configMapName", "configMapNameParameter", "configMapKey", "configMapKeyRef", "configMap", "name"};

/// Escapes the texts in Kubernetes' own JSON, because "$" does not start a placeholder there.
Json literal(Json value) {
  if (value.is_string()) return without_placeholders(value.get<std::string>());
  if (value.is_structured())
    for (Json& part : value) part = literal(std::move(part));
  return value;
}

class PodReader : public FieldReader {
 public:
  using FieldReader::FieldReader;

  bool read(const std::string& field, const Json& value) {
    static const std::map<std::string, void (PodReader::*)(const Json&)> kFields = {
        {"fieldPathAsEnv", &PodReader::field_env},
        {"secretAsEnv", &PodReader::secret_env},
        {"secretAsVolume", &PodReader::secret_volumes},
        {"configMapAsEnv", &PodReader::config_map_env},
        {"configMapAsVolume", &PodReader::config_map_volumes},
        {"emptyDirMounts", &PodReader::empty_folders},
        {"nodeAffinity", &PodReader::affinity},
        {"tolerations", &PodReader::tolerations},
        {"imagePullPolicy", &PodReader::pull_policy}};
    const auto found = kFields.find(field);
    if (found == kFields.end()) return false;
    field_ = field;
    (this->*found->second)(value);
    return true;
  }

 private:
  void add(const char* part, Json value) { step().pod[part].push_back(std::move(value)); }

  void field_env(const Json& list) {
    for (const Json& variable : list) {
      known(variable, {"name", "fieldPath"}, field_);
      add("env",
          {{"name", literal(string_at(variable, {"name"}))},
           {"valueFrom", {{"fieldRef", {{"fieldPath", literal(string_at(variable, {"fieldPath"}))}}}}}});
    }
  }

  void secret_env(const Json& list) { keys(list, kSecret); }
  void config_map_env(const Json& list) { keys(list, kConfigMap); }
  void keys(const Json& list, const Kept& kept) {
    for (const Json& source : list) {
      known(source, {kept.old_name, kept.name, "keyToEnv", "optional"}, field_);
      const auto name = name_in(source, kept.old_name, kept.name, field_);
      if (!name) continue;
      for (const Json& key : array_at(source, {"keyToEnv"})) {
        known(key, {kept.key, "envVar"}, field_);
        Json reference = {{"name", *name}, {"key", literal(string_at(key, {kept.key}))}};
        if (bool_at(source, {"optional"})) reference["optional"] = true;
        add("env",
            {{"name", literal(string_at(key, {"envVar"}))}, {"valueFrom", {{kept.variable, reference}}}});
      }
    }
  }

  void secret_volumes(const Json& list) { volumes(list, kSecret); }
  void config_map_volumes(const Json& list) { volumes(list, kConfigMap); }
  void volumes(const Json& list, const Kept& kept) {
    for (const Json& source : list) {
      known(source, {kept.old_name, kept.name, "mountPath", "optional"}, field_);
      const auto name = name_in(source, kept.old_name, kept.name, field_);
      if (!name) continue;
      Json volume = {{kept.volume_name, *name}};
      if (bool_at(source, {"optional"})) volume["optional"] = true;
      mount({{kept.volume, std::move(volume)}}, source);
    }
  }

  void empty_folders(const Json& list) {
    for (const Json& folder : list) {
      known(folder, {"volumeName", "mountPath", "medium", "sizeLimit"}, field_);
      Json volume = Json::object();
      for (const char* key : {"medium", "sizeLimit"})
        if (const Json* value = find(folder, {key})) volume[key] = literal(*value);
      mount({{"emptyDir", std::move(volume)}}, folder);
    }
  }

  void mount(Json volume, const Json& source) {
    const std::string name = "kfp-" + std::to_string(array_at(step().pod, {"volumes"}).size());
    volume["name"] = name;
    add("volumes", std::move(volume));
    add("volumeMounts", {{"name", name}, {"mountPath", literal(string_at(source, {"mountPath"}))}});
  }

  /// The value of the field `NAMEJson`, which is copied to the pod unchanged; null if it has no value.
  Json json_in(const Json& object, const char* key) {
    const Binding given = source(object_at(object, {key}));
    if (given.kind == Binding::Kind::none) return {};
    if (given.kind == Binding::Kind::constant) return literal(typed(given.value, "STRUCT"));
    wrong(field_ + "." + key, "kml cannot read \"" + std::string(key) + "\" from another task's output");
    return {};
  }

  /// Of the terms without a weight, one must match.
  void affinity(const Json& list) {
    Json& affinity = step().pod["affinity"]["nodeAffinity"];
    for (const Json& term : list) {
      known(term, {"matchExpressions", "matchFields", "weight", "nodeAffinityJson"}, field_);
      if (term.contains("nodeAffinityJson")) {
        if (const Json given = json_in(term, "nodeAffinityJson"); given.is_object()) affinity.update(given);
        continue;
      }
      Json preference = Json::object();
      for (const char* key : {"matchExpressions", "matchFields"})
        if (const Json* value = find(term, {key})) preference[key] = literal(*value);
      if (const long long weight = int_at(term, {"weight"}); weight > 0)
        affinity["preferredDuringSchedulingIgnoredDuringExecution"].push_back(
            {{"weight", weight}, {"preference", preference}});
      else
        affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"].push_back(preference);
    }
    if (affinity.is_null()) step().pod.erase("affinity");
  }

  void tolerations(const Json& list) {
    for (const Json& toleration : list) {
      known(toleration, {"key", "operator", "value", "effect", "tolerationSeconds", "tolerationJson"},
            field_);
      if (!toleration.contains("tolerationJson")) {
        add("tolerations", literal(toleration));
        continue;
      }
      const Json given = json_in(toleration, "tolerationJson");
      if (given.is_object() && !given.empty()) add("tolerations", given);
      if (given.is_array())
        for (const Json& each : given) add("tolerations", each);
    }
  }

  void pull_policy(const Json& policy) { step().pod["imagePullPolicy"] = literal(policy); }

  std::string field_;
};

}  // namespace

bool read_pod_field(const std::string& field, const Json& value, const std::string& path,
                    const LeafTask& leaf, Step& step, render::Problems& problems) {
  return PodReader(path, leaf, step, problems).read(field, value);
}

}  // namespace kml::pipeline::kfp
