#include "kube/list/brief_fields.h"

#include "kml/api/labels.h"

namespace kml::kube {

namespace {

using enum Field::Type;

// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto
constexpr Field kOwner[] = {
    {1, "kind", text}, {3, "name", text}, {5, "apiVersion", text}, {6, "controller", boolean}};
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
constexpr Field kTemplateSpec[] = {
    {2, "containers", list, kContainer}, {7, "nodeSelector", text_map}, {24, "priorityClassName", text}};
constexpr Field kTemplate[] = {{2, "spec", object, kTemplateSpec}};
// Of each of many thousand pods, what is always there costs the most memory.

/// Other conditions say that all is well.
bool is_telling(const Json& condition) {
  return string_at(condition, {"status"}) == "False" || string_at(condition, {"type"}) == "DisruptionTarget";
}
/// Containers that run say nothing.
bool has_state(const Json& container) {
  return !object_at(container, {"state"}).empty();
}
bool names_job(std::string_view label) {
  for (std::string_view name : {api::kJobName, api::kLegacyJobName, api::kJobSetName, api::kTrainingJobName,
                                api::kTrainingOperatorName})
    if (label == name) return true;
  return false;
}

constexpr Field kPodMetadata[] = {{1, "name", text},
                                  {3, "namespace", text},
                                  {8, "creationTimestamp", time},
                                  {9, "deletionTimestamp", time},
                                  {11, "labels", text_map, {}, nullptr, names_job}};
constexpr Field kPodSpec[] = {{10, "nodeName", text}, {25, "priority", number}};
constexpr Field kPodCondition[] = {
    {1, "type", text}, {2, "status", text}, {5, "reason", text}, {6, "message", text}};
constexpr Field kWaiting[] = {{1, "reason", text}, {2, "message", text}};
constexpr Field kTerminated[] = {
    {1, "exitCode", number}, {3, "reason", text}, {4, "message", text}, {6, "finishedAt", time}};
constexpr Field kState[] = {{1, "waiting", object, kWaiting}, {3, "terminated", object, kTerminated}};
constexpr Field kContainerStatus[] = {{2, "state", object, kState}};
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

// k8s.io/api/batch/v1/generated.proto
constexpr Field kJobSpec[] = {{1, "parallelism", number},
                              {2, "completions", number},
                              {6, "template", object, kTemplate},
                              {10, "suspend", boolean}};
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
                                {9, "ready", count}};
constexpr Field kJob[] = {
    {1, "metadata", object, kMetadata}, {2, "spec", object, kJobSpec}, {3, "status", object, kJobStatus}};

}  // namespace

Message brief_fields(const api::ResourceKind& kind) {
  if (&kind == api::find_kind("v1", "Pod")) return kPod;
  if (&kind == api::find_kind("batch/v1", "Job")) return kJob;
  return {};
}

}  // namespace kml::kube
