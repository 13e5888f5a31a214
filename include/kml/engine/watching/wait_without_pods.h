#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/kube/client/client.h"

namespace kml::engine {

/// Why a job without pods waits, such as "quota few full (5/5 pods)". Empty if it does not wait, or if the
/// cause cannot be read.
std::optional<std::string> wait_without_pods(kube::Client& client, std::string_view namespace_name,
                                             std::string_view job);

}  // namespace kml::engine
