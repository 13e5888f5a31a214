#include "local/kubelet/pod_planner.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"
#include "local/kubelet/pod_environment.h"
#include "local/kubelet/pod_volumes.h"
#include "local/scheduling/gang.h"
#include "local/shim/pod_plan.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

const Json* security_field(const Json& pod, const Json& container, const char* name) {
  if (const Json* own = find(container, {"securityContext", name})) return own;
  return find(pod, {"spec", "securityContext", name});
}

std::optional<int64_t> id_field(const Json& pod, const Json& container, const char* name) {
  const Json* value = security_field(pod, container, name);
  return value && value->is_number_integer() ? value->get<int64_t>() : std::optional<int64_t>();
}

/// The user's primary group. As in container runtimes, a user without a passwd entry has group 0.
int64_t group_of(int64_t user) {
  const passwd* entry = ::getpwuid(static_cast<uid_t>(user));
  return entry ? entry->pw_gid : 0;
}

/// Checks runAsNonRoot as the kubelet does (verifyRunAsNonRoot in
/// pkg/kubelet/kuberuntime/security_context.go).
void require_non_root(const Json& pod, const Json& container, const std::optional<int64_t>& user) {
  const Json* wanted = security_field(pod, container, "runAsNonRoot");
  if (!wanted || *wanted != true || user.value_or(::geteuid()) != 0) return;
  throw config_error(fmt::format("{} (pod: \"{}_{}({})\", container: {})",
                                 user ? "container's runAsUser breaks non-root policy"
                                      : "container has runAsNonRoot and image will run as root",
                                 name_of(pod), namespace_of(pod), uid_of(pod), api::entry_name(container)));
}

/// The privileges in the container's securityContext; for fields that are not set, those of the pod. Limited
/// to what the server's user can grant. Throws Error with reason "CreateContainerConfigError" if that would
/// violate runAsNonRoot.
Privileges privileges_of(const Json& pod, const Json& container) {
  Privileges privileges;
  if (::geteuid() == 0) {
    privileges.user = id_field(pod, container, "runAsUser");
    privileges.group = id_field(pod, container, "runAsGroup");
    if (privileges.user && !privileges.group) privileges.group = group_of(*privileges.user);
    for (const Json& group : array_at(pod, {"spec", "securityContext", "supplementalGroups"}))
      privileges.groups.push_back(group.get<int64_t>());
  }
  require_non_root(pod, container, privileges.user);
  const Json* escalation = find(container, {"securityContext", "allowPrivilegeEscalation"});
  privileges.no_new = escalation && *escalation == false;
  privileges.read_only_root = bool_at(container, {"securityContext", "readOnlyRootFilesystem"});
  for (const Json& name : array_at(container, {"securityContext", "capabilities", "drop"}))
    privileges.dropped.push_back(name.get<std::string>());
  return privileges;
}

std::vector<std::string> expanded(const Json& words, const Environment& variables) {
  std::vector<std::string> list;
  for (const Json& word : words)
    if (word.is_string()) list.push_back(expand_variables(word.get_ref<const std::string&>(), variables));
  return list;
}

std::vector<std::string> argv_of(const Json& container, const Environment& variables,
                                 const PlanContext& context) {
  std::vector<std::string> argv = expanded(api::command_of(container), variables);
  const std::string image = api::image_of(container);
  if (argv.empty()) argv = context.command_of_image(image);
  if (argv.empty())
    throw config_error(
        fmt::format("container \"{}\" has no command, and no program is set for image \"{}\" on this "
                    "machine: set `command`, or run: kml local image {}=COMMAND",
                    api::entry_name(container), image, image));
  for (std::string& word : expanded(api::arguments_of(container), variables)) argv.push_back(std::move(word));
  return argv;
}

std::string folder_of(const Json& pod, const Json& container, const Environment& environment) {
  if (std::string folder = string_at(container, {"workingDir"}); !folder.empty()) return folder;
  if (std::string folder = annotation_of(pod, api::kWorkingFolder); !folder.empty()) return folder;
  auto home = environment.find("HOME");
  return home == environment.end() ? "/" : home->second;
}

/// The container's memory limit in bytes; 0 if none is set.
int64_t memory_limit_of(const Json& container) {
  return api::quantity_milli(string_at(api::limits_of(container), {"memory"})).value_or(0) / 1000;
}

