#pragma once

#include <string>

#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// Waits until the new container is running. Throws Error if it cannot start, if it has not started after
/// five minutes (unreachable), or if a signal arrives (interrupted). `fix` is the fix of the first two
/// Errors, whatever their cause.
void wait_until_container_runs(kube::Client& client, const RunningRank& container,
                               const job::Interrupt& interrupt, const std::string& fix);

}  // namespace kml::pod
