#pragma once

#include <string>

#include "local/store/store.h"

namespace kml::local {

/// A name of the form "PREFIX-x7f2q" that no pod in the namespace has. The prefix is shortened if it is too
/// long.
std::string free_pod_name(const std::string& prefix, const std::string& namespace_name, const Store& store);

/// A new pod from a PodTemplateSpec, controlled by the owner.
Json pod_from_template(const Json& pod_template, const Json& owner, std::string name);

/// Sets an environment variable in each container. Replaces a variable with the same name.
void set_variable(Json& pod, std::string_view name, Json value_or_source);

/// Marks the pod for deletion. `reason` says why its owner deletes it, and is stored in the attempt's record.
void delete_pod(Store& store, const Json& pod, Time now, const std::string& reason);

/// Ends a running pod because its owner has failed. Unlike in a real cluster, the pod and its log are kept,
/// because the log may show why. A pod that is not running yet is deleted.
void end_pod(Store& store, const Json& pod, Time now, const std::string& reason);

}  // namespace kml::local
