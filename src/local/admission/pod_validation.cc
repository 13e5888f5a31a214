#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"
#include "local/admission/pod_rules.h"
#include "local/admission/probe_rules.h"
#include "local/quota/quotas.h"

namespace kml::local {

namespace {

std::string quantity_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void validate_name(const Json& object, const std::string& path, std::set<std::string>& taken,
                   FieldErrors& errors) {
  const std::string name = api::entry_name(object);
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
  const Json& variables = api::variables_of(container);
  for (size_t i = 0; i < variables.size(); ++i) {
    const std::string field = fmt::format("{}.env[{}]", path, i);
    const std::string name = api::entry_name(variables[i]);
    if (name.empty())
      errors.required(field + ".name");
    else if (name.find('=') != std::string::npos)
      errors.invalid(
          field + ".name", name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='");
    const Json& source = api::value_source_of(variables[i]);
    if (!source.empty() && !api::value_of(variables[i]).empty())
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
  const Json& mounts = api::mounts_of(container);
  for (size_t i = 0; i < mounts.size(); ++i) {
    const std::string field = fmt::format("{}.volumeMounts[{}]", path, i);
    const std::string name = api::entry_name(mounts[i]), place = api::mount_path_of(mounts[i]);
    if (name.empty())
      errors.required(field + ".name");
    else if (!volumes.contains(name))
      errors.not_found(field + ".name", name);
    if (place.empty())
      errors.required(field + ".mountPath");
    else if (!places.insert(place).second)
      errors.invalid(field + ".mountPath", place, "must be unique");
    const std::string inside = api::sub_path_of(mounts[i]);
    if (inside.starts_with('/')) errors.invalid(field + ".subPath", inside, "must be a relative path");
    if (("/" + inside + "/").find("/../") != std::string::npos)
      errors.invalid(field + ".subPath", inside, "must not contain '..'");
  }
}

void validate_container(const Json& container, const std::string& path, std::set<std::string>& names,
                        const std::set<std::string>& volumes, FieldErrors& errors) {
  validate_name(container, path, names, errors);
  if (api::image_of(container).empty()) errors.required(path + ".image");
  if (const Json* policy = kml::find(container, {"imagePullPolicy"}))
    errors.require_one_of(path + ".imagePullPolicy", *policy, {"Always", "IfNotPresent", "Never"});
  const Json& ports = array_at(container, {"ports"});
  for (size_t i = 0; i < ports.size(); ++i)
    if (int64_t port = int_at(ports[i], {"containerPort"}); port < 1 || port > 65535)
      errors.invalid(fmt::format("{}.ports[{}].containerPort", path, i), port,
                     "must be between 1 and 65535, inclusive");
  validate_env(container, path, errors);
  validate_mounts(container, path, volumes, errors);
  validate_probes(container, path, errors);
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
  const Json& tolerations = api::tolerations_in(spec);
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const std::string field = fmt::format("{}.tolerations[{}]", path, i);
    const std::string op = api::operator_of(tolerations[i]), effect = string_at(tolerations[i], {"effect"});
    if (!op.empty()) errors.require_one_of(field + ".operator", op, {"Equal", "Exists"});
    if (op == "Exists" && !api::value_of(tolerations[i]).empty())
      errors.invalid(field, op, "value must be empty when `operator` is 'Exists'");
    if (!effect.empty())
      errors.require_one_of(field + ".effect", effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
  }
}

void validate_scalars(const Json& spec, const std::string& path, FieldErrors& errors) {
  if (const Json* policy = kml::find(spec, {"restartPolicy"}))
    errors.require_one_of(path + ".restartPolicy", *policy, {"Always", "OnFailure", "Never"});
  if (spec.contains("activeDeadlineSeconds"))
    if (const int64_t seconds = api::deadline_in(spec); seconds < 1 || seconds > kMaxInt32)
      errors.invalid(path + ".activeDeadlineSeconds", seconds, "must be between 1 and 2147483647, inclusive");
  for (const auto& [key, value] : api::node_selector_in(spec).items())
    if (std::string problem = api::label_key_problem(key); !problem.empty())
      errors.invalid(path + ".nodeSelector", key, problem);
}

}  // namespace

std::vector<std::pair<const Json*, std::string>> named_containers(const Json& spec, const std::string& path) {
  std::vector<std::pair<const Json*, std::string>> found;
  for (const char* list : {"initContainers", "containers"}) {
    const Json& containers = api::containers_in(spec, list);
    for (size_t i = 0; i < containers.size(); ++i)
      found.emplace_back(&containers[i], fmt::format("{}.{}[{}]", path, list, i));
  }
  return found;
}

void validate_pod_spec(const Json& spec, const std::string& path, FieldErrors& errors) {
  std::set<std::string> volumes, names;
  const Json& volume_list = api::volumes_in(spec);
  for (size_t i = 0; i < volume_list.size(); ++i) {
    const std::string field = fmt::format("{}.volumes[{}]", path, i);
    validate_name(volume_list[i], field, volumes, errors);
    validate_volume(volume_list[i], field, errors);
  }
  if (api::containers_in(spec).empty()) errors.required(path + ".containers");
  for (const auto& [container, at] : named_containers(spec, path))
    validate_container(*container, at, names, volumes, errors);
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
    const Json& containers = api::containers_in(next, list);
    if (containers.size() != api::containers_in(current, list).size()) continue;
    for (size_t i = 0; i < containers.size(); ++i) allowed[list][i]["image"] = api::image_of(containers[i]);
  }
  if (allowed != next)
    errors.forbidden("spec",
                     "pod updates may not change fields other than "
                     "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                     "`spec.tolerations`");
  const int64_t deadline = api::deadline_in(next, kMaxInt32);
  if (deadline > api::deadline_in(current, kMaxInt32))
    errors.invalid("spec.activeDeadlineSeconds", deadline, "must be less than or equal to previous value");
}

}  // namespace kml::local
