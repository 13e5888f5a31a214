#pragma once

#include <string>

#include "kml/api/object_name.h"
#include "kml/core/json.h"
#include "local/store/store.h"

namespace kml::local {

// What controllers read of any object.

using api::name_of;
using api::namespace_of;
inline std::string uid_of(const Json& object) {
  return string_at(object, {"metadata", "uid"});
}
inline std::string annotation_of(const Json& object, std::string_view key) {
  return string_at(object, {"metadata", "annotations", key});
}
inline bool is_being_deleted(const Json& object) {
  return find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}
inline std::string phase_of(const Json& pod) {
  return string_at(pod, {"status", "phase"}, "Pending");
}
/// The pod has ended, well or not.
inline bool is_terminal(const Json& pod) {
  const std::string phase = phase_of(pod);
  return phase == "Succeeded" || phase == "Failed";
}

/// A Job or PyTorchJob has ended, well or not.
bool is_finished(const Json& job);

/// metadata.ownerReferences of a dependent that this object controls.
Json controller_reference(const Json& owner);
/// The uid of the controller in an object's ownerReferences; empty where it has none.
std::string controller_uid(const Json& object);

/// The condition of that type in an object's status, or nullptr.
const Json* find_condition(const Json& object, std::string_view type);
bool has_condition(const Json& object, std::string_view type);  ///< its status is True

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
