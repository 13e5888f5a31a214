#pragma once

#include <string>

#include "kml/api/condition.h"
#include "kml/api/object.h"
#include "kml/api/pod.h"
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
/// The uid of the controller in an object's ownerReferences; empty where it has none.
std::string controller_uid(const Json& object);

/// Sets a condition of status.conditions. The times change as Kubernetes' do: lastTransitionTime with the
/// status only.
void set_condition(Json& object, std::string_view type, bool status, std::string_view reason,
                   std::string_view message, const std::string& now);

/// Marks a pod for deletion, with its own grace where none is given, as the API server's DELETE does.
void mark_deleted(Json& pod, Time now);

/// Takes a finalizer away; false where there was none of that name.
bool remove_finalizer(Json& object, std::string_view name);
bool has_finalizer(const Json& object, std::string_view name);

}  // namespace kml::local
