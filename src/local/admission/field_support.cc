#include "local/admission/field_support.h"

#include <unistd.h>

#include <fmt/format.h>

#include <map>

#include "kml/base/text.h"
#include "kml/kube/objects/field_types.h"
#include "kml/local/daemon.h"

namespace kml::local {

namespace {

using enum Support;

constexpr std::string_view kOtherVolume =
    "the server supports only the volumes persistentVolumeClaim, hostPath, emptyDir, secret and configMap";
constexpr std::string_view kOtherOwner = "files belong to the user of the server";
constexpr std::string_view kNoGangs = "the server has no PodGroups: each pod starts independently of the others";
constexpr std::string_view kOtherHook = "the only hook is preStop";
constexpr std::string_view kOtherUser = "the server cannot change to other users unless it runs as root";

// Sorted by name. tests/unit/local/admission/field_support_test.cc compares it with the OpenAPI of Kubernetes
// 1.37.
constexpr FieldSupport kFields[] = {
    {"Affinity.nodeAffinity", obeyed},
    {"Affinity.podAffinity", warned, "all pods run on the only node"},
    {"Affinity.podAntiAffinity", warned, "all pods run on the only node"},
    {"Capabilities.add", needs_root, "the server has only the rights of its user"},
    {"Capabilities.drop", obeyed},
    {"ConfigMapEnvSource.name", obeyed},
    {"ConfigMapEnvSource.optional", obeyed},
    {"ConfigMapKeySelector.key", obeyed},
    {"ConfigMapKeySelector.name", obeyed},
    {"ConfigMapKeySelector.optional", obeyed},
    {"ConfigMapVolumeSource.defaultMode", obeyed},
    {"ConfigMapVolumeSource.defaultUser", warned, kOtherOwner},
    {"ConfigMapVolumeSource.items", obeyed},
    {"ConfigMapVolumeSource.name", obeyed},
    {"ConfigMapVolumeSource.optional", obeyed},
    {"Container.args", obeyed},
    {"Container.command", obeyed},
    {"Container.env", obeyed},
    {"Container.envFrom", obeyed},
    {"Container.image", obeyed},
    {"Container.imagePullPolicy", meaningless},
    {"Container.lifecycle", obeyed},
    {"Container.livenessProbe", obeyed},
    {"Container.name", obeyed},
    {"Container.ports", meaningless},
    {"Container.readinessProbe", obeyed},
    {"Container.resizePolicy", meaningless},
    {"Container.resources", obeyed},
    {"Container.restartPolicy", refused, "containers follow the restartPolicy of their pod"},
    {"Container.restartPolicyRules", refused, "containers follow the restartPolicy of their pod"},
    {"Container.securityContext", obeyed},
    {"Container.startupProbe", obeyed},
    {"Container.stdin", warned, "a container has no standard input"},
    {"Container.stdinOnce", warned, "a container has no standard input"},
    {"Container.terminationMessagePath", obeyed},
    {"Container.terminationMessagePolicy", obeyed},
    {"Container.tty", warned, "a container has no standard input"},
    {"Container.volumeDevices", refused, "the server has no block volumes"},
    {"Container.volumeMounts", obeyed},
    {"Container.workingDir", obeyed},
    {"EmptyDirVolumeSource.medium", obeyed},
    {"EmptyDirVolumeSource.mode", warned, "every user can write to the volume"},
    {"EmptyDirVolumeSource.sizeLimit", obeyed},
    {"EnvFromSource.configMapRef", obeyed},
    {"EnvFromSource.prefix", obeyed},
    {"EnvFromSource.secretRef", obeyed},
    {"EnvVar.name", obeyed},
    {"EnvVar.value", obeyed},
    {"EnvVar.valueFrom", obeyed},
    {"EnvVarSource.configMapKeyRef", obeyed},
    {"EnvVarSource.fieldRef", obeyed},
    {"EnvVarSource.fileKeyRef", refused, "the server cannot read variables from files in volumes"},
    {"EnvVarSource.resourceFieldRef", obeyed},
    {"EnvVarSource.secretKeyRef", obeyed},
    {"ExecAction.command", obeyed},
    {"HTTPGetAction.host", warned, "probes connect to this machine"},
    {"HTTPGetAction.httpHeaders", obeyed},
    {"HTTPGetAction.path", obeyed},
    {"HTTPGetAction.port", obeyed},
    {"HTTPGetAction.protocol", warned, "probes speak HTTP/1.1", "HTTP1"},
    {"HTTPGetAction.scheme", refused, "probes do not speak TLS", "HTTP"},
    {"HTTPHeader.name", obeyed},
    {"HTTPHeader.value", obeyed},
    {"HostPathVolumeSource.path", obeyed},
    {"HostPathVolumeSource.type", obeyed},
    {"JobSpec.activeDeadlineSeconds", obeyed},
    {"JobSpec.backoffLimit", obeyed},
    {"JobSpec.backoffLimitPerIndex", obeyed},
    {"JobSpec.completionMode", obeyed},
    {"JobSpec.completions", obeyed},
    {"JobSpec.managedBy", refused, "the server has no other controller of jobs",
     "kubernetes.io/job-controller"},
    {"JobSpec.manualSelector", obeyed},
    {"JobSpec.maxFailedIndexes", obeyed},
    {"JobSpec.parallelism", obeyed},
    {"JobSpec.podFailurePolicy", obeyed},
    {"JobSpec.podReplacementPolicy", obeyed},
    {"JobSpec.scheduling", warned, kNoGangs},
    {"JobSpec.selector", meaningless},
    {"JobSpec.successPolicy", refused, "a job succeeds when all its completions have succeeded"},
    {"JobSpec.suspend", obeyed},
    {"JobSpec.template", obeyed},
    {"JobSpec.ttlSecondsAfterFinished", obeyed},
    {"KeyToPath.key", obeyed},
    {"KeyToPath.mode", obeyed},
    {"KeyToPath.path", obeyed},
    {"KeyToPath.user", warned, kOtherOwner},
    {"Lifecycle.postStart", warned, kOtherHook},
    {"Lifecycle.preStop", obeyed},
    {"Lifecycle.stopSignal", warned, "containers get SIGTERM"},
    {"LifecycleHandler.exec", obeyed},
    {"LifecycleHandler.httpGet", obeyed},
    {"LifecycleHandler.sleep", obeyed},
    {"LifecycleHandler.tcpSocket", warned, "Kubernetes has no such hook either"},
    {"NodeAffinity.preferredDuringSchedulingIgnoredDuringExecution", meaningless},
    {"NodeAffinity.requiredDuringSchedulingIgnoredDuringExecution", obeyed},
    {"NodeSelector.nodeSelectorTerms", obeyed},
    {"NodeSelectorRequirement.key", obeyed},
    {"NodeSelectorRequirement.operator", obeyed},
    {"NodeSelectorRequirement.values", obeyed},
    {"NodeSelectorTerm.matchExpressions", obeyed},
    {"NodeSelectorTerm.matchFields", obeyed},
    {"ObjectFieldSelector.apiVersion", meaningless},
    {"ObjectFieldSelector.fieldPath", obeyed},
    {"ObjectMeta.annotations", obeyed},
    {"ObjectMeta.creationTimestamp", meaningless},
    {"ObjectMeta.deletionGracePeriodSeconds", meaningless},
    {"ObjectMeta.deletionTimestamp", meaningless},
    {"ObjectMeta.finalizers", obeyed},
    {"ObjectMeta.generateName", meaningless},
    {"ObjectMeta.generation", meaningless},
    {"ObjectMeta.labels", obeyed},
    {"ObjectMeta.managedFields", meaningless},
    {"ObjectMeta.name", meaningless},
    {"ObjectMeta.namespace", meaningless},
    {"ObjectMeta.ownerReferences", meaningless},
    {"ObjectMeta.resourceVersion", meaningless},
    {"ObjectMeta.selfLink", meaningless},
    {"ObjectMeta.uid", meaningless},
    {"PersistentVolumeClaimVolumeSource.claimName", obeyed},
    {"PersistentVolumeClaimVolumeSource.readOnly", obeyed},
    {"PodFailurePolicy.rules", obeyed},
    {"PodFailurePolicyOnExitCodesRequirement.containerName", obeyed},
    {"PodFailurePolicyOnExitCodesRequirement.operator", obeyed},
    {"PodFailurePolicyOnExitCodesRequirement.values", obeyed},
    {"PodFailurePolicyOnPodConditionsPattern.status", obeyed},
    {"PodFailurePolicyOnPodConditionsPattern.type", obeyed},
    {"PodFailurePolicyRule.action", obeyed},
    {"PodFailurePolicyRule.onExitCodes", obeyed},
    {"PodFailurePolicyRule.onPodConditions", obeyed},
    {"PodOS.name", refused, "pods run on Linux", "linux"},
    {"PodSchedulingGate.name", obeyed},
    {"PodSecurityContext.appArmorProfile", warned, "kml sets no AppArmor profile for containers"},
    {"PodSecurityContext.fsGroup", warned, "volumes keep their groups"},
    {"PodSecurityContext.fsGroupChangePolicy", meaningless},
    {"PodSecurityContext.runAsGroup", needs_root, kOtherUser},
    {"PodSecurityContext.runAsNonRoot", obeyed},
    {"PodSecurityContext.runAsUser", needs_root, kOtherUser},
    {"PodSecurityContext.seLinuxChangePolicy", meaningless},
    {"PodSecurityContext.seLinuxOptions", warned, "kml sets no SELinux label for containers"},
    {"PodSecurityContext.seccompProfile", warned, "processes have no seccomp profile"},
    {"PodSecurityContext.supplementalGroups", needs_root, kOtherUser},
    {"PodSecurityContext.supplementalGroupsPolicy", meaningless},
    {"PodSecurityContext.sysctls", refused, "these settings would affect the whole machine"},
    {"PodSecurityContext.windowsOptions", refused, "pods run on Linux"},
    {"PodSpec.activeDeadlineSeconds", obeyed},
    {"PodSpec.affinity", obeyed},
    {"PodSpec.automountServiceAccountToken", meaningless},
    {"PodSpec.containers", obeyed},
    {"PodSpec.dnsConfig", warned, "pods use this machine's name servers"},
    {"PodSpec.dnsPolicy", meaningless},
    {"PodSpec.enableServiceLinks", meaningless},
    {"PodSpec.ephemeralContainers", refused, "cannot be set on create"},
    {"PodSpec.evictionResponders", meaningless},
    {"PodSpec.hostAliases", warned, "pods use this machine's /etc/hosts"},
    {"PodSpec.hostIPC", meaningless},
    {"PodSpec.hostNetwork", meaningless},
    {"PodSpec.hostPID", warned, "if namespaces are permitted, a container sees only its own processes"},
    {"PodSpec.hostUsers", warned, "pods get no user namespace", "true"},
    {"PodSpec.hostname", obeyed},
    {"PodSpec.hostnameOverride", warned, "pods have this machine's host name"},
    {"PodSpec.imagePullSecrets", meaningless},
    {"PodSpec.initContainers", obeyed},
    {"PodSpec.nodeName", obeyed},
    {"PodSpec.nodeSelector", obeyed},
    {"PodSpec.os", obeyed},
    {"PodSpec.overhead", obeyed},
    {"PodSpec.preemptionPolicy", obeyed},
    {"PodSpec.priority", obeyed},
    {"PodSpec.priorityClassName", obeyed},
    {"PodSpec.readinessGates", warned, "a pod is ready when its containers are"},
    {"PodSpec.resourceClaims", refused, "the server has no devices to claim"},
    {"PodSpec.resources", warned, "set resources on the containers instead"},
    {"PodSpec.restartPolicy", obeyed},
    {"PodSpec.runtimeClassName", refused, "the server has no runtime classes"},
    {"PodSpec.schedulerName", warned, "the server has one scheduler", "default-scheduler"},
    {"PodSpec.schedulingGates", obeyed},
    {"PodSpec.schedulingGroup", warned, kNoGangs},
    {"PodSpec.securityContext", obeyed},
    {"PodSpec.serviceAccount", meaningless},
    {"PodSpec.serviceAccountName", meaningless},
    {"PodSpec.setHostnameAsFQDN", warned, "pods have this machine's host name"},
    {"PodSpec.shareProcessNamespace", warned, "each container sees only its own processes"},
    {"PodSpec.subdomain", obeyed},
    {"PodSpec.terminationGracePeriodSeconds", obeyed},
    {"PodSpec.tolerations", obeyed},
    {"PodSpec.topologySpreadConstraints", meaningless},
    {"PodSpec.volumes", obeyed},
    {"PodTemplateSpec.metadata", obeyed},
    {"PodTemplateSpec.spec", obeyed},
    {"Probe.exec", obeyed},
    {"Probe.failureThreshold", obeyed},
    {"Probe.grpc", warned, "the server has no gRPC probes"},
    {"Probe.httpGet", obeyed},
    {"Probe.initialDelaySeconds", obeyed},
    {"Probe.periodSeconds", obeyed},
    {"Probe.successThreshold", obeyed},
    {"Probe.tcpSocket", obeyed},
    {"Probe.terminationGracePeriodSeconds", obeyed},
    {"Probe.timeoutSeconds", obeyed},
    {"ResourceFieldSelector.containerName", obeyed},
    {"ResourceFieldSelector.divisor", obeyed},
    {"ResourceFieldSelector.resource", obeyed},
    {"ResourceRequirements.claims", refused, "the server has no devices to claim"},
    {"ResourceRequirements.limits", obeyed},
    {"ResourceRequirements.requests", obeyed},
    {"SecretEnvSource.name", obeyed},
    {"SecretEnvSource.optional", obeyed},
    {"SecretKeySelector.key", obeyed},
    {"SecretKeySelector.name", obeyed},
    {"SecretKeySelector.optional", obeyed},
    {"SecretVolumeSource.defaultMode", obeyed},
    {"SecretVolumeSource.defaultUser", warned, kOtherOwner},
    {"SecretVolumeSource.items", obeyed},
    {"SecretVolumeSource.optional", obeyed},
    {"SecretVolumeSource.secretName", obeyed},
    {"SecurityContext.allowPrivilegeEscalation", obeyed},
    {"SecurityContext.appArmorProfile", warned, "kml sets no AppArmor profile for containers"},
    {"SecurityContext.capabilities", obeyed},
    {"SecurityContext.privileged", needs_root, "the server has only the rights of its user"},
    {"SecurityContext.procMount", warned, "/proc is not masked", "Default"},
    {"SecurityContext.readOnlyRootFilesystem", obeyed},
    {"SecurityContext.runAsGroup", needs_root, kOtherUser},
    {"SecurityContext.runAsNonRoot", obeyed},
    {"SecurityContext.runAsUser", needs_root, kOtherUser},
    {"SecurityContext.seLinuxOptions", warned, "kml sets no SELinux label for containers"},
    {"SecurityContext.seccompProfile", warned, "processes have no seccomp profile"},
    {"SecurityContext.windowsOptions", refused, "pods run on Linux"},
    {"SleepAction.seconds", obeyed},
    {"TCPSocketAction.host", warned, "probes connect to this machine"},
    {"TCPSocketAction.port", obeyed},
    {"Toleration.effect", obeyed},
    {"Toleration.key", obeyed},
    {"Toleration.operator", obeyed},
    {"Toleration.tolerationSeconds", meaningless},
    {"Toleration.value", obeyed},
    {"Volume.awsElasticBlockStore", refused, kOtherVolume},
    {"Volume.azureDisk", refused, kOtherVolume},
    {"Volume.azureFile", refused, kOtherVolume},
    {"Volume.cephfs", refused, kOtherVolume},
    {"Volume.cinder", refused, kOtherVolume},
    {"Volume.configMap", obeyed},
    {"Volume.csi", refused, kOtherVolume},
    {"Volume.downwardAPI", refused, kOtherVolume},
    {"Volume.emptyDir", obeyed},
    {"Volume.ephemeral", refused, kOtherVolume},
    {"Volume.fc", refused, kOtherVolume},
    {"Volume.flexVolume", refused, kOtherVolume},
    {"Volume.flocker", refused, kOtherVolume},
    {"Volume.gcePersistentDisk", refused, kOtherVolume},
    {"Volume.gitRepo", refused, kOtherVolume},
    {"Volume.glusterfs", refused, kOtherVolume},
    {"Volume.hostPath", obeyed},
    {"Volume.image", refused, kOtherVolume},
    {"Volume.iscsi", refused, kOtherVolume},
    {"Volume.name", obeyed},
    {"Volume.nfs", refused, kOtherVolume},
    {"Volume.persistentVolumeClaim", obeyed},
    {"Volume.photonPersistentDisk", refused, kOtherVolume},
    {"Volume.portworxVolume", refused, kOtherVolume},
    {"Volume.projected", refused, kOtherVolume},
    {"Volume.quobyte", refused, kOtherVolume},
    {"Volume.rbd", refused, kOtherVolume},
    {"Volume.scaleIO", refused, kOtherVolume},
    {"Volume.secret", obeyed},
    {"Volume.storageos", refused, kOtherVolume},
    {"Volume.vsphereVolume", refused, kOtherVolume},
    {"VolumeMount.bindMountOptions", warned, "volumes are mounted without options"},
    {"VolumeMount.mountPath", obeyed},
    {"VolumeMount.mountPropagation", warned, "only their container sees its mounts", "None"},
    {"VolumeMount.name", obeyed},
    {"VolumeMount.readOnly", obeyed},
    {"VolumeMount.recursiveReadOnly", warned, "mounts below a read-only mount stay writable", "Disabled"},
    {"VolumeMount.subPath", obeyed},
    {"VolumeMount.subPathExpr", refused, "use subPath"},
};

/// Whether the value requests nothing: it is unset, false or empty, or asks for what this server does anyway.
bool asks_for_nothing(const Json& value, const FieldSupport& support) {
  if (value.is_null() || (value.is_structured() && value.empty())) return true;
  if (value.is_string() && value.get_ref<const std::string&>().empty()) return true;
  if (value.is_boolean()) return value.get<bool>() == (support.harmless == "true");
  if (value.is_object() && value.contains("type")) return value["type"] == "Unconfined";  // a profile
  return value.is_string() && value == support.harmless;
}

/// Whether the value is the server's own user, as which a pod can run even if the server is not root.
bool is_own_id(const Json& value, const FieldSupport& support) {
  if (support.field.ends_with(".runAsUser")) return value == static_cast<int64_t>(::geteuid());
  return support.field.ends_with(".runAsGroup") && value == static_cast<int64_t>(::getegid());
}

struct Walker {
  bool is_root;
  std::vector<UnobeyedField> found;

