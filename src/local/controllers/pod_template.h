#pragma once

#include <string>

#include "local/store/store.h"

namespace kml::local {

/// "PREFIX-x7f2q", which no pod of the namespace has. The prefix is cut if it is too long.
std::string free_pod_name(const std::string& prefix, const std::string& namespace_name, const Store& store);

/// A new pod from a PodTemplateSpec, controlled by the owner.
Json pod_from_template(const Json& pod_template, const Json& owner, std::string name);

/// Sets an environment variable in each container. An existing one with that name is replaced.
void set_variable(Json& pod, std::string_view name, Json value_or_source);

/// Marks the pod for deletion. `reason`, why its owner deletes it, is stored in the record of the attempt.
void delete_pod(Store& store, const Json& pod, Time now, const std::string& reason);

/// Ends a running pod because its owner has failed. Unlike in a real cluster, the pod and its log stay,
/// because the log may contain the cause. A pod that is not yet running is deleted.
void end_pod(Store& store, const Json& pod, Time now, const std::string& reason);

}  // namespace kml::local
