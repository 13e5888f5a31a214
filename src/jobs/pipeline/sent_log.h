#pragma once

#include <optional>
#include <string>

#include "kml/core/json.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// The pod of a step's job in which kml-step has noted what it sent; null if there is none.
Json reporting_pod(kube::Client& client, const std::string& namespace_name, const std::string& selector,
                   const std::string& job);

/// What kml-step has written into that pod's log. Throws Error if it cannot be read whole.
std::string sent_in_log(kube::Client& client, const Json& pod);

/// The image that the pod's first container ran, by its digest; empty if the node did not say.
std::string image_id(const Json& pod);

/// The input that kml-step did not find as it was, by the last line that it wrote; empty if that is another
/// one.
std::string lost_input_in(const std::string& line);

/// Why kml-step could not run in a pod, out of what the node says of it: another architecture, or a disk from
/// which no program may run. Empty if it is none of these.
std::string start_fault(const std::string& text);

}  // namespace kml::jobs