  void walk(const std::string& path, const Json& value, std::string_view type) {
    const std::string_view inner = type.substr(1, type.size() - 2);
    if (type.size() == 1) return;
    if (type.front() == '[' && value.is_array())
      for (size_t i = 0; i < value.size(); ++i) walk(fmt::format("{}[{}]", path, i), value[i], inner);
    else if (type.front() == '{' && value.is_object())
      for (const auto& [key, item] : value.items()) walk(fmt::format("{}[{}]", path, key), item, inner);
    else if (value.is_object())
      for (const auto& [key, item] : value.items()) look_at(fmt::format("{}.{}", path, key), item, type, key);
  }

  void look_at(const std::string& path, const Json& value, std::string_view type, const std::string& field) {
    const FieldSupport* support = find_support(type, field);
    const std::string* inner = api::type_of_field(type, field);
    if (!support || !inner || support->support == meaningless) return;
    if (support->support == obeyed) return walk(path, value, *inner);
    if (asks_for_nothing(value, *support)) return;
    if (support->support == needs_root && (is_root || is_own_id(value, *support))) return;
    found.push_back({path, *support});
  }
};

}  // namespace

std::span<const FieldSupport> field_supports() {
  return kFields;
}

const FieldSupport* find_support(std::string_view type, std::string_view field) {
  static const auto by_name = [] {
    std::map<std::pair<std::string_view, std::string_view>, const FieldSupport*> fields;
    for (const FieldSupport& support : kFields) {
      const size_t dot = support.field.find('.');
      fields.emplace(std::pair(support.field.substr(0, dot), support.field.substr(dot + 1)), &support);
    }
    return fields;
  }();
  auto it = by_name.find({type, field});
  return it == by_name.end() ? nullptr : it->second;
}

std::vector<UnobeyedField> unobeyed_fields(std::string_view type, const Json& object, const std::string& path,
                                           bool is_root) {
  Walker walker{is_root, {}};
  walker.walk(path, object, type);
  return std::move(walker.found);
}

std::string manual_of_fields() {
  constexpr std::pair<Support, std::string_view> kGroups[] = {
      {refused, "Rejected:"},
      {warned, "Ignored with a warning:"},
      {needs_root, "Supported if the server runs as root, otherwise ignored with a warning:"},
      {meaningless, "Ignored, because they have no meaning on one machine:"},
  };
  std::string text;
  for (const auto& [support, title] : kGroups) {
    std::vector<std::pair<std::string_view, std::vector<std::string>>> by_reason;
    for (const FieldSupport& field : kFields) {
      if (field.support != support) continue;
      auto it = std::find_if(by_reason.begin(), by_reason.end(),
                             [&](const auto& entry) { return entry.first == field.why; });
      if (it == by_reason.end())
        it = by_reason.emplace(by_reason.end(), field.why, std::vector<std::string>());
      it->second.emplace_back(field.field);
    }
    text += (text.empty() ? "" : "\n") + std::string(title) + "\n\n";
    for (const auto& [why, fields] : by_reason)
      text += "- " + join(fields, ", ") + (why.empty() ? "" : ": " + std::string(why)) + "\n";
  }
  return text;
}

}  // namespace kml::local
