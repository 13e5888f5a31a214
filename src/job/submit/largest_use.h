#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/job/submit/plan_file.h"

namespace kml::job {

/// The most that a job can use: its pods and GPUs after an autoscaler has added all replicas that it may add,
/// and its GPU hours, including the grace period, during which a pod keeps its GPUs after the time limit.
PlannedJob largest_use(const Json& job);

/// Why kml cannot count the GPUs of a job, such as "whose pods claim devices"; empty if it can.
std::string why_uncountable(const Json& job);

}  // namespace kml::job
