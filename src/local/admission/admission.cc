#include "local/admission/admission.h"

#include <fmt/format.h>
#include <unistd.h>

#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/field_types.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/admission/kind_rules.h"
#include "local/admission/pod_rules.h"
#include "local/api/api_error.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

void validate_name(const api::ResourceKind& of_kind, const std::string& name, FieldErrors& errors) {
  if (name.empty()) return errors.required("metadata.name", "name or generateName is required");
  const bool is_label = of_kind.kind == "Namespace" || of_kind.kind == "PyTorchJob";
  const std::string problem = of_kind.kind == "Service" ? api::dns_1035_label_problem(name)
                              : is_label                ? api::dns_label_problem(name)
                                                        : api::dns_subdomain_problem(name);
  if (!problem.empty()) errors.invalid("metadata.name", name, problem);
  // The longest name of a CronJob, because its jobs have 11 more characters in their names.
  constexpr size_t kLongestCronJob = 52;
  if (of_kind.kind == "CronJob" && name.size() > kLongestCronJob)
    errors.invalid("metadata.name", name, "must be no more than 52 characters");
}

}  // namespace

std::vector<std::pair<std::string, const Json*>> pod_specs(const api::ResourceKind& of_kind,
                                                           const Json& object) {
  std::vector<std::pair<std::string, const Json*>> found;
  if (of_kind.kind == "Pod") found.emplace_back("spec", &api::spec_of(object));
  if (of_kind.kind == "Job" || of_kind.kind == "Deployment" || of_kind.kind == "ReplicaSet")
    found.emplace_back("spec.template.spec", &api::pod_spec_of(object));
  if (of_kind.kind == "CronJob")
    found.emplace_back("spec.jobTemplate.spec.template.spec",
                       &api::pod_spec_of(api::job_template_of(object)));
  if (of_kind.kind == "PyTorchJob")
    for (const auto& [type, replica] : api::replicas_of(object).items())
      found.emplace_back(fmt::format("spec.pytorchReplicaSpecs[{}].template.spec", type),
                         &api::spec_of(api::template_in(replica)));
  return found;
}

std::vector<UnobeyedField> unobeyed_fields_of(const api::ResourceKind& of_kind, const Json& object) {
  const bool is_root = ::geteuid() == 0;
  if (of_kind.kind == "Job") return unobeyed_fields("JobSpec", api::spec_of(object), "spec", is_root);
  if (of_kind.kind == "CronJob")
    return unobeyed_fields("JobSpec", api::spec_of(api::job_template_of(object)), "spec.jobTemplate.spec",
                           is_root);
  std::vector<UnobeyedField> found;
  for (const auto& [path, spec] : pod_specs(of_kind, object))
    for (UnobeyedField& field : unobeyed_fields("PodSpec", *spec, path, is_root))
      found.push_back(std::move(field));
  return found;
}

namespace {

void refuse_unsupported(const api::ResourceKind& of_kind, const Json& object, FieldErrors& errors) {
  for (const UnobeyedField& field : unobeyed_fields_of(of_kind, object))
    if (field.support.support == Support::refused)
      errors.forbidden(field.path, "not supported by the embedded server: " + std::string(field.support.why));
}

void require_namespace(const Store& store, const api::ResourceKind& of_kind, const Json& object) {
  if (!of_kind.namespaced) return;
  const api::ResourceKind& namespaces = api::known_kind("v1", "Namespace");
  const std::string name = api::namespace_of(object);
  ObjectPtr found = store.get(namespaces, "", name);
  if (!found) throw not_found(namespaces, name);
  if (is_being_deleted(*found))
    throw forbidden(of_kind, name_of(object),
                    "unable to create new content in namespace " + name + " because it is being terminated");
}

std::vector<std::string> unknown_fields(const api::ResourceKind& of_kind, const Json& object) try {
  return api::check_field_types(of_kind, object);
} catch (const Error& error) {
  throw bad_request(error.message);
}

}  // namespace

std::vector<std::string> check_fields(const api::ResourceKind& of_kind, Json& object,
                                      const std::vector<std::string>& duplicates,
                                      std::string_view validation) {
  std::vector<std::string> faults;
  for (const std::string& path : unknown_fields(of_kind, object))
    faults.push_back(fmt::format("unknown field \"{}\"", path));
  for (const std::string& path : duplicates) faults.push_back(fmt::format("duplicate field \"{}\"", path));
  if (validation == "Strict" && !faults.empty())
    throw bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: strict decoding error: {}",
                                  of_kind.kind, of_kind.version, of_kind.kind, join(faults, ", ")));
  if (validation == "Ignore") faults.clear();
  api::prune_fields(of_kind, object);
  return faults;
}

