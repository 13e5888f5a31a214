#include "kml/api/field_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/field_values.h"
#include "kml/api/quantity.h"
#include "kml/core/error.h"
#include "kml/core/text.h"

namespace kml::api {

namespace {

// The fields of the kinds that the embedded server stores, from Kubernetes 1.34's OpenAPI and the training
// operator's v1. s string, y base64, i integer, b boolean, q quantity, n integer or string, * anything, [T]
// list, {T} map; other words are names of types. Fields that the server ignores have the type "*". The last
// ones are a client's files, from client-go 0.36: clientcmd/api/v1, pkg/apis/clientauthentication/v1,
// kubectl/pkg/config/v1beta1.
constexpr std::string_view kTypes = R"(
Object = apiVersion s, kind s, metadata Meta
Meta = name s, generateName s, namespace s, uid s, resourceVersion s, generation i, creationTimestamp s, deletionTimestamp s, deletionGracePeriodSeconds i, labels {s}, annotations {s}, ownerReferences [Owner], finalizers [s], managedFields *, selfLink s
Owner = apiVersion s, kind s, name s, uid s, controller b, blockOwnerDeletion b
Namespace : Object = spec *, status *
Node : Object = spec *, status *
Event : Object = involvedObject ObjectReference, related ObjectReference, reason s, message s, source *, firstTimestamp s, lastTimestamp s, eventTime s, count i, series *, type s, action s, reportingComponent s, reportingInstance s
ObjectReference = kind s, namespace s, name s, uid s, apiVersion s, resourceVersion s, fieldPath s
Secret : Object = data {y}, stringData {s}, type s, immutable b
ConfigMap : Object = data {s}, binaryData {y}, immutable b
Service : Object = spec ServiceSpec, status *
ServiceSpec = allocateLoadBalancerNodePorts b, clusterIP s, clusterIPs [s], externalIPs [s], externalName s, externalTrafficPolicy s, healthCheckNodePort i, internalTrafficPolicy s, ipFamilies [s], ipFamilyPolicy s, loadBalancerClass s, loadBalancerIP s, loadBalancerSourceRanges [s], ports [ServicePort], publishNotReadyAddresses b, selector {s}, sessionAffinity s, sessionAffinityConfig *, trafficDistribution s, type s
ServicePort = appProtocol s, name s, nodePort i, port i, protocol s, targetPort n
ServiceAccount : Object = secrets *, imagePullSecrets *, automountServiceAccountToken b
PriorityClass : Object = value i, globalDefault b, description s, preemptionPolicy s
PersistentVolumeClaim : Object = spec PersistentVolumeClaimSpec, status *
ResourceQuota : Object = spec QuotaSpec, status *
QuotaSpec = hard {q}, scopes [s], scopeSelector ScopeSelector
ScopeSelector = matchExpressions [ScopeExpression]
ScopeExpression = scopeName s, operator s, values [s]
Pod : Object = spec PodSpec, status *
Job : Object = spec JobSpec, status *
CronJob : Object = spec CronJobSpec, status *
CronJobSpec = concurrencyPolicy s, failedJobsHistoryLimit i, jobTemplate JobTemplateSpec, schedule s, startingDeadlineSeconds i, successfulJobsHistoryLimit i, suspend b, timeZone s
JobTemplateSpec = metadata Meta, spec JobSpec
PyTorchJob : Object = spec PyTorchJobSpec, status *
Deployment : Object = spec DeploymentSpec, status *
DeploymentSpec = minReadySeconds i, paused b, progressDeadlineSeconds i, replicas i, revisionHistoryLimit i, selector LabelSelector, strategy DeploymentStrategy, template PodTemplateSpec
DeploymentStrategy = rollingUpdate RollingUpdateDeployment, type s
RollingUpdateDeployment = maxSurge n, maxUnavailable n
ReplicaSet : Object = spec ReplicaSetSpec, status *
ReplicaSetSpec = minReadySeconds i, replicas i, selector LabelSelector, template PodTemplateSpec
PyTorchJobSpec = runPolicy RunPolicy, elasticPolicy *, pytorchReplicaSpecs {Replica}, nprocPerNode n
RunPolicy = cleanPodPolicy s, ttlSecondsAfterFinished i, activeDeadlineSeconds i, backoffLimit i, schedulingPolicy *, suspend b, managedBy s
Replica = replicas i, template PodTemplateSpec, restartPolicy s
AWSElasticBlockStoreVolumeSource = fsType s, partition i, readOnly b, volumeID s
Affinity = nodeAffinity NodeAffinity, podAffinity PodAffinity, podAntiAffinity PodAntiAffinity
AppArmorProfile = localhostProfile s, type s
AzureDiskVolumeSource = cachingMode s, diskName s, diskURI s, fsType s, kind s, readOnly b
AzureFileVolumeSource = readOnly b, secretName s, shareName s
CSIVolumeSource = driver s, fsType s, nodePublishSecretRef LocalObjectReference, readOnly b, volumeAttributes {s}
Capabilities = add [s], drop [s]
CephFSVolumeSource = monitors [s], path s, readOnly b, secretFile s, secretRef LocalObjectReference, user s
CinderVolumeSource = fsType s, readOnly b, secretRef LocalObjectReference, volumeID s
ClusterTrustBundleProjection = labelSelector LabelSelector, name s, optional b, path s, signerName s
ConfigMapEnvSource = name s, optional b
ConfigMapKeySelector = key s, name s, optional b
ConfigMapProjection = items [KeyToPath], name s, optional b
ConfigMapVolumeSource = defaultMode i, items [KeyToPath], name s, optional b
Container = args [s], command [s], env [EnvVar], envFrom [EnvFromSource], image s, imagePullPolicy s, lifecycle Lifecycle, livenessProbe Probe, name s, ports [ContainerPort], readinessProbe Probe, resizePolicy [ContainerResizePolicy], resources ResourceRequirements, restartPolicy s, restartPolicyRules [ContainerRestartRule], securityContext SecurityContext, startupProbe Probe, stdin b, stdinOnce b, terminationMessagePath s, terminationMessagePolicy s, tty b, volumeDevices [VolumeDevice], volumeMounts [VolumeMount], workingDir s
ContainerPort = containerPort i, hostIP s, hostPort i, name s, protocol s
ContainerResizePolicy = resourceName s, restartPolicy s
ContainerRestartRule = action s, exitCodes ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes = operator s, values [i]
DownwardAPIProjection = items [DownwardAPIVolumeFile]
DownwardAPIVolumeFile = fieldRef ObjectFieldSelector, mode i, path s, resourceFieldRef ResourceFieldSelector
DownwardAPIVolumeSource = defaultMode i, items [DownwardAPIVolumeFile]
EmptyDirVolumeSource = medium s, sizeLimit q
EnvFromSource = configMapRef ConfigMapEnvSource, prefix s, secretRef SecretEnvSource
EnvVar = name s, value s, valueFrom EnvVarSource
EnvVarSource = configMapKeyRef ConfigMapKeySelector, fieldRef ObjectFieldSelector, fileKeyRef FileKeySelector, resourceFieldRef ResourceFieldSelector, secretKeyRef SecretKeySelector
EphemeralContainer = args [s], command [s], env [EnvVar], envFrom [EnvFromSource], image s, imagePullPolicy s, lifecycle Lifecycle, livenessProbe Probe, name s, ports [ContainerPort], readinessProbe Probe, resizePolicy [ContainerResizePolicy], resources ResourceRequirements, restartPolicy s, restartPolicyRules [ContainerRestartRule], securityContext SecurityContext, startupProbe Probe, stdin b, stdinOnce b, targetContainerName s, terminationMessagePath s, terminationMessagePolicy s, tty b, volumeDevices [VolumeDevice], volumeMounts [VolumeMount], workingDir s
EphemeralVolumeSource = volumeClaimTemplate PersistentVolumeClaimTemplate
ExecAction = command [s]
FCVolumeSource = fsType s, lun i, readOnly b, targetWWNs [s], wwids [s]
FileKeySelector = key s, optional b, path s, volumeName s
FlexVolumeSource = driver s, fsType s, options {s}, readOnly b, secretRef LocalObjectReference
FlockerVolumeSource = datasetName s, datasetUUID s
GCEPersistentDiskVolumeSource = fsType s, partition i, pdName s, readOnly b
GRPCAction = port i, service s
GitRepoVolumeSource = directory s, repository s, revision s
GlusterfsVolumeSource = endpoints s, path s, readOnly b
HTTPGetAction = host s, httpHeaders [HTTPHeader], path s, port n, scheme s
HTTPHeader = name s, value s
HostAlias = hostnames [s], ip s
HostPathVolumeSource = path s, type s
ISCSIVolumeSource = chapAuthDiscovery b, chapAuthSession b, fsType s, initiatorName s, iqn s, iscsiInterface s, lun i, portals [s], readOnly b, secretRef LocalObjectReference, targetPortal s
ImageVolumeSource = pullPolicy s, reference s
JobSpec = activeDeadlineSeconds i, backoffLimit i, backoffLimitPerIndex i, completionMode s, completions i, managedBy s, manualSelector b, maxFailedIndexes i, parallelism i, podFailurePolicy PodFailurePolicy, podReplacementPolicy s, selector LabelSelector, successPolicy SuccessPolicy, suspend b, template PodTemplateSpec, ttlSecondsAfterFinished i
KeyToPath = key s, mode i, path s
LabelSelector = matchExpressions [LabelSelectorRequirement], matchLabels {s}
LabelSelectorRequirement = key s, operator s, values [s]
Lifecycle = postStart LifecycleHandler, preStop LifecycleHandler, stopSignal s
LifecycleHandler = exec ExecAction, httpGet HTTPGetAction, sleep SleepAction, tcpSocket TCPSocketAction
LocalObjectReference = name s
NFSVolumeSource = path s, readOnly b, server s
NodeAffinity = preferredDuringSchedulingIgnoredDuringExecution [PreferredSchedulingTerm], requiredDuringSchedulingIgnoredDuringExecution NodeSelector
NodeSelector = nodeSelectorTerms [NodeSelectorTerm]
NodeSelectorRequirement = key s, operator s, values [s]
NodeSelectorTerm = matchExpressions [NodeSelectorRequirement], matchFields [NodeSelectorRequirement]
ObjectFieldSelector = apiVersion s, fieldPath s
PersistentVolumeClaimSpec = accessModes [s], dataSource TypedLocalObjectReference, dataSourceRef TypedObjectReference, resources VolumeResourceRequirements, selector LabelSelector, storageClassName s, volumeAttributesClassName s, volumeMode s, volumeName s
PersistentVolumeClaimTemplate = metadata Meta, spec PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource = claimName s, readOnly b
PhotonPersistentDiskVolumeSource = fsType s, pdID s
PodAffinity = preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm], requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm]
PodAffinityTerm = labelSelector LabelSelector, matchLabelKeys [s], mismatchLabelKeys [s], namespaceSelector LabelSelector, namespaces [s], topologyKey s
PodAntiAffinity = preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm], requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm]
PodCertificateProjection = certificateChainPath s, credentialBundlePath s, keyPath s, keyType s, maxExpirationSeconds i, signerName s
PodDNSConfig = nameservers [s], options [PodDNSConfigOption], searches [s]
PodDNSConfigOption = name s, value s
PodFailurePolicy = rules [PodFailurePolicyRule]
PodFailurePolicyOnExitCodesRequirement = containerName s, operator s, values [i]
PodFailurePolicyOnPodConditionsPattern = status s, type s
PodFailurePolicyRule = action s, onExitCodes PodFailurePolicyOnExitCodesRequirement, onPodConditions [PodFailurePolicyOnPodConditionsPattern]
PodOS = name s
PodReadinessGate = conditionType s
PodResourceClaim = name s, resourceClaimName s, resourceClaimTemplateName s
PodSchedulingGate = name s
PodSecurityContext = appArmorProfile AppArmorProfile, fsGroup i, fsGroupChangePolicy s, runAsGroup i, runAsNonRoot b, runAsUser i, seLinuxChangePolicy s, seLinuxOptions SELinuxOptions, seccompProfile SeccompProfile, supplementalGroups [i], supplementalGroupsPolicy s, sysctls [Sysctl], windowsOptions WindowsSecurityContextOptions
PodSpec = activeDeadlineSeconds i, affinity Affinity, automountServiceAccountToken b, containers [Container], dnsConfig PodDNSConfig, dnsPolicy s, enableServiceLinks b, ephemeralContainers [EphemeralContainer], hostAliases [HostAlias], hostIPC b, hostNetwork b, hostPID b, hostUsers b, hostname s, hostnameOverride s, imagePullSecrets [LocalObjectReference], initContainers [Container], nodeName s, nodeSelector {s}, os PodOS, overhead {q}, preemptionPolicy s, priority i, priorityClassName s, readinessGates [PodReadinessGate], resourceClaims [PodResourceClaim], resources ResourceRequirements, restartPolicy s, runtimeClassName s, schedulerName s, schedulingGates [PodSchedulingGate], securityContext PodSecurityContext, serviceAccount s, serviceAccountName s, setHostnameAsFQDN b, shareProcessNamespace b, subdomain s, terminationGracePeriodSeconds i, tolerations [Toleration], topologySpreadConstraints [TopologySpreadConstraint], volumes [Volume]
PodTemplateSpec = metadata Meta, spec PodSpec
PortworxVolumeSource = fsType s, readOnly b, volumeID s
PreferredSchedulingTerm = preference NodeSelectorTerm, weight i
Probe = exec ExecAction, failureThreshold i, grpc GRPCAction, httpGet HTTPGetAction, initialDelaySeconds i, periodSeconds i, successThreshold i, tcpSocket TCPSocketAction, terminationGracePeriodSeconds i, timeoutSeconds i
ProjectedVolumeSource = defaultMode i, sources [VolumeProjection]
QuobyteVolumeSource = group s, readOnly b, registry s, tenant s, user s, volume s
RBDVolumeSource = fsType s, image s, keyring s, monitors [s], pool s, readOnly b, secretRef LocalObjectReference, user s
ResourceClaim = name s, request s
ResourceFieldSelector = containerName s, divisor q, resource s
ResourceRequirements = claims [ResourceClaim], limits {q}, requests {q}
SELinuxOptions = level s, role s, type s, user s
ScaleIOVolumeSource = fsType s, gateway s, protectionDomain s, readOnly b, secretRef LocalObjectReference, sslEnabled b, storageMode s, storagePool s, system s, volumeName s
SeccompProfile = localhostProfile s, type s
SecretEnvSource = name s, optional b
SecretKeySelector = key s, name s, optional b
SecretProjection = items [KeyToPath], name s, optional b
SecretVolumeSource = defaultMode i, items [KeyToPath], optional b, secretName s
SecurityContext = allowPrivilegeEscalation b, appArmorProfile AppArmorProfile, capabilities Capabilities, privileged b, procMount s, readOnlyRootFilesystem b, runAsGroup i, runAsNonRoot b, runAsUser i, seLinuxOptions SELinuxOptions, seccompProfile SeccompProfile, windowsOptions WindowsSecurityContextOptions
ServiceAccountTokenProjection = audience s, expirationSeconds i, path s
SleepAction = seconds i
StorageOSVolumeSource = fsType s, readOnly b, secretRef LocalObjectReference, volumeName s, volumeNamespace s
SuccessPolicy = rules [SuccessPolicyRule]
SuccessPolicyRule = succeededCount i, succeededIndexes s
Sysctl = name s, value s
TCPSocketAction = host s, port n
Toleration = effect s, key s, operator s, tolerationSeconds i, value s
TopologySpreadConstraint = labelSelector LabelSelector, matchLabelKeys [s], maxSkew i, minDomains i, nodeAffinityPolicy s, nodeTaintsPolicy s, topologyKey s, whenUnsatisfiable s
TypedLocalObjectReference = apiGroup s, kind s, name s
TypedObjectReference = apiGroup s, kind s, name s, namespace s
Volume = awsElasticBlockStore AWSElasticBlockStoreVolumeSource, azureDisk AzureDiskVolumeSource, azureFile AzureFileVolumeSource, cephfs CephFSVolumeSource, cinder CinderVolumeSource, configMap ConfigMapVolumeSource, csi CSIVolumeSource, downwardAPI DownwardAPIVolumeSource, emptyDir EmptyDirVolumeSource, ephemeral EphemeralVolumeSource, fc FCVolumeSource, flexVolume FlexVolumeSource, flocker FlockerVolumeSource, gcePersistentDisk GCEPersistentDiskVolumeSource, gitRepo GitRepoVolumeSource, glusterfs GlusterfsVolumeSource, hostPath HostPathVolumeSource, image ImageVolumeSource, iscsi ISCSIVolumeSource, name s, nfs NFSVolumeSource, persistentVolumeClaim PersistentVolumeClaimVolumeSource, photonPersistentDisk PhotonPersistentDiskVolumeSource, portworxVolume PortworxVolumeSource, projected ProjectedVolumeSource, quobyte QuobyteVolumeSource, rbd RBDVolumeSource, scaleIO ScaleIOVolumeSource, secret SecretVolumeSource, storageos StorageOSVolumeSource, vsphereVolume VsphereVirtualDiskVolumeSource
VolumeDevice = devicePath s, name s
VolumeMount = mountPath s, mountPropagation s, name s, readOnly b, recursiveReadOnly s, subPath s, subPathExpr s
VolumeProjection = clusterTrustBundle ClusterTrustBundleProjection, configMap ConfigMapProjection, downwardAPI DownwardAPIProjection, podCertificate PodCertificateProjection, secret SecretProjection, serviceAccountToken ServiceAccountTokenProjection
VolumeResourceRequirements = limits {q}, requests {q}
VsphereVirtualDiskVolumeSource = fsType s, storagePolicyID s, storagePolicyName s, volumePath s
WeightedPodAffinityTerm = podAffinityTerm PodAffinityTerm, weight i
WindowsSecurityContextOptions = gmsaCredentialSpec s, gmsaCredentialSpecName s, hostProcess b, runAsUserName s
Kubeconfig = apiVersion s, kind s, preferences *, clusters [NamedCluster], users [NamedUser], contexts [NamedContext], current-context s, extensions [NamedExtension]
NamedCluster = name s, cluster ClusterEntry
ClusterEntry = server s, tls-server-name s, insecure-skip-tls-verify b, certificate-authority s, certificate-authority-data s, proxy-url s, disable-compression b, extensions [NamedExtension]
NamedContext = name s, context ContextEntry
ContextEntry = cluster s, user s, namespace s, extensions [NamedExtension]
NamedExtension = name s, extension *
NamedUser = name s, user UserEntry
UserEntry = client-certificate s, client-certificate-data s, client-key s, client-key-data s, token s, tokenFile s, as s, as-uid s, as-groups [s], as-user-extra {[s]}, username s, password s, auth-provider AuthProvider, exec ExecPlugin, extensions [NamedExtension]
AuthProvider = name s, config {s}
ExecPlugin = apiVersion s, command s, args [s], env [ExecVariable], installHint s, provideClusterInfo b, interactiveMode s
ExecVariable = name s, value s
ExecCredential = apiVersion s, kind s, spec *, status ExecCredentialStatus
ExecCredentialStatus = expirationTimestamp s, token s, clientCertificateData s, clientKeyData s
Kuberc = apiVersion s, kind s, credentialPluginPolicy s, credentialPluginAllowlist [AllowlistEntry]
AllowlistEntry = name s, command s
)";

