#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"

namespace kml::api {

// Fields of any Kubernetes object. The result is empty if the field is missing.

/// The kind, such as "Job". Also accepts a reference to an object.
inline std::string kind_name(const Json& object) {
  return string_at(object, {"kind"});
}
/// The API version, such as "batch/v1". Also accepts a reference to an object.
inline std::string api_version_of(const Json& object) {
  return string_at(object, {"apiVersion"});
}
inline std::string name_of(const Json& object) {
  return string_at(object, {"metadata", "name"});
}
inline std::string namespace_of(const Json& object) {
  return string_at(object, {"metadata", "namespace"});
}
/// "lab/bert".
inline std::string full_name_of(const Json& object) {
  return namespace_of(object) + "/" + name_of(object);
}
inline std::string uid_of(const Json& object) {
  return string_at(object, {"metadata", "uid"});
}
inline std::string revision_of(const Json& object) {
  return string_at(object, {"metadata", "resourceVersion"});
}

/// A number that increases with each change to the object's spec.
inline long long generation_of(const Json& object) {
  return int_at(object, {"metadata", "generation"});
}
/// The prefix from which the server generates a name.
inline std::string generate_name_of(const Json& object) {
  return string_at(object, {"metadata", "generateName"});
}

inline const Json& metadata_of(const Json& object) {
  return object_at(object, {"metadata"});
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
inline const Json& annotations_of(const Json& object) {
  return object_at(object, {"metadata", "annotations"});
}
inline std::string label_of(const Json& object, std::string_view key) {
  return string_at(object, {"metadata", "labels", key});
}
inline std::string annotation_of(const Json& object, std::string_view key) {
  return string_at(object, {"metadata", "annotations", key});
}

inline void set_label(Json& object, std::string_view key, std::string value) {
  object["metadata"]["labels"][std::string(key)] = std::move(value);
}
inline void set_annotation(Json& object, std::string_view key, std::string value) {
  object["metadata"]["annotations"][std::string(key)] = std::move(value);
}

/// The finalizers that must be removed before the server deletes the object.
inline const Json& finalizers_of(const Json& object) {
  return array_at(object, {"metadata", "finalizers"});
}
inline bool is_being_deleted(const Json& object) {
  return find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

/// The time at a path in the object, such as status.startTime.
std::optional<Time> time_at(const Json& object, std::initializer_list<std::string_view> path);
/// metadata.creationTimestamp, and its text, which sorts by time.
std::optional<Time> created_at(const Json& object);
inline std::string creation_text(const Json& object) {
  return string_at(object, {"metadata", "creationTimestamp"});
}
/// status.startTime of a pod or job, and its text; empty before the start.
std::optional<Time> started_at(const Json& object);
inline std::string start_text(const Json& object) {
  return string_at(object, {"status", "startTime"});
}
/// The time in the format of the API, or an empty text.
inline std::string time_text(const std::optional<Time>& time) {
  return time ? rfc3339(*time) : "";
}

/// The metav1.OwnerReference to an object that the server returned.
Json owner_reference(const Json& object);
inline const Json& owners_of(const Json& object) {
  return array_at(object, {"metadata", "ownerReferences"});
}
inline bool is_controller(const Json& reference) {
  return bool_at(reference, {"controller"});
}
/// The reference to the object's controller, or nullptr.
const Json* controller_of(const Json& object);

// Fields of a list's entry (a container, a variable, a volume, an owner), or of a reference to an object.

inline std::string entry_name(const Json& entry) {
  return string_at(entry, {"name"});
}
inline std::string entry_uid(const Json& reference) {
  return string_at(reference, {"uid"});
}

// The reason and message of a condition, an event, a container's state or a Status.

inline std::string reason_of(const Json& entry) {
  return string_at(entry, {"reason"});
}
inline std::string message_of(const Json& entry) {
  return string_at(entry, {"message"});
}

/// A mutable list or object with that name. If the object has no such part, returns a null value that is not
/// part of any object.
inline Json& part_in(Json& object, std::string_view name) {
  static Json none;
  none = nullptr;  // removes data that an earlier caller stored in this value
  const auto found = object.find(name);
  return found == object.end() ? none : *found;
}

/// The objects of a List.
inline const Json& items_of(const Json& list) {
  return array_at(list, {"items"});
}
/// The data of a ConfigMap, or of a Secret (in base64).
inline const Json& data_of(const Json& object) {
  return object_at(object, {"data"});
}

inline const Json& conditions_of(const Json& object) {
  return array_at(object, {"status", "conditions"});
}

/// An entry of an object's status.conditions, or no entry. The object must outlive it.
class Condition {
 public:
  Condition() = default;
  explicit Condition(const Json* entry) : entry_(entry) {}

  explicit operator bool() const { return entry_ != nullptr; }
  bool is_true() const { return text("status") == "True"; }
  /// Whether the status is False. Returns false if the status is missing or Unknown.
  bool is_false() const { return text("status") == "False"; }

  std::string type() const { return text("type"); }
  std::string status() const { return text("status"); }
  std::string reason() const { return text("reason"); }
  std::string message() const { return text("message"); }
  /// The time at which the status last changed.
  std::optional<Time> since() const;

 private:
  std::string text(std::string_view field) const { return entry_ ? string_at(*entry_, {field}) : ""; }

  const Json* entry_ = nullptr;
};

/// The object's condition of the given type. Conditions have the same format in all kinds, including
/// PyTorchJobs and Kueue's workloads.
Condition condition(const Json& object, std::string_view type);
// the result would refer to a destroyed object
Condition condition(Json&& object, std::string_view type) = delete;
inline bool condition_is_true(const Json& object, std::string_view type) {
  return condition(object, type).is_true();
}

/// The time at which a v1 Event was last seen. events.k8s.io/v1 counts repetitions in `series` and leaves the
/// timestamps of core/v1 empty, so this returns the first of several fields that is set, beginning with the
/// field for the latest time, as `kubectl events` does.
std::optional<Time> time_of_event(const Json& event);

/// Whether `a` was seen before `b`. Servers round times to seconds. Events of the same second are ordered by
/// resourceVersion, a number that grows with every write (Kubernetes KEP-5504).
bool is_earlier_event(const Json& a, const Json& b);
/// Sorts events by time, the earliest first. Reads the times of each event only once.
void sort_events(std::vector<Json>& events);

// The object that a v1 Event is about.

inline std::string involved_kind(const Json& event) {
  return string_at(event, {"involvedObject", "kind"});
}
inline std::string involved_name(const Json& event) {
  return string_at(event, {"involvedObject", "name"});
}
inline std::string involved_uid(const Json& event) {
  return string_at(event, {"involvedObject", "uid"});
}

/// Whether a job of any kind is suspended. In the training operator's kinds, the runPolicy has this field.
inline bool is_suspended(const Json& job) {
  return bool_at(job, {"spec", "suspend"}) || bool_at(job, {"spec", "runPolicy", "suspend"});
}

}  // namespace kml::api
