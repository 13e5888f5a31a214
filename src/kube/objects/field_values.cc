#include "kube/objects/field_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "kml/base/text.h"
#include "kml/kube/objects/quantity.h"

namespace kml::api {

namespace {

// The constants of Kubernetes 1.37's Go types (k8s.io/api) and of the training operator's v1.
constexpr std::string_view kValues = R"(
PodSpec.restartPolicy = Always OnFailure Never
PodSpec.dnsPolicy = ClusterFirst ClusterFirstWithHostNet Default None
PodSpec.preemptionPolicy = PreemptLowerPriority Never
PriorityClass.preemptionPolicy = PreemptLowerPriority Never
Container.imagePullPolicy = Always IfNotPresent Never
Container.terminationMessagePolicy = File FallbackToLogsOnError
ContainerPort.protocol = TCP UDP SCTP
VolumeMount.mountPropagation = None HostToContainer Bidirectional
HTTPGetAction.scheme = HTTP HTTPS
SeccompProfile.type = RuntimeDefault Unconfined Localhost
Toleration.operator = Exists Equal Lt Gt
Toleration.effect = NoSchedule PreferNoSchedule NoExecute
NodeSelectorRequirement.operator = In NotIn Exists DoesNotExist Gt Lt
LabelSelectorRequirement.operator = In NotIn Exists DoesNotExist
TopologySpreadConstraint.whenUnsatisfiable = DoNotSchedule ScheduleAnyway
TopologySpreadConstraint.nodeAffinityPolicy = Honor Ignore
TopologySpreadConstraint.nodeTaintsPolicy = Honor Ignore
JobSpec.completionMode = NonIndexed Indexed
JobSpec.podReplacementPolicy = TerminatingOrFailed Failed
CronJobSpec.concurrencyPolicy = Allow Forbid Replace
PodFailurePolicyRule.action = FailJob FailIndex Ignore Count
PodFailurePolicyOnExitCodesRequirement.operator = In NotIn
DeploymentStrategy.type = Recreate RollingUpdate
ServiceSpec.type = ClusterIP NodePort LoadBalancer ExternalName
ServiceSpec.sessionAffinity = None ClientIP
ServicePort.protocol = TCP UDP SCTP
PersistentVolumeClaimSpec.accessModes = ReadWriteOnce ReadOnlyMany ReadWriteMany ReadWriteOncePod
PersistentVolumeClaimSpec.volumeMode = Filesystem Block
RunPolicy.cleanPodPolicy = All Running None
Replica.restartPolicy = Always OnFailure Never ExitCode
ResourceRequirements.limits = cpu memory ephemeral-storage
ResourceRequirements.requests = cpu memory ephemeral-storage
VolumeResourceRequirements.limits = storage
VolumeResourceRequirements.requests = storage
)";

std::map<std::string, std::vector<std::string>, std::less<>> parse_values() {
  std::map<std::string, std::vector<std::string>, std::less<>> values;
  for (const std::string& line : split(kValues, '\n'))
    if (const size_t equals = line.find(" = "); equals != std::string::npos)
      values.emplace(line.substr(0, equals), split(line.substr(equals + 3), ' '));
  return values;
}

}  // namespace

const std::vector<std::string>* values_of_field(std::string_view type, std::string_view field) {
  static const auto values = parse_values();
  const auto found = values.find(fmt::format("{}.{}", type, field));
  return found == values.end() ? nullptr : &found->second;
}

std::string resource_problem(std::string_view type, std::string_view field, const std::string& name) {
  if (!type.ends_with("ResourceRequirements") || name.find('/') != std::string::npos) return {};
  const std::vector<std::string>* known = values_of_field(type, field);
  if (!known || name.starts_with("hugepages-") ||
      std::find(known->begin(), known->end(), name) != known->end())
    return {};
  const std::string problem = "\"" + name + "\" is not a resource";
  if (contains(name, "gpu")) return problem + "; did you mean nvidia.com/gpu?";
  const auto meant = nearest(name, *known);
  return meant ? problem + "; did you mean " + *meant + "?"
               : problem + ": use " + join(*known, ", ") + ", or a name with a domain such as nvidia.com/gpu";
}

std::string quantity_meant(std::string text) {
  std::erase(text, ' ');
  if (text.size() > 1 && (text.back() == 'b' || text.back() == 'B')) text.pop_back();
  if (quantity_milli(text)) return text;
  const auto unit = std::find_if(text.begin(), text.end(), [](unsigned char c) { return std::isalpha(c); });
  if (unit != text.end()) *unit = static_cast<char>(std::toupper(static_cast<unsigned char>(*unit)));
  return quantity_milli(text) ? text : std::string();
}

}  // namespace kml::api
