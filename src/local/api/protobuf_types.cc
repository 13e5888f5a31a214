#include "local/api/protobuf_types.h"

namespace kml::local {

namespace {

// From the struct tags in types.go of k8s.io/api v0.37 and k8s.io/apimachinery, by
// tests/recorded/kubernetes/tables.py.
constexpr std::string_view kProtobufTypes = R"(
Meta = 1 name s, 2 generateName s, 3 namespace s, 4 selfLink -, 5 uid s, 6 resourceVersion s, 7 generation -, 8 creationTimestamp -, 11 labels {s}, 12 annotations {s}, 13 ownerReferences [Owner], 14 finalizers [s], 17 managedFields -
Owner = 1 kind s, 3 name s, 4 uid s, 5 apiVersion s, 6 controller b, 7 blockOwnerDeletion b
ConfigMap = 1 metadata Meta, 2 data {s}, 3 binaryData {y}, 4 immutable b
Secret = 1 metadata Meta, 2 data {y}, 3 type s, 4 stringData {s}, 5 immutable b
Namespace = 1 metadata Meta, 2 spec -, 3 status -
ServiceAccount = 1 metadata Meta, 4 automountServiceAccountToken b
ResourceQuota = 1 metadata Meta, 2 spec QuotaSpec, 3 status -
QuotaSpec = 1 hard {q}, 2 scopes [s], 3 scopeSelector ScopeSelector
ScopeSelector = 1 matchExpressions [ScopeExpression]
ScopeExpression = 1 scopeName s, 2 operator s, 3 values [s]
PriorityClass = 1 metadata Meta, 2 value i, 3 globalDefault f, 4 description s, 5 preemptionPolicy s
SelfSubjectReview = 1 metadata Meta, 2 status -
SelfSubjectAccessReview = 1 metadata Meta, 2 spec AccessSpec, 3 status -
AccessSpec = 1 resourceAttributes ResourceAttributes, 2 nonResourceAttributes PathAttributes
ResourceAttributes = 1 namespace s, 2 verb s, 3 group s, 4 version s, 5 resource s, 6 subresource s, 7 name s
PathAttributes = 1 path s, 2 verb s
SelfSubjectRulesReview = 1 metadata Meta, 2 spec RulesSpec, 3 status -
RulesSpec = 1 namespace s
DeleteOptions = 1 gracePeriodSeconds i, 2 preconditions Preconditions, 3 orphanDependents b, 4 propagationPolicy s, 5 dryRun [s]
Preconditions = 1 uid s, 2 resourceVersion s
IntOrString = 1 type i, 2 intVal i, 3 strVal s
AWSElasticBlockStoreVolumeSource = 1 volumeID s, 2 fsType s, 3 partition z, 4 readOnly f
Affinity = 1 nodeAffinity NodeAffinity, 2 podAffinity PodAffinity, 3 podAntiAffinity PodAntiAffinity
AppArmorProfile = 1 type s, 2 localhostProfile s
AzureDiskVolumeSource = 1 diskName s, 2 diskURI s, 3 cachingMode s, 4 fsType s, 5 readOnly b, 6 kind s
AzureFileVolumeSource = 1 secretName s, 2 shareName s, 3 readOnly f
CSIVolumeSource = 1 driver s, 2 readOnly b, 3 fsType s, 4 volumeAttributes {s}, 5 nodePublishSecretRef LocalObjectReference
Capabilities = 1 add [s], 2 drop [s]
CephFSVolumeSource = 1 monitors [s], 2 path s, 3 user s, 4 secretFile s, 5 secretRef LocalObjectReference, 6 readOnly f
CinderVolumeSource = 1 volumeID s, 2 fsType s, 3 readOnly f, 4 secretRef LocalObjectReference
ClusterTrustBundleProjection = 1 name s, 2 signerName s, 3 labelSelector LabelSelector, 5 optional b, 4 path s, 6 user i
ConfigMapEnvSource = 1 ^ LocalObjectReference, 2 optional b
ConfigMapKeySelector = 1 ^ LocalObjectReference, 2 key s, 3 optional b
ConfigMapProjection = 1 ^ LocalObjectReference, 2 items [KeyToPath], 4 optional b
ConfigMapVolumeSource = 1 ^ LocalObjectReference, 2 items [KeyToPath], 3 defaultMode i, 4 optional b, 5 defaultUser i
Container = 1 name s, 2 image s, 3 command [s], 4 args [s], 5 workingDir s, 6 ports [ContainerPort], 19 envFrom [EnvFromSource], 7 env [EnvVar], 8 resources ResourceRequirements, 23 resizePolicy [ContainerResizePolicy], 24 restartPolicy s, 25 restartPolicyRules [ContainerRestartRule], 9 volumeMounts [VolumeMount], 21 volumeDevices [VolumeDevice], 10 livenessProbe Probe, 11 readinessProbe Probe, 22 startupProbe Probe, 12 lifecycle Lifecycle, 13 terminationMessagePath s, 20 terminationMessagePolicy s, 14 imagePullPolicy s, 15 securityContext SecurityContext, 16 stdin f, 17 stdinOnce f, 18 tty f
ContainerPort = 1 name s, 2 hostPort z, 3 containerPort z, 4 protocol s, 5 hostIP s
ContainerResizePolicy = 1 resourceName s, 2 restartPolicy s
ContainerRestartRule = 1 action s, 2 exitCodes ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes = 1 operator s, 2 values [i]
CronJob = 1 metadata Meta, 2 spec CronJobSpec, 3 status -
CronJobSpec = 1 schedule s, 8 timeZone s, 2 startingDeadlineSeconds i, 3 concurrencyPolicy s, 4 suspend b, 5 jobTemplate JobTemplateSpec, 6 successfulJobsHistoryLimit i, 7 failedJobsHistoryLimit i
DownwardAPIProjection = 1 items [DownwardAPIVolumeFile]
DownwardAPIVolumeFile = 1 path s, 2 fieldRef ObjectFieldSelector, 3 resourceFieldRef ResourceFieldSelector, 4 mode i, 5 user i
DownwardAPIVolumeSource = 1 items [DownwardAPIVolumeFile], 2 defaultMode i, 3 defaultUser i
EmptyDirVolumeSource = 1 medium s, 2 sizeLimit q, 3 mode i
EnvFromSource = 1 prefix s, 2 configMapRef ConfigMapEnvSource, 3 secretRef SecretEnvSource
EnvVar = 1 name s, 2 value s, 3 valueFrom EnvVarSource
EnvVarSource = 1 fieldRef ObjectFieldSelector, 2 resourceFieldRef ResourceFieldSelector, 3 configMapKeyRef ConfigMapKeySelector, 4 secretKeyRef SecretKeySelector, 5 fileKeyRef FileKeySelector
EphemeralContainer = 1 ^ EphemeralContainerCommon, 2 targetContainerName s
EphemeralContainerCommon = 1 name s, 2 image s, 3 command [s], 4 args [s], 5 workingDir s, 6 ports [ContainerPort], 19 envFrom [EnvFromSource], 7 env [EnvVar], 8 resources ResourceRequirements, 23 resizePolicy [ContainerResizePolicy], 24 restartPolicy s, 25 restartPolicyRules [ContainerRestartRule], 9 volumeMounts [VolumeMount], 21 volumeDevices [VolumeDevice], 10 livenessProbe Probe, 11 readinessProbe Probe, 22 startupProbe Probe, 12 lifecycle Lifecycle, 13 terminationMessagePath s, 20 terminationMessagePolicy s, 14 imagePullPolicy s, 15 securityContext SecurityContext, 16 stdin f, 17 stdinOnce f, 18 tty f
EphemeralVolumeSource = 1 volumeClaimTemplate PersistentVolumeClaimTemplate
EvictionResponder = 1 name s, 2 priority i
ExecAction = 1 command [s]
FCVolumeSource = 1 targetWWNs [s], 2 lun i, 3 fsType s, 4 readOnly f, 5 wwids [s]
FileKeySelector = 1 volumeName s, 2 path s, 3 key s, 4 optional b
FlexVolumeSource = 1 driver s, 2 fsType s, 3 secretRef LocalObjectReference, 4 readOnly f, 5 options {s}
FlockerVolumeSource = 1 datasetName s, 2 datasetUUID s
GCEPersistentDiskVolumeSource = 1 pdName s, 2 fsType s, 3 partition z, 4 readOnly f
GRPCAction = 1 port z, 2 service s, 3 mode s
GitRepoVolumeSource = 1 repository s, 2 revision s, 3 directory s
GlusterfsVolumeSource = 1 endpoints s, 2 path s, 3 readOnly f
HTTPGetAction = 1 path s, 2 port n, 3 host s, 4 scheme s, 5 httpHeaders [HTTPHeader], 6 protocol s
HTTPHeader = 1 name s, 2 value s
HostAlias = 1 ip s, 2 hostnames [s]
HostPathVolumeSource = 1 path s, 2 type s
ISCSIVolumeSource = 1 targetPortal s, 2 iqn s, 3 lun z, 4 iscsiInterface s, 5 fsType s, 6 readOnly f, 7 portals [s], 8 chapAuthDiscovery f, 11 chapAuthSession f, 10 secretRef LocalObjectReference, 12 initiatorName s
ImageVolumeSource = 1 reference s, 2 pullPolicy s
Job = 1 metadata Meta, 2 spec JobSpec, 3 status -
JobSchedulingConfiguration = 1 schedulingPolicy WorkloadPodGroupSchedulingPolicy, 2 schedulingConstraints WorkloadPodGroupSchedulingConstraints, 3 disruptionMode WorkloadPodGroupDisruptionMode, 4 resourceClaims [WorkloadPodGroupResourceClaim]
JobSpec = 1 parallelism i, 2 completions i, 3 activeDeadlineSeconds i, 11 podFailurePolicy PodFailurePolicy, 16 successPolicy SuccessPolicy, 7 backoffLimit i, 12 backoffLimitPerIndex i, 13 maxFailedIndexes i, 4 selector LabelSelector, 5 manualSelector b, 6 template PodTemplateSpec, 8 ttlSecondsAfterFinished i, 9 completionMode s, 10 suspend b, 14 podReplacementPolicy s, 15 managedBy s, 17 scheduling JobSchedulingConfiguration
JobTemplateSpec = 1 metadata Meta, 2 spec JobSpec
KeyToPath = 1 key s, 2 path s, 3 mode i, 4 user i
LabelSelector = 1 matchLabels {s}, 2 matchExpressions [LabelSelectorRequirement]
LabelSelectorRequirement = 1 key s, 2 operator s, 3 values [s]
Lifecycle = 1 postStart LifecycleHandler, 2 preStop LifecycleHandler, 3 stopSignal s
LifecycleHandler = 1 exec ExecAction, 2 httpGet HTTPGetAction, 3 tcpSocket TCPSocketAction, 4 sleep SleepAction
LocalObjectReference = 1 name s
NFSVolumeSource = 1 server s, 2 path s, 3 readOnly f
NodeAffinity = 1 requiredDuringSchedulingIgnoredDuringExecution NodeSelector, 2 preferredDuringSchedulingIgnoredDuringExecution [PreferredSchedulingTerm]
NodeSelector = 1 nodeSelectorTerms [NodeSelectorTerm]
NodeSelectorRequirement = 1 key s, 2 operator s, 3 values [s]
NodeSelectorTerm = 1 matchExpressions [NodeSelectorRequirement], 2 matchFields [NodeSelectorRequirement]
ObjectFieldSelector = 1 apiVersion s, 2 fieldPath s
PersistentVolumeClaimSpec = 1 accessModes [s], 4 selector LabelSelector, 2 resources VolumeResourceRequirements, 3 volumeName s, 5 storageClassName s, 6 volumeMode s, 7 dataSource TypedLocalObjectReference, 8 dataSourceRef TypedObjectReference, 9 volumeAttributesClassName s
PersistentVolumeClaimTemplate = 1 metadata Meta, 2 spec PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource = 1 claimName s, 2 readOnly f
PhotonPersistentDiskVolumeSource = 1 pdID s, 2 fsType s
PodAffinity = 1 requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm], 2 preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm]
PodAffinityTerm = 1 labelSelector LabelSelector, 2 namespaces [s], 3 topologyKey s, 4 namespaceSelector LabelSelector, 5 matchLabelKeys [s], 6 mismatchLabelKeys [s]
PodAntiAffinity = 1 requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm], 2 preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm]
PodCertificateProjection = 1 signerName s, 2 keyType s, 3 maxExpirationSeconds i, 4 credentialBundlePath s, 5 keyPath s, 6 certificateChainPath s, 7 userAnnotations {s}, 8 user i
PodDNSConfig = 1 nameservers [s], 2 searches [s], 3 options [PodDNSConfigOption]
PodDNSConfigOption = 1 name s, 2 value s
PodFailurePolicy = 1 rules [PodFailurePolicyRule]
PodFailurePolicyOnExitCodesRequirement = 1 containerName s, 2 operator s, 3 values [i]
PodFailurePolicyOnPodConditionsPattern = 1 type s, 2 status s
PodFailurePolicyRule = 1 action s, 2 onExitCodes PodFailurePolicyOnExitCodesRequirement, 3 onPodConditions [PodFailurePolicyOnPodConditionsPattern]
PodOS = 1 name s
PodReadinessGate = 1 conditionType s
PodResourceClaim = 1 name s, 3 resourceClaimName s, 4 resourceClaimTemplateName s
PodSchedulingGate = 1 name s
PodSchedulingGroup = 1 podGroupName s
PodSecurityContext = 1 seLinuxOptions SELinuxOptions, 8 windowsOptions WindowsSecurityContextOptions, 2 runAsUser i, 6 runAsGroup i, 3 runAsNonRoot b, 4 supplementalGroups [i], 12 supplementalGroupsPolicy s, 5 fsGroup i, 7 sysctls [Sysctl], 9 fsGroupChangePolicy s, 10 seccompProfile SeccompProfile, 11 appArmorProfile AppArmorProfile, 13 seLinuxChangePolicy s
PodSpec = 1 volumes [Volume], 20 initContainers [Container], 2 containers [Container], 34 ephemeralContainers [EphemeralContainer], 3 restartPolicy s, 4 terminationGracePeriodSeconds i, 5 activeDeadlineSeconds i, 6 dnsPolicy s, 7 nodeSelector {s}, 8 serviceAccountName s, 9 serviceAccount s, 21 automountServiceAccountToken b, 10 nodeName s, 11 hostNetwork f, 12 hostPID f, 13 hostIPC f, 27 shareProcessNamespace b, 14 securityContext PodSecurityContext, 15 imagePullSecrets [LocalObjectReference], 16 hostname s, 17 subdomain s, 18 affinity Affinity, 19 schedulerName s, 22 tolerations [Toleration], 23 hostAliases [HostAlias], 24 priorityClassName s, 25 priority i, 26 dnsConfig PodDNSConfig, 28 readinessGates [PodReadinessGate], 29 runtimeClassName s, 30 enableServiceLinks b, 31 preemptionPolicy s, 32 overhead {q}, 33 topologySpreadConstraints [TopologySpreadConstraint], 35 setHostnameAsFQDN b, 36 os PodOS, 37 hostUsers b, 38 schedulingGates [PodSchedulingGate], 39 resourceClaims [PodResourceClaim], 40 resources ResourceRequirements, 41 hostnameOverride s, 43 schedulingGroup PodSchedulingGroup, 44 evictionResponders [EvictionResponder]
PodTemplateSpec = 1 metadata Meta, 2 spec PodSpec
PortworxVolumeSource = 1 volumeID s, 2 fsType s, 3 readOnly f
PreferredSchedulingTerm = 1 weight z, 2 preference NodeSelectorTerm
Probe = 1 ^ ProbeHandler, 2 initialDelaySeconds z, 3 timeoutSeconds z, 4 periodSeconds z, 5 successThreshold z, 6 failureThreshold z, 7 terminationGracePeriodSeconds i
ProbeHandler = 1 exec ExecAction, 2 httpGet HTTPGetAction, 3 tcpSocket TCPSocketAction, 4 grpc GRPCAction
ProjectedVolumeSource = 1 sources [VolumeProjection], 2 defaultMode i, 3 defaultUser i
QuobyteVolumeSource = 1 registry s, 2 volume s, 3 readOnly f, 4 user s, 5 group s, 6 tenant s
RBDVolumeSource = 1 monitors [s], 2 image s, 3 fsType s, 4 pool s, 5 user s, 6 keyring s, 7 secretRef LocalObjectReference, 8 readOnly f
ResourceClaim = 1 name s, 2 request s
ResourceFieldSelector = 1 containerName s, 2 resource s, 3 divisor q
ResourceRequirements = 1 limits {q}, 2 requests {q}, 3 claims [ResourceClaim]
SELinuxOptions = 1 user s, 2 role s, 3 type s, 4 level s
ScaleIOVolumeSource = 1 gateway s, 2 system s, 3 secretRef LocalObjectReference, 4 sslEnabled f, 5 protectionDomain s, 6 storagePool s, 7 storageMode s, 8 volumeName s, 9 fsType s, 10 readOnly f
SeccompProfile = 1 type s, 2 localhostProfile s
SecretEnvSource = 1 ^ LocalObjectReference, 2 optional b
SecretKeySelector = 1 ^ LocalObjectReference, 2 key s, 3 optional b
SecretProjection = 1 ^ LocalObjectReference, 2 items [KeyToPath], 4 optional b
SecretVolumeSource = 1 secretName s, 2 items [KeyToPath], 3 defaultMode i, 4 optional b, 5 defaultUser i
SecurityContext = 1 capabilities Capabilities, 2 privileged b, 3 seLinuxOptions SELinuxOptions, 10 windowsOptions WindowsSecurityContextOptions, 4 runAsUser i, 8 runAsGroup i, 5 runAsNonRoot b, 6 readOnlyRootFilesystem b, 7 allowPrivilegeEscalation b, 9 procMount s, 11 seccompProfile SeccompProfile, 12 appArmorProfile AppArmorProfile
ServiceAccountTokenProjection = 1 audience s, 2 expirationSeconds i, 3 path s, 4 user i
SleepAction = 1 seconds z
StorageOSVolumeSource = 1 volumeName s, 2 volumeNamespace s, 3 fsType s, 4 readOnly f, 5 secretRef LocalObjectReference
SuccessPolicy = 1 rules [SuccessPolicyRule]
SuccessPolicyRule = 1 succeededIndexes s, 2 succeededCount i
Sysctl = 1 name s, 2 value s
TCPSocketAction = 1 port n, 2 host s
Toleration = 1 key s, 2 operator s, 3 value s, 4 effect s, 5 tolerationSeconds i
TopologyConstraint = 1 key s
TopologySpreadConstraint = 1 maxSkew z, 2 topologyKey s, 3 whenUnsatisfiable s, 4 labelSelector LabelSelector, 5 minDomains i, 6 nodeAffinityPolicy s, 7 nodeTaintsPolicy s, 8 matchLabelKeys [s]
TypedLocalObjectReference = 1 apiGroup s, 2 kind s, 3 name s
TypedObjectReference = 1 apiGroup s, 2 kind s, 3 name s, 4 namespace s
Volume = 1 name s, 2 ^ VolumeSource
VolumeDevice = 1 name s, 2 devicePath s
VolumeMount = 1 name s, 2 readOnly f, 7 recursiveReadOnly s, 3 mountPath s, 4 subPath s, 5 mountPropagation s, 6 subPathExpr s, 8 bindMountOptions [s]
VolumeProjection = 1 secret SecretProjection, 2 downwardAPI DownwardAPIProjection, 3 configMap ConfigMapProjection, 4 serviceAccountToken ServiceAccountTokenProjection, 5 clusterTrustBundle ClusterTrustBundleProjection, 6 podCertificate PodCertificateProjection
VolumeResourceRequirements = 1 limits {q}, 2 requests {q}
VolumeSource = 1 hostPath HostPathVolumeSource, 2 emptyDir EmptyDirVolumeSource, 3 gcePersistentDisk GCEPersistentDiskVolumeSource, 4 awsElasticBlockStore AWSElasticBlockStoreVolumeSource, 5 gitRepo GitRepoVolumeSource, 6 secret SecretVolumeSource, 7 nfs NFSVolumeSource, 8 iscsi ISCSIVolumeSource, 9 glusterfs GlusterfsVolumeSource, 10 persistentVolumeClaim PersistentVolumeClaimVolumeSource, 11 rbd RBDVolumeSource, 12 flexVolume FlexVolumeSource, 13 cinder CinderVolumeSource, 14 cephfs CephFSVolumeSource, 15 flocker FlockerVolumeSource, 16 downwardAPI DownwardAPIVolumeSource, 17 fc FCVolumeSource, 18 azureFile AzureFileVolumeSource, 19 configMap ConfigMapVolumeSource, 20 vsphereVolume VsphereVirtualDiskVolumeSource, 21 quobyte QuobyteVolumeSource, 22 azureDisk AzureDiskVolumeSource, 23 photonPersistentDisk PhotonPersistentDiskVolumeSource, 26 projected ProjectedVolumeSource, 24 portworxVolume PortworxVolumeSource, 25 scaleIO ScaleIOVolumeSource, 27 storageos StorageOSVolumeSource, 28 csi CSIVolumeSource, 29 ephemeral EphemeralVolumeSource, 30 image ImageVolumeSource
VsphereVirtualDiskVolumeSource = 1 volumePath s, 2 fsType s, 3 storagePolicyName s, 4 storagePolicyID s
WeightedPodAffinityTerm = 1 weight z, 2 podAffinityTerm PodAffinityTerm
WindowsSecurityContextOptions = 1 gmsaCredentialSpecName s, 2 gmsaCredentialSpec s, 3 runAsUserName s, 4 hostProcess b
WorkloadPodGroupAllDisruptionMode =
WorkloadPodGroupBasicSchedulingPolicy =
WorkloadPodGroupDisruptionMode = 1 single WorkloadPodGroupSingleDisruptionMode, 2 all WorkloadPodGroupAllDisruptionMode
WorkloadPodGroupGangSchedulingPolicy = 1 minCount i
WorkloadPodGroupResourceClaim = 1 name s, 2 resourceClaimName s, 3 resourceClaimTemplateName s
WorkloadPodGroupSchedulingConstraints = 1 topology [TopologyConstraint]
WorkloadPodGroupSchedulingPolicy = 1 basic WorkloadPodGroupBasicSchedulingPolicy, 2 gang WorkloadPodGroupGangSchedulingPolicy
WorkloadPodGroupSingleDisruptionMode =
)";

}  // namespace

std::string_view protobuf_types() {
  return kProtobufTypes;
}

}  // namespace kml::local