using Fields = std::map<std::string, std::string, std::less<>>;

/// Types by name. In "Job : Object = spec JobSpec, …", Job has the fields after "=" and those of Object.
std::map<std::string, Fields, std::less<>> parse_types() {
  std::map<std::string, Fields, std::less<>> types;
  for (const std::string& line : split(kTypes, '\n')) {
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    std::string name = line.substr(0, equals);
    Fields fields;
    if (const size_t colon = name.find(" : "); colon != std::string::npos) {
      fields = types.at(name.substr(colon + 3));
      name.resize(colon);
    }
    for (const std::string& field : split(line.substr(equals + 3), ',')) {
      const std::string_view text = trim(field);
      const size_t space = text.find(' ');
      fields.emplace(text.substr(0, space), text.substr(space + 1));
    }
    types.emplace(std::move(name), std::move(fields));
  }
  return types;
}

const Fields* fields_of(std::string_view type) {
  static const auto types = parse_types();
  auto found = types.find(type);
  return found == types.end() ? nullptr : &found->second;
}

struct UnknownField {
  std::string path, name;
  const Fields& known;             ///< fields of the type that contains it
  std::vector<std::string> steps;  ///< as in FieldFault
};

std::string shown(const Json& value) {
  constexpr size_t kMost = 60;
  std::string text = compact_text(value);
  if (text.size() > kMost) text = text.substr(0, kMost) + "…";
  return text;
}

