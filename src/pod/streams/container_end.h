#pragma once

#include <chrono>
#include <optional>

#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// The exit code of the container's latest run, whose output has just ended. Waits until the API server
/// reports it. Empty if that takes longer than `patience`, or if the pod no longer exists.
std::optional<int> exit_code_of_container(kube::Client& client, const RunningRank& rank,
                                          std::chrono::seconds patience = std::chrono::seconds(10));

}  // namespace kml::pod
