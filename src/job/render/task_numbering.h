#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/job/spec/task_numbers.h"

namespace kml::render {

/// Gives each task of an array its number, in the variable $KML_TASK of the first container in the pod
/// template. The number is the completion index, or the container computes it from the index. Returns the
/// fault if the container must compute the number but has no command; otherwise "". Does nothing if there is
/// no container.
std::string number_tasks(Json& pod, const spec::TaskNumbers& numbers);

/// Like number_tasks(), for an array in which only these tasks must run. Tasks find their numbers in the same
/// variables as before: in $KML_TASK and, if numbers were equal to indexes, in $JOB_COMPLETION_INDEX too.
std::string keep_tasks(Json& pod, const spec::TaskNumbers& numbers);

}  // namespace kml::render
