#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/api/names.h"
#include "kml/api/quantity.h"
#include "local/admission/pod_rules.h"
#include "local/quota/quotas.h"

namespace kml::local {

namespace {

bool is_one_of(const Json& value, std::initializer_list<std::string_view> allowed) {
  return value.is_string() &&
         std::find(allowed.begin(), allowed.end(), value.get_ref<const std::string&>()) != allowed.end();
}

std::string quantity_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void validate_name(const Json& object, const std::string& path, std::set<std::string>& taken,
                   FieldErrors& errors) {
  const std::string name = string_at(object, {"name"});
  if (name.empty()) return errors.required(path + ".name");
  if (std::string problem = api::dns_label_problem(name); !problem.empty())
    errors.invalid(path + ".name", name, problem);
  if (!taken.insert(name).second) errors.duplicate(path + ".name", name);
}

void validate_quantities(const Json& resources, const char* list, const std::string& path,
                         FieldErrors& errors) {
  for (const auto& [name, value] : object_at(resources, {list}).items()) {
    const std::string field = fmt::format("{}.{}[{}]", path, list, name);
    const auto amount = api::quantity_milli(quantity_text(value));
    if (!amount)
      errors.invalid(
          field, value,
          "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    else if (*amount < 0)
      errors.invalid(field, value, "must be greater than or equal to 0");
    else if (is_extended_resource(name) && *amount % 1000 != 0)
      errors.invalid(field, value, "must be an integer");
  }
}

void validate_resources(const Json& resources, const std::string& path, FieldErrors& errors) {
  validate_quantities(resources, "limits", path, errors);
  validate_quantities(resources, "requests", path, errors);
  for (const auto& [name, request] : object_at(resources, {"requests"}).items()) {
    const std::string field = path + ".requests";
    const Json* limit = kml::find(resources, {"limits", name});
    if (!limit && is_extended_resource(name))
      errors.required(fmt::format("{}.limits[{}]", path, name),
                      "Limit must be set for non overcommitable resources");
    if (!limit) continue;
    const auto asked = api::quantity_milli(quantity_text(request)),
               most = api::quantity_milli(quantity_text(*limit));
    if (!asked || !most) continue;
    if (is_extended_resource(name) && *asked != *most)
      errors.invalid(field, request,
                     fmt::format("must be equal to {} limit of {}", name, quantity_text(*limit)));
    else if (*asked > *most)
      errors.invalid(
          field, request,
          fmt::format("must be less than or equal to {} limit of {}", name, quantity_text(*limit)));
  }
}

void validate_env(const Json& container, const std::string& path, FieldErrors& errors) {
  const Json& variables = array_at(container, {"env"});
  for (size_t i = 0; i < variables.size(); ++i) {
    const std::string field = fmt::format("{}.env[{}]", path, i);
    const std::string name = string_at(variables[i], {"name"});
    if (name.empty())
      errors.required(field + ".name");
    else if (name.find('=') != std::string::npos)
      errors.invalid(
          field + ".name", name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='");
    const Json& source = object_at(variables[i], {"valueFrom"});
    if (!source.empty() && !string_at(variables[i], {"value"}).empty())
      errors.invalid(field + ".valueFrom", "", "may not be specified when `value` is not empty");
    if (source.size() > 1)
      errors.invalid(field + ".valueFrom", "", "may not have more than one field specified at a time");
    for (const char* reference : {"secretKeyRef", "configMapKeyRef"}) {
      if (!source.contains(reference)) continue;
      for (const char* part : {"name", "key"})
        if (string_at(source, {reference, part}).empty())
          errors.required(fmt::format("{}.valueFrom.{}.{}", field, reference, part));
    }
  }
}

void validate_mounts(const Json& container, const std::string& path, const std::set<std::string>& volumes,
                     FieldErrors& errors) {
  std::set<std::string> places;
  const Json& mounts = array_at(container, {"volumeMounts"});
  for (size_t i = 0; i < mounts.size(); ++i) {
    const std::string field = fmt::format("{}.volumeMounts[{}]", path, i);
    const std::string name = string_at(mounts[i], {"name"}), place = string_at(mounts[i], {"mountPath"});
    if (name.empty())
      errors.required(field + ".name");
    else if (!volumes.contains(name))
      errors.not_found(field + ".name", name);
    if (place.empty())
      errors.required(field + ".mountPath");
    else if (!places.insert(place).second)
      errors.invalid(field + ".mountPath", place, "must be unique");
    const std::string inside = string_at(mounts[i], {"subPath"});
    if (inside.starts_with('/')) errors.invalid(field + ".subPath", inside, "must be a relative path");
    if (("/" + inside + "/").find("/../") != std::string::npos)
      errors.invalid(field + ".subPath", inside, "must not contain '..'");
  }
}

void validate_container(const Json& container, const std::string& path, std::set<std::string>& names,
                        const std::set<std::string>& volumes, FieldErrors& errors) {
  validate_name(container, path, names, errors);
  if (string_at(container, {"image"}).empty()) errors.required(path + ".image");
  if (const Json* policy = kml::find(container, {"imagePullPolicy"});
      policy && !is_one_of(*policy, {"Always", "IfNotPresent", "Never"}))
    errors.not_supported(path + ".imagePullPolicy", *policy, "\"Always\", \"IfNotPresent\", \"Never\"");
  const Json& ports = array_at(container, {"ports"});
  for (size_t i = 0; i < ports.size(); ++i)
    if (int64_t port = int_at(ports[i], {"containerPort"}); port < 1 || port > 65535)
      errors.invalid(fmt::format("{}.ports[{}].containerPort", path, i), port,
                     "must be between 1 and 65535, inclusive");
  validate_env(container, path, errors);
  validate_mounts(container, path, volumes, errors);
  validate_resources(object_at(container, {"resources"}), path + ".resources", errors);
}

void validate_volume(const Json& volume, const std::string& path, FieldErrors& errors) {
  if (volume.size() < 2) errors.required(path, "must specify a volume type");
  if (volume.size() > 2) errors.forbidden(path, "may not specify more than 1 volume type");
  constexpr std::pair<const char*, const char*> kNeeded[] = {{"hostPath", "path"},
                                                             {"persistentVolumeClaim", "claimName"},
                                                             {"configMap", "name"},
                                                             {"secret", "secretName"}};
  for (const auto& [source, field] : kNeeded)
    if (volume.contains(source) && string_at(volume, {source, field}).empty())
      errors.required(fmt::format("{}.{}.{}", path, source, field));
}

void validate_tolerations(const Json& spec, const std::string& path, FieldErrors& errors) {
  const Json& tolerations = array_at(spec, {"tolerations"});
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const std::string field = fmt::format("{}.tolerations[{}]", path, i);
    const std::string op = string_at(tolerations[i], {"operator"}),
                      effect = string_at(tolerations[i], {"effect"});
    if (!op.empty() && op != "Equal" && op != "Exists")
      errors.not_supported(field + ".operator", op, "\"Equal\", \"Exists\"");
    if (op == "Exists" && !string_at(tolerations[i], {"value"}).empty())
      errors.invalid(field, op, "value must be empty when `operator` is 'Exists'");
    if (!effect.empty() && effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute")
      errors.not_supported(field + ".effect", effect, "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"");
  }
}

void validate_scalars(const Json& spec, const std::string& path, FieldErrors& errors) {
  if (const Json* policy = kml::find(spec, {"restartPolicy"});
      policy && !is_one_of(*policy, {"Always", "OnFailure", "Never"}))
    errors.not_supported(path + ".restartPolicy", *policy, "\"Always\", \"OnFailure\", \"Never\"");
  if (spec.contains("activeDeadlineSeconds"))
    if (int64_t seconds = int_at(spec, {"activeDeadlineSeconds"}); seconds < 1 || seconds > kMaxInt32)
      errors.invalid(path + ".activeDeadlineSeconds", seconds, "must be between 1 and 2147483647, inclusive");
  for (const auto& [key, value] : object_at(spec, {"nodeSelector"}).items())
    if (std::string problem = api::label_key_problem(key); !problem.empty())
      errors.invalid(path + ".nodeSelector", key, problem);
}

}  // namespace

void validate_pod_spec(const Json& spec, const std::string& path, FieldErrors& errors) {
  std::set<std::string> volumes, names;
  const Json& volume_list = array_at(spec, {"volumes"});
  for (size_t i = 0; i < volume_list.size(); ++i) {
    const std::string field = fmt::format("{}.volumes[{}]", path, i);
    validate_name(volume_list[i], field, volumes, errors);
    validate_volume(volume_list[i], field, errors);
  }
  if (array_at(spec, {"containers"}).empty()) errors.required(path + ".containers");
  for (const char* list : {"initContainers", "containers"}) {
    const Json& containers = array_at(spec, {list});
    for (size_t i = 0; i < containers.size(); ++i)
      validate_container(containers[i], fmt::format("{}.{}[{}]", path, list, i), names, volumes, errors);
  }
  validate_scalars(spec, path, errors);
  validate_tolerations(spec, path, errors);
}

void validate_pod_change(const Json& next, const Json& current, FieldErrors& errors) {
  Json allowed = current;
  for (const char* field : {"activeDeadlineSeconds", "tolerations", "schedulingGates"}) {
    allowed.erase(field);
    if (next.contains(field)) allowed[field] = next[field];
  }
  for (const char* list : {"initContainers", "containers"}) {
    const Json& containers = array_at(next, {list});
    if (containers.size() != array_at(current, {list}).size()) continue;
    for (size_t i = 0; i < containers.size(); ++i)
      allowed[list][i]["image"] = string_at(containers[i], {"image"});
  }
  if (allowed != next)
    errors.forbidden("spec",
                     "pod updates may not change fields other than "
                     "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                     "`spec.tolerations`");
  const int64_t had = int_at(current, {"activeDeadlineSeconds"}, kMaxInt32);
  if (int_at(next, {"activeDeadlineSeconds"}, kMaxInt32) > had)
    errors.invalid("spec.activeDeadlineSeconds", int_at(next, {"activeDeadlineSeconds"}, kMaxInt32),
                   "must be less than or equal to previous value");
}

}  // namespace kml::local