/// The problem in the words of a person who wrote the manifest. `wanted` is as in Checker::refuse().
std::string type_problem(const Json& value, std::string_view wanted) {
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  if (wanted == "a string" && value.is_primitive())
    return fmt::format("this must be a string: write \"{}\"", value.dump());
  if (wanted == "an integer" && kml::whole_number(text))
    return fmt::format("this must be a whole number: write {} without quotes", text);
  const std::string meant = wanted == "a quantity" ? quantity_meant(text) : "";
  const std::string_view words = wanted == "an integer"                       ? "a whole number"
                                 : wanted == "a map" || wanted == "an object" ? "a mapping"
                                 : wanted == "a quantity" ? "a quantity, such as 500m or 64Gi"
                                                          : wanted;
  return fmt::format("this must be {}, not {}{}", words, shown(value),
                     meant.empty() ? "" : "; did you mean " + meant + "?");
}

/// The same without the value.
std::string secretive_problem(const Json& value, std::string_view wanted) {
  if (wanted == "a string" && value.is_primitive()) return "this must be a string: put it in quotes";
  const std::string_view words = wanted == "a map" || wanted == "an object" ? "a mapping" : wanted;
  const std::string_view kind = value.is_array()    ? "a list"
                                : value.is_object() ? "a mapping"
                                : value.is_string() ? "a string"
                                                    : "a single value";
  return fmt::format("this must be {}, not {}", words, kind);
}

