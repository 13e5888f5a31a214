#pragma once

#include <optional>

#include "kml/jobs/streams/running_rank.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// The exit code of the container's latest run, whose output has just ended. Waits for the API server to
/// report it. Empty if it does not within ten seconds, or if the pod no longer exists.
std::optional<int> exit_code_of_container(kube::Client& client, const RunningRank& rank);

}  // namespace kml::jobs
