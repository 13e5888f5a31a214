#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kml/base/error.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Passes on each Workload as soon as it has arrived. Removes the parts on which neither a queue nor a cause
/// depends, such as environment variables and commands, because a queue may hold many thousand Workloads.
/// Returns the error, if any. Throws Error if the server cannot be reached.
std::optional<Error> each_workload(kube::Client& client, const api::ResourceKind& kind,
                                   const std::string& namespace_name, const std::function<void(Json)>& take);

/// Drops the Workload's pod templates, but not the numbers of pods.
void drop_templates(Json& workload);
/// Keeps only the Workload's name, namespace, uid and owners.
void keep_name(Json& workload);
/// Keeps only what the causes of other jobs depend on: place in the queue, admission, and conditions.
void keep_place(Json& workload);

}  // namespace kml::job
