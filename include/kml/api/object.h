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

/// An entry of an object's status.conditions, or none. Looks into the object, which has to live as long.
class Condition {
 public:
  Condition() = default;
  explicit Condition(const Json* entry) : entry_(entry) {}

  explicit operator bool() const { return entry_ != nullptr; }
  bool is_true() const { return text("status") == "True"; }
  /// Its status is False: neither missing nor Unknown.
  bool is_false() const { return text("status") == "False"; }

  std::string type() const { return text("type"); }
  std::string status() const { return text("status"); }
  std::string reason() const { return text("reason"); }
  std::string message() const { return text("message"); }
  /// When its status last changed.
  std::optional<Time> since() const;

 private:
  std::string text(std::string_view field) const { return entry_ ? string_at(*entry_, {field}) : ""; }

  const Json* entry_ = nullptr;
};

/// That of a type. All kinds have them alike, PyTorchJobs and Kueue's workloads too.
Condition condition(const Json& object, std::string_view type);
Condition condition(Json&& object, std::string_view type) = delete;  // it would look into what is gone
inline bool condition_is_true(const Json& object, std::string_view type) {
  return condition(object, type).is_true();
}

/// When a v1 Event was last seen. events.k8s.io/v1 counts repetitions in `series` and leaves the timestamps
/// of core/v1 empty, so whichever its reporter has filled in counts, the latest first, as in `kubectl
/// events`.
std::optional<Time> time_of_event(const Json& event);

/// Whether a job of any kind is to have no pods; the training operator's kinds say so in their runPolicy.
inline bool is_suspended(const Json& job) {
  return bool_at(job, {"spec", "suspend"}) || bool_at(job, {"spec", "runPolicy", "suspend"});
}

}  // namespace kml::api