/// The probe or hook with that name. `holder` is the container, or the part of it that has the hook.
ProbePlan probe_of(const Json& pod, const Json& container, const Json& holder, const char* name) {
  ProbePlan plan;
  const Json* probe = find(holder, {name});
  if (!probe) return plan;
  for (const auto& [action, field] : {std::pair("http", "httpGet"), std::pair("tcp", "tcpSocket")})
    if (const Json* target = find(*probe, {field})) {
      plan.action = action;
      const Json port = target->value("port", Json());
      plan.port = api::machine_port(pod, api::container_port(api::spec_of(pod), port));
      if (plan.port == 0)
        throw config_error(fmt::format("{} of container \"{}\": no port is named {}", name,
                                       api::entry_name(container), port.dump()));
      plan.path = string_at(*target, {"path"});
      for (const Json& header : array_at(*target, {"httpHeaders"}))
        plan.headers.push_back(api::entry_name(header) + ": " + api::value_of(header));
    }
  if (probe->contains("exec")) {
    plan.action = "exec";
    for (const Json& word : array_at(*probe, {"exec", "command"})) plan.argv.push_back(word);
  }
  plan.initial_delay = int_at(*probe, {"initialDelaySeconds"});
  plan.period = int_at(*probe, {"periodSeconds"}, plan.period);
  plan.timeout = int_at(*probe, {"timeoutSeconds"}, plan.timeout);
  plan.successes = int_at(*probe, {"successThreshold"}, plan.successes);
  plan.failures = int_at(*probe, {"failureThreshold"}, plan.failures);
  plan.grace = int_at(*probe, {"terminationGracePeriodSeconds"}, api::grace_seconds_of(pod));
  return plan;
}

ProbePlan pre_stop_of(const Json& pod, const Json& container) {
  const Json& lifecycle = object_at(container, {"lifecycle"});
  constexpr int64_t kUntilGraceEnds = 1'000'000'000;
  ProbePlan plan = probe_of(pod, container, lifecycle, "preStop");
  plan.timeout = kUntilGraceEnds;
  if (const Json* seconds = find(lifecycle, {"preStop", "sleep", "seconds"})) {
    plan.action = "sleep";
    plan.timeout = seconds->get<int64_t>();
  }
  return plan;
}

/// The outputs that the program of the pod's first container must write. Of the pods of an indexed Job, only
/// rank 0 must.
std::vector<std::string> outputs_of(const Json& pod) {
  std::vector<std::string> outputs;
  if (std::string rank = annotation_of(pod, api::kCompletionIndex); !rank.empty() && rank != "0")
    return outputs;
  const Json paths = Json::parse(annotation_of(pod, api::kOutputs), nullptr, false);
  for (const auto& [name, path] : paths.items())
    if (path.is_string()) outputs.push_back(name + "=" + path.get<std::string>());
  return outputs;
}

}  // namespace

PodPlan plan_pod(const Json& pod, const PlanContext& context) {
  PodPlan plan;
  plan.uid = uid_of(pod);
  plan.namespace_name = namespace_of(pod);
  plan.name = name_of(pod);
  plan.log_bytes = context.log_bytes;
  plan.restart_policy = api::restart_policy_in(api::spec_of(pod), "Always");

  plan.max_processes = context.max_processes;
  plan.cgroups = context.cgroups;

  const PodFolder folder = pod_folder(context.state_folder, plan.uid);
  const PodVolumes volumes(pod, context.store, context.state_folder, folder);
  auto gpus = context.allocatable.find(kGpu);
  const int node_gpus = gpus == context.allocatable.end() ? 0 : static_cast<int>(gpus->second / api::kMilli);
  const Environment base = base_environment(pod, node_gpus);
  auto plan_container = [&](const Json& container) {
    const Environment declared = declared_environment(pod, container, context.store, context.allocatable);
    Environment environment = declared;
    environment.insert(base.begin(), base.end());  // does not replace variables that the container declares
    environment.insert_or_assign(std::string(kPodMark), plan.uid);
    ContainerPlan result;
    result.name = api::entry_name(container);
    result.argv = argv_of(container, declared, context);
    for (const auto& [name, value] : environment) result.environment.push_back(name + "=" + value);
    result.folder = folder_of(pod, container, environment);
    result.mounts = volumes.mounts_of(container);
    result.privileges = privileges_of(pod, container);
    result.memory_limit = memory_limit_of(container);
    result.startup = probe_of(pod, container, container, "startupProbe");
    result.liveness = probe_of(pod, container, container, "livenessProbe");
    result.readiness = probe_of(pod, container, container, "readinessProbe");
    result.pre_stop = pre_stop_of(pod, container);
    result.message_path = string_at(container, {"terminationMessagePath"});
    result.message_from_log = string_at(container, {"terminationMessagePolicy"}) == "FallbackToLogsOnError";
    return result;
  };
  for (const Json& container : api::containers_of(pod, "initContainers"))
    plan.init_containers.push_back(plan_container(container));
  for (const Json& container : api::containers_of(pod)) plan.containers.push_back(plan_container(container));
  if (!plan.containers.empty()) plan.containers[0].outputs = outputs_of(pod);
  return plan;
}

}  // namespace kml::local
