#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// The job's own time limit, which also counts while its pods wait for nodes or for another attempt; 0 if it
/// has none. It is measured from the job's startTime, which a suspended job gets anew when it is resumed.
std::chrono::seconds time_limit_of(const Json& job);

/// When this limit ends the job; empty if it has no limit, or if the limit does not count yet.
std::optional<Time> ends_by_limit(const Json& job);

/// The limit and what is left of it, such as "2h, ends the job in about 40m"; empty if it has none.
std::string time_limit_in_words(const Json& job, State state, Time now);

}  // namespace kml::job
