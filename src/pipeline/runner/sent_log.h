#pragma once

#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::pipeline {

/// The pod of a step's job in which kml-step has recorded what it sent; nullptr if there are no pods. Throws
/// Error if no pod has such a record.
const Json* reporting_pod(const std::vector<Json>& pods, const std::string& job);

/// The bytes that kml-step wrote to the pod's log. Throws Error if they cannot be read completely.
std::string sent_in_log(kube::Client& client, const Json& pod);

/// The image of the pod's first container with its digest; empty if the node did not report it.
std::string image_id(const Json& pod);

/// The input that kml-step found missing or changed, according to the last line that it wrote; empty if the
/// line reports something else.
std::string lost_input_in(const std::string& line);

/// Why kml-step could not run in a pod, according to the node's message or its own: a different processor, a
/// disk from which no program may run, or a volume that the pod's user cannot write to. Empty for other
/// reasons.
std::string start_fault(const std::string& text);

}  // namespace kml::pipeline