struct Checker {
  const ResourceKind* kind;         ///< null for a type that no server stores
  std::vector<FieldFault>* faults;  ///< for wrong values; if null, the first one throws
  std::vector<UnknownField> unknown = {};
  std::vector<std::string> steps = {};

  void refuse(const std::string& path, const Json& value, std::string_view wanted) const {
    if (!kind) return faults->push_back({steps, path, secretive_problem(value, wanted), false});
    if (faults) return faults->push_back({steps, path, type_problem(value, wanted), false});
    throw Error(ErrorCode::usage,
                fmt::format("{} in version \"{}\" cannot be handled as a {}: {} must be {}, not {}",
                            kind->kind, kind->version, kind->kind, path, wanted, shown(value)));
  }

  static bool is_quantity(const Json& value) {
    return value.is_number() || (value.is_string() && quantity_milli(value.get_ref<const std::string&>()));
  }

  void check_scalar(const std::string& path, const Json& value, char type) const {
    if (type == 's' && !value.is_string()) refuse(path, value, "a string");
    if (type == 'i' && !value.is_number_integer()) refuse(path, value, "an integer");
    if (type == 'b' && !value.is_boolean()) refuse(path, value, "true or false");
    if (type == 'q' && !is_quantity(value)) refuse(path, value, "a quantity");
    if (type == 'y' && (!value.is_string() || !base64_decoded(value.get_ref<const std::string&>())))
      refuse(path, value, "base64");
    if (type == 'n' && !value.is_string() && !value.is_number_integer())
      refuse(path, value, "an integer or a string");
  }

