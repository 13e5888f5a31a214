#include "local/admission/field_types.h"

#include <fmt/format.h>

#include <map>

#include "kml/api/quantity.h"
#include "kml/core/text.h"
#include "local/api/api_error.h"

namespace kml::local {

namespace {

// The fields of the kinds that are kept here, from k8s.io/api v1.31 and the training operator's v1.
// s string, y base64, i integer, b truth, q quantity, n integer or string, * anything, [T] list, {T} map;
// others are names of types. What this server ignores is "*".
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
Service : Object = spec *, status *
ServiceAccount : Object = secrets *, imagePullSecrets *, automountServiceAccountToken b
PriorityClass : Object = value i, globalDefault b, description s, preemptionPolicy s
PersistentVolumeClaim : Object = spec ClaimSpec, status *
ClaimSpec = accessModes [s], selector Selector, resources Resources, volumeName s, storageClassName s, volumeMode s, dataSource *, dataSourceRef *, volumeAttributesClassName s
Selector = matchLabels {s}, matchExpressions [Expression]
Expression = key s, operator s, values [s]
Resources = limits {q}, requests {q}, claims *
ResourceQuota : Object = spec QuotaSpec, status *
QuotaSpec = hard {q}, scopes [s], scopeSelector ScopeSelector
ScopeSelector = matchExpressions [ScopeExpression]
ScopeExpression = scopeName s, operator s, values [s]
Pod : Object = spec PodSpec, status *
PodTemplate = metadata Meta, spec PodSpec
PodSpec = volumes [Volume], initContainers [Container], containers [Container], ephemeralContainers *, restartPolicy s, terminationGracePeriodSeconds i, activeDeadlineSeconds i, dnsPolicy s, nodeSelector {s}, serviceAccountName s, serviceAccount s, automountServiceAccountToken b, nodeName s, hostNetwork b, hostPID b, hostIPC b, hostUsers b, shareProcessNamespace b, securityContext *, imagePullSecrets [NameOnly], hostname s, subdomain s, affinity *, schedulerName s, tolerations [Toleration], hostAliases *, priorityClassName s, priority i, preemptionPolicy s, dnsConfig *, readinessGates *, runtimeClassName s, enableServiceLinks b, overhead {q}, topologySpreadConstraints *, setHostnameAsFQDN b, os *, schedulingGates [NameOnly], resourceClaims *, resources Resources
NameOnly = name s
Toleration = key s, operator s, value s, effect s, tolerationSeconds i
Container = name s, image s, command [s], args [s], workingDir s, ports [Port], envFrom [EnvFrom], env [Env], resources Resources, resizePolicy *, restartPolicy s, volumeMounts [Mount], volumeDevices *, livenessProbe *, readinessProbe *, startupProbe *, lifecycle *, terminationMessagePath s, terminationMessagePolicy s, imagePullPolicy s, securityContext *, stdin b, stdinOnce b, tty b
Port = name s, hostPort i, containerPort i, protocol s, hostIP s
EnvFrom = prefix s, configMapRef Reference, secretRef Reference
Reference = name s, optional b
Env = name s, value s, valueFrom EnvSource
EnvSource = fieldRef FieldReference, resourceFieldRef ResourceReference, configMapKeyRef KeyReference, secretKeyRef KeyReference
FieldReference = apiVersion s, fieldPath s
ResourceReference = containerName s, resource s, divisor q
KeyReference = name s, key s, optional b
Mount = name s, readOnly b, recursiveReadOnly s, mountPath s, subPath s, mountPropagation s, subPathExpr s
Volume = name s, hostPath HostPath, emptyDir EmptyDir, secret SecretVolume, configMap ConfigMapVolume, persistentVolumeClaim ClaimVolume, downwardAPI *, projected *, nfs *, csi *, ephemeral *, image *, awsElasticBlockStore *, azureDisk *, azureFile *, cephfs *, cinder *, fc *, flexVolume *, flocker *, gcePersistentDisk *, gitRepo *, glusterfs *, iscsi *, photonPersistentDisk *, portworxVolume *, quobyte *, rbd *, scaleIO *, storageos *, vsphereVolume *
HostPath = path s, type s
EmptyDir = medium s, sizeLimit q
SecretVolume = secretName s, items [KeyToPath], defaultMode i, optional b
ConfigMapVolume = name s, items [KeyToPath], defaultMode i, optional b
KeyToPath = key s, path s, mode i
ClaimVolume = claimName s, readOnly b
Job : Object = spec JobSpec, status *
JobSpec = parallelism i, completions i, activeDeadlineSeconds i, podFailurePolicy FailurePolicy, successPolicy *, backoffLimit i, backoffLimitPerIndex i, maxFailedIndexes i, selector Selector, manualSelector b, template PodTemplate, ttlSecondsAfterFinished i, completionMode s, suspend b, podReplacementPolicy s, managedBy s
FailurePolicy = rules [FailureRule]
FailureRule = action s, onExitCodes ExitCodes, onPodConditions [PodCondition]
ExitCodes = containerName s, operator s, values [i]
PodCondition = type s, status s
PyTorchJob : Object = spec PyTorchJobSpec, status *
PyTorchJobSpec = runPolicy RunPolicy, elasticPolicy *, pytorchReplicaSpecs {Replica}, nprocPerNode n
RunPolicy = cleanPodPolicy s, ttlSecondsAfterFinished i, activeDeadlineSeconds i, backoffLimit i, schedulingPolicy *, suspend b, managedBy s
Replica = replicas i, template PodTemplate, restartPolicy s
)";

using Fields = std::map<std::string, std::string, std::less<>>;

/// "Job : Object = spec JobSpec, …" by name, with the fields of the type after the colon.
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

struct Checker {
  const api::ResourceKind& kind;
  std::vector<std::string> unknown;

