#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/job/views/job_view.h"

namespace kml::job {

/// The job's own time limit; 0 if it has none. The time is measured from the job's startTime, and includes
/// the time for which its pods wait for nodes or for another attempt. A suspended job gets a new startTime
/// when it is resumed.
std::chrono::seconds time_limit_of(const Json& job);

/// A field of the status of a task (see JobOrTask::as_job()): the startTime of the whole job, whose time
/// limit also ends the task.
inline constexpr const char* kStartOfWholeJob = "startTimeOfWholeJob";

/// The startTime from which the time limit is measured; empty if the job's controller has not set it.
std::optional<Time> limit_began(const Json& job);

/// When the job's own time limit ends it; empty if the job has no limit, has not started, or is suspended.
std::optional<Time> ends_by_limit(const Json& job);

/// The job's time limit and when it ends the job, such as "2h, ends the job in about 40m"; empty if the job
/// has no limit.
std::string time_limit_in_words(const Json& job, State state, Time now);

}  // namespace kml::job
