#pragma once

#include <vector>

#include "jobs/logs/sources.h"

namespace kml::jobs {

/// What is left of a job's pods that are gone, oldest first: kml's own server records them and keeps their
/// logs. A cluster has none.
std::vector<LogSource> gone_sources(kube::Client& client, const Json& job, const std::vector<Json>& pods,
                                    Sources& sources);

}  // namespace kml::jobs