  void check_item(const std::string& step, const std::string& path, const Json& value,
                  std::string_view type) {
    steps.push_back(step);
    check(path, value, type);
    steps.pop_back();
  }

  void check(const std::string& path, const Json& value, std::string_view type) {
    if (value.is_null() || type == "*") return;
    const std::string_view inner = type.substr(1, type.size() - 2);
    if (type.size() == 1) {
      check_scalar(path, value, type[0]);
    } else if (type.front() == '[') {
      if (!value.is_array()) return refuse(path, value, "a list");
      for (size_t i = 0; i < value.size(); ++i)
        check_item(std::to_string(i), fmt::format("{}[{}]", path, i), value[i], inner);
    } else if (type.front() == '{') {
      if (!value.is_object()) return refuse(path, value, "a map");
      for (const auto& [key, item] : value.items())
        check_item(key, fmt::format("{}[{}]", path, key), item, inner);
    } else {
      check_fields(path, value, type);
    }
  }

  /// Finds values and resources that Kubernetes does not know. A server finds these later, when it validates
  /// the object.
  void check_values(const std::string& path, const Json& value, std::string_view type,
                    const std::string& field) {
    if (value.is_object())
      for (const auto& [name, amount] : value.items()) {
        std::vector<std::string> place = steps;
        place.push_back(name);
        if (std::string text = resource_problem(type, field, name); !text.empty())
          faults->push_back({std::move(place), path, std::move(text), true});
      }
    const std::vector<std::string>* known = values_of_field(type, field);
    if (!known || value.is_object()) return;
    const auto check_text = [&](const Json& text, std::vector<std::string> place) {
      const std::string word = text.is_string() ? text.get<std::string>() : "";
      if (word.empty() || std::find(known->begin(), known->end(), word) != known->end()) return;
      const auto meant = nearest(word, *known);
      faults->push_back({std::move(place), path,
                         fmt::format("\"{}\" is not one of its values{}", word,
                                     meant ? "; did you mean " + *meant + "?" : ": " + join(*known, ", ")),
                         false});
    };
    if (!value.is_array()) return check_text(value, steps);
    for (size_t i = 0; i < value.size(); ++i) {
      std::vector<std::string> place = steps;
      place.push_back(std::to_string(i));
      check_text(value[i], std::move(place));
    }
  }

