#pragma once

#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::pipeline {

/// That one of the pods of a step's job in which kml-step has recorded what it sent; nullptr if there are no
/// pods. Throws Error if none of its pods has such a record.
const Json* reporting_pod(const std::vector<Json>& pods, const std::string& job);

/// The bytes that kml-step has written to that pod's log. Throws Error if they cannot be read completely.
std::string sent_in_log(kube::Client& client, const Json& pod);

/// The digest of the image that the pod's first container ran; empty if the node did not report it.
std::string image_id(const Json& pod);

/// The input that kml-step found missing or changed, from the last line that it wrote; empty if the line
/// reports something else.
std::string lost_input_in(const std::string& line);

/// Why kml-step could not run in a pod, from the node's message or its own: another architecture, a disk from
/// which no program may run, or a volume to which the pod's user may not write. Empty for other reasons.
std::string start_fault(const std::string& text);

}  // namespace kml::pipeline
