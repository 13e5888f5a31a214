#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/core/clock.h"
#include "kml/core/json.h"

namespace kml::api {

// What any Kubernetes object says of itself; empty where it does not.

/// "Job". Also of a reference to an object.
inline std::string kind_name(const Json& object) {
  return string_at(object, {"kind"});
}
/// "batch/v1". Also of a reference.
inline std::string api_version_of(const Json& object) {
  return string_at(object, {"apiVersion"});
}
inline std::string name_of(const Json& object) {
  return string_at(object, {"metadata", "name"});
}
inline std::string namespace_of(const Json& object) {
  return string_at(object, {"metadata", "namespace"});
}
inline std::string uid_of(const Json& object) {
  return string_at(object, {"metadata", "uid"});
}
inline std::string revision_of(const Json& object) {
  return string_at(object, {"metadata", "resourceVersion"});
}

inline const Json& spec_of(const Json& object) {
  return object_at(object, {"spec"});
}
inline const Json& status_of(const Json& object) {
  return object_at(object, {"status"});
}

inline const Json& labels_of(const Json& object) {
  return object_at(object, {"metadata", "labels"});
}
inline std::string label_of(const Json& object, std::string_view key) {
  return string_at(object, {"metadata", "labels", key});
}
inline std::string annotation_of(const Json& object, std::string_view key) {
  return string_at(object, {"metadata", "annotations", key});
}

inline bool is_being_deleted(const Json& object) {
  return find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

/// A time at a path, as the API writes it.
std::optional<Time> time_at(const Json& object, std::initializer_list<std::string_view> path);
/// metadata.creationTimestamp, and its text, by which objects can be sorted.
std::optional<Time> created_at(const Json& object);
inline std::string creation_text(const Json& object) {
  return string_at(object, {"metadata", "creationTimestamp"});
}
/// status.startTime of a pod or job.
std::optional<Time> started_at(const Json& object);

inline const Json& owners_of(const Json& object) {
  return array_at(object, {"metadata", "ownerReferences"});
}
/// The reference to the object that controls it, or nullptr.
const Json* controller_of(const Json& object);

}  // namespace kml::api