  void check_fields(const std::string& path, const Json& value, std::string_view type) {
    const Fields& fields = *fields_of(type);
    if (!value.is_object()) return refuse(path.empty() ? "the object" : path, value, "an object");
    for (const auto& [key, item] : value.items()) {
      const std::string item_path = path.empty() ? key : path + "." + key;
      steps.push_back(key);
      if (auto field = fields.find(key); field == fields.end()) {
        unknown.push_back({item_path, key, fields, steps});
      } else {
        check(item_path, item, field->second);
        if (faults && kind) check_values(item_path, item, type, key);
      }
      steps.pop_back();
    }
  }
};

void prune(Json& value, std::string_view type, bool drop_empty) {
  const std::string_view inner = type.substr(1, type.size() - 2);
  if (type.size() == 1) return;
  if (type.front() == '[' || type.front() == '{') {
    for (Json& item : value) prune(item, inner, drop_empty);
    return;
  }
  const Fields& fields = *fields_of(type);
  for (auto it = value.begin(); it != value.end();) {
    auto field = fields.find(it.key());
    const bool is_collection = field != fields.end() && (field->second[0] == '[' || field->second[0] == '{');
    if (field == fields.end() || (drop_empty && is_collection && it->empty())) {
      it = value.erase(it);
    } else {
      prune(*it, field->second, drop_empty);
      ++it;
    }
  }
}

}  // namespace

