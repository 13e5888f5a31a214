#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/kube/client/client.h"

namespace kml::engine {

/// Why a job without pods waits: "quota exceeded" or "waits in queue gpus". Empty if it does not wait, or if
/// the user may not read the cause.
std::optional<std::string> wait_without_pods(kube::Client& client, std::string_view namespace_name,
                                             std::string_view job);

}  // namespace kml::engine
