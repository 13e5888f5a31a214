#pragma once

#include <string>

#include "local/store/store.h"

namespace kml::local {

/// A new pod from a PodTemplateSpec, controlled by the owner.
Json pod_from_template(const Json& pod_template, const Json& owner, std::string name);

/// Sets a variable in each container, over one of that name.
void set_variable(Json& pod, std::string_view name, Json value_or_source);

/// Marks the pod for deletion because of its owner: `reason` goes into the record of the attempt.
void delete_pod(Store& store, const Json& pod, Time now, const std::string& reason);

/// Ends a running pod because its owner has failed. Unlike a real cluster's, it stays with its log, as what
/// it said may tell why. A pod that does not run yet is deleted.
void end_pod(Store& store, const Json& pod, Time now, const std::string& reason);

}  // namespace kml::local