  [[noreturn]] void refuse(const std::string& path, const Json& value, std::string_view wanted) const {
    std::string shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (shown.size() > 60) shown = shown.substr(0, 60) + "…";
    throw bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {} must be {}, not {}",
                                  kind.kind, kind.version, kind.kind, path, wanted, shown));
  }

  static bool is_quantity(const Json& value) {
    return value.is_number() ||
           (value.is_string() && api::quantity_milli(value.get_ref<const std::string&>()));
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

  void check(const std::string& path, const Json& value, std::string_view type) {
    if (value.is_null() || type == "*") return;
    if (type.size() == 1) {
      check_scalar(path, value, type[0]);
    } else if (type.front() == '[') {
      if (!value.is_array()) refuse(path, value, "a list");
      for (size_t i = 0; i < value.size(); ++i)
        check(fmt::format("{}[{}]", path, i), value[i], type.substr(1, type.size() - 2));
    } else if (type.front() == '{') {
      if (!value.is_object()) refuse(path, value, "a map");
      for (const auto& [key, item] : value.items())
        check(fmt::format("{}[{}]", path, key), item, type.substr(1, type.size() - 2));
    } else {
      check_fields(path, value, *fields_of(type));
    }
  }

  void check_fields(const std::string& path, const Json& value, const Fields& fields) {
    if (!value.is_object()) refuse(path.empty() ? "the object" : path, value, "an object");
    for (const auto& [key, item] : value.items()) {
      const std::string item_path = path.empty() ? key : path + "." + key;
      auto field = fields.find(key);
      if (field == fields.end())
        unknown.push_back(item_path);
      else
        check(item_path, item, field->second);
    }
  }
};

}  // namespace

namespace {

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

void prune_fields(const api::ResourceKind& kind, Json& object) {
  if (fields_of(kind.kind)) prune(object, kind.kind, kind.kind != "PyTorchJob");
}

std::vector<std::string> check_field_types(const api::ResourceKind& kind, const Json& object) {
  Checker checker{kind, {}};
  if (const Fields* fields = fields_of(kind.kind)) checker.check_fields("", object, *fields);
  return std::move(checker.unknown);
}

}  // namespace kml::local