const std::string* type_of_field(std::string_view type, std::string_view field) {
  const Fields* fields = fields_of(type);
  if (!fields) return nullptr;
  auto found = fields->find(field);
  return found == fields->end() ? nullptr : &found->second;
}

void prune_fields(const ResourceKind& kind, Json& object) {
  if (has_field_types(kind)) prune(object, kind.kind, kind.kind != "PyTorchJob");
}

std::vector<std::string> check_field_types(const ResourceKind& kind, const Json& object) {
  std::vector<std::string> paths;
  if (!has_field_types(kind)) return paths;
  Checker checker{&kind, nullptr};
  checker.check_fields("", object, kind.kind);
  for (const UnknownField& field : checker.unknown) paths.push_back(field.path);
  return paths;
}

std::vector<FieldFault> type_faults(std::string_view type, const Json& object) {
  std::vector<FieldFault> faults;
  Checker checker{nullptr, &faults};
  checker.check_fields("", object, type);
  return faults;
}

bool has_field_types(const ResourceKind& kind) {
  return fields_of(kind.kind) != nullptr;
}

std::vector<FieldFault> field_faults(const ResourceKind& kind, const Json& object) {
  std::vector<FieldFault> faults;
  if (!has_field_types(kind)) return faults;
  Checker checker{&kind, &faults};
  checker.check_fields("", object, kind.kind);
  for (UnknownField& field : checker.unknown) {
    std::vector<std::string> names;
    for (const auto& [name, type] : field.known) names.push_back(name);
    if (const auto meant = nearest(field.name, names))
      faults.push_back(
          {std::move(field.steps), field.path, "no such field; did you mean " + *meant + "?", true});
  }
  return faults;
}

}  // namespace kml::api
