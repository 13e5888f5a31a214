#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/kube/client.h"

namespace kml::jobs {

/// Why a job waits that has no pods: "quota exceeded", "waits in queue gpus". Nothing if it does not wait,
/// or nobody may know.
std::optional<std::string> wait_without_pods(kube::Client& client, std::string_view namespace_name,
                                             std::string_view job);

}  // namespace kml::jobs
