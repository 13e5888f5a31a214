#include "local/admission/warnings.h"

#include <fmt/format.h>

#include <set>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/admission/admission.h"
#include "local/admission/kind_rules.h"
#include "local/admission/pod_rules.h"

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
  for (const auto& [container, at] : named_containers(spec, path)) {
    std::set<std::string> names;
    const Json& variables = api::variables_of(*container);
    for (size_t i = 0; i < variables.size(); ++i)
      if (std::string name = api::entry_name(variables[i]);
          !names.insert(name).second &&
          api::value_of(variables[i]).find("$(" + name + ")") == std::string::npos)
        warnings.push_back(fmt::format(
            "{}.env[{}]: hides previous definition of \"{}\", which may be dropped when using apply", at, i,
            name));
  }
  if (api::grace_seconds_in(spec) < 0)
    warnings.push_back(
        path +
        ".terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be "
        "treated as 1");
}

/// Warns about the sizeLimit of an emptyDir on disk, because it is only enforced for volumes in memory.
void warn_of_disk_limits(const api::ResourceKind& kind, const Json& object, Warnings& warnings) {
  for (const auto& [path, spec] : pod_specs(kind, object)) {
    const Json& volumes = api::volumes_in(*spec);
    for (size_t i = 0; i < volumes.size(); ++i)
      if (kml::find(volumes[i], {"emptyDir", "sizeLimit"}) && !api::is_in_memory(volumes[i]))
        warnings.push_back(
            fmt::format("{}.volumes[{}].emptyDir.sizeLimit: ignored by the embedded server: it applies only "
                        "to medium Memory",
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
    warn_of_pod_spec(api::pod_spec_of(object), "spec.template.spec", warnings);
  } else if (kind.kind == "CronJob") {
    if (!current) warn_of_name(object, "Pod names and hostnames", warnings);
    warn_of_pod_spec(api::pod_spec_of(api::job_template_of(object)), "spec.jobTemplate.spec.template.spec",
                     warnings);
  } else if (kind.kind == "Deployment" || kind.kind == "ReplicaSet") {
    warn_of_pod_spec(api::pod_spec_of(object), "spec.template.spec", warnings);
  }
  if (current) return warnings;
  if (kind.kind == "Service")
    for (std::string& warning : service_warnings(object)) warnings.push_back(std::move(warning));
  for (const UnobeyedField& field : unobeyed_fields_of(kind, object))
    warnings.push_back(fmt::format("{}: ignored by the embedded server: {}", field.path, field.support.why));
  warn_of_disk_limits(kind, object, warnings);
  return warnings;
}

}  // namespace kml::local
