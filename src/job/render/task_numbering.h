#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/job/spec/task_numbers.h"

namespace kml::render {

/// Gives the first container of an array's pod template its task's number, in $KML_TASK: its completion
/// index, or the number that it computes from that. Returns the fault if the container has no command, which
/// it needs to compute the number; otherwise "". Does nothing without a container.
std::string number_tasks(Json& pod, const spec::TaskNumbers& numbers);

/// The same for an array of which only these tasks are to run. They find their numbers in the same variables
/// as before: in $KML_TASK, and if numbers and indexes were equal, in $JOB_COMPLETION_INDEX too.
std::string keep_tasks(Json& pod, const spec::TaskNumbers& numbers);

}  // namespace kml::render
