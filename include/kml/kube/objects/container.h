#pragma once

#include <string>

#include "kml/base/json.h"

namespace kml::api {

// Fields of a v1 Container. entry_name() returns its name.

inline std::string image_of(const Json& container) {
  return string_at(container, {"image"});
}
inline const Json& command_of(const Json& container) {
  return array_at(container, {"command"});
}
inline const Json& arguments_of(const Json& container) {
  return array_at(container, {"args"});
}
inline const Json& mounts_of(const Json& container) {
  return array_at(container, {"volumeMounts"});
}
inline std::string mount_path_of(const Json& mount) {
  return string_at(mount, {"mountPath"});
}
inline std::string sub_path_of(const Json& mount) {
  return string_at(mount, {"subPath"});
}
inline const Json& limits_of(const Json& container) {
  return object_at(container, {"resources", "limits"});
}
inline const Json& requests_of(const Json& container) {
  return object_at(container, {"resources", "requests"});
}

/// The environment: a list of v1 EnvVar.
inline const Json& variables_of(const Json& container) {
  return array_at(container, {"env"});
}
/// The Secrets and ConfigMaps from which all keys become variables.
inline const Json& variable_sources_of(const Json& container) {
  return array_at(container, {"envFrom"});
}
/// The value of a variable or a toleration; empty if the variable has a value_source_of().
inline std::string value_of(const Json& variable) {
  return string_at(variable, {"value"});
}
/// The source of a variable's value: an object with one of the keys secretKeyRef, configMapKeyRef, fieldRef
/// and others.
inline const Json& value_source_of(const Json& variable) {
  return object_at(variable, {"valueFrom"});
}

/// The key in a taint, in a requirement, or in a reference to a Secret or ConfigMap.
inline std::string key_of(const Json& reference) {
  return string_at(reference, {"key"});
}
// The operator of a requirement or a toleration, such as "In" or "Exists", and its values.

inline std::string operator_of(const Json& requirement) {
  return string_at(requirement, {"operator"});
}
inline const Json& values_in(const Json& requirement) {
  return array_at(requirement, {"values"});
}

/// Whether the referenced object may be missing.
inline bool is_optional(const Json& reference) {
  return bool_at(reference, {"optional"});
}

// The kubelet's v1 ContainerStatus of a container, and its states.

/// The statuses of a pod's containers. For init containers, pass "initContainerStatuses".
inline const Json& container_statuses(const Json& pod, std::string_view list = "containerStatuses") {
  return array_at(pod, {"status", list});
}
inline long long restart_count(const Json& status) {
  return int_at(status, {"restartCount"});
}
inline bool is_ready(const Json& status) {
  return bool_at(status, {"ready"});
}
inline bool is_running(const Json& status) {
  return find(status, {"state", "running"}) != nullptr;
}
/// Why the container is waiting: "CrashLoopBackOff"; empty if it is not waiting.
inline std::string waiting_reason(const Json& status) {
  return string_at(status, {"state", "waiting", "reason"});
}

inline std::string waiting_message(const Json& status) {
  return string_at(status, {"state", "waiting", "message"});
}

/// The state `terminated`, or nullptr if the container has not ended.
inline const Json* terminated_in(const Json& status) {
  return find(status, {"state", "terminated"});
}
/// The state `terminated` of the container's previous run.
inline const Json* last_terminated_in(const Json& status) {
  return find(status, {"lastState", "terminated"});
}
/// exit_code_of() and signal_of() take the state `terminated`.
inline int exit_code_of(const Json& terminated) {
  return static_cast<int>(int_at(terminated, {"exitCode"}));
}
inline int signal_of(const Json& terminated) {
  return static_cast<int>(int_at(terminated, {"signal"}));
}
/// The signal that an exit code stands for; 0 if none. Shells and container runtimes report a death by a
/// signal as 128 plus the signal's number. Linux has 64 signals.
inline int signal_in(long long exit_code) {
  return exit_code > 128 && exit_code <= 128 + 64 ? static_cast<int>(exit_code - 128) : 0;
}
/// The id of one run of the container. Takes the status or the state `terminated`.
inline std::string container_id_of(const Json& status, std::string fallback = {}) {
  return string_at(status, {"containerID"}, std::move(fallback));
}

}  // namespace kml::api
