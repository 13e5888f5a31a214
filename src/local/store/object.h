#pragma once

#include <string>

#include "kml/api/object.h"
#include "kml/api/pod.h"
#include "kml/api/resource.h"
#include "kml/core/json.h"
#include "local/store/store.h"

namespace kml::local {

// What controllers read of any object.

using api::annotation_of;
using api::is_being_deleted;
using api::name_of;
using api::namespace_of;
using api::phase_of;
using api::pod_has_ended;
using api::uid_of;

/// A Job or PyTorchJob has ended, well or not.
bool is_finished(const Json& job);

/// metadata.ownerReferences of a dependent that this object controls.
Json controller_reference(const Json& owner);
/// The uid of the controller in an object's ownerReferences; empty if it has none.
std::string controller_uid(const Json& object);

/// Sets a condition of status.conditions. The times change as Kubernetes' do: lastTransitionTime with the
/// status only.
void set_condition(Json& object, std::string_view type, bool status, std::string_view reason,
                   std::string_view message, const std::string& now);

/// Gives a new object its time of creation and its first generation.
void begin_life(Json& object, Time now);

/// Marks any object for deletion: it is to be gone after the grace.
void set_deletion(Json& object, Time now, std::chrono::seconds grace);
/// Marks a pod for deletion, with its own grace where none is given, as the API server's DELETE does.
void mark_deleted(Json& pod, Time now);

/// Takes a finalizer away; false if there was none of that name.
bool remove_finalizer(Json& object, std::string_view name);
bool has_finalizer(const Json& object, std::string_view name);

}  // namespace kml::local

namespace kml::local::kinds {

// The kinds that the node and the controllers work with. The store tells kinds apart by these addresses.
inline const api::ResourceKind& pod = *api::find_kind("v1", "Pod");
inline const api::ResourceKind& node = *api::find_kind("v1", "Node");
inline const api::ResourceKind& event = *api::find_kind("v1", "Event");
inline const api::ResourceKind& secret = *api::find_kind("v1", "Secret");
inline const api::ResourceKind& config_map = *api::find_kind("v1", "ConfigMap");
inline const api::ResourceKind& claim = *api::find_kind("v1", "PersistentVolumeClaim");
inline const api::ResourceKind& quota = *api::find_kind("v1", "ResourceQuota");
inline const api::ResourceKind& job = *api::find_kind("batch/v1", "Job");
inline const api::ResourceKind& pytorchjob = *api::find_kind("kubeflow.org/v1", "PyTorchJob");

}  // namespace kml::local::kinds