void Admission::admit_new(const api::ResourceKind& of_kind, Json& object) const {
  require_namespace(store_, of_kind, object);
  const KindRules& rules = rules_of(of_kind);
  rules.set_defaults(object);
  rules.prepare_new(object);
  if (of_kind.kind == "Pod") set_priority(object);
  if (of_kind.kind == "PriorityClass") require_one_global_default(object);
  FieldErrors errors;
  validate_name(of_kind, name_of(object), errors);
  validate_metadata(api::metadata_of(object), errors);
  rules.validate(object, errors);
  require_commands(of_kind, object, errors);
  refuse_unsupported(of_kind, object, errors);
  errors.throw_if_any(of_kind, name_of(object));
  quotas_.check(of_kind, object);
  rules.complete(object);
}

void Admission::admit_change(const api::ResourceKind& of_kind, Json& next, const Json& current) const {
  const KindRules& rules = rules_of(of_kind);
  rules.set_defaults(next);
  if (of_kind.kind == "PriorityClass") require_one_global_default(next);
  FieldErrors errors;
  validate_metadata(api::metadata_of(next), errors);
  rules.validate(next, errors);
  rules.validate_change(next, current, errors);
  errors.throw_if_any(of_kind, name_of(next));
  rules.complete(next);
}

namespace {

bool is_global_default(const Json& priority_class) {
  return bool_at(priority_class, {"globalDefault"});
}

}  // namespace

/// plugin/pkg/admission/priority.
void Admission::set_priority(Json& pod) const {
  const api::ResourceKind& classes = api::known_kind("scheduling.k8s.io/v1", "PriorityClass");
  Json& spec = pod["spec"];
  const std::string name = api::priority_class_in(spec);
  ObjectPtr found;
  if (!name.empty()) {
    found = store_.get(classes, "", name);
    if (!found)
      throw forbidden(api::known_kind("v1", "Pod"), name_of(pod),
                      "no PriorityClass with name " + name + " was found");
  } else {
    for (const ObjectPtr& candidate : store_.list(classes, ""))
      if (is_global_default(*candidate)) found = candidate;
  }
  const int64_t value = found ? api::priority_value_of(*found) : 0;
  if (spec.contains("priority") && spec["priority"] != value)
    throw forbidden(api::known_kind("v1", "Pod"), name_of(pod),
                    fmt::format("the integer value of priority ({}) must not be provided in pod spec; "
                                "priority admission controller computed {} from the given PriorityClass name",
                                spec["priority"].dump(), value));
  if (found) spec["priorityClassName"] = name_of(*found);
  const bool preempts = !found || api::may_preempt(*found);
  spec.update({{"priority", value}, {"preemptionPolicy", preempts ? "PreemptLowerPriority" : "Never"}});
}

void Admission::require_one_global_default(const Json& priority_class) const {
  if (!is_global_default(priority_class)) return;
  const api::ResourceKind& classes = api::known_kind("scheduling.k8s.io/v1", "PriorityClass");
  for (const ObjectPtr& other : store_.list(classes, ""))
    if (is_global_default(*other) && name_of(*other) != name_of(priority_class))
      throw forbidden(classes, name_of(priority_class),
                      fmt::format("PriorityClass {} is already marked as default. Only one default can exist",
                                  name_of(*other)));
}

/// Reports containers without a command. This machine does not pull images, so the command must be in the
/// container, or be set for its image.
void Admission::require_commands(const api::ResourceKind& of_kind, const Json& object,
                                 FieldErrors& errors) const {
  for (const auto& [path, spec] : pod_specs(of_kind, object))
    for (const auto& [container, at] : named_containers(*spec, path)) {
      const std::string image = api::image_of(*container);
      if (image.empty() || !api::command_of(*container).empty() || !images_.command_of(image).empty())
        continue;
      errors.required(at + ".command",
                      fmt::format("on this machine, containers run as processes, and no command is set for "
                                  "the image \"{}\": set one with \"kml local image {}=COMMAND\"",
                                  image, image));
    }
}

}  // namespace kml::local
