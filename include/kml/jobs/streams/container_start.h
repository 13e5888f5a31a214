#pragma once

#include <string>

#include "kml/jobs/streams/running_rank.h"
#include "kml/jobs/views/interrupt.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// Waits until the container, which is new, runs. Throws Error if it cannot start, if it has not started
/// after five minutes (unreachable), or at a signal (interrupted). `fix` is what to do if it is due to its
/// image.
void wait_until_container_runs(kube::Client& client, const RunningRank& container, const Interrupt& interrupt,
                               const std::string& fix);

}  // namespace kml::jobs
