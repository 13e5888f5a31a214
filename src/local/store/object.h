#pragma once

#include <cstdint>
#include <string>

#include "kml/base/json.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"
#include "local/store/store.h"

namespace kml::local {

// Functions for the fields of objects that controllers need.

using api::annotation_of;
using api::is_being_deleted;
using api::name_of;
using api::namespace_of;
using api::phase_of;
using api::pod_has_ended;
using api::uid_of;

/// Whether a Job or PyTorchJob has ended, successfully or not.
bool is_finished(const Json& job);

/// The entry for an object's metadata.ownerReferences that makes `owner` its controller.
Json controller_reference(const Json& owner);
/// The uid of the controller in an object's ownerReferences; empty if it has no controller.
std::string controller_uid(const Json& object);

/// The "NAMESPACE/NAME" of an object's controller if the controller is of this kind, otherwise empty.
std::string controller_name(const Json& object, const api::ResourceKind& kind);

/// The object with that full name, see api::full_name_of().
ObjectPtr get_by_full_name(const Store& store, const api::ResourceKind& kind, std::string_view full_name);

/// Sets a condition in status.conditions. As in Kubernetes, lastTransitionTime changes only with the
/// condition's status.
void set_condition(Json& object, std::string_view type, bool status, std::string_view reason,
                   std::string_view message, const std::string& now);

/// An object's resourceVersion as a number; 0 if it has none.
int64_t revision_number(const Json& object);

/// Sets a new object's creationTimestamp and, if it has a spec, its first generation.
void begin_life(Json& object, Time now);

/// Marks an object for deletion after the grace period.
void set_deletion(Json& object, Time now, std::chrono::seconds grace);
/// Marks a pod for deletion, with the pod's own grace period. The API server does the same for a DELETE
/// request without a grace period.
void mark_deleted(Json& pod, Time now);

/// Removes a finalizer. Returns false if the object does not have it.
bool remove_finalizer(Json& object, std::string_view name);
bool has_finalizer(const Json& object, std::string_view name);

}  // namespace kml::local

namespace kml::local::kinds {

// The kinds that the node and the controllers use. The store compares kinds by these addresses.
inline const api::ResourceKind& pod = *api::find_kind("v1", "Pod");
inline const api::ResourceKind& node = *api::find_kind("v1", "Node");
inline const api::ResourceKind& event = *api::find_kind("v1", "Event");
inline const api::ResourceKind& secret = *api::find_kind("v1", "Secret");
inline const api::ResourceKind& config_map = *api::find_kind("v1", "ConfigMap");
inline const api::ResourceKind& claim = *api::find_kind("v1", "PersistentVolumeClaim");
inline const api::ResourceKind& quota = *api::find_kind("v1", "ResourceQuota");
inline const api::ResourceKind& pod_group = *api::find_kind("scheduling.k8s.io/v1beta1", "PodGroup");
inline const api::ResourceKind& job = *api::find_kind("batch/v1", "Job");
inline const api::ResourceKind& cron_job = *api::find_kind("batch/v1", "CronJob");
inline const api::ResourceKind& pytorchjob = *api::find_kind("kubeflow.org/v1", "PyTorchJob");
inline const api::ResourceKind& service = *api::find_kind("v1", "Service");
inline const api::ResourceKind& deployment = *api::find_kind("apps/v1", "Deployment");
inline const api::ResourceKind& replica_set = *api::find_kind("apps/v1", "ReplicaSet");

}  // namespace kml::local::kinds
