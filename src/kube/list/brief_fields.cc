#include "kube/list/brief_fields.h"

#include <algorithm>
#include <vector>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/quantity.h"

namespace kml::kube {

namespace {

using enum Field::Type;

// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto
constexpr Field kOwner[] = {{1, "kind", text},
                            {3, "name", text},
                            {4, "uid", text},
                            {5, "apiVersion", text},
                            {6, "controller", boolean}};
constexpr Field kMetadata[] = {{1, "name", text},
                               {3, "namespace", text},
                               {5, "uid", text},
                               {8, "creationTimestamp", time},
                               {9, "deletionTimestamp", time},
                               {11, "labels", text_map},
                               {12, "annotations", text_map},
                               {13, "ownerReferences", list, kOwner}};

// k8s.io/api/core/v1/generated.proto
constexpr Field kResources[] = {{1, "limits", quantity_map}};
constexpr Field kContainer[] = {{8, "resources", object, kResources}};
constexpr Field kInitContainer[] = {{8, "resources", object, kResources}, {24, "restartPolicy", text}};
bool requests_gpus(const Json& container) {
  return !api::gpu_amounts_of(api::limits_of(container)).empty();
}
/// The name says how many GPUs kml claims.
constexpr Field kClaim[] = {{1, "name", text}};
constexpr Field kExpression[] = {{1, "key", text}, {2, "operator", text}, {3, "values", text_list}};
constexpr Field kTerm[] = {{1, "matchExpressions", list, kExpression}, {2, "matchFields", list, kExpression}};
constexpr Field kNodeSelector[] = {{1, "nodeSelectorTerms", list, kTerm}};
constexpr Field kNodeAffinity[] = {
    {1, "requiredDuringSchedulingIgnoredDuringExecution", object, kNodeSelector}};
/// Selects nodes by the type of their GPUs.
constexpr Field kNodesOnly[] = {{1, "nodeAffinity", object, kNodeAffinity}};
constexpr Field kTemplateSpec[] = {
    {2, "containers", list, kContainer},  {7, "nodeSelector", text_map},
    {18, "affinity", object, kNodesOnly}, {20, "initContainers", list, kInitContainer, requests_gpus},
    {24, "priorityClassName", text},      {32, "overhead", quantity_map},
    {39, "resourceClaims", list, kClaim}};
/// Whether the annotation is needed to turn the indexes of failed tasks into task numbers.
bool numbers_tasks(std::string_view annotation) {
  return annotation == api::kTasks;
}
constexpr Field kTemplateMetadata[] = {{12, "annotations", text_map, {}, nullptr, numbers_tasks}};
constexpr Field kTemplate[] = {{1, "metadata", object, kTemplateMetadata},
                               {2, "spec", object, kTemplateSpec}};

constexpr Field kRequirements[] = {{1, "limits", quantity_map}, {2, "requests", quantity_map}};
constexpr Field kSizedContainer[] = {{8, "resources", object, kRequirements}};
constexpr Field kSizedInitContainer[] = {{8, "resources", object, kRequirements},
                                         {24, "restartPolicy", text}};
/// It matters whether a pod has a rule about other pods, but not which rule.
constexpr Field kPodAffinity[] = {{1, "requiredDuringSchedulingIgnoredDuringExecution", list}};
constexpr Field kAffinity[] = {{1, "nodeAffinity", object, kNodeAffinity},
                               {2, "podAffinity", object, kPodAffinity},
                               {3, "podAntiAffinity", object, kPodAffinity}};
constexpr Field kToleration[] = {
    {1, "key", text}, {2, "operator", text}, {3, "value", text}, {4, "effect", text}};
constexpr Field kSizedTemplateSpec[] = {{2, "containers", list, kSizedContainer},
                                        {5, "activeDeadlineSeconds", number},
                                        {7, "nodeSelector", text_map},
                                        {18, "affinity", object, kAffinity},
                                        {20, "initContainers", list, kSizedInitContainer},
                                        {22, "tolerations", list, kToleration},
                                        {24, "priorityClassName", text},
                                        {32, "overhead", quantity_map},
                                        {39, "resourceClaims", list, kClaim},
                                        {40, "resources", object, kRequirements}};
constexpr Field kSizedTemplate[] = {{2, "spec", object, kSizedTemplateSpec}};
// The fields that every pod has use the most memory, because there may be many thousand pods.

/// Whether the condition is informative. Other conditions only say that nothing is wrong.
bool is_telling(const Json& condition) {
  return api::Condition(&condition).is_false() || api::Condition(&condition).type() == "DisruptionTarget";
}
/// Whether the container's state is needed. The state of a running container is not.
bool has_state(const Json& container) {
  return !object_at(container, {"state"}).empty();
}
bool names_job(std::string_view label) {
  return label == api::kJobSetName || label == api::kTrainingJobName || api::is_label_of_further_kind(label);
}

/// Whether the annotation says that the pod's task was cancelled.
bool tells_of_cancel(std::string_view annotation) {
  return annotation == api::kCancelled;
}
constexpr Field kPodMetadata[] = {{1, "name", text},
                                  {3, "namespace", text},
                                  {8, "creationTimestamp", time},
                                  {9, "deletionTimestamp", time},
                                  {11, "labels", text_map, {}, nullptr, names_job},
                                  {12, "annotations", text_map, {}, nullptr, tells_of_cancel},
                                  {13, "ownerReferences", list, kOwner}};
constexpr Field kPodSpec[] = {{10, "nodeName", text}, {25, "priority", number}};
bool tells_of_state(std::string_view annotation) {
  return annotation == api::kGangSize || tells_of_cancel(annotation);
}
/// Whether a user wrote the toleration. By default, every pod tolerates for some minutes that its node is not
/// ready.
bool is_own_toleration(const Json& toleration) {
  return !string_at(toleration, {"key"}).starts_with("node.kubernetes.io/");
}
bool tells_of_job(std::string_view label) {
  return label == api::kUser || label == api::kServe || names_job(label);
}
constexpr Field kSizedPodMetadata[] = {{1, "name", text},
                                       {3, "namespace", text},
                                       {5, "uid", text},  // the event about a preempted pod contains its uid
                                       {8, "creationTimestamp", time},
                                       {9, "deletionTimestamp", time},
                                       {11, "labels", text_map, {}, nullptr, tells_of_job},
                                       {12, "annotations", text_map, {}, nullptr, tells_of_state},
                                       {13, "ownerReferences", list, kOwner}};
constexpr Field kSchedulingGroup[] = {{1, "podGroupName", text}};
constexpr Field kSizedPodSpec[] = {{2, "containers", list, kSizedContainer},
                                   {5, "activeDeadlineSeconds", number},
                                   {7, "nodeSelector", text_map},
                                   {10, "nodeName", text},
                                   {18, "affinity", object, kAffinity},
                                   {20, "initContainers", list, kSizedInitContainer},
                                   {22, "tolerations", list, kToleration, is_own_toleration},
                                   {24, "priorityClassName", text},
                                   {25, "priority", number},
                                   {32, "overhead", quantity_map},
                                   {39, "resourceClaims", list, kClaim},
                                   {40, "resources", object, kRequirements},
                                   {43, "schedulingGroup", object, kSchedulingGroup}};
constexpr Field kPodCondition[] = {
    {1, "type", text}, {2, "status", text}, {5, "reason", text}, {6, "message", text}};
constexpr Field kWaiting[] = {{1, "reason", text}, {2, "message", text}};
constexpr Field kTerminated[] = {{1, "exitCode", number},
                                 {2, "signal", number},
                                 {3, "reason", text},
                                 {4, "message", text},
                                 {6, "finishedAt", time}};
constexpr Field kLastState[] = {{3, "terminated", object, kTerminated}};
constexpr Field kState[] = {{1, "waiting", object, kWaiting}, {3, "terminated", object, kTerminated}};
constexpr Field kContainerStatus[] = {{2, "state", object, kState}, {3, "lastState", object, kLastState}};
constexpr Field kPodStatus[] = {{1, "phase", text},
                                {2, "conditions", list, kPodCondition, is_telling},
                                {3, "message", text},
                                {4, "reason", text},
                                {7, "startTime", time},
                                {8, "containerStatuses", list, kContainerStatus, has_state},
                                {10, "initContainerStatuses", list, kContainerStatus, has_state},
                                {11, "nominatedNodeName", text}};
constexpr Field kPod[] = {
    {1, "metadata", object, kPodMetadata}, {2, "spec", object, kPodSpec}, {3, "status", object, kPodStatus}};
bool tells_of_container(const Json& container) {
  return has_state(container) || api::restart_count(container) > 0;
}
constexpr Field kCountedContainerStatus[] = {{2, "state", object, kState}, {5, "restartCount", count}};
constexpr Field kSizedPodStatus[] = {
    {1, "phase", text},
    {2, "conditions", list, kPodCondition, is_telling},
    {3, "message", text},
    {4, "reason", text},
    {7, "startTime", time},
    {8, "containerStatuses", list, kCountedContainerStatus, tells_of_container},
    {10, "initContainerStatuses", list, kContainerStatus, has_state},
    {11, "nominatedNodeName", text}};
constexpr Field kSizedPod[] = {{1, "metadata", object, kSizedPodMetadata},
                               {2, "spec", object, kSizedPodSpec},
                               {3, "status", object, kSizedPodStatus}};

constexpr Field kNodeMetadata[] = {{1, "name", text}, {11, "labels", text_map}};
constexpr Field kTaint[] = {{1, "key", text}, {2, "value", text}, {3, "effect", text}};
constexpr Field kNodeSpec[] = {{4, "unschedulable", boolean}, {5, "taints", list, kTaint}};
constexpr Field kNodeCondition[] = {{1, "type", text}, {2, "status", text}};
constexpr Field kNodeInfo[] = {{7, "kubeletVersion", text}};
constexpr Field kNodeStatus[] = {{2, "allocatable", quantity_map},
                                 {4, "conditions", list, kNodeCondition},
                                 {7, "nodeInfo", object, kNodeInfo}};
constexpr Field kNode[] = {{1, "metadata", object, kNodeMetadata},
                           {2, "spec", object, kNodeSpec},
                           {3, "status", object, kNodeStatus}};

// k8s.io/api/batch/v1/generated.proto
constexpr Field kJobSpec[] = {{1, "parallelism", number},           {2, "completions", number},
                              {6, "template", object, kTemplate},   {7, "backoffLimit", number},
                              {9, "completionMode", text},          {10, "suspend", boolean},
                              {12, "backoffLimitPerIndex", number}, {13, "maxFailedIndexes", number}};
constexpr Field kSizedJobSpec[] = {{1, "parallelism", number},
                                   {2, "completions", number},
                                   {3, "activeDeadlineSeconds", number},
                                   {6, "template", object, kSizedTemplate},
                                   {7, "backoffLimit", number},
                                   {9, "completionMode", text},
                                   {10, "suspend", boolean},
                                   {12, "backoffLimitPerIndex", number},
                                   {13, "maxFailedIndexes", number}};
constexpr Field kJobCondition[] = {{1, "type", text},
                                   {2, "status", text},
                                   {4, "lastTransitionTime", time},
                                   {5, "reason", text},
                                   {6, "message", text}};
constexpr Field kJobStatus[] = {{1, "conditions", list, kJobCondition},
                                {2, "startTime", time},
                                {3, "completionTime", time},
                                {4, "active", count},
                                {5, "succeeded", count},
                                {6, "failed", count},
                                {9, "ready", count},
                                {11, "failedIndexes", text}};
constexpr Field kJob[] = {
    {1, "metadata", object, kMetadata}, {2, "spec", object, kJobSpec}, {3, "status", object, kJobStatus}};
constexpr Field kSizedJob[] = {{1, "metadata", object, kMetadata},
                               {2, "spec", object, kSizedJobSpec},
                               {3, "status", object, kJobStatus}};

bool shorten(const Field& field, Json& value);

void keep_fields(Message fields, Json& object) {
  for (auto member = object.begin(); member != object.end();) {
    const auto field = std::ranges::find(fields, member.key(), &Field::name);
    if (field != fields.end() && shorten(*field, *member))
      ++member;
    else
      member = object.erase(member);
  }
}

void keep_items(const Field& field, Json& items) {
  std::erase_if(items.get_ref<Json::array_t&>(), [&](Json& item) {
    if (item.is_object()) keep_fields(field.message, item);
    return field.keeps && !field.keeps(item);
  });
}

void keep_entries(const Field& field, Json& map) {
  std::erase_if(map.get_ref<Json::object_t&>(),
                [&](const auto& entry) { return field.keeps_key && !field.keeps_key(entry.first); });
}

/// Removes fields that are not needed. Returns whether any are left.
bool shorten(const Field& field, Json& value) {
  switch (field.type) {
    case object:
      if (value.is_object()) keep_fields(field.message, value);
      return !value.is_null();
    case list:
      if (value.is_array()) keep_items(field, value);
      return !value.empty();
    case text_map:
      if (value.is_object()) keep_entries(field, value);
      return !value.empty();
    case count: return value != 0;
    default: return !value.empty();
  }
}

}  // namespace

Message brief_fields(const api::ResourceKind& kind, Detail detail) {
  const auto choice = [&](Message table, Message queue) { return detail == Detail::table ? table : queue; };
  if (&kind == api::find_kind("v1", "Pod")) return choice(kPod, kSizedPod);
  if (&kind == api::find_kind("batch/v1", "Job")) return choice(kJob, kSizedJob);
  if (&kind == api::find_kind("v1", "Node")) return kNode;
  return {};
}

void keep_only(Message fields, Json& object) {
  if (!fields.empty() && object.is_object()) keep_fields(fields, object);
}

}  // namespace kml::kube
