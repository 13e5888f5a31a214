#include "local/admission/warnings.h"

#include <fmt/format.h>

#include <set>

#include "kml/api/names.h"
#include "kml/api/object.h"
#include "local/admission/admission.h"

namespace kml::local {

namespace {

using Warnings = std::vector<std::string>;

void warn_of_name(const Json& object, std::string_view used_in, Warnings& warnings) {
  if (std::string problem = api::dns_label_problem(api::name_of(object)); !problem.empty())
    warnings.push_back(
        fmt::format("metadata.name: this is used in {}, which can result in surprising "
                    "behavior; a DNS label is recommended: [{}]",
                    used_in, problem));
}

void warn_of_pod_spec(const Json& spec, const std::string& path, Warnings& warnings) {
  for (const char* list : {"initContainers", "containers"}) {
    const Json& containers = array_at(spec, {list});
    for (size_t i = 0; i < containers.size(); ++i) {
      std::set<std::string> names;
      const Json& variables = array_at(containers[i], {"env"});
      for (size_t j = 0; j < variables.size(); ++j)
        if (std::string name = string_at(variables[j], {"name"});
            !names.insert(name).second &&
            string_at(variables[j], {"value"}).find("$(" + name + ")") == std::string::npos)
          warnings.push_back(
              fmt::format("{}.{}[{}].env[{}]: hides previous definition of \"{}\", which may be "
                          "dropped when using apply",
                          path, list, i, j, name));
    }
  }
  if (int_at(spec, {"terminationGracePeriodSeconds"}) < 0)
    warnings.push_back(
        path +
        ".terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be "
        "treated as 1");
}

/// emptyDir's sizeLimit holds in memory alone.
void warn_of_disk_limits(const api::ResourceKind& kind, const Json& object, Warnings& warnings) {
  for (const auto& [path, spec] : pod_specs(kind, object)) {
    const Json& volumes = array_at(*spec, {"volumes"});
    for (size_t i = 0; i < volumes.size(); ++i)
      if (kml::find(volumes[i], {"emptyDir", "sizeLimit"}) &&
          string_at(volumes[i], {"emptyDir", "medium"}) != "Memory")
        warnings.push_back(
            fmt::format("{}.volumes[{}].emptyDir.sizeLimit: ignored by the embedded server: it holds for "
                        "medium Memory only",
                        path, i));
  }
}

}  // namespace

std::vector<std::string> warnings_of(const api::ResourceKind& kind, const Json& object, const Json* current) {
  Warnings warnings;
  if (current && api::spec_of(object) == api::spec_of(*current)) return warnings;
  if (kind.kind == "Pod" && !current) {
    warn_of_name(object, "the Pod's hostname", warnings);
    warn_of_pod_spec(api::spec_of(object), "spec", warnings);
  } else if (kind.kind == "Job") {
    if (!current) warn_of_name(object, "Pod names and hostnames", warnings);
    warn_of_pod_spec(object_at(object, {"spec", "template", "spec"}), "spec.template.spec", warnings);
  }
  if (current) return warnings;
  for (const UnobeyedField& field : unobeyed_fields_of(kind, object))
    warnings.push_back(fmt::format("{}: ignored by the embedded server: {}", field.path, field.support.why));
  warn_of_disk_limits(kind, object, warnings);
  return warnings;
}

}  // namespace kml::local
